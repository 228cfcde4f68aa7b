/** Review-clean, not a draft, checks settled, a clean merge state and the required reviews. */
import { defineTarget, headSince, mergeBlockers, mergeSettledAt, threadBlockers } from "../../core/index.js";
import type { Blocker } from "../../core/index.js";

const draft = (): Blocker => ({ code: "draft", by: "merge-ready", detail: "the pull request is a draft", lift: { who: "person" } });

export const mergeReady = defineTarget({
  name: "merge-ready",
  awaits: "everyone",
  on: {
    check: (blockers, inbox, ctx) => [
      ...blockers,
      ...threadBlockers(inbox, ctx.run, ctx.settings, "merge-ready"),
      ...mergeBlockers(
        inbox,
        headSince(inbox, ctx.run),
        ctx.clock.now(),
        ctx.settings.sync,
        mergeSettledAt(inbox, ctx.run, ctx.settings.wait.settle),
      ),
      ...(inbox.pullRequest.draft ? [draft()] : []),
    ],
  },
});
