/** What GitHub's own command line (2.23 and 2.46) sends, written down from its requests. */
const ROLLUP = `statusCheckRollup: commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 100) { nodes { __typename
  ... on StatusContext { context state targetUrl createdAt description }
  ... on CheckRun { name checkSuite { workflowRun { event workflow { name } } } status conclusion startedAt completedAt detailsUrl }
} pageInfo { hasNextPage endCursor } } } } } }`;
const WHO =
  "id author { login ... on User { id name } } authorAssociation body createdAt includesCreatedEdit isMinimized minimizedReason reactionGroups { content users { totalCount } } url viewerDidAuthor";

/** What GitHub's command line sends, by command. */
export const CLI_QUERIES: Readonly<Record<string, string>> = {
  "auth status": "query UserCurrent { viewer { login } }",
  "pr view --json": `query PullRequestByNumber { repository(owner: "ada", name: "shop") { pullRequest(number: 7) { number title state isDraft headRefOid mergeable mergeStateStatus ${ROLLUP}
    reviews(first: 100) { nodes { id author { login } authorAssociation submittedAt body state commit { oid } reactionGroups { content users { totalCount } } } pageInfo { hasNextPage endCursor } totalCount } url id } } }`,
  "pr view --json (all)": `query { repository(owner: "ada", name: "shop") { pullRequest(number: 7) { comments(first: 100) { nodes { ${WHO} } pageInfo { hasNextPage endCursor } totalCount }
    reviewRequests(first: 100) { nodes { requestedReviewer { __typename ... on User { login } ... on Team { organization { login } name slug } } } }
    reviewDecision latestReviews(first: 100) { nodes { author { login } authorAssociation submittedAt body state } } files(first: 100) { nodes { additions deletions path } }
    commits(first: 100) { nodes { commit { authors(first: 100) { nodes { name email user { id login } } } messageHeadline messageBody oid committedDate authoredDate } } } } } }`,
  "pr view": `query { repository(owner: "ada", name: "shop") { pullRequest(number: 7) { maintainerCanModify additions deletions commits { totalCount } headRepositoryOwner { id login ... on User { name } }
    headRepository { id name } isCrossRepository assignees(first: 100) { nodes { id login name } totalCount } labels(first: 100) { nodes { id name description color } totalCount }
    projectCards(first: 100) { nodes { project { name } column { name } } totalCount } milestone { number title description dueOn } reactionGroups { content users { totalCount } }
    autoMergeRequest { authorEmail commitBody commitHeadline mergeMethod enabledAt enabledBy { login } } } } }`,
  "pr checks": `query PullRequestStatusChecks($id: ID!, $endCursor: String) { node(id: $id) { ... on PullRequest { statusCheckRollup: commits(last: 1) { nodes { commit { statusCheckRollup {
    contexts(first: 100, after: $endCursor) { nodes { __typename ... on StatusContext { context state targetUrl createdAt isRequired(pullRequestId: $id) }
    ... on CheckRun { name checkSuite { workflowRun { event workflow { name } } } status conclusion startedAt completedAt detailsUrl isRequired(pullRequestId: $id) } } pageInfo { hasNextPage endCursor } } } } } } } } }`,
  "pr edit": `query { repository(owner: "ada", name: "shop") { assignableUsers(first: 100) { nodes { id login name } pageInfo { hasNextPage endCursor } }
    pullRequest(number: 7) { id projectItems(first: 100) { nodes { id project { id title } } totalCount } } } viewer { login } }`,
  "repo view": `query RepositoryInfo { repository(owner: "ada", name: "shop") { nameWithOwner id name owner { login } hasIssuesEnabled viewerPermission defaultBranchRef { name } mergeCommitAllowed parent { id name owner { login } } } }`,
};
