/** The guard: which command lines it stops, one-shot arming, every agent's way of calling it, and its installation. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { guardedIn, simpleCommands } from "../../cli/guard/commands.js";
import { withGuard } from "../../cli/init/hook.js";
import { shellWord } from "../../core/shell-words.js";
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
  // Between the words.
  ["gh  pr\tcreate", ["gh pr create"]],
  ["( gh  pr  create )", ["gh pr create"]],
  ["{ gh pr create; }", ["gh pr create"]],
  ["sleep 1 & gh pr merge 1", ["gh pr merge"]],
  ["true || gh pr ready", ["gh pr ready"]],
  ["yes | gh pr merge 1", ["gh pr merge"]],
  // Before it.
  ["A=1 B='x y' gh pr create", ["gh pr create"]],
  ["env -i PATH=$PATH gh pr create", ["gh pr create"]],
  ["timeout 10s gh pr merge 1", ["gh pr merge"]],
  ["command gh pr create", ["gh pr create"]],
  ["echo 12 | xargs gh pr merge", ["gh pr merge"]],
  ["$(which gh) pr create", ["gh pr create"]],
  ["$GH pr create", ["gh pr create"]],
  ["gh.exe pr create", ["gh pr create"]],
  // Its flags.
  ["gh pr create -d -f", ["gh pr create"]],
  ["gh --repo=ada/shop pr create", ["gh pr create"]],
  ["gh pr create --title x --body --help", ["gh pr create"]],
  ["gh pr merge 1 --auto --squash --delete-branch", ["gh pr merge"]],
  ["gh pr ready --undo", ["gh pr ready"]],
  // Quotes within substitutions, and what comes after them.
  ['x="$(echo "a b"; gh pr create)"', ["gh pr create"]],
  ["x=$(echo ')'; gh pr create)", ["gh pr create"]],
  [`git commit -m "$(cat <<'EOF'\nIt's done\n\ngh pr merge 1 is denied\nEOF\n)" && gh pr create --draft`, ["gh pr create"]],
  [`gh pr create --body "$(cat <<'EOF'\ngh pr merge 1\nEOF\n)"`, ["gh pr create"]],
  ["cat <<-EOF > notes\n\tgh pr create\n\tEOF\ngh pr ready", ["gh pr ready"]],
  ["cat <<X > notes\n$(gh pr create)\nX", ["gh pr create"]],
  // Shells that are fed.
  ["bash <<'X'\ngh pr create\nX", ["gh pr create"]],
  ["cat <<X | sh\ngh pr create\nX", ["gh pr create"]],
  ["bash <<< 'gh pr create'", ["gh pr create"]],
  ["bash -c \"bash -c 'gh pr create'\"", ["gh pr create"]],
  ["gh pr view 12", []],
  ["gh pr checks 12 && gh pr list", []],
  ["gh help pr create", []],
  ["gh pr create -h", []],
  ["cat <<'X' > notes\ngh pr create\nX", []],
  ["cat <<X\n\\$(gh pr create)\nX", []],
  ["git commit -m \"$(cat <<'EOF'\ngh pr create is denied now\nEOF\n)\"", []],
  ["bash deploy.sh 'gh pr'", []],
  ["rg 'gh pr create' -g '*.md' | head", []],
  ["npm run gh-pr-create", []],
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
  expect(guardedIn(`${"$(".repeat(20_000)}gh pr create`)).toEqual(["gh pr create"]);
  expect(guardedIn('"$('.repeat(5_000))).toEqual([]);
  expect(guardedIn("cat <<X\n".repeat(5_000))).toEqual([]);
});

test("words that are quoted for a shell are read back as they were", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom("", "#12", "it's", "$(rm x)", "a b", "--x=~", "`x`", "\n", "*"))),
      (words) => {
        expect(simpleCommands(["track", ...words].map(shellWord).join(" "))).toEqual([["track", ...words]]);
      },
    ),
  );
});

describe("the built command", () => {
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
    ["a shell's words as a list", JSON.stringify({ tool_input: { command: ["bash", "-lc", "gh pr create"] } }), 2],
    ["a list that only speaks of it", JSON.stringify({ tool_input: { command: ["git", "commit", "-m", "gh pr create; gh pr merge"] } }), 0],
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
