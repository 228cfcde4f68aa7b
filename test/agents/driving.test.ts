/** A real client drives a pull request on the sandbox through our MCP server, finds our skill, and is held by our guard. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BIN, place } from "../cli/sandboxed.js";
import type { Place } from "../cli/sandboxed.js";
import { programs } from "./clients.js";
import { scriptedModel } from "./model.js";
import type { ScriptedModel, Step, Turn } from "./model.js";

const clients = programs();

let root: string;
let at: Place;
let clone: string;
let model: ScriptedModel | undefined;
beforeEach(async () => {
  root = mkdtempSync(join(process.platform === "linux" ? "/var/tmp" : tmpdir(), "agent-driving-"));
  for (const name of ["bin", "home"]) mkdirSync(join(root, name));
  // A program of our name, as an installation gives one.
  writeFileSync(join(root, "bin", "reviewloop"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
  // Codex asks a login shell, which begins with a path of its own.
  writeFileSync(join(root, "home", ".profile"), `PATH="${join(root, "bin")}:$PATH"\n`);
  writeFileSync(join(root, "bin", "gh"), `#!/bin/sh\necho opened >> "${join(root, "gh-ran")}"\n`, { mode: 0o755 });
  at = await place();
  clone = await at.clone();
});
afterEach(async () => {
  await model?.close();
  await at.close();
  rmSync(root, { recursive: true, force: true });
});

const environment = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  ...at.environment,
  PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
  HOME: join(root, "home"),
  ...more,
});
const ours = (...args: readonly string[]) =>
  // Not synchronously: the sandbox answers from this process.
  execa(process.execPath, [BIN, ...args], { cwd: clone, env: environment(), extendEnv: false });
const started = async (
  file: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<{ readonly out: string; readonly turns: readonly Turn[] }> => {
  const ran = await execa(file, args, {
    cwd: clone,
    env: environment(more),
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    timeout: 90_000,
  });
  return { out: `${ran.stdout}\n${ran.stderr}`, turns: model?.turns ?? [] };
};
const guarded = (bash: (command: string) => Step): readonly Step[] => [
  bash("gh pr create --draft"),
  bash("reviewloop guard arm && gh pr create --draft"),
  bash("reviewloop guard arm"),
  bash("gh pr create --draft"),
  bash("gh pr create --draft"),
];
const opened = (): string => (existsSync(join(root, "gh-ran")) ? readFileSync(join(root, "gh-ran"), "utf8") : "");

describe.skipIf(clients["claude"] === undefined)("claude", () => {
  const ask = async (script: (turn: Turn) => Step, flags: readonly string[]) => {
    model = await scriptedModel(script);
    const words = ["-p", "Where does the pull request stand?", "--output-format", "text", ...flags];
    return started(clients["claude"] ?? "", words, { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-token" });
  };

  test("our MCP server: the tools are offered, and a call reads and answers the pull request", async () => {
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one?" });
    const config = join(root, "mcp.json");
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { reviewloop: { command: process.execPath, args: [BIN, "mcp"], env: environment() } } }),
    );
    const id = String(at.pullRequest.threads[0]?.comments[0]?.databaseId);
    const number = String(at.pullRequest.number);
    const { turns } = await ask(
      ({ index }) => {
        if (index === 0) return { tool: { name: "mcp__reviewloop__status", input: { pull_request: number } } };
        if (index === 1)
          return { tool: { name: "mcp__reviewloop__reply", input: { pull_request: number, thread: id, body: "It counts to n." } } };
        return { text: "done" };
      },
      ["--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__reviewloop__status,mcp__reviewloop__reply"],
    );
    const offered = turns.find((turn) => turn.tools.some((name) => name.startsWith("mcp__")))?.tools ?? [];
    expect(offered).toEqual(expect.arrayContaining(["mcp__reviewloop__status", "mcp__reviewloop__threads", "mcp__reviewloop__ready"]));
    expect(turns.some((turn) => turn.raw.includes("ADDRESSING"))).toBe(true);
    expect(at.pullRequest.threads[0]?.comments.at(-1)?.body).toContain("It counts to n.");
  });

  test("our skill, placed by init, is known to it", async () => {
    await ours("init", "--yes");
    const { turns } = await ask(() => ({ text: "done" }), []);
    expect(turns.some((turn) => turn.raw.includes("Drive a GitHub pull request with open review threads to ready"))).toBe(true);
  });

  test("our guard, installed by init guard, holds it back until it is armed in a step of its own", async () => {
    await ours("init", "guard");
    const steps = guarded((command) => ({ tool: { name: "Bash", input: { command, description: "x" } } }));
    const { turns } = await ask(({ index }) => steps[index] ?? { text: "done" }, ["--allowedTools", "Bash"]);
    expect(turns.at(-1)?.raw).toContain("Open pull requests through the loop");
    expect(opened()).toBe("opened\n");
  });
});

describe.skipIf(clients["codex"] === undefined)("codex", () => {
  const ask = async (script: (turn: Turn) => Step, flags: readonly string[], config = "") => {
    model = await scriptedModel(script);
    const home = join(root, "codex");
    mkdirSync(home, { recursive: true });
    const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${model.url}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\n`;
    writeFileSync(
      join(home, "config.toml"),
      // Its first question waits for the servers, however busy the machine is.
      `model = "scripted"\nmodel_provider = "scripted"\nmcp_optional_startup_grace_ms = 30000\ncheck_for_update_on_startup = false\n${provider}[analytics]\nenabled = false\n${config}`,
    );
    const words = [
      "exec",
      "--json",
      "--ephemeral",
      "--disable",
      "plugins",
      "--disable",
      "apps",
      ...flags,
      "Where does the pull request stand?",
    ];
    return started(clients["codex"] ?? "", words, { SCRIPTED_KEY: "test-token", CODEX_HOME: home });
  };

  test("our MCP server: the tools are offered, and a call reads and answers the pull request", async () => {
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one?" });
    const id = String(at.pullRequest.threads[0]?.comments[0]?.databaseId);
    const number = String(at.pullRequest.number);
    const variables = Object.entries(environment()).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const server = `[mcp_servers.reviewloop]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([BIN, "mcp"])}\n[mcp_servers.reviewloop.env]\n${variables.join("\n")}\n`;
    const tool = (name: string, input: object): Step => ({
      tool: { namespace: "mcp__reviewloop", name, input: { pull_request: number, ...input } },
    });
    const steps = [tool("status", {}), tool("reply", { thread: id, body: "It counts to n." })];
    const { turns } = await ask(({ index }) => steps[index] ?? { text: "done" }, ["--dangerously-bypass-approvals-and-sandbox"], server);
    const offered = turns[0]?.tools ?? [];
    expect(offered).toEqual(expect.arrayContaining(["status", "threads", "ready"].map((name) => `mcp__reviewloop.${name}`)));
    expect(turns.some((turn) => turn.raw.includes("ADDRESSING"))).toBe(true);
    expect(at.pullRequest.threads[0]?.comments.at(-1)?.body).toContain("It counts to n.");
  });

  test("our skill, placed by init, is known to it", async () => {
    await ours("init", "--yes");
    const { turns } = await ask(() => ({ text: "done" }), []);
    expect(turns.some((turn) => turn.raw.includes("Drive a GitHub pull request with open review threads to ready"))).toBe(true);
  });

  test("our guard, as its hook, holds it back until it is armed in a step of its own", async () => {
    const steps = guarded((command) => ({ tool: { name: "exec_command", input: { cmd: command } } }));
    const hook = { type: "command", command: `${process.execPath} ${BIN} guard` };
    mkdirSync(join(root, "codex"));
    writeFileSync(join(root, "codex", "hooks.json"), JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } }));
    const flags = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
    const { turns } = await ask(({ index }) => steps[index] ?? { text: "done" }, flags);
    expect(turns.at(-1)?.raw).toContain("Open pull requests through the loop");
    expect(opened()).toBe("opened\n");
  });
});
