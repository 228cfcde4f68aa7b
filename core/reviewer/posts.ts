/** Pure: all that a reviewer left on the pull request, each body read once. */
import type { Check, Inbox, Instant, Message, Review, RunState, Sha } from "../model.js";
import type { Ours } from "../ports.js";
import type { BodyReading, Post, Posts, ReviewerFacts, ReviewerSpec } from "../plugin.js";
import { isOurs, isSticky, markersIn } from "../writing/marker.js";
import { ownWords, parseBody } from "../bodies/parse.js";
import { ownsMessage, ownsReaction } from "./owning.js";

export type ReadPost = Posts["all"][number];

const EMPTY: BodyReading = { findings: [] };

const postOf = (source: Post["source"], message: Message, more: { readonly review?: Review } = {}): Post => ({
  source,
  body: message.body,
  login: message.author.login,
  bot: message.author.kind === "bot",
  at: Math.max(message.updatedAt, message.createdAt),
  url: message.url,
  id: message.id,
  message,
  ...(more.review === undefined ? {} : { review: more.review }),
  ...(more.review?.commit === undefined
    ? message.commit === undefined
      ? {}
      : { commit: message.commit }
    : { commit: more.review.commit }),
});

const checkPost = (check: Check, login: string): Post => ({
  source: "check",
  body: check.summary ?? "",
  login,
  bot: true,
  at: check.completedAt ?? check.startedAt ?? 0,
  url: check.url ?? "",
  id: `check:${check.name}`,
  commit: check.head,
  check,
});

/** The description has no author of its own: only a text that the bot was the last to edit is the bot's. */
const descriptionPost = (inbox: Inbox, facts: ReviewerFacts): readonly Post[] => {
  const { pullRequest } = inbox;
  const editor = pullRequest.bodyEditor;
  if (editor === undefined || !facts.identities.some((identity) => identity.bot && identity.logins.includes(editor))) return [];
  const at = pullRequest.updatedAt;
  return [{ source: "pr_body", body: pullRequest.body, login: editor, bot: true, at, url: pullRequest.url, id: pullRequest.id }];
};

/** The head that a request of ours names. */
const requestedHead = (reviewer: string, message: Message, ours: Ours): Sha | undefined => {
  const prefix = requestKey(reviewer, "");
  const mark = isOurs(message, ours) ? markersIn(message.body).find(({ key }) => key.startsWith(prefix)) : undefined;
  return mark?.key.slice(prefix.length);
};

const REACTED: Readonly<Record<"running" | "reviewed" | "failed", BodyReading>> = {
  running: { findings: [], signal: { state: "running" } },
  reviewed: { findings: [], signal: { state: "reviewed", verdict: "approve" } },
  failed: { findings: [], signal: { state: "failed", reason: "error" } },
};

/** What it says by reactions: to the description, and to comments that call it. */
const reactionsRead = <O extends object>(spec: ReviewerSpec<O>, facts: ReviewerFacts, inbox: Inbox, ours: Ours): readonly ReadPost[] =>
  inbox.reactions.flatMap((reaction): readonly ReadPost[] => {
    const says = spec.reactions?.[reaction.content];
    if (says === undefined || !ownsReaction(facts.identities, reaction)) return [];
    const message = inbox.comments.find((comment) => comment.id === reaction.on);
    const commit = message === undefined ? undefined : requestedHead(facts.name, message, ours);
    const asks = commit !== undefined || (message === undefined ? reaction.on === inbox.pullRequest.id : callsBot(spec, message.body));
    if (!asks) return [];
    const post: Post = {
      source: "reaction",
      body: "",
      login: reaction.login,
      bot: true,
      at: reaction.at,
      url: message?.url ?? inbox.pullRequest.url,
      id: `${reaction.on}:${reaction.content}`,
      reaction,
      ...(message === undefined ? {} : { message }),
      ...(commit === undefined ? {} : { commit }),
    };
    return [{ post, reading: REACTED[says] }];
  });

