/** What stands in the way of a write is told before anything is written, with what the user can do about it. */
import { expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scenario, Scene } from "../../sandbox/kit/index.js";
import { acme } from "./acme.js";
import { drive } from "./driving.js";

const base = (): Scenario =>
  scenario()
    .pullRequest({ author: "ada" })
    .bot("acme-review")
    .file("src/a.ts", "one\n", "one\nx <= 1\n")
    .thread({ by: "acme-review", path: "src/a.ts", line: 2, body: "x is off by one." })
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach(() => ({ kind: "actionable" })),
      fix: fixEach((_thread, worktree) => {
        worktree.write("src/a.ts", "one\nx < 1\n");
        return { summary: "x compares with <", files: ["src/a.ts"] };
      }),
    });

interface Row {
  readonly what: string;
  readonly scene?: () => Scenario;
  readonly before: (scene: Scene) => void;
  readonly stop: string;
  readonly says: RegExp;
}

const ROWS: readonly Row[] = [
  { what: "locked", before: ({ world, pullRequest }) => world.lock("ada", pullRequest), stop: "refused", says: /locked: ask a maintainer/ },
  { what: "archived", before: ({ world }) => world.archive("ada/shop"), stop: "refused", says: /archived.*: ask its owner to unarchive/ },
  { what: "closed", before: ({ world, pullRequest }) => world.close("ada", pullRequest), stop: "closed", says: /closed: reopen it/ },
  {
    what: "merged",
    before: ({ world, pullRequest }) => void world.merge("ada", pullRequest),
    stop: "closed",
    says: /merged: nothing is left/,
  },
  {
    what: "in the merge queue",
    before: ({ world, pullRequest }) => world.enqueue("ada", pullRequest),
    stop: "closed",
    says: /merge queue: let it merge, or take it out/,
  },
  {
    what: "a draft review of this account's",
    before: ({ world, pullRequest }) =>
      void world.review("ada", pullRequest, { state: "PENDING", comments: [{ path: "src/a.ts", line: 1, body: "Mine." }] }),
    stop: "refused",
    says: /not submitted.*submit or discard it first/,
  },
  {
    what: "a fork without edits by maintainers",
    scene: () => base().repository("corner/shop").pullRequest({ author: "eve", fork: true, maintainerCanModify: false }).viewer("corner"),
    before: () => {},
    stop: "no-progress",
    says: /fork does not allow edits by maintainers: ask eve to tick/,
  },
  {
    what: "no write permission",
    scene: () => base().repository("corner/shop").viewer("grace").user("grace", "read"),
    before: () => {},
    stop: "no-progress",
    says: /grace has no write permission in corner\/shop: ask for it/,
  },
];

test.each(ROWS)("$what: $stop, with nothing written", async ({ scene: start = base, before, stop, says }) => {
  const scene = start().build();
  before(scene);
  const { log } = scene.world;
  const events = log.length;
  const { report } = await drive(scene, {
    reviewers: [acme()],
    settings: { push: "any" },
    trustHead: true,
  });
  const said = [report.detail, ...report.remaining.map((item) => item.why)].join("\n");
  expect({ stop: report.stop, said }).toEqual({ stop, said: expect.stringMatching(says) as string });
  expect(log.slice(events).map((event) => event.type)).toEqual([]);
  expect(scene.store.entries(scene.pullRequestRef).filter((entry) => entry.type === "intent")).toEqual([]);
});

test("a token that may reply but not resolve: said of the thread, which is answered and left open", async () => {
  const scene = base().build();
  scene.world.faults.set("token-cannot-resolve", {});
  const { report, events } = await drive(scene, { reviewers: [acme()] });
  // Said with the read, before the first answer; and again in the end.
  const told = events.findIndex((event) => event.type === "note" && /not resolve them.*sign in with one that may/.test(event.text));
  expect(told).toBeGreaterThan(-1);
  expect(told).toBeLessThan(events.findIndex((event) => event.type === "write"));
  expect(report.notes.join("\n")).toMatch(/not resolve them/);
  expect(report.remaining.map((item) => item.why).join("\n")).toMatch(/this account may not resolve it/);
  const kinds = scene.store.entries(scene.pullRequestRef).flatMap((entry) => (entry.type === "intent" ? [entry.write.kind] : []));
  expect(kinds).not.toContain("resolve");
  expect(scene.pullRequest.threads.map((thread) => [thread.resolved, thread.comments.length])).toEqual([[false, 2]]);
});
