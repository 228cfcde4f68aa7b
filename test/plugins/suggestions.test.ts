import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Thread } from "../../core/index.js";
import { suggestions } from "../../plugins/tools/suggestions.js";
import { applied, linesOf, moved } from "../../plugins/tools/suggestions/text-edits.js";
import { BOT, fixBy, message, OTHER_BOT, PERSON, place, STRANGER, thread, todo, triageBy, type Situation } from "./agent-context.js";

const plugin = suggestions();
const block = (...lines: readonly string[]): string => `Better:\n\n\`\`\`suggestion\n${lines.map((line) => `${line}\n`).join("")}\`\`\`\n`;
const FILE = "one\ntwo\nthree\nfour\n";
const files = { "a.txt": FILE };
const on = (id: string, line: number, startLine: number | undefined, ...lines: readonly string[]): Thread =>
  thread(id, [message(block(...lines))], { place: place("a.txt", line, startLine) });

const fixed = async (threads: readonly Thread[], situation: Situation = { files }) =>
  fixBy(
    plugin,
    threads.map((one) => todo(one)),
    situation,
  );

describe("what an applied suggestion makes of a file", () => {
  test.each<[string, string, [line: number, start: number | undefined], readonly string[], string]>([
    ["one line", FILE, [2, undefined], ["TWO"], "one\nTWO\nthree\nfour\n"],
    ["several lines by fewer", FILE, [3, 2], ["TWO"], "one\nTWO\nfour\n"],
    ["one line by several", FILE, [2, undefined], ["a", "", "b"], "one\na\n\nb\nthree\nfour\n"],
    ["a deletion", FILE, [3, 2], [], "one\nfour\n"],
    ["the last line", FILE, [4, undefined], ["FOUR"], "one\ntwo\nthree\nFOUR\n"],
    ["all of it", FILE, [4, 1], ["x"], "x\n"],
    ["carriage returns stay", "one\r\ntwo\r\nthree\r\n", [2, undefined], ["a", "b"], "one\r\na\r\nb\r\nthree\r\n"],
    ["in a mixed file, those of the replaced line", "one\ntwo\r\nthree\n", [2, undefined], ["a", "b"], "one\na\r\nb\r\nthree\n"],
    ["no line end at the end stays so", "one\ntwo", [2, undefined], ["a", "b"], "one\na\nb"],
    ["a file of one line without end", "one", [1, undefined], ["a", "b"], "a\nb"],
    ["the last line without end goes", "one\ntwo", [2, undefined], [], "one\n"],
    ["a byte order mark stays", "\u{feff}one\ntwo\n", [1, undefined], ["ONE"], "\u{feff}ONE\ntwo\n"],
  ])("%s", async (_name, text, [line, start], lines, expected) => {
    const one = on("t", line, start, ...lines);
    const { work, edits } = await fixed([one], { files: { "a.txt": text } });
    expect(edits).toEqual({ "a.txt": expected });
    expect(work).toMatchObject({ todo: [], done: [{ thread: { id: "t" }, files: ["a.txt"], by: "suggestions" }], reasons: {} });
    expect(work.done[0]?.summary).toMatch(start === undefined ? `line ${line} of \`a.txt\`` : `lines ${start}-${line} of \`a.txt\``);
  });

  test("several in one file are one edit, whatever their order", async () => {
    const { work, edits } = await fixed([on("late", 4, undefined, "FOUR"), on("early", 1, undefined, "ONE", "AND A HALF")]);
    expect(edits).toEqual({ "a.txt": "ONE\nAND A HALF\ntwo\nthree\nFOUR\n" });
    expect(work.done.map((item) => item.thread.id)).toEqual(["late", "early"]);
  });

  test("equal ones of two reviewers are applied once and both done", async () => {
    const other = thread("other", [message(block("TWO"), OTHER_BOT)], { place: place("a.txt", 2) });
    const { work, edits } = await fixed([on("one", 2, undefined, "TWO"), other]);
    expect(edits).toEqual({ "a.txt": "one\nTWO\nthree\nfour\n" });
    expect(work.done).toHaveLength(2);
  });

  test("lines that moved in the worktree are found, changed ones are left", async () => {
    const worktree = { "a.txt": `zero\n${FILE}` };
    const { work, edits } = await fixed([on("moved", 4, undefined, "FOUR"), on("still", 1, undefined, "ONE")], { files, worktree });
    expect(edits).toEqual({ "a.txt": "zero\nONE\ntwo\nthree\nFOUR\n" });
    expect(work.todo).toEqual([]);
    const changed = await fixed([on("t", 2, undefined, "TWO")], { files, worktree: { "a.txt": "one\n2\nthree\nfour\n" } });
    expect(changed.edits).toEqual({});
    expect(changed.work.reasons).toEqual({ t: "the lines were changed in the worktree in the meantime" });
  });
});

