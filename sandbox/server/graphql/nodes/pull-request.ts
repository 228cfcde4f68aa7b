/** The pull request itself. */
import type { Sha } from "../../../../core/index.js";
import { isBehind, opinions } from "../../../world/merge-state.js";
import { nodeId } from "../../../world/ids.js";
import type { PullRequestRecord, RequestRecord, ReviewRecord } from "../../../world/records.js";
import { hasWrite, refuseEditDescription, refuseManage, refusePush } from "../../../world/rules.js";
import {
  html,
  mergeBaseOf,
  pullRequestUrl,
  time,
  timeOrNull,
  visibleRepository,
  visibleReviews,
  visibleThreads,
  type View,
} from "../../view.js";
import { connection, none, type Fields, type Resolve } from "../connection.js";
import type { PageArguments } from "../page.js";
import { accountNode, actor, reviewer } from "./actors.js";
import { rollup } from "./checks.js";
import { commitNode } from "./commit.js";
import { issueCommentNode, reactions } from "./posted.js";
import { refNode, repositoryNode } from "./repository.js";
import { reviewNode, threadNode } from "./reviews.js";
import { timelineItems } from "./timeline.js";

const CHANGES = { added: "ADDED", modified: "MODIFIED", removed: "DELETED", renamed: "RENAMED" } as const;

export const commitsOf = (view: View, pullRequest: PullRequestRecord): readonly Sha[] =>
  view.repositories.commitsBetween(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha);

export const pullRequestCommitNode = (view: View, pullRequest: PullRequestRecord, sha: Sha): Fields => {
  const url = `${pullRequestUrl(view, pullRequest)}/commits/${sha}`;
  return {
    __typename: "PullRequestCommit",
    id: `PURC_${pullRequest.databaseId}_${sha}`,
    commit: () => commitNode(view, pullRequest.repository, sha),
    pullRequest: () => pullRequestNode(view, pullRequest),
    url,
    resourcePath: new URL(url).pathname,
  };
};

const requestNode = (view: View, pullRequest: PullRequestRecord, request: RequestRecord): Fields => {
  const number = pullRequest.databaseId * 100 + pullRequest.requests.indexOf(request);
  return {
    __typename: "ReviewRequest",
    id: nodeId("RR", number),
    databaseId: null,
    asCodeOwner: request.asCodeOwner,
    requestedReviewer: () => reviewer(view, request),
    pullRequest: () => pullRequestNode(view, pullRequest),
  };
};

interface ReviewArguments extends PageArguments {
  readonly author?: string | null;
  readonly states?: readonly string[] | null;
}
const reviews = (view: View, pullRequest: PullRequestRecord): Resolve<ReviewArguments> => {
  return (args, context, info) => {
    const found = (): readonly ReviewRecord[] =>
      visibleReviews(view, pullRequest)
        .filter((review) => typeof args.author !== "string" || review.author === args.author)
        .filter((review) => args.states === undefined || args.states === null || args.states.includes(review.state));
    return connection(view, found, (review) => reviewNode(view, review), { fault: "reviews" })(args, context, info);
  };
};

/** The last submitted review of each. */
const latestReviews = (pullRequest: PullRequestRecord): readonly ReviewRecord[] => [
  ...new Map(pullRequest.reviews.filter((review) => review.state !== "PENDING").map((review) => [review.author, review])).values(),
];

const people = (view: View, pullRequest: PullRequestRecord) =>
  [
    ...new Set([
      pullRequest.author,
      ...pullRequest.comments.map((comment) => comment.author),
      ...visibleReviews(view, pullRequest).map((review) => review.author),
    ]),
  ]
    .map((login) => view.world.accounts.get(login))
    .filter((account) => account?.kind === "user");

