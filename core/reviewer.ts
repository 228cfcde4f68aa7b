import type { CommonReviewerOptions, PluginFactory, ReviewerSpec } from "./plugin.js";
export const defineReviewer = <O extends object = Record<never, never>>(
  _spec: ReviewerSpec<O>,
): PluginFactory<O & CommonReviewerOptions> => {
  throw new Error("unfinished");
};
