/** `docs/transcripts` is what the built command line says today. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { takeAnswers, tellingInto } from "../sandbox/answers/watch.js";

const root = join(import.meta.dirname, "..", "..");

const check = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  execa(process.execPath, ["scripts/transcripts.mjs", "--check", ...args], { cwd: root, reject: false, env });

test("each transcript is written anew and is the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-transcripts-"));
  const answers = join(folder, "answers");
  const ran = await check([], tellingInto(answers));
  // What its sandboxes answer is checked as everywhere.
  expect(takeAnswers(answers)).toBeGreaterThan(0);
  await rm(folder, { recursive: true, force: true });
  expect(ran.stderr).toBe("");
  expect(ran.exitCode).toBe(0);
}, 600_000);

test("one that has changed is told with what changed and the command that writes it anew", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-transcripts-test-"));
  try {
    const text = await readFile(join(root, "docs", "transcripts", "sign-in.md"), "utf8");
    expect(text).toContain("exit 4");
    await writeFile(join(folder, "sign-in.md"), text.replace("exit 4", "exit 0"));
    const ran = await check(["--folder", folder, "sign-in"]);
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toMatch(/^docs\/transcripts\/sign-in\.md differs:$/m);
    expect(ran.stderr).toMatch(/^-exit 0\n\+exit 4$/m);
    expect(ran.stderr).toMatch(/^npm run transcripts writes them anew\.$/m);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
