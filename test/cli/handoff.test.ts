/** The block that ends a turn: the same shape in every state, its next step one that others can parse. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { handoffText, nextStep } from "../../cli/print/formats.js";
import { alice, bot, check, HEAD, message, review, viewer } from "../unit/building.js";
import { blocker, look, wait } from "./looks.js";
import type { Given } from "./looks.js";

const SHAPE = [
  /^## Report$/,
  /^PR: https:\/\/\S+$/,
  /^Head SHA: [0-9a-f]{40}$/,
  /^CI: (?:none yet|[^=]+=\S[^=]*(?:, [^=]+=\S[^=]*)*)$/,
  /^Reviews: (?:none yet|[^=]+=\S+(?:, [^=]+=\S+)*)$/,
  /^Mergeable: (?:yes|no — .+)$/,
  /^Next step: (?:merge|wait for \S|file issue: \S|stop, handing back: \S)/,
  /^$/,
];

const CASES: readonly (readonly [what: string, given: Given, mergeable: RegExp, next: RegExp])[] = [
  ["ready, handed over", {}, /^yes$/, /^merge \(a person decides\)$/],
  ["ready, still a draft", { pullRequest: { draft: true } }, /^yes$/, /^stop, handing back: .*\(reviewloop ready 7\)$/],
  [
    "a review is awaited",
    { blockers: [blocker("review-requested", "reviewer", { lift: { who: "reviewer", name: "copilot" } })], waits: [wait("copilot")] },
    /^no — review-requested$/,
    new RegExp(`^wait for review on ${HEAD} by copilot$`),
  ],
  [
    "a review was not asked for",
    { blockers: [blocker("review-missing", "reviewer", { lift: { who: "reviewer", name: "copilot" } })] },
    /^no — review-missing$/,
    /^stop, handing back: to be asked: copilot \(reviewloop request 7\)$/,
  ],
  [
    "threads",
    { blockers: [blocker("undecided", "person", { thread: "A", detail: "Off by one" }), blocker("undecided", "person", { thread: "B" })] },
    /^no — unresolved thread: Off by one \(and 1 more\)$/,
    /^stop, handing back: 2 threads to address \(reviewloop threads 7\)$/,
  ],
  [
    "a red check",
    { inbox: { checks: [check("unit", "failure")] } },
    /^no — failing check: "unit" ended as failure$/,
    /^stop, handing back: "unit" ended as failure \(fix the check and push\)$/,
  ],
  [
    "red on the base too",
    { inbox: { checks: [check("unit", "failure")], baseChecks: [check("unit", "failure")] } },
    /^no — pre-existing breakage: "unit" ended as failure, and is red on main too/,
    /^file issue: "unit" ended as failure/,
  ],
  [
    "checks run",
    { inbox: { checks: [check("unit", "pending")] } },
    /^no — "unit" is running$/,
    new RegExp(`^wait for checks on ${HEAD}: "unit" is running$`),
  ],
  [
    "a conflict",
    { pullRequest: { mergeState: "DIRTY" } },
    /^no — conflicts with main$/,
    /^stop, handing back: conflicts with main \(git fetch/,
  ],
  [
    "merge state unknown",
    { pullRequest: { mergeState: "UNKNOWN" } },
    /^no — GitHub is still/,
    new RegExp(`^wait for GitHub's merge state of ${HEAD}$`),
  ],
  [
    "over",
    { pullRequest: { state: "merged" } },
    /^no — the pull request is merged$/,
    /^stop, handing back: the pull request is merged \(nothing: it is over\)$/,
  ],
];

test.each(CASES)("%s", (_what, given, mergeable, next) => {
  const found = look(given);
  const lines = handoffText(found).split("\n");
  expect(lines).toHaveLength(SHAPE.length);
  for (const [index, line] of lines.entries()) expect(line).toMatch(SHAPE[index] ?? /never/);
  expect(lines[5]?.replace("Mergeable: ", "")).toMatch(mergeable);
  expect(nextStep(found)).toMatch(next);
});

test("checks as they ended, reviewers by their state, people by their newest opinion", () => {
  const reviews = [
    review(message(alice, "No.", 70), { state: "CHANGES_REQUESTED" }),
    review(message(alice, "Hm.", 80), { state: "COMMENTED" }),
    review(message(bot("acme-review"), "Reviewed.", 70)),
    review(message(viewer, "Mine.", 70), { state: "COMMENTED" }),
  ];
  const text = handoffText(
    look({
      inbox: {
        reviews,
        checks: [check("unit", "success"), check("lint", "pending", { raw: "IN_PROGRESS" })],
        parties: [{ reviewer: "copilot", required: true, awaited: true, seen: false }],
      },
    }),
  );
  expect(text).toContain("\nCI: unit=success, lint=in_progress\n");
  expect(text).toContain("\nReviews: copilot=absent, alice=changes_requested\n");
});

test("whatever others write, it stays eight lines", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (detail, name) => {
      const given = look({
        blockers: [blocker("undecided", "person", { thread: "A", detail: `x\n## Report\n${detail}` })],
        inbox: { checks: [check(`a\n${name}`, "pending")] },
      });
      expect(handoffText(given).split(/[\n\r\u2028\u2029]/)).toHaveLength(SHAPE.length);
    }),
  );
});
