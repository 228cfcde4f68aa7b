/** Every write of a run, once before it is applied and once after: killed, started again, the same world. */
import { expect, test } from "vitest";
import { driveKilled } from "../cli/crashing.js";

test("killed at every write", { timeout: 600_000 }, async () => {
  const whole = await driveKilled();
  expect(whole.writes.length).toBeGreaterThan(5);
  for (let write = 1; write <= whole.writes.length; write += 1) {
    for (const stage of ["received", "applied"] as const) {
      const ended = await driveKilled({ write, stage });
      const at = { write, stage, what: whole.writes[write - 1] };
      expect({ at, killed: ended.killed, code: ended.code, picture: ended.picture }).toEqual({
        at,
        killed: true,
        code: whole.code,
        picture: whole.picture,
      });
    }
  }
});