const mergeFields = (view: View, pullRequest: PullRequestRecord): Fields => {
  // One read of the merge state for all fields of one query.
  let read: ReturnType<View["world"]["mergeView"]> | undefined;
  const state = () => (read ??= view.world.mergeView(pullRequest));
  return {
    mergeable: () => state().mergeable,
    mergeStateStatus: () => state().mergeState,
    reviewDecision: () => state().reviewDecision ?? null,
    canBeRebased: () => state().mergeable === "MERGEABLE",
    isInMergeQueue: pullRequest.inMergeQueue,
    isMergeQueueEnabled: pullRequest.inMergeQueue,
    mergeQueue: null,
    mergeQueueEntry: () =>
      pullRequest.inMergeQueue
        ? {
            id: nodeId("MQE", pullRequest.databaseId),
            position: 1,
            state: "QUEUED",
            jump: false,
            solo: false,
            enqueuedAt: time(pullRequest.updatedAt),
            estimatedTimeToMerge: null,
            enqueuer: () => actor(view, pullRequest.author),
            baseCommit: () => commitNode(view, pullRequest.repository, pullRequest.base.sha),
            headCommit: () => commitNode(view, pullRequest.repository, pullRequest.head.sha),
            mergeQueue: null,
            pullRequest: () => pullRequestNode(view, pullRequest),
          }
        : null,
    autoMergeRequest: null,
    merged: pullRequest.state === "merged",
    mergedAt: timeOrNull(pullRequest.mergedAt),
    mergedBy: () => actor(view, pullRequest.timeline.findLast((event) => event.kind === "merged")?.actor),
    mergeCommit: () => {
      const sha = pullRequest.timeline.findLast((event) => event.kind === "merged")?.after;
      return sha === undefined ? null : commitNode(view, pullRequest.repository, sha);
    },
    potentialMergeCommit: null,
  };
};

const viewerFields = (view: View, pullRequest: PullRequestRecord): Fields => {
  const { state, session } = view;
  const repository = state.repositoryOf(pullRequest);
  const { repository: headRepository, branch } = pullRequest.head;
  const mayPush = (): boolean =>
    headRepository !== null && refusePush(state, session, state.repository(headRepository), branch) === undefined;
  const mayManage = (): boolean => refuseManage(state, session, pullRequest, "UpdatePullRequest") === undefined;
  const mayEdit = (): boolean => refuseEditDescription(state, session, pullRequest) === undefined;
  return {
    viewerDidAuthor: pullRequest.author === session.login,
    viewerCanApplySuggestion: mayPush,
    viewerCanEditFiles: mayPush,
    viewerCanUpdateBranch: () => mayPush() && isBehind(state, pullRequest),
    viewerCanDeleteHeadRef: () => mayPush() && pullRequest.state !== "open",
    viewerCanClose: () => pullRequest.state === "open" && mayManage(),
    viewerCanReopen: () => pullRequest.state === "closed" && mayManage(),
    viewerCanUpdate: mayEdit,
    viewerCannotUpdateReasons: () => (mayEdit() ? [] : [repository.archived ? "ARCHIVED" : "INSUFFICIENT_ACCESS"]),
    viewerCanMergeAsAdmin: false,
    viewerCanEnableAutoMerge: false,
    viewerCanDisableAutoMerge: false,
    viewerCanLabel: () => hasWrite(state, session, repository),
    viewerCanReact: true,
    viewerCanSubscribe: true,
    viewerSubscription: "UNSUBSCRIBED",
    viewerLatestReview: () => {
      const own = latestReviews(pullRequest).find((review) => review.author === session.login);
      return own === undefined ? null : reviewNode(view, own);
    },
    viewerLatestReviewRequest: () => {
      const own = pullRequest.requests.find((request) => request.login === session.login);
      return own === undefined ? null : requestNode(view, pullRequest, own);
    },
    viewerMergeBodyText: "",
    viewerMergeHeadlineText: `Merge pull request #${pullRequest.number}`,
    isReadByViewer: true,
  };
};

const branchFields = (view: View, pullRequest: PullRequestRecord): Fields => {
  const { base, head } = pullRequest;
  const headRepository = () => (head.repository === null ? undefined : visibleRepository(view, head.repository));
  return {
    baseRefName: base.branch,
    baseRefOid: base.sha,
    baseRef: () => refNode(view, view.world.repository(pullRequest.repository), base.branch),
    baseRepository: () => repositoryNode(view, view.world.repository(pullRequest.repository)),
    headRefName: head.branch,
    headRefOid: head.sha,
    headRef: () => {
      const repository = headRepository();
      return repository === undefined ? null : refNode(view, repository, head.branch);
    },
    headRepository: () => {
      const repository = headRepository();
      return repository === undefined ? null : repositoryNode(view, repository);
    },
    headRepositoryOwner: () => actor(view, head.repository?.split("/")[0]),
    isCrossRepository: head.repository !== pullRequest.repository,
    maintainerCanModify: pullRequest.maintainerCanModify,
  };
};

