import { describe, expect, test } from "vitest";
import type { Message, Thread } from "../../core/model.js";
import { markerOf } from "../../core/writing/marker.js";
import { claude, coderabbit, copilot, devin, greptile, prReviewer } from "../../plugins/reviewers/index.js";
import { alice, ARRIVED, at, bot, HEAD, inline, message, OLD, readWith, review, snapshot, stranger, viewer } from "./building.js";

const after = (ARRIVED - at(0)) / 60_000 + 5;
const app = bot("greptile-apps");
const badge = (raw: string, title: string): string => `<a href="#"><img alt="${raw}" src="x"></a> **${title}**\n\nBecause it does.`;

interface Item {
  readonly title: string;
  readonly path?: string;
  readonly line?: number;
}
const body = (items: readonly Item[], commit = HEAD, score = 3): string =>
  [
    `<h3>Greptile Summary</h3>\n\n<h3>Confidence Score: ${score}/5</h3>`,
    `<details><summary>Prompt To Fix All With AI</summary>\n\n\`\`\`\`\`markdown`,
    ...items.map(
      ({ title, path = "src/a.ts", line = 10 }, index) =>
        `### Issue ${index + 1} of ${items.length}\n${path}:${line}\n**${title}**\n\nThe text of ${title}.\n`,
    ),
    `\`\`\`\`\`\n\n</details>\n\n<sub>Last reviewed commit: ${commit}</sub>`,
  ].join("\n");
const summary = (items: readonly Item[], minutes: number, more: Partial<Message> = {}, commit = HEAD): Message =>
  message(app, body(items, commit), minutes, { id: "M_summary", databaseId: "500", ...more });
const threadsIn = async (parts: Parameters<typeof snapshot>[0], plugin = greptile()): Promise<readonly Thread[]> =>
  (await readWith(plugin, snapshot(parts))).inbox.threads;
const shown = (threads: readonly Thread[]) => threads.map(({ source, title, open }) => `${source} ${title}${open ? "" : " (closed)"}`);

describe("claims", () => {
  test("an inline thread of the reviewer's has its title and severity, and is trusted", async () => {
    const [thread] = await threadsIn({ reviewThreads: [inline([message(app, badge("P1", "Lock is released too early"), after)])] });
    expect(thread).toMatchObject({
      reviewer: "greptile",
      title: "Lock is released too early",
      severity: "high",
      severityRaw: "P1",
      trust: "trusted",
      open: true,
    });
  });

  test("people and other bots keep theirs", async () => {
    const threads = await threadsIn({
      reviewThreads: [inline([message(stranger, badge("P1", "Copied"), after)]), inline([message(bot("other"), "Hm.", after)])],
    });
    expect(threads.map(({ reviewer, trust }) => [reviewer, trust])).toEqual([
      [undefined, "stranger"],
      [undefined, "stranger"],
    ]);
  });

  test("an acknowledgement does not re-open what we answered; anything else does", async () => {
    const root = message(bot("coderabbitai"), "_⚠️ Potential issue_ | _🟠 Major_\n\n**Await it.**\n\nIt races.", after);
    const of = async (...more: readonly Message[]) =>
      (await threadsIn({ reviewThreads: [{ ...inline([root, ...more]), id: "T" }] }, coderabbit()))[0] as Thread;
    const { contentHash } = await of();
    const reply = message(viewer, `Fixed.\n${markerOf({ key: "r", thread: "T", contentHash })}`, after + 1);
    const says = (text: string) => message(bot("coderabbitai"), text, after + 2);
    expect(await of(reply, says("Thanks!\n\n<!-- <review_comment_addressed> -->"))).toMatchObject({ answered: true, contentHash });
    expect(await of(reply, says("I still see the race."))).toMatchObject({ answered: false });
    const edited = { ...root, body: `${root.body}\n\n✅ Addressed in commit 1f2e3d4`, updatedAt: at(after + 3) };
    expect((await threadsIn({ reviewThreads: [{ ...inline([edited, reply]), id: "T" }] }, coderabbit()))[0]).toMatchObject({
      answered: true,
    });
  });

  test("what stands under a claimed review is the reviewer's, whoever's account posted it", async () => {
    const pointer = review(
      message(alice, `<!-- PR_REVIEWER_POINTER -->\nReviewed \`${HEAD.slice(0, 7)}\` — 1 finding(s) inline. [Full report](x)`, after),
    );
    const under = inline([message(alice, "issue: the cache is never bounded", after)], { review: pointer.message.id });
    const own = inline([message(alice, "issue: my own remark", after)]);
    const threads = await threadsIn({ reviews: [pointer], reviewThreads: [under, own] }, prReviewer());
    expect(threads.map(({ reviewer, severity }) => [reviewer, severity])).toEqual([
      ["pr-reviewer", "medium"],
      [undefined, "unknown"],
    ]);
  });

  test("a report posted by a person's account is no person's comment; a comment that only calls the bot is no point", async () => {
    const report = message(alice, "<!-- PR_REVIEWER_REPORT -->\nPlease fix: 2 errors need attention before human review.", after);
    expect(await threadsIn({ comments: [report] }, prReviewer())).toEqual([]);
    expect(shown(await threadsIn({ comments: [message(alice, "@greptileai please look at this once more", after)] }))).toEqual([]);
    expect(shown(await threadsIn({ comments: [message(alice, "@greptileai review\n\nWhy is the limit 5?", after)] }))).toHaveLength(1);
  });
});

