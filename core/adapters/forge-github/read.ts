/** One complete read: every connection to its end, all of one head, or nothing. */
import { ReviewloopError } from "../../errors.js";
import type { PullRequestRef, Snapshot } from "../../model.js";
import type { Clock } from "../../ports.js";
import { ask } from "./ask.js";
import type { Asking } from "./ask.js";
import { checksOf } from "./checks.js";
import { GithubFailure } from "./failure.js";
import { baseRulesByRest, mergeStateByRest } from "./fallbacks.js";
import { Gathered, Incomplete, present } from "./gathered.js";
import { errorOf } from "./outcome.js";
import { CONNECTIONS, firstQuery, INNER, nextQuery } from "./queries.js";
import type { ConnectionName, Missing } from "./queries.js";
import { commentOf, eventOf, mergeStateOf, pullRequestOf, requestOf, reviewOf, rulesOf, threadOf, viewerOf } from "./snapshot.js";
import type {
  WireConnections,
  WireContext,
  WireDetails,
  WireEvent,
  WireMessage,
  WirePin,
  WireRepository,
  WireRequest,
  WireReview,
  WireReviewComment,
  WireRollup,
  WireThread,
  WireTotals,
  WireViewer,
} from "./wire.js";

const ATTEMPTS = 3;
/** Times that connections whose count does not fit are looked at again within one attempt. */
const RECONCILIATIONS = 4;
const MAX_REQUESTS = 500;
const PAGE_SIZE = 100;
/** Threads whose comments are paged further in one request. */
const NESTED = 50;
const PAUSE = 1_000;

interface First {
  readonly viewer: WireViewer | null;
  readonly repository: (WireRepository & { readonly pullRequest: (WireDetails & WireConnections) | null }) | null;
}
interface NestedThread {
  readonly id?: string;
  readonly comments?: WireThread["comments"];
}
interface Next {
  readonly repository: { readonly pullRequest: (WirePin & WireConnections & WireTotals) | null } | null;
  readonly [thread: `thread${number}`]: NestedThread | null;
}

export interface ReadContext extends Asking {
  readonly clock: Clock;
  readonly host: string;
  readonly token: string;
}

/** The pull request changed under the read: not a fault, but two halves that don't belong together. */
class Moved extends Error {}

const samePin = (a: WirePin, b: WirePin): boolean =>
  a.headRefOid === b.headRefOid && a.baseRefOid === b.baseRefOid && a.state === b.state && a.isDraft === b.isDraft;

/** `null`: nothing is attached to this head. Absent: the server has it on the last commit only. */
const rollupOf = (answer: WireConnections, head: string): WireRollup | null => {
  if (answer.statusCheckRollup !== undefined) return answer.statusCheckRollup;
  const last = present(present(answer.commits, "checks").nodes, "checks")[0];
  const commit = present(last, "checks, last commit").commit;
  if (commit.oid !== head) throw new Moved("the last commit is not the head");
  return commit.statusCheckRollup;
};

class Reading {
  private readonly comments = new Gathered<WireMessage>("comments");
  private readonly reviews = new Gathered<WireReview>("reviews");
  private readonly requests = new Gathered<WireRequest>("review requests");
  private readonly timeline = new Gathered<WireEvent>("timeline");
  private readonly threads = new Gathered<WireThread>("review threads");
  private readonly contexts = new Gathered<WireContext>("checks");
  private readonly inner = new Map<string, Gathered<WireReviewComment>>();
  private hasChecks = true;
  private size = PAGE_SIZE;
  private requestCount = 0;
  private readonly context: ReadContext;
  private readonly ref: PullRequestRef;
  private readonly signal: AbortSignal | undefined;

  constructor(context: ReadContext, ref: PullRequestRef, signal: AbortSignal | undefined) {
    this.context = context;
    this.ref = ref;
    this.signal = signal;
  }

  private connection(name: ConnectionName): Gathered<{ readonly id: string }> {
    const all = {
      threads: this.threads,
      comments: this.comments,
      reviews: this.reviews,
      contexts: this.contexts,
      requests: this.requests,
      timeline: this.timeline,
    };
    return all[name];
  }

