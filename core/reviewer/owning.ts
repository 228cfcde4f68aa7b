/** Pure: whose words a message is. Logins are compared whole; a marker counts only in the author's own words. */
import type { Author, Message, Reaction } from "../model.js";
import type { Ours } from "../ports.js";
import type { Identity } from "../plugin.js";
import { ownComments, ownWords, parseBody } from "../bodies/parse.js";
import { isIdentity, isViewer } from "../writing/marker.js";

const WRITERS: ReadonlySet<Author["association"]> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** Text that markers are looked for in: own words and own HTML comments, no quotes and no code. */
const marked = (body: string): string => {
  const parsed = parseBody(body);
  const comments = ownComments(parsed).map((comment) => `<!-- ${comment.content} -->`);
  return [...comments, ownWords(parsed)].join("\n");
};

const accountFits = (identity: Identity, author: Author, ours: Ours | undefined): boolean => {
  if (author.kind === "ghost" || (identity.bot && author.kind !== "bot")) return false;
  if (identity.logins.length > 0) return identity.logins.includes(author.login);
  if (identity.bot || author.kind === "bot") return false;
  return WRITERS.has(author.association) || (ours !== undefined && (isViewer(author, ours) || isIdentity(author, ours)));
};

/**
 * Is it this reviewer's? Without a body only accounts that belong to it alone are. An account that is no bot, or that several
 * reviewers share, needs the body's marker: people quote bots.
 */
export const ownsText = (identities: readonly Identity[], author: Author, body: string | undefined, ours?: Ours): boolean => {
  const fitting = identities.filter((identity) => accountFits(identity, author, ours));
  if (fitting.length === 0) return false;
  if (body === undefined) return fitting.some((identity) => identity.bot && identity.marker === undefined);
  const text = fitting.some((identity) => identity.marker !== undefined || identity.not !== undefined) ? marked(body) : "";
  return fitting.some((identity) => (identity.marker?.test(text) ?? identity.bot) && identity.not?.test(text) !== true);
};

/** A reaction has no text: only an account that belongs to the reviewer alone proves it. */
export const ownsReaction = (identities: readonly Identity[], reaction: Reaction): boolean =>
  identities.some(
    ({ bot, marker, logins, accounts = [] }) =>
      bot &&
      marker === undefined &&
      logins.includes(reaction.login) &&
      (reaction.bot || (reaction.account !== undefined && accounts.includes(reaction.account))),
  );

export const ownsMessage = (identities: readonly Identity[], message: Message, ours: Ours): boolean =>
  ownsText(identities, message.author, message.body, ours);
