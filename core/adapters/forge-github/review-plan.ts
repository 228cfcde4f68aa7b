/**
 * What to ask next for the reviews of a pull request. Pure.
 *
 * Each reply makes a review of its own, so there may be thousands, and a connection gives a hundred a page. The chain of
 * pages from the first review on is always followed; where much is left, one request also brings pages of the other end, of
 * parts of the connection (an author's reviews, the verdicts), and reviews that comments named, by their ids. Everything that
 * arrives is one set: it is whole when it has as many entries as the connection's own `totalCount` says, and no part lacks any.
 *
 * A thousand threads with four replies each are then read with the requests that their threads take, whoever replied. What can
 * still cost more: thousands of reviews without a comment, all plain comments, and all by one account.
 */

export type End = "first" | "last";

/** Narrows `reviews(...)`; nothing given: the connection itself. */
export interface Filter {
  readonly author?: string;
  /** All but plain comments. */
  readonly verdicts?: true;
}

/** How far a part of the connection has been read. Both ends go over the same entries, towards each other. */
export interface Part {
  readonly filter: Filter;
  /** Undefined: never asked for. */
  readonly total: number | undefined;
  /** Entries that each end brought. */
  readonly read: Readonly<Record<End, number>>;
  /** Entries of this part that are here, whatever brought them. */
  readonly here: number;
  /** One end has come to the other, or the server would not give this part. */
  readonly over: boolean;
}

export interface Page {
  readonly filter: Filter;
  readonly end: End;
}

export interface ReviewPlan {
  /** Beside the next page of the chain. */
  readonly pages: readonly Page[];
  /** Ids to look up, as many a batch as a page may have entries. */
  readonly lookups: readonly (readonly string[])[];
  /** Ask who has reviewed: a hint at parts, nothing that is counted on. */
  readonly reviewers: boolean;
}

export interface Known {
  /** Entries a page. */
  readonly size: number;
  /** The connection itself; its first end is the chain, which is followed anyway. */
  readonly whole: Part & { readonly total: number };
  readonly parts: readonly Part[];
  /** Ids of reviews that comments named and that are not here yet. */
  readonly named: readonly string[];
}

/** Pages and batches beside the chain in one request: GitHub ends one that takes more than ten seconds. */
export const BESIDE = 8;
/** A page of threads with five messages each names some 400 reviews. */
export const LOOKUPS = 4;

export const NOTHING: ReviewPlan = { pages: [], lookups: [], reviewers: false };

const unread = ({ total, read }: Part): number => (total === undefined ? Infinity : total - read.first - read.last);
const lacking = ({ total, here }: Part): number => (total === undefined ? Infinity : total - here);

const batches = (ids: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.min(LOOKUPS, Math.ceil(ids.length / size)) }, (_, i) => ids.slice(i * size, (i + 1) * size));

/** A part as long as the whole is the whole: it tells nothing of its own. */
const isNarrower = ({ total }: Part, whole: Part): boolean => total === undefined || (whole.total !== undefined && total < whole.total);

/** A part whose own count does not fit: whatever the whole count says, something of it is not here. */
export const lacksOfAPart = ({ whole, parts }: Pick<Known, "whole" | "parts">): boolean =>
  parts.some((part) => part.total !== undefined && isNarrower(part, whole) && lacking(part) > 0);

export const planReviews = ({ size, whole, parts, named }: Known): ReviewPlan => {
  // What the chain reaches with its next page, or with the other end's, needs nothing else.
  if (unread(whole) <= size) return NOTHING;
  const back: Page = { filter: whole.filter, end: "last" };
  if (unread(whole) <= 2 * size) return { ...NOTHING, pages: [back] };
  const lookups = batches(named, size);
  // Parts never asked for come first (most are short), then the one that lacks most.
  const open = parts
    .filter((part) => !part.over && lacking(part) > 0 && isNarrower(part, whole))
    .toSorted((a, b) => (lacking(a) === lacking(b) ? 0 : lacking(b) - lacking(a)));
  const pages: readonly Page[] = [
    back,
    ...open.map(({ filter }): Page => ({ filter, end: "first" })),
    ...open.filter((part) => part.total !== undefined && unread(part) > size).map(({ filter }): Page => ({ filter, end: "last" })),
  ];
  return { pages: pages.slice(0, BESIDE - lookups.length), lookups, reviewers: true };
};
