/** Whatever comes from outside as text: no parser throws anything but its own error, and none grows worse than in line with its input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asksForSomething } from "../../core/reading/asks.js";
import { hostFrom, parseReference } from "../../core/adapters/forge-github/host.js";
import { readJournal } from "../../core/adapters/store/journal-file.js";
import { shapeFaults } from "../../core/config/check.js";
import { jsonIn, markersIn, parseBody, ReviewloopError, suggestionBlocks } from "../../core/index.js";
import { harmless, harmlessLine } from "../../core/writing/outgoing.js";
import { matchesProtected } from "../../core/changing/protected.js";
import { foldRun } from "../../core/run.js";
import { normalisedBody, titleOf } from "../../core/reading/threads.js";

const HOST = hostFrom({});
const HOME = { host: "github.com", owner: "ada", name: "shop" };
const RULES = { triggers: ["@acme review"], folders: ["/home/ada/shop"] };

/** Refusing by an error of our own is an answer; anything else is not. */
const ownError = (act: () => unknown): void => {
  try {
    act();
  } catch (thrown) {
    if (!ReviewloopError.is(thrown)) throw thrown;
  }
};

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

/** Pieces that parsers look for, so that random texts get past the first test. */
const PIECES = [
  ...Array.from("`~<>-!#@/|*_[](){}\"':,\n\r\t \\"),
  "```",
  "```suggestion\n",
  "<!-- reviewloop:1 ",
  '{"k":"reply:1","t":"x","h":"0"}',
  " -->",
  "<details><summary>",
  "</details>",
  "> ",
  "@acme review",
  "fixes #12",
  "https://github.com/ada/shop/pull/",
  "ada/shop#",
  "\u0000",
  "\u200B",
  "\uD800",
  "é",
  '{"at":1,"type":"head","head":"0"}\n',
];
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join("")),
);

const spent = (parse: (text: string) => unknown, given: string, times: number): number => {
  const began = process.cpuUsage();
  for (let time = 0; time < times; time += 1) parse(given);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
};

/** How many times as much the whole text costs as its sixteen parts do; 16 for a quadratic reader, about 1 for a linear one. */
const grows = (parse: (text: string) => unknown, piece: string, length: number): number => {
  const of = (size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const whole = spent(parse, of(length), 1);
  // So short that there is nothing to compare.
  return whole < 60 ? 1 : whole / Math.max(spent(parse, of(length / 16), 16), 10);
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
