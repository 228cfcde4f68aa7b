/** What `wait` costs over HTTP while nothing moves, and when it says that it is still there. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { githubForge } from "../../core/adapters/index.js";
import type { Forge, Progress } from "../../core/index.js";
import { lookAt } from "../../core/look.js";
import { waitForWork } from "../../core/waiting.js";
import type { WaitOptions } from "../../core/waiting.js";
import { copilot } from "../../plugins/reviewers/copilot.js";
import { draftToReady } from "../../plugins/targets/draft-to-ready.js";
import { startSandbox } from "../../sandbox/index.js";
import type { PullRequestRecord, Sandbox } from "../../sandbox/index.js";
import { scenario } from "../../sandbox/kit/index.js";
import { virtualClock } from "../../sandbox/kit/virtual-clock.js";
import type { VirtualClock } from "../../sandbox/kit/virtual-clock.js";
import { settingsFrom } from "../loop/settings.js";

const BOT = "copilot-pull-request-reviewer";
const MINUTE = 60_000;

let sandbox: Sandbox;
let clock: VirtualClock;
let pullRequest: PullRequestRecord;
let forge: Forge;
/** Milliseconds slept, in order. */
let slept: number[];
let events: Progress[];

beforeEach(async () => {
  clock = virtualClock();
  sandbox = await startSandbox({ clock });
  const { world } = sandbox;
  for (const login of ["ada", "grace"]) world.addUser(login);
  world.addBot(BOT, { requestable: true });
  world.addBot("ci-app");
  world.addRepository("ada/shop", { files: { "a.txt": "one\n" } });
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "a.txt": "two\n" }, message: "Two" });
  pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Two", draft: true });
  world.setCheck("ci-app", { repository: "ada/shop", head: pullRequest.head.sha, name: "unit", conclusion: "SUCCESS" });
  forge = githubForge({ ...sandbox, host: world.host, token: sandbox.tokenFor("ada"), clock, pace: 0 });
  slept = [];
  events = [];
});
afterEach(async () => {
  const { unknownRequests } = sandbox;
  await sandbox.close();
  expect(unknownRequests).toEqual([]);
});

/** The bot is asked, and all lists show it: at first some lag behind. */
const asked = async (): Promise<void> => {
  sandbox.world.requestBotReview("ada", pullRequest, BOT);
  await clock.sleep(MINUTE);
};

const options = (more: Partial<WaitOptions> = {}): WaitOptions => ({
  ref: { host: sandbox.world.host, owner: "ada", name: "shop", number: pullRequest.number },
  plugins: [copilot({ required: true, rerun: false }), draftToReady()],
  settings: settingsFrom({
    target: "draft-to-ready",
    hasAgent: false,
    wait: { poll: 10_000, timeout: 60 * MINUTE, settle: 30_000, pace: 0 },
  }),
  ports: {
    ...scenario().build().ports,
    forge,
    clock: {
      now: clock.now,
      sleep: (milliseconds, signal) => {
        slept.push(milliseconds);
        return clock.sleep(milliseconds, signal);
      },
    },
  },
  outgoing: { folders: [], findSecrets: () => [] },
  signal: new AbortController().signal,
  onProgress: (event) => events.push(event),
  ...more,
});

test("while nothing moves a look is one request of one point; looks grow apart to a minute; a line a minute says that it is alive", async () => {
  await asked();
  const before = { ...forge.cost };
  expect(await waitForWork(options({ timeout: 1, random: () => 0 }))).toMatchObject({ state: "REVIEWS_PENDING", timedOut: true });
  // What the first read takes, and the one look at the end of the time.
  const first = { requests: forge.cost.requests - before.requests - 1, points: forge.cost.points - before.points - 1 };
  expect(first.requests).toBeLessThanOrEqual(4);

  const from = { ...forge.cost };
  const began = clock.now();
  slept = [];
  expect(await waitForWork(options({ timeout: 9 * MINUTE, random: () => 0 }))).toMatchObject({ timedOut: true, took: 9 * MINUTE });
  expect(clock.now() - began).toBe(9 * MINUTE);
  const looks = slept.length;
  expect(slept.slice(0, 5)).toEqual([10_000, 15_000, 22_500, 33_750, 50_625]);
  expect(Math.max(...slept)).toBe(MINUTE);
  expect({
    requests: forge.cost.requests - from.requests - first.requests,
    points: forge.cost.points - from.points - first.points,
  }).toEqual({
    requests: looks,
    points: looks,
  });
  const alive = events.filter((event) => event.type === "waiting");
  expect(alive.length).toBeGreaterThanOrEqual(6);
  for (const [index, event] of alive.entries()) {
    expect(event).toMatchObject({ for: ["copilot"], waits: [{ name: "copilot" }], until: began + 9 * MINUTE });
    expect(event.at - (alive[index - 1]?.at ?? began)).toBeGreaterThanOrEqual(MINUTE);
  }
});

test("many that wait do not look at the same moment, and none later than said", async () => {
  await asked();
  await waitForWork(options({ timeout: 5 * MINUTE, random: () => 0.5 }));
  expect(slept.slice(0, 3)).toEqual([9_000, 13_500, 20_250]);
  expect(Math.max(...slept)).toBe(54_000);
});

test("what comes is seen at the next look", async () => {
  await asked();
  sandbox.world.after(2 * MINUTE, () =>
    sandbox.world.review(BOT, pullRequest, {
      state: "COMMENTED",
      body: "## Pull request overview\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated 1 comment.\n\n---\n",
      comments: [{ path: "a.txt", line: 1, body: "Two is too many." }],
    }),
  );
  const found = await waitForWork(options({ random: () => 0 }));
  expect(found).toMatchObject({ state: "ADDRESSING", timedOut: false, flipped: false });
  expect(found.took).toBeGreaterThanOrEqual(2 * MINUTE);
  expect(found.took).toBeLessThanOrEqual(3 * MINUTE);
});

test("what starts with the flip and speaks within the settle window is part of the answer", async () => {
  const { world } = sandbox;
  world.review(BOT, pullRequest, {
    state: "COMMENTED",
    body: "## Pull request overview\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated no comments.\n\n---\n",
  });
  world.subscribe((event) => {
    if (event.type === "ready")
      world.after(10_000, () => void world.addThread("grace", pullRequest, { path: "a.txt", line: 1, body: "Late?" }));
  });
  const found = await waitForWork(options({ random: () => 0 }));
  expect(pullRequest.draft).toBe(false);
  expect(slept.at(-1)).toBe(30_000);
  expect(found).toMatchObject({ flipped: true, state: "ADDRESSING", handOver: "marked ready for review" });
});

test("a run that a newer one of the same check replaced does not count, and its failure is none", async () => {
  const run = (conclusion: "FAILURE" | "SUCCESS") =>
    sandbox.world.createCheck("ci-app", { repository: "ada/shop", head: pullRequest.head.sha, name: "unit", conclusion });
  await clock.sleep(5_000);
  run("FAILURE");
  expect(await lookAt(options())).toMatchObject({ state: "BLOCKED", why: '"unit" ended as failure' });
  await clock.sleep(5_000);
  run("SUCCESS");
  expect(await lookAt(options())).toMatchObject({ state: "REVIEWS_PENDING" });
});
