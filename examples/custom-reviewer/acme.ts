// A reviewer plugin of one's own: what is special to the bot, as data and pure functions. The core does the rest
// (claiming threads, freshness, asking once per head, waiting, blocking).
import { defineReviewer } from "reviewloop";
import type { BodyReading, Post } from "reviewloop";

const GRADE = /^Acme grade: ([A-D]) for ([0-9a-f]{7,40})$/m;
const ITEM = /^- \[(high|low)\] `([^`:]+):(\d+)` (.+)$/gm;

/** What one body says. Only a grade is a result; the items are points that have no thread. */
const body = (post: Post): BodyReading => {
  const grade = GRADE.exec(post.body);
  if (grade === null) return { findings: [], notAReview: post.source !== "review_comment" };
  return {
    covers: "full",
    signal: { state: "reviewed", verdict: grade[1] === "A" ? "approve" : "needs-attention", reviewedCommit: grade[2] ?? "" },
    findings: [...post.body.matchAll(ITEM)].map(([line, severity, path = "", at, title = ""]) => ({
      title,
      body: line,
      severity: severity === "high" ? "high" : "low",
      path,
      line: Number(at),
    })),
  };
};

export const acme = defineReviewer({
  name: "acme",
  owns: { logins: ["acme-review"], bot: true },
  request: { by: "comment", text: "@acme review", collapse: true },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "10s", timeout: "10m", start: "3m" },
  body,
  satisfied: (signal) =>
    signal.verdict === "approve" ? [] : [{ code: "grade-low", by: "acme", detail: "acme does not give an A", lift: { who: "agent" } }],
});
