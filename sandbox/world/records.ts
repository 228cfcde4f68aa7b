/**
 * The state of the world as records. Who holds a record may read it; only actions of the world change it.
 * Logins are bare (`greptile-apps`, without `[bot]`), times are milliseconds on whole seconds.
 */
import type { Association, Instant, ReviewState, Sha } from "../../core/index.js";
import type { RepositoryName } from "./repositories.js";

export type Permission = "admin" | "maintain" | "write" | "triage" | "read" | "none";

export interface AccountRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly login: string;
  readonly kind: "user" | "bot" | "organization" | "mannequin";
  /** A bot that can be asked for a review as people can. */
  readonly requestable: boolean;
  /** Spellings that some surfaces use instead of `login` (Copilot). */
  readonly spelling: { readonly inlineComment?: string; readonly event?: string };
  /** Members, for an organization. */
  readonly members: Set<string>;
  /** Its posts stay, their author is nobody (`ghost`). */
  deleted: boolean;
}

/** What a token may do. A classic token may do all that its account may. */
export interface Grant {
  readonly token: "classic" | "fine-grained" | "app" | "actions";
  readonly permissions: Readonly<
    Partial<Record<"contents" | "pullRequests" | "issues" | "checks" | "statuses" | "actions", "read" | "write">>
  >;
}
/** An account that acts, through what. */
export interface Session {
  readonly login: string;
  readonly grant: Grant;
}
/** A login stands for that account with a classic token (an app's: with all permissions). */
export type Acting = string | Session;

export interface Protection {
  readonly requiredChecks: readonly string[];
  readonly requiresConversationResolution: boolean;
  readonly requiredApprovals: number;
  /** The head must contain the base's tip. */
  readonly upToDate: boolean;
  readonly dismissStaleReviews: boolean;
}

export interface RepositoryRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: RepositoryName;
  readonly defaultBranch: string;
  readonly forkOf?: RepositoryName;
  private: boolean;
  archived: boolean;
  readonly access: Map<string, Permission>;
  readonly associations: Map<string, Association>;
  readonly protections: Map<string, Protection>;
  readonly pullRequests: Map<number, PullRequestRecord>;
  readonly issues: Map<number, IssueRecord>;
  /** Who is asked for a review when a pull request is (or becomes) ready. */
  codeOwners: readonly string[];
  nextNumber: number;
}

export interface IssueRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly createdAt: Instant;
}

/** A body somebody posted and may edit in place. */
export interface Posted {
  readonly id: string;
  readonly databaseId: number;
  readonly author: string;
  body: string;
  readonly createdAt: Instant;
  updatedAt: Instant;
  lastEditedAt?: Instant;
  editor?: string;
  /** The reason in lower case (`outdated`), where it is hidden. */
  minimised?: string;
  readonly reactions: ReactionRecord[];
}
export interface ReactionRecord {
  readonly by: string;
  readonly content: Reaction;
  readonly at: Instant;
}
export type Reaction = "THUMBS_UP" | "THUMBS_DOWN" | "LAUGH" | "HOORAY" | "CONFUSED" | "HEART" | "ROCKET" | "EYES";

export interface IssueCommentRecord extends Posted {
  readonly kind: "issue-comment";
  readonly pullRequest: string;
}

export interface ReviewCommentRecord extends Posted {
  readonly kind: "review-comment";
  readonly thread: string;
  /** The review it belongs to. */
  readonly review: string;
  readonly originalCommit: Sha;
  readonly diffHunk: string;
  /** Id of the thread's root comment; absent for the root itself. */
  readonly replyTo?: string;
  state: "PENDING" | "SUBMITTED";
  publishedAt?: Instant;
}

export interface ReviewRecord extends Posted {
  readonly kind: "review";
  readonly pullRequest: string;
  state: ReviewState;
  /** `null` once the commit was collected as garbage. */
  commit: Sha | null;
  submittedAt?: Instant;
}

export interface ThreadRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly pullRequest: string;
  readonly path: string;
  readonly side: "LEFT" | "RIGHT";
  readonly subject: "line" | "file";
  line: number | null;
  startLine: number | null;
  readonly originalLine: number | null;
  readonly originalStartLine: number | null;
  readonly originalCommit: Sha;
  outdated: boolean;
  resolved: boolean;
  resolvedBy?: string;
  readonly comments: ReviewCommentRecord[];
}

