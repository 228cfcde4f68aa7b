/** Whole loops with the real clients: real git, a GitHub over HTTP, and a model that is scripted; asserted is what is in the world afterwards. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../core/adapters/clock/system.js";
import { AGENT_TIMEOUTS } from "../../core/adapters/agent/index.js";
import type { AgentTask, Clock, Config, Report } from "../../core/index.js";
import { run } from "../../index.js";
import { place, type Place } from "../cli/sandboxed.js";
import { CLIENTS, programs, type Client } from "./clients.js";
import { scriptedModel, type ScriptedModel, type Step, type Turn } from "./model.js";

/** Those that drive whole loops; the others have their tests of arguments and extraction. */
const DRIVING = ["claude", "codex"];
const INSTALLED = Object.entries(programs()).flatMap(([name, program]): [string, string, Client][] => {
  const client = CLIENTS[name];
  return client === undefined || !DRIVING.includes(name) ? [] : [[name, program, client]];
});

type Tool = NonNullable<Step["tool"]>;
/** A step of the fix's script, given the worktree it works in. */
type Act = (worktree: string) => Tool;

/** The task that stands in the prompt. */
const taskIn = (raw: string): Pick<AgentTask, "kind" | "worktree" | "threads"> => {
  const text = JSON.stringify(JSON.parse(raw)).replaceAll(String.raw`\\`, "\\");
  const kind = /\\"kind\\": \\"(triage|fix)\\"/.exec(text)?.[1];
  const worktree = /\\"worktree\\": \\"(.+?)\\"/.exec(text)?.[1];
  const ids = [...text.matchAll(/\\n {3}\\"id\\": \\"(.+?)\\"/g)].map((found) => found[1] ?? "");
  if (kind === undefined || worktree === undefined) throw new Error("There is no task in the prompt.");
  return { kind: kind as "triage" | "fix", worktree, threads: ids.map((id) => ({ id }) as AgentTask["threads"][number]) };
};

const decided = (raw: string, kind: string): object => ({
  decisions: taskIn(raw).threads.map(({ id }) => ({
    thread: id,
    kind,
    why: "read it",
    reply: kind === "actionable" ? null : "The bound is inclusive on purpose.",
    root: null,
    question: null,
  })),
});
const changed = (raw: string): object => ({
  changed: taskIn(raw).threads.map(({ id }) => ({ thread: id, summary: "Compares with < now.", files: ["src/a.js"] })),
  unfixed: [],
});

