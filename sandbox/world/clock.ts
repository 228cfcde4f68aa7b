/** The world's clock: time, and work at a later time. The kit's virtual clock is one; `realWorldClock` uses timers. */
import type { Instant } from "../../core/index.js";

export interface WorldClock {
  now(): Instant;
  /** Calls `act` after so many milliseconds; returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void;
}

/** Timers of the process, which do not keep it alive. */
export const realWorldClock = (): WorldClock => ({
  now: () => Date.now(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
});

/** GitHub's times have a resolution of one second. */
export const wholeSecond = (at: Instant): Instant => Math.floor(at / 1000) * 1000;
