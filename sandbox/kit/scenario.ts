/**
 * Short scenes: a repository, a pull request, what stands on it, and ports in memory over all that.
 *
 * ```ts
 * const scene = scenario()
 *   .file("src/a.ts", "one\ntwo\n", "one\n2\n")
 *   .thread({ by: "acme-review", path: "src/a.ts", line: 2, body: "Why 2?" })
 *   .commands({ "npm test": () => 0 })
 *   .build();
 * await scene.ports.forge.read(scene.pullRequestRef);
 * ```
 * A login that ends in `[bot]` in the scene is a bot's; other unknown logins become people with write access.
 */
import type { Agent, Ports, PullRequestRef } from "../../core/index.js";
import type { Permission, Protection, PullRequestRecord, ThreadRecord } from "../world/records.js";
import type { RepositoryName } from "../world/repositories.js";
import type { ReviewInput, ThreadInput } from "../world/reviews.js";
import { createWorld, type World } from "../world/world.js";
import { memoryForge, type MemoryForgeOptions } from "./memory-forge.js";
import { memoryGit, type MemoryGit, type MemoryGitOptions } from "./memory-git.js";
import { memoryShell, type MemoryShell, type ScriptedCommand } from "./memory-shell.js";
import { memoryStore, type MemoryStore } from "./memory-store.js";
import { scriptedAgent, type AgentScript } from "./scripted-agent.js";
import { virtualClock, type VirtualClock } from "./virtual-clock.js";

export interface ScenarioPullRequest {
  readonly title?: string;
  readonly body?: string;
  readonly draft?: boolean;
  readonly author?: string;
  readonly branch?: string;
  readonly number?: number;
  /** Opened from a fork of its author's. */
  readonly fork?: boolean;
  readonly maintainerCanModify?: boolean;
}

export interface Scene {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly pullRequestRef: PullRequestRef;
  readonly pullRequest: PullRequestRecord;
  /** In the order of the `thread` calls. */
  readonly threads: readonly ThreadRecord[];
  readonly git: MemoryGit;
  readonly shell: MemoryShell;
  readonly store: MemoryStore;
  readonly ports: Ports & { readonly store: MemoryStore };
  /** The ports of another account on the same world, with a store and a worktree of its own. */
  portsFor(login: string): Ports;
}

type Step = (scene: { readonly world: World; readonly pullRequest: PullRequestRecord; readonly threads: ThreadRecord[] }) => void;

export interface Scenario {
  repository(name: RepositoryName, access?: Readonly<Record<string, Permission>>): Scenario;
  /** The account whose token the ports have; the pull request's author unless given. */
  viewer(login: string): Scenario;
  user(login: string, access?: Permission): Scenario;
  bot(login: string, options?: { readonly requestable?: boolean }): Scenario;
  pullRequest(input: ScenarioPullRequest): Scenario;
  /** A file before and on the branch; without `head` it is the same on both, `null` = not there. */
  file(path: string, base: string | null, head?: string | null): Scenario;
  protect(rules: Partial<Protection>): Scenario;
  thread(
    input: ThreadInput & {
      readonly by: string;
      readonly replies?: readonly { readonly by: string; readonly body: string }[];
      readonly resolved?: boolean;
    },
  ): Scenario;
  /** A conversation comment. */
  summary(input: { readonly by: string; readonly body: string }): Scenario;
  comment(by: string, body: string): Scenario;
  review(by: string, input: ReviewInput): Scenario;
  check(input: {
    readonly by: string;
    readonly name: string;
    readonly conclusion?: "SUCCESS" | "FAILURE" | "NEUTRAL" | "CANCELLED";
    readonly log?: string;
  }): Scenario;
  status(input: { readonly by: string; readonly context: string; readonly state: "SUCCESS" | "PENDING" | "FAILURE" | "ERROR" }): Scenario;
  /** Anything else, in its place among the other steps. */
  step(act: Step): Scenario;
  commands(script: Readonly<Record<string, ScriptedCommand>>): Scenario;
  agent(script: AgentScript): Scenario;
  forge(options: MemoryForgeOptions): Scenario;
  git(options: MemoryGitOptions): Scenario;
  build(): Scene;
}

