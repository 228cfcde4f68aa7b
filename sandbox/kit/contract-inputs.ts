/** What a contract gives to each handler: things of the plugin's own, and things of somebody else's that it has to keep. */
import type { Asks, Blocker, Decision, Evidence, Inbox, Phase, Phases, Report, Write, WriteOf } from "../../core/index.js";
import { scenario, type Scenario } from "./scenario.js";
import { virtualClock } from "./virtual-clock.js";

/** Somebody else's name: another plugin that ran before. */
export const OTHER = "another-plugin";

export const FILE = "src/main.ts";
const LINES = Array.from({ length: 12 }, (_, index) => index + 1);
const textOf = (word: string): string => LINES.map((line) => `export const ${word}${line} = ${line};\n`).join("");

/** A pull request of `ada`'s with points of a person and of a bot that no plugin knows; every line of `src/main.ts` is changed. */
export const furnished = (): Scenario =>
  scenario({ clock: virtualClock() })
    .file(FILE, textOf("before"), textOf("after"))
    .user("bob")
    .thread({ by: "bob", path: FILE, line: 2, body: "Why is this two?" })
    .thread({ by: "other-bot[bot]", path: FILE, line: 3, body: "This constant is never used." })
    .comment("bob", "Please mention it in the changelog.");

const decision = (kind: Decision["kind"]): Decision => ({
  kind,
  why: "decided before",
  reply: kind === "judgment" ? null : "It is so on purpose.",
});

/** What another plugin had to say before this one. */
export const foreign = (inbox: Inbox, tree: string): Foreign => {
  const head = inbox.pullRequest.head.sha;
  const blocker: Blocker = { code: "another", by: OTHER, detail: "something else is in the way", lift: { who: "person" } };
  const evidence: Evidence = { gate: OTHER, command: "true", tree, result: "green", at: inbox.readAt, took: 1, excerpt: "" };
  const request: WriteOf<"request"> = {
    kind: "request",
    key: `request:${OTHER}:${head}`,
    preconditions: { head },
    reviewer: OTHER,
    why: "asked before",
    by: "comment",
    body: "@another review",
  };
  const tidy: WriteOf<"minimise"> = {
    kind: "minimise",
    key: "minimise:another",
    preconditions: {},
    why: "an older request",
    comment: "IC_another",
    classifier: "OUTDATED",
  };
  const write: Write = { kind: "comment", key: "comment:another", preconditions: {}, why: "said before", body: "Done.", answers: [] };
  return {
    blocker,
    evidence,
    asks: {
      requests: [request],
      waits: [{ for: "anyone", head, since: inbox.readAt, until: inbox.readAt + 1000, then: "go-on", poll: 100 }],
      tidy: [tidy],
    },
    write,
    inbox: {
      ...inbox,
      signals: [...inbox.signals, { reviewer: OTHER, state: "reviewed", head }],
      notes: [...inbox.notes, "a note of another plugin"],
    },
  };
};

export interface Foreign {
  readonly blocker: Blocker;
  readonly evidence: Evidence;
  readonly asks: Asks;
  readonly write: Write;
  readonly inbox: Inbox;
}

/** A report as the loop makes it at the end of a run. */
const reportOf = ({ pullRequest, readAt }: Inbox): Report => ({
  schemaVersion: 1,
  target: "review-clean",
  stop: "waiting-for-people",
  detail: "a person has to decide",
  pullRequest: { url: pullRequest.url, number: pullRequest.ref.number, title: pullRequest.title, draft: pullRequest.draft },
  head: pullRequest.head.sha,
  startedAt: readAt - 60_000,
  endedAt: readAt,
  reviewers: [],
  iterations: [],
  gates: [],
  pushes: [],
  waits: [],
  remaining: [{ what: "a question", code: "judgment", who: "person", why: "only its author can say" }],
  notes: ["a note"],
  plan: [],
  cost: { requests: 3, points: 3 },
});

export type Inputs = { readonly [P in Phase]: Phases[P]["args"] };

/** `inbox`: after the plugin's own `fetch`. Fresh data on each call, so that nobody sees what another handler did to it. */
export const inputsOf = (inbox: Inbox, before: Inbox, tree: string): Inputs => {
  const copy = structuredClone({ inbox, before });
  const other = foreign(copy.inbox, tree);
  const [first, second, ...rest] = copy.inbox.threads.filter((thread) => thread.open);
  if (first === undefined || second === undefined) throw new Error("The contract's pull request lost its threads.");
  const undecided = [second, ...rest];
  const todo = undecided.map((thread) => ({ thread, decision: decision("actionable") }));
  const done = { thread: first, decision: decision("actionable"), summary: "It says so now.", files: [FILE], by: OTHER };
  return {
    sync: [],
    gate: [[other.evidence], tree],
    fetch: [foreign(copy.before, tree).inbox],
    triage: [{ undecided, decided: [{ thread: first, decision: decision("informational") }] }, other.inbox],
    fix: [{ todo, done: [done], reasons: { [second.id]: "another plugin could not" } }, other.inbox],
    push: [{ todo: [], done: [done], reasons: {} }, other.inbox],
    reply: [{ thread: first, decision: decision("informational"), text: "It is so on purpose." }, other.inbox],
    resolve: [first, decision("judgment"), other.inbox],
    rerequest: [other.asks, other.inbox],
    check: [[other.blocker], other.inbox],
    report: [{ report: reportOf(copy.inbox), writes: [other.write] }],
  };
};
