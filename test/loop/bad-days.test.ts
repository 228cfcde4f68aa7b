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
