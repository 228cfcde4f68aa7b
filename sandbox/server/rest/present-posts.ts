/** REST's shapes of what people and bots post: reviews, comments, reactions, events. */
import type {
  IssueCommentRecord,
  IssueRecord,
  Posted,
  PullRequestRecord,
  Reaction,
  RepositoryRecord,
  ReviewCommentRecord,
  ReviewRecord,
} from "../../world/records.js";
import { urlOf } from "../graphql/nodes/posted.js";
import { accountOf, pullRequestUrl, time, timeOrNull, type View } from "../view.js";
import { user, userShape } from "./present.js";

type Shape = Readonly<Record<string, unknown>>;

const REACTIONS: Readonly<Record<Reaction, string>> = {
  THUMBS_UP: "+1",
  THUMBS_DOWN: "-1",
  LAUGH: "laugh",
  HOORAY: "hooray",
  CONFUSED: "confused",
  HEART: "heart",
  ROCKET: "rocket",
  EYES: "eyes",
};
export const reactionOf = (content: string | undefined): Reaction | undefined =>
  (Object.entries(REACTIONS) as [Reaction, string][]).find(([, name]) => name === content)?.[0];

const reactionsShape = (url: string, posted: Pick<Posted, "reactions">): Shape => ({
  url: `${url}/reactions`,
  total_count: posted.reactions.length,
  ...Object.fromEntries(
    Object.entries(REACTIONS).map(([content, name]) => [name, posted.reactions.filter((one) => one.content === content).length]),
  ),
});

export const reactionShape = (
  view: View,
  posted: Pick<Posted, "id" | "databaseId" | "reactions">,
  one: Posted["reactions"][number],
): Shape => ({
  id: posted.databaseId * 10 + posted.reactions.indexOf(one),
  node_id: `REA_${posted.id}_${one.by}_${one.content}`,
  user: user(view, one.by),
  content: REACTIONS[one.content],
  created_at: time(one.at),
});

const associationOf = (view: View, pullRequest: PullRequestRecord, login: string): string =>
  view.state.associationOf(view.state.repositoryOf(pullRequest), login);

export const issueCommentShape = (view: View, comment: IssueCommentRecord): Shape => {
  const pullRequest = view.state.pullRequest(comment.pullRequest);
  const base = `${view.api}/repos/${pullRequest.repository}/issues`;
  const url = `${base}/comments/${comment.databaseId}`;
  return {
    url,
    html_url: urlOf(view, comment),
    issue_url: `${base}/${pullRequest.number}`,
    id: comment.databaseId,
    node_id: comment.id,
    user: user(view, comment.author),
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    body: comment.body,
    author_association: associationOf(view, pullRequest, comment.author),
    reactions: reactionsShape(url, comment),
    performed_via_github_app: null,
    minimized: comment.minimised === undefined ? null : { reason: comment.minimised },
  };
};

export const reviewShape = (view: View, review: ReviewRecord): Shape => {
  const pullRequest = view.state.pullRequest(review.pullRequest);
  const html = urlOf(view, review);
  const url = `${view.api}/repos/${pullRequest.repository}/pulls/${pullRequest.number}`;
  return {
    id: review.databaseId,
    node_id: review.id,
    user: user(view, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: url,
    author_association: associationOf(view, pullRequest, review.author),
    _links: { html: { href: html }, pull_request: { href: url } },
    // Absent while it is pending.
    ...(review.submittedAt === undefined ? {} : { submitted_at: timeOrNull(review.submittedAt) }),
    commit_id: review.commit,
  };
};

export const reviewCommentShape = (view: View, comment: ReviewCommentRecord): Shape => {
  const thread = view.state.thread(comment.thread);
  const pullRequest = view.state.pullRequest(thread.pullRequest);
  const base = `${view.api}/repos/${pullRequest.repository}/pulls`;
  const url = `${base}/comments/${comment.databaseId}`;
  const account = accountOf(view, comment.author);
  const root = thread.comments.find((other) => other.id === comment.replyTo);
  return {
    url,
    pull_request_review_id: view.state.review(comment.review).databaseId,
    id: comment.databaseId,
    node_id: comment.id,
    diff_hunk: comment.diffHunk,
    path: thread.path,
    commit_id: thread.outdated ? comment.originalCommit : pullRequest.head.sha,
    original_commit_id: comment.originalCommit,
    // On this surface some bots have another name.
    user:
      account === undefined
        ? null
        : account.spelling.inlineComment === undefined
          ? userShape(view, account)
          : userShape(view, account, account.spelling.inlineComment),
    body: comment.body,
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    html_url: urlOf(view, comment),
    pull_request_url: `${base}/${pullRequest.number}`,
    author_association: associationOf(view, pullRequest, comment.author),
    _links: {
      self: { href: url },
      html: { href: urlOf(view, comment) },
      pull_request: { href: `${base}/${pullRequest.number}` },
    },
    reactions: reactionsShape(url, comment),
    start_line: thread.startLine,
    original_start_line: thread.originalStartLine,
    start_side: thread.originalStartLine === null ? null : thread.side,
    line: thread.line,
    original_line: thread.originalLine,
    side: thread.side,
    position: thread.outdated ? null : (thread.line ?? 1),
    original_position: thread.originalLine ?? 1,
    subject_type: thread.subject,
    ...(root === undefined ? {} : { in_reply_to_id: root.databaseId }),
  };
};

export const issueShape = (view: View, repository: RepositoryRecord, issue: IssueRecord | PullRequestRecord): Shape => {
  const url = `${view.api}/repos/${repository.fullName}/issues/${issue.number}`;
  const pullRequest = "repository" in issue ? issue : undefined;
  return {
    url,
    repository_url: `${view.api}/repos/${repository.fullName}`,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: pullRequest === undefined ? `${view.web}/${repository.fullName}/issues/${issue.number}` : pullRequestUrl(view, pullRequest),
    id: issue.databaseId,
    node_id: issue.id,
    number: issue.number,
    title: issue.title,
    user: user(view, issue.author),
    labels: [],
    state: pullRequest === undefined || pullRequest.state === "open" ? "open" : "closed",
    locked: pullRequest?.locked ?? false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: pullRequest?.comments.length ?? 0,
    created_at: time(issue.createdAt),
    updated_at: time(pullRequest?.updatedAt ?? issue.createdAt),
    closed_at: timeOrNull(pullRequest?.closedAt),
    author_association: view.state.associationOf(repository, issue.author),
    active_lock_reason: null,
    body: issue.body,
    reactions: reactionsShape(url, pullRequest ?? { reactions: [] }),
    performed_via_github_app: null,
    state_reason: null,
    ...(pullRequest === undefined
      ? {}
      : {
          draft: pullRequest.draft,
          pull_request: {
            url: `${view.api}/repos/${repository.fullName}/pulls/${issue.number}`,
            html_url: pullRequestUrl(view, pullRequest),
            diff_url: `${pullRequestUrl(view, pullRequest)}.diff`,
            patch_url: `${pullRequestUrl(view, pullRequest)}.patch`,
            merged_at: timeOrNull(pullRequest.mergedAt),
          },
        }),
  };
};
