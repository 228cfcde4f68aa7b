/** The MCP server of the built command line, spoken to as clients do. */
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BIN, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

interface Answer {
  readonly id: number | string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

let at: Place;
let server: ChildProcessWithoutNullStreams;
let answers: Map<number | string | null, Answer>;
let waiting: Map<number | string | null, (answer: Answer) => void>;
let ended: Promise<number | null>;
let next = 0;

beforeEach(async () => {
  at = await place();
  const clone = await at.clone();
  const config = await at.write(
    "reviewloop.json",
    JSON.stringify({ extends: "review-clean", gate: false, wait: { poll: "20ms", settle: "1ms", pace: "1ms" } }),
  );
  answers = new Map();
  waiting = new Map();
  server = spawn(process.execPath, [BIN, "mcp", "--config", config], {
    cwd: clone,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: at.folder,
      XDG_STATE_HOME: `${at.folder}/state`,
      GITHUB_API_URL: at.sandbox.apiUrl,
      GITHUB_GRAPHQL_URL: at.sandbox.graphqlUrl,
      GH_TOKEN: at.sandbox.tokenFor("ada"),
    },
  });
  ended = new Promise((resolve) => server.once("exit", resolve));
  createInterface({ input: server.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    answers.set(answer.id, answer);
    waiting.get(answer.id)?.(answer);
  });
});
afterEach(async () => {
  server.stdin.end();
  await ended;
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const say = (message: object | string): void =>
  void server.stdin.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const heard = (id: number | string | null): Promise<Answer> =>
  new Promise((resolve) => {
    const there = answers.get(id);
    if (there === undefined) waiting.set(id, resolve);
    else resolve(there);
  });
const ask = (method: string, params: object = {}): Promise<Answer> => {
  next += 1;
  say({ id: next, method, params });
  return heard(next);
};
const call = async (name: string, given: object = {}): Promise<Readonly<Record<string, unknown>>> => {
  const { result } = await ask("tools/call", { name, arguments: { pull_request: String(at.pullRequest.number), ...given } });
  const content = result?.["content"] as readonly { readonly type: string; readonly text: string }[] | undefined;
  expect(JSON.parse(content?.[0]?.text ?? "null")).toEqual(result?.["structuredContent"]);
  return { ...(result?.["structuredContent"] as object), isError: result?.["isError"] };
};

test("greets as clients expect, lists the verbs, and says what it does not know", async () => {
  expect(await ask("server/discover")).toMatchObject({ error: { code: -32_601 } });
  expect(
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }),
  ).toMatchObject({
    result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "reviewloop" } },
  });
  expect(await ask("initialize", { protocolVersion: "1999-01-01" })).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  say({ method: "notifications/initialized" });
  expect(await ask("ping")).toMatchObject({ result: {} });
  const { result } = await ask("tools/list");
  const tools = result?.["tools"] as readonly { readonly name: string; readonly inputSchema: { readonly type: string } }[];
  expect(tools.map((tool) => tool.name)).toEqual(["status", "threads", "why", "report", "wait", "request", "reply", "resolve", "ready"]);
  expect(tools.every((tool) => tool.inputSchema.type === "object")).toBe(true);
  expect(await ask("tools/call", { name: "merge", arguments: {} })).toMatchObject({ error: { code: -32_602 } });
  expect(await ask("tools/call", { name: "reply", arguments: { thread: "x" } })).toMatchObject({
    error: { code: -32_602, message: expect.stringContaining("body") },
  });
  say("{ not json");
  expect(await heard(null)).toMatchObject({ error: { code: -32_700 } });
});

test("the same verbs, the same JSON, the same rules", { timeout: 60_000 }, async () => {
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one?" });
  expect(await call("status")).toMatchObject({ state: "ADDRESSING", isError: false });
  const read = await call("threads");
  expect(read).toMatchObject({ threads: [{ title: "Off by one?", code: expect.stringContaining("i <= n") }] });
  const thread = (read["threads"] as readonly { readonly id: string }[])[0]?.id ?? "";
  expect(await call("resolve", { thread })).toMatchObject({
    isError: true,
    done: false,
    detail: expect.stringContaining("grace raised it"),
  });
  expect(await call("reply", { thread, body: "It counts to n, as documented." })).toMatchObject({ isError: false, done: true });
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(2);
  expect(await call("why", { what: thread })).toMatchObject({ question: "thread", answered: true, lift: { who: "person", name: "grace" } });
  expect(await call("reply", { thread: "nonesuch", body: "x" })).toMatchObject({ isError: true, error: { code: "USAGE" } });
  expect(await call("report")).toMatchObject({ handoff: expect.stringMatching(/^## Report\nPR: /) });
  const free = await ask("tools/call", { name: "status", arguments: {} });
  expect(free).toMatchObject({ result: { structuredContent: { state: "NO_PR" }, isError: false } });
});

test(
  "a wait goes on beside other calls; a cancelled one is not answered; the end of the input ends the server",
  { timeout: 60_000 },
  async () => {
    at.sandbox.world.addBot("ci-app");
    const check = at.sandbox.world.createCheck("ci-app", { repository: "ada/shop", head: at.pullRequest.head.sha, name: "unit" });
    const config = { pull_request: String(at.pullRequest.number), seconds: 30 };
    say({ id: "gone", method: "tools/call", params: { name: "wait", arguments: config } });
    expect(await call("status")).toMatchObject({ state: "VALIDATING" });
    say({ method: "notifications/cancelled", params: { requestId: "gone" } });
    const waited = call("wait", { seconds: 30 });
    at.sandbox.world.updateCheck("ci-app", check, { status: "COMPLETED", conclusion: "SUCCESS" });
    expect(await waited).toMatchObject({ state: "READY", timedOut: false });
    expect(answers.has("gone")).toBe(false);
    server.stdin.end();
    expect(await ended).toBe(0);
  },
);
