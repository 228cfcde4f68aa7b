/**
 * One linear pass over a Markdown body as GitHub shows it: quotes, code fences, HTML comments and `<details>` sections.
 *
 * What a reader may trust is decided here once: a tag or a marker inside a fence, a code span or (unless asked) a quote is text.
 */

export interface Fence {
  /** The word after the opening fence, lower case. */
  readonly info: string;
  /** Line of the opening fence. */
  readonly start: number;
  /** Line of the closing fence, or the number of lines where it never closes. */
  readonly end: number;
  readonly quote: number;
  readonly content: readonly string[];
}

export interface HtmlComment {
  readonly content: string;
  readonly start: number;
  readonly end: number;
  readonly quote: number;
  /** Nothing but blanks stands before it on its line. */
  readonly alone: boolean;
}

export interface Section {
  /** The summary as it stands, tags included. */
  readonly summary: string;
  /** Line of `<details>`. */
  readonly start: number;
  /** First line after the summary. */
  readonly from: number;
  /** Line of `</details>`, or the number of lines where it never closes. */
  readonly end: number;
  readonly depth: number;
  readonly children: readonly Section[];
}

export interface Line {
  /** Without quote marks and without HTML comments. Inside a fence: the code. */
  readonly text: string;
  /** How many `>` stand before it. With `unquote` it is 0 everywhere outside of fences. */
  readonly quote: number;
  /** Inside a fence, its own two lines included. */
  readonly fenced: boolean;
  /** How many `<details>` are open at its start. */
  readonly depth: number;
  /** The line as it was, quote marks included, HTML comments cut out. */
  readonly kept: string;
}

export interface Body {
  readonly lines: readonly Line[];
  readonly comments: readonly HtmlComment[];
  readonly fences: readonly Fence[];
  /** Outermost sections; stray closing tags are ignored. */
  readonly sections: readonly Section[];
  /** A fence, a comment or a section never closes: the body was cut. */
  readonly cut: boolean;
}

/** Bodies are at most 64 KiB on GitHub; what is longer is not read. */
const LIMIT = 262_144;

interface OpenSection {
  summary: string;
  start: number;
  from: number;
  end: number;
  depth: number;
  children: OpenSection[];
}

const QUOTE = /^[ \t]{0,3}>[ ]?/;
const FENCE_OPEN = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[ \t]*([^\r\n]*)$/;

/** Strips up to `most` quote marks. */
const unquoted = (raw: string, most: number): { text: string; depth: number } => {
  let text = raw;
  let depth = 0;
  while (depth < most) {
    const found = QUOTE.exec(text);
    if (found === null) break;
    text = text.slice(found[0].length);
    depth += 1;
  }
  return { text, depth };
};

/** Where code spans lie in a line: pairs of start and end. A run of backticks closes with a run of the same length. */
export const codeSpans = (text: string): readonly (readonly [number, number])[] => {
  if (!text.includes("`")) return [];
  const runs: { at: number; length: number }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "`") continue;
    const start = at;
    while (text[at + 1] === "`") at += 1;
    runs.push({ at: start, length: at - start + 1 });
  }
  const byLength = new Map<number, number[]>();
  runs.forEach((run, index) => {
    const same = byLength.get(run.length);
    if (same === undefined) byLength.set(run.length, [index]);
    else same.push(index);
  });
  const next = new Map<number, number>();
  const spans: (readonly [number, number])[] = [];
  for (let index = 0; index < runs.length;) {
    const run = runs[index];
    if (run === undefined) break;
    const same = byLength.get(run.length) ?? [];
    let cursor = next.get(run.length) ?? 0;
    while (cursor < same.length && (same[cursor] ?? 0) <= index) cursor += 1;
    next.set(run.length, cursor);
    const closing = same[cursor];
    const close = closing === undefined ? undefined : runs[closing];
    if (close === undefined || closing === undefined || text[run.at - 1] === "\\") {
      index += 1;
      continue;
    }
    spans.push([run.at, close.at + close.length]);
    index = closing + 1;
  }
  return spans;
};

const TAG = /<!--|<(\/?)(details|summary)(?=[\s>/])[^<>]*>/gi;

