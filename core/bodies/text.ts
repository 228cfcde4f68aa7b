/** Small linear functions over one piece of text: entities, tags, titles. */
import { codeSpans } from "./parse.js";

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };

/** Decodes HTML entities once: an entity that comes of it stays text. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });

/** Applies a change to the text outside of code spans. */
export const outsideCode = (text: string, change: (part: string) => string): string => {
  let out = "";
  let at = 0;
  for (const [from, to] of codeSpans(text)) {
    out += change(text.slice(at, from)) + text.slice(from, to);
    at = to;
  }
  return out + change(text.slice(at));
};

/** Removes HTML tags; what stands between them stays. */
export const withoutTags = (text: string): string => outsideCode(text, (part) => part.replace(/<\/?[a-z][^<>]*>/gi, ""));

/** One line of plain words: no tags, images, link targets, emphasis or list marks; entities decoded once. */
export const plain = (text: string): string =>
  decodeEntities(
    outsideCode(text.replace(/\s+/g, " "), (part) =>
      part
        .replace(/<\/?[a-z][^<>]*>/gi, "")
        .replace(/!\[[^\][]*\]\([^()\s]*\)/g, "")
        .replace(/\[([^\][]*)\]\([^()\s]*\)/g, "$1")
        .replace(/\*\*|__/g, "")
        .replace(/\\([\\.!#*_`~()[\]{}<>+-])/g, "$1"),
    ),
  )
    .replace(/\s+/g, " ")
    .replace(/^(?:[#>]+|[-*+]|\d{1,3}[.)])\s+/, "")
    .trim();

/** The first sentence: up to a full stop, question or exclamation mark before a capital or the end. */
export const firstSentence = (text: string): string => {
  const spans = codeSpans(text);
  let span = 0;
  const enders = /[.!?](?=\s+[\p{Lu}\p{Lo}`"'([*_@#]|\s*$)|[。！？]/gu;
  for (let found = enders.exec(text); found !== null; found = enders.exec(text)) {
    const at = found.index;
    while (span < spans.length && (spans[span]?.[1] ?? 0) <= at) span += 1;
    if ((spans[span]?.[0] ?? text.length) <= at) continue;
    return text.slice(0, at + 1).trim();
  }
  return text.trim();
};

const TITLE_LIMIT = 160;

/** Cuts a title to what fits on a line. */
export const shortened = (title: string, limit = TITLE_LIMIT): string => {
  const letters = Array.from(title);
  return letters.length <= limit
    ? title
    : `${letters
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
};

/** For comparing titles: letters and digits only, lower case; badges and line numbers are gone. */
export const titleKey = (title: string): string =>
  plain(title)
    .toLowerCase()
    .replace(/:\d+(?:-\d+)?/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
