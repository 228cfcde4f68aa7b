/** What can go wrong, as named switches. `FAULTS` is data, so that a command line can list them. */

export interface FaultOptions {
  "slow-reviewer": { readonly login?: string; readonly milliseconds: number };
  "silent-reviewer": { readonly login?: string };
  "lost-answer": { readonly writes: readonly number[] };
  "bad-gateway-before": { readonly writes: readonly number[] };
  "bad-gateway-after": { readonly writes: readonly number[] };
  "bad-gateway-read": { readonly reads: readonly number[] };
  "secondary-rate-limit": { readonly writes: readonly number[]; readonly retryAfter?: number };
  "primary-rate-limit": { readonly reads: readonly number[]; readonly resetAfter: number; readonly type?: "RATE_LIMITED" | "RATE_LIMIT" };
  "resource-limit": { readonly nodes: number };
  "slow-answer": { readonly milliseconds: number };
  "partial-alias-failure": { readonly positions: readonly number[]; readonly type?: "FORBIDDEN" | "NOT_FOUND" };
  "review-request-dropped": { readonly login?: string };
  "no-review-endpoint": Readonly<Record<never, never>>;
  "null-connection": {
    readonly field: "reviewThreads" | "reviews" | "comments" | "reviewRequests" | "contexts" | "threadComments" | "reactions";
    readonly reads?: readonly number[];
  };
  "null-node": {
    readonly field: "reviewThreads" | "reviews" | "comments" | "reviewRequests" | "contexts" | "threadComments" | "reactions";
    readonly reads?: readonly number[];
  };
  "page-size": { readonly size: number };
  "merge-state-unknown": { readonly reads: number };
  "no-checks-yet": { readonly milliseconds: number };
  "resolve-without-effect": { readonly threads?: readonly string[] };
}
export type FaultName = keyof FaultOptions;

export interface FaultRow {
  readonly name: FaultName;
  readonly what: string;
  /** What it is set to where no options are given. */
  readonly standard: FaultOptions[FaultName];
}

const row = <N extends FaultName>(name: N, what: string, standard: FaultOptions[N]): FaultRow => ({ name, what, standard });

export const FAULTS: readonly FaultRow[] = [
  row("slow-reviewer", "scripted reviewers (or one of them) take so much longer to answer", { milliseconds: 240_000 }),
  row("silent-reviewer", "scripted reviewers (or one of them) never answer", {}),
  row("lost-answer", "the k-th write is applied, and the connection breaks before the answer", { writes: [1] }),
  row("bad-gateway-before", "the k-th write gets a 502 and is not applied", { writes: [1] }),
  row("bad-gateway-after", "the k-th write is applied and gets a 502", { writes: [1] }),
  row("bad-gateway-read", "the k-th read gets a 502", { reads: [1] }),
  row("secondary-rate-limit", "the k-th write meets the secondary rate limit: 403, requests left, with or without retry-after (seconds)", {
    writes: [1],
  }),
  row(
    "primary-rate-limit",
    "the k-th read meets the used-up hourly limit (GraphQL: 200 and an error), which resets after so many milliseconds",
    { reads: [1], resetAfter: 60_000 },
  ),
  row("resource-limit", "a GraphQL query that may touch more than so many nodes meets the resource limit: 200, an error, no data", {
    nodes: 5_000,
  }),
  row("slow-answer", "each answer takes so long, by the world's clock", { milliseconds: 2_000 }),
  row("partial-alias-failure", "in a batch of mutations those at the given positions (from 1) fail, the others are applied", {
    positions: [2],
  }),
  row("review-request-dropped", "a request for a review (of one reviewer) is answered with success and registers nothing", {}),
  row("no-review-endpoint", "the endpoint that starts a bot's review is not there, as on older servers", {}),
  row("null-connection", "a connection of the pull request is null beside an error, in every read or in the k-th ones", {
    field: "reviewThreads",
  }),
  row("null-node", "one item of a connection is null", { field: "reviewThreads" }),
  row("page-size", "no page holds more than so many items, whatever is asked", { size: 100 }),
  row("merge-state-unknown", "so many reads after each change of head or base find the merge state not computed", { reads: 1 }),
  row("no-checks-yet", "for so long after a push nothing is registered on the head: no rollup at all", { milliseconds: 5_000 }),
  row("resolve-without-effect", "a resolve succeeds in form, and the thread stays open", {}),
];

