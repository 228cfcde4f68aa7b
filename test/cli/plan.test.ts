/** `plan --out` and `apply` through the built command line, on real git. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PlanDocument, Report } from "../../core/index.js";
import { AGENT, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

let at: Place;
beforeEach(async () => {
  at = await place();
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const planned = async (): Promise<{ readonly clone: string; readonly config: string; readonly file: string }> => {
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one." });
  const agent = await at.write("agent.mjs", AGENT);
  const config = await at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "review-clean",
      gate: "node check.mjs",
      agent: ["command", { run: ["node", agent] }],
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    }),
  );
  const clone = await at.clone();
  const file = join(at.folder, "plan.json");
  const before = at.sandbox.world.log.length;
  const ran = await at.cli(["plan", at.url, "--config", config, "--out", file, "--json"], { cwd: clone });
  expect(ran).toMatchObject({ code: 0 });
  expect(at.sandbox.world.log.length).toBe(before);
  return { clone, config, file };
};

test("what was planned is what is done, and only that", async () => {
  const { clone, config, file } = await planned();
  const plan = JSON.parse(await readFile(file, "utf8")) as PlanDocument;
  expect(plan.writes.map((write) => write.kind)).toEqual(["push", "reply"]);
  const ran = await at.cli(["apply", file, "--config", config, "--json"], { cwd: clone });
  const report = JSON.parse(ran.out) as Report;
  expect(report.error).toBeUndefined();
  const head = at.pullRequest.head.sha;
  expect(report.pushes).toEqual([head]);
  expect(at.sandbox.world.git.fileAt("ada/shop", head, "src/a.js")).toContain("i < n");
  expect(at.pullRequest.threads[0]?.comments[1]?.body).toContain(`Fixed in ${head.slice(0, 10)}`);
});

test("the head has moved: exit 1, the reason, nothing written", async () => {
  const { clone, config, file } = await planned();
  at.sandbox.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "b.js": "x\n" }, message: "More" });
  const before = at.sandbox.world.log.length;
  const ran = await at.cli(["apply", file, "--config", config], { cwd: clone });
  expect(ran.code).toBe(1);
  expect(ran.out).toContain("the plan was made on");
  expect(at.sandbox.world.log.length).toBe(before);
});

test("no plan, no doing: exit 3", async () => {
  const file = join(at.folder, "no-plan.json");
  await writeFile(file, "{}");
  const ran = await at.cli(["apply", file]);
  expect(ran.code).toBe(3);
  expect(ran.err).toContain("PLAN_INVALID");
  expect((await at.cli(["apply", join(at.folder, "nowhere.json")])).code).toBe(3);
});

/** Judges, mends each point in a file of its own, and looks a second time; it doubts what is said about a style. */
const TWO_FILES = `
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const each = (make) => task.threads.map((thread) => ({ thread: thread.id, ...make(thread) }));
const answers = {
  triage: () => ({ decisions: each(() => ({ kind: "actionable", why: "read it", reply: null, root: null, question: null })) }),
  fix: () => ({
    changed: each((thread) => {
      const [file] = /\\w+\\.txt/.exec(thread.title);
      writeFileSync(task.worktree + "/" + file, "written\\n");
      return { summary: "writes " + file, files: [file] };
    }),
    unfixed: [],
  }),
  verify: () => ({ verdicts: each((thread) => ({ agrees: !thread.why.includes("style.txt") || !thread.why.includes("+written"), why: "read the diff" })) }),
};
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answers[task.kind]()));
`;

test("commits that are kept are planned and made again one by one, without what a second look doubts", async () => {
  for (const file of ["one.txt", "style.txt", "two.txt"])
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: `Wants ${file} beside it.` });
  const agent = ["command", { run: ["node", await at.write("agent.mjs", TWO_FILES)] }];
  const config = await at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "review-clean",
      gate: "node --version",
      agent,
      agents: { verify: agent },
      commit: { style: "kept" },
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    }),
  );
  const clone = await at.clone();
  const file = join(at.folder, "plan.json");
  expect(await at.cli(["plan", at.url, "--config", config, "--out", file, "--json"], { cwd: clone })).toMatchObject({ code: 0 });
  const ran = await at.cli(["apply", file, "--config", config, "--json"], { cwd: clone });
  const report = JSON.parse(ran.out) as Report;
  expect(report.error).toBeUndefined();
  const { git } = at.sandbox.world;
  const head = git.commit("ada/shop", at.pullRequest.head.sha);
  const before = git.commit("ada/shop", head?.parents[0] ?? "");
  expect([before?.message, head?.message]).toEqual(["writes one.txt", "writes two.txt"]);
  const there = (sha = ""): readonly string[] =>
    ["one.txt", "style.txt", "two.txt"].filter((name) => git.fileAt("ada/shop", sha, name) !== undefined);
  expect([there(before?.sha), there(head?.sha)]).toEqual([["one.txt"], ["one.txt", "two.txt"]]);
  const bodies = at.pullRequest.threads.map((thread) => thread.comments[1]?.body);
  expect(bodies[0]).toContain(`Fixed in ${before?.sha.slice(0, 10)}: writes one.txt`);
  expect(bodies[1]).toBeUndefined();
  expect(bodies[2]).toContain(`Fixed in ${head?.sha.slice(0, 10)}: writes two.txt`);
});
