/** The Model Context Protocol over standard input and output, as far as a server of tools needs it: one JSON-RPC message a line. */
import { createInterface } from "node:readline";
import type { Output } from "../surroundings.js";

export interface ToolAnswer {
  readonly document: object;
  readonly failed: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: object;
  readonly annotations: { readonly readOnlyHint: boolean };
  /** What is wrong with the arguments; undefined = nothing. */
  readonly problem: (given: unknown) => string | undefined;
  readonly call: (given: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ToolAnswer>;
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

/** Newest first; a client that asks for another one gets the newest. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

type Data = Readonly<Record<string, unknown>>;
type Id = string | number;
const data = (value: unknown): Data => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : {});
const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number";

class Fault extends Error {
  constructor(
    readonly code: -32_700 | -32_600 | -32_601 | -32_602 | -32_603,
    message: string,
  ) {
    super(message);
  }
}

const initialised = (params: Data, info: ServerInfo): object => ({
  protocolVersion: VERSIONS.find((version) => version === params["protocolVersion"]) ?? VERSIONS[0],
  capabilities: { tools: { listChanged: false } },
  serverInfo: { name: info.name, version: info.version },
  instructions: info.instructions,
});

const called = async (tools: readonly Tool[], params: Data, signal: AbortSignal): Promise<object> => {
  const tool = tools.find((each) => each.name === params["name"]);
  if (tool === undefined) throw new Fault(-32_602, `there is no tool ${JSON.stringify(params["name"] ?? null)}`);
  const given = params["arguments"] ?? {};
  const problem = tool.problem(given);
  if (problem !== undefined) throw new Fault(-32_602, `arguments of ${tool.name}: ${problem}`);
  const { document, failed } = await tool.call(data(given), signal);
  return { content: [{ type: "text", text: JSON.stringify(document) }], structuredContent: document, isError: failed };
};

/** Serves until the input ends; then what is under way is finished. Calls run side by side; a cancelled one is not answered. */
export const serve = async (input: NodeJS.ReadableStream, output: Output, tools: readonly Tool[], info: ServerInfo): Promise<void> => {
  const open = new Map<Id, AbortController>();
  const running = new Set<Promise<void>>();
  const send = (message: object): void => void output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const fail = (id: Id | null, thrown: unknown): void => {
    const fault = thrown instanceof Fault ? thrown : new Fault(-32_603, thrown instanceof Error ? thrown.message : String(thrown));
    send({ id, error: { code: fault.code, message: fault.message } });
  };
  const resultOf = async (method: string, params: Data, signal: AbortSignal): Promise<object> => {
    switch (method) {
      case "initialize":
        return initialised(params, info);
      case "ping":
        return {};
      case "tools/list":
        return { tools: tools.map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })) };
      case "tools/call":
        return called(tools, params, signal);
      default:
        throw new Fault(-32_601, `there is no method ${method}`);
    }
  };
  const answer = async (id: Id, method: string, params: Data): Promise<void> => {
    const controller = new AbortController();
    open.set(id, controller);
    try {
      const result = await resultOf(method, params, controller.signal);
      if (!controller.signal.aborted) send({ id, result });
    } catch (thrown) {
      if (!controller.signal.aborted) fail(id, thrown);
    } finally {
      open.delete(id);
    }
  };
  const take = (line: string): void => {
    let message: Data;
    try {
      message = data(JSON.parse(line));
    } catch {
      return fail(null, new Fault(-32_700, "not JSON"));
    }
    const { id, method, params } = message;
    if (typeof method !== "string") {
      // An answer to a question that was never asked.
      if (!("result" in message) && !("error" in message)) fail(isId(id) ? id : null, new Fault(-32_600, "no method"));
      return;
    }
    if (!isId(id)) {
      const { requestId } = data(params);
      if (method === "notifications/cancelled" && isId(requestId)) open.get(requestId)?.abort();
      return;
    }
    const work = answer(id, method, data(params)).finally(() => running.delete(work));
    running.add(work);
  };
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) if (line.trim() !== "") take(line);
  await Promise.all(running);
};
