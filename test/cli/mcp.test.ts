/** The MCP server of the built command line, spoken to by the protocol's own client. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { documentFits } from "./documents.js";
import { BIN, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

type Document = Readonly<Record<string, unknown>>;

let at: Place;
let clone: string;
let config: string;
let clients: Client[];
/** What the server says on stderr. */
let said: string;

beforeEach(async () => {
  at = await place();
  clone = await at.clone();
  config = await at.write(
    "reviewloop.json",
    JSON.stringify({ extends: "review-clean", gate: false, wait: { poll: "20ms", settle: "1ms", pace: "1ms" } }),
  );
  clients = [];
  said = "";
});
afterEach(async () => {
  for (const client of clients) await client.close();
  expect(said).toBe("");
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const connected = async (mode: "legacy" | "auto" = "legacy"): Promise<Client> => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", "--config", config],
    cwd: clone,
    env: { ...at.environment },
    stderr: "pipe",
  });
  transport.stderr?.on("data", (text: Buffer) => (said += text.toString()));
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  clients.push(client);
  return client;
};

const number = (): string => String(at.pullRequest.number);
const raw = (client: Client, name: string, given: object = {}, signal?: AbortSignal) =>
  client.callTool({ name, arguments: { pull_request: number(), ...given } }, signal === undefined ? {} : { signal });
/** The answer's document, which must fit the schema of the command's `--json`. */
const call = async (client: Client, name: string, given: object = {}): Promise<Document> => {
  const { content, structuredContent, isError } = await raw(client, name, given);
  const first = content[0];
  expect(first?.type === "text" ? JSON.parse(first.text) : undefined).toEqual(structuredContent);
  documentFits(name === "request" && "show" in given ? "request --show" : name, structuredContent);
  return { ...(structuredContent as Document), isError };
};

const VERBS = ["status", "threads", "why", "report", "wait", "request", "reply", "resolve", "ready"];

