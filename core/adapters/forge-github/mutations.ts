/** Query texts of the writes. No connection stands in a mutation's answer: without `first` it would fail after taking effect. */

/** How many aliased changes travel in one mutation. */
export const BATCH = 20;

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join("\n  ");

const lookQuery = (count: number, selection: string): string => `
query Look(${times(count, (i) => `$id${i}: ID!`)}) {
  rateLimit { cost }
  ${times(count, (i) => `n${i}: node(id: $id${i}) { ${selection} }`)}
}`;

export const threadsQuery = (count: number): string =>
  lookQuery(count, "... on PullRequestReviewThread { id isResolved viewerCanResolve pullRequest { id } }");

// `pullRequest` of a conversation comment may be null, of the others not: two types, so two names.
const POSTS = (selection: string): string =>
  `__typename
   ... on IssueComment { id url ${selection} conversation: pullRequest { id } }
   ... on PullRequestReview { id url ${selection} pullRequest { id } }
   ... on PullRequestReviewComment { id url ${selection} pullRequest { id } }`;

export const minimisedQuery = (count: number): string => lookQuery(count, POSTS("isMinimized viewerCanMinimize"));
export const bodyQuery = (): string => lookQuery(1, POSTS("body viewerCanUpdate"));

const changeMutation = (count: number, variables: (index: number) => string, change: (index: number) => string): string => `
mutation Change(${times(count, variables)}) {
  ${times(count, (i) => `m${i}: ${change(i)}`)}
}`;

export const resolveMutation = (count: number): string =>
  changeMutation(
    count,
    (i) => `$id${i}: ID!`,
    (i) => `resolveReviewThread(input: { threadId: $id${i} }) { thread { id isResolved } }`,
  );

export const minimiseMutation = (count: number): string =>
  changeMutation(
    count,
    (i) => `$id${i}: ID!`,
    (i) => `minimizeComment(input: { subjectId: $id${i}, classifier: OUTDATED }) { minimizedComment { isMinimized } }`,
  );

/** By the type of what carries the body. */
export const EDITS: Readonly<Record<string, string>> = {
  IssueComment: "updateIssueComment(input: { id: $id0, body: $body }) { edited: issueComment { body } }",
  PullRequestReview: "updatePullRequestReview(input: { pullRequestReviewId: $id0, body: $body }) { edited: pullRequestReview { body } }",
  PullRequestReviewComment:
    "updatePullRequestReviewComment(input: { pullRequestReviewCommentId: $id0, body: $body }) { edited: pullRequestReviewComment { body } }",
  PullRequest: "updatePullRequest(input: { pullRequestId: $id0, body: $body }) { edited: pullRequest { body } }",
};
export const editMutation = (edit: string): string =>
  changeMutation(
    1,
    () => "$id0: ID!, $body: String!",
    () => edit,
  );

export const DRAFTS = {
  "mark-ready": "markPullRequestReadyForReview(input: { pullRequestId: $id0 }) { pullRequest { isDraft } }",
  "mark-draft": "convertPullRequestToDraft(input: { pullRequestId: $id0 }) { pullRequest { isDraft } }",
} as const;
export const draftMutation = (kind: keyof typeof DRAFTS): string =>
  changeMutation(
    1,
    () => "$id0: ID!",
    () => DRAFTS[kind],
  );

const PULL_REQUEST = "$owner: String!, $name: String!, $number: Int!";

export const STATE_QUERY = `
query State(${PULL_REQUEST}) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { id url body isDraft } }
}`;

export const REQUESTS_QUERY = `
query Requests(${PULL_REQUEST}) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewRequests(first: 100) { nodes { requestedReviewer {
      __typename ... on User { login } ... on Bot { login } ... on Mannequin { login } ... on Team { combinedSlug }
    } } }
    reviews(last: 50) { nodes { id author { login } } }
    timelineItems(last: 50, itemTypes: [REVIEW_REQUESTED_EVENT]) { nodes { ... on ReviewRequestedEvent { id requestedReviewer {
      __typename ... on User { login } ... on Bot { login } ... on Mannequin { login } ... on Team { combinedSlug }
    } } } }
  } }
}`;

/** REST's number of a review comment that is known by its node id. */
export const numberQuery = (field: "fullDatabaseId" | "databaseId"): string => `
query Number($id: ID!) {
  rateLimit { cost }
  node(id: $id) { ... on PullRequestReviewComment { number: ${field} } }
}`;
