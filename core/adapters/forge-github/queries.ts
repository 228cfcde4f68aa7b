/** The query texts of a whole read. Built from parts, so that a server without a field is asked without it. */
import type { Page, ReviewPlan } from "./review-plan.js";

/** Fields that some servers lack, as `Type.field`; the read does without them. */
export const DROPPABLE = [
  "PullRequest.statusCheckRollup",
  "PullRequest.mergeStateStatus",
  "PullRequest.isInMergeQueue",
  "PullRequestReviewComment.fullDatabaseId",
  "PullRequestReview.fullDatabaseId",
  "IssueComment.fullDatabaseId",
  "Ref.refUpdateRule",
  "ReactionGroup.reactors",
  "CheckRun.isRequired",
  "StatusContext.isRequired",
] as const;
export type Droppable = (typeof DROPPABLE)[number];
export type Missing = ReadonlySet<Droppable>;

export const isDroppable = (field: string): field is Droppable => (DROPPABLE as readonly string[]).includes(field);

export const CONNECTIONS = ["threads", "comments", "reviews", "contexts", "requests", "timeline"] as const;
export type ConnectionName = (typeof CONNECTIONS)[number];

const unless = (missing: Missing, field: Droppable, text: string, instead = ""): string => (missing.has(field) ? instead : text);
const PAGE = "totalCount pageInfo { hasNextPage endCursor }";
const REVIEWER = "__typename ... on User { login } ... on Bot { login } ... on Mannequin { login } ... on Team { combinedSlug }";

/** The count of comments that a page of threads brings along for each thread; the rest is paged per thread. */
export const INNER = 50;

const message = (missing: Missing, type: "PullRequestReviewComment" | "PullRequestReview" | "IssueComment"): string =>
  `id ${unless(missing, `${type}.fullDatabaseId`, "fullDatabaseId", "databaseId")} author { __typename login } authorAssociation body
   createdAt updatedAt lastEditedAt editor { login } url isMinimized viewerCanMinimize`;

/** Reactors that come along with what they reacted to; the rest is paged. `reactors` names apps too, where `Reaction.user` can't. */
const FEW = 10;
const reactors = (bounds: string): string =>
  `reactors(${bounds}) { ${PAGE} edges { reactedAt node { __typename ... on User { login databaseId } ... on Bot { login databaseId } ... on Mannequin { login databaseId } ... on Organization { login databaseId } } } }`;
const reactions = (missing: Missing, bounds = `first: ${FEW}`): string =>
  unless(missing, "ReactionGroup.reactors", `reactionGroups { content ${reactors(bounds)} }`);

const reviewComments = (missing: Missing, first: string): string =>
  `comments(${first}) { ${PAGE} nodes {
    ${message(missing, "PullRequestReviewComment")}
    state originalCommit { oid } pullRequestReview { id }
  } }`;

const review = (missing: Missing): string => `${message(missing, "PullRequestReview")} state submittedAt commit { oid }`;

/** A page of a part of the reviews, from either end. Logins travel as variables. */
const reviewPage = ({ filter, end }: Page, index: number, missing: Missing): string => {
  const narrowed = [
    end === "first" ? `first: $size, after: $pageCursor${index}` : `last: $size, before: $pageCursor${index}`,
    ...(filter.author === undefined ? [] : [`author: $pageAuthor${index}`]),
    ...(filter.verdicts === true ? ["states: [APPROVED, CHANGES_REQUESTED, DISMISSED, PENDING]"] : []),
  ].join(", ");
  return `page${index}: reviews(${narrowed}) { totalCount pageInfo { hasNextPage endCursor hasPreviousPage startCursor } nodes { ${review(missing)} } }`;
};

const reviewPlanVariables = ({ pages, lookups }: ReviewPlan): string =>
  [
    ...pages.map((page, i) => `, $pageCursor${i}: String${page.filter.author === undefined ? "" : `, $pageAuthor${i}: String`}`),
    ...lookups.map((_, i) => `, $ids${i}: [ID!]!`),
  ].join("");

/** On servers without `PullRequest.statusCheckRollup` it hangs on the last commit. */
const rollup = (missing: Missing, inner: string): string =>
  unless(
    missing,
    "PullRequest.statusCheckRollup",
    `statusCheckRollup { ${inner} }`,
    `commits(last: 1) { nodes { commit { oid statusCheckRollup { ${inner} } } } }`,
  );

