/** Web addresses as GitHub forms them. */
import type { State } from "./state.js";
import type { IssueCommentRecord, IssueRecord, PullRequestRecord, RepositoryRecord, ReviewCommentRecord, ReviewRecord } from "./records.js";

export const repositoryUrl = (state: State, repository: Pick<RepositoryRecord, "fullName">): string =>
  `https://${state.host}/${repository.fullName}`;

export const pullRequestUrl = (state: State, pullRequest: PullRequestRecord): string =>
  `https://${state.host}/${pullRequest.repository}/pull/${pullRequest.number}`;

export const issueUrl = (state: State, repository: RepositoryRecord, issue: IssueRecord): string =>
  `${repositoryUrl(state, repository)}/issues/${issue.number}`;

export const postUrl = (state: State, posted: IssueCommentRecord | ReviewCommentRecord | ReviewRecord): string => {
  const page = pullRequestUrl(state, state.pullRequestOf(posted));
  if (posted.kind === "issue-comment") return `${page}#issuecomment-${posted.databaseId}`;
  return posted.kind === "review" ? `${page}#pullrequestreview-${posted.databaseId}` : `${page}#discussion_r${posted.databaseId}`;
};
