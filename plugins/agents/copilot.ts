/**
 * GitHub Copilot CLI, headless.
 *
 * What needs asking is denied without a terminal; only named tools exist (`--available-tools`), the checkout's instructions stay out
 * (`--no-custom-instructions`), and the temporary folder is closed to its tools. It has no flag for a schema: the answer is handed in through a
 * server of ours, or is the last message. No GitHub token reaches it: it signs in with what it stored itself. Learned from 1.0.102.
 */
import { clientFailure, defineAgentFactory, jsonIn, jsonLines, mayEdit, submittingPrompt } from "../../core/index.js";

export interface CopilotOptions {
  readonly program: string;
  readonly model?: string;
  /** Environment variables that may reach it: the keys of an endpoint of one's own. */
  readonly environment: readonly string[];
}

const dataOf = (event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  typeof event["data"] === "object" && event["data"] !== null ? (event["data"] as Record<string, unknown>) : {};

const said = (error: Readonly<Record<string, unknown>>): string =>
  [error["statusCode"], error["errorType"], error["message"]]
    .filter((part) => part !== undefined)
    .map(String)
    .join(" ");

export const copilot = defineAgentFactory<CopilotOptions>({
  name: "copilot",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      program: { type: "string", minLength: 1 },
      model: { type: "string", minLength: 1 },
      environment: { type: "array", items: { type: "string" } },
    },
  },
  defaults: { program: "copilot", environment: [] },
  define: (options) => ({
    detect: [options.program, "--version"],
    signIn: { keys: ["COPILOT_PROVIDER_API_KEY"] },
    install: "Install the Copilot CLI (npm install -g @github/copilot) and sign in with copilot login.",
    environment: ["COPILOT_HOME", ...options.environment],
    command: (run) => ({
      argv: [
        options.program,
        "--output-format",
        "json",
        "--no-custom-instructions",
        "--disallow-temp-dir",
        // Its own servers act on GitHub.
        "--disable-builtin-mcps",
        "--additional-mcp-config",
        JSON.stringify({ mcpServers: { reviewloop: { type: "local", command: run.submit[0], args: run.submit.slice(1), tools: ["*"] } } }),
        "--allow-tool",
        "reviewloop",
        ...(options.model === undefined ? [] : ["--model", options.model]),
        ...(mayEdit(run.kind)
          ? [
              "--available-tools",
              "view,grep,glob,create,edit,reviewloop-submit_result",
              "--allow-tool",
              "write",
              "--deny-tool",
              "write(.git)",
              "--deny-tool",
              "write(.github)",
            ]
          : ["--available-tools", "view,grep,glob,reviewloop-submit_result"]),
      ],
      env: { COPILOT_AUTO_UPDATE: "false" },
      stdin: submittingPrompt(run),
    }),
    answer: ({ stdout, exitCode, output }) => {
      const events = jsonLines(stdout);
      const error = events.findLast((event) => String(event["type"]).includes("error"));
      if (exitCode !== 0)
        return { failure: clientFailure(error === undefined ? `it ended with ${exitCode ?? "a signal"}` : said(dataOf(error))) };
      const texts = events.flatMap((event) => {
        const { content } = dataOf(event);
        return event["type"] === "assistant.message" && typeof content === "string" && content !== "" ? [content] : [];
      });
      const value = jsonIn(output ?? "") ?? jsonIn(texts.at(-1) ?? "");
      return value === undefined
        ? { failure: { kind: "no-answer", detail: "it handed in nothing, and its last message is not a JSON object" } }
        : { value };
    },
  }),
});

export default copilot;
