/** Issues, as far as the loop opens them. */
import type { IssueRecord, RepositoryRecord } from "../../../world/records.js";
import { html, time, type View } from "../../view.js";
import { none, type Fields } from "../connection.js";
import { actor } from "./actors.js";
import { reactions } from "./posted.js";
import { repositoryNode } from "./repository.js";

export const issueNode = (view: View, repository: RepositoryRecord, issue: IssueRecord): Fields => {
  const path = `/${repository.fullName}/issues/${issue.number}`;
  return {
    __typename: "Issue",
    id: issue.id,
    databaseId: issue.databaseId,
    fullDatabaseId: String(issue.databaseId),
    number: issue.number,
    title: issue.title,
    titleHTML: issue.title,
    body: issue.body,
    bodyText: issue.body,
    bodyHTML: () => html(issue.body),
    author: () => actor(view, issue.author),
    authorAssociation: () => view.state.associationOf(repository, issue.author),
    state: "OPEN",
    stateReason: null,
    closed: false,
    closedAt: null,
    locked: false,
    createdAt: time(issue.createdAt),
    updatedAt: time(issue.createdAt),
    url: `${view.web}${path}`,
    resourcePath: path,
    repository: () => repositoryNode(view, repository),
    comments: none(view),
    labels: none(view),
    assignees: none(view),
    milestone: null,
    projectCards: none(view),
    ...reactions(view, { id: issue.id, reactions: [] }),
    viewerDidAuthor: issue.author === view.session.login,
  };
};
