/** A pull request behind a loopback HTTP server: GitHub's own schema executed by graphql-js over plain lists, and REST by hand. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buildASTSchema, execute, GraphQLError, parse, validate, visit } from "graphql";
import type { DocumentNode, GraphQLSchema } from "graphql";
import { githubForge } from "../../core/adapters/forge-github/index.js";
import type { GithubForgeOptions } from "../../core/adapters/forge-github/index.js";
import { ReviewloopError } from "../../core/errors.js";
import type { PullRequest, PullRequestRef } from "../../core/model.js";
import type { Clock, Forge } from "../../core/ports.js";

export const TOKEN = "test-token";
export const HEAD = "a".repeat(40);
export const START = Date.UTC(2026, 4, 4, 12);
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(".000Z", "Z");

/** The package exports only its JSON form; the text lies beside it. */
const SCHEMA = new URL("../../node_modules/@octokit/graphql-schema/schema.graphql", import.meta.url);
const sdl = (): DocumentNode => parse(readFileSync(SCHEMA, "utf8"), { noLocation: true });
let document: DocumentNode | undefined;
const built = new Map<string, GraphQLSchema>();

/** GitHub's schema; with `without` as an older server has it. */
export const githubSchema = (without: readonly string[] = []): GraphQLSchema => {
  const key = without.join();
  const before = built.get(key);
  if (before !== undefined) return before;
  document ??= sdl();
  let type = "";
  const cut =
    without.length === 0
      ? document
      : visit(document, {
          ObjectTypeDefinition: { enter: (node) => void (type = node.name.value) },
          FieldDefinition: (node) => (without.includes(`${type}.${node.name.value}`) ? null : undefined),
        });
  // The published text defines two fields twice, which a strict build refuses.
  const schema = buildASTSchema(cut, { assumeValid: true, assumeValidSDL: true });
  built.set(key, schema);
  return schema;
};

export interface StubClock extends Clock {
  readonly slept: number[];
  at: number;
}
export const stubClock = (): StubClock => {
  const clock: StubClock = {
    at: START,
    slept: [],
    now: () => clock.at,
    sleep: (milliseconds, signal) => {
      if (signal?.aborted === true) return Promise.reject(new ReviewloopError("ABORTED", {}));
      clock.slept.push(milliseconds);
      clock.at += milliseconds;
      return Promise.resolve();
    },
  };
  return clock;
};

interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}
const pageOf = (list: readonly unknown[], { first, last, after, before }: PageArguments) => {
  const size = first ?? last;
  if (size === null || size === undefined)
    throw new GraphQLError("no boundaries", { extensions: { type: "MISSING_PAGINATION_BOUNDARIES" } });
  if (size > 100) throw new GraphQLError("too many", { extensions: { type: "EXCESSIVE_PAGINATION" } });
  // A cursor is the position behind its entry.
  const low = after ? Number(after) : 0;
  const high = before ? Number(before) - 1 : list.length;
  const from = last ? Math.max(low, high - last) : low;
  const nodes = list.slice(from, last ? high : Math.min(high, from + size));
  const end = from + nodes.length;
  return {
    totalCount: list.length,
    nodes,
    pageInfo: {
      hasNextPage: end < list.length,
      endCursor: nodes.length === 0 ? null : String(end),
      hasPreviousPage: from > 0,
      startCursor: nodes.length === 0 ? null : String(from + 1),
    },
  };
};
export type Row = Record<string, unknown> & { id: string };
const connection = (list: () => readonly unknown[]) => (args: PageArguments) => pageOf(list(), args);

const actor = (login: string, typename = "User") => ({ __typename: typename, login });

export const messageRow = (id: string, more: object = {}): Row => ({
  id,
  fullDatabaseId: String(5_000_000_000 + Number(/\d+/.exec(id)?.[0] ?? 0)),
  databaseId: 7,
  author: actor("Ada"),
  authorAssociation: "MEMBER",
  body: `body of ${id}`,
  createdAt: iso(START - 60_000),
  updatedAt: iso(START - 60_000),
  lastEditedAt: null,
  editor: null,
  url: `https://example.test/${id}`,
  isMinimized: false,
  viewerCanMinimize: true,
  viewerCanUpdate: true,
  reactionGroups: [],
  ...more,
});

export interface World {
  pr: Row;
  threads: Row[];
  comments: Row[];
  reviews: Row[];
  contexts: Row[] | null;
  requests: Row[];
  timeline: Row[];
  viewer: { id: string; login: string };
  /** What the server will not give: an author's reviews, nodes by ids, pages of reviews from the other end. */
  refuses: readonly ("authors" | "ids" | "other end")[];
  mutations: Record<string, (input: Record<string, unknown>) => unknown>;
}

