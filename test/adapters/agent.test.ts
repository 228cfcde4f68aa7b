import { mkdtempSync, readFileSync, readdirSync, existsSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentProcess, detectAgent, type AgentProcessOptions } from "../../core/adapters/agent/index.js";
import { systemClock } from "../../core/adapters/clock/system.js";
import { FIX_SCHEMA, TRIAGE_SCHEMA } from "../../core/agents/answers.js";
import type { AgentResult, AgentTask, AgentThread, Clock } from "../../core/ports.js";
import { ReviewloopError } from "../../core/errors.js";
import { command } from "../../plugins/agents/command.js";

const FAKE = fileURLToPath(new URL("./agent-fakes/agent.mjs", import.meta.url));

let root = "";
let worktree = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agent-"));
  worktree = mkdtempSync(join(root, "worktree-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const thread = (id: string): AgentThread => ({
  id,
  source: "inline",
  title: "A point",
  severity: "medium",
  reviewer: "acme",
  author: "acme-review",
  association: "NONE",
  isBot: true,
  path: "a.txt",
  line: 1,
  startLine: null,
  outdated: false,
  code: null,
  suggestion: null,
  comments: [{ author: "acme-review", body: "Is this right?", at: "2030-01-01T00:00:00.000Z", ours: false }],
  why: null,
  root: null,
});

const task = (over: Partial<AgentTask> = {}): AgentTask => ({
  protocol: 1,
  kind: "triage",
  pullRequest: { url: "https://github.test/o/r/pull/1", title: "A change", body: "", author: "kim" },
  head: "a".repeat(40),
  base: "b".repeat(40),
  worktree,
  threads: [thread("one"), thread("two")],
  rules: [],
  schema: TRIAGE_SCHEMA,
  ...over,
});
const fixTask = (): AgentTask => task({ kind: "fix", schema: FIX_SCHEMA });

/** Real time, but the wall limit passes when the test says so. */
const clockWith = (passes: (milliseconds: number) => boolean): Clock => {
  const real = systemClock();
  return { now: () => real.now(), sleep: (ms, signal) => (passes(ms) ? real.sleep(0, signal) : real.sleep(ms, signal)) };
};

const WALL = 77_777;
const asked = async (
  manner: string,
  over: Partial<AgentProcessOptions> & { task?: AgentTask; signal?: AbortSignal } = {},
): Promise<{ result: AgentResult; notes: readonly { problems: readonly string[] | null }[] }> => {
  const note = join(root, "note.jsonl");
  const { task: given = task(), signal, ...options } = over;
  const agent = agentProcess(command({ run: [process.execPath, FAKE, manner, note] }), {
    stateFolder: join(root, "state"),
    clock: systemClock(),
    environment: process.env,
    timeouts: { triage: WALL, fix: WALL },
    grace: 200,
    ...options,
  });
  const result = await agent.ask(given, signal);
  const notes = existsSync(note)
    ? readFileSync(note, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { problems: readonly string[] | null })
    : [];
  return { result, notes };
};

test.each(["good", "to-file", "from-file", "chatty"])("takes a %s answer, asking once", async (manner) => {
  const { result, notes } = await asked(manner);
  expect(result).toMatchObject({ ok: true, answer: { decisions: [{ thread: "one" }, { thread: "two" }] } });
  expect(notes).toEqual([{ problems: null }]);
});

test("takes the usage out of the answer and reports it", async () => {
  const { result } = await asked("usage");
  expect(result).toMatchObject({ ok: true, tokens: 12, money: 0.5 });
});

test.each([
  ["bad-json", "no-answer", /no JSON object/, /no answer/],
  ["wrong-kind", "bad-answer", /\/decisions\/0\/kind .*actionable/, /\/decisions\/0\/kind/],
  ["missing", "bad-answer", /thread "one" is not answered/, /thread "one" is not answered/],
  ["invented", "bad-answer", /thread "invented-1" is not one of those asked about/, /invented-1/],
  ["twice", "bad-answer", /thread "one" is answered more than once/, /more than once/],
  ["long-reply", "bad-answer", /reply is longer than 4000/, /longer than 4000/],
])("asks once more after %s, with the problems, then fails as %s", async (manner, kind, detail, problem) => {
  const { result, notes } = await asked(manner);
  expect(result.ok).toBe(false);
  if (result.ok) return;
  expect(result.failure.kind).toBe(kind);
  expect(result.failure.detail).toMatch(detail);
  expect(notes.map((note) => note.problems === null)).toEqual([true, false]);
  expect(notes[1]?.problems?.join("\n")).toMatch(problem);
});

test("a good second answer counts", async () => {
  const { result, notes } = await asked("second-time");
  expect(result.ok).toBe(true);
  expect(notes).toHaveLength(2);
});

test("a silent agent is ended at its limit and not asked again", async () => {
  const { result, notes } = await asked("silent", { clock: clockWith((ms) => ms === WALL) });
  expect(result).toMatchObject({ ok: false, failure: { kind: "timeout" } });
  expect(notes.length).toBeLessThanOrEqual(1);
});

