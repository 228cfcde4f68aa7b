/** The contract of targets: every built-in one keeps its table, and each planted fault is caught by the case that is meant for it. */
import { describe, expect, test } from "vitest";
import { defineTarget, threadBlockers } from "../../core/index.js";
import type { Blocker, Inbox, PluginFactory } from "../../core/index.js";
import { builtinPlugins } from "../../plugins/index.js";
import { targetContract } from "../../sandbox/kit/index.js";
import type { TargetTable } from "../../sandbox/kit/index.js";
import { failing } from "./failing.js";

const NOTHING: TargetTable = {
  nothing: [],
  botThread: [],
  personThread: [],
  draft: [],
  redCheck: [],
  runningCheck: [],
  mergeUnknown: [],
  conflict: [],
};
const THREADS: TargetTable = { ...NOTHING, botThread: ["undecided"], personThread: ["undecided"] };
const MERGE: TargetTable = {
  ...THREADS,
  draft: ["draft"],
  redCheck: ["check-failed"],
  runningCheck: ["check-pending"],
  mergeUnknown: ["merge-state-unknown"],
  conflict: ["conflict"],
};
const TABLES: Readonly<Record<string, TargetTable>> = {
  "review-clean": THREADS,
  "merge-ready": MERGE,
  "draft-to-ready": MERGE,
  // Without a gate (and none wanted) only the draft is left; it waits for nobody.
  "open-for-review": { ...NOTHING, draft: ["draft"] },
};

const targets = Object.entries(builtinPlugins).filter(([, factory]) => factory.kind === "target");

test("every built-in target has a table", () => {
  expect(targets.map(([name]) => name).filter((name) => TABLES[name] === undefined)).toEqual([]);
});

describe.each(targets)("%s", (name, factory) => {
  const cases = targetContract(factory, TABLES[name] ?? NOTHING, { config: { gate: false } });
  test.each(cases.map((each) => [each.name, each.run] as const))("%s", (_case, run) => run());
});

type Check = (inbox: Inbox) => readonly Blocker[];
const target = (check: Check, awaits: "everyone" | "nowhere" = "everyone"): PluginFactory<Record<never, never>> =>
  defineTarget({
    name: "sound",
    awaits: awaits as "everyone",
    on: {
      check: (blockers, inbox, ctx) => [...blockers, ...threadBlockers(inbox, ctx.run, ctx.settings, "sound"), ...check(inbox)],
    },
  });
const about =
  (change: Partial<Blocker>): Check =>
  (inbox) =>
    inbox.pullRequest.draft ? [{ code: "draft", by: "sound", detail: "a draft", lift: { who: "person" }, ...change }] : [];
const draft: TargetTable = { ...THREADS, draft: ["draft"] };
let turn = 0;

const WHO = "says of each blocker who it is, what is wrong and who lifts it";
const FAULTS: readonly (readonly [
  what: string,
  factory: PluginFactory<Record<never, never>>,
  name: string,
  says: RegExp,
  table?: TargetTable,
])[] = [
  ["whom it awaits is no word of ours", target(() => [], "nowhere"), "is a target and says whom it awaits", /"nowhere"/],
  ["a blocker without a detail", target(about({ detail: " " })), WHO, /no code or no detail/, draft],
  ["a blocker in the name of another", target(about({ by: "somebody" })), WHO, /somebody's/, draft],
  ["a blocker that nobody lifts", target(about({ lift: { who: "nobody" as "person" } })), WHO, /"nobody"/, draft],
  ["a thread that is not there", target(about({ thread: "PRRT_none" })), WHO, /not there/, draft],
  [
    "another answer each time",
    target((inbox) =>
      inbox.threads.length === 0 ? [] : [{ code: "undecided", by: "sound", detail: `${(turn += 1)}`, lift: { who: "person" } }],
    ),
    "says the same of the same read",
    /the second time/,
    { ...NOTHING, botThread: ["undecided", "undecided"], personThread: ["undecided", "undecided"] },
  ],
  ["a draft is as good as any", target(() => []), "draft: draft", /gives \[\] where \["draft"\] was due/, draft],
  [
    "red checks hold it that were not to",
    target((inbox) =>
      inbox.checks?.some((check) => check.state === "failure") === true
        ? [{ code: "red", by: "sound", detail: "red", lift: { who: "agent" } }]
        : [],
    ),
    "redCheck: met",
    /check of redCheck: gives \["red"\]/,
  ],
];

describe("a planted fault is caught by the case that is meant for it", () => {
  test("a sound target passes", async () =>
    expect(
      await failing(
        targetContract(
          target(() => []),
          THREADS,
        ),
      ),
    ).toEqual({}));

  const faults = FAULTS.map(([what, factory, name, says, table = THREADS]) => ({ what, factory, name, says, table }));
  test.each(faults)("$what", async ({ factory, name, says, table }) => {
    const found = await failing(targetContract(factory, table));
    expect(Object.keys(found)).toEqual([name]);
    expect(found[name]).toMatch(says);
    expect(found[name]).not.toContain("\n");
  });
});
