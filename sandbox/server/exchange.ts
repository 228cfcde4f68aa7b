/** One request and its answer, whole: what passes between the listener and the three services (REST, GraphQL, git). */
import type { IncomingHttpHeaders } from "node:http";

export interface Exchange {
  /** As GitHub's `x-github-request-id`. */
  readonly id: string;
  readonly method: string;
  /** Decoded by segment only where a route takes it apart; without `/api/v3`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Where this request says the server is (scheme and host), for links in the answer. */
  readonly origin: string;
  /** True where the client used the paths of an Enterprise server. */
  readonly enterprise: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** Broken connection instead of an answer. */
export const HANG_UP = Symbol("hang up");
export type Outcome = Reply | typeof HANG_UP;

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: value === undefined ? "" : JSON.stringify(value),
});

export const DOCUMENTATION = "https://docs.github.com/rest";

/** GitHub's error body. `status` is a string there. */
export const failure = (
  status: number,
  message: string,
  extra: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Reply => json(status, { message, ...extra, documentation_url: DOCUMENTATION, status: String(status) }, headers);