export interface RequestRecord {
  /** Login, or `organization/slug` of a team. */
  readonly login: string;
  readonly kind: "user" | "bot" | "team" | "mannequin";
  readonly asCodeOwner: boolean;
  readonly by: string;
  readonly at: Instant;
}

export interface TimelineRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly kind:
    | "review-requested"
    | "review-request-removed"
    | "review-dismissed"
    | "ready-for-review"
    | "convert-to-draft"
    | "force-pushed"
    | "closed"
    | "reopened"
    | "merged"
    | "locked"
    | "unlocked"
    | "added-to-merge-queue"
    | "removed-from-merge-queue"
    | "comment-deleted"
    | "renamed-title";
  readonly at: Instant;
  readonly actor: string;
  readonly subject?: string;
  readonly before?: Sha;
  readonly after?: Sha;
}

export interface CheckRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly suite: { readonly id: string; readonly databaseId: number };
  readonly repository: RepositoryName;
  readonly head: Sha;
  readonly name: string;
  /** Login of the app that owns the run. */
  readonly app: string;
  readonly workflow?: { readonly name: string; readonly event: string };
  status: "QUEUED" | "IN_PROGRESS" | "COMPLETED" | "WAITING" | "PENDING" | "REQUESTED";
  conclusion?: CheckConclusion;
  readonly createdAt: Instant;
  startedAt?: Instant;
  completedAt?: Instant;
  url: string;
  title?: string;
  summary?: string;
  /** What the job printed. */
  log?: string;
}
export type CheckConclusion =
  | "SUCCESS"
  | "NEUTRAL"
  | "SKIPPED"
  | "FAILURE"
  | "CANCELLED"
  | "TIMED_OUT"
  | "ACTION_REQUIRED"
  | "STALE"
  | "STARTUP_FAILURE";

/** A commit status is never changed: a newer one of the same context stands for it. */
export interface StatusRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly repository: RepositoryName;
  readonly head: Sha;
  readonly context: string;
  readonly state: "SUCCESS" | "PENDING" | "EXPECTED" | "FAILURE" | "ERROR";
  readonly description?: string;
  readonly url?: string;
  readonly creator: string;
  readonly createdAt: Instant;
}

export interface PullRequestRecord {
  readonly id: string;
  readonly databaseId: number;
  readonly repository: RepositoryName;
  readonly number: number;
  readonly author: string;
  title: string;
  body: string;
  bodyEditedAt?: Instant;
  bodyEditor?: string;
  state: "open" | "closed" | "merged";
  draft: boolean;
  locked: boolean;
  inMergeQueue: boolean;
  base: { branch: string; sha: Sha };
  /** `repository` is null once the fork was deleted. */
  head: { repository: RepositoryName | null; branch: string; sha: Sha };
  readonly maintainerCanModify: boolean;
  readonly createdAt: Instant;
  updatedAt: Instant;
  closedAt?: Instant;
  mergedAt?: Instant;
  readonly threads: ThreadRecord[];
  readonly reviews: ReviewRecord[];
  readonly comments: IssueCommentRecord[];
  /** To the description. */
  readonly reactions: ReactionRecord[];
  readonly requests: RequestRecord[];
  readonly timeline: TimelineRecord[];
  /** Deployed previews of heads. */
  readonly deployments: {
    readonly head: Sha;
    readonly environment: string;
    readonly state: string;
    readonly url: string;
    readonly at: Instant;
  }[];
  /** Reads of the merge state since it was last made unknown (for the fault `merge-state-unknown`). */
  mergeReads: number;
  /** Reads of the merge state since a thread was resolved last. */
  readsSinceResolve?: number;
}

/** Everything with a node id. */
export type Node =
  | { readonly type: "account"; readonly value: AccountRecord }
  | { readonly type: "repository"; readonly value: RepositoryRecord }
  | { readonly type: "pull-request"; readonly value: PullRequestRecord }
  | { readonly type: "issue"; readonly value: IssueRecord }
  | { readonly type: "thread"; readonly value: ThreadRecord }
  | { readonly type: "review-comment"; readonly value: ReviewCommentRecord }
  | { readonly type: "review"; readonly value: ReviewRecord }
  | { readonly type: "issue-comment"; readonly value: IssueCommentRecord }
  | { readonly type: "check"; readonly value: CheckRecord }
  | { readonly type: "status"; readonly value: StatusRecord };
