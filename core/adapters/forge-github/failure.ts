/** What GitHub's refusals and faults mean. Pure: an answer in, one kind of failure out. */
import type { Instant } from "../../model.js";

export type FailureKind =
  | "sign-in"
  | "denied"
  | "not-found"
  | "locked"
  | "pending-review"
  | "invalid"
  | "unsupported"
  /** A rate limit: nothing was carried out. */
  | "limited"
  /** 5xx, a lost connection, a time-out, "something went wrong": carried out or not, nobody knows. */
  | "unavailable"
  /** HTTP 200 with data and errors. */
  | "partial"
  /** Too many nodes or too much work for one query: ask for less. */
  | "too-large"
  /** A field that this server does not have. */
  | "undefined-field"
  /** A cursor that the server no longer accepts. */
  | "stale-cursor";

export interface FailureFacts {
  readonly status?: number;
  /** Milliseconds that the server asked to wait. */
  readonly retryAfter?: number;
  /** When the primary limit is reset. */
  readonly resetAt?: Instant;
  /** `Type.field` names, for `undefined-field`. */
  readonly fields?: readonly string[];
  /** Path of the GraphQL error that decided. */
  readonly path?: readonly (string | number)[];
}

export class GithubFailure extends Error {
  readonly kind: FailureKind;
  readonly facts: FailureFacts;
  /** For `limited`: when it ends, set once the wait was found too long. */
  until?: Instant;

  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    super(message);
    this.name = "GithubFailure";
    this.kind = kind;
    this.facts = facts;
  }
}

export interface GraphqlError {
  readonly message: string;
  /** GitHub puts it at the top level, not under `extensions`. */
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly type?: string; readonly typeName?: string; readonly fieldName?: string };
}

/** The entries of an answer's `errors`, whatever stands there: a word alone and an entry without one are errors too. */
export const graphqlErrorsOf = (entries: unknown): readonly GraphqlError[] =>
  (Array.isArray(entries) ? entries : [entries]).map((entry: unknown): GraphqlError => {
    if (typeof entry !== "object" || entry === null) return { message: typeof entry === "string" ? entry : "an error without a word" };
    const { message, type, path, extensions } = entry as Record<string, unknown>;
    const words = Object.entries(typeof extensions === "object" && extensions !== null ? extensions : {});
    return {
      message: typeof message === "string" ? message : "an error without a word",
      ...(typeof type === "string" ? { type } : {}),
      ...(Array.isArray(path) ? { path: path.filter((step) => typeof step === "string" || typeof step === "number") } : {}),
      extensions: Object.fromEntries(words.filter(([, value]) => typeof value === "string")),
    };
  });

export type Headers = Readonly<Record<string, string | number | undefined>>;

const LIMIT_TEXT = /secondary rate limit|rate limit exceeded|abuse detection/i;
const LOCKED_TEXT = /\blocked\b|\barchived\b/i;
const PENDING_REVIEW_TEXT = /pending review/i;

