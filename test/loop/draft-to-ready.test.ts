/** The preset's way on scenes: asked once, worked off, handed over; and the rules under which it stops with points left. */
import { describe, expect, test } from "vitest";
import type { Plugin } from "../../core/index.js";
import { requestReviews } from "../../core/acts.js";
import { waitForWork } from "../../core/waiting.js";
import type { WaitOptions } from "../../core/waiting.js";
import { copilot } from "../../plugins/reviewers/copilot.js";
import { draftToReady } from "../../plugins/targets/draft-to-ready.js";
import { agentFix } from "../../plugins/tools/agent-fix.js";
import { agentTriage } from "../../plugins/tools/agent-triage.js";
import { commandGate } from "../../plugins/tools/command-gate.js";
import { declineLedger } from "../../plugins/tools/decline-ledger.js";
import { gitPush } from "../../plugins/tools/git-push.js";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scenario, Scene } from "../../sandbox/kit/index.js";
import type { PullRequestRecord } from "../../sandbox/world/records.js";
import { drive } from "./driving.js";
import type { Driving } from "./driving.js";
import { settingsFrom } from "./settings.js";

const BOT = "copilot-pull-request-reviewer";
const TOOLS: readonly Plugin[] = [commandGate(), declineLedger(), agentTriage(), agentFix(), gitPush()];
const SETTINGS = { nitpicks: "leave", wait: { poll: 10_000, timeout: 600_000, settle: 30_000, pace: 1 } } as const;

const POINTS = {
  bug: "The loop runs one too far.",
  ethos: "Pin the shared workflow to a commit for safety.",
  nit: "This name could be a little longer.",
} as const;
type Point = keyof typeof POINTS;

const overview = (count: number): string =>
  `## Pull request overview\n\nCounts.\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated ${count} comments.\n\n---\n\nDone.`;

/** CI goes green on each head; the bot reviews 30 s after it is asked. */
const live = (scene: Scene, points: readonly Point[], pullRequest: PullRequestRecord = scene.pullRequest): { asked: () => number } => {
  const { world } = scene;
  let asked = 0;
  const check = (): void =>
    void world.setCheck("ci-app", { repository: "ada/shop", head: pullRequest.head.sha, name: "unit", conclusion: "SUCCESS" });
  check();
  world.subscribe((event) => {
    if (event.type === "pushed" && event.pullRequest?.id === pullRequest.id) check();
    if (event.type !== "review-requested" || event.pullRequest.id !== pullRequest.id || event.login !== BOT) return;
    asked += 1;
    world.after(30_000, () => {
      const comments = points.map((point, index) => ({ path: "src/a.ts", line: index + 2, body: POINTS[point] }));
      world.review(BOT, pullRequest, { state: "COMMENTED", body: overview(comments.length), comments });
    });
  });
  return { asked: () => asked };
};

const base = (): Scenario =>
  scenario()
    .pullRequest({ author: "ada", draft: true, body: "Counts.\n\n## Context\n\nThe workflow is ours: it is not pinned on purpose." })
    .bot(BOT, { requestable: true })
    .bot("ci-app")
    .user("grace")
    .file("src/a.ts", "one\n", "one\nx <= 1\ny\nz\n")
    .commands({ "npm test": () => 0 });

const withAgent = (scenario_: Scenario, seen: string[][] = []): Scenario =>
  scenario_.agent({
    triage: (task) => {
      seen.push(task.threads.map((thread) => thread.title));
      expect(task.pullRequest.body).toContain("## Context");
      return triageEach((thread) => {
        if (thread.title === POINTS.bug) return { kind: "actionable" };
        if (thread.title === POINTS.ethos) return { kind: "false-positive", reply: "The workflow is our own and moves with us." };
        return { kind: "nitpick" };
      })(task);
    },
    fix: fixEach((_thread, worktree) => {
      worktree.write("src/a.ts", (worktree.read("src/a.ts") ?? "").replace("x <=", "x <"));
      return { summary: "compares with <", files: ["src/a.ts"] };
    }),
  });

const go = (scene: Scene, more: Driving & { readonly options?: Parameters<typeof draftToReady>[0] } = {}) => {
  const { options, ...driving } = more;
  return drive(scene, {
    reviewers: [copilot({ required: true, rerun: false })],
    target: draftToReady(options),
    tools: TOOLS,
    ...driving,
    settings: { ...SETTINGS, ...driving.settings },
  });
};

