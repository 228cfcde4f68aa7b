/** The stopping rule of draft-to-ready, as a table: six rounds counted by head, or nothing but nitpicks on an otherwise ready pull request. */
import { expect, test } from "vitest";
import type { Blocker, DecisionKind, Entry, Inbox, Review, ReviewThread } from "../../core/index.js";
import { foldRun } from "../../core/run.js";
import { threadsOf } from "../../core/reading/threads.js";
import { draftToReady, roundsOf, stoppingOf } from "../../plugins/targets/draft-to-ready.js";
import { alice, ARRIVED, bot, HEAD, inline, message, NOW, OLD, ours, review, snapshot } from "../unit/building.js";
import { DEFAULTS } from "../loop/settings.js";

const head = (number: number): string => `${number}`.repeat(40);
const acme = bot("acme-review");
const reviewOf = (commit: string, body = "Reviewed."): Review => review(message(acme, body, 10), { commit });
const botThread = (commit = HEAD): ReviewThread => inline([message(acme, "This name could be a little longer.", 70, { commit })]);
const person = inline([message(alice, "Should this be here?", 70)]);

interface Case {
  readonly reviews?: readonly Review[];
  readonly threads?: readonly (readonly [thread: ReviewThread, decided?: DecisionKind])[];
  /** What else holds it. */
  readonly others?: readonly Blocker[];
  readonly asked?: readonly string[];
}

const blocker = (code: string, who: Blocker["lift"]["who"], more: Partial<Blocker> = {}): Blocker => ({
  code,
  by: "test",
  detail: code,
  lift: { who },
  ...more,
});

const judged = ({ reviews = [], threads = [], others = [], asked = [] }: Case) => {
  const of = snapshot({ reviews, reviewThreads: threads.map(([thread]) => thread) });
  const raw = threadsOf(of, { run: foldRun([]), ours, trust: DEFAULTS.trust });
  const entries: Entry[] = [{ at: ARRIVED, type: "run", run: "r1", target: "draft-to-ready", base: OLD, head: HEAD }];
  for (const [thread, kind] of threads) {
    const found = raw.find((each) => each.id === thread.id);
    if (kind === undefined || found === undefined) continue;
    const { id, contentHash, title } = found;
    entries.push({ at: NOW, type: "decision", thread: id, contentHash, title, decision: { kind, why: "read it", reply: null } });
  }
  for (const commit of asked) {
    const key = `request:acme:${commit}`;
    const write = { kind: "request", key, preconditions: { head: commit }, reviewer: "acme", by: "comment", body: "b", why: "w" } as const;
    entries.push({ at: NOW, type: "intent", write }, { at: NOW, type: "result", key, result: { state: "done" } });
  }
  const run = foldRun(entries);
  const inbox: Inbox = {
    ...of,
    threads: threadsOf(of, { run, ours, trust: DEFAULTS.trust }),
    signals: [],
    parties: [],
    unknownBots: [],
    notes: [],
  };
  const open = inbox.threads.map((thread) => blocker("undecided", "agent", { thread: thread.id }));
  const stopping = stoppingOf(inbox, [...open, ...others], { run, options: { ...draftToReady().options } });
  return { rounds: roundsOf(inbox, run), rule: stopping?.rule, leftovers: stopping?.leftovers ?? [], detail: stopping?.detail };
};

const heads = (count: number): readonly Review[] => Array.from({ length: count }, (_, index) => reviewOf(head(index + 1)));
const nit = botThread();
const draft = blocker("draft", "person");

test.each<[string, Case, string | undefined, readonly string[]]>([
  ["nothing is open", {}, undefined, []],
  ["a real point in the first round", { threads: [[nit, "actionable"]] }, undefined, []],
  ["a point that nobody judged", { threads: [[nit]] }, undefined, []],
  ["five rounds and a real point", { reviews: heads(5), threads: [[botThread(head(5)), "actionable"]] }, undefined, []],
  ["six rounds and a real point", { reviews: heads(6), threads: [[nit, "actionable"]] }, "round-cap", [nit.id]],
  ["six rounds and nothing open", { reviews: heads(6) }, "round-cap", []],
  ["six reviews of one head are one round", { reviews: Array.from({ length: 6 }, () => reviewOf(HEAD)), threads: [[nit]] }, undefined, []],
  [
    "answers in threads (reviews without a body) are no rounds",
    { reviews: heads(6).map((each) => reviewOf(each.commit ?? "", "")) },
    undefined,
    [],
  ],
  [
    "reviews of people are no rounds",
    { reviews: heads(6).map((each) => ({ ...each, message: { ...each.message, author: alice } })) },
    undefined,
    [],
  ],
  [
    "heads that were asked about are rounds",
    { asked: [1, 2, 3, 4, 5, 6].map(head), threads: [[botThread(head(6)), "actionable"]] },
    "round-cap",
    ["T"],
  ],
  ["six rounds, a person's thread is none of what is left", { reviews: heads(6), threads: [[nit], [person]] }, "round-cap", [nit.id]],
  ["only a nitpick", { threads: [[nit, "nitpick"]] }, "all-nitpick", [nit.id]],
  ["only a nitpick, still a draft", { threads: [[nit, "nitpick"]], others: [draft] }, "all-nitpick", [nit.id]],
  [
    "a nitpick and a real point",
    {
      threads: [
        [nit, "nitpick"],
        [botThread(), "actionable"],
      ],
    },
    undefined,
    [],
  ],
  [
    "a nitpick and a point that is for a person to decide",
    {
      threads: [
        [nit, "nitpick"],
        [botThread(), "judgment"],
      ],
    },
    undefined,
    [],
  ],
  ["a nitpick while checks run", { threads: [[nit, "nitpick"]], others: [blocker("check-pending", "ci")] }, "all-nitpick", [nit.id]],
  [
    "a nitpick while a reviewer is awaited",
    { threads: [[nit, "nitpick"]], others: [blocker("review-requested", "reviewer")] },
    "all-nitpick",
    [nit.id],
  ],
  ["a nitpick and a red check", { threads: [[nit, "nitpick"]], others: [blocker("check-failed", "agent")] }, undefined, []],
  ["a nitpick and a conflict", { threads: [[nit, "nitpick"]], others: [blocker("conflict", "person")] }, undefined, []],
  ["a nitpick and behind the base", { threads: [[nit, "nitpick"]], others: [blocker("behind", "loop")] }, undefined, []],
  ["a nitpick and a person's thread", { threads: [[nit, "nitpick"], [person]] }, undefined, []],
])("%s", (_name, given, rule, leftovers) => {
  const found = judged(given);
  expect(found.rule).toBe(rule);
  // Threads that are made within a row have no name there.
  if (leftovers[0] === "T") expect(found.leftovers).toHaveLength(1);
  else expect(found.leftovers).toEqual(leftovers);
});

test("how many rounds, of how many, and what is left is said", () => {
  expect(judged({ reviews: heads(6), threads: [[nit], [botThread()]] })).toMatchObject({
    rounds: 7,
    detail: "6 of 6 rounds are over, 2 points of bots left",
  });
  expect(judged({ reviews: heads(6), threads: [[nit]] }).detail).toBe("6 of 6 rounds are over, a point of bots left");
  expect(judged({ threads: [[nit, "nitpick"]] }).detail).toBe("nothing but a nitpick is left");
});