describe("what is not applied, and why", () => {
  const cases: readonly [string, Thread, RegExp, Situation?][] = [
    [
      "outdated",
      thread("t", [message(block("x"))], { place: place("a.txt", undefined, undefined, { outdated: true }) }),
      /were changed since/,
    ],
    [
      "outdated with a line",
      thread("t", [message(block("x"))], { place: place("a.txt", 2, undefined, { outdated: true }) }),
      /were changed since/,
    ],
    ["the old side", thread("t", [message(block("x"))], { place: place("a.txt", 2, undefined, { side: "LEFT" }) }), /new version/],
    [
      "the file as a whole",
      thread("t", [message(block("x"))], { place: place("a.txt", 2, undefined, { subject: "file" }) }),
      /new version/,
    ],
    ["a deleted file", thread("t", [message(block("x"))], { place: place("gone.txt", 2) }), /no file gone.txt/],
    ["past the end", thread("t", [message(block("x"))], { place: place("a.txt", 9) }), /no such lines/],
    ["a range upside down", thread("t", [message(block("x"))], { place: place("a.txt", 2, 3) }), /no such lines/],
    [
      "a protected path",
      thread("t", [message(block("x"))], { place: place(".github/workflows/ci.yml", 1) }),
      /protected/,
      { files: { ".github/workflows/ci.yml": "x\n" } },
    ],
    ["alternatives", thread("t", [message(block("x") + block("y"))], { place: place("a.txt", 2) }), /several suggestions/],
    ["not text", thread("t", [message(block("x"))], { place: place("a.txt", 1) }), /not UTF-8/, { files: { "a.txt": "on\u{fffd}\n" } }],
    ["nothing to change", thread("t", [message(block("two"))], { place: place("a.txt", 2) }), /already read/],
    [
      "a refused edit",
      thread("t", [message(block("x"))], { place: place("a.txt", 2) }),
      /can't be applied: a link/,
      { files, refuses: "a link" },
    ],
  ];
  test.each(cases)("%s", async (_name, one, why, situation = { files }) => {
    const { work, edits } = await fixed([one], situation);
    expect(edits).toEqual({});
    expect(work.done).toEqual([]);
    expect(work.todo).toHaveLength(1);
    expect(work.reasons["t"]).toMatch(why);
  });

  test.each<[string, Thread]>([
    ["a stranger's", thread("t", [message(block("x"), STRANGER)], { place: place("a.txt", 2) })],
    ["an unclaimed bot's", (({ reviewer: _reviewer, ...rest }) => rest)(thread("t", [message(block("x"))], { place: place("a.txt", 2) }))],
    ["a stranger's in a bot's thread", thread("t", [message("Hm."), message(block("x"), STRANGER)], { place: place("a.txt", 2) })],
    [
      "a stranger's that somebody with write access thanked for",
      thread("t", [message(block("x"), STRANGER), message("Nice.", PERSON)], { place: place("a.txt", 2), trust: "trusted" }),
    ],
    ["a hidden one", thread("t", [message(block("x"), BOT, { minimised: true })], { place: place("a.txt", 2) })],
    [
      "our own",
      thread("t", [message("Hm."), message(`${block("x")}\n<!-- reviewloop:1 {"k":"a"} -->`, { ...PERSON, login: "kim-agent" })], {
        place: place("a.txt", 2),
      }),
    ],
    ["no suggestion at all", thread("t", [message("Rename it.")], { place: place("a.txt", 2) })],
    [
      "one that was discussed",
      thread("t", [message(block("x")), message("Only the first half of it.", PERSON)], { place: place("a.txt", 2) }),
    ],
  ])("%s is none for this tool: it stays as it was", async (_name, one) => {
    const { work, edits } = await fixed([one]);
    expect(edits).toEqual({});
    expect(work).toMatchObject({ done: [], reasons: {}, todo: [{ thread: { id: "t" } }] });
  });

  test("a person's suggestion in a bot's thread replaces the bot's", async () => {
    const { edits } = await fixed([thread("t", [message(block("bot")), message(block("person"), PERSON)], { place: place("a.txt", 2) })]);
    expect(edits).toEqual({ "a.txt": "one\nperson\nthree\nfour\n" });
  });

  test("a reply of ours after it changes nothing", async () => {
    const ours = message('Looking into it.\n<!-- reviewloop:1 {"k":"a"} -->', { ...PERSON, login: "kim-agent" });
    const { work } = await fixed([thread("t", [message(block("TWO")), ours], { place: place("a.txt", 2) })]);
    expect(work.done).toHaveLength(1);
  });

  test("a wide one excludes all that lie in it", async () => {
    const { work, edits } = await fixed([on("wide", 4, 1, "x"), on("first", 2, undefined, "TWO"), on("last", 4, undefined, "FOUR")]);
    expect(edits).toEqual({});
    expect(Object.keys(work.reasons)).toEqual(["wide", "first", "last"]);
  });

  test("overlapping ones stay, with the names and the lines; the rest is applied", async () => {
    const rival = thread("rival", [message(block("2", "3"), OTHER_BOT)], { place: place("a.txt", 3, 2) });
    const { work, edits } = await fixed([on("one", 2, undefined, "TWO"), rival, on("free", 4, undefined, "FOUR")]);
    expect(edits).toEqual({ "a.txt": "one\ntwo\nthree\nFOUR\n" });
    expect(work.reasons).toEqual({
      one: "acme and other suggest different texts for lines 2-3 of a.txt",
      rival: "acme and other suggest different texts for lines 2-3 of a.txt",
    });
  });
});

