/** A clock for setting a scene: what is posted while it is set back happened earlier. */
import type { Instant } from "../../core/index.js";
import type { WorldClock } from "../world/index.js";

export interface SceneClock extends WorldClock {
  /** From now on it is this time, until the next call or `live`. */
  set(at: Instant): void;
  /** Moves the set time on. */
  pass(milliseconds: number): void;
  /** Back to the clock underneath. */
  live(): void;
}

export const sceneClock = (under: WorldClock): SceneClock => {
  let fixed: Instant | undefined;
  return {
    now: () => fixed ?? under.now(),
    after: (milliseconds, act) => under.after(milliseconds, act),
    set(at) {
      fixed = at;
    },
    pass(milliseconds) {
      fixed = (fixed ?? under.now()) + milliseconds;
    },
    live() {
      fixed = undefined;
    },
  };
};

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
