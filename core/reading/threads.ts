/**
 * From a snapshot to threads: everything on a pull request that waits for a fix or an answer, before any reviewer plugin claims its own.
 * Pure: equal input, equal threads.
 */
import { createHash } from "node:crypto";
import type { Author, Instant, Message, Review, RunState, Snapshot, Thread } from "../model.js";
import type { Ours } from "../ports.js";
import type { Settings } from "../settings.js";
import { isOurs, isViewer, markersIn, normalisedLogin } from "../writing/marker.js";
import { ownWords, parseBody } from "../bodies/parse.js";
import { firstSentence, plain, shortened } from "../bodies/text.js";
import { asksForSomething } from "./asks.js";

export interface ThreadsHow {
  readonly run: RunState;
  readonly ours: Ours;
  readonly trust: Settings["trust"];
  /** Points that were followed up before our first run count as open again. */
  readonly all?: boolean;
}

/** How a reviewer's messages are compared. */
export interface ContentHow {
  /** A message that only acknowledges: neither content nor an answer to wait for. */
  readonly acknowledges?: (message: Message) => boolean;
  /** The part of a body that carries its meaning. */
  readonly essence?: (body: string) => string;
}

/** A body without what nobody sees: line ends, trailing blanks, HTML comments. */
export const normalisedBody = (body: string): string =>
  parseBody(body)
    .lines.map((line) => line.kept.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

/** A short digest; 80 bits are plenty for one pull request. */
export const digestOf = (parts: readonly string[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 20);

/** Hash over what others said: our own messages, acknowledgements and cosmetic differences don't count. */
export const contentHashOf = (messages: readonly Message[], ours: Ours, how: ContentHow = {}): string =>
  digestOf(
    messages
      .filter((message, index) => index === 0 || (!isOurs(message, ours) && how.acknowledges?.(message) !== true))
      .flatMap((message) => [message.id, normalisedBody(how.essence?.(message.body) ?? message.body)]),
  );

/** Was this reply made on that content? A reply without a content hash (an agent's own) counts if nothing was edited since. */
const madeOn = (reply: Message, thread: string, contentHash: string, others: readonly Message[]): boolean => {
  const all = markersIn(reply.body);
  const marks = all.filter((mark) => mark.thread === undefined || mark.thread === thread);
  if (all.length > 0 && marks.length === 0) return false;
  const hashes = marks.flatMap((mark) => (mark.contentHash === undefined ? [] : [mark.contentHash]));
  if (hashes.length > 0) return hashes.includes(contentHash);
  return others.every((other) => other.updatedAt <= reply.createdAt);
};

export interface Conversation {
  readonly contentHash: string;
  readonly answered: boolean;
  readonly replies: number;
}

/** Where a conversation stands. `messages[0]` raised the point; pending ones are already out. */
export const conversationOf = (thread: string, messages: readonly Message[], ours: Ours, how: ContentHow = {}): Conversation => {
  const contentHash = contentHashOf(messages, ours, how);
  let answer = -1;
  let other = 0;
  const others: Message[] = [];
  let replies = 0;
  messages.forEach((message, index) => {
    if (index > 0 && isOurs(message, ours)) {
      answer = index;
      replies += 1;
    } else if (index === 0 || how.acknowledges?.(message) !== true) {
      other = index;
      others.push(message);
    }
  });
  const reply = messages[answer];
  return {
    contentHash,
    answered: reply !== undefined && answer > other && madeOn(reply, thread, contentHash, others),
    replies,
  };
};

const MAINTAINERS: ReadonlySet<Author["association"]> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** Somebody who may write here, whatever they wrote: their words may cause an edit. */
export const isMaintainer = (author: Author): boolean =>
  author.kind !== "ghost" && author.kind !== "bot" && MAINTAINERS.has(author.association);

export const isTrusted = (author: Author, ours: Ours, trust: Settings["trust"]): boolean =>
  trust.everyone ||
  (author.kind !== "ghost" &&
    (MAINTAINERS.has(author.association) ||
      isViewer(author, ours) ||
      trust.logins.some((login) => normalisedLogin(login) === author.login)));

/**
 * Has a stranger the last word in what somebody else raised? Then nothing is changed because of it until somebody with write access
 * speaks again: an agent could not tell whose wish it carries out. Bots are installed by somebody who may write.
 */
export const strangerFollowed = (messages: readonly Message[], ours: Ours, trust: Settings["trust"]): boolean => {
  const [root, ...rest] = messages;
  const people = rest.filter((message) => message.author.kind !== "bot" && !isOurs(message, ours));
  const last = people.findLastIndex((message) => isTrusted(message.author, ours, trust));
  return people.slice(last + 1).some((message) => message.author.login !== root?.author.login);
};

/** A trusted person's word in a stranger's thread makes it theirs. */
const trustOf = (messages: readonly Message[], how: ThreadsHow): Thread["trust"] => {
  const others = messages.filter((message, index) => index === 0 || !isOurs(message, how.ours));
  const root = others[0];
  const last = others[others.length - 1];
  if (root !== undefined && isTrusted(root.author, how.ours, how.trust))
    return strangerFollowed(messages, how.ours, how.trust) ? "stranger" : "trusted";
  return last !== undefined && last.author.kind !== "bot" && isTrusted(last.author, how.ours, how.trust) ? "trusted" : "stranger";
};

/** A title for a person's words: the first sentence of what they say themselves. */
export const titleOf = (body: string): string => {
  const own = ownWords(parseBody(body))
    .split("\n")
    .map((line) => plain(line))
    .find((line) => line !== "");
  return own === undefined ? "(no text)" : shortened(firstSentence(own));
};

const inlineThreads = (snapshot: Snapshot, how: ThreadsHow): Thread[] =>
  snapshot.reviewThreads.flatMap((thread) => {
    const messages = thread.messages.filter((message) => !message.pending);
    const root = thread.messages[0];
    if (root === undefined || root.pending) return [];
    const state = conversationOf(thread.id, messages, how.ours);
    return [
      {
        id: thread.id,
        source: "inline" as const,
        home: "inline" as const,
        author: root.author,
        title: titleOf(root.body),
        severity: "unknown" as const,
        messages,
        place: thread.place,
        url: root.url,
        carrier: thread.id,
        ...state,
        open: !thread.resolved,
        ...(thread.resolved ? { closed: "resolved" as const } : {}),
        trust: trustOf(messages, how),
        canReply: thread.viewerCanReply,
        canResolve: thread.viewerCanResolve,
      },
    ];
  });

/** A post in the conversation: what may hold a point, an answer or a follow-up. */
interface Spoken {
  readonly message: Message;
  readonly review?: Review;
}

const spokenIn = (snapshot: Snapshot): readonly Spoken[] =>
  [
    ...snapshot.comments.map((message): Spoken => ({ message })),
    ...snapshot.reviews.filter((review) => review.state !== "PENDING").map((review): Spoken => ({ message: review.message, review })),
  ]
    .filter(({ message }) => !message.pending)
    .sort((a, b) => a.message.createdAt - b.message.createdAt);

/** Our posts in the conversation that answer a point, oldest first. */
export const answersTo = (snapshot: Snapshot, thread: string, ours: Ours): readonly Message[] =>
  snapshot.comments.filter(
    (message) => !message.pending && isOurs(message, ours) && markersIn(message.body).some((mark) => mark.thread === thread),
  );

/** Does our newest answer to a point in a body fit what it says now? */
export const answeredPoint = (thread: string, contentHash: string, answers: readonly Message[]): boolean => {
  const last = answers[answers.length - 1];
  if (last === undefined) return false;
  return markersIn(last.body).some(
    (mark) => mark.thread === thread && (mark.contentHash === undefined || mark.contentHash === contentHash),
  );
};

/** Closed by a recorded decision that says nothing: nothing was asked, or the point has no other home than the journal. */
export const closedByRecord = (thread: string, contentHash: string, run: RunState, local: boolean): boolean => {
  const record = run.decisions[thread];
  if (record === undefined || record.contentHash !== contentHash) return false;
  const { kind, reply } = record.decision;
  return local ? kind === "informational" || kind === "false-positive" : kind === "informational" && reply === null;
};

/** Where a point in the conversation stands. */
export const pointState = (
  id: string,
  contentHash: string,
  how: ThreadsHow,
  snapshot: Snapshot,
): Pick<Thread, "open" | "closed" | "answered" | "replies"> & { readonly answers: readonly Message[] } => {
  const answers = answersTo(snapshot, id, how.ours);
  const answered = answeredPoint(id, contentHash, answers);
  const recorded = !answered && closedByRecord(id, contentHash, how.run, false);
  return {
    answers,
    answered,
    replies: answers.length,
    open: !answered && !recorded,
    ...(answered ? { closed: "answered" as const } : recorded ? { closed: "recorded" as const } : {}),
  };
};

/** When our first run on this pull request began: by the journal, else by our first post. */
export const firstRunAt = (snapshot: Snapshot, how: Pick<ThreadsHow, "run" | "ours">): Instant => {
  // A pull request that no journal knows is met now, for the first time.
  let first = how.run.id === "" ? snapshot.readAt : Math.min(how.run.startedAt, how.run.heads[0]?.at ?? how.run.startedAt);
  const posts = [...snapshot.comments, ...snapshot.reviewThreads.flatMap((thread) => thread.messages)];
  for (const message of posts) {
    if (message.createdAt < first && isViewer(message.author, how.ours) && markersIn(message.body).length > 0) first = message.createdAt;
  }
  return first;
};

/** Words that close a matter one raised oneself. */
const CLOSING =
  /^(?:never ?mind|nvm|ignore (?:that|this|me)|scratch that|my bad|sorry|ah|oh|ok(?:ay)?|got it|makes sense|fair|figured|found it|sorted|resolved|fixed|done|solved|works|all good|it'?s fine|looks good|lgtm|thank|thx|actually)\b/i;

/**
 * Heard: its author or a maintainer said something after it, before our first run. Posts in a row by the same author with nobody
 * between are one speech, not a follow-up, unless the later one quotes the earlier or closes the matter.
 */
const heard = (index: number, spoken: readonly Spoken[], before: Instant, how: ThreadsHow): boolean => {
  const point = spoken[index];
  if (point === undefined || point.message.createdAt >= before) return false;
  let between = false;
  for (const later of spoken.slice(index + 1)) {
    const { message } = later;
    if (message.createdAt >= before) return false;
    if (message.author.kind === "bot" || isOurs(message, how.ours)) continue;
    const same = message.author.login === point.message.author.login;
    const said = parseBody(message.body);
    const words = ownWords(said).trim();
    if (words === "" && later.review?.state !== "APPROVED") continue;
    if (/^(?:\/[a-z]|@[\w-]+ [\w -]{0,40}$)/i.test(words)) continue;
    if (!same) {
      if (isMaintainer(message.author)) return true;
      between = true;
      continue;
    }
    const closes =
      between ||
      later.review?.state === "APPROVED" ||
      said.lines.some((line) => line.quote > 0) ||
      CLOSING.test(words) ||
      !asksForSomething(message.body);
    if (closes) return true;
  }
  return false;
};

const conversationThreads = (snapshot: Snapshot, how: ThreadsHow): Thread[] => {
  const spoken = spokenIn(snapshot);
  const before = firstRunAt(snapshot, how);
  return spoken.flatMap(({ message, review }, index) => {
    if (message.author.kind === "bot" || isOurs(message, how.ours) || !asksForSomething(message.body)) return [];
    const source = review === undefined ? ("comment" as const) : ("review" as const);
    const id = `${source}:${message.databaseId}`;
    const contentHash = contentHashOf([message], how.ours);
    const { answers, ...state } = pointState(id, contentHash, how, snapshot);
    const wasHeard = state.open && how.all !== true && review?.state !== "CHANGES_REQUESTED" && heard(index, spoken, before, how);
    return [
      {
        id,
        source,
        home: "conversation" as const,
        author: message.author,
        title: titleOf(message.body),
        severity: "unknown" as const,
        messages: [message, ...answers],
        url: message.url,
        carrier: message.id,
        contentHash,
        ...state,
        ...(wasHeard ? { open: false, closed: "heard" as const } : {}),
        trust: trustOf([message], how),
        canReply: !snapshot.pullRequest.locked,
        canResolve: false,
      },
    ];
  });
};

/** All threads of a snapshot: inline ones in GitHub's order, then the conversation, oldest first. */
export const threadsOf = (snapshot: Snapshot, how: ThreadsHow): readonly Thread[] => [
  ...inlineThreads(snapshot, how),
  ...conversationThreads(snapshot, how),
];
