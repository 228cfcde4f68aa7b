/** Pure: one state and the one next action, from one fresh read. `status`, `wait`, `ready` and `run` share it. */
import type { Blocker, Inbox, RunState, Wait, Write } from "./model.js";
import type { Settings } from "./settings.js";
import type { Stopping } from "./plugin.js";
import { checkBlockers, mergeBlockers, mergeSettledAt } from "./reading/merge-state.js";
import { headSince } from "./wait.js";

export type LifecycleState = "NO_PR" | "BLOCKED" | "ADDRESSING" | "REVIEWS_PENDING" | "VALIDATING" | "REVIEWED" | "READY";

export interface Lifecycle {
  readonly state: LifecycleState;
  /** Why, in one sentence. */
  readonly why: string;
  /** One command to paste, or who must act. */
  readonly next: string;
  /** Nothing can be done but wait: `wait` goes on in these. */
  readonly waiting: boolean;
  /** The blocker that the state stands for, where there is one. */
  readonly nearest?: Blocker;
  /** The stopping rule that applies. */
  readonly stopping?: Stopping;
}

export interface Standing {
  readonly inbox: Inbox;
  readonly blockers: readonly Blocker[];
  readonly waits: readonly Wait[];
  readonly run: RunState;
  readonly settings: Settings;
  readonly now: number;
  readonly stopping?: Stopping;
  /** The target flips draft to ready itself. */
  readonly flips?: boolean;
  /** How the caller names this pull request in a command, its flags with it; default: the number. */
  readonly spoken?: string;
}

/** A draft, or the issue for what a stopping rule leaves: they hold no READY, because they are what follows it. */
const isHandOver = ({ code, lift }: Blocker): boolean => code === "draft" || lift.act?.kind === "open-issue";

/** What the target wants done at READY, beside the flip. */
export const handOverOf = (blockers: readonly Blocker[]): readonly Write[] =>
  blockers.flatMap(({ lift }) => (lift.act?.kind === "open-issue" ? [lift.act] : []));

/** Before there is a pull request. */
export const NO_PULL_REQUEST: Lifecycle = {
  state: "NO_PR",
  why: "this branch has no open pull request",
  next: "reviewloop guard arm   # as a step of its own; then: gh pr create --draft",
  waiting: false,
};

type Rule = (standing: Standing, reference: string) => Lifecycle | undefined;

const state = (name: LifecycleState, why: string, next: string, nearest?: Blocker, waiting = false): Lifecycle => ({
  state: name,
  why,
  next,
  waiting,
  ...(nearest === undefined ? {} : { nearest }),
});

const names = (blockers: readonly Blocker[]): string =>
  [...new Set(blockers.map((blocker) => blocker.lift.name ?? blocker.code))].join(", ");

const checksOf = ({ inbox, run, now }: Standing): readonly Blocker[] => checkBlockers(inbox, headSince(inbox, run), now);
const mergeOf = ({ inbox, run, now, settings }: Standing): readonly Blocker[] =>
  mergeBlockers(inbox, headSince(inbox, run), now, settings.sync, mergeSettledAt(inbox, run, settings.wait.settle));

const hard: Rule = (standing, reference) => {
  const { inbox, settings } = standing;
  const { pullRequest } = inbox;
  if (pullRequest.state !== "open") return state("BLOCKED", `the pull request is ${pullRequest.state}`, "nothing: it is over");
  if (pullRequest.inMergeQueue)
    return state("BLOCKED", "it is in the merge queue", "nothing: the queue merges it, or take it out of the queue");
  if (pullRequest.archived) return state("BLOCKED", "the repository is archived", "ask a maintainer");
  if (pullRequest.locked) return state("BLOCKED", "the conversation is locked", "ask a maintainer");
  const stuck = mergeOf(standing).find((blocker) => blocker.code === "conflict" || blocker.code === "behind");
  if (stuck !== undefined) {
    const { branch } = pullRequest.base;
    const byHand = `git fetch origin && git merge origin/${branch} && git push`;
    return state("BLOCKED", stuck.detail, settings.sync === "none" ? byHand : `reviewloop run ${reference}`, stuck);
  }
  if (pullRequest.viewerPermission === "none")
    return state("BLOCKED", `${inbox.viewer.login} may not write here`, "sign in with an account that may");
  return undefined;
};

const addressing: Rule = ({ blockers, settings }, reference) => {
  const ours = blockers.filter(
    (blocker) =>
      blocker.thread !== undefined && (blocker.lift.who === "agent" || blocker.lift.who === "loop" || blocker.code === "undecided"),
  );
  if (ours.length === 0) return undefined;
  const next = settings.hasAgent ? `reviewloop run ${reference}` : `reviewloop threads ${reference}`;
  return state("ADDRESSING", `${ours.length} thread${ours.length === 1 ? "" : "s"} to address`, next, ours[0]);
};

