import type { PluginEntry } from "../core/index.js";

/** What the presets for every thread of every reviewer have in common. Names only: a config replaces each by name. */

/** A reviewer that takes no part in a repository costs nothing there. */
export const reviewers: readonly string[] = [
  "greptile",
  "devin",
  "copilot",
  "coderabbit",
  "gemini",
  "bugbot",
  "codex",
  "claude",
  "cubic",
  "sourcery",
  "qodo",
  "macroscope",
  "seer",
  "codeant",
  "ellipsis",
  "pr-reviewer",
];

/** In the order in which they run. The key `gate` puts `command-gate` after the first. */
export const tools: readonly PluginEntry[] = [
  "git-sync",
  "suggestions",
  ["decline-ledger", { sameFile: true, searchable: false }],
  "agent-triage",
  "agent-verify",
  "agent-fix",
  "git-push",
  "plain-words",
];
