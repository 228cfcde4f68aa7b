/** Brings the worktree up to date with the base, by the policy of the config; the push comes after a green gate. */
import { definePlugin } from "../../core/index.js";

export const gitSync = definePlugin({
  name: "git-sync",
  kind: "tool",
  on: {
    sync: async (ctx) => {
      const { sync } = ctx.settings;
      if (sync === "none" || ctx.git === undefined) return undefined;
      const synced = await ctx.git.sync(sync, ctx.inbox.pullRequest.base.sha);
      const changed = synced.head !== ctx.inbox.pullRequest.head.sha || (synced.conflicts?.length ?? 0) > 0;
      return changed ? synced : undefined;
    },
  },
});