describe("triage", () => {
  const kinds = (triage: { decided: readonly { thread: Thread; decision: { kind: string } }[] }) =>
    Object.fromEntries(triage.decided.map((item) => [item.thread.id, item.decision.kind]));
  const agent = { files, agent: () => ({ ok: false, failure: { kind: "crash", detail: "" }, took: 0 }) as const };
  const rival = (): Thread => thread("rival", [message(block("zwei"), OTHER_BOT)], { place: place("a.txt", 2) });

  test("without an agent, a trusted, applicable one is actionable, one without effect is answered, the rest is left", async () => {
    const { triage } = await triageBy(
      plugin,
      [
        on("apply", 2, undefined, "TWO"),
        on("already", 3, undefined, "three"),
        thread("person", [message(block("FOUR"), PERSON)], { place: place("a.txt", 4) }),
        thread("stranger", [message(block("x"), STRANGER)], { place: place("a.txt", 1) }),
        thread("plain", [message("Rename it.")], { place: place("a.txt", 1) }),
        thread("old", [message(block("x"))], { place: place("a.txt", undefined, undefined, { outdated: true }) }),
      ],
      { files },
    );
    expect(kinds(triage)).toEqual({ apply: "actionable", already: "informational", person: "actionable" });
    expect(triage.undecided.map((one) => one.id)).toEqual(["stranger", "plain", "old"]);
  });

  test("with an agent, the agent decides", async () => {
    const { triage } = await triageBy(plugin, [on("apply", 2, undefined, "TWO")], agent);
    expect(triage.decided).toEqual([]);
    expect(triage.undecided).toHaveLength(1);
  });

  test.each([
    ["without", { files }],
    ["with", agent],
  ])("%s an agent, suggestions that exclude each other are a person's", async (_name, situation) => {
    const { triage } = await triageBy(plugin, [on("one", 2, undefined, "TWO"), rival(), on("free", 4, undefined, "four")], situation);
    const judged = triage.decided.filter((item) => item.decision.kind === "judgment");
    expect(judged.map((item) => item.thread.id)).toEqual(["one", "rival"]);
    expect(judged[0]?.decision).toMatchObject({
      reply: null,
      why: "acme and other suggest different texts for line 2 of a.txt",
      question: expect.any(String) as string,
    });
  });

  test("a person who spoke up is for the agent to read; without one it stays a person's", async () => {
    const spoken = thread("one", [message(block("TWO")), message("Take this one.", PERSON)], { place: place("a.txt", 2) });
    expect((await triageBy(plugin, [spoken, rival()], agent)).triage.undecided).toHaveLength(2);
    expect(kinds((await triageBy(plugin, [spoken, rival()], { files })).triage)).toEqual({ one: "judgment", rival: "judgment" });
  });
});

