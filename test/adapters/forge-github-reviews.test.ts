/** The reviews of a pull request from all the ways they come by, against a connection that is a plain list. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Incomplete } from "../../core/adapters/forge-github/gathered.js";
import { BESIDE, lacksOfAPart, LOOKUPS, NOTHING, planReviews } from "../../core/adapters/forge-github/review-plan.js";
import type { End, Filter, Known, Part } from "../../core/adapters/forge-github/review-plan.js";
import { Reviews } from "../../core/adapters/forge-github/review-sources.js";
import type { WireNamedReview, WireReview, WireReviewComment } from "../../core/adapters/forge-github/wire.js";

/** Entries a page: a tenth of GitHub's, so that 100 threads here are 1,000 there. */
const SIZE = 10;
const PULL_REQUEST = "PR1";

interface Spec {
  readonly author: string | null;
  readonly state: WireReview["state"];
  /** The thread that it replies in; absent: a review without a comment. */
  readonly thread?: number;
}
const actor = (login: string | null) => (login === null ? null : { __typename: "User", login });
const reviewsOf = (specs: readonly Spec[]): readonly WireNamedReview[] =>
  specs.map(({ author, state }, i) => ({
    id: `R${i}`,
    author: actor(author),
    authorAssociation: "NONE",
    body: "",
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
    lastEditedAt: null,
    editor: null,
    url: "",
    isMinimized: false,
    viewerCanMinimize: false,
    state,
    submittedAt: null,
    commit: null,
    pullRequest: { id: PULL_REQUEST },
  }));

interface Server {
  /** What a filter by author does there. */
  readonly authors: "honoured" | "ignored" | "unknown" | "refused";
  /** Does it tell who has reviewed? */
  readonly reviewers: boolean;
  readonly lookups: "found" | "null" | "of another pull request";
  /** Entries that never come, though they are counted. */
  readonly withheld?: ReadonlySet<string>;
  /** The how-manieth page comes without its entries. */
  readonly lostPage?: number;
}

/** A whole read as the adapter does it, without HTTP. */
const simulate = (specs: readonly Spec[], server: Server) => {
  const all = reviewsOf(specs);
  const threads = Math.max(0, ...specs.map(({ thread }) => (thread ?? -1) + 1));
  const comments: WireReviewComment[][] = Array.from({ length: threads }, () => []);
  for (const [i, { thread }] of specs.entries()) {
    const review = all[i];
    if (thread === undefined || review === undefined) continue;
    comments[thread]?.push({ ...review, id: `C${i}`, originalCommit: null, pullRequestReview: { id: review.id } });
  }
  let pages = 0;
  const page = (filter: Filter, end: End, cursor: string | null) => {
    pages += 1;
    const list = all.filter(({ author, state }) => {
      if (filter.verdicts === true && state === "COMMENTED") return false;
      if (filter.author === undefined || server.authors === "ignored") return true;
      return server.authors === "honoured" && author?.login === filter.author;
    });
    const from = end === "first" ? Number(cursor ?? 0) : Math.max(0, Number(cursor ?? list.length) - SIZE);
    const to = end === "first" ? Math.min(list.length, from + SIZE) : Number(cursor ?? list.length);
    const nodes = pages === server.lostPage ? [] : list.slice(from, to).filter(({ id }) => server.withheld?.has(id) !== true);
    const info = { hasNextPage: to < list.length, endCursor: String(to), hasPreviousPage: from > 0, startCursor: String(from) };
    return { totalCount: list.length, nodes, pageInfo: info };
  };
  const byId = (id: string): WireNamedReview | null => {
    const found = all.find((review) => review.id === id);
    if (found === undefined || server.lookups === "null" || server.withheld?.has(id) === true) return null;
    return server.lookups === "found" ? found : { ...found, pullRequest: { id: "PR2" } };
  };

  const reviews = new Reviews();
  let requests = 0;
  let threadPage = 0;
  const nextThreads = (): void => {
    for (const each of comments.slice(threadPage * SIZE, (threadPage + 1) * SIZE)) reviews.meet(each);
    threadPage += 1;
  };
  const request = (): void => {
    requests += 1;
    const plan = requests === 1 ? NOTHING : reviews.plan(SIZE);
    reviews.count({ totalCount: all.length });
    // All questions of one request have been put before its first answer is there.
    const cursors = plan.pages.map((each) => reviews.cursor(each));
    nextThreads();
    if (reviews.chain.more) reviews.take(page({}, "first", reviews.chain.cursor));
    for (const [i, each] of plan.pages.entries()) {
      if (each.filter.author !== undefined && server.authors === "refused") reviews.refuse(each);
      else reviews.takePage(each, page(each.filter, each.end, cursors[i] ?? null));
    }
    for (const ids of plan.lookups) reviews.takeNamed(ids, ids.map(byId), PULL_REQUEST);
    if (plan.reviewers) reviews.meetAuthors(server.reviewers ? all : null);
    reviews.settle();
  };
  const unread = (): boolean => requests === 0 || reviews.chain.more || threadPage * SIZE < threads;
  for (let round = 0; round < 5; round += 1) {
    while (unread()) request();
    if (reviews.chain.complete) break;
    reviews.again();
  }
  return {
    requests,
    complete: reviews.chain.complete,
    got: reviews.chain.nodes.map(({ id }) => id).toSorted(),
    all: all.map(({ id }) => id),
  };
};

