/** Pure: what a reviewer says it posted for a head, held against what was read. */
import type { Inbox, Instant, RunState, Sha, Signal, Thread } from "../model.js";
import type { Posts, ReviewerFacts } from "../plugin.js";
import { inlineTwin } from "./points.js";
import type { ReadPost } from "./posts.js";
import { headOf } from "./signal.js";

/** A post that counts more than what is here. */
export interface Shortfall {
  readonly said: number;
  readonly here: number;
  readonly at: Instant;
  readonly url: string;
}

/**
 * A review counts what came with it: its own inline comments, those that its text links to, and the points that only its text has. A
 * summary and a check count all that is there, whichever review it came with. `hiddenCounted`: what the reviewer counts as hidden is
 * listed somewhere, so that it must be here too.
 */
const shortfallOf = (each: ReadPost, inline: readonly Thread[], posts: Posts, hiddenCounted: boolean): Shortfall | undefined => {
  const { post, reading } = each;
  const counts = reading.signal?.counts;
  if (counts === undefined) return undefined;
  const said = (counts.posted ?? 0) + (hiddenCounted ? (counts.hidden ?? 0) : 0);
  const raised = new Map(posts.inbox.reviewThreads.map((thread) => [thread.id, thread.review]));
  const all = post.source !== "review";
  const came = new Set(
    // Where GitHub does not say with which review a thread came, it may be this one.
    inline.filter((thread) => all || (raised.get(thread.id) ?? post.id) === post.id).map((thread) => thread.id),
  );
  let bodyOnly = 0;
  for (const { post: other, reading: also } of posts.all) {
    if (other.source === "review_comment" || (other !== post && post.source !== "check")) continue;
    for (const finding of also.findings) {
      const twin = inlineTwin(finding, inline);
      if (twin === undefined) bodyOnly += 1;
      else came.add(twin.id);
    }
  }
  const here = came.size + bodyOnly;
  return here < said ? { said, here, at: post.at, url: post.url } : undefined;
};

/** Of reviews, of summaries and of checks the newest each: a review anew settles what one before it left open. */
const shortfallAt = (head: Sha, posts: Posts, run: RunState, inline: readonly Thread[], hiddenCounted: boolean): Shortfall | undefined => {
  const said = posts.all
    .filter(({ post, reading }) => post.source !== "review_comment" && reading.superseded !== true && reading.notAReview !== true)
    .filter((each) => each.reading.signal?.state === "reviewed" && headOf(each, posts, run) === head);
  const newest = new Map(said.map((each) => [each.post.source, each]));
  return [...newest.values()].map((each) => shortfallOf(each, inline, posts, hiddenCounted)).find((each) => each !== undefined);
};

/**
 * A review of which a part is missing is no result. Comments may follow their review one by one: for the time that the reviewer has to
 * show its first sign (`wait.start`) it counts as running, after that as `unknown`, with both numbers.
 */
export const reconciled = (
  signal: Signal,
  facts: ReviewerFacts,
  posts: Posts,
  how: { readonly threads: Inbox["threads"]; readonly run: RunState; readonly now: Instant; readonly hiddenCounted: boolean },
): Signal => {
  if (signal.state !== "reviewed" || signal.head === undefined) return signal;
  const inline = how.threads.filter((thread) => thread.source === "inline" && thread.reviewer === facts.name);
  const short = shortfallAt(signal.head, posts, how.run, inline, how.hiddenCounted);
  if (short === undefined) return signal;
  const { verdict: _verdict, score: _score, ...rest } = signal;
  const until = short.at + facts.wait.start;
  const missing = {
    reason: `it says ${short.said} and ${short.here} can be read; another review settles it`,
    ...(short.url === "" ? {} : { url: short.url }),
  };
  return how.now < until ? { ...rest, state: "running", ...missing, lookAt: until } : { ...rest, state: "unknown", ...missing };
};
