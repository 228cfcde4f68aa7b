/** All requests: who asks, faults, limits, the service that answers, the headers that GitHub adds. */
import { createHash } from "node:crypto";
import type { World } from "../world/index.js";
import type { Session } from "../world/records.js";
import { tellAnswer } from "./answers.js";
import { NOBODY, sessionOf } from "./authenticate.js";
import { failure, HANG_UP, json, type Exchange, type Outcome, type Reply } from "./exchange.js";
import type { BareRepositories } from "./git/bare-repositories.js";
import { gitCall, type GitService } from "./git/service.js";
import { somethingWentWrong } from "./graphql/errors.js";
import type { GraphqlService, Prepared } from "./graphql/execute.js";
import { limitHeaders, type Limits, type Resource } from "./limits.js";
import type { RestService } from "./rest/service.js";
import type { View } from "./view.js";

/** One request as the sandbox saw it. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  /** Without `/api/v3`. */
  readonly path: string;
  readonly query: string;
  readonly service: "rest" | "graphql" | "git";
  readonly login: string | undefined;
  readonly write: boolean;
  /** Undefined where the connection was broken instead of an answer. */
  status: number | undefined;
  /** Points for GraphQL, requests for REST (a 304 costs none). */
  cost: number;
}

export interface WriteNotice {
  /** From 1. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly stage: "received" | "applied";
}

export interface HandlerOptions {
  readonly world: World;
  readonly repositories: BareRepositories;
  readonly rest: RestService;
  readonly graphql: GraphqlService;
  readonly git: GitService;
  readonly limits: Limits;
  readonly requests: RequestRecord[];
  readonly unknownRequests: string[];
  readonly onWrite?: ((notice: WriteNotice) => void) | undefined;
}

const SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";

const viewOf = ({ world, repositories }: HandlerOptions, exchange: Exchange, session: Session): View => {
  const host = new URL(exchange.origin).hostname;
  // Over a unix socket a client believes that it talks to github.com.
  const github = host === "api.github.com" || host === "github.com";
  const web = github ? "https://github.com" : exchange.origin;
  const api = github ? "https://api.github.com" : exchange.enterprise ? `${exchange.origin}/api/v3` : exchange.origin;
  return { world, state: world.state, repositories, session, web, api };
};

const commonHeaders = (exchange: Exchange, session: Session | undefined, graphql: boolean): Record<string, string> => ({
  server: "github.com",
  "x-github-request-id": exchange.id,
  "x-github-media-type": `github.v${graphql ? 4 : 3}; format=json`,
  "x-content-type-options": "nosniff",
  ...(graphql ? {} : { "x-github-api-version-selected": "2022-11-28", vary: "Accept, Authorization, Cookie, X-GitHub-OTP" }),
  ...(session?.grant.token === "classic" ? { "x-oauth-scopes": "gist, read:org, repo, workflow", "x-accepted-oauth-scopes": "" } : {}),
});

const VERSIONS = ["2022-11-28", "2026-03-10"];

/** What GitHub refuses before it looks at the request. */
const refuseHeaders = (exchange: Exchange): Reply | undefined => {
  if ((exchange.headers["user-agent"] ?? "") === "") {
    const body = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.\n";
    return { status: 403, headers: { "content-type": "text/html; charset=utf-8" }, body };
  }
  const version = exchange.headers["x-github-api-version"];
  if (typeof version === "string" && !VERSIONS.includes(version)) {
    return failure(400, `The API version "${version}" is not supported.`);
  }
  return undefined;
};

const badGateway = (exchange: Exchange): Reply =>
  exchange.path === "/graphql"
    ? json(502, { data: null, errors: [{ message: somethingWentWrong(exchange.id) }] })
    : json(502, { message: "Server Error" });

const withEtag = (exchange: Exchange, reply: Reply): Reply => {
  if (reply.status !== 200 && reply.status !== 201) return reply;
  const hash = createHash("sha256").update(reply.body).digest("hex");
  if (exchange.method !== "GET" && exchange.method !== "HEAD") return { ...reply, headers: { ...reply.headers, etag: `"${hash}"` } };
  const headers = { ...reply.headers, etag: `W/"${hash}"`, "cache-control": "private, max-age=60, s-maxage=60" };
  const wanted = (exchange.headers["if-none-match"] ?? "").split(/\s*,\s*/u);
  const same = wanted.some((one) => one.replace(/^W\//u, "") === `"${hash}"`);
  return same ? { status: 304, headers, body: "" } : { ...reply, headers };
};

const parseBody = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

export const createHandler = (options: HandlerOptions): ((exchange: Exchange) => Promise<Outcome>) => {
  const { world, rest, graphql, git, limits, requests, unknownRequests, onWrite } = options;
  let writes = 0;

  const reportUnknown = (exchange: Exchange, what: string): void => {
    unknownRequests.push(`${exchange.method} ${exchange.path}: ${what}`);
  };

  const pass = async (milliseconds: number | undefined): Promise<void> => {
    if (milliseconds !== undefined) await new Promise<void>((resolve) => void world.after(milliseconds, resolve));
  };

  /** With `merge-state-waits` GraphQL computes what it does not know before it answers. */
  const computeMergeState = async (asked: unknown): Promise<void> => {
    const wait = world.faults.get("merge-state-waits")?.milliseconds;
    if (wait === undefined || !/\bmerge(?:able|StateStatus)\b/u.test(queryOf(asked) ?? "")) return;
    const all = [...world.repositories.values()].flatMap((repository) => [...repository.pullRequests.values()]);
    if (all.some((one) => one.state === "open" && one.mergeReads === 0)) await pass(wait);
  };

  /** One write under the switched-on faults. */
  const written = async (exchange: Exchange, apply: (upTo?: number) => Reply | Promise<Reply>): Promise<Outcome> => {
    writes += 1;
    const index = writes;
    const notice = { index, method: exchange.method, path: exchange.path };
    onWrite?.({ ...notice, stage: "received" });
    const fate = world.faults.nextWrite();
    if (fate.fate === "bad-gateway-before") return badGateway(exchange);
    if (fate.fate === "secondary-rate-limit") {
      return failure(403, SECONDARY, {}, fate.retryAfter === undefined ? {} : { "retry-after": String(fate.retryAfter) });
    }
    const reply = await (fate.fate === "bad-gateway-midway" ? apply(fate.applied) : apply());
    onWrite?.({ ...notice, stage: "applied" });
    if (fate.fate === "lost-answer") return HANG_UP;
    return fate.fate === "normal" ? reply : badGateway(exchange);
  };

  const read = async (
    exchange: Exchange,
    session: Session,
    resource: Resource,
    apply: () => Reply | Promise<Reply>,
    limited: () => Reply,
  ): Promise<Reply> => {
    const fate = world.faults.nextRead();
    if (fate.fate === "bad-gateway") return badGateway(exchange);
    if (fate.fate === "primary-rate-limit") {
      limits.exhaust(session.login, resource, world.state.clock.now(), fate.resetAfter);
      return limited();
    }
    return apply();
  };

  const restLimited = (session: Session): Reply =>
    failure(
      403,
      `API rate limit exceeded for ${session.login === "" ? "127.0.0.1" : `user ID ${world.accounts.get(session.login)?.databaseId ?? 0}`}.`,
    );

  const runRest = async (exchange: Exchange, record: RequestRecord, session: Session): Promise<Outcome> => {
    const headers = (): Record<string, string> => limitHeaders(limits.read(session.login, "core", world.state.clock.now()), "core");
    const finish = (reply: Reply): Reply => ({ ...reply, headers: { ...headers(), ...reply.headers } });
    if (!rest.knows(exchange)) {
      if (exchange.path.endsWith("/") && exchange.path !== "/") return finish(failure(404, "Not Found"));
      reportUnknown(exchange, "no such endpoint in the sandbox");
      return finish(failure(501, `The sandbox does not serve ${exchange.method} ${exchange.path}`));
    }
    const free = exchange.path === "/rate_limit";
    const { remaining } = limits.read(session.login, "core", world.state.clock.now());
    if (remaining < 1 && !free) return finish(restLimited(session));
    const view = viewOf(options, exchange, session);
    const apply = (): Reply => withEtag(exchange, rest.run(view, exchange));
    if (record.write) {
      if (session === NOBODY) return finish(failure(401, "Requires authentication"));
      limits.charge(session.login, "core", 1, world.state.clock.now());
      record.cost = 1;
      const outcome = await written(exchange, apply);
      return outcome === HANG_UP ? outcome : finish(outcome);
    }
    const reply = await read(exchange, session, "core", apply, () => restLimited(session));
    if (reply.status !== 304 && !free && limits.charge(session.login, "core", 1, world.state.clock.now())) record.cost = 1;
    return finish(reply);
  };

  const graphqlLimited = (session: Session): Reply => {
    const type = world.faults.get("primary-rate-limit")?.type ?? "RATE_LIMITED";
    const id = world.accounts.get(session.login)?.databaseId ?? 0;
    const code = type === "RATE_LIMIT" ? { code: "graphql_rate_limit" } : {};
    return json(200, { errors: [{ type, ...code, message: `API rate limit exceeded for user ID ${id}.` }] });
  };

  const runGraphql = async (exchange: Exchange, record: RequestRecord, session: Session): Promise<Outcome> => {
    const finish = (reply: Reply): Reply => ({
      ...reply,
      headers: { ...limitHeaders(limits.read(session.login, "graphql", world.state.clock.now()), "graphql"), ...reply.headers },
    });
    if (session === NOBODY) return finish(failure(401, "This endpoint requires you to be authenticated."));
    if (exchange.method !== "POST") return finish(failure(404, "Not Found"));
    const body = parseBody(exchange.body);
    if (body === undefined) return finish(failure(400, "Problems parsing JSON"));
    const prepared = await graphql.prepare(body, exchange.id, world.faults.get("older-server")?.fields);
    if (!("kind" in prepared)) return finish(json(200, { errors: prepared.errors }));
    const { points } = prepared.cost;
    if (!prepared.dryRun) {
      if (!limits.charge(session.login, "graphql", points, world.state.clock.now())) return finish(graphqlLimited(session));
      record.cost = points;
    }
    const outcome = await runPrepared(exchange, session, prepared);
    return outcome === HANG_UP ? outcome : finish(outcome);
  };

  const runPrepared = async (exchange: Exchange, session: Session, prepared: Prepared): Promise<Outcome> => {
    const tooMuch = world.faults.get("resource-limit");
    const apply = async (upTo?: number): Promise<Reply> => {
      if (tooMuch !== undefined && prepared.cost.nodes > tooMuch.nodes) {
        return json(200, {
          data: null,
          errors: [{ type: "RESOURCE_LIMITS_EXCEEDED", message: "Resource limits for this query exceeded." }],
        });
      }
      const answer = await prepared.run(viewOf(options, exchange, session), {
        limit: () => limits.read(session.login, "graphql", world.state.clock.now()),
        report: (what) => reportUnknown(exchange, what),
        ...(upTo === undefined ? {} : { upTo }),
      });
      return json(200, answer);
    };
    if (prepared.kind === "mutation") return written(exchange, apply);
    await computeMergeState(parseBody(exchange.body));
    return read(
      exchange,
      session,
      "graphql",
      () => apply(),
      () => graphqlLimited(session),
    );
  };

  const serve = async (exchange: Exchange, record: RequestRecord, session: Session | undefined | null): Promise<Outcome> => {
    await pass(world.faults.get("slow-answer")?.milliseconds);
    if (record.service === "git") {
      const call = gitCall(exchange);
      if (call === undefined) return failure(404, "Not Found");
      const run = (): Promise<Reply> => git.run(call, exchange, session);
      return record.write ? written(exchange, run) : run();
    }
    const refused = refuseHeaders(exchange);
    if (refused !== undefined) return refused;
    if (session === null) return failure(401, "Bad credentials");
    return record.service === "graphql" ? runGraphql(exchange, record, session ?? NOBODY) : runRest(exchange, record, session ?? NOBODY);
  };

  return async (exchange) => {
    const call = gitCall(exchange);
    const service = call !== undefined ? "git" : exchange.path === "/graphql" ? "graphql" : "rest";
    const session = sessionOf(world, exchange);
    // A push begins with a probe of four bytes, which writes nothing.
    const write =
      service === "git"
        ? call?.rest === "git-receive-pack" && exchange.body.length > 4
        : service === "graphql"
          ? isMutation(exchange.body)
          : exchange.method !== "GET" && exchange.method !== "HEAD";
    const record: RequestRecord = {
      id: exchange.id,
      method: exchange.method,
      path: exchange.path,
      query: exchange.query.toString(),
      service,
      login: session?.login,
      write,
      status: undefined,
      cost: 0,
    };
    requests.push(record);
    const known = unknownRequests.length;
    let outcome: Outcome;
    try {
      outcome = await serve(exchange, record, session);
    } catch (error) {
      reportUnknown(exchange, error instanceof Error ? (error.stack ?? error.message) : String(error));
      outcome = json(500, { message: "Server Error" });
    }
    if (outcome === HANG_UP) return outcome;
    record.status = outcome.status;
    tellAnswer(exchange, service, outcome, unknownRequests.slice(known));
    return { ...outcome, headers: { ...commonHeaders(exchange, session ?? undefined, service === "graphql"), ...outcome.headers } };
  };
};

const queryOf = (parsed: unknown): string | undefined => {
  const text: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "query") : undefined;
  return typeof text === "string" ? text : undefined;
};

/** For the log only; what is executed is decided by the parsed text. */
const isMutation = (body: Buffer): boolean => {
  const text = queryOf(parseBody(body));
  return text !== undefined && /^\s*(?:#[^\n]*\n\s*)*mutation\b/u.test(text);
};
