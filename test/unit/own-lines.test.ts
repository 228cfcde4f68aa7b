/** Which lines our commits wrote, and where they are later. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, RunState, Thread } from "../../core/index.js";
import { foldRun } from "../../core/run.js";
import { fixInducedIds } from "../../core/changing/provenance.js";
import { isOurLine, linesLater, linesWritten, spanOf } from "../../core/reading/own-lines.js";
import { goesInCircles } from "../../core/stop.js";
import { patchBetween } from "../../sandbox/kit/patch.js";
import type { Files } from "../../sandbox/world/git-objects.js";

const files = (texts: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { text, mode: "100644" as const }]));
const patch = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string =>
  patchBetween(files(before), files(after));
const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

describe("lines", () => {
  test.each([
    ["a new file", {}, { "a.ts": text("x", "y") }, { "a.ts": [[1, 2]] }],
    ["a changed line", { "a.ts": text("x", "y", "z") }, { "a.ts": text("x", "Y", "z") }, { "a.ts": [[2, 2]] }],
    [
      "two places",
      { "a.ts": text("a", "b", "c", "d", "e", "f", "g", "h", "i", "j") },
      { "a.ts": text("A", "b", "c", "d", "e", "f", "g", "h", "i", "J") },
      {
        "a.ts": [
          [1, 1],
          [10, 10],
        ],
      },
    ],
    ["only taken out", { "a.ts": text("x", "y") }, { "a.ts": text("x") }, {}],
    ["a file that is gone", { "a.ts": text("x") }, {}, {}],
    ["what looks like a header", { "a.sql": text("-- x", "++ y") }, { "a.sql": text("++ z") }, { "a.sql": [[1, 1]] }],
    ["no line end at the end", { "a.ts": "x" }, { "a.ts": "x\ny" }, { "a.ts": [[1, 2]] }],
  ])("written: %s", (_what, before, after, lines) => {
    expect(linesWritten(patch(before as Record<string, string>, after as Record<string, string>))).toEqual(lines);
  });

  test("a path that git quotes", () => {
    const quoted = [
      'diff --git "a/\\303\\244.ts" "b/\\303\\244.ts"',
      '--- "a/\\303\\244.ts"',
      '+++ "b/\\303\\244.ts"',
      "@@ -1 +1 @@",
      "-x",
      "+y",
      "",
    ].join("\n");
    expect(linesWritten(quoted)).toEqual({ "ä.ts": [[1, 1]] });
    expect(linesLater({ "ä.ts": [[1, 1]] }, quoted)).toEqual({});
  });

  const line = fc.stringMatching(/^[a-d]{0,2}$/);
  const texts = fc.array(line, { maxLength: 12 });

  test("property: a line written is one that was not there; a line carried over has the same text, and none of ours is lost that is still there", () => {
    fc.assert(
      fc.property(texts, texts, texts, (first, second, third) => {
        // Each line is its own, so that what is the same can be told by its text.
        const numbered = (lines: readonly string[], mark: string): readonly string[] =>
          lines.map((each, index) => `${mark}${index}${each}`);
        const one = numbered(first, "1");
        const two = [
          ...one.filter((_, index) => index % 3 !== 0),
          ...numbered(second, "2"),
          ...one.filter((_, index) => index % 3 === 0).slice(2),
        ];
        const three = [...numbered(third, "3").slice(0, 4), ...two.filter((_, index) => index % 4 !== 1), ...numbered(third, "3").slice(4)];
        const ours = linesWritten(patch({ a: text(...one) }, { a: text(...two) }))["a"] ?? [];
        const all = ours.flatMap(([from, to]) => two.slice(from - 1, to));
        for (const each of numbered(second, "2")) expect(all).toContain(each);
        const later = linesLater({ a: ours }, patch({ a: text(...two) }, { a: text(...three) }))["a"] ?? [];
        const kept = later.flatMap(([from, to]) => three.slice(from - 1, to));
        expect(kept).toEqual(all.filter((each) => three.includes(each)));
      }),
      { numRuns: 200 },
    );
  });

  test("a span is the one on the commit that it was made on", () => {
    const place = { path: "a.ts", side: "RIGHT", subject: "line", outdated: false, line: 9, startLine: 7, originalLine: 5 } as const;
    expect(spanOf(place, true)).toEqual([3, 5]);
    expect(spanOf(place, false)).toEqual([7, 9]);
    expect(spanOf({ ...place, side: "LEFT" }, true)).toBeUndefined();
    expect(spanOf({ ...place, subject: "file" }, true)).toBeUndefined();
    expect(spanOf({ ...place, outdated: true }, false)).toBeUndefined();
    expect(isOurLine({ "a.ts": [[5, 6]] }, "a.ts", [3, 5])).toBe(true);
    expect(isOurLine({ "a.ts": [[6, 6]] }, "a.ts", [3, 5])).toBe(false);
    expect(isOurLine({ "b.ts": [[5, 6]] }, "a.ts", [3, 5])).toBe(false);
  });
});

const sha = (letter: string): string => letter.repeat(40);
/** Heads in order: the start, ours, somebody else's on top. */
const TEXTS: Readonly<Record<string, string>> = {
  [sha("a")]: text("1", "2"),
  [sha("b")]: text("1", "ours"),
  [sha("c")]: text("new", "1", "ours"),
};
const git = {
  treeOf: async (revision: string) => revision,
  patch: async (from: string, to: string) => {
    if (TEXTS[from] === undefined || TEXTS[to] === undefined) throw new Error("gone");
    return patch({ "a.ts": TEXTS[from] }, { "a.ts": TEXTS[to] });
  },
};
const push = {
  kind: "push",
  key: "p",
  commits: [sha("b")],
  to: sha("b"),
  tree: sha("b"),
  expected: sha("a"),
  branch: "t",
  force: false,
  preconditions: {},
  why: "",
} as const;
const history = (after: readonly Entry[] = []): RunState =>
  foldRun([
    { at: 1, type: "run", run: "r", target: "t", base: sha("0"), head: sha("a") },
    { at: 1, type: "head", head: sha("a") },
    { at: 2, type: "work", commit: sha("b"), tree: sha("b"), fixed: [], lines: { "a.ts": [[2, 2]] } },
    { at: 2, type: "intent", write: push },
    { at: 3, type: "result", key: "p", result: { state: "done" } },
    { at: 4, type: "head", head: sha("c") },
    ...after,
  ]);