describe("points without a thread", () => {
  test("each becomes a thread of source summary, with its place, on the post that carries it", async () => {
    const [thread] = await threadsIn({
      comments: [summary([{ title: "Pinned entries are evicted", path: "src/evict.ts", line: 41 }], after)],
    });
    expect(thread).toMatchObject({
      source: "summary",
      home: "conversation",
      reviewer: "greptile",
      title: "Pinned entries are evicted",
      carrier: "M_summary",
      canResolve: false,
      open: true,
      answered: false,
      place: { path: "src/evict.ts", line: 41, outdated: false },
    });
    expect(thread?.messages[0]?.body).toContain("The text of Pinned entries");
  });

  test("not where an inline thread says the same, resolved or not; by path and title, without badges", async () => {
    const item = { title: "Lock is released too early" };
    const raw = message(app, badge("P1", "Lock is released too early."), after);
    for (const resolved of [false, true]) {
      expect(shown(await threadsIn({ comments: [summary([item], after)], reviewThreads: [inline([raw], { resolved })] }))).toEqual([
        `inline Lock is released too early.${resolved ? " (closed)" : ""}`,
      ]);
    }
    const elsewhere = inline([raw], { place: { path: "src/other.ts", line: 10, side: "RIGHT", subject: "line", outdated: false } });
    expect(await threadsIn({ comments: [summary([item], after)], reviewThreads: [elsewhere] })).toHaveLength(2);
  });

  test("a link to the inline comment joins them, and brings the severity that only the overview knows", async () => {
    const raw = message(bot("copilot-pull-request-reviewer"), "The loop variable is captured by reference.", after, {
      databaseId: "2000001",
    });
    const overview = `<!-- ccr-overview-v2 -->\n\n### 🟡 Changes recommended\n\n<details open>\n<summary><strong>Open (1)</strong></summary>\n\n- <picture><img alt="Medium severity"></picture> [Wrong variable](#discussion_r2000001) · New\n</details>`;
    const threads = await threadsIn(
      { reviewThreads: [inline([raw])], reviews: [review(message(bot("copilot-pull-request-reviewer"), overview, after))] },
      copilot(),
    );
    expect(threads).toHaveLength(1);
    expect(threads[0]).toMatchObject({ source: "inline", severity: "medium", severityRaw: "Medium" });
  });

  test("ids stay over edits in place, new runs and moved lines", async () => {
    const idOf = async (of: Message) => (await threadsIn({ comments: [of] }))[0]?.id;
    const first = await idOf(summary([{ title: "Timer is never cleared" }], after));
    expect(first).toMatch(/^summary:greptile:/);
    expect(await idOf(summary([{ title: "Timer is never cleared", line: 77 }], after, { updatedAt: at(after + 9) }))).toBe(first);
    expect(await idOf(summary([{ title: "Another" }, { title: "Timer is never cleared" }].toReversed(), after, { id: "M_new" }))).toBe(
      first,
    );
  });

  test("a place in a report of an older head has no line at this one", async () => {
    const [thread] = await threadsIn({ comments: [summary([{ title: "Timer is never cleared", line: 12 }], after, {}, OLD)] });
    expect(thread?.place).toMatchObject({ outdated: true, originalLine: 12 });
    expect(thread?.place).not.toHaveProperty("line");
  });

  test("a newer full report drops what it lacks; a list of what is new drops nothing", async () => {
    const one = summary([{ title: "Pinned entries are evicted" }, { title: "Timer is never cleared" }], after);
    const two = summary([{ title: "Timer is never cleared" }], after + 5, { id: "M_second" });
    expect(shown(await threadsIn({ comments: [one, two] }))).toEqual(["summary Timer is never cleared"]);
    const missed = (title: string, minutes: number) =>
      review(
        message(
          bot("copilot-pull-request-reviewer"),
          `<!-- ccr-overview-v2 -->\n\n### 🔵 Needs a closer look\n\n**Findings:** None\n\n<details>\n<summary><strong>Previously missed (1)</strong></summary>\n\n<details>\n<summary>${title}</summary>\n\n\`a.sh:3\`\n\nText.\n</details>\n</details>`,
          minutes,
        ),
      );
    expect(shown(await threadsIn({ reviews: [missed("First", after), missed("Second", after + 5)] }, copilot()))).toEqual([
      "summary First",
      "summary Second",
    ]);
  });

  test("an unreadable newer report drops nothing", async () => {
    const one = summary([{ title: "Timer is never cleared" }], after);
    const odd = message(app, "<!-- greptile_summary -->\nSomething else.", after + 5);
    expect(shown(await threadsIn({ comments: [one, odd] }))).toEqual(["summary Timer is never cleared"]);
  });

  test("a text without a grammar is one point", async () => {
    const text = "**Claude finished @dev's task in 1m 44s** —— [View job](x)\n\n---\nThe cache key omits the tenant. Please add it.";
    expect(shown(await threadsIn({ comments: [message(bot("claude"), text, after)] }, claude()))).toEqual([
      "summary The cache key omits the tenant.",
    ]);
  });

  test("people who quote a report make no points", async () => {
    const quoted = body([{ title: "Pinned entries are evicted" }])
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n");
    expect(shown(await threadsIn({ comments: [message(alice, quoted, after)] }))).toEqual([]);
  });
});

