/**
 * What a scripted reviewer sees in code: slips, by the shape of the code at one head, and nothing else. Some looks are naive on purpose: they
 * see the risky expression and not the guard above it, which is how false alarms come about.
 */
import { functionsOf } from "./source.js";
import type { SourceFunction } from "./source.js";

export type IssueKind =
  | "loop-bound"
  | "page-end"
  | "missing-await"
  | "capacity-compare"
  | "zero-default"
  | "open-handle"
  | "short-timeout"
  | "sort-in-place"
  | "raw-path"
  | "inverted-filter"
  | "shared-defaults"
  | "missing-guard"
  | "empty-average"
  | "swallowed-error"
  | "guarded-access"
  | "guarded-share"
  | "short-name"
  | "fixed-number";

export interface Issue {
  readonly kind: IssueKind;
  /** The same issue at another head has the same key, wherever its lines went. */
  readonly key: string;
  readonly path: string;
  readonly function: string;
  /** Lines count from 1; `line` is the last one of the range. */
  readonly startLine: number;
  readonly line: number;
  /** For the text: `list`, `expression`, `option`, ... */
  readonly values: Readonly<Record<string, string>>;
  /** What should stand there instead, line by line; absent where one edit in place does not do. */
  readonly instead?: readonly string[];
}

interface Seen {
  /** Offsets within the function; the first line is 0. */
  readonly from: number;
  readonly to: number;
  readonly values?: Readonly<Record<string, string>>;
  readonly instead?: readonly string[];
}
type Look = (found: SourceFunction) => Seen | undefined;

/** A look at single lines: the first that fits, and what it should be. */
const line =
  (
    pattern: RegExp,
    name: (groups: RegExpExecArray) => Record<string, string>,
    instead?: (text: string, groups: RegExpExecArray) => string,
  ): Look =>
  ({ lines }) => {
    for (const [index, text] of lines.entries()) {
      const groups = pattern.exec(text);
      if (groups === null) continue;
      return { from: index, to: index, values: name(groups), ...(instead === undefined ? {} : { instead: [instead(text, groups)] }) };
    }
    return undefined;
  };

const group = (groups: RegExpExecArray, index: number): string => groups[index] ?? "";
const has = (found: SourceFunction, pattern: RegExp): boolean => found.lines.some((text) => pattern.test(text));

