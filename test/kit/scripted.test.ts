import { describe, expect, test } from "vitest";
import { TRIAGE_SCHEMA, FIX_SCHEMA, type AgentTask, type AgentThread } from "../../index.js";
import { fixEach, memoryShell, scenario, scriptedAgent, triageEach, virtualClock } from "../../sandbox/kit/index.js";

const worktree = () => scenario().build().git;
const thread = (id: string): AgentThread => ({
  id,
  source: "inline",
  title: "t",
  severity: "low",
  reviewer: null,
  author: "acme",
  association: "NONE",
  isBot: true,
  path: "src/a.ts",
  line: 1,
  startLine: null,
  outdated: false,
  code: null,
  suggestion: null,
  comments: [],
  why: null,
  root: null,
});
const task = (kind: "triage" | "fix", ...ids: readonly string[]): AgentTask => ({
  protocol: 1,
  kind,
  pullRequest: { url: "", title: "", body: "", author: "" },
  head: "h",
  base: "b",
  worktree: "/worktree",
  threads: ids.map(thread),
  rules: [],
  schema: kind === "triage" ? TRIAGE_SCHEMA : FIX_SCHEMA,
});

describe("memory shell", () => {
  const shell = (clock = virtualClock()) =>
    memoryShell(
      {
        ok: () => 0,
        slow: () => ({ exitCode: 0, took: 5000, output: "done" }),
        missing: () => ({ started: false, exitCode: 127 }),
        reads: (files) => (files.read("src/main.ts") === undefined ? 1 : 0),
      },
      { git: worktree(), clock },
    );
  const ask = (command: string, timeout = 60_000, cwd = "/worktree") => ({ command, cwd, timeout });

  test("runs what the table has, and time passes", async () => {
    const clock = virtualClock();
    const port = shell(clock);
    expect(await port.run(ask("ok"))).toEqual({ started: true, exitCode: 0, timedOut: false, output: "", took: 0 });
    expect(await port.run({ ...ask("slow"), logFile: "/log" })).toEqual({
      started: true,
      exitCode: 0,
      timedOut: false,
      output: "done",
      took: 5000,
      logFile: "/log",
    });
    expect(clock.passed).toBe(5000);
    expect(await port.run(ask("reads"))).toMatchObject({ exitCode: 1 });
    expect(port.calls.map((call) => call.command)).toEqual(["ok", "slow", "reads"]);
  });

  test("a command over its time has no exit code; one that is not there did not start", async () => {
    const clock = virtualClock();
    const port = shell(clock);
    expect(await port.run(ask("slow", 1000))).toEqual({ started: true, timedOut: true, output: "done", took: 1000 });
    expect(clock.passed).toBe(1000);
    expect(await port.run(ask("missing"))).toEqual({ started: false, timedOut: false, output: "", took: 0 });
  });

  test("refuses what it does not know", async () => {
    await expect(shell().run(ask("rm -rf /"))).rejects.toThrow('knows no command "rm -rf /"');
    await expect(shell().run(ask("toString"))).rejects.toThrow("knows no command");
    await expect(shell().run(ask("ok", 1, "/elsewhere"))).rejects.toThrow("not in the worktree");
    await expect(shell().run(ask("ok"), AbortSignal.abort())).rejects.toThrow("Interrupted");
  });
});

