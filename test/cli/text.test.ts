/** What people read: the words, the alignment, a narrow terminal, colours only where they are wanted. */
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { whyNotReadyDocument, whyStoppedDocument } from "../../cli/documents.js";
import { entryText } from "../../cli/commands/journal.js";
import { statusLines, whyNotReadyLines, whyStoppedLines } from "../../cli/print/standing.js";
import { coloursFor, widthOf } from "../../cli/print/text.js";
import { check, HEAD } from "../unit/building.js";
import { blocker, look } from "./looks.js";

const plain = picocolors.createColors(false);
const WIDE = Number.POSITIVE_INFINITY;
const url = "https://github.test/acme/widgets/pull/7#discussion_r2001";
const held = look({
  pullRequest: { draft: true },
  inbox: {
    parties: [
      { reviewer: "copilot", required: true, awaited: true, seen: true },
      { reviewer: "devin", required: false, awaited: false, seen: true },
      { reviewer: "greptile", required: false, awaited: false, seen: false },
    ],
    signals: [{ reviewer: "copilot", state: "reviewed", head: HEAD }],
    notes: [],
  },
  blockers: [
    blocker("undecided", "person", {
      thread: "A",
      url,
      detail: "The list is sorted twice, by the caller and by the callee (src/a.ts:2): nobody judged it: no agent is configured",
    }),
    blocker("review-missing", "reviewer", { lift: { who: "reviewer", name: "devin" }, detail: "devin has not reviewed this pull request" }),
  ],
  stopping: { rule: "round-cap", detail: "6 of 6 rounds are over", leftovers: [] },
});

test("status: state, next action, the reviewers' line, what holds it and who lifts it", () => {
  expect(statusLines(held, plain, WIDE)).toEqual([
    "#7 Retry budget (draft)",
    "ADDRESSING  1 thread to address",
    "next:  reviewloop threads 7",
    "stopping rule: 6 of 6 rounds are over",
    "copilot=reviewed  devin=absent",
    `head ${HEAD.slice(0, 10)}, 0 threads, 0 open`,
    "",
    "Blockers (2)",
    "  a person",
    `    - The list is sorted twice, by the caller and by the callee (src/a.ts:2): nobody judged it: no agent is configured [undecided] ${url}`,
    "  devin",
    "    - devin has not reviewed this pull request [review-missing]",
  ]);
});

test("on a narrow terminal no line is longer than it, but what is to be copied: a link, a command", () => {
  const lines = statusLines(held, plain, 60);
  expect(lines).toContain(`      ${url}`);
  expect(lines.filter((line) => line.length > 60 && !line.includes("https://") && !line.startsWith("next:"))).toEqual([]);
  expect(lines.find((line) => line.includes("sorted twice"))).toMatch(/^ {4}- The list is sorted twice, by the .*… \[undecided\]$/);
});

describe("why", () => {
  test("not-ready: the nearest, its evidence, who lifts it and how, when it was read, how many more", () => {
    const lines = whyNotReadyLines(whyNotReadyDocument(held), plain, 60);
    expect(lines).toEqual([
      "ADDRESSING  1 thread to address",
      "nearest:   The list is sorted twice, by the caller and by the callee (src/a.ts:2): nobody judged it: no agent is configured [undecided]",
      `evidence:  ${url}`,
      "lifted by: a person: reviewloop threads 7",
      `read:      2026-11-03 09:30:00 UTC, head ${HEAD.slice(0, 10)}`,
      "",
      "And 1 more",
      "  - devin has not reviewed this pull request",
    ]);
  });

  test("not-ready, of many: some are named, and where the rest is", () => {
    const blockers = Array.from({ length: 9 }, (_, index) =>
      blocker("undecided", "person", { thread: `T${index}`, detail: `Point ${index}` }),
    );
    const lines = whyNotReadyLines(whyNotReadyDocument(look({ blockers })), plain, 60);
    expect(lines.slice(-7)).toEqual([
      "And 8 more",
      ...[1, 2, 3, 4, 5].map((index) => `  - Point ${index}`),
      "  3 further ones: reviewloop status",
    ]);
  });

  test("not-ready, and it is: what comes next", () => {
    expect(whyNotReadyLines(whyNotReadyDocument(look({})), plain, WIDE)).toEqual([
      "READY  draft-to-ready is met and the merge conditions hold",
      "lifted by: stop: a person reads it and merges",
      `read:      2026-11-03 09:30:00 UTC, head ${HEAD.slice(0, 10)}`,
    ]);
  });

  test("stopped", () => {
    const stopped = {
      ...look({ inbox: { checks: [check("unit", "failure")] } }),
      stopped: { stop: "ci-red", detail: "unit is red", at: 0 } as const,
    };
    expect(whyStoppedLines(whyStoppedDocument(stopped), plain)).toEqual([
      "ci-red  unit is red",
      "stopped:   1970-01-01 00:00:00 UTC",
      'now:       BLOCKED: "unit" ended as failure',
      "next:      fix the check and push",
      "read:      2026-11-03 09:30:00 UTC",
    ]);
  });
});

test("control characters of others never reach the terminal, in no line", () => {
  const escape = String.fromCodePoint(27);
  const given = look({
    pullRequest: { title: `Fine${escape}[2J` },
    blockers: [blocker("undecided", "person", { thread: "A", detail: `x${escape}]0;title\u0007` })],
  });
  const printed = [...statusLines(given, plain, WIDE), ...whyNotReadyLines(whyNotReadyDocument(given), plain, WIDE)].join("\n");
  expect(printed).not.toContain(escape);
  expect(printed).toContain("Fine[2J");
});

test("colours on a terminal, none with NO_COLOR or elsewhere, but where they are forced", () => {
  const on = (isTTY: boolean, environment: Readonly<Record<string, string>>): boolean =>
    coloursFor({ write: () => undefined, isTTY }, environment).isColorSupported;
  expect([on(true, {}), on(true, { NO_COLOR: "1" }), on(true, { TERM: "dumb" }), on(false, {}), on(false, { FORCE_COLOR: "1" })]).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
});

test("the width is the terminal's; where none is, nothing is cut for it", () => {
  const output = (isTTY: boolean, columns: number) => ({ write: () => undefined, isTTY, columns });
  expect([widthOf(output(true, 60)), widthOf(output(true, 10)), widthOf(output(true, 0)), widthOf(output(false, 60))]).toEqual([
    60,
    40,
    WIDE,
    WIDE,
  ]);
});

test("journal: an entry of a newer version is shown as it stands", () => {
  const entry = { at: 1, type: "from-the-future", x: [1] } as unknown as Parameters<typeof entryText>[0];
  expect(entryText(entry)).toBe('not known to this version: {"at":1,"type":"from-the-future","x":[1]}');
});
