/** What is left, by who can lift it: the blockers of a state, the remainder of a report. */
import type { RemainingItem } from "../../index.js";
import { oneLine, safe } from "./text.js";
import type { Colours } from "./text.js";

export type LeftItem = Pick<RemainingItem, "why" | "code" | "who" | "name" | "url">;

const WHO: Readonly<Record<RemainingItem["who"], string>> = {
  loop: "the next run",
  agent: "an agent or a person",
  reviewer: "a reviewer",
  ci: "the checks",
  person: "a person",
  environment: "whoever runs this",
};

/** Who lifts it, in words. */
export const whoLifts = ({ who, name }: Pick<LeftItem, "who" | "name">): string => name ?? WHO[who];

const LONGEST = 160;

const itemLines = ({ why, code, url }: LeftItem, colours: Colours, width: number): readonly string[] => {
  const before = "    - ";
  const after = ` [${code}]`;
  const text = oneLine(safe(why), Math.min(LONGEST, width - before.length - after.length));
  const line = `${before}${text}${colours.dim(after)}`;
  if (url === undefined || url === "") return [line];
  // A link is never cut; where it does not fit it has a line of its own.
  const fits = before.length + text.length + after.length + 1 + url.length <= width;
  return fits ? [`${line} ${colours.dim(url)}`] : [line, `      ${colours.dim(url)}`];
};

/** A heading with their number, then one group for each who can lift them. */
export const leftLines = (heading: string, items: readonly LeftItem[], colours: Colours, width: number): readonly string[] => {
  if (items.length === 0) return [];
  const groups = new Map<string, LeftItem[]>();
  for (const item of items) {
    const who = whoLifts(item);
    groups.set(who, [...(groups.get(who) ?? []), item]);
  }
  return [
    "",
    colours.bold(`${heading} (${items.length})`),
    ...[...groups].flatMap(([who, group]) => [`  ${colours.cyan(who)}`, ...group.flatMap((item) => itemLines(item, colours, width))]),
  ];
};
