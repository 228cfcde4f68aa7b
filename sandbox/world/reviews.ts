/** Reviews and their threads. */
import type { Sha } from "../../core/index.js";
import { diffHunk, hunks, inDiff } from "./diff.js";
import { MESSAGES, WorldError } from "./errors.js";
import { checkBody } from "./pull-requests.js";
import type { Acting, PullRequestRecord, ReviewCommentRecord, ReviewRecord, Session, ThreadRecord } from "./records.js";
import { enforce, refuseComment, refuseResolve, refuseWrite } from "./rules.js";
import type { Ref, State } from "./state.js";

export interface ThreadInput {
  readonly path: string;
  readonly body: string;
  /** Last line; absent for a comment on the whole file. */
  readonly line?: number;
  readonly startLine?: number;
  readonly side?: "LEFT" | "RIGHT";
}

export interface ReviewInput {
  /** `PENDING`: a draft that only its author sees. */
  readonly state: "PENDING" | "COMMENTED" | "APPROVED" | "CHANGES_REQUESTED";
  readonly body?: string;
  readonly comments?: readonly ThreadInput[];
  /** The commit reviewed; the head unless given. */
  readonly commit?: Sha;
}

export const pendingOf = (pullRequest: PullRequestRecord, login: string): ReviewRecord | undefined =>
  pullRequest.reviews.find((review) => review.state === "PENDING" && review.author === login);

const makeReview = (
  state: State,
  session: Session,
  pullRequest: PullRequestRecord,
  input: { state: ReviewRecord["state"]; body: string; commit: Sha },
): ReviewRecord => {
  const now = state.now();
  const review: ReviewRecord = {
    kind: "review",
    ...state.mint("PRR", "review", state.repositoryOf(pullRequest)),
    pullRequest: pullRequest.id,
    author: session.login,
    body: input.body,
    state: input.state,
    commit: input.commit,
    createdAt: now,
    updatedAt: now,
    reactions: [],
    ...(input.state === "PENDING" ? {} : { submittedAt: now }),
  };
  pullRequest.reviews.push(review);
  state.nodes.set(review.id, { type: "review", value: review });
  return review;
};

const makeComment = (
  state: State,
  review: ReviewRecord,
  thread: ThreadRecord,
  body: string,
  hunk: string,
  replyTo?: string,
): ReviewCommentRecord => {
  const now = state.now();
  const pending = review.state === "PENDING";
  const comment: ReviewCommentRecord = {
    kind: "review-comment",
    ...state.mint("PRRC", "reviewComment", state.repositoryOf(state.pullRequest(thread.pullRequest))),
    thread: thread.id,
    review: review.id,
    author: review.author,
    body,
    originalCommit: thread.originalCommit,
    diffHunk: hunk,
    createdAt: now,
    updatedAt: now,
    state: pending ? "PENDING" : "SUBMITTED",
    reactions: [],
    ...(pending ? {} : { publishedAt: now }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
  thread.comments.push(comment);
  state.nodes.set(comment.id, { type: "review-comment", value: comment });
  return comment;
};

/** The hunk that a comment there shows; throws where the line is not part of the diff. */
const hunkAt = (state: State, pullRequest: PullRequestRecord, commit: Sha, input: ThreadInput): string => {
  const { repository } = pullRequest;
  const base = state.git.mergeBase(repository, pullRequest.base.sha, commit);
  const changed = base === undefined ? [] : state.git.changedFiles(repository, base, commit);
  const file = changed.find((each) => each.path === input.path);
  if (base === undefined || file === undefined) throw new WorldError("UNPROCESSABLE", MESSAGES.pathNotInDiff);
  if (input.line === undefined) return "";
  const all = hunks(state.git.fileAt(repository, base, file.was ?? file.path) ?? "", state.git.fileAt(repository, commit, file.path) ?? "");
  const side = input.side ?? "RIGHT";
  for (const line of input.startLine === undefined ? [input.line] : [input.startLine, input.line]) {
    if (!inDiff(all, side, line)) throw new WorldError("UNPROCESSABLE", MESSAGES.lineNotInDiff);
  }
  if (input.startLine !== undefined && input.startLine > input.line) {
    throw new WorldError("UNPROCESSABLE", "pull_request_review_thread.start_line must precede the end line.");
  }
  return diffHunk(all, side, input.line);
};

const makeThread = (state: State, pullRequest: PullRequestRecord, review: ReviewRecord, input: ThreadInput, hunk: string): ThreadRecord => {
  const line = input.line ?? null;
  const startLine = input.startLine === undefined || input.startLine === input.line ? null : input.startLine;
  const thread: ThreadRecord = {
    ...state.mint("PRRT", "thread", state.repositoryOf(pullRequest)),
    pullRequest: pullRequest.id,
    path: input.path,
    side: input.side ?? "RIGHT",
    subject: line === null ? "file" : "line",
    line,
    startLine,
    originalLine: line,
    originalStartLine: startLine,
    originalCommit: review.commit ?? pullRequest.head.sha,
    outdated: false,
    resolved: false,
    comments: [],
  };
  pullRequest.threads.push(thread);
  state.nodes.set(thread.id, { type: "thread", value: thread });
  makeComment(state, review, thread, input.body, hunk);
  return thread;
};

const mustSubmit = (pullRequest: PullRequestRecord, session: Session, input: Pick<ReviewInput, "state" | "body" | "comments">): void => {
  if (pullRequest.author === session.login && (input.state === "APPROVED" || input.state === "CHANGES_REQUESTED")) {
    throw new WorldError("UNPROCESSABLE", MESSAGES.ownReview(input.state === "APPROVED" ? "approve" : "request changes on"));
  }
  if (
    (input.state === "COMMENTED" || input.state === "CHANGES_REQUESTED") &&
    (input.body ?? "").trim() === "" &&
    (input.comments ?? []).length === 0
  ) {
    throw new WorldError("UNPROCESSABLE", MESSAGES.bodyBlank);
  }
};

/** A whole review with its threads: all of it or, where one comment is wrong, nothing. */
export const review = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, input: ReviewInput): ReviewRecord => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseComment(state, session, pullRequest));
  if (pendingOf(pullRequest, session.login) !== undefined) throw new WorldError("UNPROCESSABLE", MESSAGES.onePending);
  const body = input.body ?? "";
  checkBody(body, true);
  mustSubmit(pullRequest, session, input);
  const commit = input.commit ?? pullRequest.head.sha;
  if (state.git.commit(pullRequest.repository, commit) === undefined)
    throw new WorldError("UNPROCESSABLE", "commit_id is not part of the pull request");
  const comments = (input.comments ?? []).map((each) => {
    checkBody(each.body);
    return { each, hunk: hunkAt(state, pullRequest, commit, each) };
  });
  const made = makeReview(state, session, pullRequest, { state: input.state, body, commit });
  const threads = comments.map(({ each, hunk }) => makeThread(state, pullRequest, made, each, hunk));
  if (made.state === "PENDING") state.emit("review-started", session.login, { pullRequest, review: made });
  else submitted(state, session, pullRequest, made, threads);
  return made;
};

