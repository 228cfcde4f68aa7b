/** Pure: one state and the one next action, from one fresh read. `status`, `wait`, `ready` and `run` share it. */
import type { Blocker, Inbox, RunState, Wait } from "./model.js";
import type { Settings } from "./config/define.js";
import { checkBlockers, mergeBlockers } from "./merge-state.js";
import { headSince } from "./wait.js";

export type LifecycleState = "NO_PR" | "BLOCKED" | "ADDRESSING" | "REVIEWS_PENDING" | "VALIDATING" | "REVIEWED" | "READY";

export interface Lifecycle {
  readonly state: LifecycleState;
  /** Why, in one sentence. */
  readonly why: string;
  /** One command to paste, or who must act. */
  readonly next: string;
}

export interface Standing {
  readonly inbox: Inbox;
  readonly blockers: readonly Blocker[];
  readonly waits: readonly Wait[];
  readonly run: RunState;
  readonly settings: Settings;
  readonly now: number;
}

type Rule = (standing: Standing, reference: string) => Lifecycle | undefined;

const names = (blockers: readonly Blocker[]): string =>
  [...new Set(blockers.map((blocker) => blocker.lift.name ?? blocker.code))].join(", ");

const hard: Rule = ({ inbox, now, run, settings }, reference) => {
  const { pullRequest } = inbox;
  if (pullRequest.state !== "open")
    return { state: "BLOCKED", why: `the pull request is ${pullRequest.state}`, next: "nothing: it is over" };
  if (pullRequest.inMergeQueue)
    return { state: "BLOCKED", why: "it is in the merge queue", next: "nothing: the queue merges it, or take it out of the queue" };
  if (pullRequest.archived || pullRequest.locked)
    return {
      state: "BLOCKED",
      why: pullRequest.archived ? "the repository is archived" : "the conversation is locked",
      next: "ask a maintainer",
    };
  const stuck = mergeBlockers(inbox, headSince(inbox, run), now, settings.sync).find(
    (blocker) => blocker.code === "conflict" || blocker.code === "behind",
  );
  if (stuck === undefined) return undefined;
  const next = settings.sync === "none" ? `git fetch && git merge ${pullRequest.base.branch}, then push` : `reviewloop run ${reference}`;
  return { state: "BLOCKED", why: stuck.detail, next };
};

const addressing: Rule = ({ blockers, settings }, reference) => {
  const ours = blockers.filter(
    (blocker) =>
      blocker.thread !== undefined && (blocker.lift.who === "agent" || blocker.lift.who === "loop" || blocker.code === "undecided"),
  );
  if (ours.length === 0) return undefined;
  const next = settings.hasAgent ? `reviewloop run ${reference}` : `reviewloop threads ${reference}`;
  return { state: "ADDRESSING", why: `${ours.length} thread${ours.length === 1 ? "" : "s"} to address`, next };
};

const red: Rule = ({ inbox, run, now }) => {
  const failed = checkBlockers(inbox, headSince(inbox, run), now).filter((blocker) => blocker.code === "check-failed");
  return failed.length === 0
    ? undefined
    : {
        state: "BLOCKED",
        why: failed.map((blocker) => blocker.detail).join("; "),
        next: failed[0]?.url === undefined ? "fix the check and push" : `fix the check and push: ${failed[0].url}`,
      };
};

const pending: Rule = ({ blockers, waits }, reference) => {
  const reviewers = blockers.filter((blocker) => blocker.lift.who === "reviewer");
  if (reviewers.length === 0) return undefined;
  const awaited = waits.filter((wait) => wait.for === "reviewer").map((wait) => wait.name);
  const unasked = reviewers.filter((blocker) => !awaited.includes(blocker.lift.name));
  const next = unasked.length > 0 ? `reviewloop run ${reference}` : `reviewloop run ${reference} --park`;
  return {
    state: "REVIEWS_PENDING",
    why: `${unasked.length > 0 ? "to be asked" : "waiting for"}: ${names(unasked.length > 0 ? unasked : reviewers)}`,
    next,
  };
};

const people: Rule = ({ blockers }) => {
  const theirs = blockers.filter((blocker) => blocker.lift.who === "person");
  return theirs.length === 0
    ? undefined
    : { state: "BLOCKED", why: `only people are left: ${names(theirs)}`, next: theirs[0]?.detail ?? "ask them" };
};

const validating: Rule = ({ inbox, run, now }, reference) => {
  const running = checkBlockers(inbox, headSince(inbox, run), now).filter((blocker) => blocker.lift.who === "ci");
  return running.length === 0
    ? undefined
    : { state: "VALIDATING", why: running.map((blocker) => blocker.detail).join("; "), next: `reviewloop status ${reference}` };
};

const reviewed: Rule = ({ inbox, blockers, run, now, settings }, reference) => {
  const left = mergeBlockers(inbox, headSince(inbox, run), now, settings.sync);
  const unknown = left.some((blocker) => blocker.code === "merge-state-unknown");
  if (unknown) return { state: "REVIEWED", why: "GitHub is still working out the merge state", next: `reviewloop status ${reference}` };
  const person = left.find((blocker) => blocker.lift.who === "person");
  if (person !== undefined) return { state: "BLOCKED", why: person.detail, next: "a person has to lift it" };
  return blockers.length === 0 ? undefined : { state: "BLOCKED", why: blockers[0]?.detail ?? "", next: `reviewloop run ${reference}` };
};

const RULES: readonly Rule[] = [hard, addressing, red, pending, people, validating, reviewed];

/** The first rule that fits. READY = the target is met (draft state aside) and the merge conditions hold. */
export const lifecycleOf = (standing: Standing): Lifecycle => {
  const reference = String(standing.inbox.pullRequest.ref.number);
  // A draft alone does not hold READY: the flip is what follows it.
  const withoutDraft = { ...standing, blockers: standing.blockers.filter((blocker) => blocker.code !== "draft") };
  for (const rule of RULES) {
    const found = rule(withoutDraft, reference);
    if (found !== undefined) return found;
  }
  return {
    state: "READY",
    why: `${standing.settings.target} is met and the merge conditions hold`,
    next: standing.inbox.pullRequest.draft ? "mark it ready for review" : "a person merges it",
  };
};
