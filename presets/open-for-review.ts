import type { Preset } from "../core/index.js";
import { reviewers, tools } from "./lists.js";

/** The first stop after opening: what is there is worked off and the focused proof is green; nobody is asked or awaited. */
export const openForReview: Preset = {
  name: "open-for-review",
  plugins: [...reviewers, ...tools],
  target: "open-for-review",
  limits: { activeTime: "8h" },
};

export default openForReview;