test("asked once, the bug fixed, the ethos answered, the nitpick left: handed over, met, and listed", async () => {
  const scene = withAgent(base()).build();
  const bot = live(scene, ["bug", "ethos", "nit"]);
  const { report } = await go(scene);
  expect(report.error).toBeUndefined();
  expect(report.stop).toBe("met");
  expect(report.detail).toContain("nothing but a nitpick is left");
  expect(scene.pullRequest.draft).toBe(false);
  expect(bot.asked()).toBe(1);
  const [bug, ethos, nit] = scene.pullRequest.threads;
  expect(bug).toMatchObject({ resolved: true });
  expect(ethos?.resolved).toBe(true);
  expect(ethos?.comments.at(-1)?.body).toMatch(
    /our own and moves with us\.\s+Recording for future review passes: don't ask us to address "Pin the shared workflow/,
  );
  expect(nit).toMatchObject({ resolved: false });
  expect(nit?.comments).toHaveLength(1);
  expect(report.remaining).toMatchObject([{ code: "left-over", who: "person", what: POINTS.nit }]);
  const order = scene.world.log.map((event) => event.type);
  expect(order.lastIndexOf("resolved")).toBeLessThan(order.indexOf("ready"));
  // The settle window lies between the last answer and the hand-over.
  const at = (type: string): number => scene.world.log.findLast((event) => event.type === type)?.at ?? 0;
  expect(at("ready") - at("resolved")).toBeGreaterThanOrEqual(SETTINGS.wait.settle);
});

test("the round cap: nothing more is judged, it is handed over, one issue holds what is left", async () => {
  const seen: string[][] = [];
  const scene = withAgent(base(), seen).build();
  live(scene, ["bug"]);
  const { report } = await go(scene, { options: { rounds: 1, followUp: "issue" } });
  expect(report.stop).toBe("met");
  expect(report.detail).toContain("1 of 1 rounds are over");
  expect(seen).toEqual([]);
  expect(scene.pullRequest.draft).toBe(false);
  const issues = [...scene.world.repository("ada/shop").issues.values()];
  expect(issues).toHaveLength(1);
  expect(issues[0]?.body).toContain(POINTS.bug);
  expect((await go(scene, { options: { rounds: 1, followUp: "issue" } })).report.stop).toBe("met");
  expect(scene.world.repository("ada/shop").issues.size).toBe(1);
});

test("the round cap with nothing left: it is handed over, and there is no issue about it", async () => {
  const scene = withAgent(base(), []).build();
  live(scene, []);
  const { report } = await go(scene, { options: { rounds: 1, followUp: "issue" } });
  expect(report.stop).toBe("met");
  expect(report.detail).toContain("1 of 1 rounds are over");
  expect(scene.world.repository("ada/shop").issues.size).toBe(0);
});

