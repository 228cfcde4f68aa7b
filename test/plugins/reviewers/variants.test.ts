import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBody, readBody } from "../../../core/index.js";
import type { BodyInput, BodyOutput } from "../../../core/index.js";
import * as reviewers from "../../../plugins/reviewers/index.js";
import { notReviewers } from "../../../plugins/reviewers/not-reviewers.js";

interface Case extends BodyInput {
  readonly id: string;
}
const cases = readFileSync(new URL("../../fixtures/reviewer-bodies.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);
const local = reviewers.workflowReviewer({ login: "agent-user", marker: "^verdict: " });
const facts = [...Object.values(reviewers).map((factory) => factory()), local].flatMap((plugin) => plugin.reviewer ?? []);
const read = (input: BodyInput): BodyOutput => readBody(facts, input, notReviewers);
const each = cases.map((one) => [one.id, one] as const);

const isClean = ({ signal, findings }: BodyOutput): boolean =>
  signal.state === "reviewed" && findings.length === 0 && (signal.counts.posted ?? 0) === 0 && signal.verdict !== "needs-attention";

/** What a changed body must never say that the whole one did not. */
const better = (changed: BodyOutput, whole: BodyOutput): readonly string[] => [
  ...(changed.signal.state === "reviewed" && whole.signal.state !== "reviewed" ? [`reviewed, was ${whole.signal.state}`] : []),
  ...(changed.signal.score !== null && (whole.signal.score === null || changed.signal.score > whole.signal.score)
    ? [`score ${changed.signal.score}, was ${whole.signal.score}`]
    : []),
  ...(changed.signal.verdict === "approve" && whole.signal.verdict !== "approve" ? [`approve, was ${whole.signal.verdict}`] : []),
  ...(isClean(changed) && !isClean(whole) ? ["clean"] : []),
];

describe("CRLF reads the same", () => {
  test.each(each)("%s", (_id, one) =>
    expect(read({ ...one, body: one.body.replace(/\r?\n/g, "\r\n") })).toEqual(read({ ...one, body: one.body.replace(/\r\n/g, "\n") })),
  );
});

/** The folded sections of the top level in another order, each block where another one stood. */
const reordered = (body: string): string | undefined => {
  const { sections, cut } = parseBody(body);
  const apart = sections.every((section, index) => section.end < (sections[index + 1]?.start ?? Number.POSITIVE_INFINITY));
  if (cut || sections.length < 2 || !apart) return undefined;
  const lines = body.split("\n");
  const blocks = sections.map((section) => lines.slice(section.start, section.end + 1).join("\n"));
  const moved = [...blocks.slice(1), blocks[0] ?? ""];
  return sections
    .map((section, index) => [...lines.slice((sections[index - 1]?.end ?? -1) + 1, section.start), moved[index]].join("\n"))
    .concat(lines.slice((sections.at(-1)?.end ?? 0) + 1).join("\n"))
    .join("\n");
};
const sorted = (out: BodyOutput): BodyOutput => ({
  ...out,
  findings: out.findings.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
});

describe("sections in another order are the same set", () => {
  const movable = each.flatMap(([id, one]) => {
    const body = reordered(one.body);
    return body === undefined ? [] : [[id, one, body] as const];
  });
  test("there are some", () => expect(movable.length).toBeGreaterThan(10));
  test.each(movable)("%s", (_id, one, body) => {
    expect(body).not.toBe(one.body);
    expect(sorted(read({ ...one, body }))).toEqual(sorted(read(one)));
  });
});

describe("quoted by a person it is nothing", () => {
  test.each(each)("%s", (_id, one) => {
    const quoted = one.body
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n");
    for (const body of [quoted, `${quoted}\n\nWhat do you think?`, `Look:\n\n\`\`\`\`\`\`\`\n${one.body}\n\`\`\`\`\`\`\``]) {
      const out = read({ ...one, login_rest: "somebody", author_type: "User", body });
      expect(out).toMatchObject({ reviewer: null, findings: [], notAReview: true, signal: { state: "absent", score: null } });
    }
  });
});

describe("a deleted account and a namesake are nobody's reviewer", () => {
  test.each(each.filter(([, one]) => one.author_type === "Bot"))("%s", (_id, one) => {
    expect(read({ ...one, login_rest: null, author_type: null })).toMatchObject({ reviewer: null, findings: [] });
    expect(read({ ...one, login_rest: `${one.login_rest?.replace("[bot]", "")}-helper`, author_type: "User" }).signal.score).toBeNull();
  });
});

describe("cut off anywhere it is never better", () => {
  test.each(each)("%s", (_id, one) => {
    const whole = read(one);
    const step = Math.max(1, Math.floor(one.body.length / 300));
    const wrong: string[] = [];
    for (let end = 0; end < one.body.length; end += step) {
      for (const problem of better(read({ ...one, body: one.body.slice(0, end) }), whole))
        wrong.push(`${end}: ${problem}: …${JSON.stringify(one.body.slice(Math.max(0, end - 60), end))}`);
    }
    expect(wrong).toEqual([]);
  });
});

const escapeHtml = (body: string): string => body.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const nestings: readonly (readonly [string, (body: string) => string])[] = [
  ["in a fence", (body) => `Example:\n\n\`\`\`\`\`\`\`\n${body}\n\`\`\`\`\`\`\``],
  [
    "in a quote",
    (body) =>
      body
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n"),
  ],
  ["in a section", (body) => `<details>\n<summary>Earlier</summary>\n\n${body}\n\n</details>`],
  ["in a comment", (body) => `<!--\n${body.replaceAll("-->", "- ->")}\n-->`],
  ["escaped", escapeHtml],
  ["half escaped", (body) => body.slice(0, body.length / 2) + escapeHtml(body.slice(body.length / 2))],
];
describe.each(nestings)("%s it is never better", (_name, nest) => {
  test.each(each)("%s", (_id, one) => expect(better(read({ ...one, body: nest(one.body) }), read(one))).toEqual([]));
});

test("any text from any known account is read without a throw, and scores stay in range", () => {
  const pieces = cases.flatMap((one) => one.body.slice(0, 4000).split("\n")).filter((line) => line.trim() !== "");
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string(), fc.constantFrom("```", "<details>", "</details>", "<!--", "-->", "> ", "")), {
      maxLength: 30,
    })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, fc.constantFrom(...cases), (body, one) => {
      const out = read({ ...one, body });
      if (out.signal.score !== null) expect(out.signal.score >= 0 && out.signal.score <= 5).toBe(true);
      for (const finding of out.findings) expect(finding.title).not.toBe("");
    }),
    { numRuns: 500 },
  );
});

test("hostile bodies of full size are read: a quadratic reader would not come back", () => {
  const hostile = [
    "`",
    "``` ",
    "<details>",
    "<!-- --> ",
    "<",
    "[",
    "**",
    "> ",
    "|",
    "\n",
    ".",
    "1. a\n",
    "<img ",
    "in `",
    "Confidence Score: ",
    "](#discussion_r1) ",
  ];
  for (const piece of hostile) {
    for (const prefix of ["", "<!-- greptile_summary -->\n", "<!-- ccr-overview-v2 -->\n- ", "### Code review\n\n"]) {
      const body = (prefix + piece.repeat(60_000 / piece.length)).slice(0, 60_000);
      for (const login of ["greptile-apps[bot]", "Copilot", "coderabbitai[bot]", "github-actions[bot]"]) {
        expect(read({ source: "review", login_rest: login, author_type: "Bot", body }).signal.score).toBeNull();
      }
    }
  }
}, 60_000);
