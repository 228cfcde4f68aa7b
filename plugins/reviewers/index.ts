/** Every built-in reviewer. */
export { copilot } from "./copilot.js";
export { devin } from "./devin.js";
export { greptile } from "./greptile.js";
export { prReviewer } from "./pr-reviewer.js";