describe("scripted agent", () => {
  test("answers by kind, in virtual time", async () => {
    const clock = virtualClock();
    const agent = scriptedAgent(
      {
        triage: (given) => ({
          ...triageEach(() => ({ kind: "nitpick", reply: "Fine." }))(given),
          cost: { took: 9000, tokens: 5, money: 0.1 },
        }),
      },
      { git: worktree(), clock },
    );
    expect(await agent.ask(task("triage", "a"))).toEqual({
      ok: true,
      answer: { decisions: [{ thread: "a", kind: "nitpick", why: "It is nitpick.", reply: "Fine.", root: null, question: null }] },
      took: 9000,
      tokens: 5,
      money: 0.1,
    });
    expect([clock.passed, agent.calls.length]).toEqual([9000, 1]);
  });

  test("a failure is given as one; a bad answer and a missing script are errors of the test", async () => {
    const git = worktree();
    const failing = scriptedAgent({ fix: () => ({ failure: { kind: "crash", detail: "gone" } }) }, { git });
    expect(await failing.ask(task("fix", "a"))).toEqual({ ok: false, failure: { kind: "crash", detail: "gone" }, took: 0 });
    await expect(failing.ask(task("triage", "a"))).rejects.toThrow("no script for triage");
    const forgetful = scriptedAgent({ triage: (given) => triageEach(() => ({ kind: "nitpick" }))({ ...given, threads: [] }) }, { git });
    await expect(forgetful.ask(task("triage", "a"))).rejects.toThrow("not answered");
    const inventive = scriptedAgent({ fix: () => ({ changed: [{ thread: "x", summary: "s", files: ["f"] }], unfixed: [] }) }, { git });
    await expect(inventive.ask(task("fix"))).rejects.toThrow("not one of those asked about");
  });

  test("fixes edit the worktree, or say why not", async () => {
    const git = worktree();
    const agent = scriptedAgent(
      {
        fix: fixEach((each, files) => {
          if (each.id === "b") return "too hard";
          files.write("src/a.ts", "new\n");
          return { summary: "s", files: ["src/a.ts"] };
        }),
      },
      { git },
    );
    expect(await agent.ask(task("fix", "a", "b"))).toMatchObject({
      answer: { changed: [{ thread: "a", files: ["src/a.ts"] }], unfixed: [{ thread: "b", why: "too hard" }] },
    });
    expect(git.worktree.read("src/a.ts")).toBe("new\n");
  });
});

describe("scenario", () => {
  test("makes people, bots, files, threads, comments, checks and rules in the order of the steps", async () => {
    const scene = scenario()
      .repository("works/site", { gil: "triage" })
      .pullRequest({ title: "T", draft: true, author: "ben", branch: "fix", number: 12, body: "B" })
      .file("a.txt", "1\n", "2\n")
      .file("gone.txt", "x\n", null)
      .file("kept.txt", "k\n")
      .bot("acme", { requestable: true })
      .protect({ requiredChecks: ["build"] })
      .thread({ by: "acme", path: "a.txt", line: 1, body: "?", replies: [{ by: "ben", body: "!" }], resolved: true })
      .summary({ by: "acme[bot]", body: "4/5" })
      .review("cleo", { state: "CHANGES_REQUESTED", body: "no", comments: [{ path: "a.txt", line: 1, body: "2?" }] })
      .check({ by: "ci[bot]", name: "build", conclusion: "FAILURE", log: "boom" })
      .status({ by: "cleo", context: "deploy", state: "PENDING" })
      .step(({ world, pullRequest }) => world.requestReview("works", pullRequest, "acme"))
      .viewer("cleo")
      .build();
    const read = await scene.ports.forge.read(scene.pullRequestRef);
    expect(scene.pullRequestRef).toEqual({ host: "github.com", owner: "works", name: "site", number: 12 });
    expect(read.viewer).toEqual({ login: "cleo", kind: "user" });
    expect(read.pullRequest).toMatchObject({
      title: "T",
      body: "B",
      draft: true,
      author: { login: "ben" },
      viewerPermission: "write",
      requiredChecks: ["build"],
    });
    expect(read.reviewThreads.map((each) => [each.resolved, each.messages.map((message) => message.body)])).toEqual([
      [true, ["?", "!"]],
      [false, ["2?"]],
    ]);
    expect(read.comments.map((comment) => [comment.author.login, comment.author.kind, comment.body])).toEqual([["acme", "bot", "4/5"]]);
    expect(read.checks?.map((check) => [check.name, check.state, check.required])).toEqual([
      ["build", "failure", true],
      ["deploy", "pending", false],
    ]);
    expect(read.requests.map((request) => request.login)).toEqual(["acme"]);
    expect(scene.threads).toHaveLength(2);
    await scene.git.open(read.pullRequest, undefined);
    expect(scene.git.worktree.paths()).toEqual(["README.md", "a.txt", "kept.txt"]);
  });

  test("from a fork", async () => {
    const scene = scenario().pullRequest({ author: "ben", fork: true, maintainerCanModify: false }).viewer("ben").build();
    const { pullRequest } = await scene.ports.forge.read(scene.pullRequestRef);
    expect(pullRequest).toMatchObject({
      fork: true,
      maintainerCanModify: false,
      head: { repository: { owner: "ben", name: "shop", cloneUrl: "https://github.com/ben/shop.git" } },
    });
  });

  test("says so where the branch would change nothing", () => {
    expect(() => scenario().file("a.txt", "1\n").build()).toThrow("changes nothing");
  });
});
