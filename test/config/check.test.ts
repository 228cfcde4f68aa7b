import { describe, expect, it } from "vitest";
import { optionFaults, pathOf, shapeFaults } from "../../core/config/check.js";
import { loadConfig } from "../../core/config/load.js";
import { nearest } from "../../core/config/nearest.js";
import type { ConfigFault } from "../../core/errors.js";
import { definePlugin } from "../../core/plugin.js";
import { fixture } from "./support.js";

const ofFixture = async (name: string): Promise<readonly Omit<ConfigFault, "file">[]> => {
  const loaded = await loadConfig({ folder: await fixture(name) }, { ci: false });
  const faults = await shapeFaults(loaded?.config, loaded?.file ?? "");
  expect(faults.every((fault) => fault.file === loaded?.file)).toBe(true);
  return faults.map(({ file: _file, ...fault }) => fault);
};

const DURATION = 'must be a duration: a number and ms, s, m or h, such as "250ms", "10s", "5m" or "8h"';

describe("the shape of a config", () => {
  it("tells each unknown key and value with the nearest valid one, all at once", async () => {
    expect(await ofFixture("unknown-keys")).toEqual([
      { path: "extend", value: "review-clean", problem: "unknown key", nearest: "extends" },
      { path: "zzzzzz", value: 1, problem: "unknown key" },
      { path: "people.resolve", value: "after-replies", problem: 'must be one of "leave", "after-reply"', nearest: "after-reply" },
      { path: "wait.pol", value: "10s", problem: "unknown key", nearest: "poll" },
    ]);
  });

  it("tells each wrong type in the words of a person", async () => {
    expect(await ofFixture("wrong-types")).toEqual([
      { path: "plugins", value: "greptile", problem: "must be a list of plugins" },
      {
        path: "gate",
        value: true,
        problem: "must be a command line, a gate { run, name, timeout, proof, together }, a list of them, or false",
      },
      { path: "agents.triage", value: 3, problem: "must be an agent's name, or [name, options]" },
      { path: "people.signature", value: true, problem: "must be a line of text, or false" },
      { path: "limits.iterations", value: "many", problem: "must be a whole number" },
      { path: "limits.replies", value: 9, problem: "must be <= 3" },
    ]);
  });

  it("tells each bad duration", async () => {
    expect(await ofFixture("bad-durations")).toEqual([
      { path: "wait.poll", value: "0s", problem: DURATION.replace("duration:", "duration above zero:") },
      { path: "wait.timeout", value: 600, problem: DURATION },
      { path: "wait.settle", value: "half an hour", problem: DURATION },
      { path: "wait.pace", value: "1 s", problem: DURATION },
      { path: "limits.activeTime", value: "8d", problem: DURATION.replace("duration:", "duration above zero:") },
    ]);
  });

  it("says how the retired lists of reviewers are written now", async () => {
    expect(await ofFixture("retired-list")).toEqual([
      {
        path: "reviewers",
        value: ["copilot", "greptile"],
        problem: 'a list of reviewers is no longer read: write reviewers: { "copilot": {}, "greptile": {} }',
        nearest: "reviewers",
      },
    ]);
    expect(await ofFixture("retired-key")).toMatchObject([
      { path: "required_reviewers", problem: expect.stringContaining('{ "copilot": {} }') },
    ]);
  });

  it("takes what only code can say", async () => {
    const factory = definePlugin({ name: "early", kind: "tool", on: {} });
    const agent = { name: "own", options: {}, command: () => ({ argv: [], stdin: "" }), answer: () => ({ value: 1 }) };
    const config = {
      extends: [{ name: "ours", target: "review-clean" }, "review-clean"],
      plugins: [factory, factory(), false, null, undefined, "greptile", ["devin", {}], ["copilot"]],
      target: factory(),
      agent,
      agents: { fix: agent, review: undefined },
      reviewers: { greptile: undefined },
      sync: undefined,
    };
    expect(await shapeFaults(config, "f")).toEqual([]);
  });

  it.each([
    ["plugins[0]", { plugins: [true] }],
    ["plugins[0]", { plugins: [[]] }],
    ["plugins[0][1]", { plugins: [["greptile", 5]] }],
    ["plugins[0]", { plugins: [["greptile", {}, {}]] }],
    ["plugins[0]", { plugins: [{ kind: "tool" }] }],
    ["extends[0]", { extends: [3] }],
    ["gate.run", { gate: { name: "x" } }],
    ["gate[1].timeout", { gate: ["a", { run: "b", timeout: "soon" }] }],
    ["gate", { gate: " " }],
    ["gate", { gate: [] }],
    ["worktree.setup", { worktree: { setup: true } }],
    ["commit.subject", { commit: { subject: "a\nb" } }],
    ["reviewers.greptile", { reviewers: { greptile: true } }],
    ["reviewers.greptile.wait.pol", { reviewers: { greptile: { wait: { pol: "1s" } } } }],
    ["agent", { agent: true }],
    ["limits.money", { limits: { money: 0 } }],
    ["", []],
    ["", "review-clean"],
  ])("finds the fault at %s", async (path, config) => {
    const faults = await shapeFaults(config, "f");
    expect([...new Set(faults.map((fault) => fault.path))]).toEqual([path]);
  });

  it("puts the place of an inline preset before each path", async () => {
    expect((await shapeFaults({ wait: { pol: 1 } }, "f", "extends[1]")).map((fault) => fault.path)).toEqual(["extends[1].wait.pol"]);
  });
});

describe("the options of a plugin", () => {
  const schema = { type: "object", additionalProperties: false, properties: { minScore: { type: "number" } }, required: ["minScore"] };

  it("are held against its own schema", async () => {
    expect(await optionFaults(schema, { minScroe: 4 }, "f", "plugins[2]")).toEqual([
      { file: "f", path: "plugins[2].minScore", problem: "is missing" },
      { file: "f", path: "plugins[2].minScroe", value: 4, problem: "unknown key", nearest: "minScore" },
    ]);
  });

  it("are refused with a reason where the schema itself is broken", async () => {
    const [fault] = await optionFaults({ type: "objekt" }, {}, "f", "plugins[0]");
    expect(fault?.problem).toContain("the plugin's own schema can't be used");
  });
});

describe("paths and nearest words", () => {
  it.each([
    ["", ""],
    ["/plugins/2/minScore", "plugins[2].minScore"],
    ["/reviewers/pr-reviewer/wait", 'reviewers["pr-reviewer"].wait'],
    ["/a~1b/c~0d", '["a/b"]["c~d"]'],
  ])("%s is %s", (pointer, path) => {
    expect(pathOf(pointer)).toBe(path);
  });

  it.each([
    ["greptil", "greptile"],
    ["git_sync", "git-sync"],
    ["gti-sync", "git-sync"],
    ["GitSync", "git-sync"],
    ["entirely-else", undefined],
    ["", undefined],
    ["g".repeat(1000), undefined],
  ])("nearest to %s is %s", (word, expected) => {
    expect(nearest(word, ["greptile", "git-sync", "git-push"])).toBe(expected);
  });
});