const submitted = (
  state: State,
  session: Session,
  pullRequest: PullRequestRecord,
  made: ReviewRecord,
  threads: readonly ThreadRecord[],
): void => {
  // Who has reviewed leaves the list of requests.
  const at = pullRequest.requests.findIndex((request) => request.login === session.login);
  if (at !== -1) pullRequest.requests.splice(at, 1);
  state.touch(pullRequest);
  state.emit("reviewed", session.login, { pullRequest, review: made, threads });
};

/** Submits one's pending review: all its comments become visible. */
export const submitReview = (
  state: State,
  acting: Acting,
  ref: Ref<ReviewRecord>,
  input: Omit<ReviewInput, "comments" | "commit">,
): ReviewRecord => {
  const session = state.session(acting);
  const made = state.review(ref);
  const pullRequest = state.pullRequest(made.pullRequest);
  enforce(refuseComment(state, session, pullRequest));
  if (made.author !== session.login) throw new WorldError("NOT_FOUND", MESSAGES.noNode(made.id));
  if (made.state !== "PENDING") throw new WorldError("VALIDATION", MESSAGES.submitted);
  const own = pullRequest.threads.flatMap((thread) => thread.comments).filter((comment) => comment.review === made.id);
  mustSubmit(pullRequest, session, { ...input, comments: own.map((each) => ({ path: "", body: each.body })) });
  const now = state.now();
  made.state = input.state;
  if (input.body !== undefined) made.body = input.body;
  made.submittedAt = now;
  made.updatedAt = now;
  for (const comment of own) {
    comment.state = "SUBMITTED";
    comment.publishedAt = now;
    comment.updatedAt = now;
  }
  submitted(
    state,
    session,
    pullRequest,
    made,
    pullRequest.threads.filter((thread) => thread.comments[0]?.review === made.id),
  );
  for (const comment of own) {
    if (comment.replyTo !== undefined)
      state.emit("replied", session.login, { pullRequest, thread: state.thread(comment.thread), comment, body: comment.body });
  }
  return made;
};

/** One thread: in one's pending review where there is one, else in a review of its own. */
export const addThread = (
  state: State,
  acting: Acting,
  ref: Ref<PullRequestRecord>,
  input: ThreadInput & { readonly commit?: Sha },
): ThreadRecord => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseComment(state, session, pullRequest));
  checkBody(input.body);
  const pending = pendingOf(pullRequest, session.login);
  const commit = pending?.commit ?? input.commit ?? pullRequest.head.sha;
  const hunk = hunkAt(state, pullRequest, commit, input);
  const made = pending ?? makeReview(state, session, pullRequest, { state: "COMMENTED", body: "", commit });
  const thread = makeThread(state, pullRequest, made, input, hunk);
  if (pending === undefined) submitted(state, session, pullRequest, made, [thread]);
  return thread;
};

