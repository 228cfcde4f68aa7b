/** Scripted reviewers and people: they act on the world's events and clock, and see only what stands there. */
export * from "./stage.js";
export { greptile, type GreptileOptions } from "./greptile.js";
export { devin, type DevinOptions } from "./devin.js";
export { copilot, type CopilotOptions } from "./copilot.js";
export { coderabbit, type CodeRabbitOptions } from "./coderabbit.js";
export { prReviewer, type PrReviewerOptions } from "./pr-reviewer.js";
export { OTHERS, otherReviewer, type OtherWords } from "./others.js";
export { person, type PersonOptions, type ScriptedPerson } from "./person.js";
export { workflow, type WorkflowOptions } from "./workflow.js";
export { inspect, type Issue, type IssueKind } from "./inspect.js";
export { BODIES, fill, wordingOf, type Bodies, type Severity } from "./render.js";
