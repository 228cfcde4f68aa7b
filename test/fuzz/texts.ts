/** Texts for fuzzing, and a measure of how the cost of reading one grows. */
import fc from "fast-check";
import { ReviewloopError } from "../../core/index.js";

/** Pieces that parsers look for, so that random texts get past the first test. */
export const PIECES: readonly string[] = [
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

export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join("")),
);

/** Refusing by an error of our own is an answer; anything else is not. */
export const ownError = (act: () => unknown): void => {
  try {
    act();
  } catch (thrown) {
    if (!ReviewloopError.is(thrown)) throw thrown;
  }
};

const spent = (parse: (text: string) => unknown, given: string, times: number): number => {
  const began = process.cpuUsage();
  for (let time = 0; time < times; time += 1) parse(given);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
};

export const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** How many times as much the whole text costs as its sixteen parts do; 16 for a quadratic reader, about 1 for a linear one. */
export const grows = (parse: (text: string) => unknown, piece: string, length: number): number => {
  const whole = spent(parse, repeated(piece, length), 1);
  // So short that there is nothing to compare.
  return whole < 60 ? 1 : whole / Math.max(spent(parse, repeated(piece, length / 16), 16), 10);
};
