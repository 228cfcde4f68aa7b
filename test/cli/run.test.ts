/** One thread end to end through the built command line: real HTTP, real GraphQL, real git, a real agent process. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Report } from "../../core/index.js";
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

const config = async (extra: object = {}): Promise<string> => {
  const agent = await at.write("agent.mjs", AGENT);
  return at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "review-clean",
      gate: "node check.mjs",
      agent: ["command", { run: ["node", agent] }],
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
      ...extra,
    }),
  );
};
const raise = (): void => {
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one." });
  at.sandbox.world.comment("grace", at.pullRequest, "What does it count?");
};

test("from a clone: fixed, gated, pushed, answered; the person's thread stays open for her", async () => {
  raise();
  const clone = await at.clone();
  const ran = await at.cli(["run", at.url, "--config", await config(), "--yes", "--json"], { cwd: clone });
  expect(ran.err).not.toContain("INTERNAL");
  const report = JSON.parse(ran.out) as Report;
  expect(report.error).toBeUndefined();
  expect(report.stop).toBe("waiting-for-people");
  expect(ran.code).toBe(1);
  expect(report).toMatchObject({ schemaVersion: 1, target: "review-clean", pullRequest: { number: at.pullRequest.number } });
  expect(report.iterations[0]).toMatchObject({
    fixed: [{ summary: "compares with < now" }],
    gates: [{ result: "green" }, { result: "green" }],
  });
  const head = at.pullRequest.head.sha;
  expect(report.head).toBe(head);
  expect(at.sandbox.world.git.fileAt("ada/shop", head, "src/a.js")).toContain("i < n");
  expect(at.pullRequest.threads[0]?.comments[1]?.body).toContain(`Fixed in ${head.slice(0, 10)}`);
  expect(at.pullRequest.threads[0]?.resolved).toBe(false);
  expect(at.pullRequest.comments.at(-1)?.body).toContain("It counts to n.");
  expect(report.remaining).toMatchObject([{ who: "person", name: "grace" }]);
});

test("from an empty folder with --config: a private clone, the same end", async () => {
  raise();
  const ran = await at.cli(["run", at.url, "--config", await config(), "--yes", "--json"]);
  expect((JSON.parse(ran.out) as Report).stop).toBe("waiting-for-people");
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(2);
});

test("from an empty folder without a config: nothing but a plan", async () => {
  raise();
  const before = at.sandbox.world.log.length;
  const ran = await at.cli(["run", at.url, "--json"]);
  const report = JSON.parse(ran.out) as Report;
  expect(at.sandbox.world.log.length).toBe(before);
  expect(report.iterations[0]?.fixed ?? []).toEqual([]);
});

test("status, threads, report and plan read only, and agree", async () => {
  raise();
  const before = at.sandbox.world.log.length;
  const clone = await at.clone();
  const file = await config();
  const number = String(at.pullRequest.number);
  const status = await at.cli(["status", number, "--config", file, "--json"], { cwd: clone });
  expect(JSON.parse(status.out)).toMatchObject({
    state: "ADDRESSING",
    threads: { total: 2, open: 2 },
    next: `reviewloop run ${number} --config ${file}`,
  });
  const threads = await at.cli(["threads", `#${number}`, "--config", file, "--json"], { cwd: clone });
  expect((JSON.parse(threads.out) as { threads: readonly { title: string }[] }).threads.map((thread) => thread.title)).toEqual([
    "Off by one.",
    "What does it count?",
  ]);
  const plan = await at.cli(["plan", at.url, "--config", file, "--json"], { cwd: clone });
  expect((JSON.parse(plan.out) as Report).plan.map((write) => write.kind)).toEqual(["push", "reply", "comment"]);
  expect(plan.code).toBe(0);
  expect(at.sandbox.world.log.length).toBe(before);
});

test("bad input: what, where, what to do; exit 3", async () => {
  const none = await at.cli(["run", "nonsense"]);
  expect(none).toMatchObject({ code: 3 });
  expect(none.err).toContain("PULL_REQUEST_UNKNOWN");
  const flag = await at.cli(["run", "--poll", "soon"]);
  expect(flag).toMatchObject({ code: 3 });
  const host = await at.cli(["run", "https://elsewhere.example/a/b/pull/1"]);
  expect(host).toMatchObject({ code: 3 });
  expect(host.err).toContain("elsewhere.example");
  const bad = await at.write("bad.json", JSON.stringify({ gaet: "x", wait: { poll: "soon" } }));
  const config_ = await at.cli(["run", at.url, "--config", bad, "--json"]);
  expect(config_.code).toBe(3);
  expect(JSON.parse(config_.out)).toMatchObject({ error: { code: "CONFIG_INVALID" } });
  expect(config_.err).toContain('did you mean "gate"?');
});

test("not signed in is found before anything else", async () => {
  const ran = await at.cli(["run", at.url, "--json"], { environment: { GH_TOKEN: "not-a-token" } });
  expect(ran.code).toBe(4);
  expect(JSON.parse(ran.out)).toMatchObject({ stop: "auth-failed", error: { code: "GITHUB_SIGN_IN" } });
});