const contexts = (missing: Missing): string =>
  `contexts(first: $size, after: $contexts) { ${PAGE} nodes {
    __typename
    ... on CheckRun {
      id name status conclusion startedAt completedAt detailsUrl permalink title summary
      ${unless(missing, "CheckRun.isRequired", "isRequired(pullRequestNumber: $number)")}
      checkSuite { createdAt app { slug } workflowRun { event workflow { name } } }
    }
    ... on StatusContext {
      id context state createdAt targetUrl description
      ${unless(missing, "StatusContext.isRequired", "isRequired(pullRequestNumber: $number)")}
    }
  } }`;

const EVENTS: readonly string[] = [
  "REVIEW_REQUESTED_EVENT",
  "REVIEW_REQUEST_REMOVED_EVENT",
  "READY_FOR_REVIEW_EVENT",
  "CONVERT_TO_DRAFT_EVENT",
  "HEAD_REF_FORCE_PUSHED_EVENT",
];

const connection = (name: Exclude<ConnectionName, "contexts">, missing: Missing): string => {
  switch (name) {
    case "threads":
      return `reviewThreads(first: $size, after: $threads) { ${PAGE} nodes {
        id isResolved isOutdated path line startLine originalLine diffSide subjectType viewerCanResolve viewerCanReply pullRequest { id }
        ${reviewComments(missing, "first: $inner")}
      } }`;
    case "comments":
      return `comments(first: $size, after: $comments) { ${PAGE} nodes { ${message(missing, "IssueComment")} ${reactions(missing)} } }`;
    case "reviews":
      return `reviews(first: $size, after: $reviews) { ${PAGE} nodes { ${review(missing)} } }`;
    case "requests":
      return `reviewRequests(first: $size, after: $requests) { ${PAGE} nodes { id asCodeOwner requestedReviewer { ${REVIEWER} } } }`;
    case "timeline":
      return `timelineItems(first: $size, after: $timeline, itemTypes: [${EVENTS.join(", ")}]) { ${PAGE} nodes {
        __typename
        ... on ReviewRequestedEvent { id createdAt actor { login } requestedReviewer { ${REVIEWER} } }
        ... on ReviewRequestRemovedEvent { id createdAt actor { login } requestedReviewer { ${REVIEWER} } }
        ... on ReadyForReviewEvent { id createdAt actor { login } }
        ... on ConvertToDraftEvent { id createdAt actor { login } }
        ... on HeadRefForcePushedEvent { id createdAt actor { login } beforeCommit { oid } afterCommit { oid } }
      } }`;
  }
};

const PIN = "headRefOid baseRefOid state isDraft";

const details = (missing: Missing): string =>
  `${PIN} id url title body editor { login } author { __typename login } authorAssociation locked
   headRefName baseRefName headRepository { name url owner { login } }
   isCrossRepository maintainerCanModify mergeable reviewDecision createdAt updatedAt
   ${reactions(missing)}
   ${unless(missing, "PullRequest.mergeStateStatus", "mergeStateStatus")}
   ${unless(missing, "PullRequest.isInMergeQueue", "isInMergeQueue")}
   ${unless(missing, "Ref.refUpdateRule", "baseRef { refUpdateRule { requiresConversationResolution requiredStatusCheckContexts } }")}`;

const cursors = (names: readonly ConnectionName[]): string => names.map((name) => `, $${name}: String`).join("");
const PULL_REQUEST_VARIABLES = "$owner: String!, $name: String!, $number: Int!";

/** The first request: everything, with the first page of every connection. */
export const firstQuery = (missing: Missing): string => `
query ReadPullRequest(${PULL_REQUEST_VARIABLES}, $size: Int!, $inner: Int!${cursors(CONNECTIONS)}) {
  rateLimit { cost }
  viewer { id login }
  repository(owner: $owner, name: $name) {
    url isArchived viewerPermission
    pullRequest(number: $number) {
      ${details(missing)}
      ${CONNECTIONS.filter((name) => name !== "contexts")
        .map((name) => connection(name, missing))
        .join("\n      ")}
      ${rollup(missing, contexts(missing))}
    }
  }
}`;

export interface Further {
  /** Connections whose next page is asked for. */
  readonly names: readonly ConnectionName[];
  /** Count of threads whose comments go on. */
  readonly threads: number;
  /** Count of lists of reactors that go on. */
  readonly reactors: number;
  /** More of the reviews. */
  readonly plan: ReviewPlan;
}

