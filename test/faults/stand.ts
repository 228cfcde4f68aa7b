/**
 * One pull request that the loop brings to its target if nothing goes wrong, behind a real server on loopback: the adapter for GitHub, HTTP
 * and JSON are the real ones; git, the gate and the agent are the kit's on the same world, and all time is virtual.
 */
import { githubForge } from "../../core/adapters/index.js";
import type { Config, Forge, Plugin, Report } from "../../core/index.js";
import { copilot } from "../../plugins/reviewers/copilot.js";
import { reviewClean } from "../../plugins/targets/review-clean.js";
import { agentFix } from "../../plugins/tools/agent-fix.js";
import { agentTriage } from "../../plugins/tools/agent-triage.js";
import { commandGate } from "../../plugins/tools/command-gate.js";
import { gitPush } from "../../plugins/tools/git-push.js";
import { gitSync } from "../../plugins/tools/git-sync.js";
import { fixEach, runScene, scenario, triageEach, type Scenario, type Scene } from "../../sandbox/kit/index.js";
import { BODIES, copilot as scriptedCopilot } from "../../sandbox/reviewers/index.js";
import type { Outcome } from "../../sandbox/server/exchange.js";
import { graphqlService } from "../../sandbox/server/graphql/execute.js";
import { createHandler, type RequestRecord } from "../../sandbox/server/handler.js";
import { createLimits } from "../../sandbox/server/limits.js";
import { listen } from "../../sandbox/server/listen.js";
import { restService } from "../../sandbox/server/rest/service.js";
import { acme, acmeBot } from "../loop/acme.js";
import { served } from "./in-memory.js";

export const TOKEN = "test-token";

/** What is asked for and answered, without a client in between. */
export interface Client {
  graphql(query: string, variables?: Readonly<Record<string, unknown>>): Promise<{ readonly status: number; readonly answer: unknown }>;
  rest(
    path: string,
    options?: { readonly method?: string; readonly body?: unknown },
  ): Promise<{ readonly status: number; readonly answer: unknown }>;
}

export interface Stand {
  readonly scene: Scene;
  readonly client: Client;
  readonly forge: Forge;
  readonly requests: readonly RequestRecord[];
  /** How often the bot was asked. */
  readonly asked: () => number;
  run(options?: {
    readonly plugins?: readonly Plugin[];
    readonly target?: Plugin;
    readonly config?: Config;
    readonly trustHead?: boolean;
  }): Promise<Report>;
  close(): Promise<void>;
}

/** What the agent of every stand does: it mends what is off by one, and explains the rest. */
const base = (): Scenario =>
  scenario()
    .pullRequest({ author: "ada", number: 7 })
    .user("grace")
    .bot("github-actions")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach((thread) =>
        /off by one|loop (?:bound|runs)|length/iu.test(`${thread.title} ${thread.comments[0]?.body ?? ""}`)
          ? { kind: "actionable" }
          : { kind: "informational", reply: "It is meant so." },
      ),
      fix: fixEach((thread, worktree) => {
        const path = thread.path ?? "";
        const lines = (worktree.read(path) ?? "").split("\n");
        const at = (thread.line ?? 1) - 1;
        worktree.write(path, lines.map((line, index) => (index === at ? line.replace("<=", "<") : line)).join("\n"));
        return { summary: "compares with <", files: [path] };
      }),
    });

/** Two slips that a bot finds on its own; it looks again when it is asked by a comment. */
export const ACME = {
  name: "acme",
  plugins: [acme()],
  work: () => base().bot("acme-review").file("src/a.ts", "one\nwas here\n", "one\nx <= 1\ny <= 2\n"),
  live: ({ world, pullRequest }: Scene, delay: number): (() => number) =>
    acmeBot(
      world,
      pullRequest,
      [
        { path: "src/a.ts", line: 2, body: "x is off by one.", stillIn: (text) => text.includes("x <=") },
        { path: "src/a.ts", line: 3, body: "y is off by one.", stillIn: (text) => text.includes("y <=") },
      ],
      { delay },
    ).triggers,
} as const;

