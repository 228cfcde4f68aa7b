/** GitHub's words into ours. Pure. */
import type {
  Association,
  Author,
  Instant,
  MergeState,
  Message,
  Place,
  PullRequest,
  PullRequestRef,
  Review,
  ReviewRequest,
  ReviewThread,
  TimelineEvent,
  Viewer,
} from "../../model.js";
import type {
  Actor,
  WireDetails,
  WireEvent,
  WireMessage,
  WireRepository,
  WireRequest,
  WireReview,
  WireReviewComment,
  WireReviewer,
  WireThread,
  WireViewer,
} from "./wire.js";

/** GraphQL names a bot without the suffix that REST gives it. */
export const normalised = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, "");

const ASSOCIATIONS: ReadonlySet<string> = new Set<Association>([
  "OWNER",
  "MEMBER",
  "COLLABORATOR",
  "CONTRIBUTOR",
  "FIRST_TIMER",
  "FIRST_TIME_CONTRIBUTOR",
  "MANNEQUIN",
  "NONE",
]);
const isAssociation = (value: string): value is Association => ASSOCIATIONS.has(value);

const KINDS: Readonly<Record<string, Author["kind"]>> = {
  User: "user",
  EnterpriseUserAccount: "user",
  Bot: "bot",
  Organization: "organization",
  Mannequin: "mannequin",
};

/** `null` is a deleted account. */
export const authorOf = (actor: Actor | null, association: string): Author => ({
  login: actor === null ? "ghost" : normalised(actor.login),
  kind: actor === null ? "ghost" : (KINDS[actor.__typename] ?? "user"),
  association: isAssociation(association) ? association : "NONE",
});

/** The viewer is typed as a user even for an app's token; only login, id or the token itself give it away. */
export const viewerOf = (viewer: WireViewer, token: string): Viewer => ({
  login: normalised(viewer.login),
  kind: viewer.login.endsWith("[bot]") || viewer.id.startsWith("BOT_") || token.startsWith("ghs_") ? "bot" : "user",
});

const instant = (value: string): Instant => Date.parse(value);

const databaseIdOf = (message: WireMessage): string => String(message.fullDatabaseId ?? message.databaseId ?? "");

/** The order in which posts were made; ids grow, and time alone can't tell what came in one second. */
export const byCreation = (a: WireMessage, b: WireMessage): number => {
  const [one, other] = [databaseIdOf(a), databaseIdOf(b)];
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
};

const messageOf = (message: WireMessage, more: { pending: boolean; commit?: string | undefined }): Message => ({
  id: message.id,
  databaseId: databaseIdOf(message),
  author: authorOf(message.author, message.authorAssociation),
  body: message.body,
  createdAt: instant(message.createdAt),
  updatedAt: instant(message.updatedAt),
  url: message.url,
  minimised: message.isMinimized,
  pending: more.pending,
  viewerCanMinimise: message.viewerCanMinimize,
  ...(message.lastEditedAt === null || message.editor === null ? {} : { editor: normalised(message.editor.login) }),
  ...(more.commit === undefined ? {} : { commit: more.commit }),
});

export const commentOf = (comment: WireMessage): Message => messageOf(comment, { pending: false });

export const reviewOf = (review: WireReview): Review => ({
  message: messageOf(review, { pending: review.state === "PENDING", commit: review.commit?.oid }),
  state: review.state,
  ...(review.commit === null ? {} : { commit: review.commit.oid }),
  ...(review.submittedAt === null ? {} : { submittedAt: instant(review.submittedAt) }),
});

const placeOf = (thread: WireThread): Place => ({
  path: thread.path,
  side: thread.diffSide,
  subject: thread.subjectType === "FILE" ? "file" : "line",
  outdated: thread.isOutdated,
  ...(thread.line === null ? {} : { line: thread.line }),
  ...(thread.startLine === null ? {} : { startLine: thread.startLine }),
  ...(thread.originalLine === null ? {} : { originalLine: thread.originalLine }),
});

export const threadOf = (thread: WireThread, comments: readonly WireReviewComment[]): ReviewThread => {
  const review = comments[0]?.pullRequestReview?.id;
  return {
    id: thread.id,
    resolved: thread.isResolved,
    place: placeOf(thread),
    messages: comments.map((comment) => messageOf(comment, { pending: comment.state === "PENDING", commit: comment.originalCommit?.oid })),
    viewerCanResolve: thread.viewerCanResolve,
    viewerCanReply: thread.viewerCanReply,
    ...(review === undefined ? {} : { review }),
  };
};

const REVIEWER_KINDS: Readonly<Record<string, ReviewRequest["kind"]>> = {
  User: "user",
  Bot: "bot",
  Mannequin: "mannequin",
  Team: "team",
  EnterpriseTeam: "team",
};
const reviewerLogin = (reviewer: WireReviewer): string => normalised(reviewer.login ?? reviewer.combinedSlug ?? "");

