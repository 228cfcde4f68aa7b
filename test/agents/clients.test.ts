/** Our definitions against the real clients, each with a scripted model on loopback: arguments, extraction, limits of its tools. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentProcess, detectAgent } from "../../core/adapters/agent/index.js";
import { systemClock } from "../../core/adapters/clock/system.js";
import { FIX_SCHEMA, TRIAGE_SCHEMA, type AgentResult, type AgentTask, type Clock } from "../../core/index.js";
import { asText, CLIENTS, programs, scratchFor, type Client } from "./clients.js";
import { scriptedModel, type ScriptedModel, type Step, type Turn } from "./model.js";

const INSTALLED = Object.entries(programs()).map(([name, program]): [string, string, Client] => {
  const client = CLIENTS[name];
  if (client === undefined) throw new Error(`There is no test for ${name}.`);
  return [name, program, client];
});

const TRIAGE = {
  decisions: [{ thread: "one", kind: "false-positive", why: "checked", reply: "It is spelt so.", root: null, question: null }],
};
const FIX = { changed: [{ thread: "one", summary: "Spelt right.", files: ["greet.js"] }], unfixed: [] };

const WALL = 99_999;
/** Real time; the wall limit passes once the model was asked. */
const impatient = (asked: () => boolean): Clock => {
  const real = systemClock();
  const untilAsked = async (signal: AbortSignal | undefined): Promise<void> => {
    while (!asked()) await real.sleep(20, signal);
  };
  return { now: () => real.now(), sleep: (ms, signal) => (ms === WALL ? untilAsked(signal) : real.sleep(ms, signal)) };
};