const red: Rule = (standing) => {
  const failed = checksOf(standing).filter((blocker) => blocker.code === "check-failed");
  if (failed.length === 0) return undefined;
  const url = failed[0]?.url;
  return state(
    "BLOCKED",
    failed.map((blocker) => blocker.detail).join("; "),
    url === undefined ? "fix the check and push" : `fix the check and push: ${url}`,
    failed[0],
  );
};

const pending: Rule = ({ blockers, waits, now }, reference) => {
  const reviewers = blockers.filter((blocker) => blocker.lift.who === "reviewer");
  if (reviewers.length === 0) return undefined;
  const awaited = waits.filter((wait) => wait.for === "reviewer").map((wait) => wait.name);
  const unasked = reviewers.filter((blocker) => !awaited.includes(blocker.lift.name));
  const late = waits.filter((wait) => wait.for === "reviewer" && wait.until <= now);
  const silent = reviewers.find((blocker) => late.some((wait) => wait.name === blocker.lift.name));
  if (unasked.length === 0 && silent !== undefined) {
    const name = silent.lift.name ?? "";
    return state(
      "REVIEWS_PENDING",
      `no answer in time: ${name}`,
      silent.code === "review-not-callable"
        ? `push, or leave it out: reviewers: { ${JSON.stringify(name)}: { required: false } }`
        : `reviewloop request ${reference} --reviewer ${name} --cancel   # then ask again, or leave it out`,
      silent,
    );
  }
  return unasked.length > 0
    ? state("REVIEWS_PENDING", `to be asked: ${names(unasked)}`, `reviewloop request ${reference}`, unasked[0])
    : state("REVIEWS_PENDING", `waiting for: ${names(reviewers)}`, `reviewloop wait ${reference}`, reviewers[0], true);
};

const people: Rule = ({ blockers }, reference) => {
  const theirs = blockers.filter((blocker) => blocker.lift.who === "person" || blocker.lift.who === "environment");
  if (theirs.length === 0) return undefined;
  const first = theirs[0];
  return state("BLOCKED", `only people are left: ${names(theirs)}`, first?.detail ?? `reviewloop why not-ready ${reference}`, first);
};

/** Red here and on the base: shown to a person, never fixed on the side. */
const notOurs: Rule = (standing) => {
  const there = checksOf(standing).find((blocker) => blocker.code === "check-red-on-base" || blocker.code === "checks-never");
  return there === undefined ? undefined : state("BLOCKED", there.detail, "ask a maintainer of the base branch", there);
};

const validating: Rule = (standing, reference) => {
  const running = checksOf(standing).filter((blocker) => blocker.lift.who === "ci");
  return running.length === 0
    ? undefined
    : state("VALIDATING", running.map((blocker) => blocker.detail).join("; "), `reviewloop wait ${reference}`, running[0], true);
};

const reviewed: Rule = (standing, reference) => {
  const { blockers, inbox } = standing;
  const left = mergeOf(standing);
  const unknown = left.find((blocker) => blocker.code === "merge-state-unknown");
  if (unknown !== undefined) return state("REVIEWED", unknown.detail, `reviewloop wait ${reference}`, unknown, true);
  const person = left.find((blocker) => blocker.lift.who === "person");
  if (person !== undefined) return state("BLOCKED", person.detail, "a person has to lift it", person);
  const first = blockers[0];
  if (first !== undefined) return state("BLOCKED", first.detail, `reviewloop run ${reference}`, first);
  const open = inbox.threads.filter((thread) => thread.open && thread.home === "inline").length;
  const { draft, mergeState, requiresConversationResolution, base } = inbox.pullRequest;
  return !draft && mergeState === "BLOCKED" && requiresConversationResolution && open > 0
    ? state("BLOCKED", `${base.branch} requires every conversation resolved; ${open} open`, `reviewloop threads ${reference}`)
    : undefined;
};

const RULES: readonly Rule[] = [hard, addressing, red, pending, notOurs, people, validating, reviewed];

/** The first rule that fits. READY = the target is met (draft state aside) and the merge conditions hold. */
export const lifecycleOf = (standing: Standing): Lifecycle => {
  const reference = standing.spoken ?? String(standing.inbox.pullRequest.ref.number);
  const { stopping } = standing;
  const also = stopping === undefined ? {} : { stopping };
  const others = { ...standing, blockers: standing.blockers.filter((blocker) => !isHandOver(blocker)) };
  for (const rule of RULES) {
    const found = rule(others, reference);
    if (found !== undefined) return { ...found, ...also };
  }
  const handOver = standing.flips === true ? `reviewloop wait ${reference}` : `reviewloop ready ${reference}`;
  const done = !standing.inbox.pullRequest.draft && handOverOf(standing.blockers).length === 0;
  const why = `${standing.settings.target} is met and the merge conditions hold`;
  return {
    ...state("READY", stopping === undefined ? why : `${why} (${stopping.detail})`, done ? "stop: a person reads it and merges" : handOver),
    ...also,
  };
};
