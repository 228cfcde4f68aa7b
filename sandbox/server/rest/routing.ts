/** Paths to handlers, and what a handler gets and gives. */
import type { Sha } from "../../../core/index.js";
import { WorldError, REST_STATUS } from "../../world/errors.js";
import type { PullRequestRecord, RepositoryRecord } from "../../world/records.js";
import { failure, json, type Exchange, type Reply } from "../exchange.js";
import { visibleRepository, type View } from "../view.js";

export interface RestRequest {
  readonly view: View;
  readonly exchange: Exchange;
  /** Parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The JSON body, or an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * How a refusal with status 422 is written: in the message, as strings in `errors`, or as objects in `errors`.
 * GitHub differs from endpoint to endpoint.
 */
export type Refusal = "message" | "strings" | "objects";

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly refusal: Refusal;
  handle(request: RestRequest): Reply;
}

/** `:name` is one part of the path, `*name` several. */
export const route = (method: string, path: string, handle: (request: RestRequest) => Reply, refusal: Refusal = "objects"): Route => {
  const names: string[] = [];
  const pattern = path.replaceAll(/[:*]\w+/gu, (part) => {
    names.push(part.slice(1));
    return part.startsWith(":") ? "([^/]+)" : "(.+)";
  });
  return { method, pattern: new RegExp(`^${pattern}$`, "u"), names, refusal, handle };
};

export const notFound = (): WorldError => new WorldError("NOT_FOUND", "Not Found");

export const repositoryOf = ({ view, params }: RestRequest): RepositoryRecord => {
  const found = visibleRepository(view, `${params["owner"] ?? ""}/${params["repo"] ?? ""}`);
  if (found === undefined) throw notFound();
  return found;
};

export const pullRequestOf = (request: RestRequest): PullRequestRecord => {
  const found = repositoryOf(request).pullRequests.get(Number(request.params["number"]));
  if (found === undefined) throw notFound();
  return found;
};

export const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
export const stringsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A body without what the endpoint needs. */
export class MissingField extends Error {
  readonly resource: string;
  readonly field: string;
  constructor(resource: string, field: string) {
    super(`${field} is missing`);
    this.resource = resource;
    this.field = field;
  }
}
export const required = (request: RestRequest, resource: string, field: string): string => {
  const value = stringOf(request.body[field]);
  if (value === undefined) throw new MissingField(resource, field);
  return value;
};

export const refused = (error: unknown, refusal: Refusal): Reply => {
  if (error instanceof MissingField) {
    return failure(422, "Validation Failed", { errors: [{ resource: error.resource, code: "missing_field", field: error.field }] });
  }
  if (!(error instanceof WorldError)) throw error;
  const status = REST_STATUS[error.type];
  if (status === 404) return failure(404, "Not Found");
  if (status !== 422 || refusal === "message") return failure(status, error.message);
  if (refusal === "strings") return failure(422, "Unprocessable Entity", { errors: [error.message] });
  return failure(422, "Validation Failed", {
    errors: [{ resource: "PullRequest", code: "custom", field: "data", message: error.message }],
  });
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound();
  }
};

/** The route of a request; undefined where the sandbox knows none. */
export const match = (
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined => {
  for (const one of routes) {
    if (one.method !== method) continue;
    const found = one.pattern.exec(path);
    if (found === null) continue;
    return { route: one, params: Object.fromEntries(one.names.map((name, at) => [name, decoded(found[at + 1] ?? "")])) };
  }
  return undefined;
};

/** One page of a list, with GitHub's `Link` header. `wrap` puts the items into an object. */
export const paged = <T>(
  { exchange, view, params }: RestRequest,
  items: readonly T[],
  present: (item: T) => unknown,
  wrap: (shown: readonly unknown[], total: number) => unknown = (shown) => shown,
): Reply => {
  const asked = Number(exchange.query.get("per_page") ?? "30");
  const limit = view.world.faults.get("page-size")?.size ?? 100;
  const size = Math.min(limit, Math.max(1, Number.isFinite(asked) ? Math.floor(asked) : 30), 100);
  const page = Math.max(1, Math.floor(Number(exchange.query.get("page") ?? "1")) || 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((page - 1) * size, page * size).map(present);
  // Links name the repository by number.
  const repository = visibleRepository(view, `${params["owner"] ?? ""}/${params["repo"] ?? ""}`);
  const path =
    repository === undefined ? exchange.path : exchange.path.replace(/^\/repos\/[^/]+\/[^/]+/u, `/repositories/${repository.databaseId}`);
  const link = (number: number, rel: string): string => {
    const query = new URLSearchParams(exchange.query);
    query.set("page", String(number));
    return `<${view.api}${path}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(page - 1, "prev")] : []),
    ...(page < last ? [link(page + 1, "next"), link(last, "last")] : []),
    ...(page > 1 ? [link(1, "first")] : []),
  ];
  return json(200, wrap(shown, items.length), links.length === 0 ? {} : { link: links.join(", ") });
};

/** A commit by hash, short hash, branch or `heads/branch`. */
export const shaOf = (request: RestRequest, name = "ref"): Sha => {
  const { fullName } = repositoryOf(request);
  const written = request.params[name] ?? "";
  const branch = written.replace(/^(?:refs\/)?heads\//u, "");
  const sha = request.view.repositories.head(fullName, branch) ?? written;
  if (request.view.repositories.commit(fullName, sha) === undefined) {
    throw new WorldError("UNPROCESSABLE", `No commit found for SHA: ${written}`);
  }
  return sha;
};