describe("the issue for what is left over is opened once", () => {
  // Its writes, in order: the request, the flip, the issue.
  const faulty = (fault: "lost-answer" | "bad-gateway-before"): Scene => {
    const scene = base().build();
    live(scene, ["bug"]);
    scene.world.faults.set(fault, { writes: [3] });
    return scene;
  };
  const issues = (scene: Scene): readonly string[] => [...scene.world.repository("ada/shop").issues.values()].map((issue) => issue.title);
  const TITLE = [expect.stringMatching(/^Points left over from #1: /)];
  const options = { rounds: 1, followUp: "issue" } as const;

  test("where no answer came: it is looked for", async () => {
    const scene = faulty("lost-answer");
    expect((await go(scene, { options })).report.stop).toBe("met");
    expect((await go(scene, { options })).report.stop).toBe("met");
    expect(issues(scene)).toEqual(TITLE);
  });

  test("where it was not opened: by the next run", async () => {
    const scene = faulty("bad-gateway-before");
    expect((await go(scene, { options })).report).toMatchObject({ stop: "no-progress" });
    expect([issues(scene), scene.pullRequest.draft]).toEqual([[], false]);
    expect((await go(scene, { options })).report.stop).toBe("met");
    expect(issues(scene)).toEqual(TITLE);
  });

  test("where the journal is lost: the one that is there is found", async () => {
    const scene = base().build();
    live(scene, ["bug"]);
    await go(scene, { options });
    const fresh = { ...scene.ports, store: scenario().build().ports.store };
    expect((await go(scene, { options, ports: fresh })).report.stop).toBe("met");
    expect(issues(scene)).toEqual(TITLE);
  });

  test("by wait, also where the call before broke off between the flip and the issue", async () => {
    const scene = base().build();
    live(scene, ["bug"]);
    scene.world.requestBotReview("ada", scene.pullRequest, BOT);
    const waiting = optionsFor(scene, [copilot({ required: true, rerun: false })], options);
    scene.world.faults.set("bad-gateway-before", { writes: [2] });
    expect(await waitForWork(waiting)).toMatchObject({ state: "READY", flipped: true, handOver: expect.stringContaining("not there") });
    expect([issues(scene), scene.pullRequest.draft]).toEqual([[], false]);
    expect(await waitForWork(waiting)).toMatchObject({
      state: "READY",
      flipped: false,
      handOver: expect.stringContaining("opened an issue"),
    });
    expect(await waitForWork(waiting)).toMatchObject({ state: "READY", flipped: false, next: "stop: a person reads it and merges" });
    expect(issues(scene)).toEqual(TITLE);
  });
});

test("there is no round after the last: whoever reviews each push is not asked again, by run and by a bare request", async () => {
  const scene = base().build();
  const bot = live(scene, ["bug"]);
  const { world, pullRequest } = scene;
  const reviewers = [copilot({ required: true, rerun: true })];
  const left = { stop: "met", detail: expect.stringContaining("1 of 1 rounds are over"), remaining: [{ code: "left-over" }] };
  expect((await go(scene, { reviewers, options: { rounds: 1 } })).report).toMatchObject(left);
  await scene.clock.sleep(120_000);
  world.markDraft("grace", pullRequest);
  await scene.clock.sleep(120_000);
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.ts": "more\n" }, message: "More" });
  const options = optionsFor(scene, reviewers, { rounds: 1 });
  expect(await requestReviews(options)).toMatchObject({
    done: true,
    results: [],
    detail: expect.stringContaining("nobody is left to ask"),
  });
  expect((await go(scene, { reviewers, options: { rounds: 1 } })).report).toMatchObject(left);
  expect([bot.asked(), pullRequest.draft]).toEqual([1, false]);
  // A person's order asks all the same.
  expect(await requestReviews(options, "copilot")).toMatchObject({ done: true, results: [{ what: "request copilot" }] });
  expect(bot.asked()).toBe(2);
});

test("under the cap, what people say and a red check still hold it", async () => {
  const person = base().build();
  live(person, ["bug"]);
  person.world.subscribe((event) => {
    if (event.type === "reviewed" && event.actor === BOT)
      person.world.addThread("grace", person.pullRequest, { path: "src/a.ts", line: 2, body: "Should this be here?" });
  });
  const held = await go(person, { options: { rounds: 1 } });
  expect(held.report.stop).toBe("waiting-for-people");
  expect(person.pullRequest.draft).toBe(true);

  const red = base().build();
  live(red, ["bug"]);
  red.world.subscribe((event) => {
    if (event.type === "reviewed" && event.actor === BOT)
      red.world.setCheck("ci-app", { repository: "ada/shop", head: red.pullRequest.head.sha, name: "unit", conclusion: "FAILURE" });
  });
  const stopped = await go(red, { options: { rounds: 1 } });
  expect(stopped.report.stop).toBe("ci-red");
  expect(red.pullRequest.draft).toBe(true);
});

test("taken back to draft: not handed over again until something is pushed", async () => {
  const scene = withAgent(base()).build();
  live(scene, []);
  expect((await go(scene)).report.stop).toBe("met");
  await scene.clock.sleep(120_000);
  scene.world.markDraft("grace", scene.pullRequest);
  const again = await go(scene);
  expect(again.report.stop).toBe("waiting-for-people");
  expect(again.report.remaining).toMatchObject([{ code: "draft", who: "person" }]);
  expect(scene.pullRequest.draft).toBe(true);
  await scene.clock.sleep(120_000);
  scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": "more\n" }, message: "More" });
  expect((await go(scene)).report.stop).toBe("met");
  expect(scene.pullRequest.draft).toBe(false);
});

test("the ledger answers what was declined before, on another pull request too, and counts it; a nitpick that recurs is answered", async () => {
  const seen: string[][] = [];
  const scene = withAgent(base(), seen).build();
  live(scene, ["ethos", "nit"]);
  await go(scene);
  expect(seen).toEqual([[POINTS.ethos, POINTS.nit]]);
  const { world } = scene;
  world.commitAndPush("ada", { repository: "ada/shop", branch: "second", files: { "src/a.ts": "one\na\nb\nc\n" }, message: "Second" });
  const second = world.openPullRequest("ada", {
    repository: "ada/shop",
    head: "second",
    title: "Second",
    body: "## Context\n\nNone.",
    draft: true,
  });
  live(scene, ["ethos", "nit"], second);
  const { report } = await go(scene, { ref: { ...scene.pullRequestRef, number: second.number } });
  expect(report.error).toBeUndefined();
  expect(report.stop).toBe("met");
  expect(seen).toHaveLength(1);
  expect(second.threads.map((thread) => thread.resolved)).toEqual([true, true]);
  expect(second.threads[0]?.comments.at(-1)?.body).toMatch(/moves with us\.[\s\S]*Answered before: http/);
  expect(second.threads[1]?.comments.at(-1)?.body).toContain("came up before");
  const ledger = (await scene.store.recall(scene.pullRequestRef, "plugin:decline-ledger:declined"))?.value;
  expect(ledger).toContainEqual(expect.objectContaining({ title: POINTS.ethos, times: 2 }));
});

test("a committed ledger counts as the base branch has it, and not as the branch under review has it", async () => {
  const line = (title: string): string => `${JSON.stringify({ title, why: "settled", reply: "Settled long ago." })}\n`;
  const seen: string[][] = [];
  const scene = withAgent(base().file(".reviewloop/declined.jsonl", line(POINTS.ethos), line(POINTS.bug)), seen).build();
  live(scene, ["bug", "ethos"]);
  const { report } = await go(scene);
  expect(report.stop).toBe("met");
  expect(seen).toEqual([[POINTS.bug]]);
  expect(scene.pullRequest.threads[1]?.comments.at(-1)?.body).toContain("Settled long ago.");
});

const optionsFor = (scene: Scene, reviewers: readonly Plugin[], target: Parameters<typeof draftToReady>[0] = {}): WaitOptions => ({
  ref: scene.pullRequestRef,
  plugins: [...reviewers, draftToReady(target), ...TOOLS],
  settings: settingsFrom({ ...SETTINGS, target: "draft-to-ready", hasAgent: false }),
  ports: scene.ports,
  outgoing: { folders: [], findSecrets: () => [] },
  signal: new AbortController().signal,
  random: () => 0,
});

test("wait hands over at READY by itself, once; while nothing moves it costs one request a tick", async () => {
  const scene = base().build();
  live(scene, [], scene.pullRequest);
  const options = optionsFor(scene, [copilot({ required: true, rerun: false })]);
  expect(await waitForWork(options)).toMatchObject({
    state: "REVIEWS_PENDING",
    timedOut: false,
    next: expect.stringContaining("reviewloop request"),
  });

  scene.world.requestBotReview("ada", scene.pullRequest, BOT);
  const started = scene.ports.forge.cost.requests;
  const events: string[] = [];
  const before = scene.clock.now();
  expect(await waitForWork({ ...options, timeout: 20_000, onProgress: (event) => events.push(event.type) })).toMatchObject({
    timedOut: true,
  });
  // 10 s, then 10 s that are left: a read with its pulse before it, and two pulses.
  expect(scene.ports.forge.cost.requests - started).toBeLessThanOrEqual(5);
  expect(scene.clock.now() - before).toBe(20_000);

  const done = await waitForWork(options);
  expect(done).toMatchObject({ state: "READY", flipped: true, timedOut: false });
  expect(scene.pullRequest.draft).toBe(false);
  expect(await waitForWork(options)).toMatchObject({ state: "READY", flipped: false });
  expect(scene.world.log.filter((event) => event.type === "ready")).toHaveLength(1);
});
