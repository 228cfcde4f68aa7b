/** A gate that stays red: the change that makes it red is taken out, the rest ships. */
import { expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { acme } from "./acme.js";
import { drive } from "./driving.js";

const NAMES = ["a", "b", "c", "d", "e"] as const;
const path = (name: string): string => `src/${name}.ts`;

/** One point for each file; the agent mends all, and writes BROKEN into some. */
const scene = (broken: readonly string[], also: (name: string) => readonly string[] = () => []): Scene => {
  const made = scenario().pullRequest({ author: "ada" }).bot("acme-review");
  for (const name of NAMES) {
    made.file(path(name), "one\n", "one\ntwo\n");
    made.thread({ by: "acme-review[bot]", path: path(name), line: 2, body: `Wrong in ${name}.` });
  }
  return made
    .commands({
      "npm test": (worktree) =>
        NAMES.some((name) => (worktree.read(path(name)) ?? "").includes("BROKEN")) ? { exitCode: 1, output: "BROKEN" } : 0,
    })
    .agent({
      triage: triageEach(() => ({ kind: "actionable" })),
      fix: fixEach((thread, worktree) => {
        const name = NAMES.find((each) => path(each) === thread.path);
        if (name === undefined) return "no idea how";
        worktree.write(path(name), broken.includes(name) ? "one\nBROKEN\n" : "one\nmended\n");
        for (const other of also(name)) worktree.write(other, `${worktree.read(other) ?? ""}${name}\n`);
        return { summary: `mended ${name}`, files: [path(name), ...also(name)] };
      }),
    })
    .build();
};
const run = (at: Scene) => drive(at, { reviewers: [acme()], park: true, settings: { limits: { ...LIMITS, repairs: 1 } } });
const LIMITS = { iterations: 2, activeTime: 3_600_000, handoffs: 1, replies: 3, tokens: undefined, money: undefined };
const shipped = (at: Scene): readonly string[] =>
  NAMES.filter((name) => (at.world.git.fileAt(at.pullRequest.repository, at.pullRequest.head.sha, path(name)) ?? "").includes("mended"));

test.each([[["c"]], [["a"]], [["e"]], [["b", "d"]], [["a", "b", "c", "d"]]])("guilty %j: taken out, the rest ships", async (broken) => {
  const at = scene(broken);
  const { report } = await run(at);
  const good = NAMES.filter((name) => !broken.includes(name));
  expect(shipped(at)).toEqual(good);
  expect(report.pushes).toHaveLength(1);
  expect(report.iterations[0]?.fixed.map((line) => line.summary).toSorted()).toEqual(good.map((name) => `mended ${name}`));
  expect(report.iterations[0]?.notFixed.map((line) => line.why)).toEqual(
    broken.map(() => "its change was taken out: the gate is red with it"),
  );
  const open = at.pullRequest.threads.filter((thread) => !thread.resolved);
  expect(open.map((thread) => thread.path)).toEqual(broken.map(path));
  expect(open.every((thread) => thread.comments.length === 1)).toBe(true);
  expect(report.remaining.filter((item) => item.code === "not-fixed" && item.who === "person")).toHaveLength(broken.length);
});

test("points whose changes touch the same file go or stay together", async () => {
  const at = scene(["a"], (name) => (name === "a" || name === "b" ? ["src/shared.ts"] : []));
  const { report } = await run(at);
  expect(shipped(at)).toEqual(["c", "d", "e"]);
  expect(report.iterations[0]?.notFixed).toHaveLength(2);
});

test("all of them are guilty: gate-red, nothing is pushed, and each point says why", async () => {
  const at = scene(NAMES);
  const start = at.pullRequest.head.sha;
  const { report } = await run(at);
  expect(report.stop).toBe("gate-red");
  expect(at.pullRequest.head.sha).toBe(start);
  expect(report.remaining.filter((item) => item.code === "not-fixed" && item.who === "person")).toHaveLength(5);
});

test("the search is bounded by its gate runs", async () => {
  const at = scene(["c"]);
  await run(at);
  // The head, all together, and at most two for each halving.
  expect(at.shell.calls.length).toBeLessThanOrEqual(8);
});
