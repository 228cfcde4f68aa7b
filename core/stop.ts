/** Pure: whether the run stops, and as what. The order is that of `STOPS`: the first that applies. */
import { titleKey } from "./bodies/text.js";
import type { Blocker, Inbox, RunState, StopDetail, Thread, Wait } from "./model.js";
import { STOPS } from "./model.js";
import { isConversation } from "./reading/standing.js";
import { sameWait } from "./wait.js";
import type { Settings } from "./settings.js";

/** What the pass that just ended did. */
export interface Did {
  /** Something reached GitHub: an answer, a resolve, a request, a push. */
  readonly wrote: boolean;
  readonly pushed: boolean;
  /** A decision was taken that had not been there. */
  readonly decided: boolean;
}

export interface Standing {
  readonly inbox: Inbox;
  readonly blockers: readonly Blocker[];
  readonly waits: readonly Wait[];
  readonly expired: readonly Wait[];
  readonly run: RunState;
  readonly settings: Settings;
  readonly did: Did;
}

const list = (blockers: readonly Blocker[]): string => {
  const codes = new Map<string, number>();
  for (const blocker of blockers) codes.set(blocker.code, (codes.get(blocker.code) ?? 0) + 1);
  return [...codes].map(([code, count]) => (count === 1 ? code : `${count} x ${code}`)).join(", ");
};

const closed = ({ inbox }: Standing): string | undefined => {
  const { pullRequest } = inbox;
  if (pullRequest.state === "merged") return "the pull request is merged: nothing is left to do here";
  if (pullRequest.state === "closed") return "the pull request is closed: reopen it, and run again";
  return pullRequest.inMergeQueue
    ? "the pull request is in the merge queue: let it merge, or take it out of the queue and run again"
    : undefined;
};

/** Who was silent, and how that stands. */
const named = ({ name, for: what }: Wait, blockers: readonly Blocker[]): string => {
  const held = blockers.find((blocker) => what === "reviewer" && blocker.lift.who === "reviewer" && blocker.lift.name === name);
  return `${name ?? (what === "checks" ? "the checks" : "an answer")}${held === undefined ? "" : ` (${held.detail})`}`;
};

/** Two passes in a row without a change of code, and nothing but answered points is left. */
const stalled = ({ run, blockers, inbox }: Standing): string | undefined => {
  const last = run.iterations.slice(-2);
  if (last.length < 2 || last.some((line) => line.pushed !== undefined)) return undefined;
  // Where only people are left, they are named, also right after the last answer.
  if (blockers.every((blocker) => blocker.lift.who === "person")) return undefined;
  const threads = blockers.filter((blocker) => blocker.thread !== undefined);
  const answered = threads.every((blocker) => inbox.threads.find((thread) => thread.id === blocker.thread)?.answered ?? false);
  return threads.length > 0 && answered ? "two iterations changed no code, and only answered points are left" : undefined;
};

const DECLINED = new Set(["informational", "false-positive"]);

/**
 * What reviewers raise again after two iterations that changed no code, if nothing else is open: words that were answered before. To answer
 * once more brings no progress; empty where there is something new.
 */
export const repeats = (inbox: Inbox, run: RunState): readonly Thread[] => {
  const last = run.iterations.slice(-2);
  if (last.length < 2 || last.some((line) => line.pushed !== undefined)) return [];
  const answered = run.iterations.flatMap((line) => line.decided.filter((item) => DECLINED.has(item.kind)));
  const again = (thread: Thread): boolean =>
    thread.reviewer !== undefined &&
    answered.some((item) => item.thread !== thread.id && titleKey(item.title) !== "" && titleKey(item.title) === titleKey(thread.title));
  const open = inbox.threads.filter((thread) => thread.open && !thread.answered && isConversation(thread));
  return open.every(again) ? open : [];
};

/** Two rounds in a row that brought mostly what our own fixes brought: to go on would go in circles. Rounds without a new finding don't count. */
export const goesInCircles = (run: RunState): string | undefined => {
  const rounds = run.iterations.flatMap(({ findings }) => (findings === undefined || findings.found === 0 ? [] : [findings])).slice(-2);
  if (rounds.length < 2 || rounds.some(({ found, fixInduced }) => fixInduced * 2 <= found)) return undefined;
  const figures = rounds.map(({ found, fixInduced }) => `${fixInduced} of ${found}`).join(", then ");
  return `two rounds in a row brought mostly findings on lines that our own fixes wrote: ${figures}`;
};

