/** A rule of one's own: a pull request without its changelog fragment, `changelog.d/<branch>.md`, is not done. */
import { definePlugin } from "reviewloop";

export const changelogFragment = definePlugin<{ readonly folder: string }>({
  name: "changelog-fragment",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { folder: { type: "string" } } },
  defaults: { folder: "changelog.d" },
  on: {
    check: async (blockers, inbox, ctx) => {
      const { ref, head } = inbox.pullRequest;
      const path = `${ctx.options.folder}/${head.branch.replaceAll("/", "-")}.md`;
      if (ctx.forge.fileAt === undefined || (await ctx.forge.fileAt(ref, head.sha, path, ctx.signal)) !== undefined) return blockers;
      return [
        ...blockers,
        { code: "no-fragment", by: "changelog-fragment", detail: `there is no changelog fragment ${path}`, lift: { who: "person" } },
      ];
    },
  },
});
