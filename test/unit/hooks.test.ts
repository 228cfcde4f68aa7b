/** Plugins on their hooks: order, attribution, shapes, aborts. */
import { describe, expect, test } from "vitest";
import { bindPlugins } from "../../core/hooks.js";
import type { CtxFor } from "../../core/hooks.js";
import type { Blocker, Ctx, Inbox, Phase, Plugin, Thread, Triage } from "../../core/index.js";
import { PHASE_NAMES } from "../../core/phases.js";

const plugin = (name: string, on: object): Plugin => ({ name, kind: "tool", options: { who: name }, on });
const controller = new AbortController();
const ctxFor: CtxFor = (each) => ({ options: each.options, signal: controller.signal }) as unknown as Ctx;
const inbox = {} as Inbox;
const bound = (...plugins: readonly Plugin[]) => bindPlugins(plugins, { now: () => 0 });
const blocker = (code: string): Blocker => ({ code, by: "test", detail: code, lift: { who: "loop" } });
const adds = (code: string) => (blockers: readonly Blocker[]) => [...blockers, blocker(code)];
const codes = async (...plugins: readonly Plugin[]): Promise<readonly string[]> =>
  (await bound(...plugins).call("check", ctxFor, [], inbox)).map((each) => each.code);

describe("order", () => {
  test("list order within a band; pre before, post after", async () => {
    const plugins = [
      plugin("a", { check: adds("a") }),
      plugin("late", { check: { order: "post", run: adds("late") } }),
      plugin("early", { check: { order: "pre", run: adds("early") } }),
      plugin("b", { check: adds("b") }),
    ];
    expect(await codes(...plugins)).toEqual(["early", "a", "b", "late"]);
    expect(bound(...plugins).order("check")).toEqual(["early", "a", "b", "late"]);
  });

  test("decide: the first answer wins, and the rest is not called", async () => {
    const called: string[] = [];
    const answer = (name: string, value: unknown) => plugin(name, { push: () => (called.push(name), value) });
    const found = await bound(
      answer("none", undefined),
      answer("first", { subject: "first" }),
      answer("second", { subject: "second" }),
    ).call("push", ctxFor, { todo: [], done: [], reasons: {} }, inbox);
    expect(found).toEqual({ subject: "first" });
    expect(called).toEqual(["none", "first"]);
  });

  test("an async handler is awaited, also where it fails", async () => {
    const slow = plugin("slow", {
      check: async (blockers: readonly Blocker[]) => (await Promise.resolve(), [...blockers, blocker("slow")]),
    });
    expect(await codes(slow, plugin("next", { check: adds("next") }))).toEqual(["slow", "next"]);
    const failing = plugin("failing", { check: async () => Promise.reject(new Error("no luck")) });
    await expect(codes(failing)).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      data: { plugin: "failing", phase: "check", problem: "no luck" },
    });
  });
});

describe("shapes", () => {
  test.each([
    ["nothing", undefined],
    ["a string", "x"],
    ["null", null],
    ["an object for a list", {}],
  ])("a refine handler that returns %s is named", async (_what, value) => {
    await expect(codes(plugin("wrong", { check: () => value }))).rejects.toMatchObject({
      code: "PLUGIN_RETURNED",
      data: { plugin: "wrong", phase: "check" },
    });
  });

  test("a misspelt phase, and a handler that is none, are refused at once", () => {
    expect(() => bound(plugin("typo", { chekc: adds("x") }))).toThrow('"chekc" is not a phase');
    expect(() => bound(plugin("typo", { check: "x" }))).toThrow("not a function");
  });

  test("every phase has a hook", async () => {
    for (const phase of PHASE_NAMES) {
      const seen: Phase[] = [];
      const hooks = bound(plugin("all", { [phase]: (value: unknown) => (seen.push(phase), value) }));
      await hooks.call(phase, ctxFor, ...([{ undecided: [], decided: [] }, inbox] as never));
      expect(seen).toEqual([phase]);
    }
  });
});

describe("triage", () => {
  const thread = (id: string): Thread => ({ id }) as Thread;
  const start: Triage = { undecided: [thread("t")], decided: [] };
  const decides = (kind: string) => (triage: Triage) => ({
    undecided: [],
    decided: [...triage.undecided, ...triage.decided.map((item) => item.thread)].map((each) => ({
      thread: each,
      decision: { kind, why: "", reply: null },
    })),
  });
  const run = (...plugins: readonly Plugin[]) => bound(...plugins).call("triage", ctxFor, start, inbox);

  test("a late handler may hand over to a person, and nothing else", async () => {
    const first = plugin("first", { triage: decides("false-positive") });
    expect((await run(first, plugin("late", { triage: { order: "post", run: decides("judgment") } }))).decided[0]?.decision.kind).toBe(
      "judgment",
    );
    await expect(run(first, plugin("late", { triage: { order: "post", run: decides("actionable") } }))).rejects.toMatchObject({
      code: "PLUGIN_RETURNED",
    });
  });

  test.each([
    ["lost", () => ({ undecided: [], decided: [] })],
    ["invented", () => ({ undecided: [thread("t"), thread("u")], decided: [] })],
    ["doubled", () => ({ undecided: [thread("t"), thread("t")], decided: [] })],
  ])("no thread is %s", async (_what, handler) => {
    await expect(run(plugin("wrong", { triage: handler }))).rejects.toMatchObject({ code: "PLUGIN_RETURNED" });
  });
});

describe("around", () => {
  test("a report handler that fails is noted, and the others are heard", async () => {
    const failed: string[] = [];
    const hooks = bindPlugins(
      [
        plugin("bad", { report: () => Promise.reject(new Error("disk full")) }),
        plugin("good", { report: (value: object) => ({ ...value, writes: ["x"] }) }),
      ],
      { now: () => 0, reportFailed: (name, problem) => failed.push(`${name}: ${problem}`) },
    );
    expect(await hooks.call("report", ctxFor, { report: {} as never, writes: [] })).toMatchObject({ writes: ["x"] });
    expect(failed).toEqual(["bad: disk full"]);
  });

  test("watching can't break a run", async () => {
    const hooks = bindPlugins([plugin("a", { check: adds("a") })], {
      now: () => 0,
      span: () => {
        throw new Error("watcher");
      },
    });
    expect(await hooks.call("check", ctxFor, [], inbox)).toHaveLength(1);
  });

  test("after an abort no handler is called", async () => {
    const aborted = new AbortController();
    aborted.abort();
    const called: string[] = [];
    const hooks = bound(plugin("a", { check: () => (called.push("a"), []) }));
    await expect(
      hooks.call("check", (each) => ({ options: each.options, signal: aborted.signal }) as unknown as Ctx, [], inbox),
    ).rejects.toMatchObject({ code: "ABORTED" });
    expect(called).toEqual([]);
  });
});