  /** One request; where it asks for too much, or the server breaks down under it, half as much is asked for. */
  private async request<T>(text: (missing: Missing) => string, variables: () => Record<string, unknown>): Promise<T> {
    const { owner, name, number } = this.ref;
    for (;;) {
      this.requestCount += 1;
      if (this.requestCount > MAX_REQUESTS) throw new Incomplete("the pull request", `more than ${MAX_REQUESTS} requests`);
      try {
        let faults = 0;
        const sized = () => ({ owner, name, number, size: this.size, inner: Math.min(INNER, this.size), ...variables() });
        const onFailure = (failure: GithubFailure) => {
          // GitHub gives up on a query after ten seconds, with 502 or 504.
          if (failure.facts.status === 502 || failure.facts.status === 504) faults += 1;
          if (faults >= 2) this.halve();
        };
        return (await ask<T>(this.context, text, sized, this.signal, { onFailure })).data;
      } catch (thrown) {
        if (!(thrown instanceof GithubFailure) || thrown.kind !== "too-large" || this.size === 1) throw thrown;
        this.halve();
      }
    }
  }

  private halve(): void {
    this.size = Math.max(1, Math.floor(this.size / 2));
  }

  private takeThreads(connection: WireConnections["reviewThreads"]): void {
    for (const thread of this.threads.take(connection)) {
      const comments = new Gathered<WireReviewComment>(`comments of thread ${thread.id}`);
      comments.take(thread.comments);
      this.inner.set(thread.id, comments);
    }
  }

  private takePage(name: ConnectionName, answer: WireConnections, head: string): void {
    switch (name) {
      case "threads":
        return this.takeThreads(answer.reviewThreads);
      case "comments":
        return void this.comments.take(answer.comments);
      case "reviews":
        return void this.reviews.take(answer.reviews);
      case "requests":
        return void this.requests.take(answer.reviewRequests);
      case "timeline":
        return void this.timeline.take(answer.timelineItems);
      case "contexts":
        return this.takeChecks(rollupOf(answer, head));
    }
  }

  private takeChecks(rollup: WireRollup | null): void {
    this.hasChecks = rollup !== null;
    if (rollup === null) this.contexts.more = false;
    else this.contexts.take(rollup.contexts);
  }

  private async first(): Promise<{ viewer: WireViewer; repository: WireRepository; details: WireDetails }> {
    const answer = await this.request<First>(firstQuery, () => Object.fromEntries(CONNECTIONS.map((name) => [name, null])));
    const viewer = present(answer.viewer, "viewer");
    const repository = present(answer.repository, "repository");
    const details = present(repository.pullRequest, "pull request");
    for (const name of CONNECTIONS) this.takePage(name, details, details.headRefOid);
    return { viewer, repository, details };
  }

  private unread(): { names: ConnectionName[]; nested: [string, Gathered<WireReviewComment>][] } {
    return {
      names: CONNECTIONS.filter((name) => this.connection(name).more),
      nested: [...this.inner].filter(([, comments]) => comments.more).slice(0, NESTED),
    };
  }

  private async next(
    pin: WirePin,
    names: readonly ConnectionName[],
    nested: readonly [string, Gathered<WireReviewComment>][],
  ): Promise<void> {
    const answer = await this.request<Next>(
      (missing) => nextQuery(names, nested.length, missing),
      () => ({
        ...Object.fromEntries(names.map((name) => [name, this.connection(name).cursor])),
        ...Object.fromEntries(
          nested.flatMap(([id, comments], i) => [[`thread${i}`, id] as const, [`after${i}`, comments.cursor] as const]),
        ),
      }),
    );
    const now = present(present(answer.repository, "repository").pullRequest, "pull request");
    if (!samePin(pin, now)) throw new Moved("head, base or state changed");
    this.threads.count(now.threadTotal);
    this.comments.count(now.commentTotal);
    this.reviews.count(now.reviewTotal);
    this.requests.count(now.requestTotal);
    const rollup = rollupOf(now, pin.headRefOid);
    if ((rollup !== null) !== this.hasChecks) throw new Moved("checks were registered");
    if (rollup !== null) this.contexts.count(rollup.contextTotal);
    for (const name of names) this.takePage(name, now, pin.headRefOid);
    for (const [i, [id, comments]] of nested.entries()) {
      const thread = present(answer[`thread${i}`], `thread ${id}`);
      if (thread.id !== id) throw new Incomplete(`thread ${id}`, "GitHub answered for another one");
      comments.take(thread.comments);
    }
  }

