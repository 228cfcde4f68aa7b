/** What happens in the world. The append-only log is the list of these, each with its place, time and actor. */
import type { Sha } from "../../core/index.js";
import type {
  CheckRecord,
  PullRequestRecord,
  RepositoryRecord,
  ReviewRecord,
  StatusRecord,
  ThreadRecord,
  ReviewCommentRecord,
  IssueCommentRecord,
  IssueRecord,
} from "./records.js";

interface OnPullRequest {
  readonly pullRequest: PullRequestRecord;
}

/** Records in an event are the live ones; what must not change later (a body, a state) is copied beside them. */
export interface WorldEvents {
  "pull-request-opened": OnPullRequest;
  "description-edited": OnPullRequest & { readonly body: string; readonly before: string };
  /** A branch moved. `pullRequest` is set where it is the head of an open one: one event each. */
  pushed: {
    readonly repository: RepositoryRecord;
    readonly branch: string;
    readonly before: Sha | undefined;
    readonly after: Sha;
    readonly forced: boolean;
    readonly pullRequest?: PullRequestRecord;
    /** Threads that lost their line by it. */
    readonly outdated: readonly string[];
  };
  commented: OnPullRequest & { readonly comment: IssueCommentRecord; readonly body: string };
  /** A conversation comment, a comment of a thread or a review's body was edited in place. */
  edited: OnPullRequest & {
    readonly subject: IssueCommentRecord | ReviewCommentRecord | ReviewRecord;
    readonly body: string;
    readonly before: string;
  };
  "comment-deleted": OnPullRequest & { readonly subject: IssueCommentRecord | ReviewCommentRecord };
  /** A review was submitted; its threads are there. Not sent for pending ones. */
  reviewed: OnPullRequest & { readonly review: ReviewRecord; readonly threads: readonly ThreadRecord[] };
  "review-started": OnPullRequest & { readonly review: ReviewRecord };
  dismissed: OnPullRequest & { readonly review: ReviewRecord };
  /** A visible reply. */
  replied: OnPullRequest & { readonly thread: ThreadRecord; readonly comment: ReviewCommentRecord; readonly body: string };
  resolved: OnPullRequest & { readonly thread: ThreadRecord };
  unresolved: OnPullRequest & { readonly thread: ThreadRecord };
  minimised: OnPullRequest & { readonly subject: IssueCommentRecord | ReviewCommentRecord | ReviewRecord; readonly reason: string };
  unminimised: OnPullRequest & { readonly subject: IssueCommentRecord | ReviewCommentRecord | ReviewRecord };
  reacted: OnPullRequest & { readonly subject: string; readonly content: string };
  unreacted: OnPullRequest & { readonly subject: string; readonly content: string };
  "review-requested": OnPullRequest & { readonly login: string; readonly asCodeOwner: boolean };
  "review-request-removed": OnPullRequest & { readonly login: string };
  ready: OnPullRequest;
  draft: OnPullRequest;
  closed: OnPullRequest;
  reopened: OnPullRequest;
  merged: OnPullRequest;
  locked: OnPullRequest;
  unlocked: OnPullRequest;
  queued: OnPullRequest;
  dequeued: OnPullRequest;
  "check-changed": {
    readonly repository: RepositoryRecord;
    readonly check: CheckRecord;
    readonly status: CheckRecord["status"];
    readonly conclusion?: string;
  };
  "status-set": { readonly repository: RepositoryRecord; readonly status: StatusRecord };
  deployed: OnPullRequest & { readonly head: Sha; readonly state: string };
  "issue-opened": { readonly repository: RepositoryRecord; readonly issue: IssueRecord };
}
export type WorldEventType = keyof WorldEvents;

interface Stamp {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly at: number;
  /** Login of who did it. */
  readonly actor: string;
  /** Events that one action caused share its number. */
  readonly action: number;
}
export type WorldEventOf<T extends WorldEventType> = Stamp & { readonly type: T } & WorldEvents[T];
export type WorldEvent = { [T in WorldEventType]: WorldEventOf<T> }[WorldEventType];
