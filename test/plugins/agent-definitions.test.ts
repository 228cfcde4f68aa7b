import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { clientFailure, jsonIn, TRIAGE_SCHEMA, type AgentKind, type AgentRun } from "../../core/index.js";
import { agentsByName } from "../../plugins/agents/index.js";

const run = (kind: AgentKind): AgentRun => ({
  kind,
  folder: "/state/call",
  input: "/state/call/input.json",
  output: "/state/call/output.json",
  schema: "/state/call/schema.json",
  worktree: "/worktree",
  prompt: "PROMPT",
  document: "DOCUMENT",
  answerSchema: TRIAGE_SCHEMA,
  submit: ["node", "submit.js", "in", "out"],
});

const definition = (name: string, options: Readonly<Record<string, unknown>> = {}) => {
  const factory = agentsByName[name];
  if (factory === undefined) throw new Error(`no agent ${name}`);
  return factory(options);
};
const line = (name: string, kind: AgentKind, options: Readonly<Record<string, unknown>> = {}): string =>
  definition(name, options).command(run(kind)).argv.join(" ");

test("each agent is known by its own name, with a schema that takes its defaults", () => {
  expect(Object.keys(agentsByName)).toEqual(["command", "claude", "codex", "copilot", "gemini", "opencode"]);
  for (const [name, factory] of Object.entries(agentsByName)) {
    expect(factory.agentName).toBe(name);
    expect(factory({ run: ["x"] }).name).toBe(name);
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(factory.schema);
    expect(validate({ ...factory.defaults, ...(name === "command" ? { run: ["x"] } : {}) }), name).toBe(true);
    expect(validate({ run: ["x"], unknown: 1 }), name).toBe(false);
  }
});