/** Reads every post of the reviewer, and its checks; newest last. Inline threads count by their first message. */
export const postsOf = <O extends object>(
  spec: ReviewerSpec<O>,
  facts: ReviewerFacts,
  inbox: Inbox,
  run: RunState,
  ours: Ours,
  now: Instant,
): Posts => {
  const owned = (message: Message): boolean => !message.pending && ownsMessage(facts.identities, message, ours);
  const checks = facts.check === undefined ? [] : (inbox.checks ?? []).filter((check) => facts.check?.test(check.name));
  const login = facts.identities[0]?.logins[0] ?? facts.name;
  const read = facts.read ?? spec.body;
  const reviews = inbox.reviews.filter((review) => review.state !== "PENDING" && owned(review.message));
  const own = new Set(reviews.map((review) => review.message.id));
  const posts: Post[] = [
    ...descriptionPost(inbox, facts),
    ...checks.map((check) => checkPost(check, login)),
    ...inbox.reviewThreads.flatMap((thread) => {
      const root = thread.messages[0];
      // What stands under a claimed review is the reviewer's, whoever's account posted it.
      const under = thread.review !== undefined && own.has(thread.review);
      return root !== undefined && !root.pending && (under || owned(root)) ? [postOf("review_comment", root)] : [];
    }),
    ...reviews.map((review) => postOf("review", review.message, { review })),
    ...inbox.comments.filter(owned).map((message) => postOf("issue_comment", message)),
  ];
  const head = inbox.pullRequest.head.sha;
  const asked = run.asked.find((each) => each.reviewer === facts.name && each.head === head && each.state !== "planned");
  const since = headSince(inbox, run);
  const readings = [...posts.map((post): ReadPost => ({ post, reading: read(post) })), ...reactionsRead(spec, facts, inbox, ours)]
    .map((each): ReadPost =>
      each.reading.notAReview === true ? { ...each, reading: { ...each.reading, findings: EMPTY.findings } } : each,
    )
    .sort((a, b) => a.post.at - b.post.at);
  // The description has no time of its own: it counts only where nothing else of the reviewer's is a summary.
  const summarised = readings.some(({ post, reading }) => post.source === "issue_comment" && reading.signal?.state === "reviewed");
  const all = summarised ? readings.filter(({ post }) => post.source !== "pr_body") : readings;
  return {
    all,
    checks,
    head,
    headSince: since,
    pullRequest: inbox.pullRequest,
    ...(asked === undefined ? {} : { asked }),
    pendingRequest: pendingRequest(spec, facts, inbox, ours, since, all, now),
    inbox,
  };
};

/** When we first saw this head; a head that no journal knows has just arrived for us. */
export const headSince = (inbox: Inbox, run: RunState): Instant =>
  run.heads.find((head) => head.sha === inbox.pullRequest.head.sha)?.at ?? inbox.readAt;

/** Key of the one request per reviewer and head. */
export const requestKey = (reviewer: string, head: Sha): string => `request:${reviewer}:${head}`;

/** Our own triggers for this reviewer, oldest first: by marker, or what an agents' account wrote that calls it, in prose too. */
export const triggersOfOurs = <O extends object>(spec: ReviewerSpec<O>, inbox: Inbox, ours: Ours): readonly Message[] => {
  const prefix = `request:${spec.name}:`;
  const handle = spec.request.by === "comment" ? spec.request.handle : undefined;
  return inbox.comments.filter((message) => {
    if (!isOurs(message, ours)) return false;
    const marks = markersIn(message.body);
    if (marks.length > 0) return marks.some((mark) => mark.key.startsWith(prefix));
    if (isSticky(message.body)) return false;
    return callsBot(spec, message.body) || handle?.test(ownWords(parseBody(message.body))) === true;
  });
};

/** How a comment calls it, where one does. */
export const commentOf = <O extends object>(
  spec: ReviewerSpec<O>,
): { readonly text: string | undefined; readonly mentions: RegExp | undefined } | undefined => {
  const { request } = spec;
  if (request.by === "comment") return { text: typeof request.text === "string" ? request.text : undefined, mentions: request.mentions };
  if (request.by === "push" && request.otherwise !== undefined)
    return { text: request.otherwise.text, mentions: request.otherwise.mentions };
  return undefined;
};

/** Does this text call the bot? */
export const callsBot = <O extends object>(spec: ReviewerSpec<O>, body: string): boolean => {
  const comment = commentOf(spec);
  if (comment === undefined) return false;
  const words = ownWords(parseBody(body)).trim();
  return comment.mentions?.test(words) ?? words.toLowerCase() === comment.text?.toLowerCase();
};

/** Somebody asked for this head and nothing came of it yet: a review request, or a trigger that is not older than the time-out. */
const pendingRequest = <O extends object>(
  spec: ReviewerSpec<O>,
  facts: ReviewerFacts,
  inbox: Inbox,
  ours: Ours,
  since: Instant,
  all: readonly ReadPost[],
  now: Instant,
): boolean => {
  if (inbox.requests.some((request) => facts.identities.some((identity) => identity.logins.includes(request.login)))) return true;
  const answeredAt = all.reduce((last, { post }) => (post.source === "check" ? last : Math.max(last, post.at)), 0);
  const head = inbox.pullRequest.head.sha;
  // GitHub's times are whole seconds: in the second of the question, only a result that names this head is an answer to it.
  const resultSince = (at: Instant): boolean =>
    all.some(({ post, reading }) => {
      const named = reading.signal?.reviewedCommit?.toLowerCase();
      const bound = named === undefined ? post.commit === head : named.length >= 7 && head.startsWith(named);
      return (
        post.source !== "check" &&
        post.at >= at &&
        bound &&
        reading.signal !== undefined &&
        reading.signal.state !== "running" &&
        reading.notAReview !== true
      );
    });
  return inbox.comments.some((message) => {
    if (message.author.kind === "bot" && !isOurs(message, ours)) return false;
    if (markersIn(message.body).some((mark) => mark.key === requestKey(spec.name, head)) && isOurs(message, ours)) {
      return message.createdAt >= answeredAt && !resultSince(message.createdAt);
    }
    return (
      callsBot(spec, message.body) &&
      message.createdAt >= since &&
      message.createdAt > answeredAt &&
      now - message.createdAt < facts.wait.timeout
    );
  });
};
