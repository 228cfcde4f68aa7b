/** What the readers of bodies share: places, sections, openings, prompts. All linear. */
import type { Body, HtmlComment, Line, Section } from "./parse.js";
import { allSections, ownComments } from "./parse.js";
import { plain } from "./text.js";

/** Lines that the author says at the top level: no quotes, no code, nothing folded away. */
export const topLines = (body: Body): readonly Line[] => body.lines.filter((line) => line.quote === 0 && !line.fenced && line.depth === 0);

/** The author's own lines, folded ones too. */
export const ownLines = (body: Body): readonly Line[] => body.lines.filter((line) => line.quote === 0 && !line.fenced);

/** The first lines with words, where a notice stands: a finding may quote its phrases further down. */
export const opening = (body: Body, count = 4, quotes = false): string =>
  body.lines
    .filter((line) => (quotes || line.quote === 0) && !line.fenced && line.text.trim() !== "")
    .slice(0, count)
    .map((line) => line.text.trim())
    .join("\n");

/** The first HTML comment of the author's own that matches. */
export const findComment = (body: Body, pattern: RegExp): HtmlComment | undefined =>
  ownComments(body).find((comment) => pattern.test(comment.content));

/** Line numbers between two HTML comments, the comments' own lines included; nothing where the pair is not complete. */
export const regionLines = (body: Body, start: RegExp, end: RegExp): ReadonlySet<number> => {
  const inside = new Set<number>();
  const comments = ownComments(body);
  let from: number | undefined;
  for (const comment of comments) {
    if (from === undefined && start.test(comment.content)) from = comment.start;
    else if (from !== undefined && end.test(comment.content)) {
      for (let line = from; line <= comment.end; line += 1) inside.add(line);
      from = undefined;
    }
  }
  return inside;
};

/** Sections whose summary, as plain words, matches. */
export const sectionsNamed = (body: Body, pattern: RegExp): readonly Section[] =>
  allSections(body).filter((section) => pattern.test(plain(section.summary)));

/** The lines of a section, without its summary. */
export const sectionLines = (body: Body, section: Section): readonly Line[] => body.lines.slice(section.from, section.end);

export interface Range {
  readonly line: number;
  readonly endLine?: number;
}

/** `12`, `12-14`, `L12-L14`, with a hyphen or a dash. */
export const rangeOf = (text: string): Range | undefined => {
  const found = /^\s*[L#]*(\d{1,7})(?:\s*[-–—]\s*L?(\d{1,7}))?\s*$/.exec(text);
  if (found === null) return undefined;
  const line = Number(found[1]);
  if (line === 0) return undefined;
  return found[2] === undefined ? { line } : { line, endLine: Math.max(line, Number(found[2])) };
};

/** `src/a.ts:12-14`, `src/a.ts#L12-L14`, `src/a.ts`. A path has no blanks at its ends and does not leave the repository. */
export const placeIn = (text: string): ({ readonly path: string } & Partial<Range>) | undefined => {
  const cleaned = text.trim().replace(/^[`@]+|`+$/g, "");
  const found = /^(.+?)(?::(\d{1,7}(?:\s*[-–—]\s*\d{1,7})?)|#(L\d{1,7}(?:-L?\d{1,7})?))?$/.exec(cleaned.slice(0, 1024));
  const path = found?.[1];
  if (path === undefined || !isPath(path)) return undefined;
  const range = rangeOf(found?.[2] ?? found?.[3] ?? "");
  return { path, ...range };
};

/** Something that can be a path inside a repository. */
export const isPath = (text: string): boolean =>
  text.length > 0 &&
  text.length <= 1024 &&
  !/^[/~]|^\.\.\/|\/\.\.\/|[\n\r\t<>"|*?]|^\s|\s$|:\/\//.test(text) &&
  /[\p{L}\p{N}_]/u.test(text);

/** The last path segments of a link into a file: `…/blob/<sha>/src/a.ts#L1-L2`. */
export const blobPlace = (url: string): ({ readonly path: string; readonly commit: string } & Partial<Range>) | undefined => {
  const found = /\/blob\/([0-9a-f]{7,40})\/([^\s#)?]+)(?:#(L\d{1,7}(?:-L?\d{1,7})?))?/.exec(url.slice(0, 2048));
  const path = found?.[2];
  const commit = found?.[1];
  if (path === undefined || commit === undefined) return undefined;
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    // A percent sign that is none: the path stands as written.
  }
  return isPath(decoded) ? { path: decoded, commit, ...rangeOf(found?.[3] ?? "") } : undefined;
};

/** The alternative text of the first image. */
export const imageAlt = (text: string): string | undefined =>
  /<img\b[^<>]*?\balt="([^"<>]*)"/i.exec(text)?.[1] ?? /!\[([^\][]*)\]\(/.exec(text)?.[1];

/** The first `**bold**` words, code spans kept. */
export const boldIn = (text: string): string | undefined => {
  const from = text.indexOf("**");
  if (from === -1) return undefined;
  const to = text.indexOf("**", from + 2);
  const inner = to === -1 ? "" : text.slice(from + 2, to).trim();
  return inner === "" ? undefined : inner;
};

/** Texts joined, blank lines at both ends gone. */
export const joined = (lines: readonly string[]): string => lines.join("\n").trim();
