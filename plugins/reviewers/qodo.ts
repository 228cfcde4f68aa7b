/** Qodo, under its names of several years. One conversation comment; a formal review of its is empty. Its effort figure is no score. */
import { defineReviewer, firstSentence, imageAlt, joined, opening, ownLines, parseBody, plain, shortened } from "../../core/index.js";
import type { Body, BodyReading, Finding, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { "action required": "high", "remediation recommended": "medium" };

/** `<code>🐞 Bugs (2)</code>` and its like. */
const countsIn = (text: string): readonly number[] =>
  [...text.matchAll(/<code>[^<>\n]{1,60}\((\d{1,5})\)<\/code>/g)].map((found) => Number(found[1]));

const wholeText = (lines: readonly string[], title: string): Finding => ({ title, body: joined(lines), severity: "unknown" });

const threadReading = (body: Body): BodyReading => {
  const lines = ownLines(body).map((line) => line.text.trim());
  const raw = lines.map((line) => imageAlt(line)).find((alt) => alt !== undefined && SEVERITY[alt.toLowerCase()] !== undefined);
  const title = lines.map((line) => plain(line)).find((line) => line !== "");
  if (raw === undefined || title === undefined) return { findings: [] };
  return {
    findings: [
      { title: shortened(firstSentence(title)), body: joined(lines), severity: SEVERITY[raw.toLowerCase()] ?? "unknown", severityRaw: raw },
    ],
  };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  const start = opening(body, 3);
  const lines = ownLines(body).map((line) => line.text);
  const text = lines.join("\n");
  if (/\bPR Reviewer Guide\b/i.test(start)) {
    if (/\bNo major issues detected\b/i.test(text) && /<\/table>/i.test(text))
      return { signal: { state: "reviewed", verdict: "approve" }, findings: [], covers: "full" };
    return {
      signal: { state: "reviewed", verdict: "needs-attention" },
      findings: [],
      covers: "full",
      point: wholeText(lines, "PR Reviewer Guide: focus areas"),
    };
  }
  if (/\bCode Review by Qodo\b/i.test(start)) {
    if (/\b(?:is being|in progress|reviewing)\b/i.test(plain(start))) return { signal: { state: "running" }, findings: [] };
    const counts = countsIn(text);
    if (counts.length === 0) return { signal: { state: "unknown", reason: "a report without counts" }, findings: [] };
    const sum = counts.reduce((all, count) => all + count, 0);
    if (sum === 0) return { signal: { state: "reviewed", verdict: "approve", counts: { posted: 0 } }, findings: [], covers: "full" };
    return {
      signal: { state: "reviewed", verdict: "needs-attention", counts: { posted: sum } },
      findings: [],
      covers: "full",
      point: wholeText(lines, `Code Review by Qodo: ${sum} findings`),
    };
  }
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
};

export const qodo = defineReviewer({
  name: "qodo",
  owns: { logins: ["qodo-code-review", "qodo-merge-pro", "qodo-merge", "codium-pr-agent"], bot: true },
  request: { by: "push", otherwise: { text: "/review", mentions: /^\/(?:agentic_)?review\s*$/i } },
  missing: "go-on",
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
});
