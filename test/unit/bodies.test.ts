import { describe, expect, test } from "vitest";
import {
  allSections,
  decodeEntities,
  firstSentence,
  ownComments,
  ownWords,
  parseBody,
  placeIn,
  plain,
  rangeOf,
  titleKey,
} from "../../core/bodies/index.js";

describe("parseBody", () => {
  test("tags and comments in code, in code spans or escaped are text", () => {
    const body = parseBody("`<details>` and \\<details> and `<!-- a -->`\n\n```html\n<details>\n<!-- b -->\n```\n\n<!-- c -->");
    expect(body.sections).toEqual([]);
    expect(ownComments(body).map(({ content }) => content)).toEqual(["c"]);
    expect(body.cut).toBe(false);
  });
  test("sections nest; a stray closing tag closes nothing; an open one is cut", () => {
    const body = parseBody(
      "</details>\n<details><summary>A <b>b</b></summary>\n<details>\n<summary>\nC\n</summary>\ntext\n</details>\n</details>\nafter",
    );
    expect(allSections(body).map(({ summary, depth }) => [summary, depth])).toEqual([
      ["A <b>b</b>", 0],
      ["C", 1],
    ]);
    expect(body.lines.at(-1)).toMatchObject({ text: "after", depth: 0 });
    expect(body.cut).toBe(false);
    expect(parseBody("<details>\n<summary>A").cut).toBe(true);
    expect(parseBody("```\ncode").cut).toBe(true);
    expect(parseBody("<!-- a").cut).toBe(true);
  });
  test("a fence closes with its own mark, at least as long, in its own quote", () => {
    const body = parseBody("````ts\n```\n~~~~\n````\n> ~~~\n> quoted\nout");
    expect(body.fences.map(({ info, content }) => [info, content])).toEqual([
      ["ts", ["```", "~~~~"]],
      ["", ["quoted"]],
    ]);
    expect(ownWords(body)).toBe("out");
  });
  test("quotes are no own words, unless their marks are taken away", () => {
    const quoted = "> > <details>\n> > <summary>A</summary>\n> >\n> > <!-- x -->\n> > </details>";
    expect(parseBody(quoted).sections).toEqual([]);
    expect(ownComments(parseBody(quoted))).toEqual([]);
    const read = parseBody(quoted, { unquote: true });
    expect(read.sections).toHaveLength(1);
    expect(ownComments(read)).toHaveLength(1);
  });
  test("a comment may span lines, and the text around it stays", () => {
    const body = parseBody("a <!-- one\ntwo --> b");
    expect(ownComments(body)).toMatchObject([{ content: "one\ntwo", alone: false }]);
    expect(body.lines.map(({ text }) => text.trim())).toEqual(["a", "b"]);
  });
});

describe("text", () => {
  test("entities are decoded once", () => expect(decodeEntities("&amp;lt; &lt; &#39; &#x41; &nope;")).toBe("&lt; < ' A &nope;"));
  test("plain words", () => expect(plain('1. <img alt="P2">&nbsp;**`Map<K>` is [wide](http://x)** \\.')).toBe("`Map<K>` is wide ."));
  test.each([
    ["One thing. Another.", "One thing."],
    ["Use `a. B` here. Then stop.", "Use `a. B` here."],
    ["See e.g. the docs. Done", "See e.g. the docs."],
    ["No end", "No end"],
    ["一つ目。二つ目。", "一つ目。"],
  ])("the first sentence of %j", (text, first) => expect(firstSentence(text)).toBe(first));
  test("titles are compared by their letters", () =>
    expect(titleKey("**Lock `x` leaks** at a.ts:12-14!")).toBe(titleKey("Lock x leaks at a.ts")));
  test.each([
    ["src/a.ts:12-14", { path: "src/a.ts", line: 12, endLine: 14 }],
    ["`src/a b.ts:3`", { path: "src/a b.ts", line: 3 }],
    ["@src/a.ts#L3-L4", { path: "src/a.ts", line: 3, endLine: 4 }],
    ["Makefile", { path: "Makefile" }],
    ["/etc/passwd", undefined],
    ["../up.ts", undefined],
    ["a/../../b", undefined],
    ["https://x.test/a", undefined],
    ["", undefined],
  ])("the place in %j", (text, place) => expect(placeIn(text)).toEqual(place));
  test("ranges", () => {
    expect(rangeOf("L10–L12")).toEqual({ line: 10, endLine: 12 });
    expect(rangeOf("14-12")).toEqual({ line: 14, endLine: 14 });
    expect(rangeOf("0")).toBeUndefined();
  });
});
