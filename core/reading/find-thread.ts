/** Pure: which thread a person means by an id, a comment's id or a URL. */
import { ReviewloopError } from "../errors.js";
import type { Thread } from "../model.js";

const ANCHOR = /#(?:discussion_r|issuecomment-|pullrequestreview-|r)(\d+)$/;

const named = (thread: Thread, given: string): boolean => {
  const number = ANCHOR.exec(given)?.[1] ?? (/^\d+$/.test(given) ? given : undefined);
  return thread.messages.some(
    (message) => message.id === given || message.url === given || (number !== undefined && message.databaseId === number),
  );
};

/** Throws `USAGE` where no thread, or more than one, is meant. */
export const findThread = (threads: readonly Thread[], given: string): Thread => {
  const exact = threads.find((thread) => thread.id === given);
  if (exact !== undefined) return exact;
  const found = threads.filter((thread) => named(thread, given));
  const [first, ...others] = found;
  if (first === undefined)
    throw new ReviewloopError(
      "USAGE",
      { problem: `There is no thread "${given}" on this pull request.` },
      { hint: "reviewloop threads --all lists every thread with its id." },
    );
  if (others.length > 0)
    throw new ReviewloopError(
      "USAGE",
      { problem: `"${given}" holds ${found.length} points.` },
      { hint: `Name one of: ${found.map((thread) => thread.id).join(", ")}` },
    );
  return first;
};
