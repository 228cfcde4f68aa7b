/** What a failure becomes at the port: an error of the catalogue for a read, a refusal for a write. */
import { ReviewloopError } from "../../errors.js";
import type { RefusalCode, WriteResult } from "../../model.js";
import { GithubFailure } from "./failure.js";
import type { FailureKind } from "./failure.js";
import { Incomplete } from "./gathered.js";

export interface Subject {
  readonly host: string;
  /** What was asked for, for the sentence. */
  readonly what: string;
  /** The pull request, where the request was about one. */
  readonly ref?: string;
}

const LAST_DATE = 8.64e15;

/** A server may name any number; a date ends with the year 275760. */
const untilOf = ({ until }: GithubFailure): string =>
  until === undefined || !(Math.abs(until) <= LAST_DATE) ? "an unknown time" : new Date(until).toISOString();

export const errorOf = (failure: GithubFailure, subject: Subject): ReviewloopError => {
  const { host, what, ref } = subject;
  const problem = failure.message;
  /** Under HTTP 200 an error at a path means that a part of the answer is missing. */
  const halfRead = ({ facts }: GithubFailure) =>
    facts.status === undefined && facts.path !== undefined ? new ReviewloopError("READ_INCOMPLETE", { what, problem }) : undefined;
  switch (failure.kind) {
    case "sign-in":
      return new ReviewloopError("GITHUB_SIGN_IN", { host, problem });
    case "denied":
    case "locked":
      return new ReviewloopError("GITHUB_DENIED", { what, problem });
    case "limited":
      return new ReviewloopError("GITHUB_RATE_LIMITED", { until: untilOf(failure) });
    case "not-found":
      return ref === undefined
        ? new ReviewloopError("GITHUB_ANSWER", { what, problem })
        : new ReviewloopError("PULL_REQUEST_NOT_FOUND", { ref });
    case "partial":
    case "too-large":
    case "stale-cursor":
    case "pending-review":
      return new ReviewloopError("READ_INCOMPLETE", { what, problem });
    case "unavailable":
      return halfRead(failure) ?? new ReviewloopError("GITHUB_UNAVAILABLE", { what, problem });
    case "invalid":
      return halfRead(failure) ?? new ReviewloopError("GITHUB_ANSWER", { what, problem });
    default:
      return new ReviewloopError("GITHUB_ANSWER", { what, problem });
  }
};

const REFUSALS: Readonly<Partial<Record<FailureKind, RefusalCode>>> = {
  denied: "forbidden",
  "not-found": "not-found",
  locked: "locked",
  "pending-review": "pending-review",
  invalid: "invalid",
  "too-large": "invalid",
  "stale-cursor": "invalid",
  unsupported: "unsupported",
  "undefined-field": "unsupported",
};

export const refused = (code: RefusalCode, detail: string): WriteResult => ({ state: "refused", code, detail });

/** A clear no of GitHub is a result. Throws where the fate is unknown, or nobody is signed in. */
export const refusalOf = (failure: GithubFailure, subject: Subject): WriteResult => {
  if (failure.kind === "limited") return refused("rate-limited", `${failure.message}; the limit ends at ${untilOf(failure)}`);
  const code = REFUSALS[failure.kind];
  if (code !== undefined) return refused(code, failure.message);
  if (failure.kind === "sign-in") throw errorOf(failure, subject);
  throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: subject.what, problem: failure.message });
};

/** Every failure leaves as an error of the catalogue. */
export const saying = async <T>(subject: Subject, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof GithubFailure) throw errorOf(thrown, subject);
    if (thrown instanceof Incomplete) throw new ReviewloopError("READ_INCOMPLETE", { what: subject.what, problem: thrown.message });
    throw thrown;
  }
};
