/** Every fault by its name: a client sees it, and the loop ends in a correct run or with the right stop. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DROPPABLE } from "../../core/adapters/forge-github/queries.js";
import { scenario, virtualClock } from "../../sandbox/kit/index.js";
import { buildScene, SCENES } from "../../sandbox/scenes/index.js";
import { serveScene } from "../../sandbox/scenes/serve.js";
import { FAULTS, faultOptions, NEWER_FIELDS } from "../../sandbox/world/index.js";
import type { FaultName } from "../../sandbox/world/index.js";
import { ANSWERS } from "./answers.js";
import { ended, seen } from "./case.js";
import { CHECKS } from "./checks.js";
import { READING } from "./reading.js";
import { REVIEWERS } from "./reviewers.js";

const ALL = [...ANSWERS, ...READING, ...REVIEWERS, ...CHECKS];

test("each fault that there is has its case, and no other", () => {
  expect(ALL.map((one) => one.name).toSorted()).toEqual(FAULTS.map((row) => row.name).toSorted());
  expect(ALL.filter((one) => one.runs.length === 0)).toEqual([]);
});

test("the documentation's table is this one", () => {
  const text = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
  const rows = text.split("\n").flatMap((line) => {
    const [, name, about, what, standard = ""] = /^\| `([a-z-]+)` \| (.*?) \| (.*?) \|(?: `(.*)`)? +\|$/u.exec(line) ?? [];
    return name === undefined ? [] : [{ name, about, what, standard: standard === "" ? {} : (JSON.parse(standard) as object) }];
  });
  expect(rows).toEqual(FAULTS.map(({ name, about, what, standard }) => ({ name, about, what, standard })));
});

test("what a seed draws is the same each time, and another seed draws something else where there is something to draw", () => {
  for (const { name, standard } of FAULTS) {
    const drawn = (seed: number): string => JSON.stringify(faultOptions(name, seed));
    expect([name, drawn(7)]).toEqual([name, drawn(7)]);
    const all = new Set(Array.from({ length: 40 }, (_, seed) => drawn(seed)));
    const fixed = Object.keys(standard).length === 0 || name === "required-check-missing";
    expect([name, all.size > 1]).toEqual([name, !fixed]);
  }
});

test("a name that is no fault is refused, with the names that there are", async () => {
  const { world } = scenario().build();
  const message = /There is no fault "rain"\. There are: lost-answer, /u;
  expect(() => world.faults.set("rain" as FaultName)).toThrow(message);
  expect(() => world.faults.set("rain" as FaultName, {})).toThrow(message);
  expect(() => faultOptions("rain" as FaultName, 1)).toThrow(message);
  await expect(serveScene("demo", { faults: { rain: {} } as object })).rejects.toThrow(message);
});

test("an older server lacks what the adapter can do without, all of it", () => {
  expect(NEWER_FIELDS).toEqual(DROPPABLE);
});

test("on a fork, where nobody else may push, the head moves by its author", () => {
  const { world, pullRequest } = scenario()
    .repository("corner/shop")
    .pullRequest({ author: "ada", fork: true, maintainerCanModify: false })
    .build();
  world.faults.set("head-moves", { writes: [2] });
  const before = pullRequest.head.sha;
  world.faults.nextWrite();
  expect(pullRequest.head.sha).toBe(before);
  world.faults.nextWrite();
  expect(pullRequest.head.sha).not.toBe(before);
  expect(world.log.at(-1)).toMatchObject({ type: "pushed", actor: "ada" });
});

test("every fault can be switched on in every scene", () => {
  for (const { name } of SCENES) {
    const scene = buildScene(name, { clock: virtualClock() });
    for (const fault of FAULTS) {
      scene.world.faults.set(fault.name, faultOptions(fault.name, 3));
      expect(scene.world.faults.active()).toEqual([fault.name]);
      scene.world.faults.clear(fault.name);
    }
    scene.stop();
  }
});

describe.each(ALL)("$name", (one) => {
  test("a client sees it", () => seen(one));
  test.each(one.runs.map((run, index) => ({ run, index: index + 1 })))("run $index ends as $run.stop", ({ run }) => ended(one, run));
});