const numberOf = (value: string | number | undefined): number | undefined => {
  if (value === undefined || value === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
};

const limitFacts = (headers: Headers): Pick<FailureFacts, "retryAfter" | "resetAt"> => {
  const after = numberOf(headers["retry-after"]);
  const reset = numberOf(headers["x-ratelimit-remaining"]) === 0 ? numberOf(headers["x-ratelimit-reset"]) : undefined;
  return {
    ...(after === undefined ? {} : { retryAfter: after * 1000 }),
    ...(reset === undefined ? {} : { resetAt: reset * 1000 }),
  };
};

/** GitHub's `errors` entries are objects in some answers and plain strings in others. */
const detailOf = (data: unknown): string => {
  if (typeof data === "string") return data.startsWith("<") ? "" : data;
  if (typeof data !== "object" || data === null) return "";
  const { message, errors, failure_reason: reason } = data as { message?: unknown; errors?: unknown; failure_reason?: unknown };
  const entries = Array.isArray(errors) ? errors : errors === undefined ? [] : [errors];
  const more = entries.map((entry: unknown) => {
    if (typeof entry === "string") return entry;
    if (typeof entry !== "object" || entry === null) return "";
    const { message: text, field, code, resource } = entry as Record<string, unknown>;
    return typeof text === "string" ? text : [resource, field, code].filter((part) => typeof part === "string").join(" ");
  });
  return [message, reason, ...more].filter((part): part is string => typeof part === "string" && part !== "").join("; ");
};

/** The failure that an HTTP status of 400 and above stands for. */
export const failureOfResponse = (status: number, headers: Headers, data: unknown): GithubFailure => {
  const said = detailOf(data);
  const text = said === "" ? `HTTP ${status}` : `${said} (HTTP ${status})`;
  const limited =
    status === 429 ||
    (status === 403 &&
      (numberOf(headers["x-ratelimit-remaining"]) === 0 || numberOf(headers["retry-after"]) !== undefined || LIMIT_TEXT.test(said)));
  if (limited) return new GithubFailure("limited", text, { status, ...limitFacts(headers) });
  if (status >= 500 && status !== 501) return new GithubFailure("unavailable", text, { status });
  const permissions = headers["x-accepted-github-permissions"];
  const needs = permissions === undefined || permissions === "" ? text : `${text}; needs ${permissions}`;
  const kind = ((): FailureKind => {
    if (PENDING_REVIEW_TEXT.test(said)) return "pending-review";
    switch (status) {
      case 401:
        return "sign-in";
      case 403:
      case 451:
        return LOCKED_TEXT.test(said) ? "locked" : "denied";
      case 404:
      case 410:
        return "not-found";
      case 405:
      case 501:
        return "unsupported";
      default:
        return LOCKED_TEXT.test(said) ? "locked" : "invalid";
    }
  })();
  return new GithubFailure(kind, kind === "denied" ? needs : text, { status });
};

const UNDEFINED_FIELD = /Field '(\w+)' doesn't exist on type '(\w+)'/;

const undefinedFieldOf = (error: GraphqlError): string | undefined => {
  const { code, typeName, fieldName } = error.extensions ?? {};
  if (code === "undefinedField" && typeName !== undefined && fieldName !== undefined) return `${typeName}.${fieldName}`;
  const found = UNDEFINED_FIELD.exec(error.message);
  return found === null ? undefined : `${found[2]}.${found[1]}`;
};

export const kindOfGraphqlError = (error: GraphqlError): FailureKind => {
  const type = error.type ?? error.extensions?.type ?? "";
  const text = error.message;
  if (undefinedFieldOf(error) !== undefined) return "undefined-field";
  if (type === "RATE_LIMITED" || type === "RATE_LIMIT" || LIMIT_TEXT.test(text)) return "limited";
  if (/RESOURCE_LIMIT|MAX_NODE_LIMIT|EXCESSIVE_PAGINATION/.test(type) || /resource limits for this query/i.test(text)) return "too-large";
  if (/CURSOR/.test(type) || /\bcursor\b/i.test(text)) return "stale-cursor";
  if (PENDING_REVIEW_TEXT.test(text)) return "pending-review";
  if (type === "NOT_FOUND") return "not-found";
  if (type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES") return LOCKED_TEXT.test(text) ? "locked" : "denied";
  if (/INTERNAL|UNAVAILABLE|TIMEOUT|LOADING/.test(type) || /something went wrong|timed? ?out/i.test(text)) return "unavailable";
  if (type === "") return "partial";
  return LOCKED_TEXT.test(text) ? "locked" : "invalid";
};

/** Of several errors the one that says what to do next decides. */
const PRECEDENCE: readonly FailureKind[] = [
  "limited",
  "undefined-field",
  "too-large",
  "stale-cursor",
  "unavailable",
  "partial",
  "denied",
  "locked",
  "pending-review",
  "not-found",
  "invalid",
];

export const failureOfGraphqlErrors = (errors: readonly GraphqlError[], headers: Headers): GithubFailure => {
  const ranked = errors
    .map((error) => ({ error, kind: kindOfGraphqlError(error) }))
    .sort((a, b) => PRECEDENCE.indexOf(a.kind) - PRECEDENCE.indexOf(b.kind));
  const first = ranked[0];
  if (first === undefined) return new GithubFailure("partial", "an empty list of errors");
  const where = first.error.path === undefined ? "" : ` (at ${first.error.path.join(".")})`;
  return new GithubFailure(first.kind, `${first.error.message}${where}`, {
    ...(first.kind === "limited" ? limitFacts(headers) : {}),
    ...(first.kind === "undefined-field" ? { fields: ranked.flatMap(({ error }) => undefinedFieldOf(error) ?? []) } : {}),
    ...(first.error.path === undefined ? {} : { path: first.error.path }),
  });
};

interface Thrown {
  readonly name?: string;
  readonly message?: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly response?: { readonly status: number; readonly headers: Headers; readonly data: unknown };
}

/** The failure behind whatever Octokit's REST client threw. */
export const failureOfThrown = (thrown: unknown): GithubFailure => {
  if (thrown instanceof GithubFailure) return thrown;
  if (typeof thrown !== "object" || thrown === null) return new GithubFailure("unavailable", String(thrown));
  const { cause, response, message } = thrown as Thrown;
  if (cause instanceof GithubFailure) return cause;
  if (response !== undefined) return failureOfResponse(response.status, response.headers, response.data);
  return new GithubFailure("unavailable", message ?? "no answer");
};
