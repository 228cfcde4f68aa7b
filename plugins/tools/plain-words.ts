/** Replies and the report without filler, praise and boilerplate; or as a command of the user's leaves them. */
import { definePlugin } from "../../core/index.js";
import type { Ctx, Report, Write } from "../../core/index.js";
import { plainText } from "./plain-words/plain-text.js";

export interface PlainWordsOptions {
  /** Command line that gets each reply on standard input and prints the text to post; absent = the built-in list alone. */
  readonly run?: string;
}

const PATIENCE = 30_000;

/** What a rewrite must not lose: code, commits, places, links, and our hidden lines. */
const kept = (text: string): readonly string[] => [
  ...new Set([
    ...[...text.matchAll(/`[^`\n]+`/g)].map(([span]) => span),
    ...[...text.matchAll(/\b[0-9a-f]{7,40}\b/g)].map(([sha]) => sha),
    ...[...text.matchAll(/https?:\/\/[^\s)>\]]+/g)].map(([url]) => url),
  ]),
];

/** Pure: may the command's text stand for the other? */
export const usable = (before: string, after: string): boolean =>
  after.trim() !== "" && after.length <= Math.max(2000, before.length * 3) && kept(before).every((part) => after.includes(part));

const HIDDEN = /^<!--.*-->$/;

const rewritten = async (text: string, ctx: Ctx<PlainWordsOptions>): Promise<string> => {
  const plain = plainText(text);
  if (ctx.options.run === undefined) return plain;
  const ran = await ctx.shell.run({ command: ctx.options.run, cwd: ".", timeout: PATIENCE, input: `${plain}\n` }, ctx.signal);
  const answer = ran.stdout?.trim() ?? "";
  if (ran.started && !ran.timedOut && ran.exitCode === 0 && usable(plain, answer)) return answer;
  ctx.log.warn(`"${ctx.options.run}" gave no usable text; the reply went out without it`);
  return plain;
};

/** Pure: the words of others that stand in a report. Codes, names and places stay. */
export const plainReport = (report: Report): Report => ({
  ...report,
  iterations: report.iterations.map((line) => ({
    ...line,
    decided: line.decided.map((item) => ({ ...item, why: plainText(item.why) })),
    fixed: line.fixed.map((item) => ({ ...item, summary: plainText(item.summary) })),
    notFixed: line.notFixed.map((item) => ({ ...item, why: plainText(item.why) })),
  })),
  remaining: report.remaining.map((item) => {
    // A title and a place stand in front of the words.
    const from = item.why.startsWith(item.what) ? item.why.indexOf(": ", item.what.length) + 2 : 0;
    return {
      ...item,
      why: from > 1 || !item.why.startsWith(item.what) ? item.why.slice(0, from) + plainText(item.why.slice(from)) : item.why,
    };
  }),
});

const rewriteBody = async (write: Write, ctx: Ctx<PlainWordsOptions>): Promise<Write> => {
  if (write.kind !== "comment" && write.kind !== "edit-comment") return write;
  const lines = write.body.split("\n");
  const from = lines.findIndex((line) => !HIDDEN.test(line));
  const to = lines.findLastIndex((line) => !HIDDEN.test(line)) + 1;
  if (from < 0) return write;
  const text = await rewritten(lines.slice(from, to).join("\n"), ctx);
  return { ...write, body: [...lines.slice(0, from), text, ...lines.slice(to)].join("\n") };
};

export const plainWords = definePlugin<PlainWordsOptions>({
  name: "plain-words",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { run: { type: "string", pattern: "\\S" } } },
  on: {
    reply: {
      order: "post",
      run: async (draft, _inbox, ctx) => (draft.text === null ? draft : { ...draft, text: await rewritten(draft.text, ctx) }),
    },
    report: {
      order: "post",
      run: async ({ report, writes }, ctx) => {
        const bodies: Write[] = [];
        for (const write of writes) bodies.push(await rewriteBody(write, ctx));
        return { report: plainReport(report), writes: bodies };
      },
    },
  },
});

export default plainWords;