describe.each(INSTALLED)(
  "%s",
  (name, program, client) => {
    let root = "";
    let worktree = "";
    let model: ScriptedModel | undefined;

    beforeEach(() => {
      root = scratchFor(name);
      worktree = join(root, "worktree");
      mkdirSync(worktree);
      writeFileSync(join(worktree, "greet.js"), 'export const greet = (name) => "Helo " + name;\n');
      const git = (...args: readonly string[]) =>
        execFileSync("git", ["-C", worktree, "-c", "user.name=t", "-c", "user.email=t@example.test", ...args]);
      git("init", "-q");
      git("add", "-A");
      git("commit", "-qm", "start");
    });
    afterEach(async () => {
      await model?.close();
      rmSync(root, { recursive: true, force: true });
    });

    const ask = async (kind: "triage" | "fix", script: (turn: Turn) => Step, clock: Clock = systemClock()): Promise<AgentResult> => {
      model = await scriptedModel(script);
      const home = join(root, "home");
      mkdirSync(home);
      client.prepare?.(model.url, home);
      const environment = {
        PATH: process.env["PATH"],
        HOME: home,
        LANG: "C.UTF-8",
        GH_TOKEN: "test-token",
        ...client.environment(model.url, home),
      };
      const definition = client.factory({ ...client.options, program });
      const agent = agentProcess(definition, {
        stateFolder: join(root, "state"),
        clock,
        environment,
        timeouts: { triage: WALL, fix: WALL },
        grace: 1000,
      });
      const task: AgentTask = {
        protocol: 1,
        kind,
        pullRequest: { url: "https://github.test/o/r/pull/1", title: "Greet", body: "", author: "kim" },
        head: "a".repeat(40),
        base: "b".repeat(40),
        worktree,
        threads: [
          {
            id: "one",
            source: "inline",
            title: "A slip",
            severity: "low",
            reviewer: "acme",
            author: "acme-review",
            association: "NONE",
            isBot: true,
            path: "greet.js",
            line: 1,
            startLine: null,
            outdated: false,
            code: null,
            suggestion: null,
            comments: [{ author: "acme-review", body: "MARKED-COMMENT: it is spelt wrong.", at: "2030-01-01T00:00:00.000Z", ours: false }],
            why: null,
            root: null,
          },
        ],
        rules: [],
        schema: kind === "triage" ? TRIAGE_SCHEMA : FIX_SCHEMA,
      };
      return agent.ask(task);
    };
    const text = (): string => readFileSync(join(worktree, "greet.js"), "utf8");

    test("is there, and says its version", async () => {
      expect(await detectAgent(client.factory({ program }), { PATH: process.env["PATH"], HOME: root })).toMatchObject({
        state: "ready",
        version: expect.stringMatching(/^\d+\.\d+/) as string,
      });
    });

    test("triage: the data reaches the model, its answer reaches us, the use is counted", async () => {
      const result = await ask("triage", (turn) => (turn.index === 0 ? client.final(TRIAGE, turn) : { text: "done" }));
      expect(result).toMatchObject({ ok: true, answer: TRIAGE });
      if (client.silentOnUse !== true) expect(result.tokens ?? 0).toBeGreaterThan(0);
      expect(model?.turns.some((turn) => turn.raw.includes("MARKED-COMMENT"))).toBe(true);
    });

    test("fix: it edits the file and answers", async () => {
      const edits = client.edits(worktree);
      const result = await ask("fix", (turn) => {
        const tool = edits[turn.index];
        if (tool !== undefined) return { tool };
        return turn.index === edits.length ? client.final(FIX, turn) : { text: "done" };
      });
      expect(result).toMatchObject({ ok: true, answer: FIX });
      expect(text()).toContain("Hello");
    });

    test("triage can't edit, and fix can't write outside of its folder", async () => {
      const edits = client.edits(worktree);
      await ask("triage", (turn) => {
        const tool = edits[turn.index];
        if (tool !== undefined) return { tool };
        return turn.index === edits.length ? client.final(TRIAGE, turn) : { text: "done" };
      });
      expect(text()).toContain("Helo ");
      await model?.close();
      rmSync(join(root, "home"), { recursive: true });
      const outside = join(root, "outside.txt");
      await ask("fix", (turn) => {
        if (turn.index === 0) return { tool: client.outside(outside) };
        return turn.index === 1 ? client.final(FIX, turn) : { text: "done" };
      });
      expect(existsSync(outside)).toBe(false);
    });

    test("bad, then good: asked once more, with the problems", async () => {
      let first = true;
      const result = await ask("triage", (turn) => {
        if (turn.raw.includes("could not be used")) first = false;
        return turn.index > 0 ? { text: "done" } : first ? client.final({ decisions: [] }, turn) : client.final(TRIAGE, turn);
      });
      expect(result).toMatchObject({ ok: true, answer: TRIAGE });
    });

    test.runIf(client.submits)(
      "the answer's tool is there, refuses a bad answer with the reason, and takes a good one in the same session",
      async () => {
        const result = await ask("triage", (turn) => {
          if (turn.index > 1) return { text: "done" };
          return client.final(turn.index === 0 ? { decisions: [] } : TRIAGE, turn);
        });
        expect(result).toMatchObject({ ok: true, answer: TRIAGE });
        expect(model?.turns.some((turn) => turn.raw.includes("is not answered"))).toBe(true);
        // We asked once: it was the tool that said so.
        expect(model?.turns.some((turn) => turn.raw.includes("could not be used"))).toBe(false);
      },
    );

    test.runIf(client.submits)("without the tool, the last message is the answer", async () => {
      const result = await ask("triage", (turn) => (turn.index === 0 ? asText(TRIAGE) : { text: "done" }));
      expect(result).toMatchObject({ ok: true, answer: TRIAGE });
    });

    test("a chatty model is no answer", async () => {
      const result = await ask("triage", () => ({ text: "I would rather talk." }));
      expect(result).toMatchObject({ ok: false, failure: { kind: "no-answer" } });
    });

    test("a refused key is told as that, and not asked again", async () => {
      const result = await ask("triage", () => ({ status: 401 }));
      expect(result).toMatchObject({ ok: false, failure: { kind: "auth" } });
    });

    test("a silent model: the client is ended", async () => {
      const result = await ask(
        "triage",
        () => ({ hang: true }),
        impatient(() => (model?.turns.length ?? 0) > 0),
      );
      expect(result).toMatchObject({ ok: false, failure: { kind: "timeout" } });
    });
  },
  120_000,
);
