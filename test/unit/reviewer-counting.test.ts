import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Signal, Snapshot } from "../../core/model.js";
import type { Plugin } from "../../core/plugin.js";
import { bugbot, coderabbit, copilot, cubic, devin } from "../../plugins/reviewers/index.js";
import { ARRIVED, at, bot, check, HEAD, inline, message, NOW, OLD, readWith, review, run, snapshot } from "./building.js";

const after = (ARRIVED - at(0)) / 60_000 + 1;
const signalOf = async (plugin: Plugin, parts: Parameters<typeof snapshot>[0], now = NOW): Promise<Signal | undefined> =>
  (await readWith(plugin, snapshot(parts), { now })).signal;

/** A review with its inline comments, as GitHub ties them. */
const reviewed = (
  login: string,
  body: string,
  comments: number,
  options: { readonly head?: string; readonly title?: (index: number) => string } = {},
): Pick<Snapshot, "reviews" | "reviewThreads"> => {
  const of = review(message(bot(login), body, after), { commit: options.head ?? HEAD });
  const title = options.title ?? ((index: number) => `Point ${index} of many`);
  return {
    reviews: [of],
    reviewThreads: Array.from({ length: comments }, (_, index) =>
      inline([message(bot(login), `**${title(index)}**\n\nBecause.`, after)], { review: of.message.id }),
    ),
  };
};

const rabbit = (posted: number, nits: number, listed = nits): string =>
  [
    `**Actionable comments posted: ${posted}**`,
    ...(nits === 0
      ? []
      : [
          `<details>\n<summary>🧹 Nitpick comments (${nits})</summary><blockquote>`,
          `<details>\n<summary>src/b.ts (${nits})</summary><blockquote>\n`,
          ...Array.from(
            { length: listed },
            (_, index) => `\`${10 + index}-${12 + index}\`: **Rename thing ${index}.**\n\nA longer text.\n`,
          ),
          "</blockquote></details>\n</blockquote></details>",
        ]),
  ].join("\n\n");
const generated = (count: number | "no"): string =>
  `## Pull request overview\n\nCopilot reviewed 3 out of 3 changed files in this pull request and generated ${count} comments.\n\n---\n`;

