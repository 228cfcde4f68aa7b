/** Ellipsis: a refusal is a review body; a result names the commit that it went up to. */
import { defineReviewer, opening, ownLines, parseBody } from "../../core/index.js";
import type { BodyReading, Post } from "../../core/index.js";

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.source === "review_comment" || post.body.trim() === "")
    return { findings: [] };
  const body = parseBody(post.body);
  const start = opening(body, 4, true);
  if (/\bThis PR is too (?:big|large) for Ellipsis\b/i.test(start))
    return { signal: { state: "skipped", reason: "too_large" }, findings: [] };
  if (/\b(?:quota|usage limit|trial has (?:ended|expired))\b/i.test(start))
    return { signal: { state: "limited", reason: "quota" }, findings: [] };
  const text = ownLines(body)
    .map((line) => line.text)
    .join("\n");
  const commit = /\bReviewed [^\n]{0,80}\bup to (?:commit )?`?\[?([0-9a-f]{7,40})\b/i.exec(text)?.[1];
  if (commit !== undefined) {
    const clean = /^(?:[>\s]*)Looks good to me!/im.test(start) ? ({ verdict: "approve" } as const) : {};
    return { signal: { state: "reviewed", ...clean, reviewedCommit: commit }, findings: [], covers: "new" };
  }
  return post.source === "issue_comment"
    ? { notAReview: true, findings: [] }
    : { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
};

export const ellipsis = defineReviewer({
  name: "ellipsis",
  owns: { logins: ["ellipsis-dev"], bot: true },
  request: { by: "push", otherwise: { text: "@ellipsis-dev review", mentions: /^@ellipsis-dev\s+review\s*$/i } },
  missing: "go-on",
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
});
