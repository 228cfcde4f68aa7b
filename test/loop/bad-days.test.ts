/** Days that the simulation found, each as small as it gets, with the end that is right. */
import { expect, test } from "vitest";
import { live } from "../simulation/day.js";
import { violationsOf } from "../simulation/checks.js";
import { stillDay } from "../simulation/plan.js";
import type { BotPlan } from "../simulation/plan.js";

const acme: BotPlan = { name: "acme", delay: 900, present: true, quota: "none", manner: "quiet", edits: undefined };

test("a bot that had no quota left for the head before is asked for this one", async () => {
  const day = await live(
    stillDay({
      bots: [{ ...acme, quota: "always" }],
      outside: [{ kind: "other-push", at: 1_000 }],
      mode: "look-first",
      faults: [{ name: "primary-rate-limit", options: { reads: [1], resetAfter: 60_000 } }],
    }),
  );
  expect(day.pullRequest.comments.map((comment) => comment.body.split("\n")[0])).toContain("@acme review");
  expect(violationsOf(day)).toEqual([]);
});

test("whoever waits for a person who stays away ends, whoever else is missing", async () => {
  const away = { flaws: [{ number: 1, path: "src/a.ts", truth: "explains", by: "grace" }], people: ["away"], peopleWait: true } as const;
  const alone = await live(stillDay(away));
  expect(alone.stop).toBe("waiting-for-people");
  expect(violationsOf(alone)).toEqual([]);
  // The bot is not asked while a person is in the way, and so never comes: that holds the target too.
  const withBot = await live(stillDay({ ...away, bots: [{ ...acme, quota: "first" }], outside: [{ kind: "other-push", at: 0 }] }));
  expect(violationsOf(withBot)).toEqual([]);
  expect(withBot.last?.detail).not.toBe("");
});

const mended = { flaws: [{ number: 1, path: "src/b.ts", truth: "fixes", by: "acme" }], bots: [acme] } as const;

test.each([
  // After a push, two posts about it and the request: what is killed before it was sent is sent by the next process.
  { effect: "append-after", number: 10, what: "the push's intent is on disk" },
  { effect: "git-before", number: 1, what: "the push" },
  { effect: "forge-before", number: 1, what: "the reply" },
  { effect: "forge-before", number: 2, what: "the resolve" },
  { effect: "forge-before", number: 3, what: "the request" },
] as const)("killed right before it is sent: $what", async ({ effect, number }) => {
  for (const pause of [0, 600_000]) {
    const day = await live(stillDay({ ...mended, crashes: [{ effect, number, pause, loses: false }] }));
    expect(day.facts.some((fact) => fact.is === "killed")).toBe(true);
    expect({ stop: day.stop, violations: violationsOf(day) }).toEqual({ stop: "met", violations: [] });
    expect(day.pullRequest.comments.filter((comment) => comment.body.startsWith("@acme review"))).toHaveLength(1);
    expect(day.pullRequest.threads.map((thread) => thread.comments.length)).toEqual([2]);
  }
});
