/** What can go wrong at GitHub, as data: each fault by its name, what it is, and what it is set to. */
import type { Random } from "../scenes/random.js";

export type BreakableConnection = "reviewThreads" | "reviews" | "comments" | "reviewRequests" | "contexts" | "threadComments" | "reactions";
type Always = Readonly<Record<never, never>>;
interface Writes {
  /** Counted from 1, from when the fault was switched on. */
  readonly writes: readonly number[];
}
interface Reads {
  readonly reads: readonly number[];
}
interface Whose {
  /** One reviewer; all of them unless given. */
  readonly login?: string;
}
interface After {
  readonly milliseconds: number;
}
interface Broken extends Partial<Reads> {
  readonly field: BreakableConnection;
}

/** Fields that servers of some age lack, as `Type.field`. */
export const NEWER_FIELDS = [
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

export interface FaultOptions {
  "slow-reviewer": Whose & After;
  "silent-reviewer": Whose;
  "quota-review": Whose;
  "review-for-old-head": Whose;
  "lost-answer": Writes;
  "bad-gateway-before": Writes;
  "bad-gateway-after": Writes;
  "bad-gateway-midway": Writes & { readonly applied: number };
  "bad-gateway-read": Reads;
  "secondary-rate-limit": Writes & { readonly retryAfter?: number };
  "primary-rate-limit": Reads & { readonly resetAfter: number; readonly type?: "RATE_LIMITED" | "RATE_LIMIT" };
  "resource-limit": { readonly nodes: number };
  "slow-answer": After;
  "partial-alias-failure": { readonly positions: readonly number[]; readonly type?: "FORBIDDEN" | "NOT_FOUND" };
  "resolve-without-effect": { readonly threads?: readonly string[] };
  "token-cannot-resolve": Always;
  "pending-review": Whose;
  "review-request-dropped": Whose;
  "request-hidden": Whose;
  "request-ends-early": Whose & After;
  "no-review-endpoint": Always;
  "older-server": { readonly fields: readonly string[] };
  "null-connection": Broken;
  "null-node": Broken;
  "page-size": { readonly size: number };
  "cursor-expires": Always;
  "many-threads": { readonly threads: number };
  "many-comments": { readonly comments: number };
  "thread-appears": Reads;
  "foreign-thread": Always;
  "odd-places": Always;
  "same-second-edits": After;
  "bot-spelling": Always;
  "ghost-author": Whose;
  "head-repository-gone": Always;
  "head-moves": Writes;
  "reopens-resolved": After;
  "replies-after-resolve": After;
  "ready-wakes-reviewers": After;
  "merge-state-unknown": { readonly reads: number };
  "merge-state-stale": { readonly reads: number };
  "merge-state-sticky": { readonly reads: number };
  "merge-state-waits": After;
  "merge-queue": Always;
  "late-branch-update": After;
  "no-checks-yet": After;
  "run-needs-approval": Always;
  "required-check-missing": { readonly name: string };
  "duplicate-checks": { readonly newestFirst: boolean };
  "status-beside-check": { readonly state: "FAILURE" | "PENDING" | "SUCCESS" };
}
export type FaultName = keyof FaultOptions;

export interface FaultRow {
  readonly name: FaultName;
  /** What it is about; the list shows them in these groups. */
  readonly about: string;
  readonly what: string;
  /** What it is set to where no options are given. */
  readonly standard: FaultOptions[FaultName];
  /** What it is set to with a seed. */
  readonly draw: (random: Random) => FaultOptions[FaultName];
}

const row = <N extends FaultName>(
  name: N,
  what: string,
  standard: FaultOptions[N],
  draw: (random: Random) => FaultOptions[N] = () => standard,
): Omit<FaultRow, "about"> => ({ name, what, standard, draw });
const kth = (most: number) => (random: Random) => [random.between(1, most)];
const someTime = (low: number, high: number) => (random: Random) => ({ milliseconds: random.between(low, high) });
const FIELDS: readonly BreakableConnection[] = [
  "reviewThreads",
  "reviews",
  "comments",
  "reviewRequests",
  "contexts",
  "threadComments",
  "reactions",
];

const ANSWERS = [
  row("lost-answer", "the k-th write is applied, and the connection breaks before the answer", { writes: [1] }, (random) => ({
    writes: kth(6)(random),
  })),
  row("bad-gateway-before", "the k-th write gets a 502 and is not applied", { writes: [1] }, (random) => ({ writes: kth(6)(random) })),
  row("bad-gateway-after", "the k-th write is applied and gets a 502", { writes: [1] }, (random) => ({ writes: kth(6)(random) })),
  row(
    "bad-gateway-midway",
    "the k-th write is a batch of which only the first are applied, and gets a 502",
    { writes: [1], applied: 1 },
    (random) => ({ writes: kth(6)(random), applied: random.between(1, 5) }),
  ),
  row("bad-gateway-read", "the k-th read gets a 502", { reads: [1] }, (random) => ({ reads: kth(6)(random) })),
  row(
    "secondary-rate-limit",
    "the k-th write meets the secondary rate limit: 403, requests left, with or without retry-after (seconds)",
    { writes: [1] },
    (random) => ({ writes: kth(6)(random), ...(random.chance(0.5) ? {} : { retryAfter: random.between(1, 90) }) }),
  ),
  row(
    "primary-rate-limit",
    "the k-th read meets the used-up hourly limit (GraphQL: 200 and an error of either name), which resets after so many milliseconds",
    { reads: [1], resetAfter: 60_000 },
    (random) => ({ reads: kth(6)(random), resetAfter: random.between(1, 900) * 1000, type: random.pick(["RATE_LIMITED", "RATE_LIMIT"]) }),
  ),
  row(
    "resource-limit",
    "a GraphQL query that may touch more than so many nodes meets the resource limit: 200, an error, no data",
    { nodes: 5_000 },
    (random) => ({ nodes: random.between(1_000, 20_000) }),
  ),
  row("slow-answer", "each answer takes so long, by the world's clock", { milliseconds: 2_000 }, someTime(100, 9_000)),
  row(
    "partial-alias-failure",
    "in a batch of mutations those at the given positions (from 1) fail, the others are applied",
    { positions: [2] },
    (random) => ({ positions: [random.between(1, 4)], type: random.pick(["FORBIDDEN", "NOT_FOUND"]) }),
  ),
  row("resolve-without-effect", "a resolve succeeds in form, and the thread stays open", {}),
  row("token-cannot-resolve", "the token may reply and may not resolve: FORBIDDEN, and viewerCanResolve is false", {}),
  row(
    "older-server",
    "a server without the newer fields: asking for one is an error before execution",
    { fields: NEWER_FIELDS },
    (random) => ({
      fields: random.shuffled(NEWER_FIELDS).slice(0, random.between(1, NEWER_FIELDS.length)),
    }),
  ),
];

const READING = [
  row(
    "null-connection",
    "a connection of the pull request is null beside an error, in every read or in the k-th ones",
    { field: "reviewThreads" },
    (random) => ({ field: random.pick(FIELDS), reads: kth(6)(random) }),
  ),
  row("null-node", "one item of a connection is null", { field: "reviewThreads" }, (random) => ({
    field: random.pick(FIELDS),
    reads: kth(6)(random),
  })),
  row("page-size", "no page holds more than so many items, whatever is asked", { size: 20 }, (random) => ({ size: random.between(1, 30) })),
  row("cursor-expires", "a cursor is refused once anything on the pull request has changed since it was given", {}),
  row("many-threads", "so many closed threads, and an open one after them, all on one pull request", { threads: 101 }, (random) => ({
    threads: random.between(100, 230),
  })),
  row("many-comments", "so many answers in the newest open thread", { comments: 101 }, (random) => ({
    comments: random.between(100, 230),
  })),
  row("thread-appears", "a reviewer opens one more thread right before the k-th read", { reads: [2] }, (random) => ({
    reads: kth(6)(random),
  })),
  row("foreign-thread", "among the threads is one of another repository: what is written there is lost on strangers", {}),
  row("odd-places", "threads on a file, on the left side, on lines that are gone, on a deleted and on a renamed file", {}),
  row(
    "same-second-edits",
    "what a bot posts or edits comes in two steps of one second: half of it, and so long after the whole; no time tells",
    { milliseconds: 500 },
    someTime(100, 900),
  ),
  row("bot-spelling", "logins of bots are spelt as on the other surface: with [bot] in GraphQL, without it in REST", {}),
  row("ghost-author", "authors of threads (or one login) have deleted their account: their posts have no author", {}),
  row("head-repository-gone", "the repository of the head is gone: it is null, and nobody can push", {}),
];

const REVIEWERS = [
  row(
    "slow-reviewer",
    "scripted reviewers (or one of them) take so much longer to answer",
    { milliseconds: 240_000 },
    someTime(1_000, 900_000),
  ),
  row("silent-reviewer", "scripted reviewers (or one of them) never answer", {}),
  row("quota-review", "scripted reviewers (or one of them) answer with a review that says that their quota is used up", {}),
  row("review-for-old-head", "scripted reviewers (or one of them) review the commit before the head", {}),
  row("review-request-dropped", "a request for a review (of one reviewer) is answered with success and registers nothing", {}),
  row("request-hidden", "a request is registered, and no list shows it: only the timeline tells", {}),
  row(
    "request-ends-early",
    "a request leaves the lists so long after it was made, before its review is there",
    { milliseconds: 1_000 },
    someTime(100, 30_000),
  ),
  row("no-review-endpoint", "the endpoint that starts a bot's review is not there, as on older servers", {}),
  row("pending-review", "the author (or one login) has begun a review and not submitted it", {}),
  row(
    "reopens-resolved",
    "whoever raised a thread opens it again so long after it was resolved, once",
    { milliseconds: 1_000 },
    someTime(100, 30_000),
  ),
  row(
    "replies-after-resolve",
    "whoever raised a thread writes in it again so long after it was resolved, once, and leaves it closed",
    { milliseconds: 1_000 },
    someTime(100, 30_000),
  ),
  row(
    "ready-wakes-reviewers",
    "a draft that becomes ready: code owners are asked at once, and a bot opens a thread so long after",
    { milliseconds: 1_000 },
    someTime(100, 30_000),
  ),
  row("head-moves", "somebody else pushes right before the k-th write", { writes: [1] }, (random) => ({ writes: kth(6)(random) })),
];

const CHECKS = [
  row(
    "merge-state-unknown",
    "so many reads after each change of head or base find the merge state not computed",
    { reads: 1 },
    (random) => ({
      reads: random.between(1, 4),
    }),
  ),
  row(
    "merge-state-stale",
    "so many reads after each change of head or base still say MERGEABLE beside a state that says otherwise",
    { reads: 1 },
    (random) => ({ reads: random.between(1, 4) }),
  ),
  row("merge-state-sticky", "so many reads after a resolve still say BLOCKED", { reads: 2 }, (random) => ({ reads: random.between(1, 4) })),
  row(
    "merge-state-waits",
    "after a change GraphQL takes so long to compute the merge state before it answers, where REST says null",
    { milliseconds: 2_000 },
    someTime(100, 9_000),
  ),
  row("merge-queue", "the pull request waits in the merge queue, and reads CLEAN", {}),
  row("late-branch-update", "updating the branch is accepted, and done so long after", { milliseconds: 2_000 }, someTime(100, 30_000)),
  row(
    "no-checks-yet",
    "for so long after a push nothing is registered on the head: no rollup at all",
    { milliseconds: 5_000 },
    someTime(1_000, 60_000),
  ),
  row("run-needs-approval", "the workflow runs of a fork's head wait for a maintainer's approval: no check ever registers", {}),
  row("required-check-missing", "a required check that never starts, as one that a path filter keeps away", { name: "required-elsewhere" }),
  row(
    "duplicate-checks",
    "beside each green check stands an older red run of the same name, in either order, and the rollup says FAILURE",
    { newestFirst: false },
    (random) => ({ newestFirst: random.chance(0.5) }),
  ),
  row("status-beside-check", "beside each check stands a commit status of the same name", { state: "FAILURE" }, (random) => ({
    state: random.pick(["FAILURE", "PENDING", "SUCCESS"]),
  })),
];

const about = (title: string, some: readonly Omit<FaultRow, "about">[]): readonly FaultRow[] =>
  some.map((each) => ({ ...each, about: title }));

export const FAULTS: readonly FaultRow[] = [
  ...about("answers", ANSWERS),
  ...about("reading", READING),
  ...about("reviewers", REVIEWERS),
  ...about("checks and merge state", CHECKS),
];
