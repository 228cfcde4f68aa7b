/** Pure: is the reviewer to be asked for this head, and which of our older triggers may be hidden. */
import type { Asks, Inbox, Instant, RunState, Signal, WriteOf } from "../model.js";
import type { Ours } from "../ports.js";
import type { ReviewerFacts, ReviewerSpec } from "../plugin.js";
import { isOurs, markerOf, markersIn } from "../writing/marker.js";
import { isFresh } from "./signal.js";
import { commentOf, headSince, requestKey, triggersOfOurs } from "./posts.js";

export interface Asking {
  readonly inbox: Inbox;
  readonly run: RunState;
  readonly facts: ReviewerFacts;
  readonly ours: Ours;
  readonly now: Instant;
  /** The trigger's words, for a reviewer that is asked by comment. */
  readonly text: string;
}

/** What the reviewer refused for a reason that a request lifts. */
const LIFTED_BY_ASKING = new Set(["paused", "auto_disabled"]);

/** Would asking bring anything, by what the reviewer said last about this head? */
const worthAsking = (signal: Signal | undefined, { inbox, facts, now }: Asking): boolean => {
  if (signal === undefined || signal.head !== inbox.pullRequest.head.sha) return true;
  switch (signal.state) {
    case "requested":
    case "running":
      return false;
    case "limited":
      return signal.retryAfter !== undefined && (signal.at ?? now) + signal.retryAfter <= now;
    case "skipped":
      return LIFTED_BY_ASKING.has(signal.reason ?? "") || (signal.reason === "draft" && (!inbox.pullRequest.draft || facts.reviewsDrafts));
    default:
      return true;
  }
};

/** A reviewer that starts by push is asked only where it stopped doing so, failed, or gave no sign in time. */
const pushWasNotEnough = (signal: Signal | undefined, { inbox, run, facts, now }: Asking): boolean => {
  const here = signal !== undefined && signal.head === inbox.pullRequest.head.sha && signal.state !== "absent";
  return here || now - headSince(inbox, run) >= facts.wait.start;
};

/** One trigger per reviewer per head; never while a run or request is pending, never for somebody who takes no part. */
export const requestFor = <O extends object>(spec: ReviewerSpec<O>, asking: Asking): WriteOf<"request"> | undefined => {
  const { inbox, run, facts, ours, text } = asking;
  const { request } = spec;
  const head = inbox.pullRequest.head.sha;
  const party = inbox.parties.find((each) => each.reviewer === facts.name);
  const signal = inbox.signals.find((each) => each.reviewer === facts.name);
  if (party?.awaited !== true || inbox.pullRequest.state !== "open") return undefined;
  const comment = commentOf(spec);
  if (comment === undefined && request.by !== "review-request") return undefined;
  if (signal !== undefined && isFresh(signal, facts, head)) return undefined;
  if (signal?.state === "running" || signal?.state === "requested" || !worthAsking(signal, asking)) return undefined;
  if (inbox.pullRequest.draft && !facts.reviewsDrafts) return undefined;
  if (
    request.by === "push" &&
    (!pushWasNotEnough(signal, asking) || (request.otherwise?.peopleOnly === true && ours.viewer.kind === "bot"))
  )
    return undefined;
  if (run.asked.some((each) => each.reviewer === facts.name && each.head === head && each.state !== "planned")) return undefined;
  const key = requestKey(facts.name, head);
  // Without a journal, our own marker says that this head was asked for.
  if (inbox.comments.some((message) => isOurs(message, ours) && markersIn(message.body).some((mark) => mark.key === key))) return undefined;
  const base = {
    kind: "request",
    key,
    preconditions: { head },
    reviewer: facts.name,
    why: `${facts.name} has not reviewed ${head.slice(0, 10)}`,
  } as const;
  return request.by !== "review-request"
    ? { ...base, by: "comment", body: `${text}\n${markerOf({ key })}` }
    : {
        ...base,
        by: "review-request",
        login: request.login,
        bot: request.bot,
        ...(request.endpoint === undefined ? {} : { endpoint: request.endpoint }),
      };
};

/** Older triggers of ours, once the result is there: never the latest, never a person's. */
export const tidyFor = <O extends object>(spec: ReviewerSpec<O>, { inbox, facts, ours }: Asking): readonly WriteOf<"minimise">[] => {
  if (spec.request.by !== "comment" || spec.request.collapse !== true) return [];
  const signal = inbox.signals.find((each) => each.reviewer === facts.name);
  if (signal?.state !== "reviewed" || signal.head !== inbox.pullRequest.head.sha) return [];
  return triggersOfOurs(spec, inbox, ours)
    .slice(0, -1)
    .filter((message) => !message.minimised && message.viewerCanMinimise)
    .map((message) => ({
      kind: "minimise",
      key: `minimise:${message.id}`,
      preconditions: {},
      comment: message.id,
      classifier: "OUTDATED",
      why: `an older request to ${facts.name}`,
    }));
};

export const asksWith = <O extends object>(asks: Asks, spec: ReviewerSpec<O>, asking: Asking): Asks => {
  const request = requestFor(spec, asking);
  const tidy = tidyFor(spec, asking);
  return request === undefined && tidy.length === 0
    ? asks
    : { ...asks, requests: request === undefined ? asks.requests : [...asks.requests, request], tidy: [...asks.tidy, ...tidy] };
};
