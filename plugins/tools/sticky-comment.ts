/**
 * Keeps one comment on the pull request up to date with the report: made once, edited in place from then on, never a second one.
 * Off unless a config lists it.
 */
import { createHash } from "node:crypto";
import { definePlugin, isSticky, markerOf, markersIn, standingOfLine, STICKY } from "../../core/index.js";
import type { Ctx, Evidence, Message, RemainingItem, Report, Write } from "../../core/index.js";

/** Text of others in a table or a list: one line, no cell of its own. */
const cell = (text: string, width = 160): string => {
  const flat = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
  return flat.length > width ? `${flat.slice(0, width - 1)}…` : flat;
};

const MOST = 50;
const WHO: Readonly<Record<RemainingItem["who"], string>> = {
  loop: "the next run",
  agent: "an agent or a person",
  reviewer: "a reviewer",
  ci: "the checks",
  person: "a person",
  environment: "whoever runs it",
};
const short = (sha: string): string => `\`${sha.slice(0, 10)}\``;

const reviewers = (report: Report): readonly string[] =>
  report.reviewers.length === 0
    ? []
    : [
        "| reviewer | state | found | fixed | answered | declined | resolved | open | score |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        ...report.reviewers.map((line) => {
          const score = line.score === undefined ? "" : `${line.score}${line.head === undefined ? "" : ` @ ${short(line.head)}`}`;
          const counts = [line.found, line.fixed, line.answered, line.declined, line.resolved, line.open];
          return `| ${[line.reviewer, standingOfLine(line), ...counts, score].join(" | ")} |`;
        }),
        "",
      ];

const remaining = (report: Report): readonly string[] => {
  if (report.remaining.length === 0) return [];
  const more = report.remaining.length - MOST;
  return [
    `**Remaining (${report.remaining.length})**`,
    "",
    ...report.remaining.slice(0, MOST).map((item) => {
      const link = item.url === undefined || item.url === "" ? "" : ` ([link](${item.url}))`;
      return `- ${cell(item.name ?? WHO[item.who], 40)}: ${cell(item.why)}${link}`;
    }),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "",
  ];
};

/** Pure: the report as Markdown. No times, counts of runs or costs: an unchanged standing is an unchanged comment. */
export const stickyText = (report: Report, evidence: readonly Evidence[]): string => {
  const gates = evidence
    .filter((gate) => gate.head === report.head)
    .map((gate) => `- \`${cell(gate.command.replaceAll("`", "'"), 80)}\`: ${gate.result}`);
  return [
    `**${report.target}: ${report.stop ?? "waiting"}** at ${short(report.head)}`,
    "",
    ...(report.detail === "" ? [] : [cell(report.detail, 400), ""]),
    ...reviewers(report),
    ...(gates.length === 0 ? [] : [...gates, ""]),
    ...remaining(report),
    ...(report.notes.length === 0 ? [] : [...report.notes.slice(0, MOST).map((note) => `- ${cell(note)}`), ""]),
  ]
    .join("\n")
    .trimEnd();
};

/** Ours is the newest with the mark by the account in use; somebody else's copy is nobody's. */
const found = (ctx: Ctx): Message | undefined =>
  ctx.inbox.comments.findLast(
    (comment) => comment.author.login === ctx.inbox.viewer.login && comment.author.kind !== "ghost" && isSticky(comment.body),
  );

export const stickyComment = definePlugin({
  name: "sticky-comment",
  kind: "tool",
  on: {
    report: ({ report, writes }, ctx) => {
      const there = found(ctx);
      const text = stickyText(report, ctx.run.evidence);
      // What is posted is made harmless first, so texts can't be compared: the marker says which one it stands for.
      const standing = `sticky:${createHash("sha256").update(text).digest("hex").slice(0, 20)}:`;
      if (there !== undefined && markersIn(there.body).some((mark) => mark.key.startsWith(standing))) return { report, writes };
      const key = `${standing}${ctx.run.id}:${Object.keys(ctx.run.writes).length}`;
      const body = [STICKY, text, "", markerOf({ key })].join("\n");
      const base = { key, preconditions: {}, why: "the report in one comment" } as const;
      const write: Write =
        there === undefined ? { ...base, kind: "comment", body, answers: [] } : { ...base, kind: "edit-comment", comment: there.id, body };
      return { report, writes: [...writes, write] };
    },
  },
});

export default stickyComment;
