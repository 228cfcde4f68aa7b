/** `docs/transcripts` is what the built command line says today. */
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

test("each transcript is written anew and is the same", async () => {
  const ran = await execa(process.execPath, ["scripts/transcripts.mjs", "--check"], { cwd: root, reject: false });
  expect(ran.stderr).toBe("");
  expect(ran.exitCode).toBe(0);
});