const thread = (id: string, line: number, commit: string): Thread =>
  ({
    id,
    place: { path: "a.ts", side: "RIGHT", subject: "line", outdated: false, line, originalLine: line },
    messages: [{ commit }],
  }) as unknown as Thread;

describe("findings on lines of ours", () => {
  test.each<[string, Thread, boolean]>([
    ["on the commit itself", thread("t", 2, sha("b")), true],
    ["beside it", thread("t", 1, sha("b")), false],
    ["where it is on a later head", thread("t", 3, sha("c")), true],
    ["where it was before", thread("t", 2, sha("c")), false],
    ["on a head before it", thread("t", 2, sha("a")), false],
    ["on a head that was never seen", thread("t", 2, sha("d")), false],
  ])("%s", async (_what, found, induced) => {
    expect(await fixInducedIds(git, [found], history(), sha("c"))).toEqual(induced ? ["t"] : []);
  });

  test("a commit that was not pushed wrote nothing", async () => {
    const run = foldRun([
      { at: 1, type: "head", head: sha("b") },
      { at: 2, type: "work", commit: sha("b"), tree: sha("b"), fixed: [], lines: { "a.ts": [[2, 2]] } },
    ]);
    expect(await fixInducedIds(git, [thread("t", 2, sha("b"))], run, sha("b"))).toEqual([]);
  });

  const round = (number: number, found: number, induced: number): readonly Entry[] => {
    const threads = Array.from({ length: found }, (_, index) => `${number}-${index}`);
    return [
      { at: number, type: "iteration", number, head: sha("a") },
      ...(found === 0 ? [] : [{ at: number, type: "findings" as const, threads, fixInduced: threads.slice(0, induced) }]),
    ];
  };
  test.each<[string, readonly (readonly [number, number])[], boolean]>([
    [
      "two rounds of mostly such",
      [
        [2, 2],
        [3, 2],
      ],
      true,
    ],
    [
      "one between them that brought nothing new",
      [
        [2, 2],
        [0, 0],
        [1, 1],
      ],
      true,
    ],
    [
      "half is not most",
      [
        [2, 2],
        [4, 2],
      ],
      false,
    ],
    ["one round", [[2, 2]], false],
    [
      "only the last two count",
      [
        [2, 2],
        [2, 2],
        [3, 1],
      ],
      false,
    ],
    [
      "not in a row",
      [
        [2, 2],
        [3, 0],
        [2, 2],
      ],
      false,
    ],
  ])("the loop goes in circles: %s", (_what, rounds, ends) => {
    const run = history(rounds.flatMap(([found, induced], index) => round(index + 1, found, induced)));
    expect(goesInCircles(run) !== undefined).toBe(ends);
  });
  test("with the figures; what was met before is not new, so that a crash doesn't make a second round", () => {
    const run = history([...round(1, 2, 2), ...round(2, 3, 2)]);
    expect(goesInCircles(run)).toContain("2 of 2, then 2 of 3");
    const again = history([
      ...round(1, 2, 2),
      { at: 9, type: "iteration", number: 2, head: sha("a") },
      { at: 9, type: "findings", threads: ["1-0", "1-1"], fixInduced: ["1-0", "1-1"] },
    ]);
    expect(goesInCircles(again)).toBeUndefined();
  });
});
