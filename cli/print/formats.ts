/** The report in the shapes that other programs and people parse. Pure; foreign text is flattened to one line each. */
import { reportOfLook, standingOfLine } from "../../index.js";
import type { Look, Report } from "../../index.js";
import { oneLine, safe, seconds, sha } from "./text.js";

const flat = (text: string): string => oneLine(safe(text), 300);
const cell = (text: string): string => flat(text).replaceAll("|", "\\|");

/** `CI:` of the hand-off: every check of the head with how it ended. */
const checksLine = (look: Look): string => {
  const { checks } = look.inbox;
  if (checks === null || checks.length === 0) return "none yet";
  return checks.map((check) => `${flat(check.name)}=${check.raw.toLowerCase()}`).join(", ");
};

/** Reviewers that this loop knows by their signal, people by their newest opinion. */
const reviewsLine = (look: Look): string => {
  const { signals, parties, reviews, viewer } = look.inbox;
  const known = parties
    .filter((party) => party.seen || party.required)
    .map((party) => `${party.reviewer}=${signals.find((signal) => signal.reviewer === party.reviewer)?.state ?? "absent"}`);
  const people = new Map<string, string>();
  for (const review of reviews) {
    const { author } = review.message;
    const counts = author.kind !== "bot" && author.login !== viewer.login && review.state !== "PENDING";
    // A comment after an opinion does not change it.
    if (counts && (review.state !== "COMMENTED" || !people.has(author.login))) people.set(author.login, review.state.toLowerCase());
  }
  const all = [...known, ...[...people].map(([login, state]) => `${flat(login)}=${state}`)];
  return all.length === 0 ? "none yet" : all.join(", ");
};

const KINDS: Readonly<Record<string, string>> = { "check-failed": "failing check", "check-red-on-base": "pre-existing breakage" };

const mergeableLine = (look: Look): string => {
  if (look.state === "READY") return "yes";
  const { nearest } = look;
  if (nearest?.thread === undefined) {
    const kind = KINDS[nearest?.code ?? ""];
    return `no — ${kind === undefined ? "" : `${kind}: `}${flat(nearest?.detail ?? look.why)}`;
  }
  const others = look.blockers.filter((blocker) => blocker.thread !== undefined).length - 1;
  return `no — unresolved thread: ${flat(nearest.detail)}${others > 0 ? ` (and ${others} more)` : ""}`;
};

/** One of merge, wait for, file issue, stop; specific: what exactly is waited for, and on which commit. Pure. */
export const nextStep = (look: Look): string => {
  const head = look.inbox.pullRequest.head.sha;
  const awaited = look.waits.filter((wait) => wait.for === "reviewer").flatMap((wait) => wait.name ?? []);
  const back = `stop, handing back: ${flat(look.why)} (${flat(look.next)})`;
  switch (look.state) {
    case "READY":
      return look.next.startsWith("reviewloop") ? back : "merge (a person decides)";
    case "REVIEWS_PENDING":
      return look.waiting ? `wait for review on ${head} by ${awaited.join(", ")}` : back;
    case "VALIDATING":
      return `wait for checks on ${head}: ${flat(look.why)}`;
    case "REVIEWED":
      return `wait for GitHub's merge state of ${head}`;
    default:
      return look.nearest?.code === "check-red-on-base" ? `file issue: ${flat(look.nearest.detail)}` : back;
  }
};

/** The block that ends a turn; the same shape every time. */
export const handoffText = (look: Look): string =>
  [
    "## Report",
    `PR: ${look.inbox.pullRequest.url}`,
    `Head SHA: ${look.inbox.pullRequest.head.sha}`,
    `CI: ${checksLine(look)}`,
    `Reviews: ${reviewsLine(look)}`,
    `Mergeable: ${mergeableLine(look)}`,
    `Next step: ${nextStep(look)}`,
    "",
  ].join("\n");

const COLUMNS = ["Reviewer", "State", "Found", "Fixed", "Answered", "Declined", "Resolved", "Open", "Score"];

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

/** As code: pasted into a comment, a person's name calls nobody. */
const nameCell = (name: string): string => (name.startsWith("@") ? `\`${cell(name)}\`` : cell(name));

const reviewerTable = (report: Report): readonly string[] => [
  row(COLUMNS),
  row(COLUMNS.map(() => "---")),
  ...report.reviewers.map((line) =>
    row([
      nameCell(line.reviewer),
      standingOfLine(line),
      line.found,
      line.fixed,
      line.answered,
      line.declined,
      line.resolved,
      line.open,
      line.score === undefined ? "-" : `${line.score}${line.head === undefined ? "" : ` @ ${sha(line.head)}`}`,
    ]),
  ),
];

/** The table that ends a run, also one that stopped early. */
export const tableText = (report: Report): string => {
  const gates = report.gates.map((gate) => `${flat(gate.command)} ${gate.result} @ tree ${sha(gate.tree)}`);
  const remaining = report.remaining.map(
    (item) => `- ${flat(item.why)} (${item.name ?? item.who})${item.url === undefined ? "" : ` ${item.url}`}`,
  );
  return [
    row(["Target", "Stop", "Head", "Iterations", "Pushes"]),
    row(["---", "---", "---", "---", "---"]),
    row([
      report.target,
      report.stop === null ? cell(report.detail) : `${report.stop}: ${cell(report.detail)}`,
      sha(report.head),
      report.iterations.length,
      report.pushes.length,
    ]),
    "",
    ...reviewerTable(report),
    "",
    `Gates: ${gates.length === 0 ? "none" : gates.join("; ")}`,
    `Waits: ${report.waits.length === 0 ? "none" : report.waits.map((wait) => wait.name ?? wait.for).join(", ")}`,
    ...report.notes.map((note) => `Note: ${flat(note)}`),
    "",
    "Remaining:",
    ...(remaining.length === 0 ? ["- nothing"] : remaining),
    "",
  ].join("\n");
};

/** For a comment or a file: the table and what each iteration did. */
export const markdownText = (report: Report): string => {
  const lines = report.iterations.flatMap((line) => [
    `- Iteration ${line.number} at ${sha(line.head)}: ${line.decided.length} decided, ${line.fixed.length} fixed, ${line.replied.length} answered, ${line.resolved.length} resolved${line.pushed === undefined ? "" : `, pushed ${sha(line.pushed)}`}`,
    ...line.fixed.map((fix) => `  - ${flat(fix.title)}: ${flat(fix.summary)} (${sha(fix.commit)})`),
  ]);
  return [
    `## ${flat(report.pullRequest.title)} (#${report.pullRequest.number})`,
    "",
    report.pullRequest.url,
    "",
    tableText(report).trimEnd(),
    "",
    ...(lines.length === 0 ? [] : ["Iterations:", ...lines, ""]),
    `Took ${seconds(report.endedAt - report.startedAt)}, ${report.cost.requests} requests.`,
    "",
  ].join("\n");
};

/** The report in a shape that is the same with and without a terminal. */
export const reportAs = (format: "handoff" | "table" | "markdown", look: Look): string => {
  switch (format) {
    case "handoff":
      return handoffText(look);
    case "table":
      return tableText(reportOfLook(look));
    case "markdown":
      return markdownText(reportOfLook(look));
  }
};