/** A reviewer that this account can't see, or of a type we don't know, is still a request. */
export const requestOf = (request: WireRequest): ReviewRequest => ({
  login: request.requestedReviewer === null ? "" : reviewerLogin(request.requestedReviewer),
  kind: REVIEWER_KINDS[request.requestedReviewer?.__typename ?? ""] ?? "unknown",
  asCodeOwner: request.asCodeOwner,
});

const EVENT_KINDS: Readonly<Record<string, TimelineEvent["kind"]>> = {
  ReviewRequestedEvent: "review-requested",
  ReviewRequestRemovedEvent: "review-request-removed",
  ReadyForReviewEvent: "ready-for-review",
  ConvertToDraftEvent: "convert-to-draft",
  HeadRefForcePushedEvent: "force-pushed",
};

export const eventOf = (event: WireEvent): TimelineEvent => {
  const subject = event.requestedReviewer === null || event.requestedReviewer === undefined ? "" : reviewerLogin(event.requestedReviewer);
  return {
    kind: EVENT_KINDS[event.__typename] ?? "other",
    at: instant(event.createdAt),
    ...(event.actor === null ? {} : { actor: normalised(event.actor.login) }),
    ...(subject === "" ? {} : { subject }),
    ...(event.beforeCommit ? { before: event.beforeCommit.oid } : {}),
    ...(event.afterCommit ? { after: event.afterCommit.oid } : {}),
  };
};

const MERGE_STATES: ReadonlySet<string> = new Set<MergeState>([
  "BEHIND",
  "BLOCKED",
  "CLEAN",
  "DIRTY",
  "DRAFT",
  "HAS_HOOKS",
  "UNKNOWN",
  "UNSTABLE",
]);
const isMergeState = (value: string): value is MergeState => MERGE_STATES.has(value);
export const mergeStateOf = (word: string | null | undefined): MergeState => {
  const upper = (word ?? "UNKNOWN").toUpperCase();
  return isMergeState(upper) ? upper : "UNKNOWN";
};

const STATES: Readonly<Record<string, PullRequest["state"]>> = { OPEN: "open", CLOSED: "closed", MERGED: "merged" };
/** A state we don't know is not open: nothing is written to it. */
export const stateOf = (word: string): PullRequest["state"] => STATES[word] ?? "closed";

const PERMISSIONS: Readonly<Record<string, PullRequest["viewerPermission"]>> = {
  ADMIN: "admin",
  MAINTAIN: "maintain",
  WRITE: "write",
  TRIAGE: "triage",
  READ: "read",
};

/** What the base branch demands; from GraphQL, or from REST where GraphQL does not tell. */
export interface BaseRules {
  readonly requiresConversationResolution: boolean;
  readonly requiredChecks: readonly string[];
}

export const rulesOf = (details: WireDetails): BaseRules => {
  const rule = details.baseRef?.refUpdateRule;
  return {
    requiresConversationResolution: rule?.requiresConversationResolution ?? false,
    requiredChecks: (rule?.requiredStatusCheckContexts ?? []).filter((name) => name !== null),
  };
};

const cloneUrl = (url: string): string => `${url}.git`;

export const pullRequestOf = (
  ref: PullRequestRef,
  details: WireDetails,
  repository: WireRepository,
  rules: BaseRules,
  mergeState: MergeState,
): PullRequest => {
  const head = details.headRepository;
  return {
    ref: { host: ref.host, owner: ref.owner, name: ref.name, number: ref.number },
    id: details.id,
    url: details.url,
    title: details.title,
    body: details.body,
    author: authorOf(details.author, details.authorAssociation),
    state: stateOf(details.state),
    draft: details.isDraft,
    locked: details.locked,
    archived: repository.isArchived,
    inMergeQueue: details.isInMergeQueue ?? false,
    head: {
      sha: details.headRefOid,
      branch: details.headRefName,
      ...(head === null ? {} : { repository: { owner: head.owner.login, name: head.name, cloneUrl: cloneUrl(head.url) } }),
    },
    base: { sha: details.baseRefOid, branch: details.baseRefName, cloneUrl: cloneUrl(repository.url) },
    fork: details.isCrossRepository,
    maintainerCanModify: details.maintainerCanModify,
    viewerPermission: PERMISSIONS[repository.viewerPermission ?? ""] ?? "none",
    mergeable: details.mergeable,
    mergeState,
    requiresConversationResolution: rules.requiresConversationResolution,
    requiredChecks: rules.requiredChecks,
    createdAt: instant(details.createdAt),
    updatedAt: instant(details.updatedAt),
    ...(details.editor === null ? {} : { bodyEditor: normalised(details.editor.login) }),
    ...(details.reviewDecision === null ? {} : { reviewDecision: details.reviewDecision }),
  };
};
