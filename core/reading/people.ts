/** Pure: people whose review is requested again. It is the only thing the loop ever does about a human review. */
import type { Inbox, Review, RunState, WriteOf } from "../model.js";
import { isPerson } from "./standing.js";
import type { Settings } from "../settings.js";

const OPINIONS: ReadonlySet<Review["state"]> = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);

/** The newest opinion of each person, by login; a comment is no opinion. */
const opinions = (inbox: Inbox): ReadonlyMap<string, Review> => {
  const newest = new Map<string, Review>();
  for (const review of inbox.reviews) {
    const { login, kind } = review.message.author;
    if (kind !== "user" || !OPINIONS.has(review.state)) continue;
    const before = newest.get(login);
    if (before === undefined || (review.submittedAt ?? 0) >= (before.submittedAt ?? 0)) newest.set(login, review);
  }
  return newest;
};

/**
 * Whoever requested changes is asked again, once per run, when all their points are answered and something has come of them: an answer
 * of ours or a push since.
 */
export const peopleToAsk = (inbox: Inbox, run: RunState, settings: Pick<Settings, "people">): readonly WriteOf<"request">[] => {
  const { pullRequest } = inbox;
  if (settings.people.rerequest === "never" || pullRequest.state !== "open") return [];
  const head = pullRequest.head.sha;
  return [...opinions(inbox)].flatMap(([login, review]): readonly WriteOf<"request">[] => {
    if (review.state !== "CHANGES_REQUESTED" || login === pullRequest.author.login || login === inbox.viewer.login) return [];
    if (inbox.requests.some((request) => request.login === login)) return [];
    const theirs = inbox.threads.filter((thread) => isPerson(thread) && thread.author.login === login);
    if (theirs.some((thread) => thread.open && !thread.answered)) return [];
    const since = review.submittedAt ?? 0;
    const answered = theirs.some((thread) => thread.answered && (thread.messages.at(-1)?.createdAt ?? 0) >= since);
    const pushed = review.commit !== head && run.pushes.includes(head);
    const key = `request:@${login}:${run.id}`;
    if ((!answered && !pushed) || run.writes[key] !== undefined) return [];
    return [
      {
        kind: "request",
        key,
        reviewer: `@${login}`,
        by: "review-request",
        login,
        bot: false,
        preconditions: { head },
        why: `${login} requested changes, and every point is answered`,
      },
    ];
  });
};
