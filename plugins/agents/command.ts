/**
 * Any program: the task as one JSON document on standard input (and in the file named by `REVIEWLOOP_INPUT`), the answer as one
 * JSON document in the file named by `REVIEWLOOP_OUTPUT`, or on standard output. Standard error is a log.
 */
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { defineAgentFactory, jsonIn } from "../../core/index.js";

export interface CommandOptions {
  /** Program and arguments; started without a shell, in the worktree. Paths of files are meant from the config's folder. */
  readonly run: readonly string[];
  /** Kinds that it can do; all where absent. */
  readonly kinds?: readonly ("triage" | "fix" | "review" | "verify" | "describe")[];
  /** Environment variables that may reach it, for a sign-in of its own. */
  readonly environment: readonly string[];
}

/**
 * `node agent.mjs` runs in the worktree, but means the file beside the config: the one in the worktree is the pull request's, and
 * whoever opened that would choose the agent.
 */
const fromConfig = (part: string, index: number, folder: string | undefined): string => {
  if (folder === undefined || isAbsolute(part) || part.startsWith("-") || (index === 0 && !/[/\\]/.test(part))) return part;
  const path = join(folder, part);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : part;
};

export const command = defineAgentFactory<CommandOptions>({
  name: "command",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["run"],
    properties: {
      run: { type: "array", minItems: 1, items: { type: "string" } },
      kinds: { type: "array", items: { type: "string", enum: ["triage", "fix", "review", "verify", "describe"] } },
      environment: { type: "array", items: { type: "string" } },
    },
  },
  defaults: { run: [], environment: [] },
  define: (options) => ({
    environment: options.environment,
    ...(options.kinds === undefined ? {} : { kinds: options.kinds }),
    command: (run) => ({ argv: options.run.map((part, index) => fromConfig(part, index, run.configFolder)), stdin: run.document }),
    answer: ({ stdout, exitCode, output }) => {
      // The exit code is held against it: a program that fails half-way may have printed a well-formed answer before.
      if (exitCode !== 0)
        return { failure: { kind: "crash", detail: `it ended with ${exitCode === undefined ? "a signal" : `exit code ${exitCode}`}` } };
      const value = (output === undefined ? undefined : jsonIn(output)) ?? jsonIn(stdout);
      return value === undefined
        ? { failure: { kind: "no-answer", detail: "it wrote no JSON object" } }
        : { value: Object.fromEntries(Object.entries(value as object).filter(([key]) => key !== "usage")) };
    },
    usage: (stdout, output) => {
      const { usage } = ((output === undefined ? undefined : jsonIn(output)) ?? jsonIn(stdout) ?? {}) as {
        usage?: { tokens?: unknown; money?: unknown };
      };
      return {
        ...(typeof usage?.tokens === "number" ? { tokens: usage.tokens } : {}),
        ...(typeof usage?.money === "number" ? { money: usage.money } : {}),
      };
    },
  }),
});

export default command;
