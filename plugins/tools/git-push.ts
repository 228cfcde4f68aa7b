/** Says how a change is committed: all of an iteration's, or, where commits are kept, each unit of it. The core makes the commits and pushes them. */
import { definePlugin } from "../../core/index.js";
import type { DoneItem, Work } from "../../core/index.js";

/** What git's own tools show of a first line. */
const LONGEST_SUBJECT = 72;

const said = (item: DoneItem): string => (item.summary.trim() === "" ? item.thread.title : item.summary).trim().replaceAll(/\s+/g, " ");

/** The first sentence of what was done. */
const subjectOf = (item: DoneItem): string => {
  const sentence = said(item).split(/(?<=[.!?]) /)[0] ?? "";
  const line = sentence.replace(/\.$/, "");
  return line.length <= LONGEST_SUBJECT ? line : `${line.slice(0, LONGEST_SUBJECT - 3).trimEnd()}...`;
};

const bodyOf = (work: Work): string =>
  work.done
    .filter((item) => item.thread.source !== "gate")
    .map((item) => `- ${said(item)}`)
    .join("\n");

export const gitPush = definePlugin({
  name: "git-push",
  kind: "tool",
  on: {
    push: (work, _inbox, ctx) => {
      const subject = ctx.settings.commit.subject.replaceAll("{iteration}", String(ctx.run.iterations.length));
      const body = bodyOf(work);
      const points = work.done.filter((item) => item.thread.source !== "gate");
      const [only] = points;
      if (ctx.settings.commit.style === "kept" && only !== undefined) {
        const line = subjectOf(only);
        return points.length === 1 && line === said(only).replace(/\.$/, "") ? { subject: line } : { subject: line, body };
      }
      return body === "" ? { subject } : { subject, body };
    },
  },
});
