/**
 * Our definitions against the real clients, each with a scripted model on loopback. The clients are big and not all free to ship, so
 * they are not dependencies: `REVIEWLOOP_AGENT_CLIENTS` names a folder with their programs, and a client that is missing there fails.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentProcess, detectAgent } from "../../core/adapters/agent/index.js";
import { systemClock } from "../../core/adapters/clock/system.js";
import { FIX_SCHEMA, TRIAGE_SCHEMA, type AgentFactory, type AgentResult, type AgentTask, type Clock } from "../../core/index.js";
import { claude } from "../../plugins/agents/claude.js";
import { codex } from "../../plugins/agents/codex.js";
import { copilot } from "../../plugins/agents/copilot.js";
import { gemini } from "../../plugins/agents/gemini.js";
import { opencode } from "../../plugins/agents/opencode.js";
import { scriptedModel, type ScriptedModel, type Step, type Turn } from "./agent-fakes/model.js";

const programs = process.env["REVIEWLOOP_AGENT_CLIENTS"];
const only = process.env["REVIEWLOOP_AGENT_CLIENT"];

const TRIAGE = {
  decisions: [{ thread: "one", kind: "false-positive", why: "checked", reply: "It is spelt so.", root: null, question: null }],
};
const FIX = { changed: [{ thread: "one", summary: "Spelt right.", files: ["greet.js"] }], unfixed: [] };

interface Client {
  readonly factory: AgentFactory;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly environment: (url: string, home: string) => Readonly<Record<string, string>>;
  readonly prepare?: (url: string, home: string) => void;
  readonly edits: (worktree: string) => readonly NonNullable<Step["tool"]>[];
  readonly final: (answer: object) => Step;
  /** It does not say how many tokens it used. */
  readonly silentOnUse?: boolean;
  /** A shell of the client's, that must not be there in triage. */
  readonly outside: (file: string) => NonNullable<Step["tool"]>;
}

const asText = (answer: object): Step => ({ text: JSON.stringify(answer) });

const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    factory: claude,
    environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-token" }),
    edits: (worktree) => [
      { name: "Read", input: { file_path: join(worktree, "greet.js") } },
      { name: "Edit", input: { file_path: join(worktree, "greet.js"), old_string: "Helo", new_string: "Hello" } },
    ],
    final: (answer) => ({ tool: { name: "StructuredOutput", input: answer } }),
    outside: (file) => ({ name: "Write", input: { file_path: file, content: "x" } }),
  },
  codex: {
    factory: codex,
    options: { model: "scripted", environment: ["SCRIPTED_KEY"] },
    environment: (_url, home) => ({ SCRIPTED_KEY: "test-token", CODEX_HOME: join(home, "codex") }),
    prepare: (url, home) => {
      mkdirSync(join(home, "codex"), { recursive: true });
      writeFileSync(
        join(home, "codex", "config.toml"),
        `model_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n`,
      );
    },
    edits: () => [{ name: "exec_command", input: { cmd: "sed -i s/Helo/Hello/ greet.js" } }],
    final: asText,
    outside: (file) => ({ name: "exec_command", input: { cmd: `echo x > ${file}` } }),
  },
  opencode: {
    factory: opencode,
    options: { model: "scripted/scripted", environment: ["OPENCODE_DISABLE_MODELS_FETCH"] },
    environment: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    prepare: (url, home) => {
      const folder = join(home, ".config", "opencode");
      mkdirSync(folder, { recursive: true });
      const models = { scripted: { name: "scripted", tool_call: true, limit: { context: 200_000, output: 8000 } } };
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "scripted",
        options: { baseURL: `${url}/v1`, apiKey: "test-token" },
        models,
      };
      writeFileSync(join(folder, "opencode.json"), JSON.stringify({ small_model: "scripted/scripted", provider: { scripted: provider } }));
    },
    edits: (worktree) => [
      { name: "read", input: { filePath: join(worktree, "greet.js") } },
      { name: "edit", input: { filePath: join(worktree, "greet.js"), oldString: "Helo", newString: "Hello" } },
    ],
    final: asText,
    outside: (file) => ({ name: "write", input: { filePath: file, content: "x" } }),
  },
  copilot: {
    factory: copilot,
    options: { model: "scripted", environment: ["COPILOT_*"] },
    environment: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_API_KEY: "test-token",
    }),
    silentOnUse: true,
    edits: (worktree) => [{ name: "edit", input: { path: join(worktree, "greet.js"), old_str: "Helo", new_str: "Hello" } }],
    final: asText,
    outside: (file) => ({ name: "create", input: { path: file, file_text: "x" } }),
  },
  gemini: {
    factory: gemini,
    options: { model: "scripted" },
    environment: (url) => ({ GEMINI_API_KEY: "test-token", GOOGLE_GEMINI_BASE_URL: url }),
    prepare: (_url, home) => {
      mkdirSync(join(home, ".gemini"), { recursive: true });
      const settings = { security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false } };
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
    edits: (worktree) => [
      {
        name: "replace",
        input: { file_path: join(worktree, "greet.js"), old_string: "Helo", new_string: "Hello", instruction: "mend the spelling" },
      },
    ],
    final: asText,
    outside: (file) => ({ name: "write_file", input: { file_path: file, content: "x" } }),
  },
};

