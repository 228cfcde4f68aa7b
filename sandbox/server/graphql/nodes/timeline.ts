/** A pull request's timeline: events, commits, comments and reviews in one list. */
import type { IssueCommentRecord, PullRequestRecord, ReviewRecord, TimelineRecord } from "../../../world/records.js";
import type { Instant, Sha } from "../../../../core/index.js";
import { pullRequestUrl, time, visibleReviews, type View } from "../../view.js";
import type { Fields, Resolve } from "../connection.js";
import { page, type PageArguments } from "../page.js";
import { actor, reviewer, userOnly } from "./actors.js";
import { commitNode } from "./commit.js";
import { issueCommentNode } from "./posted.js";
import { pullRequestCommitNode, pullRequestNode } from "./pull-request.js";
import { refNode } from "./repository.js";
import { reviewNode } from "./reviews.js";

const EVENTS: Readonly<Record<TimelineRecord["kind"], string>> = {
  "review-requested": "ReviewRequestedEvent",
  "review-request-removed": "ReviewRequestRemovedEvent",
  "review-dismissed": "ReviewDismissedEvent",
  "ready-for-review": "ReadyForReviewEvent",
  "convert-to-draft": "ConvertToDraftEvent",
  "force-pushed": "HeadRefForcePushedEvent",
  closed: "ClosedEvent",
  reopened: "ReopenedEvent",
  merged: "MergedEvent",
  locked: "LockedEvent",
  unlocked: "UnlockedEvent",
  "added-to-merge-queue": "AddedToMergeQueueEvent",
  "removed-from-merge-queue": "RemovedFromMergeQueueEvent",
  "comment-deleted": "CommentDeletedEvent",
  "renamed-title": "RenamedTitleEvent",
};

/** `ReviewRequestedEvent` -> `REVIEW_REQUESTED_EVENT`. */
const itemType = (typeName: string): string => typeName.replaceAll(/(?!^)(?=[A-Z])/gu, "_").toUpperCase();

type Item =
  | { readonly type: string; readonly at: Instant; readonly event: TimelineRecord }
  | { readonly type: string; readonly at: Instant; readonly comment: IssueCommentRecord }
  | { readonly type: string; readonly at: Instant; readonly review: ReviewRecord }
  | { readonly type: string; readonly at: Instant; readonly commit: Sha };

const eventNode = (view: View, pullRequest: PullRequestRecord, event: TimelineRecord): Fields => {
  const url = `${pullRequestUrl(view, pullRequest)}#event-${event.databaseId}`;
  const whole = (): Fields => pullRequestNode(view, pullRequest);
  const commit = (sha: Sha | undefined) => () => (sha === undefined ? null : commitNode(view, pullRequest.repository, sha));
  return {
    __typename: EVENTS[event.kind],
    id: event.id,
    databaseId: event.databaseId,
    createdAt: time(event.at),
    actor: () => actor(view, event.actor),
    enqueuer: () => userOnly(view, event.actor),
    pullRequest: whole,
    closable: whole,
    lockable: whole,
    subject: whole,
    url,
    resourcePath: new URL(url).pathname,
    requestedReviewer: () => (event.subject === undefined ? null : reviewer(view, { login: event.subject })),
    beforeCommit: commit(event.before),
    afterCommit: commit(event.after),
    commit: commit(event.after),
    ref: () => {
      const { repository, branch } = pullRequest.head;
      return repository === null ? null : refNode(view, view.world.repository(repository), branch);
    },
    mergeRef: null,
    mergeRefName: pullRequest.base.branch,
    mergeQueue: null,
    reason: null,
    closer: null,
    stateReason: null,
    lockReason: null,
    previousTitle: "",
    currentTitle: pullRequest.title,
    deletedCommentAuthor: null,
    dismissalMessage: null,
    dismissalMessageHTML: null,
    previousReviewState: "APPROVED",
    pullRequestCommit: null,
    review: () => {
      const found = pullRequest.reviews.find((review) => review.state === "DISMISSED" && review.author === event.subject);
      return found === undefined ? null : reviewNode(view, found);
    },
  };
};

const itemsOf = (view: View, pullRequest: PullRequestRecord, commits: readonly Sha[]): readonly Item[] =>
  [
    ...commits.map((commit) => ({
      type: "PULL_REQUEST_COMMIT",
      at: view.repositories.commit(pullRequest.repository, commit)?.committedAt ?? pullRequest.createdAt,
      commit,
    })),
    ...pullRequest.timeline.map((event) => ({ type: itemType(EVENTS[event.kind]), at: event.at, event })),
    ...pullRequest.comments.map((comment) => ({ type: "ISSUE_COMMENT", at: comment.createdAt, comment })),
    ...visibleReviews(view, pullRequest).map((review) => ({
      type: "PULL_REQUEST_REVIEW",
      at: review.submittedAt ?? review.createdAt,
      review,
    })),
  ].sort((a, b) => a.at - b.at);

interface TimelineArguments extends PageArguments {
  readonly itemTypes?: readonly string[] | null;
  readonly since?: string | null;
  readonly skip?: number | null;
}

export const timelineItems = (view: View, pullRequest: PullRequestRecord, commits: () => readonly Sha[]): Resolve<TimelineArguments> => {
  return (args, _context, info) => {
    const { itemTypes, since, skip } = args;
    const all = itemsOf(view, pullRequest, commits());
    const found = all
      .filter((item) => itemTypes === undefined || itemTypes === null || itemTypes.includes(item.type))
      .filter((item) => typeof since !== "string" || item.at >= Date.parse(since))
      .slice(skip ?? 0);
    const present = (item: Item): unknown => {
      if ("event" in item) return eventNode(view, pullRequest, item.event);
      if ("comment" in item) return issueCommentNode(view, item.comment);
      if ("review" in item) return reviewNode(view, item.review);
      return pullRequestCommitNode(view, pullRequest, item.commit);
    };
    const shown = page(found, present, args, info, { limit: view.world.faults.get("page-size")?.size });
    const size = args.first ?? args.last ?? 1;
    return {
      ...shown,
      totalCount: all.length,
      filteredCount: found.length,
      pageCount: Math.min(found.length, size),
      updatedAt: time(found.at(-1)?.at ?? pullRequest.createdAt),
    };
  };
};
