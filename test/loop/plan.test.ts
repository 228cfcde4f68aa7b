/** A plan as a file: made without a write, carried out as it stands, or not at all. */
import { describe, expect, test } from "vitest";
import { parsePlan, planDocument } from "../../core/index.js";
import type { PlanDocument, Report, WriteOf } from "../../core/index.js";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { acme, acmeBot } from "./acme.js";
import { drive } from "./driving.js";

const shop = (): Scene => {
  const scene = scenario()
    .pullRequest({ author: "ada" })
    .user("grace")
    .bot("acme-review")
    .file("src/a.ts", "one\ntwo\n", "one\nfor (i = 0; i <= n; i++)\n")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach((thread) =>
        thread.title.includes("Off by one") ? { kind: "actionable" } : { kind: "false-positive", reply: "It is meant so." },
      ),
      fix: fixEach((_thread, worktree) => {
        worktree.write("src/a.ts", (worktree.read("src/a.ts") ?? "").replace("<=", "<"));
        return { summary: "compares with < now", files: ["src/a.ts"] };
      }),
    })
    .build();
  acmeBot(scene.world, scene.pullRequest, [
    { path: "src/a.ts", line: 2, body: "Off by one here.", stillIn: (text) => text.includes("<=") },
    { path: "src/a.ts", line: 1, body: "A strange name.", stillIn: () => true },
  ]);
  return scene;
};

/** Made, written, read again: as on another machine. */
const planned = async (scene: Scene): Promise<PlanDocument> => {
  const { report } = await drive(scene, { reviewers: [acme()], plan: true });
  expect(report.error).toBeUndefined();
  return parsePlan(JSON.stringify(planDocument(report)));
};
const apply = async (scene: Scene, plan: PlanDocument): Promise<Report> => {
  const { report } = await drive(scene, { reviewers: [acme()], apply: plan, ports: { ...scene.portsFor("ada"), store: scene.store } });
  return report;
};
const pushOf = (plan: PlanDocument): WriteOf<"push"> => {
  const push = plan.writes.find((write): write is WriteOf<"push"> => write.kind === "push");
  if (push === undefined) throw new Error("The plan pushes nothing.");
  return push;
};

describe("a plan", () => {
  test("is made without a write, and holds each write with what it depends on", async () => {
    const scene = shop();
    const before = scene.world.log.length;
    const plan = await planned(scene);
    expect(scene.world.log.length).toBe(before);
    expect(plan.writes.map((write) => write.kind)).toEqual(["push", "reply", "reply", "resolve", "resolve", "request"]);
    expect(plan.head).toBe(scene.pullRequest.head.sha);
    const push = pushOf(plan);
    expect(push).toMatchObject({
      expected: plan.head,
      preconditions: { head: plan.head },
      made: [{ parent: plan.head, tree: push.tree, commit: push.to }],
    });
    expect(push.made?.[0]?.patch).toContain("+for (i = 0; i < n; i++)");
    for (const write of plan.writes) if (write.kind === "reply") expect(write.preconditions.contentHash).toMatch(/^[0-9a-f]{20}$/);
  });

  test("is carried out on another worktree: the same tree, the new commit's name in the replies, parked at the first wait", async () => {
    const scene = shop();
    const plan = await planned(scene);
    const old = pushOf(plan).to;
    // Later, so that the commit made again has another id.
    await scene.clock.sleep(5000);
    const report = await apply(scene, plan);
    expect(report.error).toBeUndefined();
    expect(report.stop).toBeNull();
    expect(report.waits.length).toBeGreaterThan(0);
    const head = scene.pullRequest.head.sha;
    expect(report.pushes).toEqual([head]);
    expect(scene.world.git.treeOf(scene.pullRequest.repository, head)).toBe(pushOf(plan).tree);
    const bodies = scene.pullRequest.threads.map((thread) => thread.comments.at(-1)?.body ?? "");
    expect(bodies[0]).toContain(`Fixed in ${head.slice(0, 10)}`);
    expect(head).not.toBe(old);
    expect(bodies.join("\n")).not.toContain(old.slice(0, 10));
    expect(bodies[1]).toContain("It is meant so.");
    expect(scene.pullRequest.threads.map((thread) => thread.resolved)).toEqual([true, true]);
    expect(scene.pullRequest.comments.filter((comment) => comment.body.startsWith("@acme review"))).toHaveLength(1);
  });

  test("a second time: nothing is done twice", async () => {
    const scene = shop();
    const plan = await planned(scene);
    await apply(scene, plan);
    const before = scene.world.log.length;
    const report = await apply(scene, plan);
    expect(report.stop).toBeNull();
    expect(scene.world.log.length).toBe(before);
  });

  test("the head has moved: refused, with the reason, nothing written", async () => {
    const scene = shop();
    const plan = await planned(scene);
    scene.world.commitAndPush("ada", {
      repository: scene.pullRequest.repository,
      branch: "topic",
      files: { "b.ts": "x\n" },
      message: "More",
    });
    const before = scene.world.log.length;
    const report = await apply(scene, plan);
    expect(report).toMatchObject({ stop: "refused", pushes: [] });
    expect(report.detail).toContain(`the plan was made on ${plan.head.slice(0, 10)}`);
    expect(scene.world.log.length).toBe(before);
  });

  test("somebody wrote in a thread: refused, nothing written", async () => {
    const scene = shop();
    const plan = await planned(scene);
    const thread = scene.pullRequest.threads[1];
    if (thread === undefined) throw new Error("no thread");
    scene.world.replyToThread("grace", thread, "No: please rename it.");
    const before = scene.world.log.length;
    const report = await apply(scene, plan);
    expect(report.stop).toBe("refused");
    expect(report.detail).toContain('somebody wrote in "A strange name."');
    expect(scene.world.log.length).toBe(before);
  });

  test("a thread was closed meanwhile: refused, nothing written", async () => {
    const scene = shop();
    const plan = await planned(scene);
    const thread = scene.pullRequest.threads[1];
    if (thread === undefined) throw new Error("no thread");
    scene.world.resolve("grace", thread);
    const before = scene.world.log.length;
    const report = await apply(scene, plan);
    expect(report.stop).toBe("refused");
    expect(report.detail).toContain('"A strange name." was closed since');
    expect(scene.world.log.length).toBe(before);
  });

  const changed = (plan: PlanDocument, change: (text: string) => string): PlanDocument => parsePlan(change(JSON.stringify(plan)));

  test("a patch that was touched leads to another tree: refused", async () => {
    const scene = shop();
    const plan = changed(await planned(scene), (text) => text.replace("+for (i = 0; i < n; i++)", "+for (i = 0; i < m; i++)"));
    const before = scene.world.log.length;
    const report = await apply(scene, plan);
    expect(report.stop).toBe("refused");
    expect(report.detail).toContain("its patch leads to the tree");
    expect(scene.world.log.length).toBe(before);
  });

  test("a target that is not in force: refused", async () => {
    const scene = shop();
    const plan = changed(await planned(scene), (text) => text.replace('"target":"review-clean"', '"target":"merge-ready"'));
    expect((await apply(scene, plan)).stop).toBe("refused");
  });

  test("what only looks like a plan is told as that", () => {
    expect(() => parsePlan("no")).toThrow("no JSON");
    expect(() => parsePlan("{}")).toThrow("required");
    expect(() => parsePlan(JSON.stringify({ schemaVersion: 1, url: "u", target: "t", head: "h", writes: [] }))).toThrow("head");
  });
});

