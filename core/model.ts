/**
 * Data only: the words of the design as types. Nothing here runs.
 *
 * Times are `Instant`: milliseconds since the epoch, UTC. GitHub's own times have a resolution of one second.
 * Everything is JSON: no `Date`, no `Map`, no class, so that the journal, a plan and a report are the data itself.
 */

export type Instant = number;
/** A full commit id (40 hexadecimal digits). In working-tree scope: the tree hash that stands for the head. */
export type Sha = string;
/** A git tree id. Two revisions with equal trees are equal for every gate. */
export type Tree = string;
/** A duration as written in a config: `"250ms"`, `"10s"`, `"5m"`, `"8h"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

// ---------------------------------------------------------------- what GitHub says

export interface RepositoryRef {
  /** Host name of the web pages, `github.com` unless configured. */
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

export interface PullRequestRef extends RepositoryRef {
  readonly number: number;
}

export type Association =
  | "OWNER"
  | "MEMBER"
  | "COLLABORATOR"
  | "CONTRIBUTOR"
  | "FIRST_TIMER"
  | "FIRST_TIME_CONTRIBUTOR"
  | "MANNEQUIN"
  | "NONE";

export interface Author {
  /** Normalised: one trailing `[bot]` stripped, lower case. `ghost` for a deleted account. */
  readonly login: string;
  /** From GraphQL's `__typename`; a person can't be `bot`. */
  readonly kind: "user" | "bot" | "organization" | "mannequin" | "ghost";
  readonly association: Association;
}

/** The account whose token is used. */
export interface Viewer {
  readonly login: string;
  readonly kind: "user" | "bot";
}

/** One text somebody posted: a comment of a thread, a review's body, a conversation comment. */
export interface Message {
  /** Node id. */
  readonly id: string;
  /** `fullDatabaseId` as a string: what REST calls `id`. */
  readonly databaseId: string;
  readonly author: Author;
  readonly body: string;
  readonly createdAt: Instant;
  /** Moves on an edit. */
  readonly updatedAt: Instant;
  /** Normalised login of the last editor, where the body was edited. */
  readonly editor?: string;
  readonly url: string;
  readonly minimised: boolean;
  /** Part of a review that was not submitted: only its author sees it. */
  readonly pending: boolean;
  /** The commit the comment was first made on (`originalCommit`), where there is one. */
  readonly commit?: Sha;
  readonly viewerCanMinimise: boolean;
}

export interface Place {
  readonly path: string;
  /** Line at head, last line of a range; absent for a file comment and for an outdated thread. */
  readonly line?: number;
  readonly startLine?: number;
  readonly originalLine?: number;
  readonly side: "LEFT" | "RIGHT";
  readonly subject: "line" | "file";
  readonly outdated: boolean;
}

/** An inline thread as GitHub has it. `messages[0]` raised it. */
export interface ReviewThread {
  readonly id: string;
  readonly resolved: boolean;
  readonly place: Place;
  readonly messages: readonly Message[];
  /** Node id of the review that raised it, where known. */
  readonly review?: string;
  readonly viewerCanResolve: boolean;
  readonly viewerCanReply: boolean;
}

export type ReviewState = "PENDING" | "COMMENTED" | "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED";

export interface Review {
  readonly message: Message;
  readonly state: ReviewState;
  /** The commit that was reviewed; absent where GitHub no longer knows it. */
  readonly commit?: Sha;
  readonly submittedAt?: Instant;
}

export type CheckState = "pending" | "success" | "neutral" | "skipped" | "failure" | "cancelled" | "stale";

/** A check run or a commit status of the head, superseded runs already dropped. */
export interface Check {
  readonly name: string;
  /** Slug of the app, for a check run. */
  readonly app?: string;
  readonly kind: "check-run" | "status";
  readonly state: CheckState;
  /** GitHub's own word (`ACTION_REQUIRED`, `EXPECTED`, ...). */
  readonly raw: string;
  readonly required: boolean;
  readonly head: Sha;
  readonly startedAt?: Instant;
  readonly completedAt?: Instant;
  readonly url?: string;
  /** The check's own summary or the status' description. */
  readonly summary?: string;
}

