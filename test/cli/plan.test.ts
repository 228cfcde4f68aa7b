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