export const pullRequestNode = (view: View, pullRequest: PullRequestRecord): Fields => {
  const url = pullRequestUrl(view, pullRequest);
  const path = new URL(url).pathname;
  const repository = view.state.repositoryOf(pullRequest);
  const files = () => view.repositories.diff(pullRequest.repository, mergeBaseOf(view, pullRequest), pullRequest.head.sha);
  return {
    __typename: "PullRequest",
    id: pullRequest.id,
    databaseId: pullRequest.databaseId,
    fullDatabaseId: String(pullRequest.databaseId),
    number: pullRequest.number,
    url,
    permalink: url,
    resourcePath: path,
    checksUrl: `${url}/checks`,
    checksResourcePath: `${path}/checks`,
    revertUrl: `${url}/revert`,
    revertResourcePath: `${path}/revert`,
    title: pullRequest.title,
    titleHTML: pullRequest.title,
    body: pullRequest.body,
    bodyText: pullRequest.body,
    bodyHTML: () => html(pullRequest.body),
    author: () => actor(view, pullRequest.author),
    authorAssociation: () => view.state.associationOf(repository, pullRequest.author),
    editor: () => actor(view, pullRequest.bodyEditor),
    lastEditedAt: timeOrNull(pullRequest.bodyEditedAt),
    includesCreatedEdit: pullRequest.bodyEditedAt !== undefined,
    userContentEdits: none(view),
    createdViaEmail: false,
    state: pullRequest.state.toUpperCase(),
    isDraft: pullRequest.draft,
    closed: pullRequest.state !== "open",
    closedAt: timeOrNull(pullRequest.closedAt),
    locked: pullRequest.locked,
    activeLockReason: null,
    createdAt: time(pullRequest.createdAt),
    publishedAt: time(pullRequest.createdAt),
    updatedAt: time(pullRequest.updatedAt),
    ...branchFields(view, pullRequest),
    ...mergeFields(view, pullRequest),
    ...viewerFields(view, pullRequest),
    additions: () => files().reduce((sum, file) => sum + file.additions, 0),
    deletions: () => files().reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: () => files().length,
    files: connection(view, files, (file) => ({
      path: file.path,
      additions: file.additions,
      deletions: file.deletions,
      changeType: CHANGES[file.status],
      viewerViewedState: "UNVIEWED",
    })),
    commits: connection(
      view,
      () => commitsOf(view, pullRequest),
      (sha) => pullRequestCommitNode(view, pullRequest, sha),
    ),
    statusCheckRollup: () => rollup(view, pullRequest.repository, pullRequest.head.sha),
    reviewThreads: connection(
      view,
      () => visibleThreads(view, pullRequest),
      (thread) => threadNode(view, thread),
      { fault: "reviewThreads" },
    ),
    reviews: reviews(view, pullRequest),
    latestReviews: connection(
      view,
      () => latestReviews(pullRequest),
      (review) => reviewNode(view, review),
    ),
    latestOpinionatedReviews: connection(
      view,
      () => opinions(pullRequest),
      (review) => reviewNode(view, review),
    ),
    reviewRequests: connection(
      view,
      () => view.state.shownRequests(pullRequest),
      (request) => requestNode(view, pullRequest, request),
      {
        fault: "reviewRequests",
      },
    ),
    suggestedReviewers: [],
    comments: connection(
      view,
      () => pullRequest.comments,
      (comment) => issueCommentNode(view, comment),
      { fault: "comments" },
    ),
    totalCommentsCount: () => pullRequest.comments.length + visibleThreads(view, pullRequest).flatMap((thread) => thread.comments).length,
    timelineItems: timelineItems(view, pullRequest, () => commitsOf(view, pullRequest)),
    participants: connection(
      view,
      () => people(view, pullRequest),
      (account) => (account === undefined ? null : accountNode(view, account)),
    ),
    repository: () => repositoryNode(view, repository),
    assignees: none(view),
    labels: none(view),
    milestone: null,
    projectCards: none(view),
    projectItems: none(view),
    projectsV2: none(view),
    projectV2: null,
    closingIssuesReferences: none(view),
    ...reactions(view, pullRequest),
  };
};
