/**
 * Claude Code, headless: `claude -p`.
 *
 * The flags keep the checkout's own settings, hooks and servers out (`--setting-sources user`, `--strict-mcp-config`: without them
 * a branch runs commands before any model speaks), leave no shell and no web tool (`--tools`), and keep edits inside the working
 * folder (`acceptEdits`). Learned from 2.1.197 and 2.1.332: an exit code of 0 and `subtype: "success"` may come without an answer.
 */
import { clientFailure, defineAgentFactory, jsonIn, mayEdit } from "../../core/index.js";

export interface ClaudeOptions {
  readonly program: string;
  readonly model?: string;
  /** Turns of one call. */
  readonly turns: number;
  /** US dollars of one call; checked by the client after each turn. */
  readonly money?: number;
  /** Further environment variables that may reach it (a cloud's credentials, for models hosted there). */
  readonly environment: readonly string[];
}

/** Where an edit is refused at once; the core checks the diff all the same. */
const CLOSED = [".github/**", ".husky/**", ".vscode/**", ".codex/**", ".agents/**", ".mcp.json"];

interface Result {
  readonly is_error?: unknown;
  readonly subtype?: unknown;
  readonly result?: unknown;
  readonly structured_output?: unknown;
  readonly api_error_status?: unknown;
  readonly terminal_reason?: unknown;
  readonly errors?: unknown;
  readonly total_cost_usd?: unknown;
  readonly usage?: Readonly<Record<string, unknown>>;
}

const LIMITS = new Set(["error_max_turns", "error_max_budget_usd"]);

const answerOf = (stdout: string, exitCode: number | undefined) => {
  const result = jsonIn(stdout) as Result | undefined;
  if (result === undefined)
    return {
      failure:
        exitCode === 0
          ? { kind: "no-answer" as const, detail: "it printed no result" }
          : clientFailure(`it ended with ${exitCode ?? "a signal"}`),
    };
  const subtype = String(result.subtype);
  if (LIMITS.has(subtype)) return { failure: { kind: "limit" as const, detail: `it reached its own limit (${subtype})` } };
  if (subtype === "error_max_structured_output_retries")
    return { failure: { kind: "no-answer" as const, detail: "it found no answer that fits the schema" } };
  if (result.is_error === true || exitCode !== 0) {
    const errors = Array.isArray(result.errors) ? result.errors.map(String) : [];
    const said = [result.api_error_status, result.result, ...errors].filter((part) => typeof part === "string" || typeof part === "number");
    return { failure: clientFailure(said.join(" ")) };
  }
  const value = result.structured_output ?? (typeof result.result === "string" ? jsonIn(result.result) : undefined);
  return value === undefined ? { failure: { kind: "no-answer" as const, detail: "the model gave no structured answer" } } : { value };
};

export const claude = defineAgentFactory<ClaudeOptions>({
  name: "claude",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      program: { type: "string", minLength: 1 },
      model: { type: "string", minLength: 1 },
      turns: { type: "integer", minimum: 1 },
      money: { type: "number", exclusiveMinimum: 0 },
      environment: { type: "array", items: { type: "string" } },
    },
  },
  defaults: { program: "claude", turns: 80, environment: [] },
  define: (options) => ({
    detect: [options.program, "--version"],
    signIn: {
      status: [options.program, "auth", "status"],
      keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"],
    },
    install: "Install Claude Code (npm install -g @anthropic-ai/claude-code) and sign in with claude.",
    environment: [
      "ANTHROPIC_*",
      "CLAUDE_CONFIG_DIR",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
      ...options.environment,
    ],
    command: (run) => ({
      argv: [
        options.program,
        "-p",
        "--output-format",
        "json",
        "--no-session-persistence",
        "--setting-sources",
        "user",
        "--strict-mcp-config",
        "--max-turns",
        String(options.turns),
        ...(options.money === undefined ? [] : ["--max-budget-usd", String(options.money)]),
        ...(options.model === undefined ? [] : ["--model", options.model]),
        "--json-schema",
        JSON.stringify(run.answerSchema),
        ...(mayEdit(run.kind)
          ? [
              "--tools",
              "Read,Edit,Write,Grep,Glob",
              "--permission-mode",
              "acceptEdits",
              "--disallowedTools",
              ...CLOSED.map((path) => `Edit(${path})`),
            ]
          : ["--tools", "Read,Grep,Glob", "--permission-mode", "dontAsk"]),
      ],
      // Without a bound the client goes on retrying a refused key for more than a minute.
      env: { CLAUDE_CODE_MAX_RETRIES: "3", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
      stdin: run.prompt,
    }),
    answer: ({ stdout, exitCode }) => answerOf(stdout, exitCode),
    usage: (stdout) => {
      const result = (jsonIn(stdout) ?? {}) as Result;
      const names = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
      const counts = names.flatMap((name) => {
        const count = result.usage?.[name];
        return typeof count === "number" ? [count] : [];
      });
      return {
        ...(counts.length === 0 ? {} : { tokens: counts.reduce((sum, count) => sum + count, 0) }),
        ...(typeof result.total_cost_usd === "number" ? { money: result.total_cost_usd } : {}),
      };
    },
  }),
});

export default claude;
