/** Pure: which reviewers take part here, and whom the target asks, awaits and lets block. */
import type { Author, Inbox, Message, Party, Snapshot } from "../model.js";
import type { Awaits, ReviewerFacts } from "../plugin.js";
import { ownsReaction, ownsText } from "../reviewer/owning.js";

/** Is this text the reviewer's? People quote bots: without a bot account, only a marker proves it. */
export const owns = (facts: Pick<ReviewerFacts, "identities">, author: Author, body?: string): boolean =>
  ownsText(facts.identities, author, body);

const messagesOf = (snapshot: Snapshot): readonly Message[] => [
  ...snapshot.reviewThreads.flatMap((thread) => thread.messages),
  ...snapshot.reviews.map((review) => review.message),
  ...snapshot.comments,
];

/** Seen on this pull request: its own post, reaction, check or request. */
export const seenHere = (snapshot: Snapshot, facts: ReviewerFacts): boolean =>
  messagesOf(snapshot).some((message) => owns(facts, message.author, message.body)) ||
  snapshot.reactions.some((reaction) => ownsReaction(facts.identities, reaction)) ||
  (snapshot.checks ?? []).some((check) => facts.check?.test(check.name) ?? false) ||
  snapshot.requests.some((request) => facts.identities.some((identity) => identity.logins.includes(request.login)));

const awaited = (awaits: Awaits, required: boolean, seen: boolean): boolean => {
  if (awaits === "nobody") return false;
  return awaits === "required" ? required : required || seen;
};

export const partiesOf = (
  snapshot: Snapshot,
  reviewers: readonly ReviewerFacts[],
  awaits: Awaits,
  /** Names of reviewers that were met elsewhere in this repository. */
  seenElsewhere: ReadonlySet<string>,
): readonly Party[] =>
  reviewers.map((facts) => {
    const seen = seenElsewhere.has(facts.name) || seenHere(snapshot, facts);
    return { reviewer: facts.name, required: facts.required, seen, awaited: awaited(awaits, facts.required, seen) };
  });

/** Bots that posted here and that no reviewer plugin claims: listed, never triggered. */
export const unknownBots = (snapshot: Snapshot, reviewers: readonly ReviewerFacts[]): readonly string[] => {
  const logins = messagesOf(snapshot)
    .filter(
      (message) =>
        message.author.kind === "bot" &&
        !reviewers.some((facts) => facts.identities.some((identity) => identity.logins.includes(message.author.login))),
    )
    .map((message) => message.author.login);
  return [...new Set(logins)].sort();
};

export const partyOf = (inbox: Inbox, reviewer: string): Party | undefined => inbox.parties.find((party) => party.reviewer === reviewer);
