/** Pure: GitHub's merge conditions, in the order in which they are to be believed. `mergeable` alone never counts. */
import type { Blocker, Check, Inbox, RunState } from "../model.js";

const PASSING = new Set<Check["state"]>(["success", "neutral", "skipped"]);

/** Long enough for a workflow to register after a push. */
const REGISTER = 3 * 60_000;
/** A required check that has not begun by then, while nothing runs that could bring it, was filtered out or renamed. */
const NEVER = 15 * 60_000;

const blocker = (code: string, who: Blocker["lift"]["who"], detail: string, extra: Partial<Blocker> = {}): Blocker => ({
  code,
  by: "core",
  detail,
  lift: { who },
  ...extra,
});
const at = (check: Check): Partial<Blocker> => (check.url === undefined ? {} : { url: check.url });

const isRed = (check: Check): boolean => check.state !== "pending" && !PASSING.has(check.state);

/** Is the same check red on the base commit too? Then this pull request did not break it. */
const redOnBase = (check: Check, inbox: Inbox): boolean =>
  (inbox.baseChecks ?? []).some((base) => base.name === check.name && base.kind === check.kind && base.app === check.app && isRed(base));

/** A check that began on this head proves that the head was there by then. */
const since = (inbox: Inbox, headSince: number): number =>
  Math.min(headSince, ...(inbox.checks ?? []).flatMap((check) => check.startedAt ?? []));

/** Nothing registered: not yet, still awaited, never, or none here at all. */
const absent = (inbox: Inbox, age: number): readonly Blocker[] => {
  const { requiredChecks, mergeState } = inbox.pullRequest;
  if (requiredChecks.length > 0) {
    const names = requiredChecks.join(", ");
    return age < NEVER
      ? [blocker("checks-missing", "ci", `required checks have not started: ${names}`)]
      : [blocker("checks-never", "person", `required checks never started on this head: ${names}; look at their workflows' filters`)];
  }
  // Nothing registered yet is not "all green"; after a while it means that there are none.
  const here = (inbox.baseChecks ?? []).length > 0;
  const starting = inbox.checks === null && age < REGISTER && (here || mergeState !== "CLEAN");
  return starting ? [blocker("checks-starting", "ci", "no check has registered for this head yet")] : [];
};

/** Red, pending and missing checks of the head. Times in milliseconds. */
export const checkBlockers = (inbox: Inbox, headSince: number, now: number): readonly Blocker[] => {
  const { checks, pullRequest } = inbox;
  const age = now - since(inbox, headSince);
  if (checks === null || checks.length === 0) return absent(inbox, age);
  const names = new Set(checks.map((check) => check.name));
  const missing = pullRequest.requiredChecks.filter((name) => !names.has(name));
  const pending = checks.filter((check) => check.state === "pending");
  // A job that sums up others registers when they end: while anything runs, what is missing may still come.
  const never = pending.length === 0 && age >= NEVER;
  return [
    ...missing.map((name) =>
      never
        ? blocker(
            "checks-never",
            "person",
            `the required check "${name}" never started on this head; look at its workflow's filters and name`,
          )
        : blocker("checks-missing", "ci", `the required check "${name}" has not started`),
    ),
    ...pending.map((check) => blocker("check-pending", "ci", `"${check.name}" is running`, at(check))),
    ...checks.filter(isRed).map((check) => {
      if (check.raw === "ACTION_REQUIRED")
        return blocker(
          "check-action-required",
          "person",
          `"${check.name}" waits for somebody to act, or to approve that it runs`,
          at(check),
        );
      const ended = `"${check.name}" ended as ${check.raw.toLowerCase()}`;
      return redOnBase(check, inbox)
        ? blocker(
            "check-red-on-base",
            "person",
            `${ended}, and is red on ${pullRequest.base.branch} too: not this pull request's doing`,
            at(check),
          )
        : blocker("check-failed", "agent", ended, at(check));
    }),
  ];
};

/** From when GitHub's BLOCKED is believed: it lags behind the last conversation that was resolved and the last check that ended. */
export const mergeSettledAt = (inbox: Inbox, run: RunState, settle: number): number =>
  Math.max(run.lastWriteAt ?? 0, ...(inbox.checks ?? []).flatMap((check) => check.completedAt ?? [])) + settle;

/** Conflict, behind, reviews, rules. Draft state is judged by the caller. Before `settledAt` a rule that nobody names is not known yet. */
export const mergeBlockers = (
  inbox: Inbox,
  headSince: number,
  now: number,
  sync: "none" | "merge" | "rebase",
  settledAt = 0,
): readonly Blocker[] => {
  const { pullRequest } = inbox;
  const bySync = sync === "none" ? "person" : "loop";
  if (pullRequest.mergeState === "DIRTY" || pullRequest.mergeable === "CONFLICTING")
    return [blocker("conflict", bySync, `conflicts with ${pullRequest.base.branch}`)];
  if (pullRequest.mergeState === "BEHIND")
    return [blocker("behind", bySync, `is behind ${pullRequest.base.branch}, which requires branches to be up to date`)];
  const checks = checkBlockers(inbox, headSince, now);
  const reviews: Blocker[] = [];
  if (pullRequest.reviewDecision === "CHANGES_REQUESTED")
    reviews.push(blocker("changes-requested", "person", "a reviewer requested changes; only that reviewer clears it"));
  // A draft is not reviewed by people yet: that is what its flip asks for.
  if (pullRequest.reviewDecision === "REVIEW_REQUIRED" && !pullRequest.draft)
    reviews.push(blocker("review-required", "person", "an approving review is required"));
  const known = [...checks, ...reviews];
  if (known.length > 0) return known;
  // For a draft the merge state is DRAFT, BLOCKED or UNKNOWN, by server; only whether it merges is told.
  if ((pullRequest.mergeState === "UNKNOWN" && !pullRequest.draft) || pullRequest.mergeable === "UNKNOWN")
    return [blocker("merge-state-unknown", "ci", "GitHub is still working out the merge state")];
  if (pullRequest.draft) return [];
  const open = inbox.threads.some((thread) => thread.open && thread.home === "inline");
  if (pullRequest.mergeState === "BLOCKED" && !(open && pullRequest.requiresConversationResolution)) {
    if (now < settledAt) return [blocker("merge-state-unknown", "ci", "GitHub has not caught up with what just ended")];
    return [blocker("merge-blocked", "person", `a rule of ${pullRequest.base.branch} is not met; GitHub does not say which`)];
  }
  return [];
};