describe.each(INSTALLED)("%s drives a loop", (name, program, client) => {
  let at: Place;
  let model: ScriptedModel | undefined;
  let home = "";
  beforeEach(async () => {
    at = await place();
    home = join(at.folder, "home");
    mkdirSync(home);
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one. MARKED-COMMENT" });
  });
  afterEach(async () => {
    await model?.close();
    expect(at.sandbox.unknownRequests).toEqual([]);
    await at.close();
  });

  const drive = async (script: (turn: Turn) => Step, clock: Clock = systemClock()): Promise<Report> => {
    model = await scriptedModel(script);
    client.prepare?.(model.url, home);
    // The example of this client, as it stands.
    const example = JSON.parse(readFileSync(new URL(`../../examples/${name}/reviewloop.config.json`, import.meta.url), "utf8")) as Config;
    const given = Array.isArray(example.agent) ? (example.agent[1] as object) : {};
    const config: Config = {
      ...example,
      gate: "node check.mjs",
      agent: [name, { ...given, ...client.options, program }] as unknown as NonNullable<Config["agent"]>,
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    };
    return run({
      pullRequest: at.url,
      folder: at.folder,
      config,
      environment: { ...at.environment, ...client.environment(model.url, home) },
      clock,
      yes: true,
      park: true,
    });
  };
  /** Finds the point right; then these acts, one a turn, and the claim that it was changed. */
  const obedient =
    (acts: readonly Act[]) =>
    (turn: Turn): Step => {
      const task = taskIn(turn.raw);
      if (task.kind === "triage") return turn.index === 0 ? client.final(decided(turn.raw, "actionable")) : { text: "done" };
      const act = acts[turn.index];
      if (act !== undefined) return { tool: act(task.worktree) };
      return turn.index === acts.length ? client.final(changed(turn.raw)) : { text: "done" };
    };
  const edits: readonly Act[] =
    name === "claude"
      ? [
          (worktree) => ({ name: "Read", input: { file_path: join(worktree, "src/a.js") } }),
          (worktree) => ({ name: "Edit", input: { file_path: join(worktree, "src/a.js"), old_string: "<=", new_string: "<" } }),
        ]
      : [() => ({ name: "exec_command", input: { cmd: "sed -i 's/<=/</' src/a.js" } })];
  const shell = (command: string): Tool =>
    name === "claude" ? { name: "Bash", input: { command, description: "look" } } : { name: "exec_command", input: { cmd: command } };

  const atHead = (path: string): string | undefined => at.sandbox.world.git.fileAt("ada/shop", at.pullRequest.head.sha, path);
  const replies = (): readonly string[] => at.pullRequest.threads.flatMap((thread) => thread.comments.slice(1).map(({ body }) => body));
  const expectNothing = (report: Report, start: string): void => {
    expect(report.pushes).toEqual([]);
    expect(at.pullRequest.head.sha).toBe(start);
    expect(replies()).toEqual([]);
    expect(report.remaining.map((item) => item.who)).toEqual(["person"]);
  };

  test("a good answer is posted, and nothing is pushed", async () => {
    const start = at.pullRequest.head.sha;
    const report = await drive((turn) => (turn.index === 0 ? client.final(decided(turn.raw, "false-positive")) : { text: "done" }));
    expect(report).toMatchObject({ stop: "waiting-for-people", pushes: [] });
    expect(replies()).toEqual([expect.stringContaining("The bound is inclusive on purpose.")]);
    expect(at.pullRequest.head.sha).toBe(start);
    expect(model?.turns[0]?.raw).toContain("MARKED-COMMENT");
  });

  test("it edits a file: gated, pushed, answered with the commit", async () => {
    const report = await drive(obedient(edits));
    expect(report.error).toBeUndefined();
    expect(report.stop).toBe("waiting-for-people");
    expect(atHead("src/a.js")).toContain("i < n");
    expect(replies()).toEqual([expect.stringContaining(`Fixed in ${at.pullRequest.head.sha.slice(0, 10)}`)]);
    expect(report.iterations[0]?.gates.map((gate) => gate.result)).toEqual(["green", "green"]);
  });

  test("a bad answer, then a good one", async () => {
    const report = await drive((turn) => {
      if (turn.index > 0) return { text: "done" };
      return client.final(turn.raw.includes("could not be used") ? decided(turn.raw, "false-positive") : { decisions: [] });
    });
    expect(report.stop).toBe("waiting-for-people");
    expect(replies()).toHaveLength(1);
  });

  test("never an answer: asked once more, then the thread stays undecided and says so", async () => {
    const start = at.pullRequest.head.sha;
    const report = await drive(() => ({ text: "I would rather talk about the weather." }));
    expectNothing(report, start);
    expect(report.remaining[0]).toMatchObject({ code: "undecided" });
    expect(report.notes.join("\n")).toContain("no-answer");
    expect(model?.turns.some((turn) => turn.raw.includes("could not be used"))).toBe(true);
  });

  test("an API error is told as what it is, and not asked again by us", async () => {
    const start = at.pullRequest.head.sha;
    const report = await drive(() => ({ status: 401 }));
    expectNothing(report, start);
    expect(report.notes.join("\n")).toContain("(auth)");
    expect(model?.turns.some((turn) => turn.raw.includes("could not be used"))).toBe(false);
  });

  test("a silent model: the client is ended at its wall limit, the run goes on to its end", async () => {
    const start = at.pullRequest.head.sha;
    const real = systemClock();
    // The limit passes as soon as the model was asked.
    const impatient: Clock = {
      now: () => real.now(),
      sleep: async (ms, signal) => {
        if (ms !== AGENT_TIMEOUTS.triage) return real.sleep(ms, signal);
        while ((model?.turns.length ?? 0) === 0) await real.sleep(20, signal);
        return undefined;
      },
    };
    const report = await drive(() => ({ hang: true }), impatient);
    expectNothing(report, start);
    expect(report.notes.join("\n")).toContain("(timeout)");
  });

  test("an edit outside of the worktree does not happen; what is inside of it ships", async () => {
    const outside = join(at.folder, "outside.txt");
    const report = await drive(obedient([() => client.outside(outside), ...edits]));
    expect(existsSync(outside)).toBe(false);
    expect(report.stop).toBe("waiting-for-people");
    expect(atHead("src/a.js")).toContain("i < n");
  });

  test("a shell: none, or one that holds no secret, reaches nobody and writes nothing outside; git's settings stay as they are", async () => {
    const outside = join(at.folder, "outside.txt");
    const clone = await at.clone();
    const settings = readFileSync(join(clone, ".git", "config"), "utf8");
    const command = `env > src/environment.txt; touch ${outside}; git config core.fsmonitor "touch ${outside}"; curl -s ${at.sandbox.url}/marked`;
    await drive(obedient([() => shell(command), ...edits]));
    expect(existsSync(outside)).toBe(false);
    expect(readFileSync(join(clone, ".git", "config"), "utf8")).toBe(settings);
    const seen = atHead("src/environment.txt");
    // The proof that the shell ran where there is one.
    expect(seen === undefined).toBe(name === "claude");
    expect(seen ?? "").not.toMatch(/TOKEN|SCRIPTED_KEY|ANTHROPIC/);
    expect(atHead("src/a.js")).toContain("i < n");
  });

  test.runIf(process.platform === "linux")("children that it leaves behind are ended with it", async () => {
    const pids = join(at.folder, "pids");
    mkdirSync(pids);
    const leaving = `setsid sh -c 'echo $$ > ${join(pids, "child")}; exec sleep 3600' >/dev/null 2>&1 &`;
    const acts: Act[] = [...edits];
    if (name === "claude") {
      // It has no shell: a hook of its user's own is what can leave something.
      mkdirSync(join(home, ".claude"), { recursive: true });
      const hooks = { SessionStart: [{ hooks: [{ type: "command", command: leaving }] }] };
      writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify({ hooks }));
    } else acts.unshift(() => shell("setsid sleep 3600 >/dev/null 2>&1 & echo started"));
    await drive(obedient(acts));
    if (name === "claude") expect(readdirSync(pids)).toEqual(["child"]);
    const left = readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${home}`);
        } catch {
          return false;
        }
      });
    expect(left).toEqual([]);
  });
});
