/** Checks of the base commit: what is red here may be red there too, and no checks here may be none anywhere. */
import type { Check, Inbox, PullRequestRef, Snapshot } from "../model.js";
import type { ForgeReads } from "../ports.js";

/** Reads them where it matters, once for each base commit. */
export const baseChecksOf = (
  forge: Pick<ForgeReads, "checksAt">,
  ref: PullRequestRef,
  signal: AbortSignal,
): ((snapshot: Snapshot) => Promise<Pick<Inbox, "baseChecks">>) => {
  let read: { readonly sha: string; readonly checks: readonly Check[] | null } | undefined;
  return async ({ checks, pullRequest }) => {
    const matters = checks === null || checks.some((check) => check.state === "failure" || check.state === "cancelled");
    if (!matters || forge.checksAt === undefined || pullRequest.state !== "open") return {};
    const { sha } = pullRequest.base;
    try {
      if (read?.sha !== sha) read = { sha, checks: await forge.checksAt(ref, sha, signal) };
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      // Not read is not the same as none: without it, what is red counts as this pull request's.
      return {};
    }
    return { baseChecks: read.checks };
  };
};
