/** What all posts share: author, body, edits, hiding, reactions. */
import type { IssueCommentRecord, Posted, Reaction, ReviewCommentRecord, ReviewRecord } from "../../../world/records.js";
import { refuseChange, refuseComment } from "../../../world/rules.js";
import { html, pullRequestUrl, time, timeOrNull, type View } from "../../view.js";
import { connection, type Fields } from "../connection.js";
import { actor, userOnly } from "./actors.js";
import { pullRequestNode } from "./pull-request.js";
import { repositoryNode } from "./repository.js";

const CONTENTS: readonly Reaction[] = ["THUMBS_UP", "THUMBS_DOWN", "LAUGH", "HOORAY", "CONFUSED", "HEART", "ROCKET", "EYES"];

export const reactions = (view: View, posted: Pick<Posted, "id" | "reactions">): Fields => ({
  reactions: connection(
    view,
    () => posted.reactions,
    (reaction) => ({
      __typename: "Reaction",
      id: `REA_${posted.id}_${reaction.by}_${reaction.content}`,
      databaseId: null,
      content: reaction.content,
      createdAt: time(reaction.at),
      user: userOnly(view, reaction.by),
    }),
  ),
  reactionGroups: () =>
    CONTENTS.map((content) => {
      const own = posted.reactions.filter((reaction) => reaction.content === content);
      const named = own.filter((reaction) => actor(view, reaction.by) !== null);
      return {
        content,
        createdAt: timeOrNull(own[0]?.at),
        users: connection(
          view,
          () => own,
          (reaction) => userOnly(view, reaction.by),
          { edge: (reaction) => ({ reactedAt: time(reaction.at) }) },
        ),
        reactors: connection(
          view,
          () => named,
          (reaction) => actor(view, reaction.by),
          { fault: "reactions", edge: (reaction) => ({ reactedAt: time(reaction.at) }) },
        ),
        viewerHasReacted: own.some((reaction) => reaction.by === view.session.login),
      };
    }),
});

/** The part of a page's address after `#`. */
const ANCHORS: Readonly<Record<(IssueCommentRecord | ReviewCommentRecord | ReviewRecord)["kind"], string>> = {
  "issue-comment": "issuecomment-",
  "review-comment": "discussion_r",
  review: "pullrequestreview-",
};

export const urlOf = (view: View, posted: IssueCommentRecord | ReviewCommentRecord | ReviewRecord): string =>
  `${pullRequestUrl(view, view.state.pullRequestOf(posted))}#${ANCHORS[posted.kind]}${posted.databaseId}`;

export const postedFields = (view: View, posted: IssueCommentRecord | ReviewCommentRecord | ReviewRecord): Fields => {
  const pullRequest = view.state.pullRequestOf(posted);
  const repository = view.state.repositoryOf(pullRequest);
  const may = (what: string): boolean => refuseChange(view.state, view.session, posted, what) === undefined;
  return {
    id: posted.id,
    databaseId: posted.databaseId,
    fullDatabaseId: String(posted.databaseId),
    author: () => actor(view, posted.author),
    authorAssociation: () => view.state.associationOf(repository, posted.author),
    body: posted.body,
    bodyText: posted.body,
    bodyHTML: () => html(posted.body),
    createdAt: time(posted.createdAt),
    updatedAt: time(posted.updatedAt),
    lastEditedAt: timeOrNull(posted.lastEditedAt),
    publishedAt: time(posted.createdAt),
    createdViaEmail: false,
    editor: () => actor(view, posted.editor),
    includesCreatedEdit: posted.lastEditedAt !== undefined,
    userContentEdits: connection(
      view,
      () => (posted.lastEditedAt === undefined ? [] : [posted.lastEditedAt]),
      (at) => ({
        id: `UCE_${posted.id}`,
        createdAt: time(at),
        editedAt: time(at),
        updatedAt: time(at),
        deletedAt: null,
        deletedBy: null,
        diff: posted.body,
        editor: actor(view, posted.editor),
      }),
    ),
    isMinimized: posted.minimised !== undefined,
    minimizedReason: posted.minimised ?? null,
    pullRequest: () => pullRequestNode(view, pullRequest),
    repository: () => repositoryNode(view, repository),
    url: urlOf(view, posted),
    resourcePath: new URL(urlOf(view, posted)).pathname,
    viewerCanDelete: () => may("DeleteIssueComment"),
    viewerCanMinimize: () => may("MinimizeComment"),
    viewerCanUnminimize: () => may("UnminimizeComment"),
    viewerCanReact: () => refuseComment(view.state, view.session, pullRequest) === undefined,
    viewerCanUpdate: () => may("UpdateIssueComment"),
    viewerCannotUpdateReasons: () => (may("UpdateIssueComment") ? [] : ["INSUFFICIENT_ACCESS"]),
    viewerDidAuthor: posted.author === view.session.login,
    ...reactions(view, posted),
  };
};

export const issueCommentNode = (view: View, comment: IssueCommentRecord): Fields => ({
  __typename: "IssueComment",
  ...postedFields(view, comment),
});
