/** Can it be merged? Computed from the state, never stored. */
import type { MergeState, PullRequest } from "../../core/index.js";
import type { CheckRecord, Protection, PullRequestRecord, ReviewRecord, StatusRecord } from "./records.js";
import type { State } from "./state.js";

export interface MergeView {
  readonly mergeable: PullRequest["mergeable"];
  readonly mergeState: MergeState;
  readonly reviewDecision?: NonNullable<PullRequest["reviewDecision"]>;
}

const PASSING: readonly string[] = ["SUCCESS", "NEUTRAL", "SKIPPED"];

/** Of runs that time can't tell apart the one least like a success counts. */
const CAUTION: readonly string[] = ["SUCCESS", "SKIPPED", "NEUTRAL", "STALE", "CANCELLED", "RUNNING"];

/** The start first, because a cancelled run may end after its successor began; a run without one is as old as its registration. */
const ageOf = (check: CheckRecord): readonly number[] => {
  const said = check.status === "COMPLETED" ? (check.conclusion ?? "RUNNING") : "RUNNING";
  const caution = CAUTION.includes(said) ? CAUTION.indexOf(said) : CAUTION.length;
  return [check.startedAt ?? check.completedAt ?? check.createdAt, check.completedAt ?? 0, caution, check.databaseId];
};
const isNewer = (a: CheckRecord, b: CheckRecord): boolean => {
  const [one, other] = [ageOf(a), ageOf(b)];
  const at = one.findIndex((value, index) => value !== other[index]);
  return (one[at] ?? 0) > (other[at] ?? 0);
};

/** Newest run per workflow, event and name, or per app and name. */
export const newestChecks = (all: readonly CheckRecord[]): readonly CheckRecord[] => {
  const newest = new Map<string, CheckRecord>();
  for (const check of all) {
    const { workflow, app, name } = check;
    const key = JSON.stringify(workflow === undefined ? [app, name] : [workflow.name, workflow.event, name]);
    const other = newest.get(key);
    if (other === undefined || isNewer(check, other)) newest.set(key, check);
  }
  return [...newest.values()];
};

/** Newest status per context. */
export const newestStatuses = (all: readonly StatusRecord[]): readonly StatusRecord[] => [
  ...new Map(all.map((status) => [status.context, status])).values(),
];

export const protectionOf = (state: State, pullRequest: PullRequestRecord): Protection | undefined =>
  state.repositoryOf(pullRequest).protections.get(pullRequest.base.branch);

/** Latest approval or request for changes of each reviewer, dismissed ones gone. */
export const opinions = (pullRequest: PullRequestRecord): readonly ReviewRecord[] => {
  const latest = new Map<string, ReviewRecord>();
  for (const review of pullRequest.reviews) {
    if (review.state === "APPROVED" || review.state === "CHANGES_REQUESTED") latest.set(review.author, review);
  }
  return [...latest.values()];
};

const decisionOf = (state: State, pullRequest: PullRequestRecord): MergeView["reviewDecision"] => {
  const required = protectionOf(state, pullRequest)?.requiredApprovals ?? 0;
  if (required === 0) return undefined;
  const repository = state.repositoryOf(pullRequest);
  const counted = opinions(pullRequest).filter((review) =>
    ["admin", "maintain", "write"].includes(state.roleOf(repository, review.author)),
  );
  if (counted.some((review) => review.state === "CHANGES_REQUESTED")) return "CHANGES_REQUESTED";
  return counted.filter((review) => review.state === "APPROVED").length >= required ? "APPROVED" : "REVIEW_REQUIRED";
};

