/** Killed by the server on receipt of a write, started again: the same world as without. `npm run test:full` tries every write. */
import { expect, test } from "vitest";
import { driveKilled } from "./crashing.js";

test("killed before and after a push, a reply and a request", { timeout: 120_000 }, async () => {
  const whole = await driveKilled();
  expect(whole.writes.some((write) => write.includes("git-receive-pack"))).toBe(true);
  const { code } = whole;
  const push = whole.writes.findIndex((write) => write.includes("git-receive-pack")) + 1;
  for (const killing of [
    { write: push, stage: "applied" },
    { write: push + 1, stage: "received" },
    { write: whole.writes.length - 1, stage: "applied" },
  ] as const) {
    const ended = await driveKilled(killing);
    expect({ killing, killed: ended.killed, code: ended.code, picture: ended.picture }).toEqual({
      killing,
      killed: true,
      code,
      picture: whole.picture,
    });
  }
});
