/** Pure: what a reviewer's signal holds up, and who lifts it. */
import type { Blocker, Inbox, RunState, Signal, SignalState } from "../model.js";
import type { ReviewerFacts } from "../plugin.js";
import type { Settings } from "../settings.js";
import { isFresh } from "./signal.js";

export interface Judging {
  readonly inbox: Inbox;
  readonly run: RunState;
  readonly facts: ReviewerFacts;
  readonly settings: Settings;
}

const because = (signal: Signal): string => (signal.reason === undefined ? "" : ` (${signal.reason.replaceAll("_", " ")})`);

const SAID: Readonly<Record<Exclude<SignalState, "reviewed" | "absent">, { readonly code: string; readonly say: string }>> = {
  requested: { code: "review-requested", say: "was asked and has not started" },
  running: { code: "review-running", say: "is reviewing this head" },
  skipped: { code: "review-skipped", say: "skipped this head" },
  limited: { code: "review-limited", say: "is out of quota" },
  paused: { code: "review-paused", say: "is paused" },
  failed: { code: "review-failed", say: "failed on this head" },
  unknown: { code: "review-unknown", say: "left something that can't be read as a result" },
};

/** Asked for this head, with what became of it. */
const askedFor = ({ inbox, run, facts }: Judging): RunState["asked"][number] | undefined =>
  run.asked.find((each) => each.reviewer === facts.name && each.head === inbox.pullRequest.head.sha && each.state !== "planned");

const canAsk = (judging: Judging): boolean =>
  (judging.facts.requestBy === "review-request" || judging.facts.trigger !== undefined) && askedFor(judging) === undefined;

const draftBlocker = ({ inbox, facts, settings }: Judging, required: boolean): Blocker => {
  const head = inbox.pullRequest.head.sha;
  const base = { code: "review-draft", by: facts.name, detail: `${facts.name} does not review drafts` } as const;
  // Once it is ready for one of them, it is for all: whoever else skips drafts holds nothing back.
  const wanted = settings.markReadyFor.find((name) => inbox.parties.some((party) => party.reviewer === name && party.awaited));
  if (wanted !== undefined) {
    const act = { kind: "mark-ready", key: `mark-ready:${head}`, preconditions: { head }, why: `${wanted} reviews no drafts` } as const;
    return { ...base, lift: { who: "loop", name: facts.name, act } };
  }
  return { ...base, lift: { who: required ? "person" : "reviewer", name: facts.name } };
};

/** It starts by itself or not at all: what it needs is a push, and nobody can order it here. */
const isBeyondCall = ({ inbox, facts }: Judging): boolean =>
  facts.requestBy === "push" && (facts.trigger === undefined || (facts.peopleOnly === true && inbox.viewer.kind === "bot"));

/** A result that is none for this head, or no result at all. */
const missingBlocker = (judging: Judging, code: string, detail: string): Blocker => {
  const { facts } = judging;
  const asked = askedFor(judging);
  if (asked?.state === "refused" || asked?.state === "dropped") {
    const say = asked.state === "refused" ? "was refused" : "was not registered";
    return {
      code: `review-request-${asked.state}`,
      by: facts.name,
      detail: `the request to ${facts.name} ${say}; ask by hand`,
      lift: { who: "person" },
    };
  }
  const lift = { who: "reviewer", name: facts.name } as const;
  if (!isBeyondCall(judging)) return { code, by: facts.name, detail, lift };
  const how = facts.trigger === undefined ? "can't be called" : "can't be called by an app";
  return { code: "review-not-callable", by: facts.name, detail: `${detail}; it starts by a push and ${how}`, lift };
};

/** What the state itself holds up; `undefined` = a review of this head is there. */
export const stateBlocker = (signal: Signal | undefined, judging: Judging): Blocker | undefined => {
  const { inbox, facts } = judging;
  const head = inbox.pullRequest.head.sha;
  const required = inbox.parties.find((each) => each.reviewer === facts.name)?.required ?? false;
  const name = facts.name;
  if (signal !== undefined && isFresh(signal, facts, head)) return undefined;
  const draft = inbox.pullRequest.draft && !facts.reviewsDrafts;
  if (signal === undefined || signal.state === "absent") {
    return draft
      ? draftBlocker(judging, required)
      : missingBlocker(judging, "review-missing", `${name} has not reviewed this pull request`);
  }
  const url = signal.url === undefined ? {} : { url: signal.url };
  if (signal.state === "skipped" && signal.reason === "draft" && draft) return draftBlocker(judging, required);
  if (signal.head !== head) {
    if (draft) return draftBlocker(judging, required);
    // An unreadable text that can't be bound may be about this head.
    if (signal.state === "unknown" && signal.head === undefined) return { ...unreadable(name, judging, signal), ...url };
    const about = signal.head === undefined ? "at a time that can't be bound to this head" : `of ${signal.head.slice(0, 10)}`;
    return { ...missingBlocker(judging, "review-stale", `the last word of ${name} (${signal.state}) is ${about}`), ...url };
  }
  if (signal.state === "reviewed") return undefined;
  if (signal.state === "unknown") return { ...unreadable(name, judging, signal), ...url };
  const { code, say } = SAID[signal.state];
  // Nothing comes of a failed run by itself: it is asked once, then a person looks.
  const who = signal.state === "failed" && !canAsk(judging) ? "person" : "reviewer";
  return { code, by: name, detail: `${name} ${say}${because(signal)}`, lift: { who, name }, ...url };
};

const unreadable = (name: string, judging: Judging, signal: Signal): Blocker => ({
  code: SAID.unknown.code,
  by: name,
  detail: `${name} ${SAID.unknown.say}${because(signal)}`,
  lift: canAsk(judging) ? { who: "reviewer", name } : { who: "person", name },
});
