/** The files of a new reviewer: plugin, bodies of its bot, tests. They hold together as written; the bot's real words replace ours. */

export interface SkeletonInput {
  /** Kebab-case. */
  readonly name: string;
  /** Normalised: no `[bot]`, lower case. */
  readonly login: string;
  readonly language: "ts" | "js";
  /** Is the package itself an ES module? Then `.ts` is one too. */
  readonly module: boolean;
  readonly runner: "vitest" | "node";
}

export interface SkeletonFile {
  /** From the folder of the skeleton. */
  readonly path: string;
  readonly text: string;
}

const camelCase = (name: string): string => name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const titleCase = (name: string): string =>
  name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");

const importing = (what: string, from: string): string => `import ${what} from ${JSON.stringify(from)};`;

const plugin = ({ name, login, language }: SkeletonInput): string => {
  const typed = (text: string): string => (language === "ts" ? text : "");
  const title = titleCase(name);
  return `/**
 * ${title}: one comment that it edits in place. It names the commit, lists what it found, and ends with a marker.
 * The words below are an example: put what the bot really posts into fixtures.jsonl, and make the tests pass again.
 */
import { defineReviewer, ownComments, ownLines, parseBody, plain } from "reviewloop";
${typed('import type { BodyReading, Finding, Post, Severity } from "reviewloop";\n')}
const SEVERITY${typed(": Readonly<Record<string, Severity>>")} = { high: "high", medium: "medium", low: "low" };
const WORKING = /^${title} is reviewing \`([0-9a-f]{7,40})\`/;
const REVIEWED = /^Reviewed commit: \`([0-9a-f]{7,40})\`$/;
const ITEM = /^- \\[(\\w{1,12})\\] \`([^\`]{1,400}):(\\d{1,7})\` \\*\\*([^*]{1,400})\\*\\*(.*)$/;

/** One line of the list, as a finding. What has a thread of its own does not belong here. */
const findingOf = (line${typed(": string")})${typed(": readonly Finding[]")} => {
  const [, raw = "", path = "", number = "", title = "", text = ""] = ITEM.exec(line) ?? [];
  if (title === "") return [];
  return [
    { title: plain(title), body: text.trim(), severity: SEVERITY[raw.toLowerCase()] ?? "unknown", severityRaw: raw, path, line: Number(number) },
  ];
};

/** Pure: what one text of the bot says. Texts of other accounts never come here; quotes and code are left out by \`ownLines\`. */
const read = (post${typed(": Post")})${typed(": BodyReading")} => {
  const body = parseBody(post.body);
  const lines = ownLines(body).map((line) => line.text.trim());
  if (post.source === "review_comment") {
    const title = lines.find((line) => line !== "");
    return title === undefined ? { findings: [] } : { findings: [{ title: plain(title), body: lines.join("\\n"), severity: "unknown" }] };
  }
  const working = WORKING.exec(lines.find((line) => line !== "") ?? "")?.[1];
  if (working !== undefined) return { signal: { state: "running", reviewedCommit: working }, findings: [] };
  const markers = new Set(ownComments(body).map((comment) => comment.content.trim()));
  // Thanks, answers, help: the bot's words, and no review.
  if (!markers.has("${name}-review")) return { notAReview: true, findings: [] };
  const reviewedCommit = lines.map((line) => REVIEWED.exec(line)?.[1]).find((sha) => sha !== undefined);
  // A text without its end may have lost what it found: it is no result.
  if (reviewedCommit === undefined || !markers.has("/${name}-review"))
    return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
  const findings = lines.flatMap(findingOf);
  return {
    signal: {
      state: "reviewed",
      verdict: findings.length === 0 ? "approve" : "needs-attention",
      counts: { hidden: findings.length },
      reviewedCommit,
    },
    findings,
    // The whole truth about its commit: what an older text listed and this one does not is gone.
    covers: "full",
  };
};

export const ${camelCase(name)} = defineReviewer({
  name: "${name}",
  owns: { logins: ["${login}"], bot: true },
  request: { by: "comment", text: "@${login} review", collapse: true },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
});

export default ${camelCase(name)};
`;
};

/** A commit of the fixtures; the tests put the real one in its place. */
const HEAD = "0123456789abcdef0123456789abcdef01234567";

