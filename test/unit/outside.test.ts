/** A thread as an outside agent gets it: all that it needs to judge, and nothing that nobody sees. */
import { expect, test } from "vitest";
import { outsideThread } from "../../core/reading/outside.js";
import { threadsOf } from "../../core/reading/threads.js";
import { foldRun } from "../../core/run.js";
import { markerOf } from "../../core/writing/marker.js";
import type { Inbox } from "../../core/index.js";
import { settingsFrom } from "../loop/settings.js";
import { at, bot, HEAD, inline, message, OLD, ours, snapshot, stranger, viewer } from "./building.js";

const acme = bot("acme-review");
const place = { path: "src/a.ts", line: 3, startLine: 2, side: "RIGHT", subject: "line", outdated: false } as const;
const FILE = "zero\none\ntwo\nthree\nfour\n";

test("body, place, code at head, suggestion, severity, trust, history, since which head, and what was decided", () => {
  const raised = message(acme, "**P1** Use `2`.\u200b\n\n```suggestion\nTWO\n```", 20, { commit: OLD, editor: "acme-review" });
  const reply = message(viewer, `Looked at it.\n${markerOf({ key: "k" })}`, 40);
  const later = message(stranger, "Me too.", 50);
  const draft = message(acme, "Not submitted.", 55, { pending: true });
  const of = snapshot({ reviewThreads: [inline([raised, reply, later, draft], { place })] });
  const raw = threadsOf(of, { run: foldRun([]), ours, trust: settingsFrom({}).trust })[0];
  if (raw === undefined) throw new Error("no thread");
  const run = foldRun([
    { at: at(10), type: "head", head: OLD },
    { at: at(60), type: "head", head: HEAD },
    {
      at: at(61),
      type: "decision",
      thread: raw.id,
      contentHash: raw.contentHash,
      title: raw.title,
      decision: { kind: "judgment", why: "hers", reply: null },
    },
  ]);
  const threads = threadsOf(of, { run, ours, trust: settingsFrom({}).trust });
  const inbox: Inbox = { ...of, threads, signals: [], parties: [], unknownBots: [], notes: [] };
  const shown = outsideThread(raw, { inbox, run, settings: settingsFrom({ identities: ours.identities }) }, FILE);
  expect(shown).toMatchObject({
    id: raw.id,
    open: true,
    answered: false,
    source: "inline",
    place: { path: "src/a.ts", line: 3, startLine: 2, outdated: false },
    trust: expect.stringMatching(/trusted|stranger/),
    severity: expect.any(String),
    suggestion: "TWO",
    since: { head: OLD, at: at(20), heads: 1 },
    decision: { kind: "judgment", why: "hers" },
    history: [
      {
        author: "acme-review",
        bot: true,
        association: "NONE",
        at: at(20),
        edited: true,
        ours: false,
        url: raised.url,
        id: raised.databaseId,
      },
      { author: "loop-user", bot: false, at: at(40), edited: false, ours: true },
      { author: "passer-by", bot: false, association: "NONE", at: at(50), ours: false },
    ],
  });
  expect(shown.code).toMatch(/> 2 one\n> 3 two/);
  // What nobody sees is not passed on.
  expect(shown.history[0]?.body).toBe("**P1** Use `2`.\n\n```suggestion\nTWO\n```");
  expect(shown).not.toHaveProperty("messages");
});

test("without a file or a place there is no code; without a block no suggestion; without a commit no head", () => {
  const of = snapshot({ reviewThreads: [inline([message(acme, "Off by one.", 20)], { place })] });
  const run = foldRun([]);
  const threads = threadsOf(of, { run, ours, trust: settingsFrom({}).trust });
  const inbox: Inbox = { ...of, threads, signals: [], parties: [], unknownBots: [], notes: [] };
  const [thread] = threads;
  if (thread === undefined) throw new Error("no thread");
  expect(outsideThread(thread, { inbox, run, settings: settingsFrom({}) }, undefined)).toMatchObject({
    code: null,
    suggestion: null,
    since: { head: null, at: at(20), heads: 0 },
  });
});
