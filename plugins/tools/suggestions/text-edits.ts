/** Replacing whole lines of a file: pure, and true to the file's own line ends. */

/** Lines are counted from 1, both ends included, as GitHub counts them. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  /** What stands there afterwards, without line ends; none = the lines go. */
  readonly lines: readonly string[];
}

/** The lines of a file, each with its own line end; the last may have none. */
export const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.split(/(?<=\n)/));

const endOf = (line: string): string => (line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "");
const BYTE_ORDER_MARK = "\u{feff}";

/** The line end that new lines get: that of the first replaced line, else of the one before it. */
const lineEnd = (lines: readonly string[], start: number): string => endOf(lines[start - 1] ?? "") || endOf(lines[start - 2] ?? "") || "\n";

export const fits = (lines: readonly string[], edit: Pick<LineEdit, "start" | "end">): boolean =>
  Number.isInteger(edit.start) && Number.isInteger(edit.end) && edit.start >= 1 && edit.start <= edit.end && edit.end <= lines.length;

/** The text that stands in for the lines of one edit. */
const replacement = (lines: readonly string[], edit: LineEdit): readonly string[] => {
  const end = lineEnd(lines, edit.start);
  const unended = edit.end === lines.length && endOf(lines[edit.end - 1] ?? "") === "";
  const mark = edit.start === 1 && (lines[0] ?? "").startsWith(BYTE_ORDER_MARK) && !(edit.lines[0] ?? "").startsWith(BYTE_ORDER_MARK);
  return edit.lines.map((line, index) => {
    // An empty line at the very end exists only by its line end.
    const last = index === edit.lines.length - 1 && line !== "";
    return `${mark && index === 0 ? BYTE_ORDER_MARK : ""}${line}${last && unended ? "" : end}`;
  });
};

/** Does the edit change anything? */
export const changes = (lines: readonly string[], edit: LineEdit): boolean =>
  replacement(lines, edit).join("") !== lines.slice(edit.start - 1, edit.end).join("");

/** Applies edits that don't overlap; equal ones count once. */
export const applied = (text: string, edits: readonly LineEdit[]): string => {
  const lines = linesOf(text);
  const parts: string[] = [];
  let next = 1;
  for (const edit of [...edits].sort((one, other) => one.start - other.start)) {
    if (edit.start < next) continue;
    for (let number = next; number < edit.start; number += 1) parts.push(lines[number - 1] ?? "");
    parts.push(...replacement(lines, edit));
    next = edit.end + 1;
  }
  for (let number = next; number <= lines.length; number += 1) parts.push(lines[number - 1] ?? "");
  return parts.join("");
};

/**
 * Where lines of one version of a file stand in another one: by what both have in common at the beginning and at the end.
 * Undefined where the lines themselves, or what is around them, were changed.
 */
export const moved = <E extends Pick<LineEdit, "start" | "end">>(
  from: readonly string[],
  to: readonly string[],
  edit: E,
): E | undefined => {
  const most = Math.min(from.length, to.length);
  let before = 0;
  while (before < most && from[before] === to[before]) before += 1;
  if (edit.end <= before) return edit;
  let after = 0;
  while (after < most - before && from[from.length - 1 - after] === to[to.length - 1 - after]) after += 1;
  if (edit.start <= from.length - after) return undefined;
  const by = to.length - from.length;
  return { ...edit, start: edit.start + by, end: edit.end + by };
};

export const sameEdit = (one: LineEdit, other: LineEdit): boolean =>
  one.start === other.start &&
  one.end === other.end &&
  one.lines.length === other.lines.length &&
  one.lines.every((line, index) => line === other.lines[index]);

/** The edits of one file that overlap others without being equal to them: nobody can have both. */
export const conflicting = <T extends { readonly edit: LineEdit }>(items: readonly T[]): readonly (readonly T[])[] => {
  const groups: T[][] = [];
  let last = 0;
  for (const item of [...items].sort((one, other) => one.edit.start - other.edit.start)) {
    const group = groups.at(-1);
    if (group !== undefined && item.edit.start <= last) group.push(item);
    else groups.push([item]);
    last = Math.max(last, item.edit.end);
  }
  return groups.filter((group) => group.some((item) => group[0] !== undefined && !sameEdit(item.edit, group[0].edit)));
};
