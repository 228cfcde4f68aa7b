/** Where reviews come from beside the chain of pages: what is known of it, and what each answer adds. */
import { assertGoesOn, entriesOf, Gathered, Incomplete, present } from "./gathered.js";
import { lacksOfAPart, NOTHING, planReviews } from "./review-plan.js";
import type { End, Filter, Known, Page, Part, ReviewPlan } from "./review-plan.js";
import type { Actor, Connection, Counted, TwoWayConnection, WireNamedReview, WireReview, WireReviewComment } from "./wire.js";

interface Progress {
  total: number | undefined;
  readonly read: Record<End, number>;
  readonly cursors: Record<End, string | null>;
  over: boolean;
}

const keyOf = ({ author, verdicts }: Filter): string => (verdicts === true ? "verdicts" : author === undefined ? "" : `by ${author}`);
const WHOLE: Filter = {};
const VERDICTS: Filter = { verdicts: true };

export class Reviews {
  readonly chain = new Gathered<WireReview>("reviews");
  private readonly progress = new Map<string, Progress>();
  private readonly authors = new Set<string>();
  private readonly named = new Set<string>();
  /** Looked up, found or not. */
  private readonly tried = new Set<string>();
  /** The count did not fit though nothing was taken away: from then on only the chain is believed. */
  private plain = false;
  private joined = false;
  /** Some came since the last answer. */
  private risen = false;

  /** A comment names its review and that review's author. */
  meet(comments: readonly WireReviewComment[]): void {
    this.meetAuthors(comments);
    for (const { pullRequestReview } of comments) if (pullRequestReview !== null) this.named.add(pullRequestReview.id);
  }

  /** Whoever is met as an author may have more. What is not told is no harm. */
  meetAuthors(posts: readonly ({ readonly author: Actor | null } | null)[] | null | undefined): void {
    for (const post of posts ?? []) if (post?.author) this.authors.add(post.author.login);
  }

  /** Takes the chain's next page in. */
  take(connection: Connection<WireReview> | null | undefined): void {
    this.meetAuthors(this.chain.take(connection));
  }

  /** How many there are now. */
  count(counted: Counted | null | undefined): void {
    const before = this.chain.total;
    this.chain.count(counted);
    this.risen = this.chain.total > before;
  }

  plan(size: number): ReviewPlan {
    if (this.plain || !this.chain.more) return NOTHING;
    return planReviews({ size, ...this.known(), named: [...this.named].filter((id) => !this.chain.has(id) && !this.tried.has(id)) });
  }

  /** To be called when all of an answer has been taken in. */
  settle(): void {
    // The newest are at the other end: it is begun anew.
    if (this.risen) this.progress.delete(keyOf(WHOLE));
    this.risen = false;
    if (this.joined && (this.chain.shrunk || !lacksOfAPart(this.known()))) this.chain.settle();
  }

  private known(): Pick<Known, "whole" | "parts"> {
    const here = new Map<string, number>();
    const add = (key: string): void => void here.set(key, (here.get(key) ?? 0) + 1);
    for (const { author, state } of this.chain.nodes) {
      if (state !== "COMMENTED") add(keyOf(VERDICTS));
      if (author !== null) add(keyOf({ author: author.login }));
    }
    const part = (filter: Filter): Part => ({ filter, ...this.of(filter), here: here.get(keyOf(filter)) ?? 0 });
    const { last } = this.of(WHOLE).read;
    return {
      whole: { ...part(WHOLE), total: this.chain.total, read: { first: this.chain.read, last } },
      parts: [VERDICTS, ...[...this.authors].map((author): Filter => ({ author }))].map(part),
    };
  }

  cursor({ filter, end }: Page): string | null {
    return this.of(filter).cursors[end];
  }

  /** Takes in a page that was asked for beside the chain. */
  takePage({ filter, end }: Page, connection: TwoWayConnection<WireReview> | null | undefined): void {
    const what = this.chain.part;
    const page = present(connection, what);
    const nodes = entriesOf(page.nodes, what);
    const info = present(page.pageInfo, `${what}, page information`);
    const progress = this.of(filter);
    const [more, cursor] = end === "first" ? [info.hasNextPage, info.endCursor] : [info.hasPreviousPage, info.startCursor];
    assertGoesOn(what, { entries: nodes.length, more, cursor, before: progress.cursors[end] });
    progress.total = page.totalCount;
    progress.read[end] += nodes.length;
    progress.cursors[end] = cursor ?? progress.cursors[end];
    if (!more) progress.over = true;
    this.meetAuthors(nodes);
    this.join(nodes);
  }

  private join(nodes: readonly WireReview[]): void {
    this.joined = true;
    this.chain.join(nodes);
  }

  /** The server would not give that part: the chain has to bring it. */
  refuse({ filter }: Page): void {
    this.of(filter).over = true;
  }

  /**
   * Takes in what a look by ids found. Whatever is not exactly the review asked for, of this pull request, is no find: the
   * chain has to bring it.
   */
  takeNamed(ids: readonly string[], nodes: readonly (WireNamedReview | null)[] | null | undefined, pullRequest: string): void {
    const answers = present(nodes, `${this.chain.part} by id`);
    if (answers.length !== ids.length) throw new Incomplete(`${this.chain.part} by id`, `GitHub gave ${answers.length} of ${ids.length}`);
    for (const id of ids) this.tried.add(id);
    this.join(
      answers.filter((node, i): node is WireNamedReview => node !== null && node.id === ids[i] && node.pullRequest?.id === pullRequest),
    );
  }

  again(): void {
    const { shrunk } = this.chain;
    this.chain.again();
    if (this.chain.cursor !== null) return;
    if (!shrunk) this.plain = true;
    this.joined = false;
    this.tried.clear();
    this.progress.clear();
  }

  private of(filter: Filter): Progress {
    const key = keyOf(filter);
    const known = this.progress.get(key);
    if (known !== undefined) return known;
    const fresh: Progress = { total: undefined, read: { first: 0, last: 0 }, cursors: { first: null, last: null }, over: false };
    this.progress.set(key, fresh);
    return fresh;
  }
}
