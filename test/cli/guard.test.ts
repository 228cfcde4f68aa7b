/** The guard: which command lines it stops, one-shot arming, every agent's way of calling it, and its installation. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { guardedIn, simpleCommands } from "../../cli/guard/commands.js";
import { withGuard } from "../../cli/init/hook.js";
import { fitsSchema } from "./documents.js";
import { BIN } from "./sandboxed.js";

test.each<[string, readonly string[]]>([
  ["gh pr create --fill", ["gh pr create"]],
  ["gh pr new", ["gh pr new"]],
  ["cd . && gh pr create --draft", ["gh pr create"]],
  ["gh -R ada/shop pr ready 12", ["gh pr ready"]],
  ["gh pr -R ada/shop merge 12 --squash", ["gh pr merge"]],
  ["GH_TOKEN=test-token sudo -E /usr/local/bin/gh pr merge 1", ["gh pr merge"]],
  ["bash -lc 'gh pr create --title \"a b\"'", ["gh pr create"]],
  ['sh -c "cd x; gh pr ready"', ["gh pr ready"]],
  ["eval 'gh pr ready'", ["gh pr ready"]],
  ["url=$(gh pr create --draft) && echo $url", ["gh pr create"]],
  ['echo "opened: $(gh pr create)"', ["gh pr create"]],
  ["echo `gh pr create`", ["gh pr create"]],
  ["(cd a; gh pr create)", ["gh pr create"]],
  ["if true; then gh pr create; fi", ["gh pr create"]],
  ["true\ngh pr create", ["gh pr create"]],
  ["gh \\\n  pr create", ["gh pr create"]],
  ['g""h pr create', ["gh pr create"]],
  ["gh pr create && gh pr merge", ["gh pr create", "gh pr merge"]],
  ["gh pr view 12", []],
  ["gh pr create --help", []],
  ["gh issue create --title 'gh pr create'", []],
  ["git commit -m 'gh pr create is guarded'", []],
  ["echo gh pr create", []],
  ["# gh pr create", []],
  ["grep -rn 'gh pr merge' docs", []],
  ["cat <<'X' > notes\nhello\nX", []],
  ["", []],
])("%s", (line, acts) => {
  expect(guardedIn(line)).toEqual(acts);
});

test("any line is read, quickly, and a bare act behind any quoted words is found", () => {
  fc.assert(fc.property(fc.string({ maxLength: 400 }), (line) => Array.isArray(simpleCommands(line))));
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z ]{0,12}$/), { maxLength: 4 }), (words) => {
      const before = words.map((word) => `'${word}'`).join(" ");
      expect(guardedIn(`echo ${before}; gh pr create`)).toEqual(["gh pr create"]);
    }),
  );
  // Quadratic work would take minutes here.
  expect(guardedIn(`${"$(".repeat(20_000)}gh pr create`)).toEqual([]);
  expect(guardedIn('"$('.repeat(5_000))).toEqual([]);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reviewloop-guard-"));
  execFileSync("git", ["init", "--quiet", folder]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cli = async (args: readonly string[], input = "", cwd = folder): Promise<{ code: number; out: string; err: string }> => {
  const ran = await execa(process.execPath, [BIN, ...args], { cwd, input, reject: false, env: { NO_COLOR: "1" } });
  fitsSchema(args, ran.stdout);
  return { code: ran.exitCode ?? -1, out: ran.stdout, err: ran.stderr };
};
const claude = (command: string, cwd = folder): string =>
  JSON.stringify({ session_id: "s", cwd, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command, description: "x" } });

test("denied until armed in a step of its own; then once", async () => {
  expect(await cli(["guard"], claude("gh pr create --draft"))).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("reviewloop guard arm"),
  });
  expect(await cli(["guard"], claude("reviewloop guard arm && gh pr create --draft"))).toMatchObject({ code: 2 });
  expect(JSON.parse((await cli(["guard", "arm", "--json"])).out)).toEqual({ schemaVersion: 1, armed: true });
  expect(await cli(["guard"], claude("ls"))).toMatchObject({ code: 0, err: "" });
  expect(await cli(["guard"], claude("gh pr create && gh pr merge"))).toMatchObject({
    code: 2,
    err: expect.stringContaining("one act for each"),
  });
  expect(await cli(["guard"], claude("gh pr create --draft"))).toMatchObject({ code: 0, err: "" });
  expect((await cli(["guard"], claude("gh pr create --draft"))).code).toBe(2);
});

test("armed in a folder below and in a linked worktree; the call's own folder counts", async () => {
  const below = join(folder, "a", "b");
  mkdirSync(below, { recursive: true });
  await cli(["guard", "arm"], "", below);
  expect((await cli(["guard"], claude("gh pr ready"), tmpdir())).code).toBe(0);
  const outside = mkdtempSync(join(tmpdir(), "reviewloop-nogit-"));
  expect(await cli(["guard", "arm"], "", outside)).toMatchObject({ code: 3, err: expect.stringContaining("in no git repository") });
  rmSync(outside, { recursive: true });
});

test.each<[string, string, number]>([
  ["copilot", JSON.stringify({ toolName: "bash", toolArgs: { command: "gh pr create" } }), 2],
  ["copilot, arguments as a text", JSON.stringify({ toolName: "bash", toolArgs: '{"command":"gh pr create"}' }), 2],
  [
    "gemini",
    JSON.stringify({ hook_event_name: "BeforeTool", tool_name: "run_shell_command", tool_input: { command: "gh pr merge 1" } }),
    2,
  ],
  ["a command as a list", JSON.stringify({ tool_input: { command: ["gh", "pr", "create"] } }), 2],
  ["another tool", JSON.stringify({ tool_name: "Read", tool_input: { file_path: "gh pr create" } }), 0],
  ["broken, and about something else", "{", 0],
  ["broken, and about gh pr create", '{"tool_input":{"command":"gh pr create"', 2],
  ["nothing", "", 0],
])("%s", async (_name, input, code) => {
  expect((await cli(["guard"], input)).code).toBe(code);
});

test("init guard lays the hook into Claude Code's settings, keeps the rest, and does it once", async () => {
  mkdirSync(join(folder, ".claude"));
  const file = join(folder, ".claude", "settings.json");
  writeFileSync(file, JSON.stringify({ model: "x", hooks: { PreToolUse: [{ matcher: "Edit", hooks: [] }], Stop: [] } }));
  expect(JSON.parse((await cli(["init", "guard", "--json"])).out)).toMatchObject({ file: ".claude/settings.json", changed: true });
  const once = readFileSync(file, "utf8");
  expect(JSON.parse(once)).toEqual({
    model: "x",
    hooks: {
      PreToolUse: [
        { matcher: "Edit", hooks: [] },
        { matcher: "Bash", hooks: [{ type: "command", command: "reviewloop", args: ["guard"] }] },
      ],
      Stop: [],
    },
  });
  expect((await cli(["init", "guard"])).out).toContain("already");
  expect(readFileSync(file, "utf8")).toBe(once);
  writeFileSync(file, "{ not json");
  expect((await cli(["init", "guard"])).code).toBe(3);
  expect(readFileSync(file, "utf8")).toBe("{ not json");
});

test("strict says so in the hook; what is no settings file is refused", () => {
  expect(withGuard(undefined, true)).toMatchObject({
    changed: true,
    settings: { hooks: { PreToolUse: [{ hooks: [{ onFailure: "block" }] }] } },
  });
  expect(
    withGuard('{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"reviewloop guard"}]}]}}', false),
  ).toMatchObject({ changed: false });
  for (const text of ["[]", '{"hooks":[]}', '{"hooks":{"PreToolUse":{}}}']) expect(withGuard(text, false)).toHaveProperty("problem");
});
