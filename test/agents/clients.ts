/** The real clients: where they are, how each is pointed at a scripted model, how its tools are called. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentFactory } from "../../core/index.js";
import { claude } from "../../plugins/agents/claude.js";
import { codex } from "../../plugins/agents/codex.js";
import { copilot } from "../../plugins/agents/copilot.js";
import { gemini } from "../../plugins/agents/gemini.js";
import { opencode } from "../../plugins/agents/opencode.js";
import type { Step, Turn } from "./model.js";

/** Name and program of each that `npm run test:agents` has installed. Without it nothing is tested, so nothing passes. */
export const programs = (): Readonly<Record<string, string>> => {
  const given = process.env["REVIEWLOOP_AGENT_CLIENTS"];
  if (given === undefined) throw new Error("No clients: start these tests with npm run test:agents.");
  return JSON.parse(given) as Readonly<Record<string, string>>;
};

/** Not below /tmp, which some clients let their tools write to; and gemini takes no settings from below a folder that all may write to. */
export const scratchFor = (name: string): string =>
  mkdtempSync(join(name === "gemini" ? homedir() : process.platform === "linux" ? "/var/tmp" : tmpdir(), ".agent-client-"));

/** What a test has to know of a client: how it is pointed at the scripted model, and the names of its tools. */
export interface Client {
  readonly factory: AgentFactory;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly environment: (url: string, home: string) => Readonly<Record<string, string>>;
  /** Its user settings; `trusted`: a folder that its user trusts. */
  readonly prepare?: (url: string, home: string, trusted?: string) => void;
  readonly edits: (worktree: string) => readonly NonNullable<Step["tool"]>[];
  /** Hands the answer in as this client does. */
  readonly final: (answer: object, turn?: Turn) => Step;
  /** It has no flag for a schema: the answer goes through our server. */
  readonly submits?: true;
  /** It does not say how many tokens it used. */
  readonly silentOnUse?: boolean;
  /** A shell of the client's, that must not be there in triage. */
  readonly outside: (file: string) => NonNullable<Step["tool"]>;
}

/** The tool by the name that the client gave it. */
const submitted = (answer: object, turn?: Turn): Step => ({
  tool: { name: turn?.tools.find((name) => name.includes("submit_result")) ?? "submit_result", input: answer },
});
export const asText = (answer: object): Step => ({ text: JSON.stringify(answer) });

export const CLIENTS: Readonly<Record<string, Client>> = {
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
    prepare: (url, home, trusted) => {
      mkdirSync(join(home, "codex"), { recursive: true });
      const trust = trusted === undefined ? "" : `[projects.${JSON.stringify(trusted)}]\ntrust_level = "trusted"\n`;
      writeFileSync(
        join(home, "codex", "config.toml"),
        `model_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n${trust}`,
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
    final: submitted,
    submits: true,
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
    final: submitted,
    submits: true,
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
    final: submitted,
    submits: true,
    outside: (file) => ({ name: "write_file", input: { file_path: file, content: "x" } }),
  },
};
