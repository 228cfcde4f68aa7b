/** Targets as the way of working has them, and triage by content: everything from everybody, at once. */
import { describe, expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scenario, Scene } from "../../sandbox/kit/index.js";
import type { AgentTask } from "../../core/index.js";
import { mergeReady } from "../../plugins/targets/merge-ready.js";
import { openForReview } from "../../plugins/targets/open-for-review.js";
import { acme, acmeBot } from "./acme.js";
import { DEFAULTS, drive } from "./driving.js";

const shop = (draft = false): Scenario =>
  scenario()
    .pullRequest({ author: "ada", draft })
    .user("grace")
    .bot("ci")
    .bot("acme-review")
    .file("src/a.ts", "one\ntwo\n", "one\n2\n")
    .commands({ "npm test": () => 0 });
const codes = async (scene: Scene, settings = {}): Promise<readonly string[]> =>
  (await drive(scene, { target: mergeReady(), settings })).report.remaining.map((item) => item.code);
const check = (scene: Scene, conclusion: "SUCCESS" | "FAILURE" | undefined) =>
  scene.world.createCheck("ci", {
    repository: scene.pullRequest.repository,
    head: scene.pullRequest.head.sha,
    name: "build",
    ...(conclusion === undefined ? { status: "IN_PROGRESS" } : { conclusion }),
  });

describe("merge-ready", () => {
  test("holds with no thread open, green checks, an approval where one is required, and a clean merge state", async () => {
    const scene = shop()
      .protect({ requiredApprovals: 1, requiredChecks: ["build"] })
      .build();
    check(scene, "SUCCESS");
    scene.world.review("grace", scene.pullRequest, { state: "APPROVED", body: "" });
    const { report } = await drive(scene, { target: mergeReady() });
    expect(report).toMatchObject({ stop: "met", remaining: [] });
  });

  test.each([
    ["a draft", "draft", () => shop(true).build()],
    ["a red check", "check-failed", () => withCheck(shop().build(), "FAILURE")],
    ["a required review that is missing", "review-required", () => withCheck(shop().protect({ requiredApprovals: 1 }).build(), "SUCCESS")],
    [
      "an open thread",
      "undecided",
      () => withCheck(shop().thread({ by: "grace", path: "src/a.ts", line: 2, body: "Why 2?" }).build(), "SUCCESS"),
    ],
    ["a conflict", "conflict", () => conflicting()],
  ])("not with %s", async (_what, code, build) => {
    expect(await codes(build(), { hasAgent: false })).toContain(code);
  });

  const withCheck = (scene: Scene, conclusion: "SUCCESS" | "FAILURE"): Scene => {
    check(scene, conclusion);
    return scene;
  };
  const conflicting = (): Scene => {
    const scene = withCheck(shop().build(), "SUCCESS");
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files: { "src/a.ts": "one\nother\n" }, message: "Other" });
    return scene;
  };

  test("waits for checks that are running", async () => {
    const scene = shop().build();
    const running = check(scene, undefined);
    scene.world.after(120_000, () => scene.world.updateCheck("ci", running, { conclusion: "SUCCESS" }));
    const { report } = await drive(scene, { target: mergeReady() });
    expect(report.stop).toBe("met");
    expect(report.endedAt - report.startedAt).toBeGreaterThanOrEqual(120_000);
  });

  test("a conflict is the sync's where a policy is given", async () => {
    const scene = conflicting();
    const { report } = await drive(scene, { target: mergeReady(), settings: { sync: "merge" } });
    expect(report).toMatchObject({ stop: "sync-conflict", detail: "merge with main conflicts in src/a.ts" });
  });
});

describe("review-clean", () => {
  test("asks for nothing that a merge needs: a red check and a draft don't hold it", async () => {
    const scene = shop(true).build();
    check(scene, "FAILURE");
    expect((await drive(scene)).report.stop).toBe("met");
  });

  test("wants a fresh review of everybody who takes part", async () => {
    const scene = shop().build();
    scene.world.comment("acme-review", scene.pullRequest, `Acme score 5/5 for ${"0".repeat(40)}`);
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report.stop).toBe("timed-out");
  });
});

describe("open-for-review", () => {
  test("never waits for a reviewer, and asks none", async () => {
    const scene = shop().build();
    acmeBot(scene.world, scene.pullRequest, [], { delay: 3_600_000 });
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.ts": "b\n" }, message: "More" });
    const { report, events } = await drive(scene, { target: openForReview(), reviewers: [acme({ required: true })] });
    expect(report.stop).toBe("met");
    expect(scene.pullRequest.comments).toHaveLength(1);
    expect(events.filter((event) => event.type === "waiting" && event.for.includes("acme"))).toEqual([]);
  });
});

describe("triage and fix", () => {
  test("every open thread of every source and author goes to one call, and every fix to another", async () => {
    const scene = shop()
      .agent({
        triage: triageEach(() => ({ kind: "actionable" })),
        fix: fixEach((_thread, worktree) => {
          worktree.write("src/a.ts", "one\ntwo\n3\n");
          return { summary: "mended", files: ["src/a.ts"] };
        }),
      })
      .thread({ by: "grace", path: "src/a.ts", line: 2, body: "Write it as a word." })
      .thread({ by: "acme-review", path: "src/a.ts", line: 1, body: "One is a bad name." })
      .thread({ by: "grace", path: "src/a.ts", line: 1, body: "Resolved long ago.", resolved: true })
      .review("grace", { state: "COMMENTED", body: "Could the name be better?" })
      .comment("grace", "Please say so in the docs.")
      .build();
    await drive(scene, { reviewers: [acme()], settings: { people: { ...DEFAULTS.people, rerequest: "never" } } });
    const calls = (scene.ports.agent as unknown as { readonly calls: readonly AgentTask[] }).calls;
    expect(calls.map((task) => task.kind)).toEqual(["triage", "fix"]);
    const titles = calls.map((task) => task.threads.map((thread) => `${thread.source}: ${thread.title}`).toSorted());
    const all = [
      "comment: Please say so in the docs.",
      "inline: One is a bad name.",
      "inline: Write it as a word.",
      "review: Could the name be better?",
    ];
    expect(titles).toEqual([all, all]);
  });
});
