/** Pure: which lines our own commits wrote, and where they are later. A finding on one of them was brought by a fix. */
import type { Lines, Place } from "../model.js";

type Range = readonly [from: number, to: number];

/** A hunk in numbers: `-` and `+` line by line, in order. */
interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly signs: string;
}
interface FilePatch {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly hunks: readonly Hunk[];
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\u0007", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

/** Git quotes a path with unusual bytes, each as three octal digits. */
const unquoted = (text: string): string => {
  if (!text.startsWith('"')) return text;
  const bytes: number[] = [];
  for (const [part, octal, letter] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...Buffer.from(letter === undefined ? part : (ESCAPES[letter] ?? letter), "utf8"));
  }
  return Buffer.from(bytes).toString("utf8");
};
const pathIn = (text: string): string | undefined => {
  // Git ends a path that holds a blank with a tabulator.
  const path = unquoted(text.replace(/\t$/, ""));
  return path === "/dev/null" ? undefined : path.slice(2);
};

/** The text parts of a patch. Lines are counted by the hunk's own figures: a removed `-- x` looks like a header. Linear. */
const filesIn = (patch: string): readonly FilePatch[] => {
  const files: { before: string | undefined; after: string | undefined; hunks: Hunk[] }[] = [];
  const lines = patch.split("\n");
  let before: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ")) before = pathIn(line.slice(4));
    else if (line.startsWith("+++ ")) files.push({ before, after: pathIn(line.slice(4)), hunks: [] });
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (found === null) continue;
    const [, oldStart, oldLines = "1", newStart, newLines = "1"] = found;
    let [old, now] = [Number(oldLines), Number(newLines)];
    let signs = "";
    while ((old > 0 || now > 0) && at + 1 < lines.length) {
      at += 1;
      const sign = (lines[at] ?? "")[0] ?? " ";
      if (sign === "\\") continue;
      signs += sign;
      if (sign !== "+") old -= 1;
      if (sign !== "-") now -= 1;
    }
    // A side without lines names the line before it.
    files.at(-1)?.hunks.push({
      oldStart: Number(oldStart) + (oldLines === "0" ? 1 : 0),
      newStart: Number(newStart) + (newLines === "0" ? 1 : 0),
      signs,
    });
  }
  return files;
};

const rangesOf = (numbers: readonly number[]): readonly Range[] => {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = Math.max(last[1], number);
    else ranges.push([number, number]);
  }
  return ranges;
};

const linesFrom = (entries: readonly (readonly [string, readonly Range[]])[]): Lines =>
  Object.fromEntries(entries.filter(([, ranges]) => ranges.length > 0));

/** The lines that a patch wrote, as they are numbered after it. */
export const linesWritten = (patch: string): Lines =>
  linesFrom(
    filesIn(patch).flatMap(({ after, hunks }) => {
      if (after === undefined) return [];
      const numbers = hunks.flatMap(({ newStart, signs }) => {
        let line = newStart;
        const written: number[] = [];
        for (const sign of signs) {
          if (sign === "+") written.push(line);
          if (sign !== "-") line += 1;
        }
        return written;
      });
      return [[after, rangesOf(numbers)] as const];
    }),
  );

/** Where a line is after the hunks; undefined: it was changed or taken out. */
const moved = (line: number, hunks: readonly Hunk[]): number | undefined => {
  let shift = 0;
  for (const { oldStart, newStart, signs } of hunks) {
    if (line < oldStart) break;
    let [old, now] = [oldStart, newStart];
    for (const sign of signs) {
      if (sign !== "+" && old === line) return sign === "-" ? undefined : now;
      if (sign !== "+") old += 1;
      if (sign !== "-") now += 1;
    }
    shift = now - old;
  }
  return line + shift;
};

/** The same lines after a later patch (one without renames): those that it left alone, at their new numbers. */
export const linesLater = (lines: Lines, patch: string): Lines => {
  const files = new Map(filesIn(patch).flatMap((file) => (file.before === undefined ? [] : [[file.before, file] as const])));
  return linesFrom(
    Object.entries(lines).flatMap(([path, ranges]) => {
      const file = files.get(path);
      if (file === undefined) return [[path, ranges] as const];
      if (file.after === undefined) return [];
      const numbers = ranges.flatMap(([from, to]) =>
        Array.from({ length: to - from + 1 }, (_, index) => moved(from + index, file.hunks)).flatMap((line) => line ?? []),
      );
      return [[path, rangesOf(numbers)] as const];
    }),
  );
};

/** The lines that a place names, on the commit that it was made on where that is known; undefined where it names none of the new side. */
export const spanOf = (place: Place, made: boolean): Range | undefined => {
  if (place.side !== "RIGHT" || place.subject === "file") return undefined;
  const last = (made ? place.originalLine : undefined) ?? (place.outdated ? undefined : place.line);
  if (last === undefined) return undefined;
  const length = place.line === undefined || place.startLine === undefined ? 0 : place.line - place.startLine;
  return [Math.max(1, last - length), last];
};

/** Is any of these lines ours? */
export const isOurLine = (lines: Lines, path: string, [from, to]: Range): boolean =>
  (lines[path] ?? []).some(([first, last]) => first <= to && from <= last);
