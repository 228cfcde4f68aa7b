/** Macroscope: threads, a comment on whether a person has to look, and a check that says what was reviewed. */
import {
  defineReviewer,
  firstSentence,
  joined,
  opening,
  ownLines,
  parseBody,
  placeIn,
  plain,
  shortened,
  topLines,
} from "../../core/index.js";
import type { Body, BodyReading, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { critical: "critical", high: "high", medium: "medium", low: "low" };
const SETTLED = /^\s*(?:✅ Resolved in|No longer relevant as of) [0-9a-f]{7,40}\b/u;

/** `🟠 **High** \`short/path:57\``; the prompt has the whole path. */
const threadReading = (body: Body): BodyReading => {
  const lines = topLines(body)
    .map((line) => line.text.trim())
    .filter((line) => !SETTLED.test(line));
  const at = lines.findIndex((line) => line !== "");
  const head = /^\S{1,4}\s*\*\*(Critical|High|Medium|Low)\*\*\s*(?:`([^`]+)`)?/i.exec(lines[at] ?? "");
  const raw = head?.[1];
  if (raw === undefined) return { findings: [] };
  const text = lines.slice(at + 1).find((line) => plain(line) !== "") ?? "";
  const prompt = body.fences
    .flatMap((fence) => fence.content)
    .map((line) => /\bIn file @?(\S+) around lines? (\d{1,7}(?:-\d{1,7})?):/i.exec(line))
    .find((found) => found !== null);
  const place = prompt === undefined || prompt === null ? placeIn(head?.[2] ?? "") : placeIn(`${prompt[1]}:${prompt[2]}`);
  return {
    findings: [
      {
        title: shortened(firstSentence(plain(text))),
        body: joined(lines),
        severity: SEVERITY[raw.toLowerCase()] ?? "unknown",
        severityRaw: raw,
        ...place,
      },
    ],
  };
};

const checkReading = (post: Post): BodyReading => {
  if (/\bbilling issue\b|\bquota\b|\blimit reached\b/i.test(post.body))
    return { signal: { state: "limited", reason: "quota" }, findings: [] };
  if (/\bNo code objects were reviewed\b/i.test(post.body)) return { signal: { state: "reviewed", verdict: "approve" }, findings: [] };
  if (/\bReview skipped\b/i.test(post.body)) return { signal: { state: "skipped", reason: "not reviewed" }, findings: [] };
  if (post.check?.state === "failure" || post.check?.state === "cancelled")
    return { signal: { state: "failed", reason: `check ${post.check.state}` }, findings: [] };
  return post.check?.state === "success" || post.check?.state === "neutral"
    ? { signal: { state: "reviewed" }, findings: [] }
    : { findings: [] };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check") return checkReading(post);
  if (post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  if (/^#{2,5}\s+Approvability\b/im.test(opening(body, 2))) {
    const raw = ownLines(body)
      .map((line) => /^\*\*Verdict:\*\*\s*(.+?)\s*$/i.exec(line.text.trim())?.[1])
      .find((each) => each !== undefined);
    if (raw === undefined) return { signal: { state: "unknown", reason: "no verdict" }, findings: [] };
    const verdict = /^Approved\b/i.test(plain(raw)) ? "approve" : "needs-attention";
    return { signal: { state: "reviewed", verdict, verdictRaw: plain(raw) }, findings: [], covers: "new" };
  }
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
};

export const macroscope = defineReviewer({
  name: "macroscope",
  owns: { logins: ["macroscopeapp"], bot: true },
  check: /^Macroscope - Correctness Check$/,
  request: { by: "push", otherwise: { text: "@macroscope-app review", mentions: /^@macroscope-app\s+review\s*$/i } },
  missing: "go-on",
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
  essence: (body) =>
    body
      .split(/\r?\n/)
      .filter((line) => !SETTLED.test(line))
      .join("\n"),
  acknowledges: (message) => message.author.kind === "bot" && SETTLED.test(message.body),
});