test.each(["legacy", "auto"] as const)(
  "a client of the %s kind is greeted, told how to go about it, and offered the verbs",
  async (mode) => {
    const client = await connected(mode);
    expect(client.getServerVersion()).toMatchObject({ name: "reviewloop", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(client.getInstructions()).toMatch(/Call status, do its next action[\s\S]*At READY stop/);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(VERBS);
    for (const { inputSchema, description, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false, properties: { pull_request: { type: "string" } } });
      expect(description).toMatch(/\w/);
      // A client may run a tool that only reads without asking its user.
      expect(annotations?.readOnlyHint === true).toBe(description?.endsWith("Reads only.") ?? false);
    }
    expect(tools.find((tool) => tool.name === "reply")?.inputSchema.required).toEqual(["thread", "body"]);
  },
);

test("the same verbs, the same JSON, the same rules", { timeout: 60_000 }, async () => {
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one?" });
  const client = await connected();
  const { isError: _no, ...status } = await call(client, "status");
  expect(status).toMatchObject({ state: "ADDRESSING" });
  const printed = await at.cli(["status", number(), "--config", config, "--json"], { cwd: clone });
  expect(status).toEqual(JSON.parse(printed.out));

  const read = await call(client, "threads");
  expect(read).toMatchObject({ threads: [{ title: "Off by one?", code: expect.stringContaining("i <= n") }] });
  expect(await call(client, "threads", { reviewer: "copilot" })).toMatchObject({ threads: [], total: 1 });
  const thread = (read["threads"] as readonly { readonly id: string }[])[0]?.id ?? "";
  expect(await call(client, "resolve", { thread })).toMatchObject({
    isError: true,
    done: false,
    detail: expect.stringContaining("grace raised it"),
  });
  expect(await call(client, "reply", { thread, body: "It counts to n, as documented." })).toMatchObject({ isError: false, done: true });
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(2);
  expect(await call(client, "why", { what: thread })).toMatchObject({
    question: "thread",
    answered: true,
    lift: { who: "person", name: "grace" },
  });
  expect(await call(client, "why", { what: "stopped" })).toMatchObject({ question: "stopped", stop: null });
  expect(await call(client, "report")).toMatchObject({ target: "review-clean", stop: null });
  const handoff = await raw(client, "report", { format: "handoff" });
  const shown = await at.cli(["report", number(), "--config", config, "--format", "handoff"], { cwd: clone });
  expect(handoff).toMatchObject({ isError: false, content: [{ type: "text", text: `${shown.out}\n` }] });
  expect(await call(client, "request", { show: true })).toMatchObject({ reviewers: [], requests: [] });
  expect(await call(client, "ready", { undo: true })).toMatchObject({ isError: false, act: "draft", done: true });
  expect(at.pullRequest.draft).toBe(true);
  const free = await client.callTool({ name: "status", arguments: {} });
  expect(free).toMatchObject({ isError: false, structuredContent: { state: "NO_PR" } });
});

const WRONG: readonly (readonly [what: string, verb: string, given: object, message: RegExp])[] = [
  ["an argument is missing", "reply", { thread: "x" }, /^reply: .*body/],
  ["an argument is of another kind", "wait", { seconds: "soon" }, /^wait: .*seconds must be number/],
  ["an argument that does not exist", "status", { verbose: true }, /^status: .*additional properties/],
  ["a word that is none", "reply", { thread: "x", body: "y", decision: "maybe" }, /decision must be equal to one of/],
  ["a thread that is not there", "reply", { thread: "nonesuch", body: "x" }, /nonesuch/],
  ["a reviewer that is not there", "request", { reviewer: "nobody" }, /There is no reviewer "nobody"/],
  ["a reviewer that is not there, shown", "request", { reviewer: "nobody", show: true }, /There is no reviewer "nobody"/],
  ["a target that leaves nothing behind", "wait", { follow_up: "issue" }, /leaves nothing behind/],
];

test("what is wrong is an answer with the shape of every error, and nothing was written", async () => {
  const client = await connected();
  const before = at.sandbox.world.log.length;
  for (const [what, verb, given, message] of WRONG)
    expect(await call(client, verb, given), what).toMatchObject({
      isError: true,
      schemaVersion: 1,
      error: { code: "USAGE", message: expect.stringMatching(message), hint: expect.stringMatching(/\w/) },
    });
  await expect(client.callTool({ name: "merge", arguments: {} })).rejects.toThrow(/merge/);
  expect(at.sandbox.world.log.length).toBe(before);
});

test("a wait goes on beside other calls, also beside one that was given up", { timeout: 60_000 }, async () => {
  at.sandbox.world.addBot("ci-app");
  const check = at.sandbox.world.createCheck("ci-app", { repository: "ada/shop", head: at.pullRequest.head.sha, name: "unit" });
  const client = await connected();
  const giveUp = new AbortController();
  const gone = raw(client, "wait", { seconds: 600 }, giveUp.signal);
  expect(await call(client, "status")).toMatchObject({ state: "VALIDATING" });
  giveUp.abort();
  await expect(gone).rejects.toThrow();
  const waited = call(client, "wait", { seconds: 30 });
  at.sandbox.world.updateCheck("ci-app", check, { status: "COMPLETED", conclusion: "SUCCESS" });
  expect(await waited).toMatchObject({ state: "READY", timedOut: false });
});

test("the end of the input ends a call that is under way, and then the server", { timeout: 60_000 }, async () => {
  at.sandbox.world.addBot("ci-app");
  at.sandbox.world.createCheck("ci-app", { repository: "ada/shop", head: at.pullRequest.head.sha, name: "unit" });
  const messages = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "wait", arguments: { pull_request: number(), seconds: 600 } } },
  ];
  const ran = await execa(process.execPath, [BIN, "mcp", "--config", config], {
    cwd: clone,
    env: at.environment,
    extendEnv: false,
    input: messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
    timeout: 20_000,
  });
  expect(ran.stdout.split("\n").map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1]);
});
