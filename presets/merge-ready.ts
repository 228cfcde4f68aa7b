import type { Preset } from "../core/index.js";
import { reviewers, tools } from "./lists.js";

/** As review-clean, and what GitHub asks for before a merge: green checks, approvals, no conflict, not behind. */
export const mergeReady: Preset = {
  name: "merge-ready",
  plugins: [...reviewers, ...tools],
  target: "merge-ready",
  limits: { activeTime: "8h" },
};

export default mergeReady;
