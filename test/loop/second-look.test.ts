/** A second look before anything is believed: at declines, and at green fixes before they are pushed. */
import { describe, expect, test } from "vitest";
import type { AgentTask, VerifyAnswer } from "../../core/index.js";
import { fixEach, scenario, scriptedAgent, triageEach } from "../../sandbox/kit/index.js";
import type { Scene, ScriptedAnswer } from "../../sandbox/kit/index.js";
import { agentVerify } from "../../plugins/tools/agent-verify.js";
import { acme } from "./acme.js";
import { drive, TOOLS } from "./driving.js";
import type { Driven } from "./driving.js";

const NAMES = ["a", "b", "c"] as const;
const path = (name: string): string => `src/${name}.ts`;
const nameOf = (at: string | null): string => NAMES.find((each) => path(each) === at) ?? "";

interface How {
  /** Which points are to be fixed; the others are declined. */
  readonly fixes?: readonly string[];
  readonly root?: string;
  /** Files that several fixes share. */
  readonly also?: (name: string) => readonly string[];
  readonly gate?: (read: (path: string) => string) => boolean;
}
const scene = (how: How = {}): Scene => {
  const made = scenario().pullRequest({ author: "ada" }).bot("acme-review");
  for (const name of NAMES) {
    made.file(path(name), "one\n", "one\ntwo\n");
    made.thread({ by: "acme-review[bot]", path: path(name), line: 2, body: `Wrong in ${name}.` });
  }
  return made
    .commands({
      "npm test": (worktree) => ((how.gate ?? (() => true))((file) => worktree.read(file) ?? "") ? 0 : { exitCode: 1, output: "red" }),
    })
    .agent({
      triage: triageEach((thread) => ({
        ...(how.fixes?.includes(nameOf(thread.path)) === true
          ? { kind: "actionable" }
          : { kind: "false-positive", reply: `Not so in ${nameOf(thread.path)}.` }),
        ...(how.root === undefined ? {} : { root: how.root }),
      })),
      fix: fixEach((thread, worktree) => {
        const name = nameOf(thread.path);
        if (name === "") return "no idea how";
        worktree.write(path(name), "one\nmended\n");
        for (const other of how.also?.(name) ?? []) worktree.write(other, `${worktree.read(other) ?? ""}${name}\n`);
        return { summary: `mended ${name}`, files: [path(name), ...(how.also?.(name) ?? [])] };
      }),
    })
    .build();
};

/** Does the second agent agree with what was said about this file? */
const agreeing =
  (agrees: (name: string) => boolean) =>
  (task: AgentTask): VerifyAnswer => ({
    verdicts: task.threads.map((thread) => ({
      thread: thread.id,
      agrees: agrees(nameOf(thread.path)),
      why: `I looked at ${nameOf(thread.path)}.`,
    })),
  });

type Look = (task: AgentTask) => ScriptedAnswer<"verify">;
const looked = async (at: Scene, look: Look): Promise<Driven & { readonly asked: readonly AgentTask[] }> => {
  const second = scriptedAgent({ verify: look }, { git: at.git, clock: at.clock, name: "second" });
  const driven = await drive(at, {
    reviewers: [acme()],
    park: true,
    tools: [...TOOLS, agentVerify()],
    ports: { ...at.ports, agents: { verify: second } },
    settings: {
      limits: { iterations: 1, activeTime: 3_600_000, repairs: 1, handoffs: 1, replies: 3, tokens: undefined, money: undefined },
    },
  });
  return { ...driven, asked: second.calls };
};
const closed = (at: Scene): readonly boolean[] => at.pullRequest.threads.map((thread) => thread.resolved);
const shipped = (at: Scene): readonly string[] =>
  NAMES.filter((name) => (at.world.git.fileAt(at.pullRequest.repository, at.pullRequest.head.sha, path(name)) ?? "").includes("mended"));
const codes = ({ report }: Driven): readonly string[] => report.remaining.flatMap((item) => (item.thread === undefined ? [] : [item.code]));

