/** `reviewloop`: the core's public entry. */
export * from "./core/index.js";
