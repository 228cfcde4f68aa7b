/** `run --confirm`: each step that writes is asked for, on a real pseudo terminal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENT, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";
import { CTRL_C, ENTER, onTerminal } from "./terminal.js";

let at: Place;
let clone: string;
let start: string;
beforeEach(async () => {
  at = await place();
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one." });
  clone = await at.clone();
  start = at.pullRequest.head.sha;
  writeFileSync(
    join(clone, "reviewloop.config.json"),
    JSON.stringify({
      extends: "review-clean",
      gate: "node check.mjs",
      agent: ["command", { run: ["node", await at.write("agent.mjs", AGENT)] }],
      worktree: { setup: false },
      people: { resolve: "after-reply" },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    }),
  );
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

/** What each step shows before its question. */
const STEPS = { push: /push/, reply: /Fixed in [0-9a-f]{10}/, resolve: /resolve/ } as const;
type Step = keyof typeof STEPS;
const done = (): readonly Step[] => {
  const [thread] = at.pullRequest.threads;
  return [
    ...(at.pullRequest.head.sha === start ? [] : ["push" as const]),
    ...((thread?.comments.length ?? 0) > 1 ? ["reply" as const] : []),
    ...(thread?.resolved === true ? ["resolve" as const] : []),
  ];
};

test.each<[string, readonly (readonly [Step, string])[], readonly Step[], number]>([
  [
    "yes, then all",
    [
      ["push", "y"],
      ["reply", "a"],
    ],
    ["push", "reply", "resolve"],
    0,
  ],
  [
    "yes, then what is none of the answers: that is no",
    [
      ["push", "Yes"],
      ["reply", "q"],
    ],
    ["push"],
    3,
  ],
])("%s", { timeout: 60_000 }, async (_name, answers, did, code) => {
  const terminal = onTerminal(["run", String(at.pullRequest.number), "--confirm"], { cwd: clone, environment: at.environment });
  const before: Step[] = [];
  for (const [step, keys] of answers) {
    expect(await terminal.see(/Do it\? \[y\/N, a: this and all that follow\] /)).toMatch(STEPS[step]);
    // Nothing of it is done before the answer.
    expect(done()).toEqual(before);
    before.push(step);
    terminal.type(keys + ENTER);
  }
  const { code: exit, out } = await terminal.ended;
  expect(out.match(/Do it\?/g)).toHaveLength(answers.length);
  expect(done()).toEqual(did);
  expect(exit).toBe(code);
});

test(
  "Ctrl-C at a question: 130; what was agreed to is done once, what is left is in the next run, without the rest twice",
  { timeout: 60_000 },
  async () => {
    const terminal = onTerminal(["run", String(at.pullRequest.number), "--confirm"], { cwd: clone, environment: at.environment });
    await terminal.see(/Do it\?/);
    terminal.type(`y${ENTER}`);
    await terminal.see(/Do it\?/);
    terminal.type(CTRL_C);
    expect((await terminal.ended).code).toBe(130);
    expect(done()).toEqual(["push"]);
    const head = at.pullRequest.head.sha;
    const next = await at.cli(["run", String(at.pullRequest.number), "--json"], { cwd: clone });
    expect(next.code).toBe(0);
    expect(done()).toEqual(["push", "reply", "resolve"]);
    expect(at.pullRequest.head.sha).toBe(head);
    expect(at.pullRequest.threads[0]?.comments).toHaveLength(2);
  },
);
