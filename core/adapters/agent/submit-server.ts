/**
 * A program that a client starts, with the files of a task and of its answer: an MCP server whose one tool takes the answer. One that can't be
 * used is refused with the reasons, so that the model mends it while it still knows what it read; the last good one counts.
 */
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult, jsonSchemaValidator } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { AgentTask } from "../../ports.js";
import { judgeAnswer } from "./judge.js";

/** The answer is judged as a whole, below: its faults are told in our words. */
const asGiven: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const [input = "", output = ""] = process.argv.slice(2);
const task = JSON.parse(readFileSync(input, "utf8")) as AgentTask;

const taken = (answer: unknown): CallToolResult => {
  const problems = judgeAnswer(task, answer);
  if (problems.length > 0)
    return { content: [{ type: "text", text: `Refused:\n- ${problems.join("\n- ")}\nMend it and call again.` }], isError: true };
  writeFileSync(`${output}.new`, JSON.stringify(answer), { mode: 0o600 });
  renameSync(`${output}.new`, output);
  return { content: [{ type: "text", text: "Taken." }], isError: false };
};

serveStdio(() => {
  const server = new McpServer({ name: "reviewloop", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool(
    "submit_result",
    { description: "Takes your final answer. Call it once, last.", inputSchema: fromJsonSchema(task.schema, asGiven) },
    taken,
  );
  return server;
});
await once(process.stdin, "end");
