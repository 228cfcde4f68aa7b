import type { Clock } from "../../ports.js";

export interface GithubForgeOptions {
  /** REST base: `https://api.github.com`, or `https://HOST/api/v3` of a GitHub Enterprise Server. */
  readonly apiUrl: string;
  /** GraphQL address: `https://api.github.com/graphql`, or `https://HOST/api/graphql`. */
  readonly graphqlUrl: string;
  /** Host of the web pages; only pull requests of this host are served. */
  readonly host: string;
  /** Kept in memory, sent to the two addresses above only, never part of an error's text. */
  readonly token: string;
  /** Pacing and retries run on it. */
  readonly clock: Clock;
  /** Least time between two writes, milliseconds. */
  readonly pace: number;
  /** GitHub rejects requests without one. */
  readonly userAgent?: string;
  /** The longest wait for a rate limit, milliseconds; a longer one ends as `GITHUB_RATE_LIMITED`. Default: 5 minutes. */
  readonly maxWait?: number;
  /** How long one HTTP request may take, milliseconds of real time. GitHub itself ends one after 10 seconds. Default: 1 minute. */
  readonly timeout?: number;
}

export const DEFAULT_MAX_WAIT = 5 * 60_000;
export const DEFAULT_TIMEOUT = 60_000;
