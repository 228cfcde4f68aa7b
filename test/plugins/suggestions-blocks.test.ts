import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { suggestionBlocks } from "../../core/index.js";

const linesIn = (body: string): readonly (readonly string[])[] => suggestionBlocks(body).map((block) => block.lines);

describe("which blocks are committable", () => {
  test.each<[string, string, readonly (readonly string[])[]]>([
    ["one", "Text.\n\n```suggestion\nnew\n```\n", [["new"]]],
    ["several lines", "```suggestion\na\n\nb\n```", [["a", "", "b"]]],
    ["two", "```suggestion\na\n```\nor\n```suggestion\nb\n```", [["a"], ["b"]]],
    ["an empty one deletes", "```suggestion\n```", [[]]],
    ["an empty line is a line", "```suggestion\n\n```", [[""]]],
    ["a longer fence with a fence inside", "````suggestion\n```js\nx\n```\n````", [["```js", "x", "```"]]],
    ["closed by a longer fence", "```suggestion\na\n`````", [["a"]]],
    ["a shorter fence does not close", "````suggestion\na\n```\n````", [["a", "```"]]],
    ["carriage returns of the web form", "Text\r\n```suggestion\r\na\r\nb\r\n```\r\n", [["a", "b"]]],
    ["indented as its fence is", "  ```suggestion\n  a\n    b\n c\n  ```", [["a", "  b", "c"]]],
    ["in a list item", "- ```suggestion\n  a\n  ```", [["a"]]],
    ["blanks after the info string", "```suggestion  \na\n```", [["a"]]],
    ["inside of details", "<details>\n<summary>Suggestion</summary>\n\n```suggestion\na\n```\n\n</details>", [["a"]]],
    ["after a comment on its own lines", "<!-- note\n-->\n```suggestion\na\n```", [["a"]]],
    ["unclosed: the body was cut", "```suggestion\na\n", []],
    ["tildes are a fence, not a suggestion", "~~~suggestion\na\n~~~", []],
    ["tildes hide what is inside", "~~~\n```suggestion\na\n```\n~~~", []],
    ["shown inside of a longer fence", "````markdown\n```suggestion\na\n```\n````", []],
    ["quoted: somebody else's", "> ```suggestion\n> a\n> ```", []],
    ["in an HTML comment: nobody sees it", "<!--\n```suggestion\nevil\n```\n-->", []],
    ["in an HTML comment that never closes", "<!--\n```suggestion\nevil\n```\n", []],
    ["in raw text", "<pre>\n\n```suggestion\na\n```\n</pre>", []],
    ["in an HTML block that no blank line ended", "<details>\n```suggestion\na\n```\n</details>", []],
    ["another language", "```suggestions\na\n```\n```js\nb\n```", []],
    ["ranges of another forge", "```suggestion:-0+1\na\n```", []],
    ["inline code", "Use ```suggestion``` here.\n```\n", []],
    ["as code by indentation", "    ```suggestion\n    a\n    ```", []],
    ["capital letters", "```Suggestion\na\n```", []],
  ])("%s", (_name, body, expected) => {
    expect(linesIn(body)).toEqual(expected);
  });
});

const codeLine = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, ""));

test("what is written into a fence that is long enough is read back", () => {
  fc.assert(
    fc.property(fc.array(codeLine, { maxLength: 8 }), (lines) => {
      const longest = Math.max(
        2,
        ...lines.map((line) => /`+/.exec(line)?.[0].length ?? 0),
        ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)),
      );
      const fence = "`".repeat(longest + 1);
      expect(linesIn(`Text.\n\n${fence}suggestion\n${lines.map((line) => `${line}\n`).join("")}${fence}\n`)).toEqual([lines]);
    }),
  );
});

const piece = fc.constantFrom(
  "```suggestion\n",
  "```\n",
  "````\n",
  "<!--",
  "-->",
  "> ",
  "\n",
  "\r\n",
  "<details>",
  "<pre>",
  "~~~",
  "- ",
  "   ",
  "text",
  "`",
);

test("any body is read: no throw, and no line that the body does not have", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 60 }).map((parts) => parts.join("")),
        fc.string({ unit: "binary", maxLength: 300 }),
      ),
      (body) => {
        for (const block of suggestionBlocks(body)) for (const line of block.lines) expect(body).toContain(line);
      },
    ),
  );
});

test("hostile bodies far longer than GitHub's are read without hanging", () => {
  // Anything worse than linear takes minutes here, and runs into the test's limit.
  const size = 16 * 65_536;
  for (const hostile of [
    "`",
    "```suggestion\n",
    "<!--",
    "<",
    "> ",
    " ",
    "- ",
    "<a ",
    "<details\n",
    "1. ",
    "~~~\n",
    "```suggestion",
    "<!--\n",
  ]) {
    const body = hostile.repeat(Math.ceil(size / hostile.length));
    expect(Array.isArray(suggestionBlocks(body)), JSON.stringify(hostile)).toBe(true);
  }
});
