/** A small scene for the tests of the server: a repository, a pull request, people and bots. */
import { startSandbox, type Sandbox, type SandboxOptions, type World, type PullRequestRecord } from "../../sandbox/index.js";

export interface Scene {
  readonly sandbox: Sandbox;
  readonly world: World;
  readonly pullRequest: PullRequestRecord;
}

export const FILE = "src/cart.ts";
const LINES = Array.from({ length: 40 }, (_, index) => `export const line${index + 1} = ${index + 1};`);
export const BEFORE = `${LINES.join("\n")}\n`;
export const AFTER = BEFORE.replaceAll(/= (\d+);/gu, "= $1 + 1;");

/** A clock that stands still unless moved. */
export const stillClock = (start = Date.UTC(2026, 0, 5, 12)) => {
  let now = start;
  const timers: { readonly at: number; readonly act: () => void; live: boolean }[] = [];
  return {
    now: () => now,
    after(milliseconds: number, act: () => void) {
      const timer = { at: now + milliseconds, act, live: true };
      timers.push(timer);
      return () => {
        timer.live = false;
      };
    },
    pass(milliseconds: number) {
      now += milliseconds;
      for (const timer of timers) {
        if (!timer.live || timer.at > now) continue;
        timer.live = false;
        timer.act();
      }
    },
  };
};

export const startScene = async (options: SandboxOptions = {}): Promise<Scene> => {
  const sandbox = await startSandbox(options);
  const { world } = sandbox;
  world.addUser("ada");
  world.addUser("grace");
  world.addUser("stranger");
  world.addBot("greptile-apps");
  world.addBot("github-actions");
  world.addBot("copilot-pull-request-reviewer", {
    requestable: true,
    spelling: { inlineComment: "Copilot", event: "Copilot" },
    databaseId: 175_728_472,
  });
  world.addRepository("ada/shop", { files: { [FILE]: BEFORE, "README.md": "# Shop\n" }, access: { grace: "write" } });
  world.commitAndPush("ada", {
    repository: "ada/shop",
    branch: "topic",
    files: { [FILE]: AFTER, "src/new.ts": "export {};\n" },
    message: "Count one more",
  });
  const pullRequest = world.openPullRequest("ada", {
    repository: "ada/shop",
    head: "topic",
    title: "Count one more",
    body: "As asked.",
    number: 7,
  });
  return { sandbox, world, pullRequest };
};

/** A plain request, signed in as this account. */
export const api = async (
  { sandbox }: Scene,
  path: string,
  {
    as = "ada",
    method = "GET",
    body,
    headers = {},
  }: { as?: string | undefined; method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(`${sandbox.apiUrl}${path}`, {
    method,
    headers: { "user-agent": "test", ...(as === "" ? {} : { authorization: `token ${sandbox.tokenFor(as)}` }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

export interface GraphqlAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly type?: string;
    readonly path?: readonly unknown[];
    readonly message: string;
    readonly extensions?: Record<string, unknown>;
  }[];
}

export const graphql = async (
  { sandbox }: Scene,
  query: string,
  variables: Record<string, unknown> = {},
  as = "ada",
): Promise<{ readonly response: Response; readonly answer: GraphqlAnswer }> => {
  const response = await fetch(sandbox.graphqlUrl, {
    method: "POST",
    headers: { "user-agent": "test", authorization: `bearer ${sandbox.tokenFor(as)}`, "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  return { response, answer: (await response.json()) as GraphqlAnswer };
};