test("an agent that never stops writing is ended at its limit", async () => {
  const { result, notes } = await asked("huge", { most: 300_000 });
  expect(result).toMatchObject({ ok: false, failure: { kind: "limit", detail: expect.stringContaining("293 KiB") as string } });
  expect(notes).toHaveLength(1);
});

test("a failed exit counts, whatever was printed before, and its last words are told without secrets", async () => {
  const { result, notes } = await asked("crash", { redact: (text) => text.replace("it broke", "[hidden]") });
  expect(result).toMatchObject({
    ok: false,
    failure: { kind: "crash", detail: expect.stringContaining("it ended with exit code 7 ([hidden])") as string },
  });
  expect(notes).toHaveLength(1);
});

test("a program that is not there is told with what to do, and not looked for again", async () => {
  const program = join(root, "no-such-program");
  const agent = agentProcess(
    { ...command({ run: [program] }), install: "Run npm i -g acme." },
    { stateFolder: join(root, "state"), clock: systemClock(), environment: { ...process.env, CLAUDECODE: undefined } },
  );
  const told = {
    ok: false,
    failure: { kind: "crash", detail: expect.stringMatching(/could not be started: .*Run npm i -g acme\.$/) as string },
  };
  expect(await agent.ask(task())).toMatchObject(told);
  writeFileSync(program, "#!/bin/sh\ntouch started\n", { mode: 0o755 });
  expect(await agent.ask(task())).toMatchObject({ ...told, took: 0 });
  expect(existsSync(join(worktree, "started"))).toBe(false);
});