/** A later one: a page of each connection that has more, more comments of some threads, and the totals as they stand now. */
export const nextQuery = ({ names, threads, reactors: lists, plan }: Further, missing: Missing): string => {
  const nested = Array.from({ length: threads }, (_, index) => index);
  const inner = names.includes("threads") ? ", $inner: Int!" : "";
  const nestedVariables = nested.map((i) => `, $thread${i}: ID!, $after${i}: String`).join("");
  const reacted = Array.from({ length: lists }, (_, index) => index);
  const reactedVariables = reacted.map((i) => `, $reacted${i}: ID!, $reactedAfter${i}: String`).join("");
  return `
query ReadMore(${PULL_REQUEST_VARIABLES}, $size: Int!${inner}${cursors(names)}${nestedVariables}${reactedVariables}${reviewPlanVariables(plan)}) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      ${PIN}
      threadTotal: reviewThreads(first: 1) { totalCount }
      commentTotal: comments(first: 1) { totalCount }
      reviewTotal: reviews(first: 1) { totalCount }
      requestTotal: reviewRequests(first: 1) { totalCount }
      ${rollup(missing, `contextTotal: contexts(first: 1) { totalCount } ${names.includes("contexts") ? contexts(missing) : ""}`)}
      ${names
        .filter((name) => name !== "contexts")
        .map((name) => connection(name, missing))
        .join("\n      ")}
      ${plan.pages.map((page, i) => reviewPage(page, i, missing)).join("\n      ")}
      ${plan.reviewers ? "reviewers: latestReviews(first: 100) { nodes { author { __typename login } } }" : ""}
    }
  }
  ${nested
    .map(
      (i) =>
        `thread${i}: node(id: $thread${i}) { ... on PullRequestReviewThread { id ${reviewComments(missing, `first: $size, after: $after${i}`)} } }`,
    )
    .join("\n  ")}
  ${reacted
    .map((i) => {
      const more = reactions(missing, `first: $size, after: $reactedAfter${i}`);
      return `reacted${i}: node(id: $reacted${i}) { id ... on PullRequest { ${more} } ... on IssueComment { ${more} } }`;
    })
    .join("\n  ")}
  ${plan.lookups.map((_, i) => `named${i}: nodes(ids: $ids${i}) { ... on PullRequestReview { ${review(missing)} pullRequest { id } } }`).join("\n  ")}
}`;
};

/** A reaction need not move the time of what it is to. */
const newestReactors = (missing: Missing): string => reactions(missing, "last: 1");

/** One point: connections are charged by how often they are asked for, not by how many nodes each may bring. */
export const pulseQuery = (missing: Missing): string => `
query Pulse(${PULL_REQUEST_VARIABLES}) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      ${PIN} updatedAt lastEditedAt locked mergeable reviewDecision
      ${unless(missing, "PullRequest.mergeStateStatus", "mergeStateStatus")}
      ${unless(missing, "PullRequest.isInMergeQueue", "isInMergeQueue")}
      ${newestReactors(missing)}
      earliestComments: comments(first: 20) { nodes { id updatedAt } }
      ${unless(missing, "ReactionGroup.reactors", `newestComments: comments(last: 20) { nodes { id ${newestReactors(missing)} } }`)}
      comments(last: 100) { totalCount nodes { id updatedAt } }
      reviews(last: 100) { totalCount nodes { id state updatedAt } }
      reviewRequests(first: 50) { totalCount nodes { id } }
      reviewThreads(last: 100) { totalCount nodes { id isResolved isOutdated comments(last: 10) { totalCount nodes { id updatedAt } } } }
      ${rollup(
        missing,
        `state contexts(first: 100) { totalCount nodes {
          __typename
          ... on CheckRun { id status conclusion startedAt completedAt }
          ... on StatusContext { id state createdAt }
        } }`,
      )}
    }
  }
}`;

/** Who takes part in reviews here: the 20 last updated pull requests in one request. */
export const RECENT_QUERY = `
query Recent($owner: String!, $name: String!) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) {
    pullRequests(first: 20, orderBy: { field: UPDATED_AT, direction: DESC }) { nodes {
      comments(first: 50) { nodes { author { __typename login } authorAssociation } }
      reviews(last: 50) { nodes { author { __typename login } authorAssociation } }
      reviewRequests(first: 20) { nodes { requestedReviewer { ${REVIEWER} } } }
      commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 50) { nodes {
        __typename
        ... on CheckRun { checkSuite { app { slug } } }
      } } } } } }
    } }
  }
}`;

export const VIEWER_QUERY = "query Viewer { rateLimit { cost } viewer { id login } }";
