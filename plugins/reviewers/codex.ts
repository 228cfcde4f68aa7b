/**
 * Codex, the GitHub connector. A review is a wrapper around inline threads and may hold points outside of the diff; a clean run is a comment, or
 * only a thumb up on the description or on the request, where eyes stood while it ran. Its table of runs tells that a run is over, never that it was clean.
 */
import {
  blobPlace,
  defineReviewer,
  findComment,
  imageAlt,
  joined,
  opening,
  ownLines,
  parseBody,
  plain,
  shortened,
  topLines,
} from "../../core/index.js";
import type { Body, BodyReading, Finding, Post, Posts, Severity, Signal } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = { P0: "critical", P1: "high", P2: "medium", P3: "low" };
const BADGE = /^(P[0-3]) Badge$/;

/** `**<sub><sub>![P2 Badge](…)</sub></sub>  Title**`. */
const titled = (line: string): Pick<Finding, "title" | "severity" | "severityRaw"> | undefined => {
  const raw = BADGE.exec(imageAlt(line) ?? "")?.[1];
  const title = plain(line);
  return raw === undefined || title === ""
    ? undefined
    : { title: shortened(title), severity: SEVERITY[raw] ?? "unknown", severityRaw: raw };
};

const threadReading = (body: Body): BodyReading => {
  const lines = topLines(body).map((line) => line.text.trim());
  const head = titled(lines.find((line) => line !== "") ?? "");
  if (head === undefined) return { findings: [] };
  return { findings: [{ ...head, body: joined(lines.filter((line) => !/^Useful\? React with\b/.test(line))) }] };
};

/** A link into a file alone on its line, then the badge and title, then the text. */
const bodyFindings = (body: Body): { readonly findings: readonly Finding[]; readonly commit: string | undefined } => {
  const items: { place: NonNullable<ReturnType<typeof blobPlace>>; lines: string[] }[] = [];
  for (const line of topLines(body)) {
    const text = line.text.trim();
    const place = /^https?:\/\/\S+$/.test(text) ? blobPlace(text) : undefined;
    if (place !== undefined) items.push({ place, lines: [] });
    else items.at(-1)?.lines.push(text);
  }
  const findings = items.flatMap(({ place, lines }): readonly Finding[] => {
    const at = lines.findIndex((line) => line !== "");
    const head = titled(lines[at] ?? "");
    const { commit: _commit, ...where } = place;
    return head === undefined ? [] : [{ ...head, body: joined(lines.slice(at + 1)), ...where, where: "outside_diff" }];
  });
  return { findings, commit: items[0]?.place.commit };
};

const namedCommit = (body: Body): string | undefined =>
  ownLines(body)
    .map((line) => /\*\*Reviewed commit:\*\*\s*`([0-9a-f]{7,40})`/.exec(line.text)?.[1])
    .find((each) => each !== undefined);

const STICKY = /^codex-pull-request-review-summary$/;
const FINISHED = "finished; its result stands elsewhere";

const stickyReading = (body: Body): BodyReading => {
  const row = ownLines(body)
    .map((line) => line.text.trim())
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find((cells) => /\bCode Review\b/i.test(plain(cells[1] ?? "")));
  const status = plain(row?.[2] ?? "");
  const commit = /`([0-9a-f]{7,40})`/.exec(row?.[3] ?? "")?.[1];
  const named = commit === undefined ? {} : { reviewedCommit: commit };
  if (/\b(?:Running|Queued|Pending|In progress)\b/i.test(status)) return { signal: { state: "running", ...named }, findings: [] };
  if (/\b(?:Failed|Error|Cancell?ed)\b/i.test(status)) return { signal: { state: "failed", reason: "error", ...named }, findings: [] };
  if (/\bSkipped\b/i.test(status)) return { signal: { state: "skipped", reason: "not reviewed", ...named }, findings: [] };
  const reason = /\bCompleted\b/i.test(status) ? FINISHED : "a table of no known shape";
  return { signal: { state: "unknown", reason, ...named }, findings: [] };
};