export const threadRow = (world: World, id: string, comments: readonly Row[], more: object = {}): Row => {
  const list = [...comments];
  return {
    __typename: "PullRequestReviewThread",
    id,
    isResolved: false,
    isOutdated: false,
    path: "src/a.ts",
    line: 3,
    startLine: null,
    originalLine: 2,
    diffSide: "RIGHT",
    subjectType: "LINE",
    viewerCanResolve: true,
    viewerCanReply: true,
    list,
    comments: connection(() => list),
    pullRequest: world.pr,
    ...more,
  };
};
export const reviewCommentRow = (id: string, more: object = {}): Row =>
  messageRow(id, {
    __typename: "PullRequestReviewComment",
    state: "SUBMITTED",
    originalCommit: { oid: HEAD },
    pullRequestReview: { id: "R1" },
    ...more,
  });
export const reviewRow = (id: string, more: object = {}): Row =>
  messageRow(id, { __typename: "PullRequestReview", state: "COMMENTED", submittedAt: iso(START - 60_000), commit: { oid: HEAD }, ...more });
export const checkRow = (id: string, more: object = {}): Row => ({
  __typename: "CheckRun",
  id,
  name: id,
  status: "COMPLETED",
  conclusion: "SUCCESS",
  startedAt: iso(START - 60_000),
  completedAt: iso(START - 30_000),
  detailsUrl: null,
  permalink: `https://example.test/${id}`,
  title: null,
  summary: null,
  isRequired: false,
  checkSuite: { createdAt: iso(START - 90_000), app: { slug: "acme-ci" }, workflowRun: null },
  ...more,
});

const notFound = () => new GraphQLError("Could not resolve it", { extensions: { type: "NOT_FOUND" } });

export const emptyWorld = (): World => {
  const world: World = {
    pr: { id: "PR1" },
    threads: [],
    comments: [],
    reviews: [],
    contexts: null,
    requests: [],
    timeline: [],
    viewer: { id: "U1", login: "Ada" },
    refuses: [],
    mutations: {},
  };
  const rollup = () => (world.contexts === null ? null : { state: "SUCCESS", contexts: connection(() => world.contexts ?? []) });
  Object.assign(world.pr, {
    __typename: "PullRequest",
    number: 12,
    url: "https://example.test/acme/widgets/pull/12",
    title: "A title",
    body: "A body",
    reactionGroups: [],
    editor: null,
    author: actor("Ada"),
    authorAssociation: "OWNER",
    state: "OPEN",
    isDraft: false,
    locked: false,
    isInMergeQueue: false,
    headRefOid: HEAD,
    headRefName: "topic",
    baseRefOid: "b".repeat(40),
    baseRefName: "main",
    headRepository: { name: "widgets", url: "https://example.test/acme/widgets", owner: { __typename: "User", login: "acme" } },
    isCrossRepository: false,
    maintainerCanModify: true,
    mergeable: "MERGEABLE",
    mergeStateStatus: "CLEAN",
    reviewDecision: null,
    createdAt: iso(START - 100_000),
    updatedAt: iso(START - 1_000),
    lastEditedAt: null,
    baseRef: { refUpdateRule: { requiresConversationResolution: true, requiredStatusCheckContexts: ["build"] } },
    reviewThreads: connection(() => world.threads),
    comments: connection(() => world.comments),
    reviews: ({ author, states, ...args }: PageArguments & { author?: string; states?: readonly string[] }) => {
      if (author !== undefined && world.refuses.includes("authors")) throw notFound();
      if (args.last && author === undefined && states === undefined && world.refuses.includes("other end")) throw new GraphQLError("odd");
      return pageOf(
        world.reviews
          .filter((review) => author === undefined || (review["author"] as { login: string } | null)?.login === author)
          .filter(({ state }) => states === undefined || states.includes(String(state))),
        args,
      );
    },
    latestReviews: connection(() => [...new Map(world.reviews.map((review) => [JSON.stringify(review["author"]), review])).values()]),
    reviewRequests: connection(() => world.requests),
    timelineItems: connection(() => world.timeline),
    statusCheckRollup: rollup,
    commits: () => ({ nodes: [{ commit: { oid: world.pr["headRefOid"], statusCheckRollup: rollup } }] }),
  });
  return world;
};

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
  /** Operation name of a GraphQL request. */
  readonly operation?: string;
  readonly variables: Record<string, unknown>;
}
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
/** Undefined: the stub answers by itself. `lost` breaks the connection, `lost-after` once the stub did what was asked; `silent` never answers. */
export type Handler = (exchange: Exchange, index: number) => Reply | "silent" | "lost" | "lost-after" | undefined;

export interface Stub {
  readonly url: string;
  readonly world: World;
  readonly exchanges: Exchange[];
  readonly clock: StubClock;
  readonly forge: Forge;
  handler: Handler;
  /** Called before each request is answered: the world may move. */
  before: (index: number) => void;
  forgeWith(options: Partial<GithubForgeOptions>): Forge;
  close(): Promise<void>;
}

