/** A loop whose own fixes bring the next findings ends, with the figures. */
import { expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { acme, acmeBot } from "./acme.js";
import { drive } from "./driving.js";

/** Each fix writes the next version into line 2; the bot has something against each, at this line. */
const scene = (line: (version: number) => number): Scene => {
  let version = 0;
  const at = scenario()
    .pullRequest({ author: "ada" })
    .bot("acme-review")
    .file("src/a.ts", "one\nbase\nthree\nfour\n", "one\nversion 0\nthree\nfour\n")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach(() => ({ kind: "actionable" })),
      fix: fixEach((_thread, worktree) => {
        version += 1;
        worktree.write("src/a.ts", `one\nversion ${version}\nthree\nfour\n`);
        return { summary: `version ${version}`, files: ["src/a.ts"] };
      }),
    })
    .build();
  acmeBot(
    at.world,
    at.pullRequest,
    [0, 1, 2, 3, 4].map((each) => ({
      path: "src/a.ts",
      line: line(each),
      body: `Version ${each} is wrong.`,
      stillIn: (text) => text.includes(`version ${each}\n`),
    })),
  );
  return at;
};

test("two rounds in a row of mostly such findings: stalled, with the figures; the last ones are a person's", async () => {
  const at = scene(() => 2);
  const { report } = await drive(at, { reviewers: [acme()] });
  expect(report.stop).toBe("stalled");
  expect(report.detail).toBe("two rounds in a row brought mostly findings on lines that our own fixes wrote: 1 of 1, then 1 of 1");
  expect(report.iterations.map((line) => line.findings)).toEqual([
    { found: 1, fixInduced: 0 },
    { found: 1, fixInduced: 1 },
    { found: 1, fixInduced: 1 },
  ]);
  expect(report.pushes).toHaveLength(2);
  expect(report.notes).toContain(
    "New findings on lines that our own fixes wrote (fix-induced): 1 of 1 in iteration 2, 1 of 1 in iteration 3",
  );
  expect(report.remaining.filter((item) => item.thread !== undefined)).toMatchObject([{ code: "undecided", who: "person" }]);
  const provenances = (await at.store.peek(at.pullRequestRef)).flatMap((entry) =>
    entry.type === "decision" ? [entry.decision.provenance] : [],
  );
  expect(provenances).toEqual([undefined, "fix-induced"]);
});

test("findings beside our lines end nothing", async () => {
  const at = scene((version) => (version % 2 === 0 ? 2 : 3));
  const { report } = await drive(at, { reviewers: [acme()] });
  expect(report.stop).toBe("met");
  expect(report.iterations.map((line) => line.findings?.fixInduced)).toEqual([0, 0, 1, 0, 1]);
});
