/**
 * Loaded before each test file (`setupFiles`): every answer that a sandbox gives during a test must fit GitHub's descriptions, and every
 * request must be one that the sandbox knows; if not, that test fails.
 */
import { subscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { afterEach, expect } from "vitest";
import type { AnswerNotice } from "../../../sandbox/server/answers.js";

const given: AnswerNotice[] = [];
let tolerated = false;

// By its name, so that nothing of the sandbox is loaded for tests that have none.
subscribe("reviewloop:sandbox:answer", (notice) => void given.push(notice as AnswerNotice));

/** For a test about requests that the sandbox does not know: they don't fail it. */
export const expectUnknownRequests = (): void => {
  tolerated = true;
};

/** What was told so far in this test. */
export const watchedAnswers = (): readonly AnswerNotice[] => given;

/** What a process needs in its environment so that the answers of its sandbox come into this file. */
export const tellingInto = (file: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${new URL("tell.mjs", import.meta.url).href}`,
  REVIEWLOOP_TEST_ANSWERS: file,
});

/** Takes over what such a process told, and says how much that was. */
export const takeAnswers = (file: string): number => {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  rmSync(file, { force: true });
  given.push(...lines.map((line) => JSON.parse(line) as AnswerNotice));
  return lines.length;
};

afterEach(async () => {
  const answers = given.splice(0);
  const wanted = tolerated;
  tolerated = false;
  if (answers.length === 0) return;
  const { problemsOf } = await import("./problems.js");
  expect(await problemsOf(answers), "answers that GitHub would not give").toEqual([]);
  const unknown = answers.flatMap((answer) => answer.unknown);
  if (!wanted) expect(unknown, "requests that the sandbox does not know").toEqual([]);
});
