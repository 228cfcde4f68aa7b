/** Settings as they come out of a config with a gate "npm test". */
import type { Settings } from "../../core/settings.js";

export const DEFAULTS: Settings = {
  target: "review-clean",
  sync: "none",
  gate: [{ name: "npm test", run: "npm test", timeout: 60_000, proof: false, together: false }],
  hasAgent: true,
  people: { resolve: "leave", wait: false, rerequest: "once", signature: "Posted by reviewloop." },
  identities: [],
  nitpicks: "answer",
  markReadyFor: [],
  commit: { subject: "Address review feedback (review-loop iteration {iteration})", style: "one-per-iteration" },
  worktree: { setup: false },
  push: "own",
  trust: { logins: [], everyone: false, protected: [".github/workflows/**"] },
  wait: { poll: 10_000, timeout: 600_000, settle: 30_000, pace: 1000 },
  limits: { iterations: undefined, activeTime: 8 * 3_600_000, repairs: 3, handoffs: 3, replies: 3, tokens: undefined, money: undefined },
  configured: true,
};

export const settingsFrom = (laid: Partial<Settings>): Settings => ({ ...DEFAULTS, ...laid });
