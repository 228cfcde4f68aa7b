import { describe, expect, test } from "vitest";
import { newestChecks, type CheckConclusion, type Protection, type World, type PullRequestRecord } from "../../sandbox/world/index.js";
import { REPOSITORY, stage } from "./support.js";

type Prepare = (world: World, pullRequest: PullRequestRecord) => unknown;
const check =
  (name: string, conclusion?: CheckConclusion): Prepare =>
  (world, { head }) =>
    world.createCheck("acme", {
      repository: REPOSITORY,
      head: head.sha,
      name,
      ...(conclusion === undefined ? { status: "IN_PROGRESS" } : { conclusion }),
    });
const status =
  (context: string, state: "SUCCESS" | "PENDING" | "FAILURE"): Prepare =>
  (world, { head }) =>
    world.setStatus("ada", { repository: REPOSITORY, head: head.sha, context, state });
const baseMoves: Prepare = (world) =>
  world.commitAndPush("ada", { repository: REPOSITORY, branch: "main", files: { "src/b.txt": "new\n" }, message: "b" });

interface Case {
  readonly name: string;
  readonly rules?: Partial<Protection>;
  readonly steps?: readonly Prepare[];
  readonly expected: string;
}
const CASES: readonly Case[] = [
  { name: "nothing is asked", expected: "CLEAN" },
  { name: "a failing check that nobody requires", steps: [check("lint", "FAILURE")], expected: "UNSTABLE" },
  { name: "a running one", steps: [check("lint")], expected: "UNSTABLE" },
  { name: "skipped and neutral ones", steps: [check("a", "SKIPPED"), check("b", "NEUTRAL")], expected: "CLEAN" },
  { name: "a required check that is not there", rules: { requiredChecks: ["build"] }, expected: "BLOCKED" },
  { name: "a required check that passed", rules: { requiredChecks: ["build"] }, steps: [check("build", "SUCCESS")], expected: "CLEAN" },
  {
    name: "a required check that was cancelled",
    rules: { requiredChecks: ["build"] },
    steps: [check("build", "CANCELLED")],
    expected: "BLOCKED",
  },
  {
    name: "a required name that a check passed and a status did not",
    rules: { requiredChecks: ["build"] },
    steps: [check("build", "SUCCESS"), status("build", "FAILURE")],
    expected: "BLOCKED",
  },
  { name: "a status that a newer one replaced", steps: [status("ci", "FAILURE"), status("ci", "SUCCESS")], expected: "CLEAN" },
  { name: "a draft", steps: [(world, on) => world.markDraft("ada", on)], expected: "DRAFT" },
  {
    name: "an open thread where conversations must be resolved",
    rules: { requiresConversationResolution: true },
    steps: [(world, on) => world.addThread("acme", on, { path: "src/a.txt", line: 5, body: "?" })],
    expected: "BLOCKED",
  },
  {
    name: "an open thread where they need not be",
    steps: [(world, on) => world.addThread("acme", on, { path: "src/a.txt", line: 5, body: "?" })],
    expected: "CLEAN",
  },
  {
    name: "a thread of somebody's draft review",
    rules: { requiresConversationResolution: true },
    steps: [(world, on) => world.review("cleo", on, { state: "PENDING", comments: [{ path: "src/a.txt", line: 5, body: "?" }] })],
    expected: "CLEAN",
  },
  { name: "a missing approval", rules: { requiredApprovals: 1 }, expected: "BLOCKED" },
  {
    name: "an approval",
    rules: { requiredApprovals: 1 },
    steps: [(world, on) => world.review("cleo", on, { state: "APPROVED" })],
    expected: "CLEAN",
  },
  {
    name: "an approval of somebody who may not write",
    rules: { requiredApprovals: 1 },
    steps: [(world, on) => world.review("eve", on, { state: "APPROVED" })],
    expected: "BLOCKED",
  },
  {
    name: "an approval after which the same person asked for changes",
    rules: { requiredApprovals: 1 },
    steps: [
      (world, on) => world.review("cleo", on, { state: "APPROVED" }),
      (world, on) => world.review("cleo", on, { state: "CHANGES_REQUESTED", body: "no" }),
      (world, on) => world.review("ada", on, { state: "APPROVED" }),
    ],
    expected: "BLOCKED",
  },
  {
    name: "a request for changes that a later comment does not lift, and a dismissal does",
    rules: { requiredApprovals: 1 },
    steps: [
      (world, on) => world.dismissReview("ada", world.review("cleo", on, { state: "CHANGES_REQUESTED", body: "no" })),
      (world, on) => world.review("ada", on, { state: "APPROVED" }),
      (world, on) => world.review("cleo", on, { state: "COMMENTED", body: "fine" }),
    ],
    expected: "CLEAN",
  },
  {
    name: "an approval before a push, where a push dismisses",
    rules: { requiredApprovals: 1, dismissStaleReviews: true },
    steps: [
      (world, on) => world.review("cleo", on, { state: "APPROVED" }),
      (world) => world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" }),
    ],
    expected: "BLOCKED",
  },
  { name: "a base that moved", steps: [baseMoves], expected: "CLEAN" },
  { name: "a base that moved, where it must be up to date", rules: { upToDate: true }, steps: [baseMoves], expected: "BEHIND" },
  {
    name: "a conflict",
    steps: [
      (world) => world.commitAndPush("ada", { repository: REPOSITORY, branch: "main", files: { "src/a.txt": "mine\n" }, message: "a" }),
    ],
    expected: "DIRTY",
  },
  {
    name: "a queued one reads clean whatever is red",
    rules: { requiredChecks: ["build"] },
    steps: [(world, on) => world.enqueue("ada", on)],
    expected: "CLEAN",
  },
  { name: "a closed one", steps: [(world, on) => world.close("ada", on)], expected: "UNKNOWN" },
];

