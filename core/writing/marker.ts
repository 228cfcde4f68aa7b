/**
 * The hidden line that makes a post ours. It says which write posted it and which content it answers, so that a lost journal
 * or a lost answer is settled by looking.
 */
import type { Author, DecisionKind, Message } from "../model.js";
import type { Ours } from "../ports.js";
import { ownComments, parseBody } from "../bodies/parse.js";

export interface Mark {
  /** Key of the write that posted it. */
  readonly key: string;
  /** The thread it answers. */
  readonly thread?: string;
  /** The content it answers. */
  readonly contentHash?: string;
  readonly decision?: DecisionKind;
}

const PREFIX = "reviewloop:1 ";
const DECISIONS: ReadonlySet<string> = new Set<DecisionKind>(["actionable", "informational", "false-positive", "nitpick", "judgment"]);

/** `<!-- reviewloop:1 {"k":...} -->`: JSON in which no `--` and no `>` is left, so that nothing in it ends the comment. */
export const markerOf = (mark: Mark): string => {
  const data = {
    k: mark.key,
    ...(mark.thread === undefined ? {} : { t: mark.thread }),
    ...(mark.contentHash === undefined ? {} : { h: mark.contentHash }),
    ...(mark.decision === undefined ? {} : { d: mark.decision }),
  };
  const json = JSON.stringify(data)
    .replace(/[<>]/g, (sign) => (sign === "<" ? "\\u003c" : "\\u003e"))
    .replace(/--/g, "-\\u002d");
  return `<!-- ${PREFIX}${json} -->`;
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const markIn = (content: string): Mark | undefined => {
  if (!content.startsWith(PREFIX)) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(content.slice(PREFIX.length));
  } catch {
    return undefined;
  }
  if (typeof data !== "object" || data === null) return undefined;
  const { k, t, h, d } = data as Readonly<Record<string, unknown>>;
  const key = textOf(k);
  if (key === undefined) return undefined;
  const thread = textOf(t);
  const contentHash = textOf(h);
  const decision = typeof d === "string" && DECISIONS.has(d) ? (d as DecisionKind) : undefined;
  return {
    key,
    ...(thread === undefined ? {} : { thread }),
    ...(contentHash === undefined ? {} : { contentHash }),
    ...(decision === undefined ? {} : { decision }),
  };
};

/** All markers of a body, in order. A marker inside a quote, a code fence or a code span was copied, and is none. */
export const markersIn = (body: string): readonly Mark[] => {
  if (!body.includes(PREFIX)) return [];
  return ownComments(parseBody(body)).flatMap((comment) => {
    const mark = comment.alone ? markIn(comment.content) : undefined;
    return mark === undefined ? [] : [mark];
  });
};

/** One trailing `[bot]` stripped, lower case: how logins are compared everywhere. */
export const normalisedLogin = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, "");

/** Is this the account whose token is used? A user and an app may share a login; the kind tells them apart. */
export const isViewer = (author: Author, ours: Ours): boolean =>
  author.login === normalisedLogin(ours.viewer.login) &&
  (author.kind === "bot") === (ours.viewer.kind === "bot") &&
  author.kind !== "ghost";

/** Is this an account that only agents use? */
export const isIdentity = (author: Author, ours: Ours): boolean =>
  author.kind !== "ghost" && ours.identities.some((identity) => normalisedLogin(identity) === author.login);

/** Marks the one comment that a caller keeps up to date with the report. */
export const STICKY = "<!-- agent-sticky:review-loop -->";

/** Does the body carry that mark itself, not in a quote or a code block? */
export const isSticky = (body: string): boolean =>
  body.includes(STICKY) && ownComments(parseBody(body)).some((comment) => comment.alone && `<!-- ${comment.content.trim()} -->` === STICKY);

/**
 * Ours = our marker and our login, or any post of a login in `identities`. The token's login without our marker is a person;
 * a stranger's copy of the marker is nothing.
 */
export const isOurs = (message: Message, ours: Ours): boolean =>
  isIdentity(message.author, ours) || (isViewer(message.author, ours) && (markersIn(message.body).length > 0 || isSticky(message.body)));
