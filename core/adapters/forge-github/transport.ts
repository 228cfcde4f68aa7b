/** Requests to GitHub: two Octokit clients over one guarded `fetch`, counted, paced, and retried where that is safe. */
import { graphql } from "@octokit/graphql";
import { Octokit } from "@octokit/rest";
import { ReviewloopError } from "../../errors.js";
import type { Instant } from "../../model.js";
import { failureOfGraphqlErrors, graphqlErrorsOf, failureOfThrown, GithubFailure, kindOfGraphqlError } from "./failure.js";
import type { FailureKind, GraphqlError, Headers } from "./failure.js";
import { DEFAULT_MAX_WAIT, DEFAULT_TIMEOUT } from "./options.js";
import type { GithubForgeOptions } from "./options.js";
import { retrying, throwIfAborted } from "./retry.js";

const READ_AGAIN: ReadonlySet<FailureKind> = new Set(["limited", "unavailable", "partial"]);
/** A limit means that nothing was carried out; every other failure of a write is left to who can look. */
const WRITE_AGAIN: ReadonlySet<FailureKind> = new Set(["limited"]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const MAX_REDIRECTS = 5;

export type Variables = Readonly<Record<string, unknown>>;

export interface Answer<T> {
  readonly data: T;
  readonly errors: readonly GraphqlError[];
}

export interface QueryOptions {
  /** Errors that the caller deals with itself (a node that is gone, say). */
  readonly tolerate?: (error: GraphqlError) => boolean;
  readonly onFailure?: (failure: GithubFailure) => void;
}

export type RestCall<T> = (client: Octokit, request: { readonly signal: AbortSignal }) => Promise<{ status: number; data: T }>;

export interface Transport {
  readonly cost: { readonly requests: number; readonly points: number };
  /** A GraphQL query. Any `errors` entry that is not tolerated is a failure, data or not. Variables may differ from attempt to attempt. */
  query<T>(text: string, variables: Variables | (() => Variables), signal?: AbortSignal, options?: QueryOptions): Promise<Answer<T>>;
  /** What `errors` entries of a mutation mean. */
  failure(errors: readonly GraphqlError[]): GithubFailure;
  /** A GraphQL mutation: paced, sent once (again only after a rate limit). Answers with data and errors both. */
  mutate<T>(text: string, variables: Variables, signal?: AbortSignal): Promise<Answer<T | null>>;
  restRead<T>(call: RestCall<T>, signal?: AbortSignal): Promise<{ status: number; data: T }>;
  /** A REST write: paced, sent once (again only after a rate limit). */
  restWrite<T>(call: RestCall<T>, signal?: AbortSignal): Promise<{ status: number; data: T }>;
}

interface GraphqlBody {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly GraphqlError[];
  readonly headers: Headers;
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export const createTransport = (options: GithubForgeOptions): Transport => {
  const { clock, token } = options;
  const maxWait = options.maxWait ?? DEFAULT_MAX_WAIT;
  const userAgent = options.userAgent ?? "reviewloop";
  let requests = 0;
  let points = 0;
  let lastWrite: Instant | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** Follows a renamed repository with the same method and body, on the same server only: the token stays with its host. */
  const guardedFetch: typeof fetch = async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      requests += 1;
      const response = await fetch(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.origin !== url.origin) throw new GithubFailure("invalid", `it redirects to another server, ${next.host}`);
      url = next;
    }
    throw new GithubFailure("invalid", "it redirects in a circle");
  };

  const rest = new Octokit({
    auth: token,
    baseUrl: options.apiUrl.replace(/\/+$/, ""),
    userAgent,
    log: silent,
    request: { fetch: guardedFetch },
  });
  rest.hook.before("request", (request) => {
    request.headers["x-github-api-version"] = "2022-11-28";
    request.headers["x-github-next-global-id"] = "1";
  });
  const sendGraphql = graphql.defaults({
    url: options.graphqlUrl,
    headers: { authorization: `bearer ${token}`, "user-agent": userAgent, "x-github-next-global-id": "1" },
    request: { fetch: guardedFetch, log: silent },
  });

  const limitOf = (signal: AbortSignal | undefined): AbortSignal => {
    const timeout = AbortSignal.timeout(options.timeout ?? DEFAULT_TIMEOUT);
    return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  };

  /** Whatever the server echoed, the token leaves no error. */
  const cleaned = (failure: GithubFailure): GithubFailure => {
    const text = failure.message.replaceAll(token, "[token]").replaceAll(/\s+/g, " ").slice(0, 400);
    return text === failure.message ? failure : new GithubFailure(failure.kind, text, failure.facts);
  };

  const sent = async <T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    try {
      return await call();
    } catch (thrown) {
      throwIfAborted(signal);
      if (ReviewloopError.is(thrown)) throw thrown;
      throw cleaned(failureOfThrown(thrown));
    }
  };

  const post = (text: string, variables: Variables, signal: AbortSignal | undefined): Promise<GraphqlBody> =>
    sent(async () => {
      try {
        const data = await sendGraphql<Record<string, unknown> | undefined>(text, { ...variables, request: { signal: limitOf(signal) } });
        return { ...(data === undefined ? {} : { data }), headers: {} };
      } catch (thrown) {
        // Octokit throws on any `errors` entry and keeps the data beside it.
        const { errors, data, headers } = thrown as Partial<GraphqlBody>;
        if (!Array.isArray(errors)) throw thrown;
        return { data: data ?? null, errors: graphqlErrorsOf(errors), headers: headers ?? {} };
      }
    }, signal);

  const paced = <T>(act: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    const next = queue.then(async () => {
      throwIfAborted(signal);
      const left = lastWrite === undefined ? 0 : lastWrite + options.pace - clock.now();
      if (left > 0) await clock.sleep(left, signal);
      try {
        return await act();
      } finally {
        lastWrite = clock.now();
      }
    });
    queue = next.catch(() => undefined);
    return next;
  };

  return {
    get cost() {
      return { requests, points };
    },

    query: <T>(text: string, variables: Variables | (() => Variables), signal?: AbortSignal, how: QueryOptions = {}): Promise<Answer<T>> =>
      retrying(
        async () => {
          const body = await post(text, typeof variables === "function" ? variables() : variables, signal);
          const used = (body.data?.["rateLimit"] as { cost?: number } | null | undefined)?.cost;
          if (typeof used === "number") points += used;
          const errors = body.errors ?? [];
          const bad = errors.filter((error) => how.tolerate?.(error) !== true);
          if (bad.length > 0) throw cleaned(failureOfGraphqlErrors(bad, body.headers));
          if (body.data === undefined || body.data === null) throw new GithubFailure("unavailable", "an answer without data");
          return { data: body.data as T, errors };
        },
        { clock, maxWait, kinds: READ_AGAIN, signal, ...(how.onFailure === undefined ? {} : { onFailure: how.onFailure }) },
      ),

    failure: (errors) => cleaned(failureOfGraphqlErrors(errors, {})),

    mutate: <T>(text: string, variables: Variables, signal?: AbortSignal): Promise<Answer<T | null>> =>
      retrying(
        () =>
          paced(async () => {
            const body = await post(text, variables, signal);
            // No mutation can ask for its own cost: without a connection in its answer it is the least that a call costs.
            points += 1;
            const errors = body.errors ?? [];
            if (body.data === undefined) throw new GithubFailure("unavailable", "an answer without data");
            const nothing = body.data === null || Object.values(body.data).every((value) => value === null);
            if (nothing && errors.some((error) => kindOfGraphqlError(error) === "limited")) {
              throw cleaned(failureOfGraphqlErrors(errors, body.headers));
            }
            return { data: body.data as T | null, errors };
          }, signal),
        { clock, maxWait, kinds: WRITE_AGAIN, signal },
      ),

    restRead: <T>(call: RestCall<T>, signal?: AbortSignal) =>
      retrying(() => sent(() => call(rest, { signal: limitOf(signal) }), signal), { clock, maxWait, kinds: READ_AGAIN, signal }),

    restWrite: <T>(call: RestCall<T>, signal?: AbortSignal) =>
      retrying(() => paced(() => sent(() => call(rest, { signal: limitOf(signal) }), signal), signal), {
        clock,
        maxWait,
        kinds: WRITE_AGAIN,
        signal,
      }),
  };
};