const githubError = (error: GraphQLError) => {
  const unknown = /Cannot query field "(\w+)" on type "(\w+)"/.exec(error.message);
  if (unknown !== null) {
    const [, fieldName, typeName] = unknown;
    return {
      message: `Field '${fieldName}' doesn't exist on type '${typeName}'`,
      path: ["query", "repository"],
      extensions: { code: "undefinedField", typeName, fieldName },
    };
  }
  const { type, ...extensions } = error.extensions;
  return {
    message: error.message,
    ...(error.path === undefined ? {} : { path: error.path }),
    ...(type === undefined ? {} : { type }),
    extensions,
  };
};

const graphqlAnswer = async (schema: GraphQLSchema, world: World, query: string, variables: Record<string, unknown>): Promise<unknown> => {
  const parsed = parse(query);
  const faults = validate(schema, parsed);
  if (faults.length > 0) return { errors: faults.map(githubError) };
  const known = () => [
    ...world.threads,
    ...world.comments,
    ...world.reviews,
    world.pr,
    ...world.threads.flatMap((thread) => thread["list"] as Row[]),
  ];
  const rootValue = {
    viewer: world.viewer,
    rateLimit: { cost: 1 },
    repository: () => ({
      url: "https://example.test/acme/widgets",
      isArchived: false,
      viewerPermission: "WRITE",
      pullRequest: ({ number }: { number: number }) => {
        if (number === 12) return world.pr;
        throw new GraphQLError("Could not resolve to a PullRequest", { extensions: { type: "NOT_FOUND" } });
      },
      pullRequests: () => ({ nodes: [world.pr] }),
    }),
    node: ({ id }: { id: string }) => {
      const found = known().find((row) => row.id === id);
      if (found === undefined) throw new GraphQLError("Could not resolve to a node", { extensions: { type: "NOT_FOUND" } });
      return found;
    },
    nodes: ({ ids }: { ids: readonly string[] }) => {
      if (ids.length > 100) throw new GraphQLError("You may not provide more than 100 node ids");
      const byId = new Map(known().map((row) => [row.id, row]));
      return ids.map((id) => (world.refuses.includes("ids") ? undefined : byId.get(id)) ?? notFound());
    },
    ...Object.fromEntries(
      Object.entries(world.mutations).map(([name, act]) => [name, ({ input }: { input: Record<string, unknown> }) => act(input)]),
    ),
  };
  const result = await execute({ schema, document: parsed, rootValue, variableValues: variables });
  return { data: result.data, ...(result.errors === undefined ? {} : { errors: result.errors.map(githubError) }) };
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
};

export const REF: PullRequestRef = { host: "example.test", owner: "acme", name: "widgets", number: 12 };

export const startStub = async (options: { without?: readonly string[] } = {}): Promise<Stub> => {
  const schema = githubSchema(options.without);
  const world = emptyWorld();
  const exchanges: Exchange[] = [];
  const clock = stubClock();
  const answer = async (exchange: Exchange): Promise<Reply> =>
    exchange.path === "/graphql"
      ? { status: 200, body: await graphqlAnswer(schema, world, String(exchange.body["query"]), exchange.variables) }
      : { status: 404, body: { message: "Not Found", status: "404" } };
  const send = (response: ServerResponse, reply: Reply): void => {
    const html = typeof reply.body === "string";
    response.writeHead(reply.status, { "content-type": html ? "text/html" : "application/json", ...reply.headers });
    response.end(reply.body === undefined ? "" : html ? reply.body : JSON.stringify(reply.body));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    const query = body["query"];
    const operation = typeof query === "string" ? /(?:query|mutation) (\w+)/.exec(query)?.[1] : undefined;
    const exchange: Exchange = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      variables: (body["variables"] ?? {}) as Record<string, unknown>,
      ...(operation === undefined ? {} : { operation }),
    };
    exchanges.push(exchange);
    stub.before(exchanges.length);
    const said = stub.handler(exchange, exchanges.length);
    if (said === "silent") return;
    if (said === "lost" || said === "lost-after") {
      if (said === "lost-after") await answer(exchange);
      request.socket.destroy();
      return;
    }
    send(response, said ?? (await answer(exchange)));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => response.destroy(thrown instanceof Error ? thrown : undefined));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forgeWith = (more: Partial<GithubForgeOptions>): Forge =>
    githubForge({ apiUrl: url, graphqlUrl: `${url}/graphql`, host: REF.host, token: TOKEN, clock, pace: 1_000, ...more });
  const stub: Stub = {
    url,
    world,
    exchanges,
    clock,
    forge: forgeWith({}),
    handler: () => undefined,
    before: () => undefined,
    forgeWith,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return stub;
};

/** The pull request as a caller has it from its own read; not counted. */
export const readFirst = async (stub: Stub): Promise<PullRequest> => {
  const { pullRequest } = await stub.forgeWith({}).read(REF);
  stub.exchanges.length = 0;
  return pullRequest;
};

export const mutationNames = (exchange: Exchange): readonly string[] =>
  [...String(exchange.body["query"]).matchAll(/m\d+: (\w+)/g)].map((match) => match[1] ?? "");
