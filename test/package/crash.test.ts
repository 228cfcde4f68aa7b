/** Every write of a run, before it is applied and after, and each side of the journal's own lines: killed, started again, the same world. */
import { expect, test } from "vitest";
import { driveKilled } from "../cli/crashing.js";

const WRITES = [
  "POST /ada/shop.git/git-receive-pack",
  "POST /repos/ada/shop/pulls/n/comments/n/replies",
  "POST /repos/ada/shop/pulls/n/comments/n/replies",
  "POST /graphql",
  "POST /repos/ada/shop/issues/n/comments",
  "POST /repos/ada/shop/issues/n/comments",
];

test("killed between the journal and each write, the push too", { timeout: 600_000 }, async () => {
  const whole = await driveKilled();
  for (const line of ["intent", "result"] as const) {
    for (let number = 1; number <= WRITES.length; number += 1) {
      const ended = await driveKilled({ line, number });
      const at = { line, number };
      expect({ at, killed: ended.killed, code: ended.code, picture: ended.picture }).toEqual({
        at,
        killed: true,
        code: whole.code,
        picture: whole.picture,
      });
    }
  }
});

test("killed at every write", { timeout: 600_000 }, async () => {
  const whole = await driveKilled();
  // A push, an answer to a bot and one to a person, a resolve, a trigger and the sticky comment.
  expect(whole.writes.map((write) => write.replaceAll(/\d+/g, "n"))).toEqual(WRITES);
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
