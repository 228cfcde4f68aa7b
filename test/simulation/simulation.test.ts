/** Some hundred bad days in each run of the suite; `npm run simulate -- --seeds 10000` lives through more of them. */
import { expect, test } from "vitest";
import { CHECKS } from "./checks.js";
import { ENOUGH, EXPECTED, neverOccurred } from "./coverage.js";
import { planOf, stillDay } from "./plan.js";
import { live } from "./day.js";
import { SAME_END, simulate } from "./simulate.js";
import { storyOf } from "./story.js";

const SEEDS = 500;

test(`${SEEDS} bad days, every rule held`, { timeout: 240_000 }, async () => {
  const counts = new Map<string, number>();
  let killed = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { day, violations } = await simulate(seed);
    if (violations.length > 0) expect.fail(storyOf(day, violations));
    if (day.facts.some((fact) => fact.is === "killed")) killed += 1;
    for (const [what, count] of day.counts) counts.set(what, (counts.get(what) ?? 0) + count);
  }
  // The days are as bad as they are meant to be.
  expect(killed).toBeGreaterThan(50);
  for (const what of [
    "write:pushed",
    "write:replied",
    "write:resolved",
    "stop:met",
    "stop:waiting-for-people",
    "stop:timed-out",
    "clock jump",
    "journal lost",
  ])
    expect([what, counts.get(what) ?? 0]).not.toEqual([what, 0]);
});

test("a seed is a day: the same one each time", async () => {
  expect(planOf(77)).toEqual(planOf(77));
  const told = async (): Promise<string> => {
    const { day, violations } = await simulate(77);
    return storyOf(day, violations).replaceAll(/"run":"[^"]*"/g, "");
  };
  expect(await told()).toBe(await told());
});

test("a still day ends met, and a failing one tells its story and how to see it again", async () => {
  const day = await live(stillDay({ seed: 12 }));
  expect(day.stop).toBe("met");
  expect(storyOf(day, [{ check: SAME_END, rule: 9, detail: "for a test" }])).toMatch(
    /rule 9.*for a test[\s\S]*process 1 ends: met[\s\S]*npm run simulate -- --from 12 --seeds 1/,
  );
});

test("every check has a name of its own", () => {
  const names = CHECKS.map((check) => check.name);
  expect(new Set(names).size).toBe(names.length);
});

test("whatever must occur and does not is named, each on its own, from ten thousand seeds on", () => {
  const all = new Map(EXPECTED.map((what) => [what, 1]));
  expect(EXPECTED.length).toBe(all.size);
  expect(neverOccurred(all, ENOUGH)).toEqual([]);
  for (const what of EXPECTED) {
    const without = new Map([...all].filter(([other]) => other !== what));
    expect(neverOccurred(without, ENOUGH)).toEqual([what]);
    expect(neverOccurred(without, ENOUGH - 1)).toEqual([]);
  }
});
