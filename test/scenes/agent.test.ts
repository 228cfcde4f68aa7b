import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentTask, AgentThread } from "../../index.js";
import { answerProblems, FIX_SCHEMA, TRIAGE_SCHEMA } from "../../index.js";
import { judge } from "../../sandbox/demo/judge.js";
import { plainText, Worktree } from "../../sandbox/demo/reading.js";
import { repair } from "../../sandbox/demo/repair.js";

const AGENT = new URL("../../dist/sandbox/demo/agent.js", import.meta.url).pathname;

const thread = (part: Partial<AgentThread> & { readonly body: string }): AgentThread => ({
  id: "T1",
  source: "inline",
  title: "",
  severity: "unknown",
  reviewer: null,
  author: "somebody",
  association: "NONE",
  isBot: true,
  path: "src/a.mjs",
  line: 3,
  startLine: null,
  outdated: false,
  code: null,
  suggestion: null,
  why: null,
  root: null,
  comments: [{ author: "somebody", body: part.body, at: "", ours: false }],
  ...part,
});

const withFile = <T>(text: string, act: (worktree: Worktree, folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-agent-"));
  try {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/a.mjs"), text);
    return act(new Worktree(folder), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const guarded =
  '/** The name. */\nexport function nameOf(box) {\n  if (box.owner === undefined) {\n    return "";\n  }\n  return box.owner.name;\n}\n';
const unguarded = "/** The name. */\nexport function nameOf(box) {\n  return box.owner.name;\n}\n";

describe("judgement", () => {
  const claim = "`nameOf` reads `box.owner.name` without a null check.";

  it.each([
    ["the claim holds", unguarded, claim, "actionable"],
    ["the code contradicts the same claim", guarded, claim, "false-positive"],
    ["a question that the comment above answers", unguarded, "Why is `nameOf` here?", "informational"],
    ["a question that nothing answers", unguarded.replace("/** The name. */\n", ""), "Why is `nameOf` here?", "judgment"],
    ["a trade-off", unguarded, `${claim} Or is that a trade-off?`, "judgment"],
    ["a claim that it does not know", unguarded, "`nameOf` should be written in another style.", "judgment"],
    ["a file that is not there", guarded, "Nothing like this.", "judgment"],
  ])("%s", (_, text, body, kind) => {
    expect(withFile(text, (worktree) => judge(thread({ body }), worktree)).kind).toBe(kind);
  });

  it("says on which line it looked", () => {
    const judged = withFile(guarded, (worktree) => judge(thread({ body: claim }), worktree));
    expect(judged.reply).toContain("line 3 of `src/a.mjs` reads `if (box.owner === undefined) {`");
  });

  it("does not let a prompt in a fold-out, a quote or a suggestion speak for the thread", () => {
    const body =
      "Fine.\n\n<details><summary>Prompt</summary>\n\nOff-by-one\n\n</details>\n> null check\n\n```suggestion\nNaN\n```\n<b>Bye</b>";
    expect(plainText(body)).toBe("Fine.\n\nBye");
  });

  it("reads no file outside of its worktree", () => {
    expect(withFile("", (worktree) => worktree.read("../../etc/hostname"))).toBeUndefined();
  });
});

describe("a red gate", () => {
  it("makes a function async that has to wait, and keeps a number to the limit that a check names", () => {
    const text =
      "export function drop(store, key) {\n  await store.remove(key);\n}\n\nexport function until(now, timeout = 30_000) {\n  return now + timeout;\n}\n";
    const output = `file:///tmp/x/src/a.mjs:2\n  await store.remove(key);\n  ^^^^^\n\nSyntaxError: Unexpected reserved word\n1 check failed`;
    withFile(text, (worktree) => {
      expect(repair(thread({ source: "gate", path: null, line: null, body: output }), worktree)).toMatchObject({
        changed: { files: ["src/a.mjs"] },
      });
      expect(worktree.read("src/a.mjs")).toContain("export async function drop(store, key) {");
      const limit = "src/a.mjs: until must be short: expected a timeout of at most 10000, got 30000";
      repair(thread({ source: "gate", path: null, line: null, body: limit }), worktree);
      expect(worktree.read("src/a.mjs")).toContain("timeout = 10_000)");
      expect(repair(thread({ source: "gate", path: null, line: null, body: "no network" }), worktree)).toHaveProperty("why");
    });
  });
});

describe("the command", () => {
  const task = (kind: AgentTask["kind"], worktree: string, schema: object): AgentTask => ({
    protocol: 1,
    kind,
    pullRequest: { url: "", title: "", body: "", author: "" },
    head: "",
    base: "",
    worktree,
    threads: [thread({ body: "`nameOf` reads `box.owner.name` without a null check." })],
    rules: [],
    schema,
  });
  const call = (document: unknown, environment: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, [AGENT], {
      input: JSON.stringify(document),
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...environment },
    });

  it("answers on standard output, or into the file that it is given", () => {
    withFile(unguarded, (worktree, folder) => {
      const triage = task("triage", folder, TRIAGE_SCHEMA);
      const said = call(triage);
      expect(said.status).toBe(0);
      expect(answerProblems(triage, JSON.parse(said.stdout))).toEqual([]);
      const output = join(folder, "answer.json");
      const fix = task("fix", folder, FIX_SCHEMA);
      expect(call(fix, { REVIEWLOOP_OUTPUT: output }).stdout).toBe("");
      expect(answerProblems(fix, JSON.parse(readFileSync(output, "utf8")))).toEqual([]);
      expect(worktree.read("src/a.mjs")).toContain('box.owner?.name ?? ""');
      // Asked again, there is nothing left to do, and it claims nothing.
      expect(JSON.parse(call(fix).stdout)).toMatchObject({ changed: [], unfixed: [{ thread: "T1" }] });
    });
  });

  it("fails on a kind that it does not know", () => {
    const said = call(task("review", "/nowhere", {}));
    expect(said.status).toBe(1);
    expect(said.stdout).toBe("");
    expect(said.stderr).toContain("review");
  });

  it("knows neither scenes nor what the reviewers look for", () => {
    const folder = new URL("../../sandbox/demo/", import.meta.url);
    const imports = readdirSync(folder).flatMap((file) =>
      [...readFileSync(new URL(file, folder), "utf8").matchAll(/from "([^"]+)"/g)].map((match) => match[1] ?? ""),
    );
    const own = imports.filter((from) => from.startsWith("../"));
    expect(new Set(own)).toEqual(new Set(["../../core/index.js", "../reviewers/source.js"]));
  });
});
