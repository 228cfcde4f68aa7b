/** What triage is given beside the threads, in the presets of every thread: what was declined before, and the description's note of context. */
import { expect, test } from "vitest";
import type { AgentTask } from "../../core/index.js";
import { declineLedger } from "../../plugins/tools/decline-ledger.js";
import { tools } from "../../presets/lists.js";
import { scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import type { PullRequestRecord } from "../../sandbox/world/records.js";
import { acme } from "./acme.js";
import { drive, TOOLS } from "./driving.js";

const POINT = "A guard is missing around the parser here.";

const shop = (tasks: AgentTask[], body = "What it is for."): Scene =>
  scenario()
    .pullRequest({ author: "ada", body })
    .bot("acme-review")
    .file("src/a.ts", "one\n", "one\ntwo\n")
    .file("src/b.ts", "one\n", "one\ntwo\n")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: (task) => {
        tasks.push(task);
        return triageEach(() => ({ kind: "false-positive", why: "the caller guards", reply: "The caller guards it." }))(task);
      },
    })
    .build();
/** The ledger with the options of the presets, first in triage. */
const ledgerOfPresets = () => {
  const entry = tools.find(
    (each): each is readonly [string, Readonly<Record<string, unknown>>] => Array.isArray(each) && each[0] === "decline-ledger",
  );
  return declineLedger(entry?.[1] ?? {});
};
const raise = (at: Scene, on: PullRequestRecord, ...paths: readonly string[]): void => {
  for (const path of paths) at.world.addThread("acme-review", on, { path, line: 2, body: POINT });
};
const go = (at: Scene, on: PullRequestRecord = at.pullRequest) =>
  drive(at, {
    reviewers: [acme()],
    park: true,
    tools: [ledgerOfPresets(), ...TOOLS],
    ref: { ...at.pullRequestRef, number: on.number },
  });

test("raised again in the same file, also on another pull request: answered from the ledger, first; in another file it is judged anew", async () => {
  const tasks: AgentTask[] = [];
  const at = shop(tasks);
  raise(at, at.pullRequest, "src/a.ts");
  await go(at);
  // Again in this conversation, and then on another pull request.
  raise(at, at.pullRequest, "src/a.ts");
  await go(at);
  at.world.commitAndPush("ada", {
    repository: "ada/shop",
    branch: "second",
    files: { "src/a.ts": "1\n2\n", "src/b.ts": "1\n2\n" },
    message: "Second",
  });
  const second = at.world.openPullRequest("ada", { repository: "ada/shop", head: "second", title: "Second", body: "", draft: false });
  raise(at, second, "src/a.ts", "src/b.ts");
  await go(at, second);
  expect(tasks.map((task) => task.threads.map((thread) => thread.path))).toEqual([["src/a.ts"], ["src/b.ts"]]);
  const bodies = [...at.pullRequest.threads, ...second.threads].map((thread) => thread.comments.at(-1)?.body ?? "");
  expect(bodies.map((body) => body.includes("Answered before: "))).toEqual([false, true, true, false]);
  expect(bodies.every((body) => body.includes("The caller guards it.") && !body.includes("Recording for future"))).toBe(true);
});

test("the note of context goes to triage with the rule to weigh each point against it, and only where there is one", async () => {
  for (const [body, has] of [
    ["## Why\n\nIt was slow.\n\n## Context\n\nDon't touch the parser.", true],
    ["Context: none.", false],
  ] as const) {
    const tasks: AgentTask[] = [];
    const at = shop(tasks, body);
    raise(at, at.pullRequest, "src/a.ts");
    await go(at);
    expect(tasks[0]?.rules.some((rule) => rule.includes('"## Context"'))).toBe(has);
    expect(tasks[0]?.pullRequest.body).toBe(body);
  }
});
