/** Pure: from what a reviewer posted to its one signal for the head. Newest beats older; what can't be bound to the head satisfies nothing. */
import type { Instant, RunState, Sha, Signal, SignalState } from "../model.js";
import type { BodyReading, Posts, ReviewerFacts } from "../plugin.js";
import type { ReadPost } from "./posts.js";

interface Said {
  readonly signal: NonNullable<BodyReading["signal"]>;
  readonly at: Instant;
  readonly head: Sha | undefined;
  readonly check: boolean;
  /** An acknowledgement: weaker than any result. */
  readonly weak: boolean;
  readonly url: string;
}

/** Shortest id that names a commit. */
const SHORT = 7;

/**
 * The head a post is about: by the commit that it names or that GitHub binds it to, else by when heads were seen. A post from before
 * the first head that we saw can't be bound. Never by a commit's date.
 */
export const headOf = ({ post, reading }: ReadPost, posts: Pick<Posts, "head" | "headSince">, run: RunState): Sha | undefined => {
  const named = reading.signal?.reviewedCommit?.toLowerCase();
  if (named !== undefined && named.length >= SHORT) {
    if (posts.head.startsWith(named)) return posts.head;
    return run.heads.find((head) => head.sha.startsWith(named))?.sha ?? named;
  }
  // The description's time moves with everything on the pull request.
  if (post.source === "pr_body") return undefined;
  if (post.commit !== undefined) return post.commit;
  // GitHub bound this review once, and no longer knows the commit.
  if (post.source === "review" && post.at < posts.headSince) return undefined;
  // What answers a request is about the head that was asked for.
  const at = post.source === "reaction" ? Math.min(post.at, post.message?.createdAt ?? post.at) : post.at;
  if (at >= posts.headSince) return posts.head;
  return run.heads.filter((head) => head.at <= at).at(-1)?.sha;
};

const saidIn = (posts: Posts, run: RunState): readonly Said[] =>
  posts.all.flatMap((each): readonly Said[] => {
    const { post, reading } = each;
    if (reading.signal === undefined || reading.superseded === true || post.source === "review_comment") return [];
    const head = headOf(each, posts, run);
    return [
      { signal: reading.signal, at: post.at, head, check: post.source === "check", weak: reading.notAReview === true, url: post.url },
    ];
  });

const newest = (list: readonly Said[]): Said | undefined =>
  list.reduce<Said | undefined>((last, each) => (last === undefined || each.at >= last.at ? each : last), undefined);

/** Said once, true for every later head until something else is said. */
const LASTING = new Set(["service_ended", "disabled", "excluded_author", "not_connected", "free_plan"]);
const lasts = (said: Said): boolean =>
  said.signal.state === "paused" || (said.signal.state === "skipped" && LASTING.has(said.signal.reason ?? ""));

const signalFrom = (reviewer: string, said: Said, head: Sha | undefined, also: readonly Said[] = []): Signal => {
  const { state, reason, retryAfter } = said.signal;
  const pick = <K extends "score" | "verdict" | "verdictRaw" | "counts">(key: K): NonNullable<BodyReading["signal"]>[K] | undefined =>
    said.signal[key] ?? newest(also.filter((each) => each.signal[key] !== undefined))?.signal[key];
  const score = pick("score");
  const verdict = pick("verdict");
  const verdictRaw = said.signal.verdict === undefined ? pick("verdictRaw") : said.signal.verdictRaw;
  const counts = pick("counts");
  return {
    reviewer,
    state,
    ...(head === undefined ? {} : { head }),
    ...(score === undefined ? {} : { score }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(verdictRaw === undefined ? {} : { verdictRaw }),
    ...(counts === undefined ? {} : { counts }),
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    at: said.at,
    ...(said.url === "" ? {} : { url: said.url }),
  };
};

const plainSignal = (reviewer: string, state: SignalState, head: Sha, more: Partial<Signal> = {}): Signal => ({
  reviewer,
  state,
  head,
  ...more,
});

/** GitHub's times are whole seconds: what came in the second of the question came after it. */
const second = (at: Instant): Instant => Math.floor(at / 1000) * 1000;

/** The standard combination. */
export const standardSignal = (facts: ReviewerFacts, posts: Posts, run: RunState, now: Instant): Signal => {
  const { name } = facts;
  const said = saidIn(posts, run);
  const onHead = said.filter((each) => each.head === posts.head);
  const texts = onHead.filter((each) => !each.check && !each.weak && each.signal.state !== "running");
  const checks = onHead.filter((each) => each.check && each.signal.state !== "running");
  const text = newest(texts);
  const check = newest(checks.filter((each) => text === undefined || (each.signal.state !== "reviewed" && each.at > text.at)));
  const strong = newest([text, check].filter((each): each is Said => each !== undefined));
  const latest = strong ?? newest(onHead.filter((each) => each.weak && each.signal.state !== "running"));
  const reviewed = (list: readonly Said[]): readonly Said[] => list.filter((each) => each.signal.state === "reviewed");

  if (!facts.rerun) {
    const here = newest(reviewed(onHead));
    const any = here ?? newest(reviewed(said.filter((each) => !each.weak)));
    if (here !== undefined) return signalFrom(name, here, posts.head, reviewed(texts));
    if (any !== undefined) {
      const { score: _score, verdict: _verdict, verdictRaw: _raw, ...rest } = signalFrom(name, any, any.head);
      return rest;
    }
  }

  const started = newest(
    said.filter(
      (each) =>
        each.signal.state === "running" &&
        (each.head === posts.head ||
          (each.head === undefined && now - each.at < facts.wait.timeout && !said.some((other) => other !== each && other.at > each.at))),
    ),
  );
  const pendingCheck = posts.checks.find((each) => each.state === "pending" && each.head === posts.head);
  if (pendingCheck !== undefined) {
    const url = pendingCheck.url === undefined ? {} : { url: pendingCheck.url };
    return plainSignal(name, "running", posts.head, {
      ...(pendingCheck.startedAt === undefined ? {} : { at: pendingCheck.startedAt }),
      ...url,
    });
  }
  if (started !== undefined && (latest === undefined || started.at > latest.at || (latest.weak && started.at >= latest.at)))
    return signalFrom(name, started, posts.head);

  const { asked } = posts;
  const open = asked !== undefined && asked.state !== "refused" && asked.state !== "dropped";
  const waiting = open && (latest === undefined || latest.at < second(asked.at));
  if (posts.pendingRequest || waiting) return plainSignal(name, "requested", posts.head, asked === undefined ? {} : { at: asked.at });

  if (latest !== undefined) return signalFrom(name, latest, posts.head, latest.signal.state === "reviewed" ? reviewed(texts) : []);
  if (posts.pullRequest.draft && !facts.reviewsDrafts) return plainSignal(name, "skipped", posts.head, { reason: "draft" });

  const older = newest(said.filter((each) => !each.weak && each.signal.state !== "running"));
  if (older === undefined) return plainSignal(name, "absent", posts.head);
  return signalFrom(name, older, lasts(older) ? posts.head : older.head);
};

/** Is this a review of this head, by the reviewer's own rules? */
export const isFresh = (signal: Signal, facts: Pick<ReviewerFacts, "rerun">, head: Sha): boolean =>
  signal.state === "reviewed" && (signal.head === head || !facts.rerun);
