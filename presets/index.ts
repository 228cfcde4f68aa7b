import type { Preset } from "../core/index.js";
import { draftToReady } from "./draft-to-ready.js";
import { mergeReady } from "./merge-ready.js";
import { openForReview } from "./open-for-review.js";
import { reviewClean } from "./review-clean.js";

export { draftToReady, mergeReady, openForReview, reviewClean };

/** By name, as `extends` and `--preset` have them. */
export const builtinPresets: Readonly<Record<string, Preset>> = Object.freeze(
  Object.fromEntries([reviewClean, mergeReady, openForReview, draftToReady].map((preset) => [preset.name, preset])),
);
