import { describe, expect, test } from "vitest";
import { ReviewloopError } from "../../index.js";
import { virtualClock, VIRTUAL_START } from "../../sandbox/kit/index.js";

const idle = () => new Promise((resolve) => void setImmediate(resolve));

describe("virtual clock", () => {
  test("a sleep ends by itself, at its time, and what falls due before it was done", async () => {
    const clock = virtualClock();
    const done: string[] = [];
    clock.after(3_600_000, () => done.push(`b ${clock.passed}`));
    clock.after(1000, () => done.push(`a ${clock.passed}`));
    clock.after(8_000_000, () => done.push("never"));
    await clock.sleep(7_200_000);
    expect(done).toEqual(["a 1000", "b 3600000"]);
    expect([clock.now() - VIRTUAL_START, clock.passed, clock.pending]).toEqual([7_200_000, 7_200_000, 1]);
  });

  test("what falls due may plan more, also at the same moment", async () => {
    const clock = virtualClock();
    const done: number[] = [];
    clock.after(10, () => {
      done.push(clock.passed);
      clock.after(0, () => done.push(clock.passed));
      clock.after(5, () => done.push(clock.passed));
    });
    await clock.sleep(20);
    expect(done).toEqual([10, 10, 15]);
  });

  test("sleepers wake in order of time, then of falling asleep", async () => {
    const clock = virtualClock();
    const woke: string[] = [];
    const sleeper = async (name: string, milliseconds: number) => {
      await clock.sleep(milliseconds);
      woke.push(name);
    };
    await Promise.all([sleeper("c", 30), sleeper("a", 10), sleeper("b1", 20), sleeper("b2", 20)]);
    expect(woke).toEqual(["a", "b1", "b2", "c"]);
  });

  test("one who wakes runs on until he sleeps again before time moves", async () => {
    const clock = virtualClock();
    const seen: number[] = [];
    const busy = async () => {
      await clock.sleep(10);
      for (let step = 0; step < 50; step += 1) await Promise.resolve();
      seen.push(clock.passed);
    };
    await Promise.all([busy(), clock.sleep(1000)]);
    expect(seen).toEqual([10]);
  });

  test("time stands while nobody sleeps, and moves by hand", async () => {
    const clock = virtualClock();
    let done = false;
    clock.after(5, () => {
      done = true;
    });
    await idle();
    await idle();
    expect([done, clock.passed]).toEqual([false, 0]);
    await clock.advance(4);
    expect(done).toBe(false);
    await clock.advance(1);
    expect([done, clock.passed]).toEqual([true, 5]);
  });

  test("a cancelled plan is not done", async () => {
    const clock = virtualClock();
    const cancel = clock.after(5, () => expect.unreachable());
    cancel();
    await clock.sleep(10);
    expect(clock.pending).toBe(0);
  });

  test("time stands while real work is held", async () => {
    const clock = virtualClock();
    let passed = -1;
    const work = clock.hold(async () => {
      for (let turn = 0; turn < 20; turn += 1) await idle();
      passed = clock.passed;
    });
    await Promise.all([work, clock.sleep(1000)]);
    expect([passed, clock.passed]).toEqual([0, 1000]);
  });

  test("an abort ends a sleep at once, with ABORTED, and leaves nothing planned", async () => {
    const clock = virtualClock();
    const controller = new AbortController();
    const slept = clock.sleep(1000, controller.signal).catch((thrown: unknown) => thrown);
    controller.abort();
    const thrown = await slept;
    expect(ReviewloopError.is(thrown) && thrown.code).toBe("ABORTED");
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow("Interrupted");
    expect([clock.pending, clock.passed]).toEqual([0, 0]);
  });

  test("a jump does nothing on the way; what is overdue is done late", async () => {
    const clock = virtualClock();
    const at: number[] = [];
    clock.after(10, () => at.push(clock.passed));
    clock.jump(50);
    expect(at).toEqual([]);
    await clock.sleep(1);
    expect(at).toEqual([50]);
  });
});