const share = line(/^ {2}return (\w+) \/ (\w+)\.length;/, (groups) => ({
  list: group(groups, 2),
  expression: `${group(groups, 1)} / ${group(groups, 2)}.length`,
}));
const access = line(
  /^ {2}return (\w+)\.(\w+)\.(\w+);/,
  (groups) => ({
    part: `${group(groups, 1)}.${group(groups, 2)}`,
    expression: `${group(groups, 1)}.${group(groups, 2)}.${group(groups, 3)}`,
  }),
  (text, groups) => text.replace(`.${group(groups, 2)}.${group(groups, 3)}`, `.${group(groups, 2)}?.${group(groups, 3)} ?? ""`),
);
const guarded = (found: SourceFunction): boolean => has(found, /^ {2}if \(/);

const LOOKS: Readonly<Record<IssueKind, Look>> = {
  "loop-bound": line(
    /for \(let (\w+) = 0; \1 <= (\w+)\.length;/,
    (groups) => ({ index: group(groups, 1), list: group(groups, 2) }),
    (text) => text.replace("<=", "<"),
  ),
  "page-end": line(
    /(\w+)\.slice\((\w+), (\2 \+ \w+) - 1\)/,
    (groups) => ({ list: group(groups, 1), end: group(groups, 3) }),
    (text) => text.replace(" - 1)", ")"),
  ),
  "missing-await": line(/^ {2}((\w+)\.(?:put|remove|append))\(/, (groups) => ({ call: group(groups, 1), store: group(groups, 2) })),
  "capacity-compare": line(
    /return (\w+\.length) <= (\w+);/,
    (groups) => ({ count: group(groups, 1), limit: group(groups, 2) }),
    (text) => text.replace("<=", "<"),
  ),
  "zero-default": line(
    /= options\.(\w+) \|\| (\d+);/,
    (groups) => ({ option: `options.${group(groups, 1)}`, number: group(groups, 2) }),
    (text) => text.replace("||", "??"),
  ),
  "open-handle": (found) => {
    const from = found.lines.findIndex((text) => /^ {2}const \w+ = await open\(/.test(text));
    if (from < 0 || has(found, /\.close\(\)/)) return undefined;
    const handle = /const (\w+) =/.exec(found.lines[from] ?? "")?.[1] ?? "handle";
    const to = found.lines.length - 2;
    const body = found.lines.slice(from + 1, to + 1).map((text) => `  ${text}`);
    return {
      from,
      to,
      values: { handle },
      instead: [found.lines[from] ?? "", "  try {", ...body, "  } finally {", `    await ${handle}.close();`, "  }"],
    };
  },
  "short-timeout": line(/timeout = (\d{1,3})\)/, (groups) => ({ number: group(groups, 1), better: `${group(groups, 1)}_000` })),
  "sort-in-place": line(
    /return (\w+)\.sort\(/,
    (groups) => ({ list: group(groups, 1) }),
    (text, groups) => text.replace(`return ${group(groups, 1)}.sort(`, `return [...${group(groups, 1)}].sort(`),
  ),
  "raw-path": line(
    /return `.*\/\$\{(\w+)\}`;/,
    (groups) => ({ part: group(groups, 1) }),
    (text, groups) => text.replace(`/\${${group(groups, 1)}}\``, `/\${encodeURIComponent(${group(groups, 1)})}\``),
  ),
  "inverted-filter": (found) =>
    found.name.startsWith("active")
      ? line(
          /\.filter\(\((\w+)\) => (\1\.(\w+))\)/,
          (groups) => ({ expression: group(groups, 2), mark: group(groups, 3) }),
          (text, groups) => text.replace(`=> ${group(groups, 2)}`, `=> !${group(groups, 2)}`),
        )(found)
      : undefined,
  "shared-defaults": line(
    /Object\.assign\(([A-Z_]+), (\w+)\)/,
    (groups) => ({ constant: group(groups, 1), options: group(groups, 2) }),
    (text, groups) => text.replace(group(groups, 0), `{ ...${group(groups, 1)}, ...${group(groups, 2)} }`),
  ),
  "missing-guard": (found) => (guarded(found) ? undefined : access(found)),
  "empty-average": (found) => (guarded(found) ? undefined : share(found)),
  "swallowed-error": (found) => {
    const from = found.lines.findIndex((text) => /^ {2}\} catch \{$/.test(text));
    if (from < 0 || !/^ {4}return undefined;$/.test(found.lines[from + 1] ?? "")) return undefined;
    return {
      from,
      to: from + 1,
      values: {},
      instead: ["  } catch (error) {", `    throw new Error("${found.name} got a text that is no JSON.", { cause: error });`],
    };
  },
  // The naive ones: the guard is there, two lines up.
  "guarded-access": (found) => {
    const seen = guarded(found) ? access(found) : undefined;
    return seen === undefined ? undefined : { from: seen.from, to: seen.to, ...(seen.values === undefined ? {} : { values: seen.values }) };
  },
  "guarded-share": (found) => (guarded(found) && !has(found, /\.reduce\(/) ? share(found) : undefined),
  "short-name": line(/const (\w\d) = /, (groups) => ({ variable: group(groups, 1) })),
  "fixed-number": line(/\? (\d+) : 0;/, (groups) => ({ number: group(groups, 1) })),
};

/** All that can be said about one file, in the order of its lines. */
export const inspect = (path: string, text: string): readonly Issue[] =>
  functionsOf(text).flatMap((found) =>
    (Object.keys(LOOKS) as IssueKind[]).flatMap((kind): Issue[] => {
      const seen = LOOKS[kind](found);
      if (seen === undefined) return [];
      return [
        {
          kind,
          key: `${kind}:${path}:${found.name}`,
          path,
          function: found.name,
          startLine: found.start + seen.from,
          line: found.start + seen.to,
          values: { ...seen.values, function: found.name, path, line: String(found.start + seen.to) },
          ...(seen.instead === undefined ? {} : { instead: seen.instead }),
        },
      ];
    }),
  );
