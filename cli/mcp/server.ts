/** The tools as a Model Context Protocol server over one pair of streams. */
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult, jsonSchemaValidator } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Surroundings } from "../surroundings.js";
import type { Tool } from "./tools.js";

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

/** Each tool checks its arguments itself, so that this fault has the shape of every other error. */
const asGiven: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Serves until the input ends. A call that is under way then is told to end, and waited for. Calls run side by side. */
export const serve = async (
  { stdin, stdout }: Pick<Surroundings, "stdin" | "stdout">,
  tools: readonly Tool[],
  { instructions, ...info }: ServerInfo,
): Promise<void> => {
  const running = new Set<Promise<unknown>>();
  const answer = async (tool: Tool, given: unknown, signal: AbortSignal): Promise<CallToolResult> => {
    const work = tool.call(given, signal);
    running.add(work);
    try {
      const done = await work;
      if ("text" in done) return { content: [{ type: "text", text: done.text }], isError: false };
      const { document, failed } = done;
      return { content: [{ type: "text", text: JSON.stringify(document) }], structuredContent: { ...document }, isError: failed };
    } finally {
      running.delete(work);
    }
  };
  const made = (): McpServer => {
    const server = new McpServer(info, { instructions, capabilities: { tools: {} } });
    for (const tool of tools) {
      const { name, description, annotations } = tool;
      const config = { description, annotations, inputSchema: fromJsonSchema(tool.inputSchema, asGiven) };
      server.registerTool(name, config, (given, { mcpReq }) => answer(tool, given, mcpReq.signal));
    }
    return server;
  };
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      stdout.write(text);
      done();
    },
  });
  const ended = finished(stdin, { writable: false }).catch(() => undefined);
  serveStdio(made, { transport: new StdioServerTransport(stdin, output) });
  await ended;
  await Promise.allSettled(running);
};
