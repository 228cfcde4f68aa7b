/**
 * A scripted model on loopback, for driving real coding clients: Anthropic Messages, OpenAI Responses, OpenAI Chat and Gemini, streamed
 * or not. It keeps no state: which step comes is the number of model turns in the request, so a retry gets the same answer.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Turn {
  readonly dialect: "anthropic" | "responses" | "chat" | "gemini";
  /** Model turns that the request holds. */
  readonly index: number;
  readonly tools: readonly string[];
  /** The request as it came. */
  readonly raw: string;
}

export interface Step {
  readonly text?: string;
  readonly tool?: {
    readonly name: string;
    readonly input: object;
    /** Codex groups the tools of an MCP server. */ readonly namespace?: string;
  };
  /** Answers with an error. */
  readonly status?: number;
  /** Never answers. */
  readonly hang?: boolean;
}

export interface ScriptedModel {
  readonly url: string;
  readonly turns: readonly Turn[];
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const names = (tools: readonly Json[]): readonly string[] => tools.map((tool) => String(tool["name"] ?? tool["type"]));

const own = (item: Json): boolean =>
  item["role"] === "assistant" || item["type"] === "function_call" || item["type"] === "custom_tool_call";

const READERS: Readonly<Record<Turn["dialect"], (body: Json) => Omit<Turn, "dialect" | "raw">>> = {
  anthropic: (body) => ({
    index: list(body["messages"]).filter((message) => message["role"] === "assistant").length,
    tools: names(list(body["tools"])),
  }),
  responses: (body) => {
    const items = list(body["input"]);
    const tools = list(body["tools"]);
    return {
      // Adjacent items of the model are one turn.
      index: items.filter((item, at) => own(item) && !own(items[at - 1] ?? {})).length,
      tools: tools.flatMap((tool) =>
        tool["type"] === "namespace" ? names(list(tool["tools"])).map((name) => `${String(tool["name"])}.${name}`) : names([tool]),
      ),
    };
  },
  chat: (body) => ({
    index: list(body["messages"]).filter((message) => message["role"] === "assistant").length,
    tools: names(list(body["tools"]).map((tool) => (tool["function"] ?? {}) as Json)),
  }),
  gemini: (body) => ({
    index: list(body["contents"]).filter((content) => content["role"] === "model").length,
    tools: list(body["tools"]).flatMap((tool) => names(list(tool["functionDeclarations"]))),
  }),
};

type Event = readonly [name: string | undefined, data: unknown];
let count = 0;
const id = (prefix: string): string => `${prefix}${(count += 1)}`;

const anthropic = (model: unknown, step: Step): readonly [whole: Json, events: readonly Event[]] => {
  const content = [
    ...(step.text === undefined ? [] : [{ type: "text", text: step.text }]),
    ...(step.tool === undefined ? [] : [{ type: "tool_use", id: id("toolu_"), ...step.tool }]),
  ];
  const whole = {
    id: id("msg_"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: step.tool === undefined ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  const events: { readonly type: string }[] = [
    { type: "message_start", message: { ...whole, content: [], stop_reason: null } } as { type: string },
  ];
  content.forEach((block, index) => {
    const tool = "input" in block;
    const delta = tool ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) } : { type: "text_delta", text: step.text };
    events.push(
      { type: "content_block_start", index, content_block: tool ? { ...block, input: {} } : { type: "text", text: "" } } as {
        type: string;
      },
      { type: "content_block_delta", index, delta } as { type: string },
      { type: "content_block_stop", index } as { type: string },
    );
  });
  const delta = { stop_reason: whole.stop_reason, stop_sequence: null };
  events.push({ type: "message_delta", delta, usage: { output_tokens: 20 } } as { type: string }, { type: "message_stop" });
  return [whole, events.map((event) => [event.type, event])];
};

const responses = (model: unknown, step: Step): readonly [whole: Json, events: readonly Event[]] => {
  const output: Json[] = [
    ...(step.text === undefined
      ? []
      : [
          {
            type: "message",
            id: id("msg_"),
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: step.text, annotations: [] }],
          },
        ]),
    ...(step.tool === undefined
      ? []
      : [
          {
            type: "function_call",
            id: id("fc_"),
            call_id: id("call_"),
            status: "completed",
            name: step.tool.name,
            ...(step.tool.namespace === undefined ? {} : { namespace: step.tool.namespace }),
            arguments: JSON.stringify(step.tool.input),
          },
        ]),
  ];
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  const whole = { id: id("resp_"), object: "response", created_at: 0, status: "completed", model, output, usage };
  const events: Json[] = [{ type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } }];
  output.forEach((item, at) => {
    events.push({
      type: "response.output_item.added",
      output_index: at,
      item: { ...item, status: "in_progress", ...("content" in item ? { content: [] } : {}) },
    });
    if ("content" in item)
      events.push({ type: "response.output_text.delta", item_id: item["id"], output_index: at, content_index: 0, delta: step.text });
    events.push({ type: "response.output_item.done", output_index: at, item });
  });
  events.push({ type: "response.completed", response: whole });
  return [whole, events.map((event, sequence_number) => [String(event["type"]), { ...event, sequence_number }])];
};

