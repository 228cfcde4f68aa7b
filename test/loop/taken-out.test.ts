/** What of a pass may not stay is taken out by itself, with the reason; the rest ships. And threads of one root move together. */
import { describe, expect, test } from "vitest";
import type { AgentTask } from "../../core/index.js";
import { findSecrets } from "../../core/redact.js";
import { scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene, Worktree } from "../../sandbox/kit/index.js";
import { acme } from "./acme.js";
import { drive } from "./driving.js";
import { DEFAULTS } from "./settings.js";

const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];
const path = (name: string): string => `src/${name}.ts`;
const WORKFLOW = ".github/workflows/ci.yml";
const SECRET = "test-token-of-this-scene";

interface Change {
  /** Further files, with what is written there. */
  readonly writes?: Readonly<Record<string, string>>;
  /** Files that the answer names; default: all that it wrote. */
  readonly claims?: readonly string[];
  readonly unfixed?: string;
  readonly summary?: string;
}
interface How {
  readonly changes?: Partial<Record<Name, Change>>;
  readonly triage?: Parameters<typeof triageEach>[0];
  readonly gate?: (worktree: Worktree) => boolean;
  /** What the agent does about a red gate. */
  readonly repair?: (task: AgentTask, worktree: Worktree) => readonly string[];
  readonly raisedBy?: Partial<Record<Name, string>>;
}

const scene = (how: How): { readonly at: Scene; readonly repairs: readonly AgentTask[] } => {
  const made = scenario().pullRequest({ author: "ada" }).bot("acme-review").bot("other-review");
  for (const name of NAMES) {
    made.file(path(name), "one\n", "one\ntwo\n");
    made.thread({ by: how.raisedBy?.[name] ?? "acme-review[bot]", path: path(name), line: 2, body: `Wrong in ${name}.` });
  }
  const repairs: AgentTask[] = [];
  const at = made
    .commands({
      "npm test": (worktree) => ((how.gate ?? (() => true))(worktree) ? 0 : { exitCode: 1, output: "src/a.ts:2 expected mended" }),
    })
    .agent({
      triage: triageEach(how.triage ?? (() => ({ kind: "actionable" }))),
      fix: (task, worktree) => {
        if (task.threads.some((thread) => thread.source === "gate")) {
          repairs.push(task);
          const files = how.repair?.(task, worktree) ?? [];
          return {
            changed: files.length === 0 ? [] : task.threads.map((thread) => ({ thread: thread.id, summary: "mended the gate", files })),
            unfixed: files.length === 0 ? task.threads.map((thread) => ({ thread: thread.id, why: "no idea how" })) : [],
          };
        }
        const changed = [];
        const unfixed = [];
        for (const thread of task.threads) {
          const name = NAMES.find((each) => path(each) === thread.path) ?? "a";
          const { writes = {}, claims, unfixed: why, summary } = how.changes?.[name] ?? {};
          if (why !== undefined) {
            unfixed.push({ thread: thread.id, why });
            continue;
          }
          const all = { [path(name)]: "one\nmended\n", ...writes };
          for (const [file, text] of Object.entries(all)) worktree.write(file, text);
          changed.push({ thread: thread.id, summary: summary ?? `mended ${name}`, files: [...(claims ?? Object.keys(all))] });
        }
        return { changed, unfixed };
      },
    })
    .build();
  return { at, repairs };
};

const run = (at: Scene) =>
  drive(at, {
    reviewers: [acme()],
    park: true,
    outgoing: { folders: [], findSecrets: (text) => findSecrets(text, [SECRET]).map((found) => found.kind) },
    settings: { limits: { ...DEFAULTS.limits, iterations: 1, repairs: 1 } },
  });
const textAt = (at: Scene, file: string): string | undefined =>
  at.world.git.fileAt(at.pullRequest.repository, at.pullRequest.head.sha, file);
const shipped = (at: Scene): readonly string[] => NAMES.filter((name) => textAt(at, path(name))?.includes("mended"));
const closed = (at: Scene): readonly boolean[] => at.pullRequest.threads.map((thread) => thread.resolved);