describe("a review counts what came with it", () => {
  const table: [string, () => Plugin, Pick<Snapshot, "reviews" | "reviewThreads">, Signal["state"], string?][] = [
    ["all of it is here", () => copilot(), reviewed("copilot-pull-request-reviewer", generated(3), 3), "reviewed"],
    ["more is here than it counts", () => copilot(), reviewed("copilot-pull-request-reviewer", generated(2), 3), "reviewed"],
    [
      "one is missing",
      () => copilot(),
      reviewed("copilot-pull-request-reviewer", generated(4), 3),
      "unknown",
      "it says 4 and 3 can be read; another review settles it",
    ],
    [
      "all are missing",
      () => bugbot(),
      reviewed("cursor", "Cursor Bugbot has reviewed your changes and found 2 potential issues.", 0),
      "unknown",
    ],
    ["points of the text count too", () => coderabbit(), reviewed("coderabbitai", rabbit(2, 2), 2), "reviewed"],
    [
      "a point of the text does not stand for a comment",
      () => coderabbit(),
      reviewed("coderabbitai", rabbit(3, 2), 2),
      "unknown",
      "it says 5 and 4 can be read; another review settles it",
    ],
    [
      "a list shorter than its heading",
      () => coderabbit(),
      reviewed("coderabbitai", rabbit(1, 3, 2), 1),
      "unknown",
      "it says 4 and 3 can be read; another review settles it",
    ],
    [
      "what it says it hid is told, not missed",
      () => devin(),
      reviewed("devin-ai-integration", "**Devin Review** found 1 potential issue.\n\nView 4 additional flags in Devin Review.", 1),
      "reviewed",
    ],
  ];
  test.each(table)("%s", async (_name, plugin, parts, state, reason) => {
    const signal = await signalOf(plugin(), parts);
    expect(signal).toMatchObject({ state, ...(reason === undefined ? {} : { reason }) });
    // Neither a verdict nor a score of it stands.
    if (state === "unknown") expect([signal?.verdict, signal?.score]).toEqual([undefined, undefined]);
  });

  test("comments of another review do not stand in for it", async () => {
    const earlier = reviewed("copilot-pull-request-reviewer", generated(2), 2, { head: OLD, title: (index) => `Earlier ${index}` });
    const now = reviewed("copilot-pull-request-reviewer", generated(2), 1);
    const parts = { reviews: [...earlier.reviews, ...now.reviews], reviewThreads: [...earlier.reviewThreads, ...now.reviewThreads] };
    expect(await signalOf(copilot(), parts)).toMatchObject({
      state: "unknown",
      reason: "it says 2 and 1 can be read; another review settles it",
    });
  });

  test("a review anew of the same head settles what one before it left open", async () => {
    const short = reviewed("copilot-pull-request-reviewer", generated(3), 2);
    const anew = reviewed("copilot-pull-request-reviewer", generated("no"), 0);
    expect(await signalOf(copilot(), short)).toMatchObject({ state: "unknown" });
    const parts = { reviews: [...short.reviews, ...anew.reviews], reviewThreads: short.reviewThreads };
    expect(await signalOf(copilot(), parts)).toMatchObject({ state: "reviewed" });
  });

  test("a review of an older head holds nothing", async () => {
    const earlier = reviewed("copilot-pull-request-reviewer", generated(5), 2, { head: OLD });
    const now = reviewed("copilot-pull-request-reviewer", generated("no"), 0);
    const parts = { reviews: [...earlier.reviews, ...now.reviews], reviewThreads: earlier.reviewThreads };
    expect(await signalOf(copilot(), parts)).toMatchObject({ state: "reviewed" });
  });
});

test("comments may follow their review: first it is running, then a part is missing", async () => {
  const parts = reviewed("copilot-pull-request-reviewer", generated(2), 1);
  const until = at(after) + 3 * 60_000;
  expect(await signalOf(copilot(), parts, until - 1)).toMatchObject({ state: "running", lookAt: until });
  expect(await signalOf(copilot(), parts, until)).toMatchObject({ state: "unknown" });
});

test("a summary and a check count all that is there", async () => {
  const found = check("Cursor Bugbot", "neutral", { completedAt: at(after), summary: "Bugbot found 2 potential issues" });
  const parts = reviewed("cursor", "", 2);
  expect(await signalOf(bugbot(), { ...parts, checks: [found] })).toMatchObject({ state: "reviewed" });
  expect(await signalOf(bugbot(), { ...parts, reviewThreads: parts.reviewThreads.slice(1), checks: [found] })).toMatchObject({
    state: "unknown",
    reason: "it says 2 and 1 can be read; another review settles it",
  });
  expect(
    await signalOf(cubic(), { comments: [], reviews: [review(message(bot("cubic-dev-ai"), "3 issues found across 2 files", after))] }),
  ).toMatchObject({
    state: "unknown",
  });
});

test("the blocker names the reviewer and both numbers", async () => {
  const plugin = copilot({ required: true });
  const { inbox, ctx } = await readWith(plugin, snapshot(reviewed("copilot-pull-request-reviewer", generated(4), 3)), { run: run() });
  const checks = plugin.on.check;
  const blockers = typeof checks === "function" ? await checks([], inbox, ctx) : [];
  expect(blockers).toMatchObject([{ code: "review-unknown", by: "copilot" }]);
  expect(JSON.stringify(blockers)).toContain("it says 4 and 3 can be read; another review settles it");
});

test("never clean with a comment missing, never blocked with all of them here", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat(6), fc.nat(3), async (said, here, nits) => {
      const signal = await signalOf(coderabbit(), reviewed("coderabbitai", rabbit(said, nits), here));
      expect(signal?.state === "reviewed").toBe(here >= said);
    }),
    { numRuns: 60 },
  );
});
