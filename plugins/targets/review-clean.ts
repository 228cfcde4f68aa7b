/** Zero open threads of anybody, and a fresh, satisfied review of every reviewer that takes part. */
import { defineTarget, threadBlockers } from "../../core/index.js";

export const reviewClean = defineTarget({
  name: "review-clean",
  awaits: "everyone",
  on: { check: (blockers, inbox, ctx) => [...blockers, ...threadBlockers(inbox, ctx.run, ctx.settings, "review-clean")] },
});
