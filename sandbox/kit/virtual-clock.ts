/**
 * Time without waiting. A `sleep` ends when virtual time reaches it; virtual time moves by itself as soon as everything that could run has run
 * (all promises settled, the event loop idle once), so that a scenario needs no ticking by hand.
 */
import type { Clock, Instant } from "../../core/index.js";
import { ReviewloopError } from "../../core/index.js";
import type { WorldClock } from "../world/clock.js";

export interface VirtualClock extends Clock, WorldClock {
  /** Moves time on by hand, doing on the way all that falls due, in order. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the clock on without doing what falls due in between (a machine that slept). */
  jump(milliseconds: number): void;
  /** Keeps time standing while real work (a process, a request) goes on. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** How much time has passed since the start. */
  readonly passed: number;
  /** What is planned and not yet done. */
  readonly pending: number;
}

interface Due {
  readonly at: Instant;
  readonly order: number;
  readonly act: () => void;
  /** Somebody waits for it: time moves by itself only while there is such a one. */
  readonly awaited: boolean;
}

/** A working day that is nobody's birthday; scenarios may choose another. */
export const VIRTUAL_START: Instant = Date.UTC(2026, 2, 2, 9, 0, 0);

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

export const virtualClock = (options: { readonly start?: Instant } = {}): VirtualClock => {
  const start = options.start ?? VIRTUAL_START;
  let now = start;
  let order = 0;
  let held = 0;
  let moving = false;
  const due: Due[] = [];

  const add = (milliseconds: number, awaited: boolean, act: () => void): (() => void) => {
    const entry: Due = { at: now + Math.max(0, milliseconds), order: (order += 1), act, awaited };
    due.push(entry);
    due.sort((a, b) => a.at - b.at || a.order - b.order);
    return () => {
      const at = due.indexOf(entry);
      if (at !== -1) due.splice(at, 1);
    };
  };
  const doNext = (): void => {
    const next = due.shift();
    if (next === undefined) return;
    now = Math.max(now, next.at);
    next.act();
  };
  const mayMove = (): boolean => held === 0 && due.some((entry) => entry.awaited);
  /** Moves while somebody sleeps. One mover at a time. */
  const move = async (): Promise<void> => {
    if (moving) return;
    moving = true;
    try {
      await idle();
      while (mayMove()) {
        try {
          doNext();
        } catch (thrown) {
          // What a scripted actor throws must fail the test, and whoever sleeps must still wake up.
          queueMicrotask(() => {
            throw thrown;
          });
        }
        await idle();
      }
    } finally {
      moving = false;
    }
  };
  const kick = (): void => {
    void move();
  };

  return {
    now: () => now,
    get passed() {
      return now - start;
    },
    get pending() {
      return due.length;
    },
    after: (milliseconds, act) => add(milliseconds, false, act),
    sleep(milliseconds, signal) {
      return new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          cancel();
          reject(new ReviewloopError("ABORTED", {}));
        };
        const cancel = add(milliseconds, true, () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        });
        if (signal?.aborted === true) abort();
        else {
          signal?.addEventListener("abort", abort, { once: true });
          kick();
        }
      });
    },
    async advance(milliseconds) {
      const until = now + milliseconds;
      await idle();
      for (let next = due[0]; next !== undefined && next.at <= until; next = due[0]) {
        doNext();
        await idle();
      }
      now = Math.max(now, until);
    },
    jump(milliseconds) {
      now += milliseconds;
    },
    async hold(work) {
      held += 1;
      try {
        return await work();
      } finally {
        held -= 1;
        if (mayMove()) kick();
      }
    },
  };
};
