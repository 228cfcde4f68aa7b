import type { Preset } from "../core/index.js";
import { reviewers } from "./lists.js";

/** What triage is told about this way of working. */
const RULES: readonly string[] = [
  "A real issue of correctness, security or behaviour is actionable.",
  "A point that goes against how this project does things is a false-positive: say why, in a reply that a later reader understands.",
  "Wording, docstrings, settled style and performance that nobody will notice are nitpicks.",
];

/** One state, one next action: a draft until the required reviewers are done and nothing is open, then handed over, and stop. */
export const draftToReady: Preset = {
  name: "draft-to-ready",
  plugins: [
    ...reviewers,
    "git-sync",
    "suggestions",
    "decline-ledger",
    ["agent-triage", { rules: RULES }],
    "agent-verify",
    "agent-fix",
    "git-push",
  ],
  target: "draft-to-ready",
  reviewers: { copilot: { rerun: false } },
  nitpicks: "leave",
  limits: { activeTime: "8h" },
};

export default draftToReady;