/** Contexts that are required: each check run and each status of that name must pass. */
const requiredUnmet = (state: State, pullRequest: PullRequestRecord, required: readonly string[]): boolean => {
  const runs = newestChecks(state.checksOf(pullRequest.repository, pullRequest.head.sha));
  const statuses = newestStatuses(state.statusesOf(pullRequest.repository, pullRequest.head.sha));
  return required.some((name) => {
    const results = [
      ...runs.filter((run) => run.name === name).map((run) => run.status === "COMPLETED" && PASSING.includes(run.conclusion ?? "")),
      ...statuses.filter((status) => status.context === name).map((status) => status.state === "SUCCESS"),
    ];
    return results.length === 0 || results.includes(false);
  });
};

const anyNotGreen = (state: State, pullRequest: PullRequestRecord): boolean =>
  newestChecks(state.checksOf(pullRequest.repository, pullRequest.head.sha)).some(
    (run) => run.status !== "COMPLETED" || !PASSING.includes(run.conclusion ?? ""),
  ) || newestStatuses(state.statusesOf(pullRequest.repository, pullRequest.head.sha)).some((status) => status.state !== "SUCCESS");

export const isBehind = (state: State, pullRequest: PullRequestRecord): boolean =>
  state.git.commitsBetween(pullRequest.repository, pullRequest.head.sha, pullRequest.base.sha).length > 0;

/** The settled answer, whatever the faults say. */
export const settledMergeView = (state: State, pullRequest: PullRequestRecord): MergeView => {
  const decision = decisionOf(state, pullRequest);
  const withDecision = decision === undefined ? {} : { reviewDecision: decision };
  if (pullRequest.state !== "open") return { mergeable: "UNKNOWN", mergeState: "UNKNOWN", ...withDecision };
  if (state.git.conflicts(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha).length > 0) {
    return { mergeable: "CONFLICTING", mergeState: "DIRTY", ...withDecision };
  }
  const view = (mergeState: MergeState): MergeView => ({ mergeable: "MERGEABLE", mergeState, ...withDecision });
  // While it is queued, GitHub says CLEAN.
  if (pullRequest.inMergeQueue) return view("CLEAN");
  if (pullRequest.draft) return view("DRAFT");
  const rules = protectionOf(state, pullRequest);
  if (rules !== undefined) {
    const unresolved = rules.requiresConversationResolution && pullRequest.threads.some((thread) => !thread.resolved && isVisible(thread));
    if (unresolved || requiredUnmet(state, pullRequest, rules.requiredChecks) || (decision !== undefined && decision !== "APPROVED"))
      return view("BLOCKED");
    if (rules.upToDate && isBehind(state, pullRequest)) return view("BEHIND");
  }
  return view(anyNotGreen(state, pullRequest) ? "UNSTABLE" : "CLEAN");
};

const isVisible = (thread: PullRequestRecord["threads"][number]): boolean => thread.comments[0]?.state === "SUBMITTED";

/** Where it is read. */
export type Surface = "graphql" | "rest";

/** As one read finds it. A read starts the computation, and the first ones after a change may find less than the settled answer. */
export const readMergeView = (state: State, pullRequest: PullRequestRecord, surface: Surface): MergeView => {
  const { faults } = state;
  const settled = settledMergeView(state, pullRequest);
  pullRequest.mergeReads += 1;
  if (pullRequest.readsSinceResolve !== undefined) pullRequest.readsSinceResolve += 1;
  if (pullRequest.state !== "open") return settled;
  const first = (reads: number | undefined): boolean => pullRequest.mergeReads <= (reads ?? 0);
  const computing = first(faults.get("merge-state-unknown")?.reads) || (faults.on("merge-state-waits") && surface === "rest" && first(1));
  if (computing) return { ...settled, mergeable: "UNKNOWN", mergeState: "UNKNOWN" };
  if (first(faults.get("merge-state-stale")?.reads)) return { ...settled, mergeable: "MERGEABLE" };
  const passable = settled.mergeState === "CLEAN" || settled.mergeState === "UNSTABLE";
  const sticky = (pullRequest.readsSinceResolve ?? Infinity) <= (faults.get("merge-state-sticky")?.reads ?? 0);
  return passable && sticky ? { ...settled, mergeState: "BLOCKED" } : settled;
};
