/** Reviews, threads and their comments. */
import type { ReviewCommentRecord, ReviewRecord, ThreadRecord } from "../../../world/records.js";
import { hasWrite, refuseComment, refuseResolve } from "../../../world/rules.js";
import { timeOrNull, visibleComments, type View } from "../../view.js";
import { connection, none, type Fields } from "../connection.js";
import { userOnly } from "./actors.js";
import { commitNode } from "./commit.js";
import { postedFields } from "./posted.js";
import { pullRequestNode } from "./pull-request.js";
import { repositoryNode } from "./repository.js";

export const reviewNode = (view: View, review: ReviewRecord): Fields => {
  const pullRequest = view.state.pullRequest(review.pullRequest);
  const { commit } = review;
  return {
    __typename: "PullRequestReview",
    ...postedFields(view, review),
    state: review.state,
    submittedAt: timeOrNull(review.submittedAt),
    publishedAt: timeOrNull(review.submittedAt),
    commit: () => (commit === null ? null : commitNode(view, pullRequest.repository, commit)),
    comments: connection(
      view,
      () => pullRequest.threads.flatMap((thread) => visibleComments(view, thread)).filter((comment) => comment.review === review.id),
      (comment) => reviewCommentNode(view, comment),
    ),
    authorCanPushToRepository: () =>
      hasWrite(view.state, { login: review.author, grant: { token: "classic", permissions: {} } }, view.state.repositoryOf(pullRequest)),
    onBehalfOf: none(view),
  };
};

export const reviewCommentNode = (view: View, comment: ReviewCommentRecord): Fields => {
  const thread = view.state.thread(comment.thread);
  const pullRequest = view.state.pullRequest(thread.pullRequest);
  return {
    __typename: "PullRequestReviewComment",
    ...postedFields(view, comment),
    path: thread.path,
    diffHunk: comment.diffHunk,
    draftedAt: timeOrNull(comment.createdAt),
    publishedAt: timeOrNull(comment.publishedAt),
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    position: thread.outdated ? null : (thread.line ?? 1),
    originalPosition: thread.originalLine ?? 1,
    outdated: thread.outdated,
    state: comment.state,
    subjectType: thread.subject === "file" ? "FILE" : "LINE",
    commit: () => commitNode(view, pullRequest.repository, thread.outdated ? comment.originalCommit : pullRequest.head.sha),
    originalCommit: () => commitNode(view, pullRequest.repository, comment.originalCommit),
    pullRequestReview: () => reviewNode(view, view.state.review(comment.review)),
    replyTo: () => {
      const root = thread.comments.find((other) => other.id === comment.replyTo);
      return root === undefined ? null : reviewCommentNode(view, root);
    },
  };
};

export const threadNode = (view: View, thread: ThreadRecord): Fields => {
  const pullRequest = view.state.pullRequest(thread.pullRequest);
  const mayResolve = (): boolean => refuseResolve(view.state, view.session, pullRequest, "ResolveReviewThread") === undefined;
  return {
    __typename: "PullRequestReviewThread",
    id: thread.id,
    path: thread.path,
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    diffSide: thread.side,
    startDiffSide: thread.originalStartLine === null ? null : thread.side,
    subjectType: thread.subject === "file" ? "FILE" : "LINE",
    isResolved: thread.resolved,
    isCollapsed: thread.resolved,
    isOutdated: thread.outdated,
    resolvedBy: () => userOnly(view, thread.resolvedBy),
    viewerCanReply: () => refuseComment(view.state, view.session, pullRequest) === undefined,
    viewerCanResolve: () => !thread.resolved && mayResolve(),
    viewerCanUnresolve: () => thread.resolved && mayResolve(),
    pullRequest: () => pullRequestNode(view, pullRequest),
    repository: () => repositoryNode(view, view.state.repositoryOf(pullRequest)),
    comments: connection(
      view,
      () => visibleComments(view, thread),
      (comment) => reviewCommentNode(view, comment),
      { fault: "threadComments" },
    ),
  };
};
