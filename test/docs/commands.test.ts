/** Command lines in the pages, the README and the skill: each names a command that there is, with flags that it has. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../cli/help.js";

const root = join(import.meta.dirname, "..", "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "skills/reviewloop/SKILL.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
].filter((page) => page.endsWith(".md"));

/** In code, or at the start of a line of a code block; up to what ends a command. */
const LINE = /(?:`|^ *(?:\$ )?)reviewloop ([a-z][^`\n|;&#]*)/gm;

const linesOf = (page: string): readonly (readonly [page: string, line: string])[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(LINE)].map(([, line = ""]) => [page, line.trim()]);

test("every command line of the pages and of the skill is one", async () => {
  const helps = await commands();
  const lines = pages.flatMap(linesOf);
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.filter(([page]) => page.startsWith("skills")).length).toBeGreaterThan(10);
  const wrong = lines.flatMap(([page, line]) => {
    const [first = "", second = ""] = line.split(/\s+/);
    const help = helps.get(`${first} ${second}`) ?? helps.get(first);
    if (help === undefined) return [`${page}: reviewloop ${line}: there is no such command`];
    const unquoted = line.replaceAll(/"[^"]*"|'[^']*'/g, "x");
    return [...unquoted.matchAll(/(?<=\s)--[a-z-]+/g)]
      .filter(([flag]) => !new RegExp(`${flag}(?![a-z-])`).test(help))
      .map(([flag]) => `${page}: reviewloop ${line}: there is no ${flag}`);
  });
  expect(wrong).toEqual([]);
});
