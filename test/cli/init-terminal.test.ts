/** The questions of `init` and of a first run, on a real pseudo terminal. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { AGENT, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";
import { CTRL_C, CTRL_D, ENTER, onTerminal } from "./terminal.js";
import type { Terminal } from "./terminal.js";

let at: Place;
let clone: string;
beforeEach(async () => {
  at = await place();
  const { world } = at.sandbox;
  world.addBot("copilot-pull-request-reviewer", { requestable: true });
  world.review("copilot-pull-request-reviewer", at.pullRequest, { state: "COMMENTED", body: "## Pull request overview" });
  clone = await at.clone();
  writeFileSync(join(clone, "package.json"), JSON.stringify({ scripts: { test: "node check.mjs" } }));
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const CONFIG = "reviewloop.config.yaml";
const SKILL = ".claude/skills/reviewloop/SKILL.md";
const there = (file: string): boolean => existsSync(join(clone, file));
const config = (): unknown => parse(readFileSync(join(clone, CONFIG), "utf8"));
const init = (...flags: readonly string[]): Terminal => onTerminal(["init", ...flags], { cwd: clone, environment: at.environment });

/** Sees each question, and answers it. */
const answer = async (terminal: Terminal, ...answers: readonly (readonly [question: RegExp, keys: string])[]): Promise<void> => {
  for (const [question, keys] of answers) {
    await terminal.see(question);
    terminal.type(keys + ENTER);
  }
};
const red = async (): Promise<readonly unknown[]> => {
  const doctor = await at.cli(["doctor", "--json"], { cwd: clone });
  const { lines } = JSON.parse(doctor.out) as { readonly lines: readonly { readonly state: string }[] };
  return lines.filter((line) => line.state === "red");
};

test("Enter takes what was found: a config that passes doctor", { timeout: 60_000 }, async () => {
  const terminal = init();
  await answer(
    terminal,
    [/Way of working {2}review-clean, [\s\S]*draft-to-ready[\s\S]*\[review-clean\] /, ""],
    [/Gate {2}[\s\S]*\[npm test\] /, ""],
    [/Coding agent {2}[\s\S]*\[none\] /, ""],
    [/Required reviewers {2}[\s\S]*seen on recent pull requests: copilot[\s\S]*\[none\] /, ""],
  );
  expect((await terminal.ended).code).toBe(0);
  expect(config()).toEqual({ extends: "review-clean", gate: "npm test", agent: false });
  expect(there(SKILL)).toBe(true);
  expect(await red()).toEqual([]);
});

test("answers are taken; one that fits nothing is said and asked again; a flag is not asked", { timeout: 60_000 }, async () => {
  const terminal = init("--gate", "node check.mjs");
  await answer(
    terminal,
    [/\[review-clean\] /, "draft-to-go"],
    [/There is no preset "draft-to-go"\. There are: [\s\S]*\[review-clean\] /, "draft-to-ready"],
    [/Coding agent[\s\S]*\[none\] /, "hal"],
    [/There is no agent "hal"[\s\S]*\[none\] /, "none"],
    [/Required reviewers[\s\S]*\[none\] /, "copilot, greptile"],
  );
  const { code, out } = await terminal.ended;
  expect(code).toBe(0);
  expect(out).not.toMatch(/^Gate/m);
  expect(config()).toEqual({
    extends: "draft-to-ready",
    gate: "node check.mjs",
    agent: false,
    reviewers: { copilot: { required: true }, greptile: { required: true } },
  });
  expect(await red()).toEqual([]);
});

test.each([
  ["Ctrl-C", CTRL_C],
  ["the end of the input", CTRL_D],
])("%s at a later question: nothing was written, exit 130", { timeout: 60_000 }, async (_name, key) => {
  const terminal = init();
  await answer(terminal, [/\[review-clean\] /, "merge-ready"]);
  await terminal.see(/Gate[\s\S]*\[npm test\] /);
  terminal.type(key);
  expect(await terminal.ended).toMatchObject({ code: 130, out: expect.stringContaining("interrupted: nothing was written") });
  expect([CONFIG, SKILL, ".agents"].map(there)).toEqual([false, false, false]);
});

test("a config that is there is said to be kept, and nothing is asked", { timeout: 60_000 }, async () => {
  writeFileSync(join(clone, CONFIG), "extends: merge-ready\n");
  const { code, out } = await init("--preset", "draft-to-ready").ended;
  expect(code).toBe(0);
  expect(out).toMatch(/kept {5}reviewloop\.config\.yaml[\s\S]*reviewloop\.config\.yaml is the config here and was not changed/);
  expect(out).not.toContain("Way of working");
  expect(readFileSync(join(clone, CONFIG), "utf8")).toBe("extends: merge-ready\n");
});

test.each([
  ["y", "y" + ENTER, 1, 2],
  ["no", ENTER, 3, 1],
  ["Ctrl-C", CTRL_C, 130, 1],
])("a first run asks before its first write: %s", { timeout: 60_000 }, async (_name, keys, code, comments) => {
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Does this count n?" });
  const agent = await at.write("agent.mjs", AGENT);
  writeFileSync(
    join(clone, CONFIG),
    JSON.stringify({
      extends: "review-clean",
      gate: false,
      agent: ["command", { run: ["node", agent] }],
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    }),
  );
  const terminal = onTerminal(["run", String(at.pullRequest.number), "--confirm"], { cwd: clone, environment: at.environment });
  const shown = await terminal.see(/Do it\? \[y\/N/);
  expect(shown).toContain("It counts to n.");
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(1);
  terminal.type(keys);
  expect((await terminal.ended).code).toBe(code);
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(comments);
});
