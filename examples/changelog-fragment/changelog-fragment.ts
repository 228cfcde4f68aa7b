/** A rule of one's own: a change without a changelog fragment is not done, and adding one is the agent's. */
import { definePlugin } from "reviewloop";

export const changelogFragment = definePlugin<{ readonly folder: string }>({
  name: "changelog-fragment",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { folder: { type: "string" } } },
  defaults: { folder: "changelog.d/" },
  on: {
    check: async (blockers, inbox, ctx) => {
      const { base, head } = inbox.pullRequest;
      const { git, options } = ctx;
      if (git === undefined) return blockers;
      // A look has no worktree open: what can't be known holds nothing.
      const changed = await (async () => git.changes(await git.treeOf(base.sha), await git.treeOf(head.sha)))().catch(() => undefined);
      if (changed === undefined || changed.some((file) => file.path.startsWith(options.folder))) return blockers;
      const detail = `there is no changelog fragment in ${options.folder}`;
      return [...blockers, { code: "no-fragment", by: "changelog-fragment", detail, lift: { who: "person" } }];
    },
  },
});