export const parseBody = (source: string, how: { readonly unquote?: boolean } = {}): Body => {
  const raws = source.slice(0, LIMIT).replace(/\r\n?/g, "\n").split("\n");
  const lines: Line[] = [];
  const comments: HtmlComment[] = [];
  const fences: Fence[] = [];
  const roots: OpenSection[] = [];
  const stack: OpenSection[] = [];
  let fence: { mark: string; info: string; start: number; quote: number; content: string[] } | undefined;
  let comment: { parts: string[]; start: number; quote: number; alone: boolean } | undefined;
  let summary: string[] | undefined;
  let unclosed = false;

  const closeFence = (end: number): void => {
    if (fence === undefined) return;
    fences.push({ info: fence.info, start: fence.start, end, quote: how.unquote === true ? 0 : fence.quote, content: fence.content });
    fence = undefined;
  };
  const closeComment = (end: number, last: string): void => {
    if (comment === undefined) return;
    comments.push({
      content: [...comment.parts, last].join("\n").trim(),
      start: comment.start,
      end,
      quote: how.unquote === true ? 0 : comment.quote,
      alone: comment.alone,
    });
    comment = undefined;
  };

  raws.forEach((raw, number) => {
    const depth = stack.length;
    if (fence !== undefined) {
      const inner = unquoted(raw, fence.quote);
      if (inner.depth < fence.quote) {
        closeFence(number);
        unclosed = true;
      } else {
        const mark = fence.mark;
        const tail = inner.text.trim();
        const closes = tail.length >= mark.length && tail === (mark[0] ?? "`").repeat(tail.length);
        lines.push({ text: inner.text, quote: how.unquote === true ? 0 : fence.quote, fenced: true, depth, kept: raw });
        if (closes) closeFence(number);
        else fence.content.push(inner.text);
        return;
      }
    }
    const stripped = unquoted(raw, 12);
    const quote = how.unquote === true ? 0 : stripped.depth;
    const text = stripped.text;
    const prefix = raw.slice(0, raw.length - text.length);
    const readable = how.unquote === true || stripped.depth === 0;
    let rest = 0;
    let visible = "";

    if (comment !== undefined) {
      if (comment.quote > stripped.depth) {
        closeComment(number, "");
        unclosed = true;
      } else {
        const end = text.indexOf("-->");
        if (end === -1) {
          comment.parts.push(text);
          lines.push({ text: "", quote, fenced: false, depth, kept: "" });
          return;
        }
        closeComment(number, text.slice(0, end));
        rest = end + 3;
      }
    }
    if (rest === 0 && summary === undefined) {
      const opened = FENCE_OPEN.exec(text);
      const mark = opened?.[1];
      const info = opened?.[2] ?? "";
      if (mark !== undefined && !(mark.startsWith("`") && info.includes("`"))) {
        fence = { mark, info: (info.trim().split(/\s/)[0] ?? "").toLowerCase(), start: number, quote: stripped.depth, content: [] };
        lines.push({ text, quote, fenced: true, depth, kept: raw });
        return;
      }
    }
    const spans = codeSpans(text);
    let span = 0;
    TAG.lastIndex = rest;
    for (let found = TAG.exec(text); found !== null; found = TAG.exec(text)) {
      while (span < spans.length && (spans[span]?.[1] ?? 0) <= found.index) span += 1;
      const within = spans[span];
      if ((within !== undefined && within[0] <= found.index) || text[found.index - 1] === "\\") continue;
      if (found[0] === "<!--") {
        const before = text.slice(rest, found.index);
        visible += before;
        if (summary !== undefined) summary.push(before);
        comment = { parts: [], start: number, quote: stripped.depth, alone: visible.trim() === "" };
        const end = text.indexOf("-->", found.index + 4);
        if (end === -1) {
          comment.parts.push(text.slice(found.index + 4));
          rest = text.length;
          break;
        }
        closeComment(number, text.slice(found.index + 4, end));
        rest = end + 3;
        TAG.lastIndex = rest;
        continue;
      }
      if (!readable) continue;
      const closing = found[1] === "/";
      const after = found.index + found[0].length;
      if ((found[2] ?? "").toLowerCase() === "details") {
        const top = stack[stack.length - 1];
        if (closing && top !== undefined) {
          if (summary !== undefined) {
            top.summary = summary.join("\n");
            summary = undefined;
          }
          top.end = number;
          stack.pop();
        } else if (!closing && summary === undefined) {
          const opened: OpenSection = { summary: "", start: number, from: number + 1, end: -1, depth: stack.length, children: [] };
          (top === undefined ? roots : top.children).push(opened);
          stack.push(opened);
        }
      } else {
        const top = stack[stack.length - 1];
        if (!closing) {
          if (top !== undefined && top.summary === "") summary = [];
          visible += text.slice(rest, after);
          rest = after;
        } else if (summary !== undefined && top !== undefined) {
          summary.push(text.slice(rest, found.index));
          top.summary = summary.join("\n").trim();
          top.from = number + 1;
          summary = undefined;
          visible += text.slice(rest, after);
          rest = after;
        }
      }
    }
    const left = text.slice(rest);
    visible += left;
    if (summary !== undefined) summary.push(left);
    lines.push({ text: visible, quote, fenced: false, depth, kept: `${prefix}${visible}`.trimEnd() });
  });

  const cut = unclosed || fence !== undefined || comment !== undefined || stack.length > 0 || source.length > LIMIT;
  closeFence(raws.length);
  closeComment(raws.length, "");
  for (const section of stack) section.end = raws.length;
  return { lines, comments, fences, sections: roots, cut };
};

/** Every section, outermost first, in the order in which they open. */
export const allSections = (body: Body): readonly Section[] => {
  const found: Section[] = [];
  const left = body.sections.toReversed();
  for (let section = left.pop(); section !== undefined; section = left.pop()) {
    found.push(section);
    for (let index = section.children.length - 1; index >= 0; index -= 1) {
      const child = section.children[index];
      if (child !== undefined) left.push(child);
    }
  }
  return found;
};

/** What the author says in own words: no quotes, no code blocks, no comments. */
export const ownWords = (body: Body): string =>
  body.lines
    .filter((line) => line.quote === 0 && !line.fenced)
    .map((line) => line.text)
    .join("\n");

/** HTML comments that stand in the author's own text, each by its content. */
export const ownComments = (body: Body): readonly HtmlComment[] => body.comments.filter((comment) => comment.quote === 0);
