/**
 * Committable suggestions in a comment's Markdown: fenced blocks whose info string is `suggestion`.
 *
 * One pass over the lines, linear, and only what GitHub would offer as a suggestion: a block that sits in a quote, in another
 * fence, in an HTML comment or in raw HTML is shown as text (or not at all), and one that never closes was cut off.
 */

export interface SuggestionBlock {
  /** The lines that replace the commented range; none = the range is deleted. */
  readonly lines: readonly string[];
  /** Index of the opening fence's line in the body. */
  readonly at: number;
}

interface OpenFence {
  readonly sign: string;
  readonly length: number;
  readonly indent: number;
  readonly suggestion: boolean;
  readonly at: number;
  readonly lines: string[];
}

const OPENING = /^( {0,3})((?:[-*+]|\d{1,9}[.)]) {1,4})?(`{3,}|~{3,})(.*)$/;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
const QUOTE = /^ {0,3}>/;
const RAW = /^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i;
const RAW_END = /<\/(?:script|pre|style|textarea)>/i;
const BLOCK_TAG = new RegExp(
  "^ {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|" +
    "noframes|ol|optgroup|option|p|param|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\\s|/?>|$)",
  "i",
);
const LONE_TAG = /^ {0,3}<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?>\s*$/i;

const ENDS: readonly { readonly start: RegExp; readonly end: (line: string) => boolean }[] = [
  { start: /^ {0,3}<!--/, end: (line) => line.includes("-->") },
  { start: RAW, end: (line) => RAW_END.test(line) },
  { start: /^ {0,3}<\?/, end: (line) => line.includes("?>") },
  { start: /^ {0,3}<!\[CDATA\[/, end: (line) => line.includes("]]>") },
  { start: /^ {0,3}<![a-z]/i, end: (line) => line.includes(">") },
  { start: BLOCK_TAG, end: (line) => line.trim() === "" },
];

const withoutIndent = (line: string, most: number): string => {
  let at = 0;
  while (at < most && line[at] === " ") at += 1;
  return line.slice(at);
};

const openingOf = (line: string, at: number): OpenFence | undefined => {
  const found = OPENING.exec(line);
  const run = found?.[3];
  if (found === null || run === undefined) return undefined;
  const sign = run[0] ?? "`";
  const info = (found[4] ?? "").trim();
  if (sign === "`" && info.includes("`")) return undefined;
  const indent = (found[1] ?? "").length + (found[2] ?? "").length;
  return { sign, length: run.length, indent, suggestion: sign === "`" && info === "suggestion", at, lines: [] };
};

const closes = (line: string, fence: OpenFence): boolean => {
  // Inside a list item the closing fence is indented as far as its opening one.
  const run = CLOSING.exec(withoutIndent(line, fence.indent))?.[1];
  return run !== undefined && run[0] === fence.sign && run.length >= fence.length;
};

/** The suggestions of a body in order. Never throws; linear in the body's length. */
export const suggestionBlocks = (body: string): readonly SuggestionBlock[] => {
  const blocks: SuggestionBlock[] = [];
  let fence: OpenFence | undefined;
  let htmlEnd: ((line: string) => boolean) | undefined;
  let afterBlank = true;
  for (const [at, line] of body.split(/\r\n|\n|\r/).entries()) {
    if (fence !== undefined) {
      if (!closes(line, fence)) fence.lines.push(withoutIndent(line, fence.indent));
      else {
        if (fence.suggestion) blocks.push({ lines: fence.lines, at: fence.at });
        fence = undefined;
        afterBlank = true;
      }
      continue;
    }
    if (htmlEnd !== undefined) {
      if (htmlEnd(line)) htmlEnd = undefined;
      afterBlank = line.trim() === "";
      continue;
    }
    const quoted = QUOTE.test(line);
    const html = quoted ? undefined : ENDS.find((kind) => kind.start.test(line))?.end;
    if (html !== undefined) {
      if (!html(line)) htmlEnd = html;
    } else if (!quoted && afterBlank && LONE_TAG.test(line)) htmlEnd = (next) => next.trim() === "";
    else if (!quoted) fence = openingOf(line, at);
    afterBlank = line.trim() === "";
  }
  return blocks;
};
