/**
 * Gemini CLI, headless.
 *
 * Without trust the checkout's hooks and servers are not started (`--skip-trust`); without a terminal its shell is hidden, and edits
 * stay inside the working folder (`auto_edit`). It has no flag for a schema: the answer is handed in through a server of ours, or is the last text. Learned from 0.61.0.
 */
import { join } from "node:path";
import { clientFailure, defineAgentFactory, jsonIn, mayEdit, submittingPrompt } from "../../core/index.js";

export interface GeminiOptions {
  readonly program: string;
  readonly model?: string;
  /** Further environment variables that may reach it. */
  readonly environment: readonly string[];
}

const SETTINGS = "gemini.json";
const TRUST = "trusted-folders.json";

interface Result {
  readonly response?: unknown;
  readonly error?: { readonly message?: unknown; readonly code?: unknown; readonly type?: unknown };
  readonly stats?: { readonly models?: Readonly<Record<string, { readonly tokens?: { readonly total?: unknown } }>> };
}

/** Errors come as a JSON document over several lines at the end of standard error, after warnings. */
const errorIn = (stderr: string): unknown => {
  const at = stderr.lastIndexOf("\n{\n");
  return at === -1 ? jsonIn(stderr) : jsonIn(stderr.slice(at));
};

export const gemini = defineAgentFactory<GeminiOptions>({
  name: "gemini",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      program: { type: "string", minLength: 1 },
      model: { type: "string", minLength: 1 },
      environment: { type: "array", items: { type: "string" } },
    },
  },
  defaults: { program: "gemini", environment: [] },
  define: (options) => ({
    detect: [options.program, "--version"],
    signIn: { keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"] },
    install: "Install the Gemini CLI (npm install -g @google/gemini-cli) and sign in with gemini.",
    environment: [
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_GEMINI_BASE_URL",
      "GOOGLE_GENAI_USE_VERTEXAI",
      "GOOGLE_CLOUD_PROJECT",
      ...options.environment,
    ],
    command: (run) => ({
      argv: [
        options.program,
        "-o",
        "json",
        "--skip-trust",
        "--allowed-mcp-server-names",
        "reviewloop",
        ...(options.model === undefined ? [] : ["-m", options.model]),
        ...(mayEdit(run.kind) ? ["--approval-mode", "auto_edit"] : []),
      ],
      // Settings below those of the user, which stay in force: the one place for a server that is neither theirs nor the checkout's.
      env: {
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(run.folder, SETTINGS),
        // Its user may trust a folder above; the worktree is not theirs.
        GEMINI_CLI_TRUSTED_FOLDERS_PATH: join(run.folder, TRUST),
      },
      files: {
        [SETTINGS]: JSON.stringify({ mcpServers: { reviewloop: { command: run.submit[0], args: run.submit.slice(1), trust: true } } }),
      },
      stdin: submittingPrompt(run),
    }),
    answer: ({ stdout, exitCode, stderr, output }) => {
      const result = (jsonIn(stdout) ?? errorIn(stderr) ?? {}) as Result;
      if (exitCode !== 0 || result.error !== undefined) {
        const said = [result.error?.code, result.error?.type, result.error?.message].filter((part) => part !== undefined).map(String);
        return { failure: clientFailure(said.length === 0 ? `it ended with ${exitCode ?? "a signal"}` : said.join(" ")) };
      }
      const value = jsonIn(output ?? "") ?? (typeof result.response === "string" ? jsonIn(result.response) : undefined);
      return value === undefined
        ? { failure: { kind: "no-answer", detail: "it handed in nothing, and its last text is not a JSON object" } }
        : { value };
    },
    usage: (stdout) => {
      const { stats } = (jsonIn(stdout) ?? {}) as Result;
      const totals = Object.values(stats?.models ?? {}).flatMap((model) =>
        typeof model.tokens?.total === "number" ? [model.tokens.total] : [],
      );
      return totals.length === 0 ? {} : { tokens: totals.reduce((sum, total) => sum + total, 0) };
    },
  }),
});

export default gemini;
