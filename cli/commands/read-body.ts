/** `read-body`: one JSON object a line in, one out, in the same order; a line that can't be read gives an `error` in its place. */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { look, readBody, ReviewloopError, resolveHere } from "../../index.js";
import type { Author, BodyInput, Inbox, ReviewerFacts } from "../../index.js";
import { builtinPlugins } from "../../plugins/index.js";
import { notReviewers } from "../../plugins/reviewers/not-reviewers.js";
import type { Surroundings } from "../surroundings.js";
import { requestOf, text } from "../flags.js";
import type { Flags } from "../flags.js";

const inputOf = (line: string): BodyInput | string => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return "is not JSON";
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return "is not an object";
  const { source, login_rest: login, author_type: type, body, head } = parsed as Readonly<Record<string, unknown>>;
  if (typeof body !== "string") return 'has no text in "body"';
  if (typeof source !== "string") return 'has no "source" (issue_comment, review, thread, pr_body, check)';
  if (login !== null && typeof login !== "string") return 'has no "login_rest" (null for a deleted account)';
  return {
    source,
    login_rest: login,
    author_type: typeof type === "string" ? type : null,
    body,
    head: typeof head === "string" ? head : null,
  };
};

const TYPES: Readonly<Record<Author["kind"], string>> = {
  bot: "Bot",
  user: "User",
  organization: "Organization",
  mannequin: "Mannequin",
  ghost: "User",
};

const by = (author: Pick<Author, "login" | "kind">): Pick<BodyInput, "login_rest" | "author_type"> =>
  author.kind === "ghost"
    ? { login_rest: null, author_type: null }
    : { login_rest: author.kind === "bot" ? `${author.login}[bot]` : author.login, author_type: TYPES[author.kind] };

/** What stands at an address within a pull request; without a fragment, the description. */
const bodyAt = (inbox: Inbox, fragment: string, reviewers: readonly ReviewerFacts[]): BodyInput | undefined => {
  const [, kind, id] = /^(issuecomment-|discussion_r|pullrequestreview-|r)?(\d+)?$/.exec(fragment) ?? [];
  if (fragment === "") {
    const { body, bodyEditor, author } = inbox.pullRequest;
    if (bodyEditor === undefined) return { source: "pr_body", ...by(author), body };
    // GitHub names the last editor and not its kind: a name that belongs to a bot is a bot's.
    const isBot = reviewers.some((facts) => facts.identities.some((identity) => identity.bot && identity.logins.includes(bodyEditor)));
    return { source: "pr_body", ...by({ login: bodyEditor, kind: isBot ? "bot" : "user" }), body };
  }
  if (kind === undefined || id === undefined) return undefined;
  if (kind === "issuecomment-") {
    const found = inbox.comments.find((message) => message.databaseId === id);
    return found === undefined ? undefined : { source: "issue_comment", ...by(found.author), body: found.body };
  }
  if (kind === "pullrequestreview-") {
    const found = inbox.reviews.find((review) => review.message.databaseId === id);
    if (found === undefined) return undefined;
    return { source: "review", ...by(found.message.author), body: found.message.body, head: found.commit ?? null };
  }
  const found = inbox.reviewThreads.flatMap((thread) => thread.messages).find((message) => message.databaseId === id);
  return found === undefined ? undefined : { source: "thread", ...by(found.author), body: found.body, head: found.commit ?? null };
};

/** Reads the whole pull request: what is read there is exactly what the loop would read. */
const fetched = async (url: string, reviewers: readonly ReviewerFacts[], flags: Flags, surroundings: Surroundings): Promise<BodyInput> => {
  const [page = "", fragment = ""] = url.split("#");
  const { inbox } = await look(requestOf(flags, page.replace(/\/(?:files|commits|changes)\/?$/, ""), surroundings));
  const found = bodyAt(inbox, fragment, reviewers);
  if (found === undefined)
    throw new ReviewloopError("USAGE", { problem: `there is no comment, review or thread at ${url}`, command: "read-body" });
  return found;
};

/** Every built-in reviewer, with what the config lays over it, and the config's own: a body may be of one that is not in force. */
const reviewersFor = async (flags: Flags, surroundings: Surroundings): Promise<readonly ReviewerFacts[]> => {
  const resolved = await resolveHere(requestOf(flags, undefined, surroundings));
  const inForce = resolved.plugins.flatMap((plugin): readonly ReviewerFacts[] => (plugin.reviewer === undefined ? [] : [plugin.reviewer]));
  const others = Object.values(builtinPlugins).flatMap((factory): readonly ReviewerFacts[] =>
    factory.reviewer === undefined || inForce.some((facts) => facts.name === factory.pluginName) ? [] : [factory.reviewer],
  );
  return [...inForce, ...others];
};

export const readBodyCommand = async (flags: Flags, file: string | undefined, surroundings: Surroundings): Promise<number> => {
  const reviewers = await reviewersFor(flags, surroundings);
  const print = (input: BodyInput): void => void surroundings.stdout.write(`${JSON.stringify(readBody(reviewers, input, notReviewers))}\n`);
  const from = text(flags, "from");
  if (from !== undefined) {
    if (file !== undefined) throw new ReviewloopError("USAGE", { problem: "give a file or --from, not both", command: "read-body" });
    print(await fetched(from, reviewers, flags, surroundings));
    return 0;
  }
  const input = file === undefined ? surroundings.stdin : createReadStream(resolve(surroundings.folder, file), "utf8");
  let number = 0;
  let bad = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() === "") continue;
      const read = inputOf(line);
      if (typeof read !== "string") {
        print(read);
        continue;
      }
      bad += 1;
      surroundings.stdout.write(`${JSON.stringify({ error: `line ${number} ${read}` })}\n`);
    }
  } catch (cause) {
    throw new ReviewloopError("USAGE", { problem: `${file ?? "standard input"} can't be read`, command: "read-body" }, { cause });
  }
  return bad === 0 ? 0 : 3;
};