  /** Connections whose count does not fit. The timeline's `totalCount` leaves its filter out of account on some servers. */
  private misfits(): ConnectionName[] {
    return CONNECTIONS.filter((name) => name !== "timeline" && (name !== "contexts" || this.hasChecks) && !this.connection(name).complete);
  }

  private async reconcile(misfits: readonly ConnectionName[], round: number): Promise<void> {
    if (round > RECONCILIATIONS) {
      const said = misfits.map((name) => `${this.connection(name).said} ${this.connection(name).part}`).join(", ");
      throw new Incomplete("the pull request", `GitHub gave ${said}`);
    }
    for (const name of misfits) {
      this.connection(name).again();
      if (name === "threads" && this.threads.cursor === null) this.inner.clear();
    }
    await this.context.clock.sleep(PAUSE, this.signal);
  }

  async whole(): Promise<Snapshot> {
    const { clock, token, transport, missing } = this.context;
    const readAt = clock.now();
    const { viewer, repository, details } = await this.first();
    for (let round = 0; ;) {
      const { names, nested } = this.unread();
      if (names.length > 0 || nested.length > 0) {
        await this.next(details, names, nested);
        continue;
      }
      const misfits = this.misfits();
      if (misfits.length === 0) break;
      round += 1;
      await this.reconcile(misfits, round);
    }
    const head = details.headRefOid;
    const rules = missing.has("Ref.refUpdateRule")
      ? await baseRulesByRest(transport, this.ref, details.baseRefName, this.signal)
      : rulesOf(details);
    const mergeState = missing.has("PullRequest.mergeStateStatus")
      ? await mergeStateByRest(transport, this.ref, head, this.signal)
      : mergeStateOf(details.mergeStateStatus);
    return {
      readAt,
      viewer: viewerOf(viewer, token),
      pullRequest: pullRequestOf(this.ref, details, repository, rules, mergeState),
      reviewThreads: this.threads.nodes.map((thread) => threadOf(thread, this.messagesOf(thread))),
      reviews: this.reviews.nodes.map(reviewOf),
      comments: this.comments.nodes.map(commentOf).toSorted((a, b) => a.createdAt - b.createdAt),
      checks: this.hasChecks ? checksOf(this.contexts.nodes, head, rules.requiredChecks) : null,
      requests: this.requests.nodes.map(requestOf),
      timeline: this.timeline.nodes.map(eventOf),
    };
  }

  private messagesOf(thread: WireThread): readonly WireReviewComment[] {
    const comments = present(this.inner.get(thread.id), `comments of thread ${thread.id}`);
    if (!comments.complete) throw new Incomplete(comments.part, `GitHub gave ${comments.said}`);
    return comments.nodes;
  }
}

/** Reads all of it, or throws. A read that finds the pull request moved, or a hole in an answer, begins anew, three times at most. */
export const readWhole = async (context: ReadContext, ref: PullRequestRef, signal?: AbortSignal): Promise<Snapshot> => {
  const name = `${ref.owner}/${ref.name}#${ref.number}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new Reading(context, ref, signal).whole();
    } catch (thrown) {
      const stale = thrown instanceof GithubFailure && thrown.kind === "stale-cursor";
      if (thrown instanceof GithubFailure && !stale) throw errorOf(thrown, { host: context.host, what: name, ref: name });
      const again = stale || thrown instanceof Moved || thrown instanceof Incomplete;
      if (!again) throw thrown;
      if (attempt === ATTEMPTS) throw new ReviewloopError("READ_INCOMPLETE", { what: name, problem: thrown.message });
      await context.clock.sleep(PAUSE * attempt, signal);
    }
  }
};
