/** Reads plain JavaScript as far as a reviewer needs it: top-level functions with their lines and the comment above. */

export interface SourceFunction {
  readonly name: string;
  /** Lines count from 1; `start` is the line of `function`, `end` that of the closing brace. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** The comment right above, without its marks. */
  readonly comment: string;
}

const HEAD = /^(?:export )?(?:async )?function (\w+)\(/;

const commentAbove = (lines: readonly string[], index: number): string => {
  const found: string[] = [];
  for (let at = index - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (!/^(?:\/\/|\/\*\*|\s\*)/.test(line)) break;
    found.unshift(line.replace(/^(?:\/\/|\/\*\*|\s\*\/?)\s?/, "").replace(/\s*\*\/$/, ""));
  }
  return found.join(" ").trim();
};

/** The functions of a file, in order. A function ends at the first `}` in the first column. */
export const functionsOf = (text: string): readonly SourceFunction[] => {
  const lines = text.split(/\r?\n/);
  const found: SourceFunction[] = [];
  for (const [index, line] of lines.entries()) {
    const name = HEAD.exec(line)?.[1];
    if (name === undefined) continue;
    const end = lines.findIndex((other, at) => at > index && other === "}");
    if (end < 0) continue;
    found.push({
      name,
      start: index + 1,
      end: end + 1,
      lines: lines.slice(index, end + 1),
      comment: commentAbove(lines, index),
    });
  }
  return found;
};
