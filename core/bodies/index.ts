/** Reading bodies: what reviewer plugins share. */
export * from "./parse.js";
export * from "./text.js";
export * from "./read.js";