/**
 * A reply. `via: "graphql"` has the trap: with a pending review of one's own the reply is taken into that draft, and nobody else sees it.
 * `via: "rest"` refuses then, and answers only on the thread's root comment.
 */
export const reply = (
  state: State,
  acting: Acting,
  target: { readonly thread: Ref<ThreadRecord> } | { readonly comment: Ref<ReviewCommentRecord> },
  body: string,
  via: "graphql" | "rest",
): ReviewCommentRecord => {
  const session = state.session(acting);
  const thread = "thread" in target ? state.thread(target.thread) : state.thread(state.reviewComment(target.comment).thread);
  const pullRequest = state.pullRequest(thread.pullRequest);
  const root = thread.comments[0];
  if ("comment" in target && state.reviewComment(target.comment) !== root) throw new WorldError("UNPROCESSABLE", MESSAGES.replyToReply);
  enforce(refuseComment(state, session, pullRequest));
  checkBody(body);
  const pending = pendingOf(pullRequest, session.login);
  if (pending !== undefined && via === "rest") throw new WorldError("UNPROCESSABLE", MESSAGES.onePending);
  if (root === undefined || (root.state === "PENDING" && root.author !== session.login))
    throw new WorldError("NOT_FOUND", MESSAGES.noNode(thread.id));
  const carrier = pending ?? makeReview(state, session, pullRequest, { state: "COMMENTED", body: "", commit: pullRequest.head.sha });
  const comment = makeComment(state, carrier, thread, body, root.diffHunk, root.id);
  if (comment.state === "SUBMITTED") {
    state.touch(pullRequest);
    state.emit("replied", session.login, { pullRequest, thread, comment, body });
  }
  return comment;
};

/** Idempotent, as GitHub's: resolving a resolved one changes nothing and is no error. */
export const setResolved = (state: State, acting: Acting, ref: Ref<ThreadRecord>, resolved: boolean): ThreadRecord => {
  const session = state.session(acting);
  const thread = state.thread(ref);
  const pullRequest = state.pullRequest(thread.pullRequest);
  enforce(refuseResolve(state, session, pullRequest, resolved ? "ResolveReviewThread" : "UnresolveReviewThread"));
  const without = state.faults.get("resolve-without-effect");
  if (resolved && without !== undefined && (without.threads === undefined || without.threads.includes(thread.id))) return thread;
  if (thread.resolved === resolved) return thread;
  thread.resolved = resolved;
  if (resolved) pullRequest.readsSinceResolve = 0;
  if (resolved) thread.resolvedBy = session.login;
  else delete thread.resolvedBy;
  state.touch(pullRequest);
  state.emit(resolved ? "resolved" : "unresolved", session.login, { pullRequest, thread });
  return thread;
};

export const dismissReview = (state: State, acting: Acting, ref: Ref<ReviewRecord>): void => {
  const session = state.session(acting);
  const made = state.review(ref);
  const pullRequest = state.pullRequest(made.pullRequest);
  enforce(refuseWrite(state, session, state.repositoryOf(pullRequest), "DismissPullRequestReview", "pullRequests"));
  if (made.state !== "APPROVED" && made.state !== "CHANGES_REQUESTED") {
    throw new WorldError("UNPROCESSABLE", `Can not dismiss a ${made.state.toLowerCase()} pull request review`);
  }
  made.state = "DISMISSED";
  made.updatedAt = state.now();
  state.timeline(pullRequest, "review-dismissed", session.login, { subject: made.author });
  state.touch(pullRequest);
  state.emit("dismissed", session.login, { pullRequest, review: made });
};

/** Throws a pending review away with its comments. */
export const deletePendingReview = (state: State, acting: Acting, ref: Ref<ReviewRecord>): void => {
  const session = state.session(acting);
  const made = state.review(ref);
  const pullRequest = state.pullRequest(made.pullRequest);
  if (made.author !== session.login) throw new WorldError("NOT_FOUND", MESSAGES.noNode(made.id));
  if (made.state !== "PENDING") throw new WorldError("UNPROCESSABLE", "Can not delete a non-pending pull request review");
  pullRequest.reviews.splice(pullRequest.reviews.indexOf(made), 1);
  state.nodes.delete(made.id);
  for (const thread of pullRequest.threads.filter((each) => each.comments.some((comment) => comment.review === made.id))) {
    for (const comment of thread.comments.filter((each) => each.review === made.id)) {
      thread.comments.splice(thread.comments.indexOf(comment), 1);
      state.nodes.delete(comment.id);
    }
    if (thread.comments.length > 0) continue;
    pullRequest.threads.splice(pullRequest.threads.indexOf(thread), 1);
    state.nodes.delete(thread.id);
  }
};
