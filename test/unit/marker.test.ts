import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOurs, markerOf, markersIn } from "../../core/writing/marker.js";
import type { Mark } from "../../core/writing/marker.js";
import { alice, bot, message, ours, stranger, viewer } from "./building.js";

const mark: Mark = { key: "reply:T_1:abc:0", thread: "T_1", contentHash: "abc", decision: "false-positive" };

describe("markers", () => {
  test("one body may carry several, as hidden lines", () => {
    const body = `Both are fixed.\n\n${markerOf(mark)}\n${markerOf({ key: "other" })}`;
    expect(markersIn(body)).toEqual([mark, { key: "other" }]);
    expect(markersIn(body.replace(/\n/g, "\r\n"))).toEqual([mark, { key: "other" }]);
  });

  test("any key survives, and none ends the comment early", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (key, thread) => {
        const line = markerOf({ key, thread });
        expect(line.slice(0, -3)).not.toMatch(/-->|\n/);
        expect(markersIn(`text\n${line}`)).toEqual([{ key, thread }]);
      }),
    );
    expect(markersIn(markerOf({ key: "a--> b <!-- c" }))).toEqual([{ key: "a--> b <!-- c" }]);
  });

  test("a copy in a quote, a fence, a code span or in a sentence is none", () => {
    const line = markerOf(mark);
    for (const body of [
      `> ${line}`,
      `\`\`\`\n${line}\n\`\`\``,
      `see \`${line}\``,
      `as in ${line}`,
      line.replace("<", "&lt;"),
      "<!-- reviewloop:1 {broken -->",
      "<!-- reviewloop:1 {} -->",
    ]) {
      expect(markersIn(body)).toEqual([]);
    }
  });
});

describe("ours", () => {
  const marked = `Done.\n${markerOf(mark)}`;
  test.each([
    ["our account with our marker", viewer, marked, true],
    ["our account without it is a person", viewer, "Done.", false],
    ["our account that quotes our reply is a person", viewer, `> Done.\n> ${markerOf(mark)}\n\nIs it?`, false],
    ["a stranger's copy of the marker", stranger, marked, false],
    ["a maintainer's copy", alice, marked, false],
    ["an app of the same name", { ...viewer, kind: "bot" as const }, marked, false],
    ["an account that only agents use", { login: "acme-agent", kind: "user" as const, association: "NONE" as const }, "Done.", true],
    ["a deleted account", { login: "ghost", kind: "ghost" as const, association: "NONE" as const }, marked, false],
    ["another bot", bot("greptile-apps"), marked, false],
  ])("%s", (_name, author, body, expected) => expect(isOurs(message(author, body, 0), ours)).toBe(expected));

  test("an identity written with its suffix is the same account", () => {
    expect(isOurs(message(bot("acme-agent"), "Done.", 0), { ...ours, identities: ["Acme-Agent[bot]"] })).toBe(true);
  });
});