/** What agents may use is used up: asked before each call of one, and after each read. */
export const overBudget = (run: Pick<RunState, "tokens" | "money">, { limits }: Pick<Settings, "limits">): string | undefined => {
  if (limits.tokens !== undefined && run.tokens >= limits.tokens) return `${run.tokens} tokens used (limits.tokens)`;
  return limits.money !== undefined && run.money >= limits.money ? `${run.money.toFixed(2)} spent (limits.money)` : undefined;
};

type Rule = (standing: Standing) => string | undefined;

const RULES: Partial<Record<StopDetail["stop"], Rule>> = {
  closed,
  refused: ({ inbox }) => {
    if (inbox.pullRequest.archived) return "the repository is archived, so nobody can write to it: ask its owner to unarchive it";
    if (inbox.pullRequest.locked) return "the conversation is locked: ask a maintainer to unlock it, and run again";
    const draft = inbox.reviews.some((review) => review.state === "PENDING" && review.message.author.login === inbox.viewer.login);
    return draft ? "this account has a review that is not submitted; a reply would vanish into it: submit or discard it first" : undefined;
  },
  "over-budget": ({ run, settings }) => overBudget(run, settings),
  "ci-red": ({ blockers, waits }) =>
    waits.length === 0 && blockers.length > 0 && blockers.every((blocker) => blocker.code === "check-failed")
      ? blockers.map((blocker) => blocker.detail).join("; ")
      : undefined,
  "timed-out": ({ blockers, expired, run, settings }) => {
    // A person who does not come back is named by `waiting-for-people`, unless somebody else is awaited too.
    const onlyPeople = blockers.every((blocker) => blocker.lift.who === "person");
    const silent = expired.filter((wait) => wait.for !== "person" || !onlyPeople);
    if (silent.length > 0) return `no answer from ${silent.map((wait) => named(wait, blockers)).join(", ")}`;
    return run.activeTime >= settings.limits.activeTime ? "the limit of active time is used up (limits.activeTime)" : undefined;
  },
  "waiting-for-people": ({ blockers, waits, expired, did }) => {
    const people = blockers.length > 0 && blockers.every((blocker) => blocker.lift.who === "person");
    const awaited = waits.some((wait) => !expired.some((other) => sameWait(wait, other)));
    return people && !awaited && !did.wrote ? list(blockers) : undefined;
  },
  stalled,
  "no-progress": ({ blockers, waits, did }) =>
    waits.length === 0 && blockers.length > 0 && !did.wrote && !did.pushed ? list(blockers) : undefined,
};

/** Undefined: go on. Blockers may carry a stop of their own; `met` is decided by the loop, which first lets things settle. */
export const stopOf = (standing: Standing): StopDetail | undefined => {
  for (const stop of STOPS) {
    const carried = standing.blockers.find((blocker) => blocker.stop === stop);
    if (carried !== undefined) return { stop, detail: carried.detail };
    const detail = RULES[stop]?.(standing);
    if (detail !== undefined) return { stop, detail };
  }
  return undefined;
};

/** Looked at before an iteration begins: the cap holds back the next one, not the waiting of the last. */
export const capped = (run: RunState, settings: Settings): StopDetail | undefined =>
  settings.limits.iterations !== undefined && run.iterations.length >= settings.limits.iterations
    ? {
        stop: "max-iterations",
        detail: `${run.iterations.length} ${run.iterations.length === 1 ? "iteration" : "iterations"} (limits.iterations)`,
      }
    : undefined;

/** Stops that hold whatever the blockers are: looked at right after a read, before anything is done. */
export const stopAtOnce = (standing: Standing): StopDetail | undefined => {
  const found = stopOf({
    ...standing,
    blockers: standing.blockers.filter((blocker) => blocker.stop !== undefined),
    waits: [],
    expired: [],
  });
  return found !== undefined &&
    (["closed", "refused", "over-budget"].includes(found.stop) || standing.blockers.some((blocker) => blocker.stop === found.stop))
    ? found
    : undefined;
};

const EXITS: Record<StopDetail["stop"], number> = {
  aborted: 130,
  failed: 4,
  "auth-failed": 4,
  "incomplete-read": 4,
  "poll-error": 4,
  "ci-error": 4,
  closed: 1,
  superseded: 1,
  refused: 1,
  "needs-approval": 3,
  skipped: 1,
  "sync-conflict": 1,
  "gate-red": 1,
  met: 0,
  "report-only": 0,
  "over-budget": 1,
  "ci-red": 1,
  "timed-out": 2,
  "waiting-for-people": 1,
  stalled: 1,
  "no-progress": 1,
  "max-iterations": 1,
};

/** Exit code of a stop; `null` = parked. */
export const exitOf = (stop: StopDetail["stop"] | null): number => (stop === null ? 2 : EXITS[stop]);
