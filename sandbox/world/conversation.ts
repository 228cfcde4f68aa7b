/** Conversation comments, and what can be done to anything that has a body: edit, hide, delete, react. */
import { MESSAGES, WorldError } from "./errors.js";
import { checkBody } from "./pull-requests.js";
import type { Acting, IssueCommentRecord, PullRequestRecord, Reaction } from "./records.js";
import { enforce, refuseChange, refuseComment } from "./rules.js";
import type { Ref, State } from "./state.js";

export type Classifier = "ABUSE" | "DUPLICATE" | "OFF_TOPIC" | "OUTDATED" | "RESOLVED" | "SPAM";

export const comment = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, body: string): IssueCommentRecord => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseComment(state, session, pullRequest));
  checkBody(body);
  const now = state.now();
  const made: IssueCommentRecord = {
    kind: "issue-comment",
    ...state.mint("IC", "issueComment", state.repositoryOf(pullRequest)),
    pullRequest: pullRequest.id,
    author: session.login,
    body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
  };
  pullRequest.comments.push(made);
  state.nodes.set(made.id, { type: "issue-comment", value: made });
  state.touch(pullRequest);
  state.emit("commented", session.login, { pullRequest, comment: made, body });
  return made;
};

/** Edits in place. Starts no bot: there is no `commented` event. A rewrite with the same text changes nothing. */
export const edit = (state: State, acting: Acting, id: string | { readonly id: string }, body: string): void => {
  const session = state.session(acting);
  const posted = state.posted(id);
  enforce(refuseChange(state, session, posted, posted.kind === "issue-comment" ? "UpdateIssueComment" : "UpdatePullRequestReviewComment"));
  checkBody(body, posted.kind === "review");
  const before = posted.body;
  if (before === body) return;
  const now = state.now();
  posted.body = body;
  posted.updatedAt = now;
  posted.lastEditedAt = now;
  posted.editor = session.login;
  const pullRequest = state.pullRequestOf(posted);
  state.touch(pullRequest);
  state.emit("edited", session.login, { pullRequest, subject: posted, body, before });
};

export const setMinimised = (state: State, acting: Acting, id: string | { readonly id: string }, classifier: Classifier | null): void => {
  const session = state.session(acting);
  const posted = state.posted(id);
  enforce(refuseChange(state, session, posted, classifier === null ? "UnminimizeComment" : "MinimizeComment"));
  const pullRequest = state.pullRequestOf(posted);
  const reason = classifier?.toLowerCase().replaceAll("_", "-");
  if (posted.minimised === reason) return;
  if (reason === undefined) {
    delete posted.minimised;
    state.emit("unminimised", session.login, { pullRequest, subject: posted });
  } else {
    posted.minimised = reason;
    state.emit("minimised", session.login, { pullRequest, subject: posted, reason });
  }
};

/** Deletes a comment; a thread without comments goes with its last one. */
export const deleteComment = (state: State, acting: Acting, id: string | { readonly id: string }): void => {
  const session = state.session(acting);
  const posted = state.posted(id);
  if (posted.kind === "review") throw new WorldError("NOT_FOUND", MESSAGES.noNode(posted.id));
  enforce(refuseChange(state, session, posted, "DeleteIssueComment"));
  const pullRequest = state.pullRequestOf(posted);
  if (posted.kind === "issue-comment") pullRequest.comments.splice(pullRequest.comments.indexOf(posted), 1);
  else {
    const thread = state.thread(posted.thread);
    thread.comments.splice(thread.comments.indexOf(posted), 1);
    if (thread.comments.length === 0) {
      pullRequest.threads.splice(pullRequest.threads.indexOf(thread), 1);
      state.nodes.delete(thread.id);
    }
  }
  state.nodes.delete(posted.id);
  if (posted.kind === "issue-comment") state.timeline(pullRequest, "comment-deleted", session.login);
  state.touch(pullRequest);
  state.emit("comment-deleted", session.login, { pullRequest, subject: posted });
};

/** What takes reactions: a pull request's description, or anything posted. */
const reactable = (state: State, ref: string | { readonly id: string }): PullRequestRecord | ReturnType<State["posted"]> => {
  const found = state.nodes.get(typeof ref === "string" ? ref : ref.id);
  return found?.type === "pull-request" ? found.value : state.posted(ref);
};

export const react = (state: State, acting: Acting, ref: string | { readonly id: string }, content: Reaction): void => {
  const session = state.session(acting);
  const subject = reactable(state, ref);
  const pullRequest = "kind" in subject ? state.pullRequestOf(subject) : subject;
  enforce(refuseComment(state, session, pullRequest));
  if (subject.reactions.some((each) => each.by === session.login && each.content === content)) return;
  subject.reactions.push({ by: session.login, content, at: state.now() });
  state.emit("reacted", session.login, { pullRequest, subject: subject.id, content });
};

/** Takes a reaction of one's own back. */
export const unreact = (state: State, acting: Acting, ref: string | { readonly id: string }, content: Reaction): void => {
  const session = state.session(acting);
  const subject = reactable(state, ref);
  const at = subject.reactions.findIndex((each) => each.by === session.login && each.content === content);
  if (at === -1) return;
  subject.reactions.splice(at, 1);
  state.emit("unreacted", session.login, {
    pullRequest: "kind" in subject ? state.pullRequestOf(subject) : subject,
    subject: subject.id,
    content,
  });
};
