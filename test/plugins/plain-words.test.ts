import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { usable } from "../../plugins/tools/plain-words.js";
import { plainText } from "../../plugins/tools/plain-words/plain-text.js";

describe("plain text", () => {
  test.each([
    ["Great catch! The bound is exclusive now.", "The bound is exclusive now."],
    ["You're absolutely right, the bound was off.", "The bound was off."],
    ["Thanks for pointing this out. Fixed in 0123456789: the bound is exclusive.", "Fixed in 0123456789: the bound is exclusive."],
    ["Thank you for the review! I hope this helps.", "Thank you for the review! I hope this helps."],
    ["It's worth noting that `a` is null.", "`a` is null."],
    ["We read it twice in order to be sure.", "We read it twice to be sure."],
    ["Certainly! I apologize for the confusion. It reads the header.", "It reads the header."],
    ["- Nice find.\n- The header is read once.", "- The header is read once."],
    ["Kept as it is.\n\nLet me know if you have any further questions!", "Kept as it is."],
    ["🤖 Generated with a tool\n\nKept as it is.", "Kept as it is."],
    ["As an AI language model, I cannot run it. The gate ran it.", "The gate ran it."],
    ["Thanks, the second read is gone.", "The second read is gone."],
  ])("%j", (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  test.each([
    "The catch block is great for this, and it stays.",
    "> Great catch!\n\nNo: the bound is inclusive.",
    "```\nGreat catch!\n```\nis what it prints.",
    "`It is. Thanks! Yes` is the text of a button.",
    "`Great catch!` is the text of the label.",
    "Sorry is the name of the page.",
    "The right-hand side is nullable. See https://example.test/a.b?c=d! for why.",
    "| Great catch! |\n| --- |",
    "Sure-footed parsing is what this does.",
    "It was not possible prior-art-wise.",
    "Note that",
  ])("%j stays as it is", (text) => {
    expect(plainText(text)).toBe(text);
  });

  test("nothing is ever emptied, and what is plain stays plain", () => {
    const words = fc.constantFrom("Great catch!", "Thanks!", "The bound is off.", "in order to", "`a`", "\n", "> quoted", "Sure.", "1.");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const text = parts.join(" ");
        const plain = plainText(text);
        expect(plain === "").toBe(text === "");
        expect(plainText(plain)).toBe(plain);
      }),
    );
  });

  test("a long line is read in linear time", () => {
    const long = `${"a. ".repeat(20_000)}${"Thanks for ".repeat(5_000)}`;
    expect(plainText(long).length).toBeLessThanOrEqual(long.length);
  });
});

test("a command's text stands only if it keeps code, commits and links, and is not blown up", () => {
  expect(usable("See `a` in 0123456.", "0123456 has `a`.")).toBe(true);
  expect(usable("See `a` in 0123456.", "See it in 0123456.")).toBe(false);
  expect(usable("See `a` in 0123456.", "See `a`.")).toBe(false);
  expect(usable("See https://example.test/x.", "See it.")).toBe(false);
  expect(usable("Yes.", "word ".repeat(1000))).toBe(false);
  expect(usable("Yes.", " ")).toBe(false);
});