const DEFAULT_FILE = { path: "src/main.ts", base: "export const answer = 41;\n", head: "export const answer = 42;\n" };

export const scenario = (options: { readonly clock?: VirtualClock; readonly host?: string } = {}): Scenario => {
  let name: RepositoryName = "ada/shop";
  let access: Readonly<Record<string, Permission>> = {};
  let viewer: string | undefined;
  let input: ScenarioPullRequest = {};
  let rules: Partial<Protection> | undefined;
  let script: Readonly<Record<string, ScriptedCommand>> = {};
  let agentScript: AgentScript | undefined;
  let forgeOptions: MemoryForgeOptions = {};
  let gitOptions: MemoryGitOptions = {};
  const people = new Map<string, Permission>();
  const bots = new Map<string, { readonly requestable?: boolean }>();
  const files: { readonly path: string; readonly base: string | null; readonly head: string | null }[] = [];
  const steps: Step[] = [];
  /** Bare login of an actor; its account is made by the way. */
  const actor = (login: string): string => {
    const bare = login.replace(/\[bot\]$/, "");
    if (bare !== login) bots.set(bare, bots.get(bare) ?? {});
    else if (!bots.has(login) && !people.has(login)) people.set(login, "write");
    return bare;
  };
  const step = (act: Step): Scenario => {
    steps.push(act);
    return self;
  };

  const prepare = (world: World, author: string): void => {
    const [owner = ""] = name.split("/");
    world.addUser(owner);
    for (const [login, options_] of bots) if (!world.accounts.has(login)) world.addBot(login, options_);
    for (const login of [author, viewer ?? author, ...people.keys(), ...Object.keys(access)])
      if (!world.accounts.has(login)) world.addUser(login);
    const all = files.length === 0 ? [DEFAULT_FILE] : files;
    const base = Object.fromEntries(all.flatMap((file) => (file.base === null ? [] : [[file.path, file.base]])));
    world.addRepository(name, { files: { "README.md": "# A repository\n", ...base } });
    for (const [login, permission] of people) if (login !== owner) world.setAccess(name, login, permission);
    for (const [login, permission] of Object.entries(access)) world.setAccess(name, login, permission);
    if (rules !== undefined) world.protect(name, "main", rules);
  };
  const openIn = (world: World, author: string): PullRequestRecord => {
    const branch = input.branch ?? "topic";
    const head: RepositoryName = input.fork === true ? `${author}/${name.split("/")[1] ?? ""}` : name;
    if (input.fork === true) world.addRepository(head, { forkOf: name });
    const all = files.length === 0 ? [DEFAULT_FILE] : files;
    const changed: Record<string, string | null> = Object.fromEntries(
      all.filter((file) => file.head !== file.base).map((file) => [file.path, file.head]),
    );
    if (Object.keys(changed).length === 0) throw new Error("The branch of the scenario changes nothing: give a file another text at head.");
    world.commitAndPush(author, { repository: head, branch, files: changed, message: "The change" });
    return world.openPullRequest(author, {
      repository: name,
      head: branch,
      headRepository: head,
      title: input.title ?? "A change",
      body: input.body ?? "What it is for.",
      draft: input.draft ?? false,
      ...(input.number === undefined ? {} : { number: input.number }),
      ...(input.maintainerCanModify === undefined ? {} : { maintainerCanModify: input.maintainerCanModify }),
    });
  };

  const self: Scenario = {
    repository(repository, permissions = {}) {
      name = repository;
      access = permissions;
      return self;
    },
    viewer(login) {
      viewer = actor(login);
      return self;
    },
    user(login, permission = "write") {
      people.set(login, permission);
      return self;
    },
    bot(login, botOptions = {}) {
      bots.set(login.replace(/\[bot\]$/, ""), botOptions);
      return self;
    },
    pullRequest(pullRequest) {
      input = { ...input, ...pullRequest };
      if (pullRequest.author !== undefined) actor(pullRequest.author);
      return self;
    },
    file(path, base, head) {
      files.push({ path, base, head: head === undefined ? base : head });
      return self;
    },
    protect(given) {
      rules = { ...rules, ...given };
      return self;
    },
    thread({ by, replies = [], resolved = false, ...thread }) {
      const login = actor(by);
      const answers = replies.map((reply) => ({ by: actor(reply.by), body: reply.body }));
      return step(({ world, pullRequest, threads }) => {
        const made = world.addThread(login, pullRequest, thread);
        threads.push(made);
        for (const reply of answers) world.replyToThread(reply.by, made, reply.body);
        if (resolved) world.resolve(pullRequest.author, made);
      });
    },
    summary({ by, body }) {
      return self.comment(by, body);
    },
    comment(by, body) {
      const login = actor(by);
      return step(({ world, pullRequest }) => void world.comment(login, pullRequest, body));
    },
    review(by, review) {
      const login = actor(by);
      return step(({ world, pullRequest, threads }) => {
        const before = pullRequest.threads.length;
        world.review(login, pullRequest, review);
        threads.push(...pullRequest.threads.slice(before));
      });
    },
    check({ by, ...check }) {
      const login = by.replace(/\[bot\]$/, "");
      bots.set(login, bots.get(login) ?? {});
      return step(
        ({ world, pullRequest }) =>
          void world.createCheck(login, { repository: pullRequest.repository, head: pullRequest.head.sha, ...check }),
      );
    },
    status({ by, ...status }) {
      const login = actor(by);
      return step(
        ({ world, pullRequest }) =>
          void world.setStatus(login, { repository: pullRequest.repository, head: pullRequest.head.sha, ...status }),
      );
    },
    step,
    commands(commands) {
      script = { ...script, ...commands };
      return self;
    },
    agent(given) {
      agentScript = { ...agentScript, ...given };
      return self;
    },
    forge(given) {
      forgeOptions = given;
      return self;
    },
    git(given) {
      gitOptions = given;
      return self;
    },
    build() {
      const clock = options.clock ?? virtualClock();
      const world = createWorld({ clock, ...(options.host === undefined ? {} : { host: options.host }) });
      const author = input.author ?? name.split("/")[0] ?? "";
      prepare(world, author);
      const pullRequest = openIn(world, author);
      const threads: ThreadRecord[] = [];
      for (const act of steps) act({ world, pullRequest, threads });
      const session = world.state.session(viewer ?? author);
      const git = memoryGit(world, session, gitOptions);
      const shell = memoryShell(script, { git, clock });
      const store = memoryStore();
      const agentOf = (of: MemoryGit): Agent | undefined =>
        agentScript === undefined ? undefined : scriptedAgent(agentScript, { git: of, clock });
      const agent = agentOf(git);
      const forge = memoryForge(world, session, { clock, ...forgeOptions });
      const [owner = "", repository = ""] = name.split("/");
      return {
        world,
        clock,
        pullRequest,
        threads,
        pullRequestRef: { host: world.host, owner, name: repository, number: pullRequest.number },
        git,
        shell,
        store,
        ports: { forge, git, shell, clock, store, ...(agent === undefined ? {} : { agent }) },
        portsFor(login) {
          const other = world.state.session(login);
          const theirs = memoryGit(world, other, gitOptions);
          const theirAgent = agentOf(theirs);
          return {
            forge: memoryForge(world, other, { clock, ...forgeOptions }),
            git: theirs,
            shell: memoryShell(script, { git: theirs, clock }),
            clock,
            store: memoryStore(),
            ...(theirAgent === undefined ? {} : { agent: theirAgent }),
          };
        },
      };
    },
  };
  return self;
};
