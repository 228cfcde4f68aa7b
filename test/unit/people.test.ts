import { describe, expect, test } from "vitest";
import { peopleToAsk } from "../../core/reading/people.js";
import type { Entry, Inbox } from "../../core/model.js";
import { foldRun } from "../../core/run.js";
import { DEFAULTS } from "../loop/settings.js";
import { alice, at, HEAD, message, OLD, review, snapshot } from "./building.js";

const run = (...entries: readonly Entry[]) =>
  foldRun([{ at: at(0), type: "run", run: "run-1", target: "merge-ready", base: OLD, head: OLD }, ...entries]);
const pushed: readonly Entry[] = [
  {
    at: at(30),
    type: "intent",
    write: {
      kind: "push",
      key: "push:1",
      commits: [HEAD],
      to: HEAD,
      tree: "t",
      expected: OLD,
      branch: "topic",
      force: false,
      preconditions: { head: OLD },
      why: "",
    },
  },
  { at: at(31), type: "result", key: "push:1", result: { state: "done" } },
];
const quiet: Inbox = {
  ...snapshot({ reviews: [review(message(alice, "No.", 10), { state: "CHANGES_REQUESTED", commit: OLD })] }),
  threads: [],
  signals: [],
  parties: [],
  unknownBots: [],
  notes: [],
};

describe("whom a review is requested from again", () => {
  test("whoever requested changes on an older head, once in a run", () => {
    const [request] = peopleToAsk(quiet, run(...pushed), DEFAULTS);
    expect(request).toMatchObject({ kind: "request", by: "review-request", login: "alice", bot: false, reviewer: "@alice" });
    const asked: Entry = { at: at(40), type: "intent", write: request as NonNullable<typeof request> };
    expect(peopleToAsk(quiet, run(...pushed, asked), DEFAULTS)).toEqual([]);
  });

  test("nobody for nothing: neither an answer nor a push since", () => {
    expect(peopleToAsk(quiet, run(), DEFAULTS)).toEqual([]);
  });

  test("nobody who is asked already", () => {
    const requests = [{ login: "alice", kind: "user", asCodeOwner: false }] as const;
    expect(peopleToAsk({ ...quiet, requests }, run(...pushed), DEFAULTS)).toEqual([]);
  });
});