test.each(CASES)("$name: $expected", ({ rules, steps = [], expected }) => {
  const { world, pullRequest } = stage(rules === undefined ? {} : { rules });
  for (const step of steps) step(world, pullRequest);
  expect(world.mergeView(pullRequest).mergeState).toBe(expected);
  expect(world.mergeView(pullRequest).mergeable).toBe(
    expected === "DIRTY" ? "CONFLICTING" : expected === "UNKNOWN" ? "UNKNOWN" : "MERGEABLE",
  );
});

test("review decisions", () => {
  const { world, pullRequest } = stage({ rules: { requiredApprovals: 1 } });
  expect(world.mergeView(pullRequest).reviewDecision).toBe("REVIEW_REQUIRED");
  const no = world.review("cleo", pullRequest, { state: "CHANGES_REQUESTED", body: "no" });
  expect(world.mergeView(pullRequest).reviewDecision).toBe("CHANGES_REQUESTED");
  world.dismissReview("ada", no);
  expect(world.mergeView(pullRequest).reviewDecision).toBe("REVIEW_REQUIRED");
  world.review("ada", pullRequest, { state: "APPROVED" });
  expect(world.mergeView(pullRequest).reviewDecision).toBe("APPROVED");
});

test("unknown until it was read so often after each change of head or base", () => {
  const { world, pullRequest } = stage();
  world.faults.set("merge-state-unknown", { reads: 2 });
  const three = () => [1, 2, 3].map(() => world.mergeView(pullRequest).mergeState);
  expect(three()).toEqual(["UNKNOWN", "UNKNOWN", "CLEAN"]);
  expect(three()).toEqual(["CLEAN", "CLEAN", "CLEAN"]);
  world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" });
  expect(three()).toEqual(["UNKNOWN", "UNKNOWN", "CLEAN"]);
  baseMoves(world, pullRequest);
  expect(three()).toEqual(["UNKNOWN", "UNKNOWN", "CLEAN"]);
});

describe("runs of one check", () => {
  test("the later start counts, whichever ended first and whichever stands first", () => {
    const { world, clock, pullRequest } = stage();
    const input = { repository: REPOSITORY, head: pullRequest.head.sha, name: "build" } as const;
    const first = world.createCheck("acme", { ...input, status: "IN_PROGRESS" });
    clock.jump(10_000);
    const second = world.createCheck("acme", { ...input, status: "IN_PROGRESS" });
    clock.jump(10_000);
    world.updateCheck("acme", second, { conclusion: "SUCCESS" });
    clock.jump(10_000);
    world.updateCheck("acme", first, { conclusion: "CANCELLED" });
    const all = world.checksOf(REPOSITORY, pullRequest.head.sha);
    expect(newestChecks(all)).toEqual([second]);
    expect(newestChecks(all.toReversed())).toEqual([second]);
  });

  test("within one second the one least like a success counts", () => {
    const { world, pullRequest } = stage();
    const input = { repository: REPOSITORY, head: pullRequest.head.sha, name: "build" } as const;
    const red = world.createCheck("acme", { ...input, conclusion: "FAILURE" });
    world.createCheck("acme", { ...input, conclusion: "SUCCESS" });
    expect(newestChecks(world.checksOf(REPOSITORY, pullRequest.head.sha))).toEqual([red]);
  });

  test("two apps and two workflows with one name are two checks", () => {
    const { world, pullRequest } = stage();
    const input = { repository: REPOSITORY, head: pullRequest.head.sha, name: "build", conclusion: "SUCCESS" } as const;
    world.createCheck("acme", input);
    world.createCheck("other", input);
    world.createCheck("other", { ...input, workflow: { name: "ci", event: "push" } });
    world.createCheck("other", { ...input, workflow: { name: "ci", event: "pull_request" } });
    expect(newestChecks(world.checksOf(REPOSITORY, pullRequest.head.sha))).toHaveLength(4);
  });

  test("an app goes on with its run until that is over, and touches no other app's", () => {
    const { world, pullRequest } = stage();
    const input = { repository: REPOSITORY, head: pullRequest.head.sha, name: "build" } as const;
    const run = world.setCheck("acme", { ...input, status: "IN_PROGRESS" });
    expect(world.setCheck("acme", { ...input, conclusion: "SUCCESS", summary: "fine", log: "ok" })).toBe(run);
    expect(run).toMatchObject({ status: "COMPLETED", conclusion: "SUCCESS", completedAt: world.now() });
    expect(world.checkLog(run)).toBe("ok");
    expect(world.setCheck("acme", { ...input, status: "QUEUED" })).not.toBe(run);
    expect(() => world.updateCheck("other", run, { conclusion: "FAILURE" })).toThrow(/only be modified by the GitHub App/);
  });
});
