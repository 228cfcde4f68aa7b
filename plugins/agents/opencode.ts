/**
 * opencode, headless: `opencode run`.
 *
 * Its defaults allow a shell and any edit, so everything is denied but what is named; the checkout's own config and plugins stay out
 * (`OPENCODE_DISABLE_PROJECT_CONFIG`, `--pure`). It has no flag for a schema: the answer is handed in through a server of ours, or is the last text. Learned from 1.18.33.
 */
import { clientFailure, defineAgentFactory, jsonIn, jsonLines, mayEdit, submittingPrompt } from "../../core/index.js";

export interface OpencodeOptions {
  readonly program: string;
  /** `provider/model`. */
  readonly model?: string;
  /** Environment variables that may reach it: the keys of its providers. */
  readonly environment: readonly string[];
}

const READING = { "*": "deny", read: "allow", grep: "allow", glob: "allow", list: "allow", "reviewloop_*": "allow" } as const;
const EDITING = { ...READING, edit: { "*": "allow", ".git": "deny", ".git/**": "deny", ".github/**": "deny" } } as const;

const partOf = (event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  typeof event["part"] === "object" && event["part"] !== null ? (event["part"] as Record<string, unknown>) : {};

const errorIn = (stdout: string): string | undefined => {
  const event = jsonLines(stdout).findLast((each) => each["type"] === "error");
  if (event === undefined) return undefined;
  const error = (event["error"] ?? {}) as {
    readonly name?: unknown;
    readonly data?: { readonly message?: unknown; readonly statusCode?: unknown };
  };
  return [error.data?.statusCode, error.name, error.data?.message]
    .filter((part) => part !== undefined)
    .map(String)
    .join(" ");
};

export const opencode = defineAgentFactory<OpencodeOptions>({
  name: "opencode",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      program: { type: "string", minLength: 1 },
      model: { type: "string", minLength: 1 },
      environment: { type: "array", items: { type: "string" } },
    },
  },
  defaults: { program: "opencode", environment: [] },
  define: (options) => ({
    detect: [options.program, "--version"],
    signIn: { keys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_API_KEY"] },
    install: "Install opencode (npm install -g opencode-ai) and sign in with opencode auth login.",
    // A second reader of settings in this version heeds no flag: plugins in these run at the start.
    refuses: [".opencode", "opencode.json", "opencode.jsonc"],
    environment: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG", "OPENCODE_API_KEY", ...options.environment],
    command: (run) => ({
      argv: [options.program, "run", "--pure", "--format", "json", ...(options.model === undefined ? [] : ["-m", options.model])],
      env: {
        OPENCODE_DISABLE_PROJECT_CONFIG: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          share: "disabled",
          autoupdate: false,
          mcp: { reviewloop: { type: "local", command: run.submit, enabled: true } },
          permission: mayEdit(run.kind) ? EDITING : READING,
        }),
      },
      stdin: submittingPrompt(run),
    }),
    answer: ({ stdout, exitCode, output }) => {
      const error = errorIn(stdout);
      if (exitCode !== 0 || error !== undefined) return { failure: clientFailure(error ?? `it ended with ${exitCode ?? "a signal"}`) };
      const texts = jsonLines(stdout).flatMap((event) => {
        const { text } = partOf(event);
        return event["type"] === "text" && typeof text === "string" ? [text] : [];
      });
      const value = jsonIn(output ?? "") ?? jsonIn(texts.at(-1) ?? "");
      return value === undefined
        ? { failure: { kind: "no-answer", detail: "it handed in nothing, and its last text is not a JSON object" } }
        : { value };
    },
    usage: (stdout) => {
      let tokens: number | undefined;
      let money: number | undefined;
      for (const event of jsonLines(stdout)) {
        if (event["type"] !== "step_finish") continue;
        const part = partOf(event);
        const counts = (part["tokens"] ?? {}) as Readonly<Record<string, unknown>>;
        for (const count of [counts["input"], counts["output"], counts["reasoning"]])
          if (typeof count === "number") tokens = (tokens ?? 0) + count;
        if (typeof part["cost"] === "number") money = (money ?? 0) + part["cost"];
      }
      return { ...(tokens === undefined ? {} : { tokens }), ...(money === undefined ? {} : { money }) };
    },
  }),
});

export default opencode;
