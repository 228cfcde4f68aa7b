/** Merge states and checks that come late, stay behind, or say two things at once. */
import { expect } from "vitest";
import { mergeReady } from "../../plugins/targets/merge-ready.js";
import type { Scenario } from "../../sandbox/kit/index.js";
import { pull, resolveAll } from "./asking.js";
import { fault, picture } from "./case.js";
import type { Stand } from "./stand.js";

const READY = { target: mergeReady() };
const state = (stand: Stand): Promise<unknown> => pull(stand, "mergeable mergeStateStatus");
const says = (mergeable: string, mergeStateStatus: string): object => ({ mergeable, mergeStateStatus });
const rollup = (stand: Stand): Promise<unknown> =>
  pull(
    stand,
    "statusCheckRollup { state contexts(first: 5) { nodes { __typename ... on CheckRun { name conclusion } ... on StatusContext { context state } } } }",
  );
const run = (conclusion: string): object => ({ __typename: "CheckRun", name: "unit", conclusion });
const mended = (stand: Stand): void => expect(picture(stand)).toMatchObject({ slips: 0, asked: 1 });

const onMain = (files: Readonly<Record<string, string>>) => ({
  on: {
    scene: (made: Scenario) =>
      made.step(({ world }) => void world.commitAndPush("grace", { repository: "ada/shop", branch: "main", files, message: "On main" })),
  },
});

export const CHECKS = [
  fault({
    name: "merge-state-unknown",
    sees: async (stand) => [await state(stand), await state(stand)],
    shows: [says("UNKNOWN", "UNKNOWN"), says("MERGEABLE", "CLEAN")],
    runs: [
      { run: READY, stop: "met" },
      { options: { reads: 3 }, run: READY, stop: "met" },
    ],
  }),
  fault({
    name: "merge-state-stale",
    ...onMain({ "src/a.ts": "other\n" }),
    sees: async (stand) => [await state(stand), await state(stand)],
    shows: [says("MERGEABLE", "DIRTY"), says("CONFLICTING", "DIRTY")],
    // Mergeable is not believed beside a state that says otherwise.
    runs: [{ options: { reads: 1_000 }, run: READY, stop: "waiting-for-people", says: "conflict" }],
  }),
  fault({
    name: "merge-state-sticky",
    async sees(stand) {
      await resolveAll(stand);
      return [await state(stand), await state(stand), await state(stand)];
    },
    shows: [says("MERGEABLE", "BLOCKED"), says("MERGEABLE", "BLOCKED"), says("MERGEABLE", "CLEAN")],
    runs: [
      { run: READY, stop: "met" },
      { options: { reads: 6 }, run: READY, stop: "met" },
    ],
  }),
  fault({
    name: "merge-state-waits",
    async sees(stand) {
      const { answer } = await stand.client.rest("/repos/ada/shop/pulls/7");
      stand.scene.world.commitAndPush("grace", { repository: "ada/shop", branch: "topic", files: { "b.txt": "b\n" }, message: "More" });
      const before = stand.scene.clock.passed;
      return [(answer as { mergeable: unknown }).mergeable, await state(stand), stand.scene.clock.passed - before];
    },
    shows: [null, says("MERGEABLE", "CLEAN"), 2_000],
    runs: [{ run: READY, stop: "met" }],
  }),
  fault({
    name: "merge-queue",
    sees: (stand) => pull(stand, "isInMergeQueue mergeStateStatus mergeQueueEntry { position }"),
    shows: { isInMergeQueue: true, mergeStateStatus: "CLEAN", mergeQueueEntry: { position: 1 } },
    runs: [{ stop: "closed", says: "merge queue", leaves: (stand) => expect(picture(stand)).toMatchObject({ asked: 0, pushes: 1 }) }],
  }),
  fault({
    name: "late-branch-update",
    ...onMain({ "other.txt": "new\n" }),
    async sees({ client, scene }) {
      const before = scene.pullRequest.head.sha;
      const { status } = await client.rest("/repos/ada/shop/pulls/7/update-branch", { method: "PUT", body: { expected_head_sha: before } });
      const now = scene.pullRequest.head.sha === before;
      await scene.clock.advance(3_000);
      return [status, now, scene.pullRequest.head.sha === before];
    },
    shows: [202, true, false],
    // Somebody pressed the button right before: the head moves while the loop is at work.
    runs: [
      {
        first: ({ client }) => client.rest("/repos/ada/shop/pulls/7/update-branch", { method: "PUT", body: {} }),
        stop: "met",
        leaves: mended,
      },
    ],
  }),
  fault({
    name: "no-checks-yet",
    sees: rollup,
    shows: { statusCheckRollup: null },
    runs: [
      { run: READY, stop: "met" },
      { options: { milliseconds: 50_000 }, run: READY, stop: "met" },
    ],
  }),
  fault({
    name: "run-needs-approval",
    on: { scene: (made) => made.repository("corner/shop", { ada: "write" }).pullRequest({ author: "ada", fork: true }) },
    async sees(stand) {
      const { owner, name } = stand.scene.pullRequestRef;
      const { answer } = await stand.client.rest(`/repos/${owner}/${name}/actions/runs?head_sha=${stand.scene.pullRequest.head.sha}`);
      const { workflow_runs } = answer as { workflow_runs: readonly { conclusion: string }[] };
      return [await rollup(stand), workflow_runs.map((each) => each.conclusion)];
    },
    shows: [{ statusCheckRollup: null }, ["action_required"]],
    runs: [{ run: { ...READY, trustHead: true }, stop: "waiting-for-people", says: "or to approve that it runs", leaves: mended }],
  }),
  fault({
    name: "required-check-missing",
    sees: state,
    shows: says("MERGEABLE", "BLOCKED"),
    runs: [{ run: READY, stop: "timed-out", says: 'the required check "required-elsewhere" has not started', leaves: mended }],
  }),
  fault({
    name: "duplicate-checks",
    sees: rollup,
    shows: { statusCheckRollup: { state: "FAILURE", contexts: { nodes: [run("FAILURE"), run("SUCCESS")] } } },
    runs: [
      { run: READY, stop: "met" },
      { options: { newestFirst: true }, run: READY, stop: "met" },
    ],
  }),
  fault({
    name: "status-beside-check",
    sees: rollup,
    shows: {
      statusCheckRollup: {
        state: "FAILURE",
        contexts: { nodes: [run("SUCCESS"), { __typename: "StatusContext", context: "unit", state: "FAILURE" }] },
      },
    },
    runs: [
      { run: READY, stop: "ci-red", says: '"unit" ended as failure', leaves: mended },
      { options: { state: "PENDING" }, run: READY, stop: "timed-out", leaves: mended },
      { options: { state: "SUCCESS" }, run: READY, stop: "met" },
    ],
  }),
];
