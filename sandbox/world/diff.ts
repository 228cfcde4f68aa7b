/** Lines: what changed between two texts, where a line went, which lines a pull request shows. */

/** Lines without their ends; a last line end makes no further line. */
export const linesOf = (text: string): readonly string[] => {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

/** Pairs of equal lines (numbers from 1), in order: a longest common subsequence. */
export const matches = (before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] => {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  const pairs: (readonly [number, number])[] = [];
  for (let index = 1; index <= head; index += 1) pairs.push([index, index]);
  for (const [a, b] of middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)))
    pairs.push([a + head, b + head]);
  for (let index = tail; index >= 1; index -= 1) pairs.push([before.length - index + 1, after.length - index + 1]);
  return pairs;
};

const middle = (before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] => {
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  for (let a = before.length - 1; a >= 0; a -= 1) {
    for (let b = after.length - 1; b >= 0; b -= 1) {
      longest[a * width + b] =
        before[a] === after[b]
          ? (longest[(a + 1) * width + b + 1] ?? 0) + 1
          : Math.max(longest[(a + 1) * width + b] ?? 0, longest[a * width + b + 1] ?? 0);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let a = 0;
  let b = 0;
  while (a < before.length && b < after.length) {
    if (before[a] === after[b]) {
      pairs.push([a + 1, b + 1]);
      a += 1;
      b += 1;
    } else if ((longest[(a + 1) * width + b] ?? 0) >= (longest[a * width + b + 1] ?? 0)) a += 1;
    else b += 1;
  }
  return pairs;
};

/** Where line `line` of `before` stands in `after`; undefined where it was changed or taken out. */
export const movedLine = (before: string, after: string, line: number): number | undefined =>
  matches(linesOf(before), linesOf(after)).find(([from]) => from === line)?.[1];

/** A whole range moves only where none of its lines changed and none came in between. */
export const movedRange = (before: string, after: string, start: number, end: number): readonly [number, number] | undefined => {
  const to = new Map(matches(linesOf(before), linesOf(after)));
  const first = to.get(start);
  const last = to.get(end);
  if (first === undefined || last === undefined) return undefined;
  for (let line = start; line <= end; line += 1) if (to.get(line) !== first + line - start) return undefined;
  return [first, last];
};

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** With their ` `, `+` or `-`. */
  readonly lines: readonly string[];
}

const CONTEXT = 3;

/** Hunks of a unified diff with three lines of context. */
export const hunks = (before: string, after: string): readonly Hunk[] => hunksOfLines(linesOf(before), linesOf(after));

export const hunksOfLines = (old: readonly string[], now: readonly string[]): readonly Hunk[] => {
  const rows: { readonly text: string; readonly a: number; readonly b: number; readonly changed: boolean }[] = [];
  let a = 1;
  let b = 1;
  for (const [toA, toB] of [...matches(old, now), [old.length + 1, now.length + 1] as const]) {
    for (; a < toA; a += 1) rows.push({ text: `-${old[a - 1] ?? ""}`, a, b, changed: true });
    for (; b < toB; b += 1) rows.push({ text: `+${now[b - 1] ?? ""}`, a, b, changed: true });
    if (toA <= old.length) rows.push({ text: ` ${old[a - 1] ?? ""}`, a, b, changed: false });
    a += 1;
    b += 1;
  }
  const found: Hunk[] = [];
  let index = 0;
  while (index < rows.length) {
    const first = rows.findIndex((each, at) => at >= index && each.changed);
    if (first === -1) break;
    let last = first;
    for (let at = first; at < rows.length && at <= last + 2 * CONTEXT; at += 1) if (rows[at]?.changed === true) last = at;
    const from = Math.max(index, first - CONTEXT);
    const to = Math.min(rows.length - 1, last + CONTEXT);
    const part = rows.slice(from, to + 1);
    const oldLines = part.filter((each) => !each.text.startsWith("+")).length;
    const newLines = part.filter((each) => !each.text.startsWith("-")).length;
    const start = part[0] ?? { a: 1, b: 1 };
    found.push({
      oldStart: oldLines === 0 ? start.a - 1 : start.a,
      oldLines,
      newStart: newLines === 0 ? start.b - 1 : start.b,
      newLines,
      lines: part.map((each) => each.text),
    });
    index = to + 1;
  }
  return found;
};

/** Is this line of the given side shown in the diff (context counts)? */
export const inDiff = (all: readonly Hunk[], side: "LEFT" | "RIGHT", line: number): boolean =>
  all.some((hunk) =>
    side === "RIGHT"
      ? line >= hunk.newStart && line < hunk.newStart + hunk.newLines
      : line >= hunk.oldStart && line < hunk.oldStart + hunk.oldLines,
  );

/** The hunk's header and its lines down to the one commented on, as a comment's `diffHunk` has it. */
export const diffHunk = (all: readonly Hunk[], side: "LEFT" | "RIGHT", line: number): string => {
  const hunk = all.find((each) => inDiff([each], side, line));
  if (hunk === undefined) return "";
  const shown: string[] = [];
  let old = hunk.oldStart;
  let now = hunk.newStart;
  for (const text of hunk.lines) {
    shown.push(text);
    if (side === "RIGHT" ? !text.startsWith("-") && now === line : !text.startsWith("+") && old === line) break;
    if (!text.startsWith("+")) old += 1;
    if (!text.startsWith("-")) now += 1;
  }
  return [`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...shown].join("\n");
};