export interface ReviewRequest {
  readonly login: string;
  readonly kind: "user" | "bot" | "team" | "mannequin" | "unknown";
  readonly asCodeOwner: boolean;
}

/** A reaction to the pull request's description or to a comment of its conversation. */
export interface Reaction {
  /** Node id of the pull request or of the comment. */
  readonly on: string;
  readonly content: "+1" | "-1" | "laugh" | "confused" | "heart" | "hooray" | "rocket" | "eyes";
  /** Normalised. */
  readonly login: string;
  /** False where an app is named like a person, too; its `account` tells. */
  readonly bot: boolean;
  /** `databaseId` of the account, where known. */
  readonly account?: number;
  readonly at: Instant;
}

export interface TimelineEvent {
  readonly kind: "review-requested" | "review-request-removed" | "ready-for-review" | "convert-to-draft" | "force-pushed" | "other";
  readonly at: Instant;
  readonly actor?: string;
  readonly subject?: string;
  readonly before?: Sha;
  readonly after?: Sha;
}

export type MergeState = "BEHIND" | "BLOCKED" | "CLEAN" | "DIRTY" | "DRAFT" | "HAS_HOOKS" | "UNKNOWN" | "UNSTABLE";

export interface PullRequest {
  readonly ref: PullRequestRef;
  /** Node id. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly bodyEditor?: string;
  readonly author: Author;
  readonly state: "open" | "closed" | "merged";
  readonly draft: boolean;
  readonly locked: boolean;
  readonly archived: boolean;
  readonly inMergeQueue: boolean;
  readonly head: {
    readonly sha: Sha;
    readonly branch: string;
    readonly repository?: { readonly owner: string; readonly name: string; readonly cloneUrl: string };
  };
  readonly base: { readonly sha: Sha; readonly branch: string; readonly cloneUrl: string };
  readonly fork: boolean;
  readonly maintainerCanModify: boolean;
  readonly viewerPermission: "admin" | "maintain" | "write" | "triage" | "read" | "none";
  readonly mergeable: "MERGEABLE" | "CONFLICTING" | "UNKNOWN";
  readonly mergeState: MergeState;
  readonly reviewDecision?: "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED";
  readonly requiresConversationResolution: boolean;
  readonly requiredChecks: readonly string[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** One complete read of a pull request. A forge that can't read all of it throws; it never returns part of it. */
export interface Snapshot {
  readonly readAt: Instant;
  readonly viewer: Viewer;
  readonly pullRequest: PullRequest;
  readonly reviewThreads: readonly ReviewThread[];
  readonly reviews: readonly Review[];
  /** The conversation, oldest first. */
  readonly comments: readonly Message[];
  /** To the description and to comments of the conversation, oldest first. */
  readonly reactions: readonly Reaction[];
  /** `null`: nothing was registered for this head yet, which is not the same as "all green". */
  readonly checks: readonly Check[] | null;
  readonly requests: readonly ReviewRequest[];
  readonly timeline: readonly TimelineEvent[];
}

/** What one cheap look tells: equal pulses mean that nothing we wait for has moved. */
export interface Pulse {
  readonly head: Sha;
  readonly draft: boolean;
  readonly state: PullRequest["state"];
  /** Digest over everything that may move: times, counts, check states. */
  readonly digest: string;
}

// ---------------------------------------------------------------- what the loop makes of it

export type Severity = "critical" | "high" | "medium" | "low" | "suggestion" | "unknown";

export type ThreadSource = "inline" | "review" | "comment" | "summary" | "local" | "gate" | "check";

/**
 * Anything that waits for a fix or an answer.
 *
 * `id` is stable from read to read: GitHub's node id for an inline thread, else a key built from the source
 * (`review:<id>`, `comment:<id>`, `summary:<reviewer>:<key>`, `gate:<name>`, `check:<name>`).
 */
export interface Thread {
  readonly id: string;
  readonly source: ThreadSource;
  /** Where an answer goes: on the thread itself, in the conversation, or into the journal only. */
  readonly home: "inline" | "conversation" | "local";
  readonly author: Author;
  /** Name of the reviewer plugin that claimed it; absent for people and unknown bots. */
  readonly reviewer?: string;
  readonly title: string;
  readonly severity: Severity;
  readonly severityRaw?: string;
  /** Oldest first; `messages[0]` raised the point. */
  readonly messages: readonly Message[];
  readonly place?: Place;
  /** Of the node that carries the point (for `summary`: the comment or review it stands in). */
  readonly url: string;
  /** Node id of that carrier: what an answer in the conversation is grouped by. */
  readonly carrier: string;
  /** Hash over what others said here, cosmetic edits aside. An answer or a decision is bound to it. */
  readonly contentHash: string;
  /** False once GitHub says resolved, or once a point in a body was answered and the answer was read back. */
  readonly open: boolean;
  /** Why a closed one is closed, or why an open one holds nothing. */
  readonly closed?: "resolved" | "answered" | "recorded" | "heard";
  /** Our visible reply is newer than all that others said, and was made on this content hash. */
  readonly answered: boolean;
  /** How many replies of ours stand in it. */
  readonly replies: number;
  /** A stranger's words never cause an edit. */
  readonly trust: "trusted" | "stranger";
  readonly canReply: boolean;
  readonly canResolve: boolean;
  /** Points that belong together across reviewers carry the same stable id. */
  readonly stableId?: string;
}

export type SignalState = "absent" | "requested" | "running" | "reviewed" | "skipped" | "limited" | "paused" | "failed" | "unknown";

/** What one reviewer says about one head. */
export interface Signal {
  readonly reviewer: string;
  readonly state: SignalState;
  /** The head it is about; absent = it could not be bound to one, and satisfies nothing. */
  readonly head?: Sha;
  readonly score?: { readonly value: number; readonly max: number };
  readonly verdict?: "approve" | "needs-attention";
  readonly verdictRaw?: string;
  /**
   * What it says of itself. `posted`: comments on lines, of that review (in a review's body) or in all (in a summary or a check); `hidden`: points
   * without a thread, of which `outsideDiff` and `suppressed` are parts.
   */
  readonly counts?: { readonly posted?: number; readonly hidden?: number; readonly outsideDiff?: number; readonly suppressed?: number };
  readonly reason?: string;
  /** Milliseconds to wait before asking again, where the bot says so. */
  readonly retryAfter?: number;
  /** When the body or the check that says so was last changed. */
  readonly at?: Instant;
  /** A full look is due then, even where nothing has moved: only time makes it a result. */
  readonly lookAt?: Instant;
  readonly url?: string;
  /** For a local reviewer. */
  readonly exercised?: readonly string[];
  readonly notReached?: readonly string[];
  readonly direction?: string;
}

/** A reviewer as it stands on this pull request. */
export interface Party {
  readonly reviewer: string;
  readonly required: boolean;
  /** Its own post, check or request was seen in this repository. */
  readonly seen: boolean;
  /** The target wants its review: it is asked, awaited and may block. */
  readonly awaited: boolean;
}

export interface Inbox extends Snapshot {
  readonly threads: readonly Thread[];
  readonly signals: readonly Signal[];
  readonly parties: readonly Party[];
  /** Logins of bots that no reviewer plugin claims; listed, never triggered. */
  readonly unknownBots: readonly string[];
  /** Sentences for the report ("3 Devin flags are not visible through the API"). */
  readonly notes: readonly string[];
  /** Checks of the base commit, read where the head's need comparing; absent: not read. */
  readonly baseChecks?: readonly Check[] | null;
}

export type DecisionKind = "actionable" | "informational" | "false-positive" | "nitpick" | "judgment";

export interface Decision {
  readonly kind: DecisionKind;
  readonly why: string;
  /** The answer to post. `null` = silence, which closes only points in bodies that asked nothing. */
  readonly reply: string | null;
  /** Threads that are one point share a root. */
  readonly root?: string;
  readonly provenance?: "introduced" | "fix-induced" | "pre-existing" | "indeterminate";
  readonly evidence?: string;
  /** For `judgment`: what a person has to decide. */
  readonly question?: string;
}

export interface Decided {
  readonly thread: Thread;
  readonly decision: Decision;
}

export interface Triage {
  readonly undecided: readonly Thread[];
  readonly decided: readonly Decided[];
}

/** A thing to do in the worktree. */
export interface WorkItem {
  readonly thread: Thread;
  readonly decision: Decision;
}

export interface DoneItem extends WorkItem {
  /** One or two sentences: what was changed. Cited in the reply. */
  readonly summary: string;
  /** Paths the fix claims to have changed; held against the real diff. */
  readonly files: readonly string[];
  /** Name of the plugin that did it. */
  readonly by: string;
}

export interface Work {
  readonly todo: readonly WorkItem[];
  readonly done: readonly DoneItem[];
  /** Why an item stays in `todo`, by thread id. */
  readonly reasons: Readonly<Record<string, string>>;
  /**
   * Only in the last call of the phase: the tree that is about to be pushed, with all of `done` in it and no red gate. Nothing is edited any
   * more; whoever doubts a fix moves it back to `todo`.
   */
  readonly ready?: Tree;
}

/** A result bound to what it was produced on. */
export interface Evidence {
  readonly gate: string;
  readonly command: string;
  readonly tree: Tree;
  /** A commit of the pull request that has this tree, where one is known. */
  readonly head?: Sha;
  /** `failed` = it could not be run (missing program, time-out at start): neither green nor red. */
  readonly result: "green" | "red" | "failed";
  readonly at: Instant;
  /** Milliseconds. */
  readonly took: number;
  /** Last lines of the output, redacted. */
  readonly excerpt: string;
  readonly exitCode?: number;
  readonly logFile?: string;
  /** Counts as the focused proof of `open-for-review`. */
  readonly proof?: boolean;
}

export interface Synced {
  readonly policy: "merge" | "rebase";
  readonly base: Sha;
  /** The new local head; nothing is pushed yet. */
  readonly head: Sha;
  readonly conflicts?: readonly string[];
}

export interface CommitPlan {
  readonly subject: string;
  readonly body?: string;
}

// ---------------------------------------------------------------- writes

export interface Preconditions {
  /** The pull request's head must still be this one. */
  readonly head?: Sha;
  /** The thread's content must still be this. */
  readonly contentHash?: string;
}

interface WriteBase<K extends string> {
  readonly kind: K;
  /** One key, one act: the same key is never carried out twice. */
  readonly key: string;
  readonly preconditions: Preconditions;
  /** What the act is for, for the plan and the report. */
  readonly why: string;
}

export type Write =
  | (WriteBase<"reply"> & { readonly thread: string; readonly rootComment: string; readonly body: string; readonly decision: DecisionKind })
  | (WriteBase<"comment"> & {
      readonly body: string;
      /** Points that this comment answers: thread ids with the content they were answered on. */
      readonly answers: readonly { readonly thread: string; readonly contentHash: string; readonly decision: DecisionKind }[];
    })
  | (WriteBase<"edit-comment"> & { readonly comment: string; readonly body: string })
  | (WriteBase<"edit-description"> & { readonly body: string; readonly was: string })
  | (WriteBase<"resolve"> & { readonly thread: string })
  | (WriteBase<"minimise"> & { readonly comment: string; readonly classifier: "OUTDATED" })
  | (WriteBase<"review"> & {
      readonly body: string;
      readonly comments: readonly { readonly path: string; readonly line: number; readonly body: string }[];
    })
  | (WriteBase<"request"> & { readonly reviewer: string; readonly by: "comment"; readonly body: string })
  | (WriteBase<"request"> & {
      readonly reviewer: string;
      readonly by: "review-request";
      readonly login: string;
      readonly bot: boolean;
      readonly endpoint?: "copilot-code-review";
    })
  | (WriteBase<"cancel-request"> & { readonly login: string; readonly bot: boolean })
  | WriteBase<"mark-ready">
  | WriteBase<"mark-draft">
  | (WriteBase<"open-issue"> & { readonly title: string; readonly body: string })
  | (WriteBase<"open-pull-request"> & { readonly title: string; readonly body: string; readonly branch: string; readonly base: string })
  | (WriteBase<"push"> & {
      readonly commits: readonly Sha[];
      readonly to: Sha;
      readonly tree: Tree;
      /** The exact remote head that may be replaced. */
      readonly expected: Sha;
      readonly branch: string;
      readonly force: boolean;
      /** In a plan only: what the commits are made of, so that they can be made again elsewhere. */
      readonly made?: readonly PlannedCommit[];
    })
  | (WriteBase<"command"> & { readonly command: readonly string[] });

/** A commit as a plan carries it. */
export interface PlannedCommit extends CommitPlan {
  readonly commit: Sha;
  readonly parent: Sha;
  /** What the patch must lead to. */
  readonly tree: Tree;
  /** A binary patch from the parent's tree. */
  readonly patch: string;
  readonly fixed: readonly Fixed[];
}

export type WriteKind = Write["kind"];
export type WriteOf<K extends WriteKind> = Extract<Write, { kind: K }>;

/** What became of a write. `refused` is an answer of the other side (or of a rule), not an exception. */
export type WriteResult =
  | { readonly state: "done"; readonly id?: string; readonly url?: string; /** Found on looking, not sent now. */ readonly found?: boolean }
  | { readonly state: "refused"; readonly code: RefusalCode; readonly detail: string }
  | {
      readonly state: "dropped";
      readonly detail: string;
      /** No answer came and nothing shows it: it may never have been sent. */ readonly unanswered?: true;
    }
  | { readonly state: "planned" };

export type RefusalCode =
  | "forbidden"
  | "not-found"
  | "locked"
  | "pending-review"
  | "stale"
  | "head-moved"
  | "rule"
  | "invalid"
  | "rate-limited"
  | "unsupported";

// ---------------------------------------------------------------- why not, what for, why ended

export interface Blocker {
  readonly code: string;
  /** Plugin (or `core`) that says so. */
  readonly by: string;
  readonly detail: string;
  readonly lift: {
    readonly who: "loop" | "agent" | "reviewer" | "ci" | "person" | "environment";
    /** Which reviewer, which person. */
    readonly name?: string;
    readonly act?: Write;
  };
  /** The thread it is about. */
  readonly thread?: string;
  readonly url?: string;
  /** Ends the run at once with this stop. */
  readonly stop?: Stop;
}

export interface Wait {
  readonly for: "reviewer" | "checks" | "person" | "anyone";
  readonly name?: string;
  readonly head: Sha;
  readonly since: Instant;
  readonly until: Instant;
  readonly then: "stop" | "go-on";
  /** Milliseconds between two looks. */
  readonly poll: number;
  /** A full look is due then, even where nothing has moved. */
  readonly lookAt?: Instant;
}

/** Ordered: the first that applies ends the run. */
export const STOPS = [
  "aborted",
  "failed",
  "auth-failed",
  "incomplete-read",
  "poll-error",
  "ci-error",
  "closed",
  "superseded",
  "refused",
  "needs-approval",
  "skipped",
  "sync-conflict",
  "gate-red",
  "met",
  "report-only",
  "over-budget",
  "ci-red",
  "timed-out",
  "waiting-for-people",
  "stalled",
  "no-progress",
  "max-iterations",
] as const;
export type Stop = (typeof STOPS)[number];

export interface StopDetail {
  readonly stop: Stop;
  readonly detail: string;
}

// ---------------------------------------------------------------- asking

/** What `rerequest` handlers return: writes that ask, and waits of their own. */
export interface Asks {
  readonly requests: readonly WriteOf<"request">[];
  readonly waits: readonly Wait[];
  /** Old triggers that may be collapsed once the new result is there. */
  readonly tidy: readonly WriteOf<"minimise">[];
}

export interface Draft {
  readonly thread: Thread;
  readonly decision: Decision;
  /** The pushed commit that fixes it. */
  readonly commit?: Sha;
  readonly summary?: string;
  /** `null` = say nothing. */
  readonly text: string | null;
}

// ---------------------------------------------------------------- the report

export interface RemainingItem {
  readonly what: string;
  readonly code: string;
  readonly who: Blocker["lift"]["who"];
  readonly name?: string;
  readonly why: string;
  readonly thread?: string;
  readonly url?: string;
}

export interface ReviewerLine {
  /** Name of the plugin; `@login` for a person, a bare login for a bot that no plugin reads. */
  readonly reviewer: string;
  readonly state: SignalState;
  readonly required: boolean;
  readonly found: number;
  readonly fixed: number;
  readonly answered: number;
  readonly declined: number;
  readonly resolved: number;
  readonly open: number;
  readonly hidden: number;
  readonly score?: string;
  readonly head?: Sha;
  readonly asked: boolean;
  /** Why it stands so; a person's opinion (`approved`, `changes requested`, `dismissed`). */
  readonly reason?: string;
}

export interface IterationLine {
  readonly number: number;
  readonly startedAt: Instant;
  readonly head: Sha;
  readonly decided: readonly { readonly thread: string; readonly title: string; readonly kind: DecisionKind; readonly why: string }[];
  readonly fixed: readonly { readonly thread: string; readonly title: string; readonly commit: Sha; readonly summary: string }[];
  readonly notFixed: readonly { readonly thread: string; readonly title: string; readonly why: string }[];
  readonly replied: readonly { readonly thread: string; readonly url?: string }[];
  readonly resolved: readonly string[];
  readonly asked: readonly { readonly reviewer: string; readonly by: string; readonly state: WriteResult["state"] }[];
  readonly pushed?: Sha;
  /** Threads that were new, and how many of them stand on lines that our own fixes wrote; absent where nothing was new. */
  readonly findings?: { readonly found: number; readonly fixInduced: number };
  readonly gates: readonly {
    readonly gate: string;
    readonly tree: Tree;
    readonly result: Evidence["result"];
    /** An earlier result that still held. */
    readonly reused?: true;
  }[];
}

export interface Report {
  readonly schemaVersion: 1;
  readonly target: string;
  readonly stop: Stop | null;
  readonly detail: string;
  readonly pullRequest: { readonly url: string; readonly number: number; readonly title: string; readonly draft: boolean };
  readonly head: Sha;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly reviewers: readonly ReviewerLine[];
  readonly iterations: readonly IterationLine[];
  readonly gates: readonly Evidence[];
  readonly pushes: readonly Sha[];
  readonly waits: readonly Wait[];
  readonly remaining: readonly RemainingItem[];
  /** Listed because they hold nothing: heard points, bots that no plugin knows, what went on without an answer. */
  readonly notes: readonly string[];
  /** Writes that were planned and not sent (`plan`, or `needs-approval`). */
  readonly plan: readonly Write[];
  readonly cost: { readonly requests: number; readonly points: number };
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

// ---------------------------------------------------------------- the journal and its fold

/** What an iteration fixed in the worktree, before it is pushed. */
export interface Fixed {
  readonly thread: string;
  readonly contentHash: string;
  readonly title: string;
  readonly reviewer?: string;
  readonly summary: string;
}

/** Lines by path, as closed ranges counted from 1. */
export type Lines = Readonly<Record<string, readonly (readonly [from: number, to: number])[]>>;

/** One line of the journal. A reader keeps fields it does not know. */
export type Entry = { readonly at: Instant } & (
  | { readonly type: "run"; readonly run: string; readonly target: string; readonly base: Sha; readonly head: Sha }
  | { readonly type: "head"; readonly head: Sha; readonly tree?: Tree }
  | { readonly type: "iteration"; readonly number: number; readonly head: Sha }
  | {
      readonly type: "decision";
      readonly thread: string;
      readonly contentHash: string;
      readonly title: string;
      readonly reviewer?: string;
      readonly decision: Decision;
    }
  | { readonly type: "evidence"; readonly evidence: Evidence }
  | {
      readonly type: "work";
      readonly commit: Sha;
      readonly tree: Tree;
      readonly fixed: readonly Fixed[];
      /** The lines that it wrote, as they are numbered in it. */
      readonly lines?: Lines;
    }
  | {
      readonly type: "findings";
      /** Threads that were never met before. */
      readonly threads: readonly string[];
      /** Those of them on lines that our own fixes wrote. */
      readonly fixInduced: readonly string[];
    }
  | {
      readonly type: "left";
      readonly thread: string;
      readonly contentHash: string;
      readonly title: string;
      readonly why: string;
      readonly code: "not-fixed" | "undecided";
    }
  | { readonly type: "repair"; readonly gate: string }
  | { readonly type: "intent"; readonly write: Write }
  | { readonly type: "result"; readonly key: string; readonly result: WriteResult }
  | { readonly type: "waits"; readonly waits: readonly Wait[] }
  | { readonly type: "note"; readonly plugin: string; readonly key: string; readonly value: unknown }
  | {
      readonly type: "agent";
      readonly kind: AgentKind;
      /** Texts as they were written, by message id, where the agent got them without what nobody sees. Each once in a process. */
      readonly stripped?: Readonly<Record<string, string>>;
      readonly ok: boolean;
      readonly took: number;
      readonly tokens?: number;
      readonly money?: number;
    }
  | { readonly type: "active"; readonly took: number }
  | { readonly type: "stop"; readonly stop: Stop; readonly detail: string }
);
export type EntryType = Entry["type"];

export type AgentKind = "triage" | "fix" | "review" | "verify" | "describe";

export interface Asked {
  readonly reviewer: string;
  readonly head: Sha;
  readonly at: Instant;
  readonly state: WriteResult["state"] | "unknown";
  readonly by: "comment" | "review-request";
}

/** A run's state: nothing but a fold of the journal, handed to every handler frozen. */
export interface RunState {
  readonly id: string;
  readonly startedAt: Instant;
  readonly target: string;
  /** The base commit as it was when the run began. */
  readonly base: Sha;
  /** Heads in the order in which they were seen. */
  readonly heads: readonly { readonly sha: Sha; readonly at: Instant }[];
  /** Newest decision by thread id; valid only for its content hash. */
  readonly decisions: Readonly<
    Record<string, { readonly contentHash: string; readonly decision: Decision; readonly at: Instant; readonly iteration: number }>
  >;
  readonly evidence: readonly Evidence[];
  /** By thread id; `pushed` once the push that carries the commit is known to have landed. */
  readonly fixes: Readonly<Record<string, Fixed & { readonly commit: Sha; readonly pushed: boolean }>>;
  /** What our commits wrote; `head`: the head that they were pushed as. */
  readonly wrote: readonly { readonly commit: Sha; readonly lines: Lines; readonly head?: Sha }[];
  /** Threads that triage has met, and whether our own fix brought them. */
  readonly found: Readonly<Record<string, "fix-induced" | "other">>;
  readonly asked: readonly Asked[];
  readonly waits: readonly Wait[];
  /** Every write by key; without a result its fate is unknown and must be settled by looking. */
  readonly writes: Readonly<Record<string, { readonly write: Write; readonly at: Instant; readonly result?: WriteResult }>>;
  /** When the last write was answered. */
  readonly lastWriteAt?: Instant;
  /** Of this run. */
  readonly iterations: readonly IterationLine[];
  readonly pushes: readonly Sha[];
  readonly repairs: Readonly<Record<string, number>>;
  /** Of this run: what was to be done and was not, by thread id. */
  readonly left: Readonly<
    Record<string, { readonly contentHash: string; readonly title: string; readonly why: string; readonly code: "not-fixed" | "undecided" }>
  >;
  readonly notes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Milliseconds of work, waits not counted. */
  readonly activeTime: number;
  readonly tokens: number;
  readonly money: number;
  /** Absent while the run goes on or is parked. */
  readonly stop?: Stop;
}
