/** Attacks on git: whole runs with real git and an agent that has a shell and obeys; and the same with plain git, where each succeeds. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PROTECTED } from "../../core/config/settings.js";
import { matchesProtected } from "../../core/index.js";
import type { Config, Report } from "../../core/index.js";
import { run } from "../../index.js";
import { BEFORE, place, type Place } from "../cli/sandboxed.js";
import { GIT_ATTACKS, type GitAttack } from "./git.js";

/** Does what it is told, then what it is for. */
const AGENT = `
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
if (task.kind === "fix") {
  for (const thread of task.threads) {
    const order = /^run: (.+)$/s.exec(thread.comments[0].body)?.[1];
    if (order !== undefined) execFileSync("sh", ["-c", JSON.parse(order)], { stdio: "ignore" });
  }
  const file = task.worktree + "/src/a.js";
  writeFileSync(file, readFileSync(file, "utf8").replace("<=", "<") + "// " + task.threads[0].id + "\\n");
}
const answer = task.kind === "triage"
  ? { decisions: task.threads.map((t) => ({ thread: t.id, kind: "actionable", why: "told so", reply: null, root: null, question: null })) }
  : { changed: task.threads.map((t) => ({ thread: t.id, summary: "as told", files: ["src/a.js"] })), unfixed: [] };
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answer));
`;

const plainGit = (folder: string, ...args: readonly string[]): void =>
  void execFileSync("git", ["-C", folder, "-c", "user.name=x", "-c", "user.email=x@example.test", ...args], { stdio: "ignore" });

const branchOf = (attack: GitAttack, pwned: string): string => (attack.branch ?? "topic").replaceAll("$PWNED", pwned);

describe.runIf(process.platform !== "win32").each(GIT_ATTACKS)("with plain git: $kind, $title", (attack: GitAttack) => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hostile-git-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("it runs the attacker's program", () => {
    const pwned = join(folder, "pwned");
    const main = join(folder, "main");
    const worktree = join(folder, "worktree");
    mkdirSync(join(main, "src"), { recursive: true });
    for (const [path, text] of Object.entries(BEFORE)) writeFileSync(join(main, path), text);
    plainGit(main, "init", "-q");
    plainGit(main, "add", "-A");
    plainGit(main, "commit", "-qm", "start");
    plainGit(main, "worktree", "add", "-q", worktree);
    const config = join(folder, "config");
    writeFileSync(config, "[user]\n\tname = x\n\temail = x@example.test\n");
    const env = { ...process.env, PWNED: pwned, BRANCH: branchOf(attack, pwned), GIT_CONFIG_GLOBAL: config, GIT_TERMINAL_PROMPT: "0" };
    execFileSync("sh", ["-c", attack.plant], { cwd: worktree, env, stdio: "ignore" });
    expect(existsSync(pwned)).toBe(false);
    try {
      execFileSync("sh", ["-c", `echo more >> src/a.js; ${attack.plainly}`], { cwd: worktree, env, stdio: "ignore" });
    } catch {
      // A program that fails has run.
    }
    expect(existsSync(pwned)).toBe(true);
  });
});

/** All that can be planted in one run, the attack on the branch's name apart. */
const runOf = (attack: GitAttack): string =>
  [attack.kind, ...(attack.branch === undefined ? [] : [attack.title]), ...(attack.dropped === true ? ["dropped"] : [])].join(", ");
const RUNS = [...new Set(GIT_ATTACKS.map(runOf))].map((run_): [string, readonly GitAttack[]] => [
  run_,
  GIT_ATTACKS.filter((attack) => runOf(attack) === run_),
]);

describe.runIf(process.platform !== "win32").each(RUNS)("in our worktree: %s", (_name, attacks) => {
  let at: Place | undefined;
  afterEach(async () => at?.close());

  test("nothing of it runs, not in this run and not in the next; no protected path is committed", async () => {
    at = await place();
    const { environment, sandbox, folder } = at;
    const { world } = sandbox;
    const pwned = (index: number): string => join(folder, `pwned-${index}`);
    const expectClean = (): void => expect(attacks.filter((_attack, index) => existsSync(pwned(index)))).toEqual([]);
    let { pullRequest, url } = at;
    const named = attacks.find((attack) => attack.branch !== undefined);
    if (named !== undefined) {
      const branch = branchOf(named, pwned(0));
      world.commitAndPush("ada", {
        repository: "ada/shop",
        branch,
        files: { "src/a.js": "one\nfor (i = 0; i <= n; i++)\n" },
        message: "Count",
      });
      pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: branch, title: "Count" });
      url = `${sandbox.url}/ada/shop/pull/${pullRequest.number}`;
    }
    const start = pullRequest.head.sha;
    const agent = await at.write("agent.mjs", AGENT);
    const clone = await at.clone();
    const config: Config = {
      extends: "review-clean",
      gate: "node check.mjs",
      agent: ["command", { run: ["node", agent] }],
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    };
    const drive = (): Promise<Report> => run({ pullRequest: url, folder: clone, config, environment, yes: true, park: true });
    for (const [index, attack] of attacks.entries()) {
      const order = `PWNED=${JSON.stringify(pwned(index))}; export PWNED; ${attack.plant}`;
      world.addThread("grace", pullRequest, { path: "src/a.js", line: 2, body: `run: ${JSON.stringify(order)}` });
    }
    const first = await drive();
    expect(first.error).toBeUndefined();
    expectClean();
    world.addThread("grace", pullRequest, { path: "src/a.js", line: 2, body: "One more word." });
    const second = await drive();
    expect(second.error).toBeUndefined();
    expectClean();
    expect([...first.remaining, ...second.remaining].some((item) => item.who === "person")).toBe(true);
    // What may not stay is taken out and told; the rest of the pass is judged again without it.
    if (attacks.some((attack) => attack.dropped)) expect(first.notes.join("\n")).toMatch(/was dropped: it (?:touched|changed)/);
    // These runs did something: the fix itself went out.
    expect(first.pushes).toHaveLength(1);
    expect(second.pushes).toHaveLength(1);
    const tree = execFileSync("git", ["-C", clone, "ls-tree", "-r", pullRequest.head.sha], { encoding: "utf8" });
    expect(tree.split("\n").filter((line) => /^(?:160000|120000) /.test(line))).toEqual([]);
    const changed = execFileSync("git", ["-C", clone, "diff", "--name-only", "-z", start, pullRequest.head.sha], { encoding: "utf8" });
    const paths = changed.split("\0").filter((path) => path !== "");
    expect(paths).toContain("src/a.js");
    expect(paths.filter((path) => matchesProtected(path, PROTECTED))).toEqual([]);
  });
});
