/** Each example, run as its reader would. */
import { copyFile, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENT, place } from "../cli/sandboxed.js";
import type { Place } from "../cli/sandboxed.js";
import type { Report } from "../../core/index.js";

const root = join(import.meta.dirname, "..", "..");
let at: Place;
beforeEach(async () => {
  at = await place();
});
afterEach(() => at.close());

/** A folder in which the package is installed. */
const installed = async (): Promise<string> => {
  const folder = join(at.folder, "own");
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(root, join(folder, "node_modules", "reviewloop"), "dir");
  return folder;
};

test("basic: in force as it says", async () => {
  const folder = await installed();
  await copyFile(join(root, "examples/basic/reviewloop.config.ts"), join(folder, "reviewloop.config.ts"));
  const ran = await at.cli(["config", "--config", "reviewloop.config.ts", "--json"], { cwd: folder });
  expect(ran.code).toBe(0);
  const found = JSON.parse(ran.out) as {
    target: string;
    agents: readonly { name: string }[];
    plugins: readonly { name: string; required?: boolean }[];
  };
  expect(found).toMatchObject({ target: "review-clean", agents: [{ name: "claude" }] });
  expect(found.plugins.find((plugin) => plugin.name === "copilot")?.required).toBe(true);
});

test("basic: drives a pull request, with another agent and gate laid over it", async () => {
  const { world } = at.sandbox;
  world.addBot("copilot-pull-request-reviewer", { requestable: true });
  world.review("copilot-pull-request-reviewer", at.pullRequest, {
    state: "COMMENTED",
    body: "## Pull request overview\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated 1 comment.\n\n---\n",
    comments: [{ path: "src/a.js", line: 2, body: "This counts one too many." }],
  });
  const folder = await installed();
  await copyFile(join(root, "examples/basic/reviewloop.config.ts"), join(folder, "basic.config.ts"));
  const agent = await at.write("agent.mjs", AGENT);
  const laid = {
    agent: ["command", { run: [process.execPath, agent] }],
    gate: "node check.mjs",
    worktree: { setup: false },
    wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
  };
  await at.write(
    "own/reviewloop.config.ts",
    `import basic from "./basic.config.js";\nexport default { ...basic, ...${JSON.stringify(laid)} };\n`,
  );
  const clone = await at.clone();
  const ran = await at.cli(["run", at.url, "--config", join(folder, "reviewloop.config.ts"), "--yes", "--json"], { cwd: clone });
  const report = JSON.parse(ran.out) as Report;
  expect(report).toMatchObject({ stop: "met", reviewers: [{ reviewer: "copilot", required: true, fixed: 1, open: 0 }] });
  expect(ran.code).toBe(0);
  expect(at.pullRequest.threads.map((thread) => thread.resolved)).toEqual([true]);
  expect(world.git.fileAt("ada/shop", at.pullRequest.head.sha, "src/a.js")).toContain("i < n");
});

test("command-agent: twenty lines drive a pull request", async () => {
  const { world } = at.sandbox;
  world.commitAndPush("ada", {
    repository: "ada/shop",
    branch: at.pullRequest.head.branch,
    files: { "docs/page.md": "Read teh page.\n" },
    message: "A page",
  });
  world.addThread("grace", at.pullRequest, { path: "docs/page.md", line: 1, body: "It says teh." });
  const folder = await installed();
  await copyFile(join(root, "examples/command-agent/agent.mjs"), join(folder, "agent.mjs"));
  const config = JSON.parse(await readFile(join(root, "examples/command-agent/reviewloop.config.json"), "utf8")) as object;
  const laid = { gate: "node check.mjs", worktree: { setup: false }, wait: { poll: "20ms", settle: "1ms", pace: "1ms" } };
  await at.write("own/reviewloop.config.json", JSON.stringify({ ...config, ...laid }));
  const clone = await at.clone();
  const ran = await at.cli(["run", at.url, "--config", join(folder, "reviewloop.config.json"), "--yes", "--json"], { cwd: clone });
  const report = JSON.parse(ran.out) as Report;
  expect(report.error).toBeUndefined();
  expect(report.stop).toBe("waiting-for-people");
  expect(world.git.fileAt("ada/shop", at.pullRequest.head.sha, "docs/page.md")).toBe("Read the page.\n");
  expect(at.pullRequest.threads[0]?.comments.at(-1)?.body).toContain('Spelt "the" right.');
});

test("custom-reviewer: its points are threads, its grade is what the target waits for", async () => {
  const { world } = at.sandbox;
  world.addBot("acme-review");
  world.comment(
    "acme-review",
    at.pullRequest,
    `Acme grade: C for ${at.pullRequest.head.sha}\n\n- [high] \`src/a.js:2\` Counts one too many`,
  );
  const folder = await installed();
  await copyFile(join(root, "examples/custom-reviewer/acme.ts"), join(folder, "acme.ts"));
  await at.write(
    "own/reviewloop.config.ts",
    `import { acme } from "./acme.js";\nexport default { extends: "review-clean", plugins: [acme({ required: true })] };\n`,
  );
  const ran = await at.cli(["status", at.url, "--config", "reviewloop.config.ts", "--json"], { cwd: folder });
  expect(ran.code).toBe(0);
  const found = JSON.parse(ran.out) as { blockers: readonly { code: string; detail: string }[] };
  expect(found.blockers.map((blocker) => blocker.code)).toEqual(expect.arrayContaining(["grade-low", "undecided"]));
  expect(found.blockers.map((blocker) => blocker.detail).join()).toContain("Counts one too many (src/a.js:2)");
});

test("embed: a program of one's own drives the loop with a target of its own", async () => {
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one." });
  const folder = await installed();
  const agent = await at.write("agent.mjs", AGENT);
  await at.write("own/package.json", JSON.stringify({ type: "module" }));
  await copyFile(join(root, "examples/embed/drive.ts"), join(folder, "drive.ts"));
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  await execa(
    join(root, "node_modules/.bin/tsc"),
    ["drive.ts", "--rootDir", folder, "--target", "es2023", "--lib", "es2023", "--module", "nodenext", "--skipLibCheck", ...types],
    { cwd: folder },
  );
  const ran = await execa(process.execPath, [join(folder, "drive.js"), at.url, agent], {
    cwd: folder,
    env: at.environment,
    extendEnv: false,
    reject: false,
  });
  // What is severe is gone at once (nothing is); the point is mended all the same, before the target is looked at.
  expect(JSON.parse(ran.stdout)).toMatchObject({ stop: "met" });
  expect(ran.exitCode).toBe(0);
});