test("a failure inside of another agent's session names that, and what to do; it is not tried again", async () => {
  const { result, notes } = await asked("crash", { environment: { ...process.env, CLAUDECODE: "1", CODEX_SANDBOX: "seatbelt" } });
  expect(notes).toHaveLength(1);
  expect(result).toMatchObject({
    failure: { detail: expect.stringMatching(/another agent's session \(CLAUDECODE, CODEX_SANDBOX\).*start reviewloop outside/) as string },
  });
  const alone = await asked("crash", { environment: { PATH: process.env["PATH"] } });
  expect(JSON.stringify(alone.result)).not.toContain("another agent");
});

test("where the head brings what a client runs whatever it is told, the client is not started", async () => {
  const definition = { ...command({ run: [process.execPath, FAKE, "environment"] }), refuses: [".plugins", "plugins.json"] };
  const agent = agentProcess(definition, { stateFolder: join(root, "state"), clock: systemClock(), environment: process.env, grace: 200 });
  writeFileSync(join(worktree, "plugins.json"), "{}");
  expect(await agent.ask(task())).toMatchObject({
    ok: false,
    failure: { kind: "crash", detail: expect.stringMatching(/the head brings plugins\.json.*not started.*another agent/) as string },
  });
  expect(existsSync(join(worktree, "environment.json"))).toBe(false);
  rmSync(join(worktree, "plugins.json"));
  expect((await agent.ask(task())).ok).toBe(true);
});

const lives = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

test.runIf(process.platform === "linux")("nothing that it started outlives the call, and a pipe held open does not hold us", async () => {
  const { result } = await asked("child");
  expect(result.ok).toBe(true);
  const pid = Number(readFileSync(join(worktree, "child.pid"), "utf8"));
  expect(pid).toBeGreaterThan(1);
  expect(lives(pid)).toBe(false);
});

test("no secret and no mark of a surrounding session reaches it; a sign-in that the definition names does", async () => {
  const environment = {
    ...process.env,
    GH_TOKEN: "test-token",
    GITHUB_TOKEN: "test-token",
    NPM_TOKEN: "test-token",
    AWS_SECRET_ACCESS_KEY: "test-token",
    CLAUDECODE: "1",
    NODE_OPTIONS: "--no-warnings",
    MODEL_KEY: "test-key",
    MODEL_URL: "http://127.0.0.1:1",
  };
  const agent = agentProcess(
    command({ run: [process.execPath, FAKE, "environment"], environment: ["MODEL_*", "GH_TOKEN", "CLAUDECODE"] }),
    {
      stateFolder: join(root, "state"),
      clock: systemClock(),
      environment,
      grace: 200,
    },
  );
  expect((await agent.ask(task())).ok).toBe(true);
  const seen = JSON.parse(readFileSync(join(worktree, "environment.json"), "utf8")) as Record<string, string>;
  expect(Object.values(seen)).not.toContain("test-token");
  expect(seen).not.toHaveProperty("CLAUDECODE");
  expect(seen).not.toHaveProperty("NODE_OPTIONS");
  expect(seen).toMatchObject({ MODEL_KEY: "test-key", MODEL_URL: "http://127.0.0.1:1", TERM: "dumb" });
});

test("the agent is the file beside the config, not the one of the same name in the pull request", async () => {
  const config = mkdtempSync(join(root, "config-"));
  writeFileSync(join(config, "agent.mjs"), readFileSync(FAKE));
  writeFileSync(join(worktree, "agent.mjs"), 'import { writeFileSync } from "node:fs"; writeFileSync("owned", "");');
  const agent = agentProcess(command({ run: ["node", "agent.mjs", "good"] }), {
    stateFolder: join(root, "state"),
    configFolder: config,
    clock: systemClock(),
    environment: process.env,
    grace: 200,
  });
  expect((await agent.ask(task())).ok).toBe(true);
  expect(existsSync(join(worktree, "owned"))).toBe(false);
});

test("the folder of a good call goes, that of a failed one stays for a look by hand, and not for ever", async () => {
  const calls = join(root, "state", "agents", "command");
  await asked("good");
  expect(readdirSync(calls)).toEqual([]);
  for (let count = 0; count < 4; count += 1) await asked("missing");
  expect(readdirSync(calls)).toHaveLength(5);
  const first = readdirSync(calls)[0] ?? "";
  expect(JSON.parse(readFileSync(join(calls, first, "input.json"), "utf8"))).toMatchObject({ protocol: 1, kind: "triage" });
});

test("a failed fix leaves nothing behind, and its second try starts from the same files", async () => {
  const file = join(worktree, "a.txt");
  writeFileSync(file, "start\n");
  const states: string[] = [];
  const { result } = await asked("edit-then-fail", {
    task: fixTask(),
    worktreeState: {
      save: async () => readFileSync(file, "utf8"),
      restore: async (saved) => {
        states.push(readFileSync(file, "utf8"));
        writeFileSync(file, saved);
      },
    },
  });
  expect(result.ok).toBe(false);
  expect(states).toEqual(["start\nhalf\n", "start\nhalf\n"]);
  expect(readFileSync(file, "utf8")).toBe("start\n");
});

test("an interrupted call is ended and says ABORTED", async () => {
  const stop = new AbortController();
  const waiting = asked("silent", { signal: stop.signal, clock: systemClock() });
  const calls = join(root, "state", "agents", "command");
  while (!existsSync(join(root, "note.jsonl"))) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await expect(waiting).rejects.toSatisfy((error) => ReviewloopError.is(error) && error.code === "ABORTED");
  expect(readdirSync(calls)).toHaveLength(1);
});

test("an agent is not asked for what it can't do", async () => {
  const agent = agentProcess(command({ run: [process.execPath, FAKE, "good"], kinds: ["triage"] }), {
    stateFolder: join(root, "state"),
    clock: systemClock(),
    environment: process.env,
  });
  expect(await agent.ask(fixTask())).toMatchObject({
    ok: false,
    failure: { detail: "command can't do fix: name another agent for that under agents" },
  });
});

test("detection: the version, a missing program, a broken one, none to ask, what it lacks", async () => {
  const of = (detect: readonly string[] | undefined, more: object = {}) => ({
    ...command({ run: ["x"] }),
    name: "acme",
    ...(detect === undefined ? {} : { detect }),
    ...more,
  });
  const environment = { ...process.env, CLAUDECODE: undefined };
  expect(await detectAgent(of([process.execPath, "--version"]), environment)).toMatchObject({
    state: "ready",
    version: process.versions.node,
    line: `acme ${process.versions.node}: ready.`,
  });
  expect(await detectAgent(of(["no-such-program-here", "--version"], { install: "Run npm i -g acme." }), environment)).toMatchObject({
    state: "missing",
    line: "acme: not found. Run npm i -g acme.",
  });
  expect(await detectAgent(of([process.execPath, "-e", "process.exit(3)"]), environment)).toMatchObject({ state: "broken" });
  expect(await detectAgent(of(undefined), environment)).toMatchObject({ state: "unchecked" });
  expect(await detectAgent(of([process.execPath, "--version"], { kinds: ["triage"] }), { ...environment, CLAUDECODE: "1" })).toMatchObject({
    lacks: ["fix"],
    nested: ["CLAUDECODE"],
    line: expect.stringMatching(/can't do fix.*inside of another agent's session \(CLAUDECODE\)/) as string,
  });
});

test("detection: the sign-in, as far as it is known without a call that costs", async () => {
  const status = join(root, "status");
  writeFileSync(status, '#!/bin/sh\ntest -e "$HOME/signed-in"\n', { mode: 0o755 });
  const definition = {
    ...command({ run: ["x"] }),
    name: "acme",
    detect: [process.execPath, "--version"],
    signIn: { status: [status], keys: ["ACME_KEY"] },
    environment: ["ACME_KEY"],
  };
  const environment = { PATH: process.env["PATH"], HOME: root };
  const line = (text: string): unknown => expect.stringContaining(text);
  expect(await detectAgent(definition, environment)).toMatchObject({ state: "ready", signedIn: false, line: line("not signed in") });
  expect(await detectAgent(definition, { ...environment, ACME_KEY: "test-key" })).toMatchObject({
    signedIn: true,
    line: line("signed in by ACME_KEY"),
  });
  writeFileSync(join(root, "signed-in"), "");
  expect(await detectAgent(definition, environment)).toMatchObject({ signedIn: true, line: line("ready; signed in.") });
  const silent = await detectAgent({ ...definition, signIn: { keys: ["ACME_KEY"] } }, environment);
  expect(silent).not.toHaveProperty("signedIn");
  expect(silent.line).toContain("shows at its first call");
});
