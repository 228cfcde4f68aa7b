/** Every built-in reviewer. */
export { bugbot } from "./bugbot.js";
export { claude } from "./claude.js";
export { codeant } from "./codeant.js";
export { coderabbit } from "./coderabbit.js";
export { codex } from "./codex.js";
export { copilot } from "./copilot.js";
export { cubic } from "./cubic.js";
export { devin } from "./devin.js";
export { ellipsis } from "./ellipsis.js";
export { gemini } from "./gemini.js";
export { greptile } from "./greptile.js";
export { macroscope } from "./macroscope.js";
export { prReviewer } from "./pr-reviewer.js";
export { qodo } from "./qodo.js";
export { seer } from "./seer.js";
export { sourcery } from "./sourcery.js";
export { workflowReviewer } from "./workflow-reviewer.js";
