/** Pure: which threads are the reviewer's, and which of its findings have no thread and become one. */
import type { Author, Inbox, Message, Place, Sha, Thread } from "../model.js";
import type { Ours } from "../ports.js";
import type { BodyReading, Finding, Posts, ReviewerFacts, ReviewerSpec } from "../plugin.js";
import type { RunState } from "../model.js";
import { markersIn } from "../writing/marker.js";
import { answersTo, conversationOf, digestOf, normalisedBody, pointState, strangerFollowed } from "../reading/threads.js";
import type { ContentHow, ThreadsHow } from "../reading/threads.js";
import { asksForSomething } from "../reading/asks.js";
import { shortened, titleKey } from "../bodies/text.js";
import { headOf } from "./signal.js";
import type { ReadPost } from "./posts.js";
import { callsBot, commentOf } from "./posts.js";

const contentHow = <O extends object>(spec: ReviewerSpec<O>): ContentHow => ({
  ...(spec.acknowledges === undefined ? {} : { acknowledges: spec.acknowledges }),
  ...(spec.essence === undefined ? {} : { essence: spec.essence }),
});

/** An inline thread as the reviewer's own: what its first message says, and where the conversation stands without acknowledgements. */
const claimed = <O extends object>(
  thread: Thread,
  reading: BodyReading,
  spec: ReviewerSpec<O>,
  ours: Ours,
  trust: ThreadsHow["trust"],
): Thread => {
  const finding = reading.findings[0];
  const state = conversationOf(thread.id, thread.messages, ours, contentHow(spec));
  return {
    ...thread,
    ...state,
    reviewer: spec.name,
    trust: strangerFollowed(thread.messages, ours, trust) ? "stranger" : "trusted",
    ...(finding === undefined
      ? {}
      : {
          title: shortened(finding.title),
          severity: finding.severity,
          ...(finding.severityRaw === undefined ? {} : { severityRaw: finding.severityRaw }),
          ...(finding.stableId === undefined ? {} : { stableId: finding.stableId }),
        }),
  };
};

const lineOf = (place: Place | undefined): number | undefined => place?.line ?? place?.originalLine;

/** `thread:<id>` or a discussion link: the finding says itself which inline comment it repeats. */
const DISCUSSION = /(?:thread:|discussion_r)(\d+)/;

const linkedComment = (finding: Finding): string | undefined => DISCUSSION.exec(`${finding.where ?? ""} ${finding.stableId ?? ""}`)?.[1];

/** The inline thread that a finding repeats: by the link it gives, by stable id, else by path and title. */
export const inlineTwin = (finding: Finding, threads: readonly Thread[]): Thread | undefined => {
  const linked = linkedComment(finding);
  const key = titleKey(finding.title);
  return (
    threads.find((thread) => linked !== undefined && thread.messages[0]?.databaseId === linked) ??
    threads.find((thread) => finding.stableId !== undefined && thread.stableId === finding.stableId) ??
    threads.find((thread) => {
      if (key === "" || titleKey(thread.title) !== key) return false;
      return finding.path === undefined || thread.place === undefined || thread.place.path === finding.path;
    }) ??
    threads.find((thread) => {
      // Another wording of the same point at the same place: one title holds the other.
      if (finding.path === undefined || thread.place?.path !== finding.path || finding.line === undefined) return false;
      const line = lineOf(thread.place);
      const same = line === finding.line || line === (finding.endLine ?? finding.line);
      const other = titleKey(thread.title);
      return same && key.length > 8 && other.length > 8 && (other.includes(key) || key.includes(other));
    })
  );
};

/** Stable over edits in place and new runs: the bot's own id, else path and title. Lines move with every push. */
export const findingKey = (finding: Finding): string =>
  finding.stableId !== undefined && linkedComment(finding) === undefined
    ? `id-${digestOf([finding.stableId]).slice(0, 12)}`
    : digestOf([finding.path ?? "", titleKey(finding.title)]).slice(0, 12);

interface Point {
  readonly key: string;
  readonly finding: Finding;
  readonly in: ReadPost;
  readonly head: Sha | undefined;
}

/** What bodies still say: a newer full report drops what it lacks; a list of what is new drops nothing. */
export const standingPoints = (posts: Posts, run: RunState): readonly Point[] => {
  const points = new Map<string, Point>();
  for (const each of posts.all) {
    const { post, reading } = each;
    if (post.source === "review_comment" || reading.notAReview === true || reading.superseded === true) continue;
    if (reading.covers === "full" && reading.signal?.state === "reviewed") points.clear();
    const head = headOf(each, posts, run);
    for (const finding of reading.point === undefined ? reading.findings : [...reading.findings, reading.point]) {
      const key = findingKey(finding);
      const before = points.get(key);
      const richer = before !== undefined && before.in === each && before.finding.path !== undefined && finding.path === undefined;
      if (!richer) points.set(key, { key, finding, in: each, head });
    }
  }
  return [...points.values()];
};

const carrierAuthor = (point: Point, facts: ReviewerFacts): Author =>
  point.in.post.message?.author ?? {
    login: point.in.post.login === "" ? (facts.identities[0]?.logins[0] ?? facts.name) : point.in.post.login,
    kind: point.in.post.bot ? "bot" : "user",
    association: "NONE",
  };

const carrierMessage = (point: Point, facts: ReviewerFacts): Message => {
  const { post } = point.in;
  const base: Message = post.message ?? {
    id: post.id,
    databaseId: "",
    author: carrierAuthor(point, facts),
    body: "",
    createdAt: post.at,
    updatedAt: post.at,
    url: post.url,
    minimised: false,
    pending: false,
    viewerCanMinimise: false,
  };
  return { ...base, body: point.finding.body === "" ? point.finding.title : point.finding.body };
};

