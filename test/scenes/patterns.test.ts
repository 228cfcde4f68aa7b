import { describe, expect, it } from "vitest";
import { inspect } from "../../sandbox/reviewers/index.js";
import { functionsOf } from "../../sandbox/reviewers/source.js";
import { BAITS, cappedDeadline, PLAIN, plainRemoval, SLIPS } from "../../sandbox/scenes/patterns.js";

const names = { one: "box", many: "boxes", field: "weight" };
const kinds = (text: string): readonly string[] => inspect("src/boxes.mjs", text).map((issue) => issue.kind);

describe("what a reviewer sees", () => {
  it.each(Object.entries(SLIPS))("%s: the slip alone, and nothing once it is repaired", (kind, pattern) => {
    const { name, right, wrong } = pattern(names);
    expect(kinds(wrong)).toEqual([kind]);
    expect(kinds(right)).toEqual([]);
    const [issue] = inspect("src/boxes.mjs", wrong);
    expect(issue).toMatchObject({ function: name, path: "src/boxes.mjs" });
    if (issue?.instead === undefined) return;
    // The text that it suggests is the repair.
    const lines = wrong.split("\n");
    lines.splice(issue.startLine - 1, issue.line - issue.startLine + 1, ...issue.instead);
    expect(kinds(lines.join("\n"))).toEqual([]);
  });

  it.each([
    ["missing-await", plainRemoval],
    ["short-timeout", cappedDeadline],
  ])("%s where the obvious repair is not enough", (kind, pattern) => {
    const { right, wrong } = pattern(names);
    expect([kinds(wrong ?? ""), kinds(right)]).toEqual([[kind], []]);
  });

  it.each(Object.entries(BAITS))("%s: a remark on code that is right", (kind, pattern) => {
    expect(kinds(pattern(names).right)).toEqual([kind]);
  });

  it("nothing in plain code", () => {
    expect(PLAIN.flatMap((pattern) => kinds(pattern(names).right))).toEqual([]);
  });

  it("functions with their lines and the comment above, whatever the line ends", () => {
    const text = "import x from 'x';\n\n/** One. */\nexport async function one(a) {\n  return a;\n}\n\nfunction two() {\n}\n";
    const expected = [
      { name: "one", start: 4, end: 6, comment: "One." },
      { name: "two", start: 8, end: 9, comment: "" },
    ];
    for (const each of [text, text.replaceAll("\n", "\r\n")]) expect(functionsOf(each)).toMatchObject(expected);
  });
});
