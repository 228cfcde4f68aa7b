/** Pure: the reviewers of one pull request as `reviewloop reviewers` lists them. Nobody is asked by looking. */
import type { Asked, Inbox, ReviewRequest, RunState, Sha, Signal } from "../model.js";
import type { ReviewerFacts } from "../plugin.js";
import type { Settings } from "../settings.js";
import { seenHere } from "../reading/parties.js";
import { stateBlocker } from "./blocking.js";
import { isFresh } from "./signal.js";

export interface ReviewerLine {
  readonly reviewer: string;
  readonly required: boolean;
  /** Its own post, check or request stands on this pull request. */
  readonly seenHere: boolean;
  /** Seen in this repository: here, or on its last updated pull requests. */
  readonly seen: boolean;
  /** The target wants its review: it is asked, awaited and may block. */
  readonly awaited: boolean;
  readonly signal: Signal;
  /** Does the signal count as a review of this head? */
  readonly reviewed: boolean;
  readonly rerun: boolean;
  readonly requestBy: ReviewerFacts["requestBy"];
  /** The words that start it, where a comment does. */
  readonly trigger?: string;
  /** What we asked for this head, and what became of it. */
  readonly asked?: Asked;
  /** GitHub shows a pending review request for it. */
  readonly pendingRequest: boolean;
  readonly threads: { readonly total: number; readonly open: number };
  /** Why its review is missing; absent = nothing is. */
  readonly missing?: { readonly code: string; readonly detail: string; readonly who: string };
}

export interface ReviewersListing {
  readonly head: Sha;
  /** Who takes part: required, or seen in this repository. */
  readonly reviewers: readonly ReviewerLine[];
  /** Names of those whose review is awaited and not there. */
  readonly missing: readonly string[];
  /** Known, and neither required nor seen: never asked, awaited or missed. */
  readonly absent: readonly string[];
  /** Pending review requests of people, teams and bots that no plugin knows. */
  readonly requests: readonly ReviewRequest[];
  /** Bots that posted here and that no plugin knows; never triggered. */
  readonly unknown: readonly string[];
}

export const listReviewers = (inbox: Inbox, run: RunState, reviewers: readonly ReviewerFacts[], settings: Settings): ReviewersListing => {
  const head = inbox.pullRequest.head.sha;
  const isOf = (facts: ReviewerFacts, login: string): boolean => facts.identities.some((identity) => identity.logins.includes(login));
  const lines = reviewers.map((facts): ReviewerLine => {
    const party = inbox.parties.find((each) => each.reviewer === facts.name);
    const signal = inbox.signals.find((each) => each.reviewer === facts.name) ?? { reviewer: facts.name, state: "absent" as const, head };
    const asked = run.asked.find((each) => each.reviewer === facts.name && each.head === head && each.state !== "planned");
    const blocker = party?.awaited === true ? stateBlocker(signal, { inbox, run, facts, settings }) : undefined;
    const threads = inbox.threads.filter((thread) => thread.reviewer === facts.name);
    return {
      reviewer: facts.name,
      required: party?.required ?? facts.required,
      seenHere: seenHere(inbox, facts),
      seen: party?.seen ?? false,
      awaited: party?.awaited ?? false,
      signal,
      reviewed: isFresh(signal, facts, head),
      rerun: facts.rerun,
      requestBy: facts.requestBy,
      ...(facts.trigger === undefined ? {} : { trigger: facts.trigger }),
      ...(asked === undefined ? {} : { asked }),
      pendingRequest: inbox.requests.some((request) => isOf(facts, request.login)),
      threads: { total: threads.length, open: threads.filter((thread) => thread.open).length },
      ...(blocker === undefined
        ? {}
        : { missing: { code: blocker.code, detail: blocker.detail, who: blocker.lift.name ?? blocker.lift.who } }),
    };
  });
  const takesPart = (line: ReviewerLine): boolean => line.required || line.seen || line.asked !== undefined;
  return {
    head,
    reviewers: lines.filter(takesPart),
    missing: lines.filter((line) => line.missing !== undefined).map((line) => line.reviewer),
    absent: lines.filter((line) => !takesPart(line)).map((line) => line.reviewer),
    requests: inbox.requests.filter((request) => !reviewers.some((facts) => isOf(facts, request.login))),
    unknown: inbox.unknownBots,
  };
};
