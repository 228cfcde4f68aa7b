/** `docs/transcripts` is what the built command line says today. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { takeAnswers, tellingInto } from "../sandbox/answers/watch.js";

const root = join(import.meta.dirname, "..", "..");

test("each transcript is written anew and is the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-transcripts-"));
  const answers = join(folder, "answers");
  const ran = await execa(process.execPath, ["scripts/transcripts.mjs", "--check"], {
    cwd: root,
    reject: false,
    env: tellingInto(answers),
  });
  // What its sandboxes answer is checked as everywhere.
  expect(takeAnswers(answers)).toBeGreaterThan(0);
  await rm(folder, { recursive: true, force: true });
  expect(ran.stderr).toBe("");
  expect(ran.exitCode).toBe(0);
});
