/** Texts of scripted reviewers: all of them stand in `bodies.json`, as templates with `{{names}}`. */
import { readFileSync } from "node:fs";
import type bodiesJson from "./bodies.json";
import type { Issue, IssueKind } from "./inspect.js";

export type Bodies = typeof bodiesJson;
export type Severity = "critical" | "high" | "medium" | "low" | "suggestion";

/** Read at run time and not imported: an import of JSON prints a warning on some versions of node. */
export const BODIES = JSON.parse(readFileSync(new URL("./bodies.json", import.meta.url), "utf8")) as Bodies;

export type Values = Readonly<Record<string, string | number>>;

/** A template (a list is joined by line ends) with its names filled in. A name without a value is a mistake of the caller. */
export const fill = (template: string | readonly string[], values: Values = {}): string =>
  (typeof template === "string" ? template : template.join("\n")).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template has {{${name}}}, and no value is given for it.`);
    return String(value);
  });

/** A small stable number from a text, so that one issue is worded the same way every time. */
export const hashOf = (text: string): number => {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
};

export interface Wording {
  readonly title: string;
  readonly text: string;
  readonly severity: Severity;
  /** What a bot says once it is repaired. */
  readonly resolved: string;
}

export const wordingOf = (issue: Issue): Wording => {
  const prose = BODIES.prose[issue.kind satisfies IssueKind];
  const hash = hashOf(issue.key);
  const chosen = (all: readonly string[], by: number): string => fill(all[by % all.length] ?? "", issue.values);
  return {
    title: chosen(prose.titles, hash),
    text: chosen(prose.texts, hash >>> 3),
    severity: prose.severity as Severity,
    resolved: fill(prose.resolved, issue.values),
  };
};

/** `12`, or `12-15`. */
export const linesOf = (issue: Issue): string => (issue.startLine === issue.line ? `${issue.line}` : `${issue.startLine}-${issue.line}`);

/** A committable block, after a blank line; empty where the issue has no edit in place or the bot gives none for it. */
export const suggestionOf = (issue: Issue, given: readonly IssueKind[]): string => {
  if (issue.instead === undefined || !given.includes(issue.kind)) return "";
  const longest = Math.max(2, ...[...issue.instead.join("\n").matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}suggestion\n${issue.instead.join("\n")}\n${fence}`;
};

export const plural = (count: number): string => (count === 1 ? "" : "s");
