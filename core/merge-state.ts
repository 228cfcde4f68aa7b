/** Pure: GitHub's merge conditions, in the order in which they are to be believed. `mergeable` alone never counts. */
import type { Blocker, Check, Inbox } from "./model.js";

const PASSING = new Set<Check["state"]>(["success", "neutral", "skipped"]);

/** Long enough for a workflow to register after a push. */
const REGISTER = 3 * 60_000;

const blocker = (code: string, who: Blocker["lift"]["who"], detail: string, extra: Partial<Blocker> = {}): Blocker => ({
  code,
  by: "core",
  detail,
  lift: { who },
  ...extra,
});

/** Red, pending and missing checks of the head. */
export const checkBlockers = (inbox: Inbox, headSince: number, now: number): readonly Blocker[] => {
  const { checks, pullRequest } = inbox;
  const young = now - headSince < REGISTER;
  if (checks === null || checks.length === 0) {
    if (pullRequest.requiredChecks.length > 0) {
      return [blocker("checks-missing", "ci", `required checks have not started: ${pullRequest.requiredChecks.join(", ")}`)];
    }
    // Nothing registered yet is not "all green"; after a while it means that there are none.
    return checks === null && young && inbox.pullRequest.mergeState !== "CLEAN"
      ? [blocker("checks-starting", "ci", "no check has registered for this head yet")]
      : [];
  }
  const names = new Set(checks.map((check) => check.name));
  const missing = pullRequest.requiredChecks.filter((name) => !names.has(name));
  return [
    ...missing.map((name) => blocker("checks-missing", "ci", `the required check "${name}" has not started`)),
    ...checks
      .filter((check) => check.state === "pending")
      .map((check) => blocker("check-pending", "ci", `"${check.name}" is running`, check.url === undefined ? {} : { url: check.url })),
    ...checks
      .filter((check) => check.state !== "pending" && !PASSING.has(check.state))
      .map((check) =>
        blocker(
          "check-failed",
          "agent",
          `"${check.name}" ended as ${check.raw.toLowerCase()}`,
          check.url === undefined ? {} : { url: check.url },
        ),
      ),
  ];
};

/** Conflict, behind, reviews, rules. Draft state is judged by the caller. */
export const mergeBlockers = (inbox: Inbox, headSince: number, now: number, sync: "none" | "merge" | "rebase"): readonly Blocker[] => {
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
  if (pullRequest.reviewDecision === "REVIEW_REQUIRED")
    reviews.push(blocker("review-required", "person", "an approving review is required"));
  const known = [...checks, ...reviews];
  if (known.length > 0 || pullRequest.draft) return known;
  if (pullRequest.mergeState === "UNKNOWN" || pullRequest.mergeable === "UNKNOWN")
    return [blocker("merge-state-unknown", "ci", "GitHub is still working out the merge state")];
  const open = inbox.threads.some((thread) => thread.open && thread.home === "inline");
  if (pullRequest.mergeState === "BLOCKED" && !(open && pullRequest.requiresConversationResolution)) {
    return [blocker("merge-blocked", "person", `a rule of ${pullRequest.base.branch} is not met; GitHub does not say which`)];
  }
  return [];
};