describe("answers to points", () => {
  const item = { title: "Timer is never cleared" };
  const answer = (thread: Thread, decision: "actionable" | "false-positive", minutes: number, author = viewer): Message =>
    message(
      author,
      `> ${thread.title}\n\nDone.\n\n${markerOf({ key: "c", thread: thread.id, contentHash: thread.contentHash, decision })}`,
      minutes,
    );
  const first = async (comments: readonly Message[]): Promise<Thread> => (await threadsIn({ comments }))[0] as Thread;

  test("close it once read back; a stranger's copy does not", async () => {
    const of = summary([item], after);
    const open = await first([of]);
    expect(await first([of, answer(open, "false-positive", after + 1)])).toMatchObject({ open: false, closed: "answered", replies: 1 });
    expect(await first([of, answer(open, "false-positive", after + 1, stranger)])).toMatchObject({ open: true, replies: 0 });
  });

  test("hold for the same words in a later report, not for other words", async () => {
    const open = await first([summary([item], after)]);
    const said = answer(open, "false-positive", after + 1);
    expect(await first([summary([{ ...item, line: 99 }], after, { updatedAt: at(after + 5) }), said])).toMatchObject({ open: false });
    const changed = summary([item], after, { updatedAt: at(after + 5), body: body([item]).replace("The text of", "A worse text of") });
    expect(await first([changed, said])).toMatchObject({ open: true, id: open.id });
  });

  test("a point that was answered as fixed and stands in a later report is open again, with a content of its own", async () => {
    const open = await first([summary([item], after)]);
    const said = answer(open, "actionable", after + 1);
    expect(await first([summary([item], after), said])).toMatchObject({ open: false });
    const again = await first([summary([item], after, { updatedAt: at(after + 5) }), said]);
    expect(again).toMatchObject({ id: open.id, open: true, answered: false, replies: 1 });
    expect(again.contentHash).not.toBe(open.contentHash);
    const second = answer(again, "actionable", after + 6);
    expect(await first([summary([item], after, { updatedAt: at(after + 5) }), said, second])).toMatchObject({ open: false, replies: 2 });
    // Declined the second time, it stays declined.
    const declined = answer(again, "false-positive", after + 6);
    expect(await first([summary([item], after, { updatedAt: at(after + 9) }), said, declined])).toMatchObject({ open: false, replies: 2 });
    // An edit of the report on the head before the fix proves nothing.
    expect(await first([summary([item], after, { updatedAt: at(after + 5) }, OLD), said])).toMatchObject({ open: false, replies: 1 });
  });
});

test("what a bot says is not visible here is told", async () => {
  const said = "**Devin Review** found 0 potential issues.\n\nView 3 additional flags in Devin Review.";
  const { inbox, signal } = await readWith(devin(), snapshot({ reviews: [review(message(bot("devin-ai-integration"), said, after))] }));
  expect(inbox.notes).toEqual(["3 Devin flags not visible via API (see the Devin dashboard)"]);
  expect(signal).toMatchObject({ state: "reviewed" });
});
