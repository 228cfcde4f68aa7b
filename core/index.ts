/** The core's public entry: what plugins, presets, adapters' users and embedders may import. */
export * from "./model.js";
export * from "./ports.js";
export * from "./phases.js";
export * from "./plugin.js";
export * from "./errors.js";
export * from "./agent-answers.js";
export * from "./agent-factory.js";
export * from "./agent-threads.js";
export * from "./suggestion-blocks.js";
export * from "./config/define.js";
export { threadBlockers, decisionFor, isPerson, needsTriage, wantsFix } from "./standing.js";
export { checkBlockers, mergeBlockers } from "./merge-state.js";
export { headSince } from "./wait.js";
export { exitOf } from "./stop.js";
export { foldRun } from "./run.js";
export { isOurs, markerOf, markersIn, normalisedLogin } from "./marker.js";
export { runLoop } from "./session.js";
export type { RunOptions as LoopRunOptions } from "./session.js";
