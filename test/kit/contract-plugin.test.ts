/** Every built-in plugin keeps the contract of plugins, and each planted fault is caught. */
import { describe, expect, test } from "vitest";
import { definePlugin } from "../../core/index.js";
import type { Forge, Git, PluginFactory, PluginSpec } from "../../core/index.js";
import { builtinPlugins, gitSync, openForReview, plainWords, suggestions } from "../../plugins/index.js";
import { pluginContract } from "../../sandbox/kit/index.js";
import { failing } from "./failing.js";

describe.each(Object.entries(builtinPlugins))("%s", (_name, factory) => {
  test.each(pluginContract(factory).map(({ name, run }) => [name, run] as const))("%s", (_case, run) => run());
});

/** Where the defaults alone do nothing: the same with something to do. */
describe.each([
  ["git-sync with a policy", pluginContract(gitSync, { config: { sync: "merge" } })],
  [
    "suggestions with one to apply",
    pluginContract(suggestions, {
      scene: (scene) => scene.thread({ by: "bob", path: "src/main.ts", line: 5, body: "```suggestion\nexport const five = 5;\n```" }),
    }),
  ],
  ["plain-words with a command", pluginContract(plainWords, { options: { run: "reword" } })],
  ["open-for-review with a gate", pluginContract(openForReview, { config: { gate: [{ run: "npm test", proof: true }] } })],
])("%s", (_what, cases) => {
  test.each(cases.map(({ name, run }) => [name, run] as const))("%s", (_case, run) => run());
});

/** A plugin that nothing is wrong with. */
const sound = {
  name: "sound",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { words: { type: "string" }, apiToken: { type: "string" } } },
  defaults: { words: "hello", apiToken: "" },
  on: {},
} as const satisfies PluginSpec<{ words: string; apiToken: string }>;
type Spec = PluginSpec<{ words: string; apiToken: string }>;
const broken = (change: Partial<Spec>): PluginFactory<{ words: string; apiToken: string }> => definePlugin({ ...sound, ...change });
const handling = (on: Spec["on"]) => broken({ on });