describe("what keeps a hostile checkout out is always on", () => {
  test.each<[string, AgentKind, readonly string[], readonly string[]]>([
    [
      "claude",
      "triage",
      ["--setting-sources user", "--strict-mcp-config", "--tools Read,Grep,Glob", "--permission-mode dontAsk"],
      ["Edit", "Bash"],
    ],
    [
      "claude",
      "fix",
      [
        "--setting-sources user",
        "--strict-mcp-config",
        "--tools Read,Edit,Write,Grep,Glob",
        "--permission-mode acceptEdits",
        "Edit(.github/**)",
      ],
      ["Bash", "dangerously"],
    ],
    ["codex", "triage", ["-s read-only", "shell_environment_policy.inherit=core", "--ephemeral"], ["workspace-write", "--trust"]],
    [
      "codex",
      "fix",
      ["-s workspace-write", "shell_environment_policy.inherit=core", "sandbox_workspace_write.exclude_slash_tmp=true"],
      ["danger"],
    ],
    [
      "copilot",
      "triage",
      ["--no-custom-instructions", "--disallow-temp-dir", "--available-tools view,grep,glob"],
      ["write", "--trust-folder"],
    ],
    ["copilot", "fix", ["--no-custom-instructions", "--disallow-temp-dir", "--deny-tool write(.git)"], ["--allow-all", "shell"]],
    ["gemini", "triage", ["--skip-trust"], ["auto_edit", "yolo"]],
    ["gemini", "fix", ["--skip-trust", "--approval-mode auto_edit"], ["yolo"]],
    ["opencode", "triage", ["--pure"], []],
  ])("%s %s", (name, kind, wanted, unwanted) => {
    const argv = line(name, kind);
    for (const part of wanted) expect(argv).toContain(part);
    for (const part of unwanted) expect(argv).not.toContain(part);
  });

  test.each(["copilot", "gemini", "opencode"])("%s: the answer's tool is a server of ours, and no other of ours", (name) => {
    const { argv, env, files, stdin } = definition(name).command(run("triage"));
    const all = JSON.stringify([argv, env, files]).replaceAll("\\", "");
    expect(all).toMatch(/"reviewloop":\{.*submit\.js/);
    expect(stdin).toContain("submit_result");
    if (name === "copilot") expect(argv).toContain("--disable-builtin-mcps");
    if (name === "gemini") {
      expect(argv.join(" ")).toContain("--allowed-mcp-server-names reviewloop");
      expect(env?.["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]).toBe(`/state/call/${Object.keys(files ?? {})[0]}`);
    }
  });

  test("opencode: everything is denied but what is named", () => {
    const environment = (kind: AgentKind) => definition("opencode").command(run(kind)).env ?? {};
    expect(environment("triage")).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: "1" });
    const permission = (kind: AgentKind) =>
      (JSON.parse(environment(kind)["OPENCODE_CONFIG_CONTENT"] ?? "{}") as { permission: object }).permission;
    expect(permission("triage")).toEqual({
      "*": "deny",
      read: "allow",
      grep: "allow",
      glob: "allow",
      list: "allow",
      "reviewloop_*": "allow",
    });
    expect(permission("fix")).toMatchObject({ "*": "deny", edit: { "*": "allow", ".git": "deny", ".git/**": "deny" } });
  });

  test.each(Object.keys(agentsByName).filter((name) => name !== "command"))(
    "%s: the task comes by standard input, never by argument",
    (name) => {
      const command = definition(name).command(run("fix"));
      expect(command.stdin.endsWith("PROMPT")).toBe(true);
      expect(command.argv.join(" ")).not.toContain("PROMPT");
      expect(definition(name).environment?.some((each) => /GH_|GITHUB/.test(each))).toBe(false);
    },
  );

  test("a command gets the document", () => {
    expect(definition("command", { run: ["node", "x.mjs"] }).command(run("triage"))).toEqual({
      argv: ["node", "x.mjs"],
      stdin: "DOCUMENT",
    });
  });
});

describe("where the answer is, and what a failure means", () => {
  const value = { decisions: [] };
  const text = JSON.stringify(value);
  const claudeResult = (over: object) => JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "", ...over });
  const lines = (...events: readonly object[]) => events.map((event) => JSON.stringify(event)).join("\n");
  const geminiError = `Warning: no ripgrep\n{\n  "error": {\n    "type": "Error",\n    "message": "scripted failure",\n    "code": 401\n  }\n}\n`;

  test.each<[string, string, { stdout?: string; exitCode?: number; output?: string; stderr?: string }, object]>([
    ["claude", "structured", { stdout: claudeResult({ structured_output: value }) }, { value }],
    ["claude", "in its text", { stdout: claudeResult({ result: `Here:\n\`\`\`json\n${text}\n\`\`\`` }) }, { value }],
    ["claude", "success without an answer", { stdout: claudeResult({ result: "Done." }) }, { failure: { kind: "no-answer" } }],
    [
      "claude",
      "an API error that calls itself success",
      { stdout: claudeResult({ is_error: true, api_error_status: 401, result: "Failed" }), exitCode: 1 },
      { failure: { kind: "auth" } },
    ],
    [
      "claude",
      "overloaded",
      { stdout: claudeResult({ is_error: true, api_error_status: 529, result: "Overloaded" }), exitCode: 1 },
      { failure: { kind: "rate" } },
    ],
    [
      "claude",
      "its own limit",
      { stdout: claudeResult({ subtype: "error_max_turns", is_error: true }), exitCode: 1 },
      { failure: { kind: "limit" } },
    ],
    [
      "claude",
      "money",
      { stdout: claudeResult({ subtype: "error_max_budget_usd", is_error: true }), exitCode: 1 },
      { failure: { kind: "limit" } },
    ],
    [
      "claude",
      "no fitting answer",
      { stdout: claudeResult({ subtype: "error_max_structured_output_retries", is_error: true }), exitCode: 1 },
      { failure: { kind: "no-answer" } },
    ],
    ["claude", "nothing at all", { stdout: "", exitCode: 1 }, { failure: { kind: "crash" } }],
    ["codex", "the last message's file", { output: text }, { value }],
    [
      "codex",
      "the last message in the stream",
      { stdout: lines({ type: "item.completed", item: { type: "agent_message", text } }) },
      { value },
    ],
    ["codex", "prose", { output: "I think so." }, { failure: { kind: "no-answer" } }],
    [
      "codex",
      "a failed turn",
      { stdout: lines({ type: "turn.failed", error: { message: "unexpected status 401 Unauthorized" } }), exitCode: 1 },
      { failure: { kind: "auth" } },
    ],
    [
      "codex",
      "a failed turn after a whole answer",
      { stdout: lines({ type: "error", message: "429 Too Many Requests" }), output: text, exitCode: 1 },
      { failure: { kind: "rate" } },
    ],
    [
      "copilot",
      "the last message",
      {
        stdout: lines(
          { type: "assistant.message", data: { content: "looking" } },
          { type: "assistant.message", data: { content: text } },
          { type: "result" },
        ),
      },
      { value },
    ],
    ["copilot", "prose", { stdout: lines({ type: "assistant.message", data: { content: "Hm." } }) }, { failure: { kind: "no-answer" } }],
    [
      "copilot",
      "a refused key",
      { stdout: lines({ type: "session.error", data: { errorType: "authentication", message: "failed", statusCode: 401 } }), exitCode: 1 },
      { failure: { kind: "auth" } },
    ],
    ["gemini", "the response", { stdout: JSON.stringify({ response: text, stats: {} }) }, { value }],
    ["copilot", "handed in", { output: text, stdout: lines({ type: "assistant.message", data: { content: "Done." } }) }, { value }],
    ["gemini", "handed in", { output: text, stdout: JSON.stringify({ response: "Done." }) }, { value }],
    ["opencode", "handed in", { output: text, stdout: lines({ type: "step_start", part: {} }) }, { value }],
    ["gemini", "prose", { stdout: JSON.stringify({ response: "Hm." }) }, { failure: { kind: "no-answer" } }],
    [
      "gemini",
      "an error on standard error",
      { stderr: geminiError, exitCode: 145 },
      { failure: { kind: "auth", detail: "401 Error scripted failure" } },
    ],
    [
      "opencode",
      "the last text",
      { stdout: lines({ type: "text", part: { text: "looking" } }, { type: "text", part: { text } }) },
      { value },
    ],
    ["opencode", "ended without a word", { stdout: lines({ type: "step_start", part: {} }) }, { failure: { kind: "no-answer" } }],
    [
      "opencode",
      "an error with exit code 0",
      {
        stdout: lines({
          type: "error",
          error: { name: "APIError", data: { message: "no", statusCode: 401, responseHeaders: { "x-ratelimit-limit": "1" } } },
        }),
      },
      { failure: { kind: "auth" } },
    ],
    ["command", "the file before the output", { stdout: '{"decisions":[1]}', output: text }, { value }],
    ["command", "a failed exit", { stdout: text, exitCode: 2 }, { failure: { kind: "crash" } }],
  ])("%s: %s", (name, _case, out, expected) => {
    const found = definition(name, { run: ["x"] }).answer({ stdout: "", exitCode: 0, output: undefined, stderr: "", ...out });
    expect(found).toMatchObject(expected);
  });

  test.each<[string, string, object]>([
    [
      "claude",
      claudeResult({ total_cost_usd: 0.25, usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2 } }),
      { tokens: 17, money: 0.25 },
    ],
    ["codex", lines({ type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 5 } }), { tokens: 15 }],
    [
      "gemini",
      JSON.stringify({ response: "", stats: { models: { a: { tokens: { total: 7 } }, b: { tokens: { total: 3 } } } } }),
      { tokens: 10 },
    ],
    [
      "opencode",
      lines(
        { type: "step_finish", part: { tokens: { input: 4, output: 1 }, cost: 0.5 } },
        { type: "step_finish", part: { tokens: { input: 2, output: 1 }, cost: 0.25 } },
      ),
      { tokens: 8, money: 0.75 },
    ],
    ["command", '{"usage":{"tokens":3}}', { tokens: 3 }],
  ])("%s says what it used", (name, stdout, expected) => {
    expect(definition(name, { run: ["x"] }).usage?.(stdout)).toEqual(expected);
    expect(definition(name, { run: ["x"] }).usage?.("no json")).toEqual({});
  });
});

test.each([
  ["401 Unauthorized", "auth"],
  ["Please run /login", "auth"],
  ["Invalid API key", "auth"],
  ["rate limit reached, sign in for more", "rate"],
  ["You have reached your usage limit", "rate"],
  ["529 Overloaded", "rate"],
  ["segmentation fault", "crash"],
  ["", "crash"],
])("the client's word %j is %s", (text, kind) => {
  expect(clientFailure(text).kind).toBe(kind);
});

test.each<[string, string, unknown]>([
  ["all of it", ' {"a":1} \n', { a: 1 }],
  ["the last fenced block", 'x\n```json\n{"a":1}\n```\ny\n```\n{"a":2}\n```\n', { a: 2 }],
  ["the last line that is one", 'log {\n{"a":1}\n{"a":2}\nbye', { a: 2 }],
  ["a list is none", "[1]", undefined],
  ["a number is none", "1", undefined],
  ["half a fence", '```json\n{"a":1', undefined],
  ["nothing", "", undefined],
])("JSON in text: %s", (_name, text, expected) => {
  expect(jsonIn(text)).toEqual(expected);
});
