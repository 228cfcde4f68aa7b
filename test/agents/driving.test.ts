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

const claude = programs()["claude"];

describe.skipIf(claude === undefined)("claude", () => {
  let root: string;
  let at: Place;
  let clone: string;
  let model: ScriptedModel | undefined;
  beforeEach(async () => {
    root = mkdtempSync(join(process.platform === "linux" ? "/var/tmp" : tmpdir(), "agent-driving-"));
    at = await place();
    clone = await at.clone();
  });
  afterEach(async () => {
    await model?.close();
    await at.close();
    rmSync(root, { recursive: true, force: true });
  });

  const environment = (url: string): Readonly<Record<string, string>> => {
    // A program of our name, as an installation gives one.
    const bin = join(root, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "reviewloop"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
    writeFileSync(join(bin, "gh"), `#!/bin/sh\necho opened >> "${join(root, "gh-ran")}"\n`, { mode: 0o755 });
    return {
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      HOME: join(root, "home"),
      XDG_STATE_HOME: join(root, "state"),
      GITHUB_API_URL: at.sandbox.apiUrl,
      GITHUB_GRAPHQL_URL: at.sandbox.graphqlUrl,
      GH_TOKEN: at.sandbox.tokenFor("ada"),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "test-token",
    };
  };
  const ask = async (
    script: (turn: Turn) => Step,
    flags: readonly string[],
  ): Promise<{ readonly out: string; readonly turns: readonly Turn[] }> => {
    model = await scriptedModel(script);
    mkdirSync(join(root, "home"), { recursive: true });
    const ran = await execa(claude ?? "", ["-p", "Where does the pull request stand?", "--output-format", "text", ...flags], {
      cwd: clone,
      env: environment(model.url),
      extendEnv: false,
      reject: false,
      stdin: "ignore",
      timeout: 90_000,
    });
    return { out: `${ran.stdout}\n${ran.stderr}`, turns: model.turns };
  };

  test("our MCP server: the tools are offered, and a call reads and answers the pull request", async () => {
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one?" });
    const config = join(root, "mcp.json");
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { reviewloop: { command: process.execPath, args: [BIN, "mcp"], env: environment("") } } }),
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
    // Not synchronously: the sandbox answers from this process.
    await execa(process.execPath, [BIN, "init", "--yes"], { cwd: clone, env: { ...environment("") }, extendEnv: false });
    const { turns } = await ask(() => ({ text: "done" }), []);
    expect(turns.some((turn) => turn.raw.includes("Drive a GitHub pull request with open review threads to ready"))).toBe(true);
  });

  test("our guard, installed by init guard, holds it back until it is armed in a step of its own", async () => {
    await execa(process.execPath, [BIN, "init", "guard"], { cwd: clone, env: { ...environment("") }, extendEnv: false });
    const bash = (command: string): Step => ({ tool: { name: "Bash", input: { command, description: "x" } } });
    const steps = [
      bash("gh pr create --draft"),
      bash("reviewloop guard arm && gh pr create --draft"),
      bash("reviewloop guard arm"),
      bash("gh pr create --draft"),
      bash("gh pr create --draft"),
    ];
    const { turns } = await ask(({ index }) => steps[index] ?? { text: "done" }, ["--allowedTools", "Bash"]);
    expect(turns.at(-1)?.raw).toContain("Open pull requests through the loop");
    expect(existsSync(join(root, "gh-ran"))).toBe(true);
    expect(readFileSync(join(root, "gh-ran"), "utf8")).toBe("opened\n");
  });
});
