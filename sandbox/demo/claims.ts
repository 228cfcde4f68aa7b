/**
 * What the demo's agent understands: claims about code by the words in which people and bots make them, how to see in the code whether a claim
 * holds, and the edit that a claim asks for. It knows shapes of code only, no project.
 */
import type { SourceFunction } from "../reviewers/source.js";

/** Where in a function a claim holds. */
export interface Spot {
  /** Offset of the line in the function. */
  readonly at: number;
  readonly groups: readonly string[];
}

export interface Rule {
  readonly name: string;
  /** The claim in words. */
  readonly says: RegExp;
  /** Finds what the claim is about; undefined where the code is not like that. */
  readonly holds: (found: SourceFunction) => Spot | undefined;
  /** The function's lines after the edit. */
  readonly repair: (lines: readonly string[], spot: Spot) => readonly string[];
  /** What was done, in words. */
  readonly done: (spot: Spot, found: SourceFunction) => string;
  /** A line that contradicts the claim. */
  readonly contradicted?: RegExp;
}

const spotOf = (lines: readonly string[], pattern: RegExp): Spot | undefined => {
  for (const [at, line] of lines.entries()) {
    const found = pattern.exec(line);
    if (found !== null) return { at, groups: found.slice(1).map((group) => group ?? "") };
  }
  return undefined;
};
const any = (lines: readonly string[], pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
const at = (spot: Spot, index: number): string => spot.groups[index] ?? "";
const replaceLine = (lines: readonly string[], spot: Spot, change: (line: string) => string): readonly string[] =>
  lines.map((line, index) => (index === spot.at ? change(line) : line));
const first = (pattern: RegExp) => (found: SourceFunction) => spotOf(found.lines, pattern);

export const RULES: readonly Rule[] = [
  {
    name: "loop bound",
    says: /off[- ]by[- ]one|past the end|up to and including|last pass|loop bound|out of range/i,
    holds: first(/for \(let \w+ = 0; \w+ <= (\w+)\.length;/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace("<=", "<")),
    done: (spot, found) => `The loop in \`${found.name}\` ends at the last element of \`${at(spot, 0)}\` now.`,
    contradicted: /for \(let \w+ = 0; \w+ < \w+\.length;/,
  },
  {
    name: "end of a slice",
    says: /\bslice\b|last entry|one short|exclusive/i,
    holds: first(/\.slice\((\w+), (\1 \+ \w+) - 1\)/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace(/ - 1\)/, ")")),
    done: (spot, found) => `\`${found.name}\` cuts at \`${at(spot, 1)}\` now, which \`slice\` leaves out by itself.`,
    contradicted: /\.slice\((\w+), \1 \+ \w+\)/,
  },
  {
    // Only the call is touched: whether the function around it may wait is for the gate to say.
    name: "missing await",
    says: /\bawaits?\b|promise|without waiting|unhandled/i,
    holds: first(/^\s+(\w+\.(?:put|remove|append|delete|save|write)\w*)\(/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace(/^(\s+)/, "$1await ")),
    done: (spot, found) => `\`${found.name}\` awaits \`${at(spot, 0)}\` now.`,
    contradicted: /await \w+\.\w+\(/,
  },
  {
    name: "bound of a comparison",
    says: /one too many|one more than|no room|strict|full list/i,
    holds: first(/return (\w+\.length) <= (\w+);/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace("<=", "<")),
    done: (spot, found) => `\`${found.name}\` compares \`${at(spot, 0)}\` strictly with \`${at(spot, 1)}\` now.`,
    contradicted: /return \w+\.length < \w+;/,
  },
  {
    name: "zero as missing",
    says: /explicit (?:zero|0)|value of 0|passes 0|`\?\?`/i,
    holds: first(/= (\w+\.\w+) \|\| (\d+);/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace("||", "??")),
    done: (spot, found) => `\`${found.name}\` keeps a 0 in \`${at(spot, 0)}\`; only a missing value becomes ${at(spot, 1)}.`,
    contradicted: /= \w+\.\w+ \?\? \d+;/,
  },
  {
    name: "open handle",
    says: /never close|not closed|\bleak|descriptor/i,
    holds: (found) => (any(found.lines, /\.close\(\)/) ? undefined : spotOf(found.lines, /^ {2}const (\w+) = await open\(/)),
    repair: (lines, spot) => [
      ...lines.slice(0, spot.at + 1),
      "  try {",
      ...lines.slice(spot.at + 1, -1).map((line) => (line === "" ? line : `  ${line}`)),
      "  } finally {",
      `    await ${at(spot, 0)}.close();`,
      "  }",
      ...lines.slice(-1),
    ],
    done: (spot, found) => `\`${found.name}\` closes \`${at(spot, 0)}\` in a \`finally\` now, also when reading or parsing throws.`,
    contradicted: /\.close\(\)/,
  },
  {
    name: "seconds for milliseconds",
    says: /milliseconds|looks like seconds|give up immediately|too small/i,
    holds: first(/timeout = (\d{1,3})\)/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace(`timeout = ${at(spot, 0)})`, `timeout = ${at(spot, 0)}_000)`)),
    done: (spot, found) =>
      `The default timeout of \`${found.name}\` is in milliseconds now, like every other time there (it was ${at(spot, 0)}).`,
    contradicted: /timeout = \d+_\d+\)/,
  },
  {
    name: "sort in place",
    says: /in place|reorder|mutat|sort a copy/i,
    holds: first(/return (\w+)\.sort\(/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace(`${at(spot, 0)}.sort(`, `[...${at(spot, 0)}].sort(`)),
    done: (spot, found) => `\`${found.name}\` sorts a copy now; the caller's \`${at(spot, 0)}\` stay as they are.`,
    contradicted: /\[\.\.\.\w+\]\.sort\(|\.toSorted\(/,
  },
  {
    name: "unencoded part of a path",
    says: /encode|unescaped|path segment/i,
    holds: first(/return `.*\/\$\{(\w+)\}`;/),
    repair: (lines, spot) =>
      replaceLine(lines, spot, (line) => line.replace(`\${${at(spot, 0)}}\``, `\${encodeURIComponent(${at(spot, 0)})}\``)),
    done: (spot, found) => `\`${found.name}\` encodes \`${at(spot, 0)}\` now.`,
    contradicted: /encodeURIComponent\(/,
  },
  {
    name: "inverted condition",
    says: /inverted|wrong ones|wrong entries|turn it around|the other way/i,
    holds: first(/\.filter\(\((\w+)\) => (\1\.\w+)\)/),
    repair: (lines, spot) => replaceLine(lines, spot, (line) => line.replace(`=> ${at(spot, 1)}`, `=> !${at(spot, 1)}`)),
    done: (spot, found) => `\`${found.name}\` leaves out what is \`${at(spot, 1)}\` now, instead of keeping it.`,
    contradicted: /\.filter\(\(\w+\) => !/,
  },
  {
    name: "shared defaults",
    says: /Object\.assign|defaults are overwritten|shared constant|fresh object|new object/i,
    holds: first(/Object\.assign\(([A-Z][A-Z_]*), (\w+)\)/),
    repair: (lines, spot) =>
      replaceLine(lines, spot, (line) =>
        line.replace(`Object.assign(${at(spot, 0)}, ${at(spot, 1)})`, `{ ...${at(spot, 0)}, ...${at(spot, 1)} }`),
      ),
    done: (spot, found) => `\`${found.name}\` merges into a new object now, so that \`${at(spot, 0)}\` keeps its values.`,
    contradicted: /\{ \.\.\.[A-Z]/,
  },
  {
    name: "division by zero",
    says: /division by zero|divides? by zero|0 \/ 0|\bNaN\b|\bInfinity\b/i,
    holds: (found) => (any(found.lines, /\.length === 0/) ? undefined : spotOf(found.lines, / \/ (\w+)\.length;/)),
    repair: (lines, spot) => [lines[0] ?? "", `  if (${at(spot, 0)}.length === 0) {`, "    return 0;", "  }", ...lines.slice(1)],
    done: (spot, found) => `\`${found.name}\` returns 0 for empty \`${at(spot, 0)}\` now.`,
    contradicted: /\.length === 0/,
  },
  {
    name: "missing guard",
    says: /null check|undefined|can be missing|without checking|no guard|TypeError/i,
    holds: (found) =>
      any(found.lines, /^\s+if \(.*(?:=== undefined|== null|!\w)/) ? undefined : spotOf(found.lines, /return (\w+)\.(\w+)\.(\w+);/),
    repair: (lines, spot) =>
      replaceLine(lines, spot, (line) => line.replace(`.${at(spot, 1)}.${at(spot, 2)};`, `.${at(spot, 1)}?.${at(spot, 2)} ?? "";`)),
    done: (spot, found) => `\`${found.name}\` gives an empty text where \`${at(spot, 0)}.${at(spot, 1)}\` is missing now.`,
    contradicted: /^\s+if \(.*(?:=== undefined|== null|!\w)|\?\./,
  },
  {
    name: "swallowed error",
    says: /swallow|empty `?catch|catches everything/i,
    holds: (found) => {
      const spot = spotOf(found.lines, /^ {2}\} catch \{$/);
      return spot !== undefined && /^ {4}return undefined;$/.test(found.lines[spot.at + 1] ?? "") ? spot : undefined;
    },
    repair: (lines, spot) => [
      ...lines.slice(0, spot.at),
      "  } catch (error) {",
      '    throw new Error("The text could not be read.", { cause: error });',
      ...lines.slice(spot.at + 2),
    ],
    done: (_spot, found) => `\`${found.name}\` throws now, with the original error as its cause.`,
    contradicted: /cause: error/,
  },
];

/** A name that says little: not wrong, and easily changed where it is wanted. */
export const SHORT_NAME = /const ([a-z]{1,2}\d?) = /;
