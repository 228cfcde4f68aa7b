/** Cursor Bugbot. The same login has a security agent and an approval agent: a clean run of theirs says nothing about Bugbot. */
import {
  allSections,
  defineReviewer,
  firstSentence,
  joined,
  opening,
  ownComments,
  ownLines,
  parseBody,
  placeIn,
  plain,
  shortened,
} from "../../core/index.js";
import type { Body, BodyReading, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { critical: "critical", high: "high", medium: "medium", low: "low" };

const commitIn = (text: string): { readonly reviewedCommit?: string } => {
  const found = /\bBugbot\b[^\n]{0,120} for commit ([0-9a-f]{7,40})\b/.exec(text)?.[1];
  return found === undefined ? {} : { reviewedCommit: found };
};

const threadReading = (body: Body): BodyReading => {
  const lines = ownLines(body).map((line) => line.text.trim());
  const heading = lines.map((line) => /^#{2,4}\s+(.+)$/.exec(line)?.[1]).find((line) => line !== undefined);
  const folded = allSections(body)
    .map((section) => /^Bug:\s*(.+)$/i.exec(plain(section.summary))?.[1])
    .find((line) => line !== undefined);
  const title = heading ?? folded;
  const comments = ownComments(body);
  const id = comments.map((comment) => /^BUGBOT_BUG_ID:\s*(\S{1,80})$/.exec(comment.content)?.[1]).find((each) => each !== undefined);
  if (title === undefined) return { findings: [] };
  const raw = lines.map((line) => /^\*\*((?:Critical|High|Medium|Low) Severity)\*\*$/i.exec(line)?.[1]).find((each) => each !== undefined);
  // The places stand inside an HTML comment.
  const places =
    comments
      .find((comment) => comment.content.startsWith("LOCATIONS START"))
      ?.content.split("\n")
      .slice(1) ?? [];
  const place = placeIn(places[0] ?? "");
  const from = comments.find((comment) => comment.content === "DESCRIPTION START");
  const to = comments.find((comment) => comment.content === "DESCRIPTION END");
  const text = from !== undefined && to !== undefined ? body.lines.slice(from.end, to.start + 1).map((line) => line.text) : lines;
  const commit = commitIn(lines.join("\n"));
  return {
    ...(commit.reviewedCommit === undefined ? {} : { signal: { state: "reviewed", ...commit } }),
    findings: [
      {
        title: shortened(plain(title)),
        body: joined(text),
        severity: raw === undefined ? "unknown" : (SEVERITY[(raw.split(" ")[0] ?? "").toLowerCase()] ?? "unknown"),
        ...(raw === undefined ? {} : { severityRaw: raw }),
        ...place,
        ...(id === undefined ? {} : { stableId: id }),
      },
    ],
  };
};

const FOUND = /^Cursor Bugbot has reviewed your changes(?: using [a-z -]{1,30})?(?: and|,)? ?found (\d{1,5}) potential issues?\b/im;
const CLEAN =
  /^(?:✅\s*)?(?:Cursor )?Bugbot (?:has )?reviewed your changes[^\n]{0,40} and found no (?:new |potential )?(?:issues|bugs)\b|^(?:✅\s*)?(?:Cursor )?Bugbot found no (?:new |potential )?(?:issues|bugs)\b/imu;

const resultIn = (start: string, text: string): BodyReading | undefined => {
  const found = FOUND.exec(start)?.[1];
  const commit = commitIn(text);
  if (found !== undefined) {
    const posted = Number(found);
    return {
      signal: { state: "reviewed", verdict: posted > 0 ? "needs-attention" : "approve", counts: { posted }, ...commit },
      findings: [],
      covers: "new",
    };
  }
  return CLEAN.test(start)
    ? { signal: { state: "reviewed", verdict: "approve", counts: { posted: 0 }, ...commit }, findings: [], covers: "new" }
    : undefined;
};

const noticeIn = (start: string): BodyReading | undefined => {
  if (/\busage limit reached\b|\bhit a usage or spend limit\b|\busage or spend limit\b/i.test(start))
    return { signal: { state: "limited", reason: "quota" }, findings: [] };
  if (/^Skipping Bugbot\b/im.test(start)) {
    const reason = /\bdisabled\b/i.test(start)
      ? "disabled"
      : /\bdraft\b/i.test(start)
        ? "draft"
        : /\bauto mode\b|\bto skip\b/i.test(start)
          ? "auto_skip"
          : firstSentence(plain(start.split("\n")[0] ?? ""));
    return { signal: { state: "skipped", reason: shortened(reason) }, findings: [] };
  }
  if (/\bauto mode classified this PR to skip\b/i.test(start)) return { signal: { state: "skipped", reason: "auto_skip" }, findings: [] };
  if (/^(?:❌\s*)?(?:Cursor )?Bugbot (?:couldn[’']t run|could not run|failed|encountered an error)\b/imu.test(start))
    return { signal: { state: "failed", reason: "error" }, findings: [] };
  return undefined;
};

const checkReading = (post: Post): BodyReading => {
  const found = /\bfound (\d{1,5}) potential issues?\b/i.exec(post.body)?.[1];
  if (found !== undefined)
    return {
      signal: { state: "reviewed", verdict: Number(found) > 0 ? "needs-attention" : "approve", counts: { posted: Number(found) } },
      findings: [],
    };
  const notice = noticeIn(post.body);
  if (notice !== undefined) return notice;
  switch (post.check?.state) {
    case "success":
      return /\bno (?:new |potential )?(?:issues|bugs) found\b|\bfound no\b/i.test(post.body)
        ? { signal: { state: "reviewed", verdict: "approve", counts: { posted: 0 } }, findings: [] }
        : { findings: [] };
    case "skipped":
      return { signal: { state: "skipped", reason: "not reviewed" }, findings: [] };
    case "failure":
    case "cancelled":
      return { signal: { state: "failed", reason: `check ${post.check.state}` }, findings: [] };
    default:
      return { findings: [] };
  }
};

const read = (post: Post): BodyReading => {
  if (post.source === "check") return checkReading(post);
  if (post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  const start = opening(body, 3);
  const text = ownLines(body)
    .map((line) => line.text)
    .join("\n");
  const known = noticeIn(start) ?? resultIn(start, text);
  if (known !== undefined) return known;
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
};

export const bugbot = defineReviewer({
  name: "bugbot",
  owns: { logins: ["cursor"], bot: true, not: /\bCursor Security Agent\b|\bAgentic Security Review\b|\bCursor Approval Agent\b/ },
  check: /^Cursor Bugbot$/,
  request: { by: "push", otherwise: { text: "bugbot run", mentions: /^(?:bugbot run|@?cursor review)\s*$/i, peopleOnly: true } },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "20m", start: "3m" },
  body: read,
});
