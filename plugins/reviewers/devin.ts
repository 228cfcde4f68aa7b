/** Devin Review. The result is a review body with a count; the issues are inline threads. The same login is a coding agent, too. */
import {
  defineReviewer,
  firstSentence,
  boldIn,
  joined,
  opening,
  ownComments,
  ownLines,
  parseBody,
  plain,
  regionLines,
  shortened,
  topLines,
} from "../../core/index.js";
import type { Body, BodyReading, Finding, Post, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = {
  "🔴": "high",
  "🟡": "medium",
  "🚩": "low",
  "🔍": "low",
  "📝": "suggestion",
  ℹ️: "suggestion",
  ℹ: "suggestion",
};
const TITLE = /^(🔴|🟡|🚩|🔍|📝|ℹ️|ℹ)\s*(.+)$/u;
const RESOLVED = /^✅\s*\*\*Resolved\*\*/u;

interface Data {
  readonly id?: string;
  readonly path?: string;
  readonly line?: number;
  readonly endLine?: number;
}

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;

/** The JSON in the thread's hidden marker. Keys may be missing. */
const dataOf = (body: Body): Data | undefined => {
  const content = ownComments(body).find((comment) => comment.content.startsWith("devin-review-comment"))?.content;
  if (content === undefined) return undefined;
  try {
    const data = JSON.parse(content.slice("devin-review-comment".length)) as Readonly<Record<string, unknown>> | null;
    const { id, file_path: path } = data ?? {};
    const line = positive(data?.["start_line"]);
    const endLine = positive(data?.["end_line"]);
    return {
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof path === "string" ? { path } : {}),
      ...(line === undefined ? {} : { line }),
      ...(endLine === undefined || line === undefined ? {} : { endLine }),
    };
  } catch {
    return {};
  }
};

const threadReading = (body: Body): BodyReading => {
  const badge = regionLines(body, /^devin-review-badge-begin$/, /^devin-review-badge-end$/);
  const lines = body.lines
    .filter((line, index) => line.quote === 0 && !line.fenced && line.depth === 0 && !badge.has(index))
    .map((line) => line.text.trim());
  const first = lines.find((line) => line !== "") ?? "";
  const data = dataOf(body);
  const titled = TITLE.exec(first);
  if (RESOLVED.test(first) || (data === undefined && titled === null)) return { findings: [] };
  const mark = titled?.[1];
  const title = plain(boldIn(titled?.[2] ?? first) ?? firstSentence(plain(titled?.[2] ?? first)));
  const finding: Finding = {
    title: shortened(title === "" ? "(no title)" : title),
    body: joined(lines),
    severity: mark === undefined ? "unknown" : (SEVERITY[mark] ?? "unknown"),
    ...(mark === undefined ? {} : { severityRaw: mark }),
    ...(data?.id === undefined ? {} : { stableId: data.id }),
    ...(data?.path === undefined ? {} : { path: data.path }),
    ...(data?.line === undefined ? {} : { line: data.line }),
    ...(data?.endLine === undefined ? {} : { endLine: data.endLine }),
  };
  return { findings: [finding] };
};

const hiddenIn = (text: string): number => {
  const found =
    /\bView (\d{1,6}) additional (?:findings?|flags?)\b/i.exec(text) ??
    /\bto see (\d{1,6}) additional (?:findings?|flags?)\b/i.exec(text) ??
    /\b(\d{1,6}) not posted by your settings\b/i.exec(text);
  return Number(found?.[1] ?? 0);
};

const reviewReading = (body: Body): BodyReading => {
  const badge = regionLines(body, /^devin-review-badge-begin$/, /^devin-review-badge-end$/);
  const text = body.lines
    .filter((line, index) => line.quote === 0 && !line.fenced && !badge.has(index) && line.text.trim() !== "")
    .map((line) => line.text.trim())
    .join("\n");
  const note = body.lines.slice(0, 8).some((line) => line.quote > 0 && /\bThis report is out of date\b/i.test(line.text));
  const superseded = note ? { superseded: true } : {};
  const counts = (posted: number) => ({ counts: { posted, hidden: hiddenIn(text) } });
  const start = text.split("\n").slice(0, 3).join("\n");
  if (/^#{1,4}\s*(?:✅\s*)?Devin Review: No Issues Found\s*$/imu.test(start) && /\bfound no (?:potential )?(?:bugs|issues)\b/i.test(text)) {
    return { signal: { state: "reviewed", verdict: "approve", ...counts(0) }, findings: [], covers: "new", ...superseded };
  }
  const found = /^\*\*Devin Review\*\* found (\d{1,6}) (?:new )?potential (?:issues?|bugs?)\b/im.exec(start);
  if (found !== null) {
    const posted = Number(found[1]);
    const verdict = posted > 0 ? ({ verdict: "needs-attention" } as const) : {};
    return { signal: { state: "reviewed", ...verdict, ...counts(posted) }, findings: [], covers: "new", ...superseded };
  }
  // The badge alone (an answer in a thread makes such a review) says nothing.
  if (text === "") return { findings: [] };
  return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [], ...superseded };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check") {
    if (post.check?.state === "failure") return { signal: { state: "failed", reason: "check failed" }, findings: [] };
    const clean =
      /\bno (?:bugs|issues|potential)\b|\bfound 0\b/i.test(post.body) &&
      (post.check?.state === "success" || post.check?.state === "neutral");
    return clean ? { signal: { state: "reviewed" }, findings: [] } : { findings: [] };
  }
  if (post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  if (post.source === "issue_comment") {
    const starts = /^(?:\*\*)?Starting Devin Review\b/i.test(opening(body, 1));
    return starts ? { signal: { state: "running" }, findings: [] } : { notAReview: true, findings: [] };
  }
  return ownLines(body).length === 0 ? { findings: [] } : reviewReading(body);
};

export const devin = defineReviewer({
  name: "devin",
  owns: { logins: ["devin-ai-integration"], bot: true },
  check: /^Devin Review$/,
  request: { by: "push", otherwise: { text: "/devin review", mentions: /^\/devin\s+review\b[^\n]{0,40}$/i } },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "20m", start: "3m" },
  body: read,
  hidden: (count) => `${count} Devin flag${count === 1 ? "" : "s"} not visible via API (see the Devin dashboard)`,
  acknowledges: (message) =>
    RESOLVED.test(
      topLines(parseBody(message.body))
        .find((line) => line.text.trim() !== "")
        ?.text.trim() ?? "",
    ),
});