const WALL = 99_999;
/** Real time; the wall limit passes once the model was asked. */
const impatient = (asked: () => boolean): Clock => {
  const real = systemClock();
  const untilAsked = async (signal: AbortSignal | undefined): Promise<void> => {
    while (!asked()) await real.sleep(20, signal);
  };
  return { now: () => real.now(), sleep: (ms, signal) => (ms === WALL ? untilAsked(signal) : real.sleep(ms, signal)) };
};

describe.runIf(programs !== undefined).each(Object.entries(CLIENTS).filter(([name]) => only === undefined || only === name))(
  "%s",
  (name, client) => {
    let root = "";
    let worktree = "";
    let model: ScriptedModel | undefined;
    const program = join(programs ?? "", name);

    beforeEach(() => {
      // Not below /tmp, which some clients let their tools write to.
      root = mkdtempSync(join(process.platform === "linux" ? "/var/tmp" : tmpdir(), "agent-client-"));
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
          },
        ],
        rules: [],
        schema: kind === "triage" ? TRIAGE_SCHEMA : FIX_SCHEMA,
      };
      const result = await agent.ask(task);
      if (process.env["REVIEWLOOP_AGENT_SHOW"] !== undefined) console.error(JSON.stringify({ name, result, asked: model.turns.length }));
      return result;
    };
    const text = (): string => readFileSync(join(worktree, "greet.js"), "utf8");

    test("is there, and says its version", async () => {
      expect(await detectAgent(client.factory({ program }), { PATH: process.env["PATH"], HOME: root })).toMatchObject({
        state: "ready",
        version: expect.stringMatching(/^\d+\.\d+/) as string,
      });
    });

    test("triage: the data reaches the model, its answer reaches us, the use is counted", async () => {
      const result = await ask("triage", (turn) => (turn.index === 0 ? client.final(TRIAGE) : { text: "done" }));
      expect(result).toMatchObject({ ok: true, answer: TRIAGE });
      if (client.silentOnUse !== true) expect(result.tokens ?? 0).toBeGreaterThan(0);
      expect(model?.turns.some((turn) => turn.raw.includes("MARKED-COMMENT"))).toBe(true);
    });

    test("fix: it edits the file and answers", async () => {
      const edits = client.edits(worktree);
      const result = await ask("fix", (turn) => {
        const tool = edits[turn.index];
        if (tool !== undefined) return { tool };
        return turn.index === edits.length ? client.final(FIX) : { text: "done" };
      });
      expect(result).toMatchObject({ ok: true, answer: FIX });
      expect(text()).toContain("Hello");
    });

    test("triage can't edit, and fix can't write outside of its folder", async () => {
      const edits = client.edits(worktree);
      await ask("triage", (turn) => {
        const tool = edits[turn.index];
        return tool === undefined ? client.final(TRIAGE) : { tool };
      });
      expect(text()).toContain("Helo ");
      await model?.close();
      rmSync(join(root, "home"), { recursive: true });
      const outside = join(root, "outside.txt");
      await ask("fix", (turn) => (turn.index === 0 ? { tool: client.outside(outside) } : client.final(FIX)));
      expect(existsSync(outside)).toBe(false);
    });

    test("bad, then good: asked once more, with the problems", async () => {
      let first = true;
      const result = await ask("triage", (turn) => {
        if (turn.raw.includes("could not be used")) first = false;
        return turn.index > 0 ? { text: "done" } : first ? client.final({ decisions: [] }) : client.final(TRIAGE);
      });
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