const AUTHORS = ["ada", "bob", "eve", "dan", "acme-review", "acme-ci"];
const STATES = ["COMMENTED", "APPROVED", "CHANGES_REQUESTED", "DISMISSED"] as const;
const anySpec = fc.record(
  {
    author: fc.constantFrom(...AUTHORS, null),
    state: fc.oneof({ weight: 4, arbitrary: fc.constant("COMMENTED" as const) }, fc.constantFrom(...STATES)),
    thread: fc.nat(59),
  },
  { requiredKeys: ["author", "state"] },
);
const anySpecs = fc.array(anySpec, { maxLength: 260, size: "max" });
const anyServer: fc.Arbitrary<Server> = fc.record({
  authors: fc.constantFrom("honoured", "ignored", "unknown", "refused"),
  reviewers: fc.boolean(),
  lookups: fc.constantFrom("found", "null", "of another pull request"),
});
const outcome = (specs: readonly Spec[], server: Server) => {
  try {
    return simulate(specs, server);
  } catch (thrown) {
    // The read begins anew then.
    if (thrown instanceof Incomplete) return undefined;
    throw thrown;
  }
};

describe("a read of reviews", () => {
  test("is complete whoever wrote and replied, whatever the server grants, and never takes more requests than the chain alone", () => {
    fc.assert(
      fc.property(anySpecs, anyServer, (specs, server) => {
        const { complete, got, all, requests } = simulate(specs, server);
        expect(complete).toBe(true);
        expect(got).toEqual(all.toSorted());
        expect(requests).toBeLessThanOrEqual(Math.max(6, Math.ceil(specs.length / SIZE)));
      }),
      { numRuns: 300 },
    );
  });

  test("is never complete while an entry was not given, by whatever way", () => {
    fc.assert(
      fc.property(anySpecs, anyServer, fc.array(fc.nat(259), { minLength: 1, maxLength: 4 }), (specs, server, lost) => {
        const withheld = new Set(lost.filter((i) => i < specs.length).map((i) => `R${i}`));
        fc.pre(withheld.size > 0);
        expect(outcome(specs, { ...server, withheld })?.complete ?? false).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test("with a page that came empty is complete only if all is there", () => {
    fc.assert(
      fc.property(anySpecs, anyServer, fc.integer({ min: 1, max: 40 }), (specs, server, lostPage) => {
        const read = outcome(specs, { ...server, lostPage });
        if (read?.complete === true) expect(read.got).toEqual(read.all.toSorted());
      }),
      { numRuns: 200 },
    );
  });

  test("of a hundred pages of threads with four replies each takes no more requests than 16, whoever replied", () => {
    const replier = fc.constantFrom(...AUTHORS, null);
    const repliers = fc.array(replier, { minLength: 400, maxLength: 400 });
    const one = replier.map((author) => Array.from({ length: 400 }, () => author));
    const between = fc.array(
      fc.record({
        at: fc.nat(400),
        // A verdict of anybody, or a comment of somebody who has few.
        spec: fc.oneof(
          fc.record({ author: replier, state: fc.constantFrom("APPROVED" as const, "CHANGES_REQUESTED" as const) }),
          fc.record({ author: fc.constantFrom("gus", "hal"), state: fc.constant("COMMENTED" as const) }),
        ),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(fc.oneof(repliers, one), between, (authors, more) => {
        const specs: Spec[] = authors.map((author, i) => ({ author, state: "COMMENTED", thread: i % 100 }));
        for (const { at, spec } of more) specs.splice(at, 0, spec);
        const { complete, got, all, requests } = simulate(specs, { authors: "honoured", reviewers: true, lookups: "found" });
        expect([complete, got]).toEqual([true, all.toSorted()]);
        expect(requests).toBeLessThanOrEqual(16);
      }),
      { numRuns: 100 },
    );
  });
});

describe("what is asked beside the chain", () => {
  const part = (filter: Filter, more: Partial<Part> = {}): Part => ({
    filter,
    total: undefined,
    read: { first: 0, last: 0 },
    here: 0,
    over: false,
    ...more,
  });
  const known = (total: number, more: Partial<Known> = {}): Known => ({
    size: 100,
    whole: { ...part({}, { read: { first: 100, last: 0 }, here: 100 }), total },
    parts: [],
    named: [],
    ...more,
  });
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `R${i}`);
  const said = (filter: Filter, end: End): string => `${filter.author ?? (filter.verdicts === true ? "verdicts" : "all")} ${end}`;
  const asked = (given: Known): string =>
    (({ pages, lookups }) => [...pages.map(({ filter, end }) => said(filter, end)), ...lookups.map(({ length }) => `${length} ids`)])(
      planReviews(given),
    ).join(", ");
  const ada = (more: Partial<Part>): Part => part({ author: "ada" }, more);

  test.each<[string, Known, string]>([
    ["one page is left", known(200, { named: names(90), parts: [part({ verdicts: true })] }), ""],
    ["two pages are left", known(300, { named: names(190), parts: [part({ verdicts: true })] }), "all last"],
    ["more is left", known(301, { named: names(190), parts: [part({ verdicts: true })] }), "all last, verdicts first, 100 ids, 90 ids"],
    ["a part that lacks little", known(900, { parts: [ada({ total: 300, here: 220 })] }), "all last, ada first, ada last"],
    [
      "a part whose middle is one page",
      known(900, { parts: [ada({ total: 300, read: { first: 100, last: 100 } })] }),
      "all last, ada first",
    ],
    ["a part that is here, by whatever way", known(900, { parts: [ada({ total: 300, here: 300 })] }), "all last"],
    ["a part that is over or was refused", known(900, { parts: [ada({ over: true })] }), "all last"],
    ["a part as long as the whole", known(900, { parts: [ada({ total: 900 })] }), "all last"],
    [
      "the unknown first, then the one that lacks most",
      known(9_000, { parts: [ada({ total: 50 }), part({ author: "bob" }, { total: 700 }), part({ author: "eve" })] }),
      "all last, eve first, bob first, ada first, bob last",
    ],
  ])("%s", (_, given, wanted) => {
    expect(asked(given)).toBe(wanted);
  });

  test.each<[string, Part, boolean]>([
    ["all of it is here", ada({ total: 3, here: 3 }), false],
    ["one is not", ada({ total: 3, here: 2 }), true],
    ["nobody asked", ada({ here: 2 }), false],
    ["it is the whole, a filter that does nothing", ada({ total: 900, here: 2 }), false],
  ])("a part proves that something lacks, whatever the whole count says: %s", (_, one, wanted) => {
    expect(lacksOfAPart({ ...known(900), parts: [ada({ total: 1, here: 1 }), one] })).toBe(wanted);
  });

  test("never more than one request can bear", () => {
    const parts = AUTHORS.flatMap((author) => [part({ author }), part({ author }, { total: 500 })]);
    const { pages, lookups } = planReviews(known(90_000, { parts, named: names(5_000) }));
    expect([pages.length, lookups.length]).toEqual([BESIDE - LOOKUPS, LOOKUPS]);
    expect(planReviews(known(90_000, { parts })).pages).toHaveLength(BESIDE);
  });
});

describe("what an answer adds", () => {
  const [first, verdict, foreign, ...others] = reviewsOf([
    { author: "ada", state: "COMMENTED" },
    { author: "bob", state: "APPROVED" },
    ...Array.from({ length: 60 }, () => ({ author: "ada", state: "COMMENTED" as const })),
  ]);
  if (first === undefined || verdict === undefined || foreign === undefined) throw new Error("no reviews");
  const page = (nodes: readonly WireReview[], totalCount: number, more: boolean) => ({
    totalCount,
    nodes,
    pageInfo: { hasNextPage: more, endCursor: "1", hasPreviousPage: more, startCursor: "1" },
  });
  const back = { filter: {}, end: "last" } as const;
  const named = (id: string): WireReviewComment => ({ ...first, id: `C${id}`, originalCommit: null, pullRequestReview: { id } });
  /** Much is left: one entry and the last of 60 are here, and a comment names one more. */
  const begun = (): Reviews => {
    const reviews = new Reviews();
    reviews.take(page([first], 60, true));
    reviews.meet([named(foreign.id)]);
    return reviews;
  };

  test("a review that only a look by id tells of does not stand for a verdict that has yet to come", () => {
    const reviews = new Reviews();
    reviews.take(page([first], 2, true));
    reviews.takePage({ filter: { verdicts: true }, end: "first" }, page([], 1, false));
    reviews.takeNamed([foreign.id], [foreign], PULL_REQUEST);
    reviews.settle();
    expect([reviews.chain.said, reviews.chain.more]).toEqual(["2 of 2", true]);
  });

  test.each<[string, WireNamedReview | null]>([
    ["nothing", null],
    ["something else than a review", {} as WireNamedReview],
    ["another review", verdict],
    ["a review of another pull request", { ...foreign, pullRequest: { id: "PR2" } }],
  ])("a look by id that finds %s adds nothing, and is not repeated", (_, found) => {
    const reviews = begun();
    expect(reviews.plan(SIZE).lookups).toEqual([[foreign.id]]);
    reviews.takeNamed([foreign.id], [found], PULL_REQUEST);
    expect(reviews.chain.nodes).toEqual([first]);
    expect(reviews.plan(SIZE).lookups).toEqual([]);
  });
  test("a part that the server refuses is not asked for again", () => {
    const reviews = begun();
    const parts = (): readonly Filter[] => reviews.plan(SIZE).pages.map(({ filter }) => filter);
    expect(parts()).toEqual([{}, { verdicts: true }, { author: "ada" }]);
    reviews.refuse({ filter: { author: "ada" }, end: "first" });
    expect(parts()).toEqual([{}, { verdicts: true }]);
  });
  test("a look by ids that answers for some only is no answer", () => {
    expect(() => begun().takeNamed([foreign.id, verdict.id], [foreign], PULL_REQUEST)).toThrow("1 of 2");
    expect(() => begun().takeNamed([foreign.id], null, PULL_REQUEST)).toThrow("null");
  });
  test.each(["first", "last"] as const)("pages of the %s end that do not go on, or are null", (end) => {
    const reviews = begun();
    const ask = { filter: { author: "ada" }, end };
    expect(() => reviews.takePage(ask, page([], 60, true))).toThrow("do not go on");
    expect(() => reviews.takePage(ask, null)).toThrow("null");
    reviews.takePage(ask, page([foreign], 60, true));
    expect(() => reviews.takePage(ask, page([foreign], 60, true))).toThrow("do not go on");
  });

  test("of a set that shrank the rest is not read: it is begun anew, by all ways", () => {
    const reviews = begun();
    reviews.takePage(back, page([...others].slice(-SIZE), 60, true));
    reviews.takePage({ filter: { author: "ada" }, end: "first" }, page([first], 50, true));
    reviews.takeNamed([foreign.id], [foreign], PULL_REQUEST);
    reviews.count({ totalCount: 58 });
    reviews.settle();
    expect([reviews.chain.more, reviews.chain.complete]).toEqual([false, false]);
    reviews.again();
    expect([reviews.chain.nodes, reviews.cursor(back)]).toEqual([[], null]);
    reviews.take(page([first], 58, true));
    expect(reviews.plan(SIZE)).toMatchObject({ lookups: [[foreign.id]], reviewers: true });
  });
  test("after a count that did not fit only the chain is believed", () => {
    const reviews = begun();
    for (const look of ["behind the end", "anew"]) {
      reviews.take(page([verdict], 60, false));
      reviews.again();
      expect(reviews.chain.cursor === null).toBe(look === "anew");
    }
    reviews.take(page([first], 60, true));
    expect(reviews.plan(SIZE)).toEqual(NOTHING);
  });
});