describe("at points about to be declined", () => {
  test("agreed: answered and closed; the look is told the reason and the reply, and is journaled as a call of its own", async () => {
    const at = scene();
    const { asked, report } = await looked(
      at,
      agreeing(() => true),
    );
    expect(closed(at)).toEqual([true, true, true]);
    expect(report.error).toBeUndefined();
    expect(asked.map((task) => [task.kind, task.threads.length])).toEqual([["verify", 3]]);
    expect(asked[0]?.threads[0]?.why).toContain("Decided as false-positive");
    expect(asked[0]?.threads[0]?.why).toContain("Not so in a.");
    const calls = (await at.store.peek(at.pullRequestRef)).flatMap((entry) => (entry.type === "agent" ? [entry.kind] : []));
    expect(calls).toEqual(["triage", "verify"]);
  });

  test("not agreed: a person's, with both reasons; nothing is posted there", async () => {
    const at = scene();
    const driven = await looked(
      at,
      agreeing((name) => name !== "b"),
    );
    expect(closed(at)).toEqual([true, false, true]);
    expect(at.pullRequest.threads[1]?.comments).toHaveLength(1);
    expect(codes(driven)).toContain("judgment");
    const decision = driven.report.iterations[0]?.decided.find((item) => item.kind === "judgment");
    expect(decision?.why).toMatch(/The first \(false-positive\): It is false-positive\. The second: I looked at b\./);
  });

  test("not agreed on one thread of a root: none of its threads is closed", async () => {
    const at = scene({ root: "the same point" });
    await looked(
      at,
      agreeing((name) => name !== "b"),
    );
    expect(closed(at)).toEqual([false, false, false]);
    expect(at.pullRequest.threads.every((thread) => thread.comments.length === 1)).toBe(true);
  });

  test.each(["timeout", "no-answer", "bad-answer", "auth"] as const)("failed (%s): undecided, and the report says so", async (kind) => {
    const at = scene();
    const driven = await looked(at, () => ({ failure: { kind, detail: "it is not to be had" } }));
    expect(closed(at)).toEqual([false, false, false]);
    expect(at.pullRequest.threads.every((thread) => thread.comments.length === 1)).toBe(true);
    expect(codes(driven)).toEqual(["undecided", "undecided", "undecided"]);
    expect(driven.report.notes.join("\n")).toContain(`second gave no usable second look (${kind})`);
  });

  test("without an agent named for it there is none", async () => {
    const at = scene();
    const { report } = await drive(at, { reviewers: [acme()], park: true, tools: [...TOOLS, agentVerify()] });
    expect(report.error).toBeUndefined();
    expect(closed(at)).toEqual([true, true, true]);
  });
});

describe("at fixes, green and not pushed yet", () => {
  const all = { fixes: NAMES };

  test("agreed: pushed; the look is told the summary and this point's part of the diff, after the gate", async () => {
    const at = scene(all);
    let gates = 0;
    const { asked } = await looked(at, (task) => {
      gates = at.shell.calls.length;
      return agreeing(() => true)(task);
    });
    expect(shipped(at)).toEqual(["a", "b", "c"]);
    // The head and the fixed tree.
    expect(gates).toBe(2);
    const why = asked[0]?.threads[1]?.why ?? "";
    expect(why).toContain("mended b");
    expect(why).toContain("+++ b/src/b.ts");
    expect(why).not.toContain("src/a.ts");
  });

  test("not agreed: its change is taken out, the gate sees the rest, the rest ships; a person decides", async () => {
    const at = scene(all);
    const driven = await looked(
      at,
      agreeing((name) => name !== "b"),
    );
    expect(shipped(at)).toEqual(["a", "c"]);
    expect(closed(at)).toEqual([true, false, true]);
    expect(at.pullRequest.threads[1]?.comments).toHaveLength(1);
    expect(codes(driven)).toContain("judgment");
    const tree = at.world.git.treeOf(at.pullRequest.repository, at.pullRequest.head.sha);
    expect(driven.report.gates.filter((gate) => gate.tree === tree).map((gate) => gate.result)).toEqual(["green"]);
  });

  test("what shares a file with it goes along, and says why", async () => {
    const at = scene({ ...all, also: (name) => (name === "c" ? [] : ["src/shared.ts"]) });
    const driven = await looked(
      at,
      agreeing((name) => name !== "b"),
    );
    expect(shipped(at)).toEqual(["c"]);
    expect(closed(at)).toEqual([false, false, true]);
    expect(driven.report.iterations[0]?.notFixed.map((line) => line.why)).toEqual(["its change can't be told from one that was taken out"]);
  });

  test("another thread of the same root goes along, as the same judgment", async () => {
    const at = scene({ ...all, root: "the same point" });
    const driven = await looked(
      at,
      agreeing((name) => name !== "b"),
    );
    expect(shipped(at)).toEqual([]);
    expect(driven.report.iterations[0]?.decided.map((item) => item.kind)).toEqual(["judgment", "judgment", "judgment"]);
    expect(driven.report.iterations[0]?.notFixed).toEqual([]);
  });

  test("not agreed to any: nothing is pushed", async () => {
    const at = scene(all);
    const start = at.pullRequest.head.sha;
    await looked(
      at,
      agreeing(() => false),
    );
    expect(at.pullRequest.head.sha).toBe(start);
    expect(closed(at)).toEqual([false, false, false]);
  });

  test("what is left is red without it: not pushed either", async () => {
    const at = scene({ ...all, gate: (read) => read(path("a")).includes("mended") === read(path("b")).includes("mended") });
    await looked(
      at,
      agreeing((name) => name !== "b"),
    );
    expect(shipped(at)).toEqual(["c"]);
  });

  test.each(["timeout", "no-answer"] as const)("failed (%s): not pushed, and each point says why", async (kind) => {
    const at = scene(all);
    const start = at.pullRequest.head.sha;
    const driven = await looked(at, () => ({ failure: { kind, detail: "it is not to be had" } }));
    expect(at.pullRequest.head.sha).toBe(start);
    expect(codes(driven)).toEqual(["not-fixed", "not-fixed", "not-fixed"]);
    expect(driven.report.iterations[0]?.notFixed[0]?.why).toBe(`second gave no usable second look (${kind}): it is not to be had`);
  });
});
