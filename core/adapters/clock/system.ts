/** Real time. */
import { setTimeout as after } from "node:timers/promises";
import { ReviewloopError } from "../../errors.js";
import type { Clock } from "../../ports.js";

/** Node's timers hold 31 bits; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** The machine's clock. `sleep` rejects with `ABORTED` when its signal fires. */
export const systemClock = (): Clock => ({
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    const end = Date.now() + milliseconds;
    try {
      signal?.throwIfAborted();
      for (let left = milliseconds; left > 0; left = end - Date.now())
        await after(Math.min(left, LONGEST), undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {}, { cause });
      throw cause;
    }
  },
});
