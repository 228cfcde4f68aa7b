/**
 * Codex, headless: `codex exec`.
 *
 * Its own sandbox holds (`-s`): nothing outside of the working folder is written, `.git` is read-only, tools reach no network. Learned
 * from 0.171.0: `--output-schema` is sent to the model's server and not checked by the client; tools see every variable unless
 * `shell_environment_policy.inherit` says otherwise; an exit code of 0 may come with prose.
 */
import { realpathSync } from "node:fs";
import { clientFailure, defineAgentFactory, jsonIn, jsonLines, mayEdit } from "../../core/index.js";

export interface CodexOptions {
  readonly program: string;
  readonly model?: string;
  /** Further environment variables that may reach it (the key of a provider in its config). */
  readonly environment: readonly string[];
}

const messageIn = (value: unknown): string | undefined => {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { message } = value as { message?: unknown };
  return typeof message === "string" ? message : undefined;
};

/** As the client names the folder it works in. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** The client's own last word on why it failed. */
const errorIn = (stdout: string): string | undefined =>
  jsonLines(stdout)
    .filter((event) => event["type"] === "turn.failed" || event["type"] === "error")
    .map((event) => messageIn(event["error"]) ?? messageIn(event))
    .findLast((message) => message !== undefined);

const lastMessage = (stdout: string): string | undefined => {
  const texts = jsonLines(stdout).flatMap((event) => {
    const item = event["item"] as { type?: unknown; text?: unknown } | undefined;
    return event["type"] === "item.completed" && item?.type === "agent_message" && typeof item.text === "string" ? [item.text] : [];
  });
  return texts.at(-1);
};

export const codex = defineAgentFactory<CodexOptions>({
  name: "codex",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      program: { type: "string", minLength: 1 },
      model: { type: "string", minLength: 1 },
      environment: { type: "array", items: { type: "string" } },
    },
  },
  defaults: { program: "codex", environment: [] },
  define: (options) => ({
    detect: [options.program, "--version"],
    signIn: { status: [options.program, "login", "status"], keys: ["CODEX_API_KEY"] },
    install: "Install Codex (npm install -g @openai/codex) and sign in with codex login.",
    environment: ["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", ...options.environment],
    command: (run) => ({
      argv: [
        options.program,
        "exec",
        "--json",
        "--ephemeral",
        "--skip-git-repo-check",
        "-C",
        run.worktree,
        ...(options.model === undefined ? [] : ["-m", options.model]),
        "--output-schema",
        run.schema,
        "-o",
        run.output,
        // Orders and skills that the checkout brings along.
        "-c",
        "project_doc_max_bytes=0",
        "-c",
        "skills.include_instructions=false",
        // A linked worktree inherits the trust in the clone it belongs to, and with it would start the checkout's servers and hooks.
        "-c",
        `projects={${JSON.stringify(realPath(run.worktree))}={trust_level="untrusted"}}`,
        "-c",
        "shell_environment_policy.inherit=core",
        "-c",
        "sandbox_workspace_write.exclude_slash_tmp=true",
        "-c",
        "analytics.enabled=false",
        "-c",
        "check_for_update_on_startup=false",
        "--disable",
        "plugins",
        "--disable",
        "apps",
        "-s",
        mayEdit(run.kind) ? "workspace-write" : "read-only",
        "-",
      ],
      stdin: run.prompt,
    }),
    answer: ({ stdout, exitCode, output }) => {
      if (exitCode !== 0) return { failure: clientFailure(errorIn(stdout) ?? `it ended with ${exitCode ?? "a signal"}`) };
      const value = jsonIn(output ?? "") ?? jsonIn(lastMessage(stdout) ?? "");
      return value === undefined ? { failure: { kind: "no-answer", detail: "its last message is not a JSON object" } } : { value };
    },
    usage: (stdout) => {
      const tokens = jsonLines(stdout).flatMap((event) => {
        const usage = event["usage"] as Readonly<Record<string, unknown>> | undefined;
        if (event["type"] !== "turn.completed" || usage === undefined) return [];
        // The cached ones are part of the input.
        return [usage["input_tokens"], usage["output_tokens"]].filter((count) => typeof count === "number");
      });
      return tokens.length === 0 ? {} : { tokens: tokens.reduce((sum, count) => sum + count, 0) };
    },
  }),
});

export default codex;
