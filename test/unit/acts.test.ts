/** The pure parts of single acts, as tables. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayNotReply, mayNotResolve } from "../../core/acts.js";
import { findThread } from "../../core/reading/find-thread.js";
import type { Thread } from "../../core/model.js";
import { cadence } from "../../core/waiting.js";
import { formatDeclined, parseDeclined, pointOf } from "../../plugins/tools/decline-ledger.js";
import { settingsFrom } from "../loop/settings.js";
import { alice, bot, HEAD, inline, message, OLD, ours, run, snapshot } from "./building.js";
import { threadsOf } from "../../core/reading/threads.js";

const SETTINGS = settingsFrom({});
const raised = message(bot("acme-review"), "Off by one.", 1, { commit: OLD });
const read = snapshot({ reviewThreads: [inline([raised])] });
const [base] = threadsOf(read, { run: run(), ours, trust: SETTINGS.trust });
const thread = (more: Partial<Thread> = {}): Thread => ({ ...(base as Thread), reviewer: "acme", ...more });
const inbox = { ...read, threads: [], signals: [], parties: [], unknownBots: [], notes: [] };
const judged = (of: Thread, kind: "judgment" | "actionable") =>
  run({ decisions: { [of.id]: { contentHash: of.contentHash, decision: { kind, why: "", reply: null }, at: 0, iteration: 0 } } });

test.each<[string, Parameters<typeof mayNotReply>, RegExp | undefined]>([
  ["an answer", [thread(), "informational", "Because.", inbox, SETTINGS], undefined],
  ["nothing", [thread(), "informational", " \n", inbox, SETTINGS], /empty/],
  ["no right to", [thread({ canReply: false }), "informational", "x", inbox, SETTINGS], /can't reply/],
  ["the fourth", [thread({ replies: 3 }), "informational", "x", inbox, SETTINGS], /3 times already/],
  ["a fix of an older head", [thread(), "actionable", "Fixed.", inbox, SETTINGS], undefined],
  [
    "a fix, and nothing was pushed",
    [thread({ messages: [{ ...raised, commit: HEAD }] }), "actionable", "Fixed.", inbox, SETTINGS],
    /push first/,
  ],
  ["a question for a person, anywhere", [thread({ replies: 3, canReply: false }), "judgment", "Shall we?", inbox, SETTINGS], undefined],
])("reply: %s", (_name, given, problem) => {
  const found = mayNotReply(...given);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

const answered = thread({ answered: true });
const hers: Thread = { ...thread({ answered: true, author: alice }) };
delete (hers as { reviewer?: string }).reviewer;
test.each<[string, Parameters<typeof mayNotResolve>, RegExp | undefined]>([
  ["answered", [answered, run(), SETTINGS], undefined],
  ["not answered", [thread(), run(), SETTINGS], /answer is visible/],
  ["a point in a body", [thread({ answered: true, home: "conversation" }), run(), SETTINGS], /only inline/],
  ["a person's", [hers, run(), SETTINGS], /alice raised it/],
  [
    "a person's, where the config says so",
    [hers, run(), settingsFrom({ people: { ...SETTINGS.people, resolve: "after-reply" } })],
    undefined,
  ],
  ["a person's question is open", [answered, judged(answered, "judgment"), SETTINGS], /person's decision/],
  ["no right to", [thread({ answered: true, canResolve: false }), run(), SETTINGS], /may not resolve/],
])("resolve: %s", (_name, given, problem) => {
  const found = mayNotResolve(...given);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

test("a thread is meant by its id, a comment's id in either form, or a URL; two points under one id are told apart", () => {
  const one = thread();
  for (const given of [one.id, raised.id, raised.databaseId, raised.url, `https://github.test/a/b/pull/7#discussion_r${raised.databaseId}`])
    expect(findThread([one], given)).toBe(one);
  expect(() => findThread([one], "1")).toThrow(/no thread "1"/);
  expect(() => findThread([one, thread({ id: "summary:acme:2" })], raised.databaseId)).toThrow(/holds 2 points/);
  expect(findThread([one, thread({ id: "summary:acme:2" })], "summary:acme:2").id).toBe("summary:acme:2");
});

test("looks are further apart while nothing moves, never more than a minute (or what was said), never none", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120_000 }),
      fc.nat(200),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (poll, quiet, random) => {
        const next = cadence(poll, quiet, random);
        expect(next).toBeGreaterThanOrEqual(1);
        expect(next).toBeLessThanOrEqual(Math.max(poll, 60_000));
        expect(cadence(poll, quiet + 1, random)).toBeGreaterThanOrEqual(next);
      },
    ),
  );
  expect(cadence(10_000, 0, 0)).toBe(10_000);
  // Nobody is looked after less often than said.
  expect(cadence(10_000, 30, 0)).toBe(60_000);
  expect(cadence(10_000, 30, 0.999)).toBeGreaterThanOrEqual(48_000);
});

test("two points are one without code, numbers and punctuation; too little says nothing", () => {
  expect(pointOf("Pin `a/b@v1` to a SHA (line 12).")).toBe(pointOf("pin `c/d@v2` to a sha, line 40"));
  expect(pointOf("Rename this variable please")).not.toBe(pointOf("Rename this function please"));
  expect(pointOf("`x`: nit 3")).toBeUndefined();
});

test("what is exported is read back, and a line that is none is passed over", () => {
  const entry = {
    point: "pin the workflow",
    title: "Pin the workflow",
    why: "ours",
    reply: "It is ours.",
    url: "u",
    times: 2,
    threads: ["T"],
  };
  const text = formatDeclined([entry]);
  expect(parseDeclined(`${text}not json\n[]\n{"title":1}\n`)).toEqual([{ ...entry, threads: [] }]);
  fc.assert(fc.property(fc.string(), (any) => Array.isArray(parseDeclined(any))));
});
