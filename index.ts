export * from "./core/model.js";
export * from "./core/ports.js";
export * from "./core/phases.js";
export * from "./core/plugin.js";
export * from "./core/errors.js";
export * from "./core/agent-answers.js";
export * from "./core/config/define.js";