const noticeOf = (start: string): BodyReading | undefined => {
  if (/\b(?:reached your Codex usage limits|Codex usage limits have been reached)\b/i.test(start))
    return { signal: { state: "limited", reason: "quota" }, findings: [] };
  if (/\bcreate a Codex account\b|\bcreate an environment for this repo\b|\bconnect to github\b/i.test(start))
    return { signal: { state: "skipped", reason: "not_connected" }, findings: [] };
  if (/^Codex Review: (?:Something went wrong|.{0,60}\b(?:failed|error)\b)/i.test(start))
    return { signal: { state: "failed", reason: "error" }, findings: [] };
  return undefined;
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  if (findComment(body, STICKY) !== undefined) return stickyReading(body);
  const start = opening(body, 3).replaceAll("’", "'");
  const notice = noticeOf(start);
  if (notice !== undefined) return notice;
  const named = namedCommit(body);
  if (/^Codex Review: Didn't find any (?:major |new )?issues\b/i.test(start)) {
    return {
      signal: { state: "reviewed", verdict: "approve", ...(named === undefined ? {} : { reviewedCommit: named }) },
      findings: [],
      covers: "new",
    };
  }
  if (!/^#{2,4}\s*(?:💡\s*)?Codex Review\s*$/imu.test(start)) {
    if (post.source === "issue_comment" && !/^Codex Review\b/i.test(start)) return { notAReview: true, findings: [] };
    return { signal: { state: "unknown", reason: "a text of no known shape" }, findings: [] };
  }
  const { findings, commit } = bodyFindings(body);
  const reviewed = named ?? commit;
  // The heading alone is what is left of a longer text.
  if (findings.length === 0 && named === undefined && !/^Here are some automated review suggestions\b/im.test(start)) {
    return { signal: { state: "unknown", reason: "a review that ends after its heading" }, findings };
  }
  return {
    signal: {
      state: "reviewed",
      ...(findings.length === 0 ? {} : { verdict: "needs-attention", counts: { hidden: findings.length, outsideDiff: findings.length } }),
      ...(reviewed === undefined ? {} : { reviewedCommit: reviewed }),
    },
    findings,
    covers: "new",
  };
};

/** The table is edited when a run ends; what it found may follow a moment later. */
const SETTLE = 60_000;

/** The table alone never is a result at once: a review or a clean comment of the head is; else its end counts, once nothing followed for a while. */
const signalWith = (standard: Signal, posts: Posts, now: number): Signal => {
  if (standard.state !== "unknown" || standard.reason !== FINISHED || standard.head !== posts.head) return standard;
  const { reason: _reason, ...rest } = standard;
  const result = posts.all.findLast(({ post, reading }) => {
    const commit = reading.signal?.reviewedCommit ?? post.commit;
    return (
      reading.signal?.state === "reviewed" && post.source !== "review_comment" && commit !== undefined && posts.head.startsWith(commit)
    );
  });
  const said = result?.reading.signal;
  if (said !== undefined) {
    return {
      ...rest,
      state: "reviewed",
      ...(said.verdict === undefined ? {} : { verdict: said.verdict }),
      ...(said.counts === undefined ? {} : { counts: said.counts }),
      ...(result === undefined || result.post.url === "" ? {} : { url: result.post.url }),
    };
  }
  const due = (standard.at ?? now) + SETTLE;
  return now < due ? { ...rest, state: "running", lookAt: due } : { ...rest, state: "reviewed" };
};

export const codex = defineReviewer({
  name: "codex",
  owns: { logins: ["chatgpt-codex-connector"], bot: true, accounts: [199175422] },
  request: { by: "comment", text: "@codex review", mentions: /^@codex(?:\[bot\])?\s+review\s*$/i, collapse: true },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "20m", start: "3m" },
  body: read,
  reactions: { eyes: "running", "+1": "reviewed" },
  signal: (standard, posts, ctx) => signalWith(standard, posts, ctx.clock.now()),
});
