import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffHunk, hunks, inDiff, linesOf, movedLine, movedRange } from "../../sandbox/world/index.js";
import { outcome, REPOSITORY, stage, TEN } from "./support.js";

const push = (world: ReturnType<typeof stage>["world"], text: string | null) =>
  world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/a.txt": text }, message: "change" });

const FIVE = TEN.replace("line 5", "line five");

describe("where a thread stands after a push", () => {
  const cases: readonly {
    readonly name: string;
    readonly text: string | null;
    readonly line: number | null;
    readonly outdated: boolean;
  }[] = [
    { name: "an unrelated line", text: FIVE.replace("line 9", "line nine"), line: 5, outdated: false },
    { name: "lines put in above", text: `new\nnew\n${FIVE}`, line: 7, outdated: false },
    { name: "lines taken out above", text: FIVE.replace("line 1\nline 2\n", ""), line: 3, outdated: false },
    { name: "lines put in below", text: `${FIVE}more\n`, line: 5, outdated: false },
    { name: "the line itself", text: FIVE.replace("line five", "line V"), line: null, outdated: true },
    { name: "the line taken out", text: FIVE.replace("line five\n", ""), line: null, outdated: true },
    { name: "the file deleted", text: null, line: null, outdated: true },
  ];
  test.each(cases)("$name", ({ text, line, outdated }) => {
    const { world, pullRequest } = stage();
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "?" });
    push(world, text);
    expect({ line: thread.line, outdated: thread.outdated, original: thread.originalLine }).toEqual({ line, outdated, original: 5 });
    expect(thread.resolved).toBe(false);
    expect(world.log.at(-1)).toMatchObject({ type: "pushed", outdated: outdated ? [thread.id] : [] });
  });

  test("a change undone finds the line again", () => {
    const { world, pullRequest } = stage();
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "?" });
    push(world, FIVE.replace("line five", "line V"));
    push(world, FIVE);
    expect([thread.line, thread.outdated]).toEqual([5, false]);
  });

  test("a range is lost as soon as one of its lines changes or another comes in between", () => {
    for (const [text, start] of [
      [FIVE.replace("line 4", "line IV"), null],
      [FIVE.replace("line 4\n", "line 4\nbetween\n"), null],
      [`above\n${FIVE}`, 5],
    ] as const) {
      const { world, pullRequest } = stage();
      const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", startLine: 4, line: 5, body: "?" });
      expect([thread.startLine, thread.line]).toEqual([4, 5]);
      push(world, text);
      expect([thread.startLine, thread.line]).toEqual(start === null ? [null, null] : [start, start + 1]);
    }
  });

  test("a comment on the whole file has no line, and is outdated once the file is gone", () => {
    const { world, pullRequest } = stage();
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", body: "the whole" });
    expect([thread.subject, thread.line, thread.originalLine]).toEqual(["file", null, null]);
    push(world, FIVE.replace("line five", "line V"));
    expect(thread.outdated).toBe(false);
    push(world, null);
    expect(thread.outdated).toBe(true);
  });

  test("a comment on the left side stays with the base's text", () => {
    const { world, pullRequest } = stage();
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, side: "LEFT", body: "it was fine" });
    push(world, FIVE.replace("line five", "line V"));
    expect([thread.line, thread.outdated]).toEqual([5, false]);
  });

  test("resolving twice is no error and one event; anybody's reply leaves it resolved", () => {
    const { world, pullRequest } = stage();
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "?" });
    world.resolve("cleo", thread);
    world.resolve("ben", thread);
    world.replyToThread("acme", thread, "really?");
    expect([thread.resolved, thread.resolvedBy]).toEqual([true, "cleo"]);
    expect(world.log.filter((event) => event.type === "resolved")).toHaveLength(1);
    world.unresolve("ben", thread);
    expect([thread.resolved, thread.resolvedBy]).toEqual([false, undefined]);
  });
});