const fixtures = ({ name, login }: SkeletonInput): string => {
  const title = titleCase(name);
  const bot = { source: "issue_comment", login_rest: `${login}[bot]`, author_type: "Bot" };
  const review = (...items: readonly string[]): string =>
    [
      `<!-- ${name}-review -->`,
      `## ${title}`,
      "",
      `Reviewed commit: \`${HEAD}\``,
      "",
      ...(items.length === 0 ? ["Nothing to say."] : items),
      "",
      `<!-- /${name}-review -->`,
    ].join("\n");
  const clean = review();
  const rows = [
    { id: "clean", ...bot, body: clean, reads: { state: "reviewed", verdict: "approve", reviewedCommit: HEAD, findings: [] } },
    {
      id: "findings",
      ...bot,
      body: review(
        "- [high] `src/main.ts:12` **Off by one** The loop runs once too often.",
        "- [low] `src/main.ts:30` **Unused name** Nothing reads it.",
      ),
      reads: { state: "reviewed", verdict: "needs-attention", findings: ["Off by one", "Unused name"] },
    },
    { id: "running", ...bot, body: `${title} is reviewing \`${HEAD}\` ...`, reads: { state: "running", findings: [] } },
    { id: "thanks", ...bot, body: "You are welcome!", reads: { state: "absent", notAReview: true, findings: [] } },
    { id: "cut", ...bot, body: clean.slice(0, -30), reads: { state: "unknown", findings: [] } },
    {
      id: "quoted-by-a-person",
      ...bot,
      login_rest: "somebody",
      author_type: "User",
      body: clean,
      reads: { state: "absent", notAReview: true, findings: [] },
    },
  ];
  return `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
};

const tests = ({ name, runner, language, module }: SkeletonInput): string => {
  const own = camelCase(name);
  const from = language === "js" || !module ? `./${name}.mjs` : `./${name}.js`;
  const typed = (text: string): string => (language === "ts" ? text : "");
  return `/** What ${name} reads from real bodies, and what every reviewer promises. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
${importing("{ test }", runner === "vitest" ? "vitest" : "node:test")}
import { readBody } from "reviewloop";
import { pluginContract, reviewerContract } from "reviewloop/testing";
${typed('import type { BodyInput, ReviewerFacts } from "reviewloop";\n')}${importing(`{ ${own} }`, from)}
${typed(`
interface Fixture extends BodyInput {
  readonly id: string;
  readonly reads: {
    readonly state: string;
    readonly verdict?: string;
    readonly reviewedCommit?: string;
    readonly notAReview?: boolean;
    /** Titles, in order. */
    readonly findings: readonly string[];
  };
}
`)}
/** The commit that the fixtures name. */
const HEAD = "${HEAD}";

const fixtures${typed(": readonly Fixture[]")} = readFileSync(new URL("./fixtures.jsonl", import.meta.url), "utf8")
  .split("\\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line)${typed(" as Fixture")});
const facts = [${own}().reviewer]${typed(" as readonly ReviewerFacts[]")};

for (const { id, reads, ...input } of fixtures) {
  test(\`reads \${id}\`, () => {
    const found = readBody(facts, input);
    assert.equal(found.signal.state, reads.state);
    if (reads.verdict !== undefined) assert.equal(found.signal.verdict, reads.verdict);
    if (reads.reviewedCommit !== undefined) assert.equal(found.signal.reviewedCommit, reads.reviewedCommit);
    assert.equal(found.notAReview, reads.notAReview ?? false);
    assert.deepEqual(found.findings.map((finding) => finding.title), reads.findings);
  });
}

/** A body of the fixtures, about another commit. */
const about = (id${typed(": string")}) => (head${typed(": string")})${typed(": string")} =>
  fixtures.find((fixture) => fixture.id === id)?.body.replaceAll(HEAD, head) ?? "";

const cases = [
  ...pluginContract(${own}),
  ...reviewerContract(${own}, { reviewed: about("clean"), running: about("running"), findings: about("findings") }),
];
for (const { name, run } of cases) test(name, run);
`;
};

/** All files of a new reviewer. Pure. */
export const reviewerSkeleton = (input: SkeletonInput): readonly SkeletonFile[] => {
  const extension = input.language === "js" ? "mjs" : input.module ? "ts" : "mts";
  return [
    { path: `${input.name}.${extension}`, text: plugin(input) },
    { path: "fixtures.jsonl", text: fixtures(input) },
    { path: `${input.name}.test.${extension}`, text: tests(input) },
  ];
};
