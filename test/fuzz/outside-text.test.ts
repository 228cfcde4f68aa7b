/** Whatever comes from outside as text: no parser throws anything but its own error, and none grows worse than in line with its input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asksForSomething } from "../../core/reading/asks.js";
import { hostFrom, parseReference } from "../../core/adapters/forge-github/host.js";
import { readJournal } from "../../core/adapters/store/journal-file.js";
import { shapeFaults } from "../../core/config/check.js";
import { jsonIn, markersIn, parseBody, suggestionBlocks } from "../../core/index.js";
import { harmless, harmlessLine } from "../../core/writing/outgoing.js";
import { matchesProtected } from "../../core/changing/protected.js";
import { foldRun } from "../../core/run.js";
import { normalisedBody, titleOf } from "../../core/reading/threads.js";
import { grows, ownError, PIECES, text } from "./texts.js";

const HOST = hostFrom({});
const HOME = { host: "github.com", owner: "ada", name: "shop" };
const RULES = { triggers: ["@acme review"], folders: ["/home/ada/shop"] };

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  "pull request reference": (text) => parseReference(text, HOST, HOME),
  markers: markersIn,
  body: (text) => parseBody(text),
  "title and normalised body": (text) => titleOf(text) + normalisedBody(text),
  "does it ask": asksForSomething,
  "suggestion blocks": suggestionBlocks,
  "JSON of an agent": jsonIn,
  "what leaves": (text) => harmless(text, RULES) + harmlessLine(text),
  "protected path": (text) => matchesProtected(text, [".github/workflows/**", "**/*.lock"]),
  journal: (text) => {
    const journal = Buffer.from(`{"type":"journal","version":1}\n${text}`);
    ownError(() => foldRun(readJournal("journal.jsonl", journal).entries));
  },
};

describe.each(Object.entries(PARSERS))("%s", (_name, parse) => {
  test("any text is read without a throw", () => {
    fc.assert(
      fc.property(text, (given) => void parse(given)),
      { numRuns: 300 },
    );
  });

  test("growth in line with the text, up to 64 KiB", { timeout: 60_000 }, () => {
    for (const piece of [...PIECES, "a", "a ", "{[", "<!--", "`a", "\n> "])
      expect({ piece, grows: grows(parse, piece, 65_536) }).toEqual({
        piece,
        grows: expect.toSatisfy((times: number) => times < 6) as unknown,
      });
  });
});

test("a config of any shape is told what is wrong with it", async () => {
  const keys = fc.constantFrom("gate", "wait", "limits", "plugins", "people", "extends", "trust");
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())), async (value) => {
      for (const fault of await shapeFaults(value, "reviewloop.config.json"))
        expect(fault).toMatchObject({ file: "reviewloop.config.json" });
    }),
    { numRuns: 300 },
  );
});

test("the measure tells a quadratic reader from a linear one", () => {
  const quadratic = (given: string): void => {
    let found = 0;
    for (let at = 0; at < given.length; at += 64) found += given.slice(at).split("").length;
    expect(found).toBeGreaterThan(0);
  };
  expect(grows(quadratic, "ab", 65_536)).toBeGreaterThan(6);
  expect(grows(normalisedBody, "ab", 65_536)).toBeLessThan(6);
});

test("an expression that goes back over what it read is found out", () => {
  // Each start of a run of spaces is tried to its end: what `trimEnd` is for.
  const trailing = (given: string): string => given.replace(/[ \t]+$/, "");
  expect(grows((given) => trailing(`${given}.`), " ", 65_536)).toBeGreaterThan(6);
});
