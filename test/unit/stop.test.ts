/** When a run ends, as one pure function of how it stands. */
import { describe, expect, test } from "vitest";
import type { Blocker, Inbox, IterationLine, Thread } from "../../core/model.js";
import { stopOf } from "../../core/stop.js";
import { DEFAULTS } from "../loop/settings.js";
import { HEAD, NOW, run, snapshot } from "./building.js";

const thread = (answered: boolean): Thread => ({ id: "T", answered }) as Thread;
const inbox = (answered: boolean): Inbox => ({
  ...snapshot(),
  threads: [thread(answered)],
  signals: [],
  parties: [],
  unknownBots: [],
  notes: [],
});
const left: Blocker = { code: "unresolved", by: "core", detail: "answered, not resolved yet", lift: { who: "loop" }, thread: "T" };
const iteration = (number: number, pushed?: string): IterationLine => ({
  number,
  startedAt: NOW,
  head: HEAD,
  decided: [],
  fixed: [],
  notFixed: [],
  replied: [],
  resolved: [],
  asked: [],
  gates: [],
  ...(pushed === undefined ? {} : { pushed }),
});
const stop = (iterations: readonly IterationLine[], answered = true, blockers: readonly Blocker[] = [left]) =>
  stopOf({
    inbox: inbox(answered),
    blockers,
    waits: [],
    expired: [],
    run: run({ iterations }),
    settings: DEFAULTS,
    did: { wrote: true, pushed: false, decided: false },
  })?.stop;

describe("stalled", () => {
  test("two iterations in a row that changed no code, and only answered points are left", () => {
    expect(stop([iteration(1), iteration(2)])).toBe("stalled");
    expect(stop([iteration(1, HEAD), iteration(2), iteration(3)])).toBe("stalled");
  });

  test.each([
    ["after one", [iteration(1)], true],
    ["after a push in the last of them", [iteration(1), iteration(2, HEAD)], true],
    ["after a push in the one before", [iteration(1, HEAD), iteration(2)], true],
    ["while a point has no answer", [iteration(1), iteration(2)], false],
  ])("not %s", (_when, iterations, answered) => {
    expect(stop(iterations, answered)).not.toBe("stalled");
  });

  test("not where no point is left", () => {
    const waits: Blocker = { code: "review-requested", by: "acme", detail: "acme was asked", lift: { who: "reviewer", name: "acme" } };
    expect(stop([iteration(1), iteration(2)], true, [waits])).not.toBe("stalled");
  });
});

test("the limit of active time ends a run that is still at work; waits don't count", () => {
  const after = (activeTime: number) =>
    stopOf({
      inbox: inbox(false),
      blockers: [left],
      waits: [],
      expired: [],
      run: run({ activeTime }),
      settings: DEFAULTS,
      did: { wrote: true, pushed: true, decided: true },
    });
  const { activeTime } = DEFAULTS.limits;
  expect(activeTime).toBe(8 * 3_600_000);
  expect(after(activeTime)).toMatchObject({ stop: "timed-out", detail: expect.stringContaining("limits.activeTime") });
  expect(after(activeTime - 1)).toBeUndefined();
});
