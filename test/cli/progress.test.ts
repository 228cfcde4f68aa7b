/** Long work shows itself: live on a terminal, a line per event elsewhere, and as much or as little as asked for. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Progress, Wait, Write } from "../../index.js";
import { progressPrinter } from "../../cli/print/progress.js";
import type { Ticker } from "../../cli/print/progress.js";
import type { Surroundings } from "../../cli/surroundings.js";
import { AGENT, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

const T = new Date(2026, 10, 3, 14, 2, 11).getTime();
const head = "9a8b7c6d5e4f30211203456789abcdef76543210";
const wait: Wait = { for: "reviewer", name: "greptile", head, since: T, until: T + 600_000, then: "stop", poll: 10_000 };
const reply = (index: number): Progress => {
  const write: Write = {
    kind: "reply",
    key: `k${index}`,
    thread: "T",
    rootComment: "1",
    body: "b",
    decision: "actionable",
    preconditions: {},
    why: `actionable: Point ${index}`,
  };
  return { at: T, type: "write", write, result: { state: "done" }, index, of: 3 };
};

const screen = (isTTY: boolean) => {
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text), isTTY, columns: 100, on: () => undefined, off: () => undefined };
  const surroundings = { stderr, environment: { NO_COLOR: "1" } } as unknown as Surroundings;
  let now = T;
  const acts: (() => void)[] = [];
  const ticker: Ticker = {
    now: () => now,
    every: (_milliseconds, act) => {
      acts.push(act);
      return () => acts.splice(0);
    },
  };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    for (const act of acts) act();
  };
  return { surroundings, ticker, pass, text: () => written.join(""), acts };
};

describe("a line per event", () => {
  const print = (events: readonly Progress[], loudness: "quiet" | "normal" | "verbose" = "normal"): readonly string[] => {
    const { surroundings, ticker, text } = screen(false);
    const printer = progressPrinter(surroundings, loudness, undefined, ticker);
    for (const event of events) printer.on(event);
    printer.end();
    return text().trimEnd().split("\n");
  };

  test("which phase, which thread of how many, which write of how many", () => {
    expect(
      print([
        { at: T, type: "phase", phase: "triage", iteration: 1, detail: "2 open and undecided" },
        { at: T, type: "decided", thread: "T", title: "Off by one", kind: "actionable", index: 1, of: 2 },
        { at: T, type: "gate", gate: "npm test", result: "green", reused: true },
        reply(2),
      ]),
    ).toEqual([
      "",
      " iteration 1 ",
      "triage  2 open and undecided",
      "  1/2 actionable     Off by one",
      "  gate npm test: green (still valid, not run again)",
      "  ✓ 2/3 replied (actionable): Point 2",
    ]);
  });

  test("whom we wait for, since when, until when", () => {
    const waits = [wait, { ...wait, name: "devin", since: T - 60_000, until: T + 90_000 }];
    expect(print([{ at: T + 20_000, type: "waiting", for: ["greptile", "devin"], since: T, until: T, waits }])).toEqual([
      "wait  for greptile, since 14:02:11, until 14:12:11 (9 min 40 s left)",
      "wait  for devin, since 14:01:11, until 14:03:41 (70 s left)",
    ]);
  });

  test("quiet says nothing, verbose says more", () => {
    const events: readonly Progress[] = [
      { at: T, type: "phase", phase: "fetch", iteration: 0 },
      { at: T, type: "span", phase: "fetch", plugin: "greptile", took: 12 },
      { at: T, type: "note", text: "something" },
    ];
    expect(print(events, "quiet")).toEqual([""]);
    expect(print(events)).toEqual(["  something"]);
    expect(print(events, "verbose")).toEqual(["fetch", "  (greptile in fetch: 12 ms)", "  something"]);
  });

  test("what others wrote never reaches the terminal as more than text", () => {
    const lines = print([{ at: T, type: "note", text: "\u001B[2Jboo\u0007\u202E" }]);
    expect(lines).toEqual(["  [2Jboo"]);
  });
});

describe("live on a terminal", () => {
  test("the last line says what goes on, and for how long, while nothing happens", () => {
    const { surroundings, ticker, pass, text, acts } = screen(true);
    const printer = progressPrinter(surroundings, "normal", undefined, ticker);
    printer.on({ at: T, type: "phase", phase: "triage", iteration: 1, detail: "12 open" });
    expect(text()).toContain("triage (12 open) … 0 ms");
    pass(34_000);
    expect(text()).toContain("triage (12 open) … 34 s");
    printer.on({ at: T + 34_000, type: "waiting", for: ["greptile"], since: T, until: T + 600_000, waits: [wait] });
    pass(60_000);
    expect(text()).toContain("waiting for greptile, since 14:02:11, until 14:12:11 (8 min 26 s left)");
    printer.end();
    expect(acts).toEqual([]);
  });

  test("what others wrote is text there, too", () => {
    const { surroundings, ticker, text } = screen(true);
    const printer = progressPrinter(surroundings, "normal", undefined, ticker);
    printer.on({ at: T, type: "decided", thread: "T", title: "\u001B]0;owned\u0007Off by one", kind: "judgment", index: 1, of: 1 });
    printer.end();
    expect(text()).not.toContain("\u001B]0;");
    expect(text()).toContain("Off by one");
  });
});

describe("through the built command line", () => {
  let at: Place;
  beforeEach(async () => {
    at = await place();
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one." });
    at.sandbox.world.comment("grace", at.pullRequest, "What does it count?");
  });
  afterEach(() => at.close());

  const run = async (...flags: readonly string[]) => {
    const agent = await at.write("agent.mjs", AGENT);
    const config = await at.write(
      "reviewloop.json",
      JSON.stringify({
        extends: "review-clean",
        gate: "node check.mjs",
        agent: ["command", { run: ["node", agent] }],
        worktree: { setup: false },
        wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
      }),
    );
    return at.cli(["run", at.url, "--config", config, "--yes", "--json", ...flags]);
  };

  test("progress goes to standard error, the result to standard output; --log gets every event", async () => {
    const ran = await run("--log", "events.jsonl");
    expect(ran.err).toContain("triage  2 open and undecided");
    expect(ran.err).toMatch(/ {2}1\/2 actionable +Off by one\./);
    expect(ran.out.split("\n")).toHaveLength(1);
    const events = (await readFile(join(at.folder, "events.jsonl"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Progress);
    const types = new Set(events.map((event) => event.type));
    expect([...types].toSorted()).toEqual(["decided", "fixed", "gate", "note", "phase", "read", "span", "stop", "write"]);
    expect(JSON.stringify(events)).not.toContain(at.sandbox.tokenFor("ada"));
  });

  test("--quiet is silent, --verbose names each plugin", async () => {
    expect((await run("--quiet")).err).toBe("");
    expect((await run("--verbose")).err).toMatch(/\(agent-triage in triage: |\(greptile in fetch: /);
  });
});