const placeOf = (point: Point, head: Sha): Place | undefined => {
  const { path, line, endLine } = point.finding;
  if (path === undefined) return undefined;
  const last = endLine ?? line;
  const outdated = point.head !== head;
  const start = line !== undefined && last !== undefined && last > line ? { startLine: line } : {};
  return {
    path,
    side: "RIGHT",
    subject: line === undefined ? "file" : "line",
    outdated,
    ...(last === undefined ? {} : outdated ? { originalLine: last } : { line: last, ...start }),
  };
};

/** Did the report look at the head that was there when the answer was given, or at a later one? */
const looksAtAnswer = (head: Sha, answer: Message, inbox: Inbox, run: RunState): boolean => {
  const seen = run.heads.map(({ sha }) => sha);
  const then = run.heads.findLastIndex((each) => each.at <= answer.createdAt + 999);
  return then === -1 ? head === inbox.pullRequest.head.sha : seen.lastIndexOf(head) >= then;
};

/**
 * The content an answer is bound to: the words, not the lines. A point that was answered as fixed and stands again in a later report of
 * that head or a later one is a new content: the bot looked again and still sees it.
 */
const hashOfPoint = (id: string, point: Point, inbox: Inbox, how: ThreadsHow): string => {
  const { finding, head } = point;
  const base = digestOf([finding.path ?? "", titleKey(finding.title), normalisedBody(finding.body)]);
  const { post, reading } = point.in;
  const last = answersTo(inbox, id, how.ours).at(-1);
  const mark = last === undefined ? undefined : markersIn(last.body).find((each) => each.thread === id);
  if (last === undefined || mark === undefined) return base;
  // What was answered before is the same content as long as the words are, whatever head it was answered at.
  const heads = [...how.run.heads.map(({ sha }) => sha), inbox.pullRequest.head.sha];
  const same = [base, ...heads.map((sha) => digestOf([base, sha]))].find((hash) => hash === mark.contentHash) ?? base;
  if (mark.decision !== "actionable" || last.createdAt >= post.at || head === undefined) return same;
  const looked =
    reading.signal?.state === "reviewed" && reading.signal.reviewedCommit !== undefined && looksAtAnswer(head, last, inbox, how.run);
  return looked ? digestOf([base, head]) : same;
};

const summaryThread = (point: Point, facts: ReviewerFacts, inbox: Inbox, how: ThreadsHow): Thread => {
  const { finding } = point;
  const id = `summary:${facts.name}:${point.key}`;
  const contentHash = hashOfPoint(id, point, inbox, how);
  const { answers, ...state } = pointState(id, contentHash, how, inbox);
  const place = placeOf(point, inbox.pullRequest.head.sha);
  return {
    id,
    source: "summary",
    home: "conversation",
    author: carrierAuthor(point, facts),
    reviewer: facts.name,
    title: shortened(finding.title),
    severity: finding.severity,
    ...(finding.severityRaw === undefined ? {} : { severityRaw: finding.severityRaw }),
    messages: [carrierMessage(point, facts), ...answers],
    ...(place === undefined ? {} : { place }),
    url: point.in.post.url,
    carrier: point.in.post.id,
    contentHash,
    ...state,
    trust: "trusted",
    canReply: !inbox.pullRequest.locked,
    canResolve: false,
    ...(finding.stableId === undefined ? {} : { stableId: finding.stableId }),
  };
};

/** A person's post that does nothing but call this bot is no point. */
const onlyCalls = <O extends object>(thread: Thread, spec: ReviewerSpec<O>): boolean => {
  const body = thread.messages[0]?.body;
  if (thread.home !== "conversation" || thread.reviewer !== undefined || body === undefined || commentOf(spec) === undefined) return false;
  const lines = body.split(/\r?\n/);
  const rest = lines.filter((line) => !callsBot(spec, line));
  return (rest.length < lines.length || callsBot(spec, body)) && !asksForSomething(rest.join("\n"));
};

/** All threads, with the reviewer's own claimed and its points without a thread added. */
export const threadsWith = <O extends object>(
  spec: ReviewerSpec<O>,
  facts: ReviewerFacts,
  inbox: Inbox,
  posts: Posts,
  how: ThreadsHow,
): { readonly threads: readonly Thread[]; readonly points: readonly Point[] } => {
  const readings = new Map(posts.all.map(({ post, reading }) => [post.id, reading]));
  const carriers = new Set(posts.all.map(({ post }) => post.id));
  const threads = inbox.threads.flatMap((thread): readonly Thread[] => {
    if (thread.reviewer !== undefined) return [thread];
    if (thread.source === "inline") {
      const reading = readings.get(thread.messages[0]?.id ?? "");
      return [reading === undefined ? thread : claimed(thread, reading, spec, how.ours, how.trust)];
    }
    return carriers.has(thread.carrier) || onlyCalls(thread, spec) ? [] : [thread];
  });
  const points = standingPoints(posts, how.run);
  const inline = threads.filter((thread) => thread.source === "inline" && thread.reviewer === facts.name);
  const bodyOnly: Point[] = [];
  const better = new Map<string, Finding>();
  for (const point of points) {
    const twin = inlineTwin(point.finding, inline);
    if (twin === undefined) bodyOnly.push(point);
    else if (twin.severity === "unknown" && point.finding.severity !== "unknown") better.set(twin.id, point.finding);
  }
  const ranked = threads.map((thread) => {
    const finding = better.get(thread.id);
    if (finding === undefined) return thread;
    return { ...thread, severity: finding.severity, ...(finding.severityRaw === undefined ? {} : { severityRaw: finding.severityRaw }) };
  });
  return { threads: [...ranked, ...bodyOnly.map((point) => summaryThread(point, facts, inbox, how))], points: bodyOnly };
};