/** One slip that Copilot finds, as the sandbox plays it; it looks when its review is requested. */
export const COPILOT = {
  name: "copilot",
  plugins: [copilot({ required: true })],
  work: () =>
    base()
      .bot(BODIES.copilot.login, { requestable: true })
      .file(
        "src/sum.js",
        "export function sum(list) {\n}\n",
        "export function sum(list) {\n  let all = 0;\n  for (let i = 0; i <= list.length; i += 1) all += list[i];\n  return all;\n}\n",
      ),
  live: ({ world, pullRequest }: Scene, delay: number): (() => number) => {
    const stage = { world, pullRequest, basePaths: [], pace: { start: 1_000, work: delay } };
    scriptedCopilot(stage, { kinds: ["loop-bound"] }).attach();
    return () => world.log.filter((event) => event.type === "review-requested" && event.login === BODIES.copilot.login).length;
  },
} as const;

export interface StandOptions {
  readonly reviewer?: typeof ACME | typeof COPILOT;
  /** Changes the scene before it is built. */
  readonly scene?: (made: Scenario) => Scenario;
  /** Milliseconds that the reviewer works. */
  readonly delay?: number;
}

export const TOOLS: readonly Plugin[] = [gitSync(), commandGate(), agentTriage(), agentFix(), gitPush()];

export const stand = async ({ reviewer = ACME, scene: change = (made) => made, delay = 30_000 }: StandOptions = {}): Promise<Stand> => {
  const scene = change(reviewer.work()).build();
  const { world, clock, pullRequest } = scene;
  world.addToken(TOKEN, "ada");
  const asked = reviewer.live(scene, delay);
  const check = (): void =>
    void world.setCheck("github-actions", {
      repository: pullRequest.repository,
      head: pullRequest.head.sha,
      name: "unit",
      conclusion: "SUCCESS",
    });
  check();
  world.on("pushed", check);
  const requests: RequestRecord[] = [];
  const unknownRequests: string[] = [];
  const limits = createLimits();
  const handle = createHandler({
    world,
    repositories: served(world.git),
    rest: restService(limits),
    graphql: graphqlService(),
    git: { run: () => Promise.reject(new Error("There is no git over HTTP here.")) },
    limits,
    requests,
    unknownRequests,
  });
  const listener = await listen(
    async (exchange): Promise<Outcome> => {
      const answering = handle(exchange);
      const slow = (["slow-answer", "merge-state-waits"] as const).find((name) => world.faults.on(name));
      // An answer that takes its time: nobody else sleeps meanwhile, so the time is made to pass here.
      if (slow !== undefined) await clock.advance(world.faults.get(slow)?.milliseconds ?? 0);
      return answering;
    },
    { port: 0 },
  );
  const ask = async (path: string, method: string, body: unknown): Promise<{ status: number; answer: unknown }> => {
    const response = await fetch(`${listener.origin}${path}`, {
      method,
      headers: { authorization: `bearer ${TOKEN}`, "user-agent": "test", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, answer: text === "" ? undefined : JSON.parse(text) };
  };
  const forge = githubForge({
    apiUrl: listener.origin,
    graphqlUrl: `${listener.origin}/graphql`,
    host: world.host,
    token: TOKEN,
    clock,
    pace: 1_000,
  });
  return {
    scene,
    forge,
    requests,
    client: {
      graphql: (query, variables = {}) => ask("/graphql", "POST", { query, variables }),
      rest: (path, { method = "GET", body } = {}) => ask(path, method, body),
    },
    asked,
    run: ({ plugins = reviewer.plugins, target = reviewClean(), config = {}, trustHead = false } = {}) =>
      runScene(scene, {
        trustHead,
        plugins: [...plugins, target, ...TOOLS],
        ports: { ...scene.ports, forge },
        config: { gate: "npm test", wait: { timeout: "10m", settle: "30s", poll: "10s" }, ...config },
      }),
    close: () => listener.close(),
  };
};