describe("what may not stay", () => {
  test.each<[string, Change, RegExp]>([
    ["a protected path", { writes: { [WORKFLOW]: "on: push\n" } }, /it touched the protected path \.github\/workflows\/ci\.yml/],
    ["a secret", { writes: { "src/key.ts": `export const key = "${SECRET}";\n` } }, /looks like a secret/],
    ["what runs", { writes: { "package.json": '{"scripts":{"test":"true"}}\n' } }, /changed what runs/],
  ])("%s of one point: that point's change is dropped, the rest ships", async (_what, change, why) => {
    const { at } = scene({ changes: { b: change } });
    const { report } = await run(at);
    expect(shipped(at)).toEqual(["a", "c"]);
    expect(closed(at)).toEqual([true, false, true]);
    for (const file of Object.keys(change.writes ?? {})) expect(textAt(at, file)).toBeUndefined();
    expect(report.iterations[0]?.notFixed.map((line) => line.why)).toEqual([expect.stringMatching(why)]);
    expect(report.notes.join("\n")).toMatch(why);
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["a protected path", { [WORKFLOW]: "on: push\n" }, /protected path/],
    ["a secret", { "src/key.ts": `export const key = "${SECRET}";\n` }, /looks like a secret/],
  ])("%s that no point claims: that file alone is dropped, and said so; a good one stays", async (_what, writes, why) => {
    const { at } = scene({ changes: { b: { writes: { ...writes, "src/helper.ts": "help\n" }, claims: [path("b")] } } });
    const { report } = await run(at);
    expect(shipped(at)).toEqual(["a", "b", "c"]);
    expect(textAt(at, "src/helper.ts")).toBe("help\n");
    for (const file of Object.keys(writes)) expect(textAt(at, file)).toBeUndefined();
    expect(report.notes.join("\n")).toMatch(/A change that belongs to no point was dropped: /);
    expect(report.notes.join("\n")).toMatch(why);
  });

  test("a secret in what is said about a fix: its change is dropped as well", async () => {
    const { at } = scene({ changes: { b: { summary: `uses ${SECRET} now` } } });
    const { report } = await run(at);
    expect(shipped(at)).toEqual(["a", "c"]);
    expect(closed(at)).toEqual([true, false, true]);
    expect(JSON.stringify(report)).not.toContain(SECRET);
  });

  test("points that share the file with it go along", async () => {
    const shared = { "src/key.ts": `export const key = "${SECRET}";\n` };
    const { at } = scene({ changes: { a: { writes: shared }, b: { writes: shared } } });
    await run(at);
    expect(shipped(at)).toEqual(["c"]);
    expect(closed(at)).toEqual([false, false, true]);
  });

  test("all of it: nothing is pushed", async () => {
    const bad = { writes: { [WORKFLOW]: "on: push\n" } };
    const { at } = scene({ changes: { a: bad, b: bad, c: bad } });
    const start = at.pullRequest.head.sha;
    await run(at);
    expect(at.pullRequest.head.sha).toBe(start);
  });
});

test("what an agent writes while it only judges is undone, not pushed, and said so", async () => {
  const { at } = scene({});
  const { agent } = at.ports;
  if (agent === undefined) throw new Error("no agent");
  const writing: typeof agent = {
    name: "writing",
    ask: async (task, signal) => {
      if (task.kind === "triage") {
        at.git.worktree.write("src/more.ts", "more\n");
        at.git.worktree.write(WORKFLOW, "on: push\n");
      }
      return agent.ask(task, signal);
    },
  };
  const { report } = await drive(at, { reviewers: [acme()], park: true, ports: { ...at.ports, agent: writing } });
  expect(shipped(at)).toEqual(["a", "b", "c"]);
  expect([textAt(at, "src/more.ts"), textAt(at, WORKFLOW)]).toEqual([undefined, undefined]);
  expect(report.notes).toContain("Files were changed where they were only to be read; that was undone.");
});

