/** cubic. A new review body for each run; the region between its two summary markers is the result, a prompt repeats the inline threads. Its score is its own. */
import {
  defineReviewer,
  firstSentence,
  joined,
  opening,
  ownComments,
  ownLines,
  parseBody,
  placeIn,
  plain,
  sectionsNamed,
  shortened,
  topLines,
} from "../../core/index.js";
import type { Body, BodyReading, Finding, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { P0: "critical", P1: "high", P2: "medium", P3: "low" };
const RANKED = /^(?:\*\*)?(P[0-3])(?:\*\*)?:(?:\*\*)?\s*(.+)$/;

const titled = (line: string): Pick<Finding, "title" | "severity" | "severityRaw"> | undefined => {
  const found = RANKED.exec(line.trim());
  const raw = found?.[1];
  return found === null || raw === undefined
    ? undefined
    : { title: shortened(firstSentence(plain(found[2] ?? ""))), severity: SEVERITY[raw] ?? "unknown", severityRaw: raw };
};

const ADDRESSED = /^\s*✅ Addressed in\b/u;

const promptLines = (body: Body): readonly string[] => {
  const sections = sectionsNamed(body, /^Prompt for AI agents\b/i);
  return body.fences
    .filter((fence) => fence.quote === 0 && sections.some((section) => section.start <= fence.start && fence.start <= section.end))
    .flatMap((fence) => [...fence.content, ""]);
};

const threadReading = (body: Body): BodyReading => {
  const lines = topLines(body).map((line) => line.text.trim());
  const head = lines
    .filter((line) => line !== "" && !ADDRESSED.test(line))
    .map(titled)
    .find((line) => line !== undefined);
  if (head === undefined) return { findings: [] };
  const at = promptLines(body)
    .map((line) => /\bAt (\S+), lines? (\d{1,7}(?:\s*[-–]\s*\d{1,7})?):/i.exec(line))
    .find((found) => found !== null);
  const place = at === undefined || at === null ? undefined : placeIn(`${at[1]}:${(at[2] ?? "").replace(/\s+/g, "")}`);
  return { findings: [{ ...head, body: joined(lines), ...place }] };
};

/** `<violation number="1" location="path:line">` and its text, up to the closing tag. */
const violations = (body: Body): readonly Finding[] => {
  const items: { location: string; lines: string[]; open: boolean }[] = [];
  for (const line of promptLines(body)) {
    const head = /^\s*<violation\b[^<>]*\blocation="([^"<>]+)"[^<>]*>(.*)$/.exec(line);
    if (head !== null) items.push({ location: head[1] ?? "", lines: [head[2] ?? ""], open: true });
    else if (items.at(-1)?.open === true) items.at(-1)?.lines.push(line);
    const last = items.at(-1);
    const end = last?.lines.at(-1)?.indexOf("</violation>") ?? -1;
    if (last !== undefined && last.open && end !== -1) {
      last.lines[last.lines.length - 1] = (last.lines.at(-1) ?? "").slice(0, end);
      last.open = false;
    }
  }
  return items.flatMap(({ location, lines, open }): readonly Finding[] => {
    const text = lines.find((line) => line.trim() !== "") ?? "";
    const head =
      titled(text) ?? (plain(text) === "" ? undefined : { title: shortened(firstSentence(plain(text))), severity: "unknown" as const });
    const place = placeIn(location);
    return head === undefined || place === undefined || open ? [] : [{ ...head, body: joined(lines), ...place }];
  });
};

const summaryReading = (body: Body): BodyReading | undefined => {
  const comments = ownComments(body);
  const from = comments.find((comment) => comment.content === "cubic:review-summary:start");
  const to = comments.find((comment) => comment.content === "cubic:review-summary:end");
  if (from === undefined) return undefined;
  const findings = violations(body);
  if (to === undefined) return { signal: { state: "unknown", reason: "a summary without its end" }, findings };
  const text = body.lines
    .slice(from.end, to.start + 1)
    .filter((line) => line.quote === 0 && !line.fenced)
    .map((line) => plain(line.text))
    .join("\n");
  const score = comments
    .map((comment) => /^cubic:review-summary:confidence-score:(\d\/5)$/.exec(comment.content)?.[1])
    .find((each) => each !== undefined);
  const raw = score === undefined ? {} : { verdictRaw: `confidence ${score}` };
  const count = /^(\d{1,5}) (?:new )?issues? found\b/im.exec(text)?.[1];
  const clean = /^No (?:new )?issues found\b/im.test(text) || count === "0";
  const recent = /\(changes from recent commits\)/i.test(text);
  const covers = recent ? "new" : "full";
  if (/^All reported issues were addressed\b/im.test(text) || clean) {
    const verdict = findings.length === 0 ? "approve" : "needs-attention";
    return { signal: { state: "reviewed", verdict, counts: { posted: 0 }, ...raw }, findings, covers };
  }
  if (count === undefined) return { signal: { state: "unknown", reason: "a summary without a count" }, findings };
  return { signal: { state: "reviewed", verdict: "needs-attention", counts: { posted: Number(count) }, ...raw }, findings, covers };
};

const noticeOf = (start: string): BodyReading | undefined => {
  if (/\btoo (?:large|big|many)\b|\bexceeds? the (?:limit|maximum)\b|\bmore than [\d,]+ (?:lines|files)\b/i.test(start))
    return { signal: { state: "skipped", reason: "too_large" }, findings: [] };
  if (/\b(?:usage|review|rate) limit\b|\bquota\b/i.test(start)) return { signal: { state: "limited", reason: "quota" }, findings: [] };
  return undefined;
};

const read = (post: Post): BodyReading => {
  if (post.source === "check") {
    if (post.check?.state === "failure" || post.check?.state === "cancelled")
      return { signal: { state: "failed", reason: `check ${post.check.state}` }, findings: [] };
    return { findings: [] };
  }
  if (post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  const known = summaryReading(body) ?? noticeOf(opening(body, 2));
  if (known !== undefined) return known;
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  return ownLines(body).some((line) => line.text.trim() !== "")
    ? { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] }
    : { findings: [] };
};

export const cubic = defineReviewer({
  name: "cubic",
  owns: { logins: ["cubic-dev-ai"], bot: true },
  check: /^cubic\b/i,
  request: {
    by: "push",
    otherwise: {
      text: "@cubic-dev-ai review this PR",
      mentions: /^@cubic-dev-ai\s+(?:incremental review|review(?: this (?:pr|pull request))?)\s*$/i,
    },
  },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "20m", start: "3m" },
  body: read,
  essence: (body) =>
    body
      .split(/\r?\n/)
      .filter((line) => !ADDRESSED.test(line))
      .join("\n"),
  acknowledges: (message) => message.author.kind === "bot" && ADDRESSED.test(message.body),
});
