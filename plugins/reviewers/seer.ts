/** Seer, Sentry's reviewer: inline threads with a severity line. Its confidence is no score. */
import { defineReviewer, firstSentence, joined, ownLines, parseBody, placeIn, plain, shortened, topLines } from "../../core/index.js";
import type { Body, BodyReading, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { critical: "critical", high: "high", medium: "medium", low: "low" };

const threadReading = (body: Body): BodyReading => {
  const lines = topLines(body).map((line) => line.text.trim());
  const title = lines
    .map((line) => /^\*\*(?:Bug|Issue|Potential bug|Suggestion):\*\*\s*(.+)$/i.exec(line)?.[1])
    .find((line) => line !== undefined);
  if (title === undefined) return { findings: [] };
  const raw = ownLines(body)
    .map((line) => /\bSeverity:\s*([A-Za-z]+)\b/.exec(plain(line.text))?.[1])
    .find((each) => each !== undefined);
  const at = body.fences
    .flatMap((fence) => fence.content)
    .map((line) => /^\s*Location:\s*(\S+)\s*$/.exec(line)?.[1])
    .find((each) => each !== undefined);
  const place = at === undefined ? undefined : placeIn(at);
  return {
    findings: [
      {
        title: shortened(firstSentence(plain(title))),
        body: joined(lines),
        severity: raw === undefined ? "unknown" : (SEVERITY[raw.toLowerCase()] ?? "unknown"),
        ...(raw === undefined ? {} : { severityRaw: raw }),
        ...place,
      },
    ],
  };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  if (post.source === "review_comment") return threadReading(parseBody(post.body));
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
};

export const seer = defineReviewer({
  name: "seer",
  owns: { logins: ["sentry", "sentry-io", "seer-by-sentry"], bot: true },
  request: { by: "push" },
  missing: "go-on",
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
});
