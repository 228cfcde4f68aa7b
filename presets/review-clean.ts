import type { Preset } from "../core/index.js";
import { reviewers, tools } from "./lists.js";

/** Every thread of every reviewer to zero, and a fresh review of the head by everyone who takes part. */
export const reviewClean: Preset = {
  name: "review-clean",
  plugins: [...reviewers, ...tools],
  target: "review-clean",
  limits: { activeTime: "8h" },
};

export default reviewClean;
