/** Gemini Code Assist. A summary comment says that it is reviewing and is never edited; the result is a review body of prose with inline threads. */
import { defineReviewer, firstSentence, joined, opening, ownLines, parseBody, plain, shortened } from "../../core/index.js";
import type { Body, BodyReading, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { critical: "critical", high: "high", medium: "medium", low: "low" };
const IMAGE = /!\[([^\][]*)\]\([^()\s]*\)/g;

/** `![high](…)`, perhaps after `![security-high](…)`. */
const threadReading = (body: Body): BodyReading => {
  const lines = ownLines(body).map((line) => line.text.trim());
  const first = lines.find((line) => line !== "") ?? "";
  const alts = [...first.matchAll(IMAGE)].map((found) => (found[1] ?? "").toLowerCase());
  const raw =
    alts.findLast((alt) => SEVERITY[alt] !== undefined) ??
    alts.map((alt) => alt.replace(/^security-/, "")).find((alt) => SEVERITY[alt] !== undefined);
  if (raw === undefined) return { findings: [] };
  const text = lines.map((line) => plain(line)).find((line) => line !== "") ?? "";
  return {
    findings: [{ title: shortened(firstSentence(text)), body: joined(lines), severity: SEVERITY[raw] ?? "unknown", severityRaw: raw }],
  };
};

const noticeOf = (start: string): BodyReading | undefined => {
  if (/\bconsumer version of Gemini Code Assist\b.{0,80}\bsunset\b|\bGemini Code Assist on GitHub has been sunset\b/is.test(start)) {
    return { signal: { state: "skipped", reason: "service_ended" }, findings: [] };
  }
  if (/\bGemini is unable to generate a (?:review|summary) for this pull request due to the file types\b/i.test(start)) {
    return { signal: { state: "skipped", reason: "no_reviewable_files" }, findings: [] };
  }
  if (/\breached your daily quota limit\b|\bquota (?:limit )?(?:has been )?(?:reached|exceeded)\b/i.test(start)) {
    return { signal: { state: "limited", reason: "quota" }, findings: [] };
  }
  if (/\bGemini (?:Code Assist )?(?:is unable|was unable|could not|couldn't|encountered an error)\b/i.test(start)) {
    return { signal: { state: "failed", reason: shortened(plain(start.split("\n").findLast((line) => line !== "") ?? "")) }, findings: [] };
  }
  return undefined;
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  const start = opening(body, 4, true);
  const notice = noticeOf(start);
  if (notice !== undefined) return notice;
  const text = ownLines(body)
    .map((line) => line.text)
    .join("\n");
  if (/^#{1,3}\s+Summary of Changes\b/im.test(start)) {
    return /\bcurrently reviewing this pull request\b/i.test(text.slice(0, 2000))
      ? { signal: { state: "running" }, findings: [] }
      : { findings: [] };
  }
  if (/^#{1,3}\s+Code Review\b/im.test(start)) {
    const clean = /\bI have no feedback to provide\b/i.test(text);
    const last = text.trimEnd().split("\n").at(-1) ?? "";
    if (/^#{1,3}\s/.test(last) || /[\p{L}\p{N},]$/u.test(last))
      return { signal: { state: "unknown", reason: "a review that ends within a sentence" }, findings: [] };
    return {
      signal: { state: "reviewed", ...(clean ? { verdict: "approve" as const, counts: { posted: 0 } } : {}) },
      findings: [],
      covers: "new",
    };
  }
  if (/\bI have no feedback to provide\b/i.test(start))
    return { signal: { state: "reviewed", verdict: "approve", counts: { posted: 0 } }, findings: [], covers: "new" };
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
};

export const gemini = defineReviewer({
  name: "gemini",
  owns: { logins: ["gemini-code-assist"], bot: true, accounts: [176961590] },
  request: { by: "comment", text: "/gemini review", mentions: /^\/gemini\s+review\s*$/i, collapse: true },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
  reactions: { eyes: "running" },
});