describe("each step confirmed", () => {
  const confirmed = async (
    scene: Scene,
    answers: readonly boolean[],
  ): Promise<{ readonly report: Report; readonly asked: readonly string[] }> => {
    const asked: string[] = [];
    const { report } = await drive(scene, {
      reviewers: [acme()],
      park: true,
      confirm: true,
      approve: async (writes) => {
        asked.push([...new Set(writes.map((write) => write.kind))].join());
        return answers[asked.length - 1] ?? false;
      },
    });
    return { report, asked };
  };
  const kinds = (report: Report): readonly string[] => report.plan.map((write) => write.kind);

  test("every step is asked for by itself, in the order of the loop", async () => {
    const { report, asked } = await confirmed(shop(), [true, true, true, true]);
    expect(asked).toEqual(["push", "reply", "resolve", "request"]);
    expect(report.stop).toBeNull();
  });

  test.each([
    [0, ["push", "reply", "reply", "resolve", "resolve", "request"]],
    [1, ["reply", "reply", "resolve", "resolve", "request"]],
    [2, ["resolve", "resolve"]],
    [3, ["request"]],
  ])("no after %i steps: nothing of that step and none after it; the rest is in the plan; the next run goes on", async (yes, left) => {
    const scene = shop();
    const { report, asked } = await confirmed(
      scene,
      Array.from({ length: yes }, () => true),
    );
    expect(asked).toHaveLength(yes + 1);
    expect(report.stop).toBe("needs-approval");
    expect(kinds(report)).toEqual(left);
    const next = await drive(scene, { reviewers: [acme()], park: true });
    expect(next.report.error).toBeUndefined();
    expect(scene.pullRequest.threads.map((thread) => [thread.resolved, thread.comments.length])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    expect(scene.pullRequest.comments.filter((comment) => comment.body.startsWith("@acme review"))).toHaveLength(1);
  });

  test("nobody there to confirm: nothing is written, whatever was agreed to beforehand", async () => {
    const scene = shop();
    const before = scene.world.log.length;
    const { report } = await drive(scene, { reviewers: [acme()], park: true, confirm: true, yes: true });
    expect(report.stop).toBe("needs-approval");
    expect(kinds(report)).toContain("push");
    expect(scene.world.log.length).toBe(before);
  });
});