const chat = (model: unknown, step: Step): readonly [whole: Json, events: readonly Event[]] => {
  const calls =
    step.tool === undefined
      ? []
      : [{ index: 0, id: id("call_"), type: "function", function: { name: step.tool.name, arguments: JSON.stringify(step.tool.input) } }];
  const base = { id: id("chatcmpl-"), created: 0, model };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const message = { role: "assistant", content: step.text ?? null, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  const finish = calls.length === 0 ? "stop" : "tool_calls";
  const chunk = (delta: Json, finish_reason: string | null): Event => [
    undefined,
    { ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
  ];
  return [
    { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage },
    [
      chunk(message, null),
      chunk({}, finish),
      [undefined, { ...base, object: "chat.completion.chunk", choices: [], usage }],
      [undefined, "[DONE]"],
    ],
  ];
};

const gemini = (_model: unknown, step: Step): readonly [whole: Json, events: readonly Event[]] => {
  const parts = [
    ...(step.text === undefined ? [] : [{ text: step.text }]),
    ...(step.tool === undefined ? [] : [{ functionCall: { name: step.tool.name, args: step.tool.input } }]),
  ];
  const whole = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "scripted",
  };
  return [whole, [[undefined, whole]]];
};

const WRITERS = { anthropic, responses, chat, gemini } as const;

const dialectOf = (path: string): Turn["dialect"] | undefined => {
  if (path.endsWith("/v1/messages")) return "anthropic";
  if (path.endsWith("/responses")) return "responses";
  if (path.endsWith("/chat/completions")) return "chat";
  return /:(?:stream)?generateContent$/i.test(path) ? "gemini" : undefined;
};

const send = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};

export const scriptedModel = async (script: (turn: Turn) => Step): Promise<ScriptedModel> => {
  const turns: Turn[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString("utf8");
    const { pathname } = new URL(request.url ?? "/", "http://model.test");
    if (pathname.endsWith("/count_tokens")) return send(response, 200, { input_tokens: raw.length });
    if (pathname.endsWith(":countTokens")) return send(response, 200, { totalTokens: raw.length });
    const dialect = dialectOf(pathname);
    if (dialect === undefined || request.method !== "POST")
      return send(response, 404, { type: "error", error: { type: "not_found_error", message: "unknown" } });
    const body = JSON.parse(raw) as Json;
    const turn: Turn = { dialect, raw, ...READERS[dialect](body) };
    turns.push(turn);
    // Titles and summaries are asked for without tools.
    const step = turn.tools.length === 0 ? { text: "ok" } : script(turn);
    if (step.hang === true) return undefined;
    if (step.status !== undefined)
      return send(response, step.status, { type: "error", error: { type: "scripted", message: "scripted failure", code: "scripted" } });
    const [whole, events] = WRITERS[dialect](body["model"], step);
    if (body["stream"] !== true && !pathname.includes("streamGenerateContent")) return send(response, 200, whole);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const [name, data] of events)
      response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    response.end();
    return undefined;
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
