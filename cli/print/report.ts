/** The report for people: what was done, and who must do what is left. */
import { standingOfLine } from "../../index.js";
import type { Report, Write } from "../../index.js";
import { leftLines } from "./left.js";
import type { Colours } from "./text.js";
import { oneLine, plural, safe, seconds, sha } from "./text.js";

const GOOD = new Set(["met", "report-only"]);

const head = (report: Report, colours: Colours): string[] => {
  // Without a stop the detail is all there is to say: parked, or no run yet.
  const name = report.stop ?? report.detail;
  const stop = GOOD.has(name) ? colours.green(colours.bold(name)) : colours.yellow(colours.bold(name));
  return [
    "",
    `${colours.bold(`#${report.pullRequest.number}`)} ${safe(report.pullRequest.title)}  ${colours.dim(report.pullRequest.url)}`,
    `target ${report.target}: ${stop}${report.stop === null || report.detail === "" ? "" : colours.dim(` - ${safe(report.detail)}`)}`,
    `head ${report.head === "" ? "unknown" : sha(report.head)}, ${plural(report.iterations.length, "iteration")}, ${plural(report.pushes.length, "push", "pushes")}, ${seconds(report.endedAt - report.startedAt)}, ${plural(report.cost.requests, "request")} to GitHub (${plural(report.cost.points, "point")})`,
  ];
};

const COLUMNS = ["reviewer", "state", "found", "fixed", "answered", "declined", "resolved", "open", "score"] as const;

const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(
    (row) =>
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}`,
  );
};

const reviewers = (report: Report, colours: Colours, width: number): string[] => {
  if (report.reviewers.length === 0) return [];
  const rows = report.reviewers.map((line) => [
    line.reviewer,
    standingOfLine(line),
    String(line.found),
    String(line.fixed),
    String(line.answered),
    String(line.declined),
    String(line.resolved),
    String(line.open),
    line.score === undefined ? "-" : `${line.score}${line.head === undefined ? "" : ` @ ${sha(line.head)}`}`,
  ]);
  const lines = table([COLUMNS, ...rows]);
  // What does not fit side by side is told one after the other.
  const told = (row: readonly string[]): string[] => {
    const [name = "", state = "", ...counts] = row;
    const said = counts.flatMap((count, at) => (count === "0" || count === "-" ? [] : [`${COLUMNS[at + 2]} ${count}`]));
    return [`  ${name}  ${state}`, ...(said.length === 0 ? [] : [`    ${said.join(", ")}`])];
  };
  return ["", colours.bold("Reviewers"), ...(lines.every((line) => line.length <= width) ? lines : rows.flatMap(told))];
};

const notes = (report: Report, colours: Colours): string[] =>
  report.notes.length === 0 ? [] : ["", colours.bold("Notes"), ...report.notes.map((note) => `  - ${safe(note)}`)];

/** Of a gate's output; all of it is in the log file. */
const LAST_LINES = 10;

const gates = (report: Report, colours: Colours): string[] => {
  if (report.gates.length === 0) return [];
  const lines = ["", colours.bold("Gates")];
  const last = report.iterations.at(-1);
  for (const gate of report.gates) {
    const reused = last?.gates.some((each) => each.gate === gate.gate && each.tree === gate.tree && each.reused === true) ?? false;
    lines.push(
      `  ${gate.result === "green" ? colours.green("green") : colours.red(gate.result)}  ${safe(gate.command)} @ ${gate.head === undefined ? `tree ${sha(gate.tree)}` : sha(gate.head)}${reused ? colours.dim(" (still valid, not run again)") : ""}${gate.logFile === undefined ? "" : colours.dim(`  ${gate.logFile}`)}`,
    );
    // Of a red one that was mended, the result is enough.
    if (gate.result === "green" || gate.excerpt === "" || report.stop === "met") continue;
    for (const line of safe(gate.excerpt).split("\n").slice(-LAST_LINES))
      lines.push(colours.dim(`        ${oneLine(line, 150)}`.trimEnd()));
  }
  return lines;
};

const bodyOf = (write: Write): string | undefined => ("body" in write ? write.body : undefined);

const targetOf = (write: Write): string => {
  switch (write.kind) {
    case "reply":
    case "resolve":
      return write.why;
    case "request":
      return write.by === "comment" ? `${write.reviewer}, by a comment` : `${write.reviewer}, by a review request`;
    case "push":
      return `${plural(write.commits.length, "commit")} to ${write.branch} (tree ${sha(write.tree)})`;
    default:
      return write.why;
  }
};

/** What would be written, in order, each with its text. */
export const planText = (writes: readonly Write[], colours: Colours): string[] => {
  if (writes.length === 0) return [];
  const lines = ["", colours.bold(`Plan (${plural(writes.length, "write")}, nothing sent yet)`)];
  for (const [index, write] of writes.entries()) {
    lines.push(`  ${String(index + 1).padStart(2)}. ${colours.cyan(write.kind)}  ${oneLine(safe(targetOf(write)), 140)}`);
    const body = bodyOf(write);
    if (body !== undefined)
      lines.push(
        ...safe(body)
          .split("\n")
          .filter((line) => !line.startsWith("<!-- reviewloop:"))
          .map((line) => colours.dim(`        ${line}`.trimEnd())),
      );
  }
  return lines;
};

export const reportText = (report: Report, colours: Colours, width = Number.POSITIVE_INFINITY): string => {
  const lines = [
    ...head(report, colours),
    ...(report.error === undefined ? [] : [colours.red(`${report.error.code}: ${safe(report.error.message)}`), `  ${report.error.hint}`]),
    ...reviewers(report, colours, width),
    ...gates(report, colours),
    ...planText(report.plan, colours),
    ...leftLines("Remaining", report.remaining, colours, width),
    ...notes(report, colours),
    "",
  ];
  return `${lines.join("\n")}\n`;
};