/** Each fault, the case that is meant for it, and a word of what it says. */
const FAULTS: readonly (readonly [
  what: string,
  factory: PluginFactory<{ words: string; apiToken: string }>,
  name: string,
  says: RegExp,
])[] = [
  [
    "a name that no config could write",
    broken({ name: "Not Kebab" }),
    "has a name, a kind and phases that exist",
    /"Not Kebab" is not kebab-case/,
  ],
  [
    "a phase that does not exist",
    broken({ on: { chekc: () => [] } as Spec["on"] }),
    "has a name, a kind and phases that exist",
    /no phase "chekc"/,
  ],
  ["a target that awaits nobody knows whom", broken({ kind: "target" }), "has a name, a kind and phases that exist", /awaits/],
  ["a reviewer that nobody knows", broken({ kind: "reviewer" }), "has a name, a kind and phases that exist", /defineReviewer/],
  [
    "one object for all calls",
    (() => {
      const good = broken({});
      const one = good();
      return Object.assign(() => one, good, { pluginName: "sound", kind: "tool" as const });
    })(),
    "is made anew each time, from nothing but its options",
    /the same object/,
  ],
  [
    "the caller's options kept as they are",
    (() => {
      const good = broken({});
      const make = (options: object = {}) => ({ ...good(), options: options as Record<string, unknown> });
      return Object.assign(make, good, { pluginName: "sound", kind: "tool" as const });
    })(),
    "is made anew each time, from nothing but its options",
    /later change reaches/,
  ],
  [
    "defaults that its schema refuses",
    broken({ defaults: { words: 3 as unknown as string, apiToken: "" } }),
    "has a schema that takes its defaults and no unknown key",
    /refuses the defaults.*words/,
  ],
  [
    "a schema that takes anything",
    broken({ schema: { type: "object" } }),
    "has a schema that takes its defaults and no unknown key",
    /unknown key/,
  ],
  [
    "a schema that is none",
    broken({ schema: { type: "nonsense" } }),
    "has a schema that takes its defaults and no unknown key",
    /does not compile/,
  ],
  [
    "an inbox changed in place",
    handling({
      check: (blockers, inbox) => {
        (inbox.notes as string[]).push("mine");
        return blockers;
      },
    }),
    "changes nothing that it is given",
    /check: changes its input in place/,
  ],
  [
    "threads sorted in place",
    handling({
      fetch: (inbox) => {
        (inbox.threads as unknown[]).reverse();
        return inbox;
      },
    }),
    "changes nothing that it is given",
    /fetch: changes its input in place/,
  ],
  ["blockers of others dropped", handling({ check: () => [] }), "keeps what a refine handler was given", /check: loses .*blockers/],
  ["evidence of others dropped", handling({ gate: () => [] }), "keeps what a refine handler was given", /gate: loses/],
  [
    "nothing returned",
    handling({ report: (() => undefined) as unknown as NonNullable<Spec["on"]["report"]> }),
    "keeps what a refine handler was given",
    /report: returns undefined/,
  ],
  [
    "a person's thread dropped",
    handling({ fetch: (inbox) => ({ ...inbox, threads: inbox.threads.slice(1) }) }),
    "keeps what a refine handler was given",
    /fetch: loses the thread/,
  ],
  [
    "signals of others dropped",
    handling({ fetch: (inbox) => ({ ...inbox, signals: [] }) }),
    "keeps what a refine handler was given",
    /fetch: .*signals/,
  ],
  [
    "what GitHub said changed",
    handling({ fetch: (inbox) => ({ ...inbox, comments: [] }) }),
    "keeps what a refine handler was given",
    /changes comments/,
  ],
  [
    "a thread closed that GitHub has open",
    handling({ fetch: (inbox) => ({ ...inbox, threads: inbox.threads.map((thread) => ({ ...thread, open: false })) }) }),
    "keeps what a refine handler was given",
    /GitHub says otherwise/,
  ],
  [
    "an undecided thread lost",
    handling({ triage: (triage) => ({ ...triage, undecided: [] }) }),
    "keeps what a refine handler was given",
    /triage: has 1 threads/,
  ],
  [
    "another's decision changed",
    handling({
      triage: (triage) => ({
        ...triage,
        decided: triage.decided.map((item) => ({ ...item, decision: { ...item.decision, kind: "actionable" as const } })),
      }),
    }),
    "keeps what a refine handler was given",
    /to something else than judgment/,
  ],
  ["work lost", handling({ fix: (work) => ({ ...work, todo: [] }) }), "keeps what a refine handler was given", /fix: loses, invents/],
  [
    "a thread that was fixed by another taken as its own",
    handling({ fix: (work) => ({ ...work, done: work.done.map((item) => ({ ...item, by: "sound" })) }) }),
    "keeps what a refine handler was given",
    /fix: loses or changes done/,
  ],
  [
    "a reply with another decision",
    handling({ reply: (draft) => ({ ...draft, decision: { ...draft.decision, kind: "false-positive" } }) }),
    "keeps what a refine handler was given",
    /reply: changes the decision/,
  ],
  [
    "requests of others dropped",
    handling({ rerequest: (asks) => ({ ...asks, requests: [] }) }),
    "keeps what a refine handler was given",
    /rerequest: .*requests/,
  ],
  [
    "a report that resolves",
    handling({
      report: ({ report }) => ({
        report,
        writes: [{ kind: "resolve", key: "resolve:x", preconditions: {}, why: "", thread: "x" }],
      }),
    }),
    "keeps what a refine handler was given",
    /leaves a resolve behind/,
  ],
  [
    "remaining items taken out of the report",
    handling({ report: ({ report, writes }) => ({ report: { ...report, remaining: [] }, writes }) }),
    "keeps what a refine handler was given",
    /remaining of the report/,
  ],
  [
    "a sync that nobody asked for",
    handling({ sync: (ctx) => ({ policy: "merge", base: ctx.run.base, head: ctx.run.base }) }),
    "leaves what a decide handler does not own",
    /sync: answers .* no policy/,
  ],
  [
    "a person's thread resolved",
    handling({ resolve: () => "resolve" }),
    "leaves what a decide handler does not own",
    /resolves a person's thread/,
  ],
  [
    "a command that does not hear the interrupt",
    handling({
      gate: async (evidence, _tree, ctx) => {
        await ctx.shell.run({ command: "npm test", cwd: ".", timeout: 1000 });
        return evidence;
      },
    }),
    "ends at once when it is interrupted",
    /gate: goes on for 60000 ms/,
  ],
  [
    "a timer left behind",
    handling({
      check: (blockers, _inbox, ctx) => {
        void ctx.clock.sleep(1000);
        return blockers;
      },
    }),
    "ends at once when it is interrupted",
    /check: /,
  ],
  [
    "a promise that never ends",
    handling({
      check: async (blockers, _inbox, ctx) =>
        ctx.signal.aborted
          ? blockers
          : ctx.clock.sleep(1, ctx.signal).then(
              () => blockers,
              () => new Promise(() => {}),
            ),
    }),
    "ends at once when it is interrupted",
    /does not end/,
  ],
  [
    "a write of its own",
    handling({
      check: async (blockers, inbox, ctx) => {
        const forge = ctx.forge as Forge;
        if (!ctx.dryRun) return blockers;
        await forge.write([{ kind: "mark-ready", key: "k", preconditions: {}, why: "" }], inbox.pullRequest).catch(() => []);
        return blockers;
      },
    }),
    "writes nothing itself, dry run or not",
    /check: calls forge.write/,
  ],
  [
    "a commit of its own",
    handling({
      fix: async (work, inbox, ctx) => {
        await (ctx.git as Git).checkout(inbox.pullRequest.head.sha).catch(() => undefined);
        return work;
      },
    }),
    "writes nothing itself, dry run or not",
    /fix: calls git.checkout/,
  ],
  [
    "an error without code and hint",
    handling({
      check: async (blockers, inbox, ctx) => {
        await ctx.forge.pulse(inbox.pullRequest.ref).catch(() => {
          throw new Error("it did not work");
        });
        return blockers;
      },
    }),
    "fails with a code and a hint",
    /check: throws a plain error .*it did not work/,
  ],
  [
    "a token of the environment in a comment",
    handling({
      report: ({ report, writes }) => ({
        report,
        writes: [
          ...writes,
          { kind: "comment", key: "c", preconditions: {}, why: "", body: `with ${process.env["GH_TOKEN"]}`, answers: [] },
        ],
      }),
    }),
    "lets no token out",
    /report: the token stands in what it returns/,
  ],
  [
    "a token of its options in the log",
    handling({
      check: (blockers, _inbox, ctx) => {
        ctx.log.debug(`asked with ${ctx.options.apiToken}`);
        return blockers;
      },
    }),
    "lets no token out",
    /check: the token stands in a log line/,
  ],
  [
    "a token in a command line",
    handling({
      gate: async (evidence, _tree, ctx) => {
        await ctx.shell.run({ command: `curl -H ${ctx.options.apiToken}`, cwd: ".", timeout: 1 }, ctx.signal);
        return evidence;
      },
    }),
    "lets no token out",
    /gate: the token stands in shell.run/,
  ],
];

describe("a planted fault is caught by the case that is meant for it", () => {
  test("a sound plugin passes", async () => expect(await failing(pluginContract(broken({})))).toEqual({}));

  test.each(FAULTS)("%s", async (_what, factory, name, says) => {
    const found = await failing(pluginContract(factory));
    expect(Object.keys(found)).toEqual([name]);
    expect(found[name]).toMatch(says);
    expect(found[name]).not.toContain("\n");
  });

  test("each case has its fault", () => {
    expect([...new Set(FAULTS.map(([, , name]) => name))].toSorted()).toEqual(
      pluginContract(broken({}))
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});
