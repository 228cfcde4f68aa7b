/** The sandbox as a running server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorld, type World } from "../world/index.js";
import { realWorldClock, type WorldClock } from "../world/clock.js";
import type { Exchange, Outcome } from "./exchange.js";
import { bareRepositories, type BareRepositories } from "./git/bare-repositories.js";
import { gitBackend } from "./git/http-backend.js";
import { gitService } from "./git/service.js";
import { graphqlService } from "./graphql/execute.js";
import { createHandler, type RequestRecord, type WriteNotice } from "./handler.js";
import { createLimits } from "./limits.js";
import { listen, type Certificate, type Listener } from "./listen.js";
import { restService } from "./rest/service.js";

export interface SandboxOptions {
  /** 0 (the default) takes a free one. */
  readonly port?: number;
  /** Time of the world: real unless given. */
  readonly clock?: WorldClock;
  /** Where the bare repositories lie; a temporary folder, removed at the end, unless given. It must be empty. */
  readonly folder?: string;
  /** Serves HTTPS (as `https://localhost:PORT`) instead of HTTP. */
  readonly tls?: Certificate;
  /** Listens on this socket instead of a port; clients then use github.com's paths. */
  readonly unixSocket?: string;
  /** Builds the first state. */
  readonly seed?: (world: World) => void;
  /** Told of each write when it arrives and once it is applied, before the answer is sent. */
  readonly onWrite?: (notice: WriteNotice) => void;
}

export interface Sandbox {
  /** Web pages and git: `${url}/owner/name.git`. */
  readonly url: string;
  /** For `GITHUB_API_URL`. */
  readonly apiUrl: string;
  /** For `GITHUB_GRAPHQL_URL`. */
  readonly graphqlUrl: string;
  readonly world: World;
  readonly repositories: BareRepositories;
  /** A token for this account (a classic one; an app's for a bot). The same one for each call. */
  tokenFor(login: string): string;
  /** What the sandbox was asked and does not know, and its own faults: empty unless something is wrong. */
  readonly unknownRequests: readonly string[];
  /** Every request, in the order in which they came. */
  readonly requests: readonly RequestRecord[];
  close(): Promise<void>;
}

export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "reviewloop-sandbox-"));
  let handle: ((exchange: Exchange) => Promise<Outcome>) | undefined;
  const onExchange = async (exchange: Exchange): Promise<Outcome> => {
    if (handle === undefined) throw new Error("The sandbox has not started.");
    return handle(exchange);
  };
  const listener: Listener = await listen(
    onExchange,
    options.unixSocket === undefined ? { port: options.port ?? 0, tls: options.tls } : { unixSocket: options.unixSocket },
  );
  const backend = gitBackend(folder);
  const close = async (): Promise<void> => {
    await listener.close();
    await backend.close();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    else if (options.unixSocket !== undefined) rmSync(options.unixSocket, { force: true });
  };
  try {
    const repositories = bareRepositories(folder);
    const world = createWorld({ clock: options.clock ?? realWorldClock(), repositories, host: new URL(listener.origin).host });
    const requests: RequestRecord[] = [];
    const unknownRequests: string[] = [];
    const limits = createLimits();
    handle = createHandler({
      world,
      repositories,
      rest: restService(limits),
      graphql: graphqlService(),
      git: gitService(world, repositories, backend),
      limits,
      requests,
      unknownRequests,
      onWrite: options.onWrite,
    });
    options.seed?.(world);
    const secure = options.tls !== undefined;
    const tokenFor = (login: string): string => {
      const token = `test-token-${login}`;
      if (!world.state.sessions.has(token)) world.addToken(token, login);
      return token;
    };
    return {
      url: listener.origin,
      apiUrl: secure ? `${listener.origin}/api/v3` : listener.origin,
      graphqlUrl: secure ? `${listener.origin}/api/graphql` : `${listener.origin}/graphql`,
      world,
      repositories,
      tokenFor,
      unknownRequests,
      requests,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
