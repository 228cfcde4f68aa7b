/** CodeAnt: a hidden list of runs tells whether one is over; what it found stands in threads. */
import { defineReviewer, ownComments, parseBody } from "../../core/index.js";
import type { BodyReading, Post } from "../../core/index.js";

const STATUS = "codeant-review-status:";

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.source === "review_comment" || post.body.trim() === "")
    return { findings: [] };
  const status = ownComments(parseBody(post.body))
    .find((comment) => comment.content.startsWith(STATUS))
    ?.content.slice(STATUS.length);
  if (status === undefined) {
    return post.source === "issue_comment"
      ? { notAReview: true, findings: [] }
      : { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
  }
  try {
    const runs = JSON.parse(status) as unknown;
    const last = Array.isArray(runs) ? (runs.at(-1) as unknown) : undefined;
    const done = typeof last === "object" && last !== null ? (last as Readonly<Record<string, unknown>>)["done"] : undefined;
    if (done === true) return { signal: { state: "reviewed" }, findings: [], covers: "new" };
    if (done === false) return { signal: { state: "running" }, findings: [] };
  } catch {
    // Falls through: a status that is no JSON is no status.
  }
  return { signal: { state: "unknown", reason: "a status of no known shape" }, findings: [] };
};

export const codeant = defineReviewer({
  name: "codeant",
  owns: { logins: ["codeant-ai"], bot: true },
  request: { by: "push", otherwise: { text: "@codeant-ai: review", mentions: /^@codeant-ai:?\s+review\s*$/i } },
  missing: "go-on",
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
});
