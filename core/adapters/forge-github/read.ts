/** One complete read: every connection to its end, all of one head, or nothing. */
import { ReviewloopError } from "../../errors.js";
import type { PullRequestRef, Snapshot } from "../../model.js";
import type { Clock } from "../../ports.js";
import { ask } from "./ask.js";
import type { Asking } from "./ask.js";
import { checksOf } from "./checks.js";
import { GithubFailure, kindOfGraphqlError } from "./failure.js";
import type { FailureKind, GraphqlError } from "./failure.js";
import { baseRulesByRest, heldRunsByRest, mergeStateByRest } from "./fallbacks.js";
import { Gathered, Incomplete, present } from "./gathered.js";
import { errorOf } from "./outcome.js";
import { CONNECTIONS, firstQuery, INNER, nextQuery } from "./queries.js";
import type { ConnectionName, Missing } from "./queries.js";
import { Reactions } from "./reactions.js";
import type { MoreReactors } from "./reactions.js";
import type { Page, ReviewPlan } from "./review-plan.js";
import { Reviews } from "./review-sources.js";
import {
  byCreation,
  commentOf,
  eventOf,
  mergeStateOf,
  pullRequestOf,
  requestOf,
  reviewOf,
  rulesOf,
  threadOf,
  viewerOf,
} from "./snapshot.js";
import type { Answer } from "./transport.js";
import type {
  Actor,
  TwoWayConnection,
  WireComment,
  WireConnections,
  WireContext,
  WireDetails,
  WireEvent,
  WireNamedReview,
  WirePin,
  WireReacted,
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
/** Threads whose comments, and lists of reactors, are paged further in one request. */
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
interface ReviewPages {
  /** A hint only: not every server tells, or tells all. */
  readonly reviewers?: { readonly nodes: readonly ({ readonly author: Actor | null } | null)[] | null } | null;
  readonly [page: `page${number}`]: TwoWayConnection<WireReview> | null;
}
interface Next {
  readonly repository: { readonly pullRequest: (WirePin & WireConnections & WireTotals & ReviewPages) | null } | null;
  readonly [thread: `thread${number}`]: NestedThread | null;
  readonly [reacted: `reacted${number}`]: (WireReacted & { readonly id?: string }) | null;
  readonly [named: `named${number}`]: readonly (WireNamedReview | null)[] | null;
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

/** Refusals that concern one part of the reviews only; the chain brings what it would have brought. */
const REFUSALS: ReadonlySet<FailureKind> = new Set(["not-found", "denied", "invalid", "partial"]);
/** The alias of a page beside the chain that an error took away whole. */
const refusedPage = ({ path = [] }: GraphqlError): string | undefined => {
  const name = path[0] === "repository" && path.length === 3 ? String(path[2]) : "";
  return name.startsWith("page") ? name : undefined;
};
/** A page of the unnarrowed connection must come, and so must every entry of a page that came. */
const canDoWithout =
  (pages: readonly Page[]) =>
  (error: GraphqlError): boolean => {
    if (!REFUSALS.has(kindOfGraphqlError(error))) return false;
    const { path = [] } = error;
    if (path[2] === "reviewers" || (path.length === 2 && String(path[0]).startsWith("named"))) return true;
    const page = pages[Number(refusedPage(error)?.slice("page".length))];
    return page?.filter.author !== undefined || page?.filter.verdicts === true;
  };

interface Unread {
  readonly names: readonly ConnectionName[];
  readonly nested: readonly (readonly [string, Gathered<WireReviewComment>])[];
  readonly reactors: readonly MoreReactors[];
  readonly plan: ReviewPlan;
}

class Reading {
  private readonly comments = new Gathered<WireComment>("comments");
  private readonly reactions = new Reactions();
  private readonly reviews = new Reviews();
  private readonly requests = new Gathered<WireRequest>("review requests");
  private readonly timeline = new Gathered<WireEvent>("timeline");
  private readonly threads = new Gathered<WireThread>("review threads");
  private readonly contexts = new Gathered<WireContext>("checks");
  private readonly inner = new Map<string, Gathered<WireReviewComment>>();
  private hasChecks = true;
  /** Of the pull request itself. */
  private id = "";
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
      reviews: this.reviews.chain,
      contexts: this.contexts,
      requests: this.requests,
      timeline: this.timeline,
    };
    return all[name];
  }

  /** One request; where it asks for too much, or the server breaks down under it, half as much is asked for. */
  private async request<T>(
    text: (missing: Missing) => string,
    variables: () => Record<string, unknown>,
    tolerate: (error: GraphqlError) => boolean = () => false,
  ): Promise<Answer<T>> {
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
        return await ask<T>(this.context, text, sized, this.signal, { onFailure, tolerate });
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
      // An id is good for its object wherever that is: what is written to a stranger's thread would stand there.
      if (thread.pullRequest.id !== this.id) throw new Incomplete(`review thread ${thread.id}`, "it belongs to another pull request");
      const comments = new Gathered<WireReviewComment>(`comments of thread ${thread.id}`);
      this.reviews.meet(comments.take(thread.comments));
      this.inner.set(thread.id, comments);
    }
  }

  private takePage(name: ConnectionName, answer: WireConnections, head: string): void {
    switch (name) {
      case "threads":
        return this.takeThreads(answer.reviewThreads);
      case "comments":
        for (const comment of this.comments.take(answer.comments)) this.reactions.meet(comment.id, comment);
        return;
      case "reviews":
        return this.reviews.take(answer.reviews);
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
    const { data: answer } = await this.request<First>(firstQuery, () => Object.fromEntries(CONNECTIONS.map((name) => [name, null])));
    const viewer = present(answer.viewer, "viewer");
    const repository = present(answer.repository, "repository");
    const details = present(repository.pullRequest, "pull request");
    this.id = details.id;
    this.reactions.meet(details.id, details);
    for (const name of CONNECTIONS) this.takePage(name, details, details.headRefOid);
    return { viewer, repository, details };
  }

  private unread(): Unread {
    return {
      names: CONNECTIONS.filter((name) => this.connection(name).more),
      nested: [...this.inner].filter(([, comments]) => comments.more).slice(0, NESTED),
      reactors: this.reactions.more(NESTED),
      plan: this.reviews.plan(this.size),
    };
  }

  private async next(pin: WireDetails, { names, nested, reactors, plan }: Unread): Promise<void> {
    const { pages } = plan;
    let lookups = plan.lookups;
    const { data: answer, errors } = await this.request<Next>(
      (missing) => nextQuery({ names, threads: nested.length, reactors: reactors.length, plan }, missing),
      () => {
        // Half as much may be asked for by now; ids that are left over are asked for later.
        lookups = plan.lookups.map((ids) => ids.slice(0, this.size));
        return Object.fromEntries<unknown>([
          ...names.map((name) => [name, this.connection(name).cursor] as const),
          ...nested.flatMap(([id, comments], i) => [[`thread${i}`, id] as const, [`after${i}`, comments.cursor] as const]),
          ...reactors.flatMap(({ on, cursor }, i) => [[`reacted${i}`, on] as const, [`reactedAfter${i}`, cursor] as const]),
          ...pages.map((page, i) => [`pageCursor${i}`, this.reviews.cursor(page)] as const),
          ...pages.flatMap(({ filter }, i) => (filter.author === undefined ? [] : [[`pageAuthor${i}`, filter.author] as const])),
          ...lookups.map((ids, i) => [`ids${i}`, ids] as const),
        ]);
      },
      canDoWithout(pages),
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
    const refused = new Set(errors.map(refusedPage));
    for (const [i, page] of pages.entries()) {
      if (refused.has(`page${i}`)) this.reviews.refuse(page);
      else this.reviews.takePage(page, now[`page${i}`]);
    }
    for (const [i, ids] of lookups.entries()) this.reviews.takeNamed(ids, answer[`named${i}`], pin.id);
    this.reviews.meetAuthors(now.reviewers?.nodes);
    this.reviews.settle();
    for (const [i, [id, comments]] of nested.entries()) {
      const thread = present(answer[`thread${i}`], `thread ${id}`);
      if (thread.id !== id) throw new Incomplete(`thread ${id}`, "GitHub answered for another one");
      this.reviews.meet(comments.take(thread.comments));
    }
    for (const [i, list] of reactors.entries()) this.reactions.takeMore(list, answer[`reacted${i}`]);
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
      if (name === "reviews") this.reviews.again();
      else this.connection(name).again();
      if (name === "threads" && this.threads.cursor === null) this.inner.clear();
    }
    await this.context.clock.sleep(PAUSE, this.signal);
  }

  async whole(): Promise<Snapshot> {
    const { clock, token, transport, missing } = this.context;
    const readAt = clock.now();
    const { viewer, repository, details } = await this.first();
    for (let round = 0; ;) {
      const unread = this.unread();
      if (unread.names.length > 0 || unread.nested.length > 0 || unread.reactors.length > 0) {
        await this.next(details, unread);
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
    const held = this.hasChecks || !details.isCrossRepository ? null : await heldRunsByRest(transport, this.ref, head, this.signal);
    return {
      readAt,
      viewer: viewerOf(viewer, token),
      pullRequest: pullRequestOf(this.ref, details, repository, rules, mergeState),
      reviewThreads: this.threads.nodes.map((thread) => threadOf(thread, this.messagesOf(thread))),
      reviews: this.reviews.chain.nodes.toSorted(byCreation).map(reviewOf),
      comments: this.comments.nodes.map(commentOf).toSorted((a, b) => a.createdAt - b.createdAt),
      reactions: this.reactions.to([details.id, ...this.comments.nodes.map(({ id }) => id)]),
      checks: this.hasChecks ? checksOf(this.contexts.nodes, head, rules.requiredChecks) : held,
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
