import { describe, expect, test } from "vitest";
import { FIX_SCHEMA, TRIAGE_SCHEMA, type AgentResult, type DecisionKind, type FixAnswer, type TriageAnswer } from "../../core/index.js";
import { agentFix, pathIn } from "../../plugins/tools/agent-fix.js";
import { agentTriage } from "../../plugins/tools/agent-triage.js";
import { fixBy, HEAD, message, place, thread, todo, triageBy } from "./agent-context.js";

const decision = (id: string, kind: DecisionKind, over: Partial<TriageAnswer["decisions"][number]> = {}) => ({
  thread: id,
  kind,
  why: `why ${id}`,
  reply: null,
  root: null,
  question: null,
  ...over,
});
const answered = (answer: TriageAnswer | FixAnswer): AgentResult => ({ ok: true, answer, took: 1 });
const failed = (): AgentResult => ({ ok: false, failure: { kind: "rate", detail: "try later" }, took: 1 });

describe("agent-triage", () => {
  const one = thread("one", [message("This is wrong.")], { place: place("a.txt", 2) });
  const two = thread("two", [message("And this?")], { place: place("a.txt", 3) });

  test("asks once for all threads, with the code at head, and takes each decision over", async () => {
    const { triage, asked, warnings } = await triageBy(agentTriage(), [one, two], {
      files: { "a.txt": "first\nsecond\nthird\n" },
      options: { rules: ["Keep it short."] },
      agent: () =>
        answered({
          decisions: [
            decision("two", "judgment", { question: " Which? ", root: "r1" }),
            decision("one", "false-positive", { reply: " It is guarded. \n" }),
          ],
        }),
    });
    expect(warnings).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      protocol: 1,
      kind: "triage",
      head: HEAD,
      base: "b".repeat(40),
      worktree: "/worktree",
      rules: ["Keep it short."],
      schema: TRIAGE_SCHEMA,
      threads: [{ id: "one", path: "a.txt", line: 2, code: "  1 first\n> 2 second\n  3 third" }, { id: "two" }],
    });
    expect(triage).toEqual({
      undecided: [],
      decided: [
        { thread: one, decision: { kind: "false-positive", why: "why one", reply: "It is guarded." } },
        { thread: two, decision: { kind: "judgment", why: "why two", reply: null, root: "r1", question: "Which?" } },
      ],
    });
  });

  test("without an agent, or with nothing to judge, it returns what it was given", async () => {
    const { triage, asked } = await triageBy(agentTriage(), [one]);
    expect(triage).toEqual({ undecided: [one], decided: [] });
    expect((await triageBy(agentTriage(), [], { agent: failed })).asked).toEqual([]);
    expect(asked).toEqual([]);
  });

  test("a failed call leaves all of them undecided and says so", async () => {
    const { triage, warnings } = await triageBy(agentTriage(), [one, two], { agent: failed });
    expect(triage).toEqual({ undecided: [one, two], decided: [] });
    expect(warnings).toEqual(["fake did not judge 2 threads (rate): try later. They stay undecided."]);
  });

  test("works where there is no worktree", async () => {
    const { asked } = await triageBy(agentTriage(), [one], { noGit: true, agent: failed });
    expect(asked[0]).toMatchObject({ worktree: "", threads: [{ code: null, line: 2 }] });
  });
});

describe("agent-fix", () => {
  const one = todo(thread("one", [message("Wrong.")], { place: place("a.txt", 2) }), { why: "it throws on null" });
  const two = todo(thread("two", [message("Slow.")]), { root: "r" });
  const three = todo(thread("three", [message("Odd.")]), { root: "r" });

  test("asks once, with the reasons of the decisions, and sorts the items by the answer", async () => {
    const { work, asked } = await fixBy(agentFix(), [one, two, three], {
      agent: () =>
        answered({
          changed: [{ thread: "one", summary: " Guarded. ", files: ["./src/a.ts", "/worktree/src/a.ts", "src/b.ts"] }],
          unfixed: [
            { thread: "two", why: "needs a benchmark" },
            { thread: "three", why: "unclear" },
          ],
        }),
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      kind: "fix",
      worktree: "/worktree",
      schema: FIX_SCHEMA,
      threads: [{ id: "one", why: "it throws on null" }, {}, {}],
    });
    expect(asked[0]?.threads.map((each) => each.root)).toEqual([null, "r", "r"]);
    expect(asked[0]?.rules.join("\n")).toContain(".github/**");
    expect(work.done).toEqual([{ ...one, summary: "Guarded.", files: ["src/a.ts", "src/b.ts"], by: "agent-fix" }]);
    expect(work.todo).toEqual([two, three]);
    expect(work.reasons).toEqual({ two: "needs a benchmark", three: "unclear" });
  });

  test("a failed call leaves everything to do, with the reason", async () => {
    const { work, warnings } = await fixBy(agentFix(), [one], { agent: failed });
    expect(work).toMatchObject({ todo: [one], done: [], reasons: { one: "the agent gave no usable answer (rate): try later" } });
    expect(warnings).toEqual(["fake fixed nothing (rate): try later"]);
  });

  test("no agent, no worktree, nothing to do", async () => {
    expect((await fixBy(agentFix(), [one])).work.reasons).toEqual({ one: "no agent is configured that could fix it" });
    expect((await fixBy(agentFix(), [one], { agent: failed, noGit: true })).work.reasons).toEqual({
      one: "there is no worktree to fix it in",
    });
    expect((await fixBy(agentFix(), [], { agent: failed })).asked).toEqual([]);
  });

  test.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["/worktree/src/a.ts", "src/a.ts"],
    ["/etc/passwd", "../etc/passwd"],
    ["src/../../x", "../x"],
  ])("the path %s is %s", (path, expected) => {
    expect(pathIn("/worktree", path)).toBe(expected);
  });
});