/** What becomes of one write; whoever serves it asks exactly once for each. */
export type WriteFate =
  | { readonly fate: "normal" }
  | { readonly fate: "lost-answer" }
  | { readonly fate: "bad-gateway-before" }
  | { readonly fate: "bad-gateway-after" }
  | { readonly fate: "secondary-rate-limit"; readonly retryAfter?: number };
export type ReadFate =
  | { readonly fate: "normal" }
  | { readonly fate: "bad-gateway" }
  | { readonly fate: "primary-rate-limit"; readonly resetAfter: number };

/** A fault counts the writes and reads that come after it was switched on. */
interface Active {
  readonly options: FaultOptions[FaultName];
  readonly writes: number;
  readonly reads: number;
}

export class Faults {
  readonly #active = new Map<FaultName, Active>();
  #writes = 0;
  #reads = 0;

  /** Switches one on. The first write or read after this is its number 1. */
  set<N extends FaultName>(name: N, options?: FaultOptions[N]): void {
    const found = FAULTS.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no fault "${name}".`);
    this.#active.set(name, { options: options ?? found.standard, writes: this.#writes, reads: this.#reads });
  }

  clear(name?: FaultName): void {
    if (name === undefined) this.#active.clear();
    else this.#active.delete(name);
  }

  get<N extends FaultName>(name: N): FaultOptions[N] | undefined {
    return this.#active.get(name)?.options as FaultOptions[N] | undefined;
  }

  active(): readonly FaultName[] {
    return [...this.#active.keys()];
  }

  /** Counts one write (one request; a batch of mutations is one) and says what becomes of it. */
  nextWrite(): WriteFate {
    this.#writes += 1;
    if (this.#hits("secondary-rate-limit")) {
      const retryAfter = this.get("secondary-rate-limit")?.retryAfter;
      return { fate: "secondary-rate-limit", ...(retryAfter === undefined ? {} : { retryAfter }) };
    }
    for (const fate of ["bad-gateway-before", "bad-gateway-after", "lost-answer"] as const) if (this.#hits(fate)) return { fate };
    return { fate: "normal" };
  }

  nextRead(): ReadFate {
    this.#reads += 1;
    if (this.#hits("bad-gateway-read")) return { fate: "bad-gateway" };
    if (this.#hits("primary-rate-limit"))
      return { fate: "primary-rate-limit", resetAfter: this.get("primary-rate-limit")?.resetAfter ?? 0 };
    return { fate: "normal" };
  }

  /** Is the current write or read one of those the fault names? A fault that names none means all. */
  #hits(name: FaultName): boolean {
    const active = this.#active.get(name);
    if (active === undefined) return false;
    const { writes, reads } = active.options as { readonly writes?: readonly number[]; readonly reads?: readonly number[] };
    if (writes !== undefined) return writes.includes(this.#writes - active.writes);
    return reads === undefined || reads.includes(this.#reads - active.reads);
  }

  /** Is this connection broken in the current read? */
  broken(kind: "null-connection" | "null-node", field: FaultOptions["null-connection"]["field"]): boolean {
    return this.get(kind)?.field === field && this.#hits(kind);
  }

  /** Does position `index` (from 1) of a batch fail, and how? */
  alias(index: number): "FORBIDDEN" | "NOT_FOUND" | undefined {
    const options = this.get("partial-alias-failure");
    return options?.positions.includes(index) === true ? (options.type ?? "FORBIDDEN") : undefined;
  }

  /** How a scripted reviewer answers now: not at all, or so many milliseconds later than usual. */
  reviewer(login: string): { readonly silent: boolean; readonly delay: number } {
    const silent = this.get("silent-reviewer");
    const slow = this.get("slow-reviewer");
    return {
      silent: silent !== undefined && (silent.login === undefined || silent.login === login),
      delay: slow !== undefined && (slow.login === undefined || slow.login === login) ? slow.milliseconds : 0,
    };
  }

  dropsRequest(login: string): boolean {
    const options = this.get("review-request-dropped");
    return options !== undefined && (options.login === undefined || options.login === login);
  }
}
