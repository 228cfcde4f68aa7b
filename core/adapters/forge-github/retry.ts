/** Retries on the clock port: p-retry counts the attempts, the clock does the waiting. */
import pRetry from "p-retry";
import { ReviewloopError } from "../../errors.js";
import type { Instant } from "../../model.js";
import type { Clock } from "../../ports.js";
import { GithubFailure } from "./failure.js";
import type { FailureKind } from "./failure.js";

export const RETRIES = 5;
const STEP = 1_000;
/** GitHub asks for at least a minute where a secondary limit names no time. */
const UNNAMED_LIMIT = 60_000;

/**
 * Milliseconds to wait after the failure of an attempt (the first is 1): the server's `Retry-After`, else the reset of a
 * primary limit, else a minute doubled each time; for faults a second doubled each time.
 */
export const delayAfter = (failure: GithubFailure, attempt: number, now: Instant): number => {
  const doubled = 2 ** (attempt - 1);
  if (failure.kind !== "limited") return STEP * doubled;
  const { retryAfter, resetAt } = failure.facts;
  if (retryAfter !== undefined) return Math.max(retryAfter, STEP);
  if (resetAt !== undefined) return Math.max(resetAt + STEP - now, STEP);
  return UNNAMED_LIMIT * doubled;
};

export const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
};

export interface RetryPlan {
  readonly clock: Clock;
  readonly maxWait: number;
  readonly kinds: ReadonlySet<FailureKind>;
  readonly signal?: AbortSignal | undefined;
  /** Told of each failure that will be tried again. */
  readonly onFailure?: (failure: GithubFailure) => void;
}

/** Failures of the given kinds are tried again, five times at most; everything else passes through as it is. */
export const retrying = <T>(attempt: () => Promise<T>, plan: RetryPlan): Promise<T> => {
  const again = (error: Error): error is GithubFailure => error instanceof GithubFailure && plan.kinds.has(error.kind);
  return pRetry(
    async () => {
      throwIfAborted(plan.signal);
      return attempt();
    },
    {
      retries: RETRIES,
      minTimeout: 0,
      maxTimeout: 0,
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (!again(error)) return;
        const wait = delayAfter(error, attemptNumber, plan.clock.now());
        if (error.kind === "limited") error.until = plan.clock.now() + wait;
        if (retriesLeft === 0) return;
        if (error.kind === "limited" && wait > plan.maxWait) throw error;
        plan.onFailure?.(error);
        await plan.clock.sleep(wait, plan.signal);
      },
      shouldRetry: ({ error }) => again(error),
    },
  );
};