describe("where a comment may stand", () => {
  test.each([
    ["the changed line", { line: 5 }, "done"],
    ["context of three lines above", { line: 2 }, "done"],
    ["context of three lines below", { line: 8 }, "done"],
    ["four lines above", { line: 1 }, "UNPROCESSABLE"],
    ["four lines below", { line: 9 }, "UNPROCESSABLE"],
    ["a range that starts outside", { startLine: 1, line: 5 }, "UNPROCESSABLE"],
    ["a range the wrong way round", { startLine: 6, line: 5 }, "UNPROCESSABLE"],
    ["the left side", { line: 5, side: "LEFT" as const }, "done"],
  ])("%s: %s -> %s", (_name, place, expected) => {
    const { world, pullRequest } = stage();
    expect(outcome(() => world.addThread("acme", pullRequest, { path: "src/a.txt", body: "?", ...place }))).toBe(expected);
  });

  test("the hunk that a comment shows ends with its line", () => {
    const { world, pullRequest } = stage();
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "?" });
    expect(thread.comments[0]?.diffHunk).toBe("@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five");
  });
});

// Few different lines, so that equal ones stand in several places.
const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 25 }).map((lines) => lines.map((line) => `${line}\n`).join(""));

describe("lines (any texts)", () => {
  test("a line that is found again has the same text, and order is kept", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [old, now] = [linesOf(before), linesOf(after)];
        let last = 0;
        for (let line = 1; line <= old.length; line += 1) {
          const found = movedLine(before, after, line);
          if (found === undefined) continue;
          expect(now[found - 1]).toBe(old[line - 1]);
          expect(found).toBeGreaterThan(last);
          last = found;
        }
      }),
    );
  });

  test("nothing is lost by what only adds lines", () => {
    fc.assert(
      fc.property(text, text, text, (above, middle, below) => {
        const lines = linesOf(middle).length;
        for (let line = 1; line <= lines; line += 1) expect(movedLine(middle, above + middle + below, line)).toBeDefined();
        expect(lines === 0 ? [1, 0] : movedRange(middle, middle, 1, lines)).toEqual([1, lines]);
      }),
    );
  });

  test("the hunks rebuild the new text from the old one", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const old = linesOf(before);
        const rebuilt: string[] = [];
        let at = 0;
        for (const hunk of hunks(before, after)) {
          const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
          rebuilt.push(...old.slice(at, start));
          at = start + hunk.oldLines;
          const kept = hunk.lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
          expect(kept).toHaveLength(hunk.newLines);
          expect(hunk.newLines === 0 ? rebuilt.length : rebuilt.length + 1).toBe(hunk.newStart);
          rebuilt.push(...kept);
        }
        expect([...rebuilt, ...old.slice(at)]).toEqual(linesOf(after));
      }),
    );
  });

  test("a line is in the diff exactly where a hunk can be shown for it", () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 1, max: 26 }),
        fc.constantFrom("LEFT" as const, "RIGHT" as const),
        (before, after, line, side) => {
          const all = hunks(before, after);
          const shown = diffHunk(all, side, line);
          expect(shown !== "").toBe(inDiff(all, side, line));
          if (shown === "") return;
          const lines = linesOf(side === "RIGHT" ? after : before);
          expect(shown.split("\n").at(-1)?.slice(1)).toBe(lines[line - 1]);
        },
      ),
    );
  });
});

describe("threads (any pushes)", () => {
  test("a thread has a line exactly where it is not outdated, and that line is the one commented on", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.nat(), (pushes, pick) => {
        const { world, pullRequest } = stage({ head: "x\ny\nz\n" });
        const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: (pick % 3) + 1, body: "?" });
        for (const body of pushes) {
          const next = `${body}x\n${body}y\nz\n`;
          push(world, next);
          expect(thread.line === null).toBe(thread.outdated);
          if (thread.line !== null) expect(linesOf(next)[thread.line - 1]).toBe(["x", "y", "z"][pick % 3]);
          expect(thread.originalLine).toBe((pick % 3) + 1);
        }
      }),
      { numRuns: 60 },
    );
  });
});
