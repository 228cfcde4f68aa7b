/** GitHub's GraphQL answers as this adapter selects them. Whatever the schema lets be null is null here too. */

export interface Actor {
  readonly __typename: string;
  readonly login: string;
}

export interface Connection<T> {
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly (T | null)[] | null;
}
/** A page that may have been read from either end. */
export interface TwoWayConnection<T> {
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly endCursor: string | null;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
  };
  readonly nodes: readonly (T | null)[] | null;
}
export interface Counted {
  readonly totalCount: number;
}

export interface WireMessage {
  readonly id: string;
  readonly fullDatabaseId?: string | number | null;
  readonly databaseId?: number | null;
  readonly author: Actor | null;
  readonly authorAssociation: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEditedAt: string | null;
  readonly editor: { readonly login: string } | null;
  readonly url: string;
  readonly isMinimized: boolean;
  readonly viewerCanMinimize: boolean;
}

/** One emoji and who chose it. */
export interface WireReactions {
  readonly content: string;
  readonly reactors: {
    readonly totalCount: number;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly edges:
      | readonly ({
          readonly reactedAt: string;
          readonly node: (Actor & { readonly databaseId?: number | null }) | null;
        } | null)[]
      | null;
  } | null;
}
/** Absent where the server knows no reactors. */
export interface WireReacted {
  readonly reactionGroups?: readonly WireReactions[] | null;
}
export type WireComment = WireMessage & WireReacted;

export interface WireReviewComment extends WireMessage {
  readonly state: string;
  readonly originalCommit: { readonly oid: string } | null;
  readonly pullRequestReview: { readonly id: string } | null;
}

export interface WireThread {
  readonly id: string;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly path: string;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly originalLine: number | null;
  readonly diffSide: "LEFT" | "RIGHT";
  readonly subjectType: "LINE" | "FILE";
  readonly viewerCanResolve: boolean;
  readonly viewerCanReply: boolean;
  readonly pullRequest: { readonly id: string };
  readonly comments: Connection<WireReviewComment> | null;
}

export interface WireReview extends WireMessage {
  readonly state: "PENDING" | "COMMENTED" | "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED";
  readonly submittedAt: string | null;
  readonly commit: { readonly oid: string } | null;
}

/** A review looked up by its id; without an id it is something else. */
export interface WireNamedReview extends WireReview {
  readonly pullRequest: { readonly id: string } | null;
}

export interface WireCheckRun {
  readonly __typename: "CheckRun";
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly detailsUrl: string | null;
  readonly permalink: string;
  readonly title: string | null;
  readonly summary: string | null;
  readonly isRequired?: boolean;
  readonly checkSuite: {
    readonly createdAt: string;
    readonly app: { readonly slug: string } | null;
    readonly workflowRun: { readonly event: string; readonly workflow: { readonly name: string } } | null;
  };
}
export interface WireStatus {
  readonly __typename: "StatusContext";
  readonly id: string;
  readonly context: string;
  readonly state: string;
  readonly createdAt: string;
  readonly targetUrl: string | null;
  readonly description: string | null;
  readonly isRequired?: boolean;
}
export type WireContext = WireCheckRun | WireStatus;

export interface WireReviewer {
  readonly __typename: string;
  readonly login?: string;
  readonly combinedSlug?: string;
}

export interface WireRequest {
  readonly id: string;
  readonly asCodeOwner: boolean;
  readonly requestedReviewer: WireReviewer | null;
}

export interface WireEvent {
  readonly __typename: string;
  readonly id: string;
  readonly createdAt: string;
  readonly actor: { readonly login: string } | null;
  readonly requestedReviewer?: WireReviewer | null;
  readonly beforeCommit?: { readonly oid: string } | null;
  readonly afterCommit?: { readonly oid: string } | null;
}

export interface WireRollup {
  readonly contexts?: Connection<WireContext> | null;
  readonly contextTotal?: Counted | null;
}

/** What must not change from the first request of a read to its last. */
export interface WirePin {
  readonly headRefOid: string;
  readonly baseRefOid: string;
  readonly state: string;
  readonly isDraft: boolean;
}

export interface WireConnections {
  readonly reviewThreads?: Connection<WireThread> | null;
  readonly comments?: Connection<WireComment> | null;
  readonly reviews?: Connection<WireReview> | null;
  readonly reviewRequests?: Connection<WireRequest> | null;
  readonly timelineItems?: Connection<WireEvent> | null;
  /** Undefined where the server has no such field on a pull request (see `commits`). */
  readonly statusCheckRollup?: WireRollup | null;
  readonly commits?: {
    readonly nodes: readonly ({ readonly commit: { readonly oid: string; readonly statusCheckRollup: WireRollup | null } } | null)[] | null;
  } | null;
}

export interface WireTotals {
  readonly threadTotal: Counted;
  readonly commentTotal: Counted;
  readonly reviewTotal: Counted | null;
  readonly requestTotal: Counted | null;
}

export interface WireDetails extends WirePin, WireReacted {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly editor: { readonly login: string } | null;
  readonly author: Actor | null;
  readonly authorAssociation: string;
  readonly locked: boolean;
  readonly isInMergeQueue?: boolean;
  readonly headRefName: string;
  readonly baseRefName: string;
  readonly headRepository: { readonly name: string; readonly url: string; readonly owner: { readonly login: string } } | null;
  readonly isCrossRepository: boolean;
  readonly maintainerCanModify: boolean;
  readonly mergeable: "MERGEABLE" | "CONFLICTING" | "UNKNOWN";
  readonly mergeStateStatus?: string;
  readonly reviewDecision: "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED" | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly baseRef: {
    readonly refUpdateRule?: {
      readonly requiresConversationResolution: boolean;
      readonly requiredStatusCheckContexts: readonly (string | null)[] | null;
    } | null;
  } | null;
}

export interface WireRepository {
  readonly url: string;
  readonly isArchived: boolean;
  readonly viewerPermission: string | null;
}

export interface WireViewer {
  readonly id: string;
  readonly login: string;
}