// ---------------------------------------------------------------- rules

const line = fc.string({ maxLength: 6 }).map((text) => text.replaceAll(/[\r\n\u{feff}]/gu, "."));
const document = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, end, ended]) => ({ text: lines.join(end) + (ended ? end : ""), lines, end }))
  .filter(({ text }) => text !== "");
const edited = document.chain((one) => {
  const count = linesOf(one.text).length;
  return fc
    .tuple(fc.integer({ min: 1, max: count }), fc.integer({ min: 1, max: count }), fc.array(line, { maxLength: 5 }))
    .map(([a, b, lines]) => ({ ...one, edit: { start: Math.min(a, b), end: Math.max(a, b), lines } }));
});

test("an edit leaves every other line as it is, byte for byte, and brings no foreign line end", () => {
  fc.assert(
    fc.property(edited, ({ text, end, edit }) => {
      const before = linesOf(text);
      const after = applied(text, [edit]);
      expect(after.startsWith(before.slice(0, edit.start - 1).join(""))).toBe(true);
      expect(after.endsWith(before.slice(edit.end).join(""))).toBe(true);
      if (before.length > 1 && end === "\r\n") expect(after.replaceAll("\r\n", "")).not.toContain("\n");
      if (end === "\n") expect(after).not.toContain("\r");
      if (!text.endsWith("\n") && (edit.end < before.length || (edit.lines.at(-1) ?? "") !== "")) expect(after.endsWith("\n")).toBe(false);
    }),
  );
});

test("replacing lines by themselves changes nothing", () => {
  fc.assert(
    fc.property(edited, ({ text, edit }) => {
      const same = linesOf(text)
        .slice(edit.start - 1, edit.end)
        .map((one) => one.replace(/\r?\n$/, ""));
      expect(applied(text, [{ ...edit, lines: same }])).toBe(text);
    }),
  );
});

test("lines that are found again after another edit are the same lines", () => {
  fc.assert(
    fc.property(edited, fc.integer({ min: 1, max: 12 }), ({ text, edit }, at) => {
      const from = linesOf(text);
      const to = linesOf(applied(text, [edit]));
      const wanted = { start: Math.min(at, from.length), end: Math.min(at, from.length), lines: [] };
      const found = moved(from, to, wanted);
      if (found !== undefined) expect(to[found.start - 1]).toBe(from[wanted.start - 1]);
    }),
  );
});
