/** `docs/ways-of-working.md` against the tree: every room and every test that it names exists. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "docs", "ways-of-working.md"), "utf8");

interface Rule {
  readonly rule: string;
  readonly rooms: readonly string[];
  readonly test: string;
  readonly title: string;
  /** Where the table has such a column: the transcripts that show it, or `no` for what can't be shown. */
  readonly shown?: string;
}

const HEADER = /^\| rule +\| where +\| test +\|(?: shown in +\|)?$/;

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, -1)
    .split(" | ")
    .map((cell) => cell.trim());

/** Rows of the tables of rules: rule, rooms, test. Other tables of the page are something else. */
const rules: readonly Rule[] = page.split("\n").flatMap((line, index, lines): readonly Rule[] => {
  if (!line.startsWith("| ") || HEADER.test(line) || line.startsWith("| ---")) return [];
  const header = lines.slice(0, index + 1).findLast((each, at, above) => each.startsWith("|") && !(above[at - 1] ?? "").startsWith("|"));
  if (header === undefined || !HEADER.test(header)) return [];
  const [rule = "", where = "", test_ = "", shown] = cellsOf(line);
  const found = /^`([^`]+)` › (.+)$/.exec(test_);
  return [
    {
      rule,
      rooms: [...where.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? ""),
      test: found?.[1] ?? "",
      title: found?.[2] ?? "",
      ...(shown === undefined ? {} : { shown }),
    },
  ];
});

describe("docs/ways-of-working.md", () => {
  test("names a room and a test for each rule", () => {
    expect(rules.length).toBeGreaterThan(60);
    for (const { rule, rooms, test: file, title } of rules)
      expect([rooms.length > 0, file !== "", title !== ""], rule).toEqual([true, true, true]);
  });

  test.each(rules)("$rule", ({ rooms, test: file, title }) => {
    for (const room of rooms) expect(existsSync(join(root, room)), room).toBe(true);
    const text = readFileSync(join(root, file), "utf8");
    expect(text, `${file} has no test "${title}"`).toContain(title);
  });
});

describe("docs/transcripts", () => {
  const folder = join(root, "docs", "transcripts");
  const linked = (text: string): readonly string[] => [...text.matchAll(/\]\(transcripts\/([\w-]+)\.md\)/g)].map(([, name = ""]) => name);

  test("each rule that can be shown names the transcripts that show it, and they exist", () => {
    const shown = rules.filter((rule) => rule.shown !== undefined);
    expect(shown.length).toBeGreaterThan(70);
    for (const { rule, shown: cell = "" } of shown) {
      expect(cell === "no" || linked(cell).length > 0, rule).toBe(true);
      for (const name of linked(cell)) expect(existsSync(join(folder, `${name}.md`)), name).toBe(true);
    }
    expect(shown.filter(({ shown: cell }) => cell === "no").length).toBeLessThan(8);
  });

  test("none shows what the page does not speak of", () => {
    const there = readdirSync(folder).flatMap((file) => (file === "README.md" ? [] : [file.replace(/\.md$/, "")]));
    expect(there.filter((name) => !linked(page).includes(name))).toEqual([]);
  });
});

test("no write merges, approves, dismisses or deletes", () => {
  const model = readFileSync(join(root, "core", "model.ts"), "utf8");
  const kinds = [...model.matchAll(/WriteBase<"([\w-]+)">/g)].map(([, kind = ""]) => kind);
  expect(new Set(kinds)).toEqual(
    new Set([
      "cancel-request",
      "command",
      "comment",
      "edit-comment",
      "edit-description",
      "mark-draft",
      "mark-ready",
      "minimise",
      "open-issue",
      "open-pull-request",
      "push",
      "reply",
      "request",
      "resolve",
      "review",
    ]),
  );
});