describe("a red gate", () => {
  const red = (worktree: Worktree): boolean =>
    !(worktree.read(path("a")) ?? "").includes("mended") || worktree.read("src/test.ts") === "new\n";

  test("is mended by an agent that reads its output first, and no point with it", async () => {
    const { at, repairs } = scene({
      gate: red,
      repair: (_task, worktree) => {
        worktree.write("src/test.ts", "new\n");
        return ["src/test.ts"];
      },
    });
    await run(at);
    expect(repairs).toHaveLength(1);
    expect(repairs[0]?.threads.map((thread) => thread.source)).toEqual(["gate"]);
    expect(repairs[0]?.threads[0]?.comments[0]?.body).toBe("src/a.ts:2 expected mended");
    expect(shipped(at)).toEqual(["a", "b", "c"]);
    expect(textAt(at, "src/test.ts")).toBe("new\n");
  });

  test("a repair that takes a fix back: that point is not said to be fixed", async () => {
    const { at } = scene({
      gate: red,
      repair: (_task, worktree) => {
        worktree.write(path("a"), "one\ntwo\n");
        return [path("a")];
      },
    });
    const { report } = await run(at);
    expect(shipped(at)).toEqual(["b", "c"]);
    expect(closed(at)).toEqual([false, true, true]);
    expect(report.iterations[0]?.notFixed.map((line) => line.why)).toEqual(["its change was taken back to make the gate green"]);
  });
});

describe("threads of one root", () => {
  const one = { root: "the same point" };

  test("judged alike: one decision, one change, each thread answered and closed", async () => {
    const { at } = scene({ triage: () => ({ kind: "actionable", ...one }), raisedBy: { b: "grace" } });
    await run(at);
    // A person closes their thread themselves.
    expect(closed(at)).toEqual([true, false, true]);
    expect(at.pullRequest.threads.map((thread) => thread.comments.length)).toEqual([2, 2, 2]);
  });

  test("judged in opposite directions: a person's, all of them, and nothing is written", async () => {
    const { at } = scene({
      triage: (thread) => (thread.path === path("b") ? { kind: "false-positive", reply: "No.", ...one } : { kind: "actionable", ...one }),
      raisedBy: { b: "grace" },
    });
    const start = at.pullRequest.head.sha;
    const { report } = await run(at);
    expect(at.pullRequest.head.sha).toBe(start);
    expect(closed(at)).toEqual([false, false, false]);
    expect(at.pullRequest.threads.every((thread) => thread.comments.length === 1)).toBe(true);
    expect(report.iterations[0]?.decided.map((item) => item.kind)).toEqual(["judgment", "judgment", "judgment"]);
  });

  test("a stranger's has no part in what becomes of the others", async () => {
    const { at } = scene({
      triage: (thread) => (thread.path === path("b") ? { kind: "false-positive", reply: "No.", ...one } : { kind: "actionable", ...one }),
      raisedBy: { b: "other-review[bot]" },
    });
    await run(at);
    expect(shipped(at)).toEqual(["a", "c"]);
    expect([closed(at)[0], closed(at)[2]]).toEqual([true, true]);
  });

  test("one that can't be used takes the others along: all undecided", async () => {
    const { at } = scene({ triage: (thread) => ({ kind: "false-positive", reply: thread.path === path("b") ? SECRET : "No.", ...one }) });
    const { report } = await run(at);
    expect(closed(at)).toEqual([false, false, false]);
    expect(report.remaining.filter((item) => item.thread !== undefined).map((item) => item.code)).toEqual([
      "undecided",
      "undecided",
      "undecided",
    ]);
  });

  test("settled for one and not for the other: the change is taken out, the rest ships", async () => {
    const { at } = scene({
      triage: (thread) => ({ kind: "actionable", ...(thread.path === path("c") ? {} : one) }),
      changes: { b: { unfixed: "it would break the export" } },
    });
    const { report } = await run(at);
    expect(shipped(at)).toEqual(["c"]);
    expect(closed(at)).toEqual([false, false, true]);
    expect(report.iterations[0]?.notFixed.map((line) => line.why).toSorted()).toEqual([
      "another thread makes the same point, and the change does not settle that one",
      "it would break the export",
    ]);
  });
});
