/** Says how an iteration's change is committed. The core makes the commit and pushes it. */
import { definePlugin } from "../../core/index.js";
import type { Work } from "../../core/index.js";

const bodyOf = (work: Work): string =>
  work.done
    .filter((item) => item.thread.source !== "gate")
    .map((item) => `- ${item.summary.trim() === "" ? item.thread.title : item.summary.trim().replaceAll(/\s+/g, " ")}`)
    .join("\n");

export const gitPush = definePlugin({
  name: "git-push",
  kind: "tool",
  on: {
    push: (work, _inbox, ctx) => {
      const subject = ctx.settings.commit.subject.replaceAll("{iteration}", String(ctx.run.iterations.length));
      const body = bodyOf(work);
      return body === "" ? { subject } : { subject, body };
    },
  },
});
