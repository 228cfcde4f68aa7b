import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ReviewloopError } from "../../core/errors.js";
import type { ErrorCode } from "../../core/errors.js";
import {
  checkRow,
  HEAD,
  iso,
  messageRow,
  REF,
  reviewCommentRow,
  reviewRow,
  START,
  startStub,
  threadRow,
  TOKEN,
} from "./forge-github-stub.js";
import type { Row, Stub } from "./forge-github-stub.js";

let stub: Stub;
beforeEach(async () => {
  stub = await startStub();
});
afterEach(async () => {
  await stub.close();
});

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);
const comments = (thread: number, count: number): Row[] => range(count).map((i) => reviewCommentRow(`C${thread * 1_000 + i}`));
const addThreads = (count: number, each: number): void => {
  for (const i of range(count)) stub.world.threads.push(threadRow(stub.world, `T${i}`, comments(i, each)));
};
const thrown = async (act: () => Promise<unknown>): Promise<ReviewloopError> => {
  try {
    await act();
  } catch (error) {
    if (ReviewloopError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};
const code = async (act: () => Promise<unknown>): Promise<ErrorCode> => (await thrown(act)).code;

describe("a whole read", () => {
  test("an empty pull request: one request, no checks is not an empty list of checks", async () => {
    const snapshot = await stub.forge.read(REF);
    expect(snapshot).toMatchObject({
      readAt: START,
      viewer: { login: "ada", kind: "user" },
      reviewThreads: [],
      reviews: [],
      comments: [],
      checks: null,
    });
    expect(snapshot.pullRequest).toMatchObject({
      ref: REF,
      id: "PR1",
      state: "open",
      draft: false,
      head: {
        sha: HEAD,
        branch: "topic",
        repository: { owner: "acme", name: "widgets", cloneUrl: "https://example.test/acme/widgets.git" },
      },
      viewerPermission: "write",
      mergeState: "CLEAN",
      requiresConversationResolution: true,
      requiredChecks: ["build"],
    });
    expect(stub.forge.cost).toEqual({ requests: 1, points: 1 });
    stub.world.contexts = [];
    expect((await stub.forge.read(REF)).checks).toEqual([]);
  });

  test("every part arrives in our words", async () => {
    const { world } = stub;
    world.threads.push(
      threadRow(
        world,
        "T1",
        [
          reviewCommentRow("C1", {
            author: { __typename: "Bot", login: "acme-review" },
            editor: { __typename: "Bot", login: "acme-review" },
            lastEditedAt: iso(START),
          }),
          reviewCommentRow("C2", { state: "PENDING", author: null, pullRequestReview: null, originalCommit: null }),
        ],
        { isOutdated: true, line: null, subjectType: "FILE", diffSide: "LEFT" },
      ),
    );
    world.reviews.push(
      reviewRow("R1", { state: "CHANGES_REQUESTED" }),
      reviewRow("R2", { state: "PENDING", submittedAt: null, commit: null }),
    );
    world.comments.push(messageRow("I2", { createdAt: iso(START), isMinimized: true }), messageRow("I1"));
    world.contexts = [checkRow("build", { title: "Title", summary: "Text", isRequired: true })];
    world.requests.push(
      { id: "Q1", asCodeOwner: true, requestedReviewer: { __typename: "Team", combinedSlug: "acme/Owners" } },
      { id: "Q2", asCodeOwner: false, requestedReviewer: { __typename: "Bot", login: "copilot-pull-request-reviewer" } },
      { id: "Q3", asCodeOwner: false, requestedReviewer: null },
    );
    world.timeline.push(
      {
        __typename: "ReviewRequestedEvent",
        id: "E1",
        createdAt: iso(START),
        actor: { __typename: "User", login: "Ada" },
        requestedReviewer: { __typename: "User", login: "Bob" },
      },
      {
        __typename: "HeadRefForcePushedEvent",
        id: "E2",
        createdAt: iso(START),
        actor: null,
        beforeCommit: { oid: "c".repeat(40) },
        afterCommit: null,
      },
    );
    const snapshot = await stub.forge.read(REF);
    const [thread] = snapshot.reviewThreads;
    expect(thread).toMatchObject({
      id: "T1",
      resolved: false,
      review: "R1",
      place: { path: "src/a.ts", side: "LEFT", subject: "file", outdated: true, originalLine: 2 },
    });
    expect(thread?.place).not.toHaveProperty("line");
    expect(thread?.messages[0]).toMatchObject({
      databaseId: "5000000001",
      author: { login: "acme-review", kind: "bot" },
      editor: "acme-review",
      commit: HEAD,
      pending: false,
    });
    expect(thread?.messages[1]).toMatchObject({ author: { login: "ghost", kind: "ghost" }, pending: true });
    expect(snapshot.reviews.map(({ state, commit, message }) => [state, commit, message.pending])).toEqual([
      ["CHANGES_REQUESTED", HEAD, false],
      ["PENDING", undefined, true],
    ]);
    expect(snapshot.comments.map(({ id, minimised }) => [id, minimised])).toEqual([
      ["I1", false],
      ["I2", true],
    ]);
    expect(snapshot.checks).toMatchObject([
      { name: "build", app: "acme-ci", kind: "check-run", state: "success", required: true, head: HEAD, summary: "Title\n\nText" },
    ]);
    expect(snapshot.requests).toEqual([
      { login: "acme/owners", kind: "team", asCodeOwner: true },
      { login: "copilot-pull-request-reviewer", kind: "bot", asCodeOwner: false },
      { login: "", kind: "unknown", asCodeOwner: false },
    ]);
    expect(snapshot.timeline).toEqual([
      { kind: "review-requested", at: START, actor: "ada", subject: "bob" },
      { kind: "force-pushed", at: START, before: "c".repeat(40) },
    ]);
  });

  test("100 threads with many messages, 100 reviews, comments and checks: at most 3 requests", async () => {
    addThreads(100, 60);
    for (const i of range(100)) {
      stub.world.reviews.push(reviewRow(`R${i}`));
      stub.world.comments.push(messageRow(`I${i}`));
    }
    stub.world.contexts = range(100).map((i) => checkRow(`K${i}`));
    const snapshot = await stub.forge.read(REF);
    expect([snapshot.reviewThreads.length, snapshot.reviews.length, snapshot.comments.length, snapshot.checks?.length]).toEqual([
      100, 100, 100, 100,
    ]);
    expect(snapshot.reviewThreads.every(({ messages }) => messages.length === 60)).toBe(true);
    expect(stub.forge.cost.requests).toBeLessThanOrEqual(3);
  });

  test("1,000 threads of 5 messages: at most 16 requests, nothing lost", async () => {
    addThreads(1_000, 5);
    for (const i of range(230)) stub.world.comments.push(messageRow(`I${i}`));
    const snapshot = await stub.forge.read(REF);
    expect(new Set(snapshot.reviewThreads.map(({ id }) => id)).size).toBe(1_000);
    expect(snapshot.reviewThreads.reduce((sum, { messages }) => sum + messages.length, 0)).toBe(5_000);
    expect(snapshot.comments).toHaveLength(230);
    expect(stub.forge.cost.requests).toBeLessThanOrEqual(16);
  });

  test("nested pages: one thread of 320 messages, in order", async () => {
    addThreads(2, 3);
    stub.world.threads.push(threadRow(stub.world, "T9", comments(9, 320)));
    const thread = (await stub.forge.read(REF)).reviewThreads.find(({ id }) => id === "T9");
    expect(thread?.messages.map(({ id }) => id)).toEqual(comments(9, 320).map(({ id }) => id));
  });

  test("every connection is paged to its end", async () => {
    for (const i of range(201)) {
      stub.world.reviews.push(reviewRow(`R${i}`));
      stub.world.requests.push({ id: `Q${i}`, asCodeOwner: false, requestedReviewer: { __typename: "User", login: `u${i}` } });
      stub.world.timeline.push({ __typename: "ReadyForReviewEvent", id: `E${i}`, createdAt: iso(START), actor: null });
    }
    stub.world.contexts = range(201).map((i) => checkRow(`K${i}`));
    const { reviews, requests, timeline, checks } = await stub.forge.read(REF);
    expect([reviews.length, requests.length, timeline.length, checks?.length]).toEqual([201, 201, 201, 201]);
    expect(stub.forge.cost.requests).toBe(3);
  });
});

describe("thousands of reviews: one for each reply", () => {
  const people = ["Ada", "acme-review", "Bob"];
  /** Each reply makes a review; the first comment of each thread belongs to R1. */
  const discuss = (threads: number, replies: number, authors: readonly string[] = people): void => {
    const { world } = stub;
    world.reviews.push(reviewRow("R1"));
    for (const i of range(threads)) {
      const rows = [reviewCommentRow(`C${i * 1_000}`)];
      for (const j of range(replies)) {
        const author = { __typename: "User", login: authors[(i + j) % authors.length] };
        const id = `R${i * 1_000 + j}`;
        world.reviews.push(reviewRow(id, { author, pullRequest: { id: "PR1" } }));
        rows.push(reviewCommentRow(`C${i * 1_000 + j}`, { author, pullRequestReview: { id } }));
      }
      world.threads.push(threadRow(world, `T${i}`, rows));
    }
  };
  const ids = (): readonly unknown[] => stub.world.reviews.map(({ id }) => id);
  const read = async (): Promise<readonly string[]> => (await stub.forge.read(REF)).reviews.map(({ message }) => message.id);
  test("they take no more requests than the threads do, in the order in which they were made", async () => {
    discuss(350, 4);
    expect(await read()).toEqual(ids());
    expect(stub.exchanges).toHaveLength(4);
  });

  test("replies that come while reading, on threads that were read already, are found at the end", async () => {
    discuss(350, 4);
    stub.before = (index) => {
      if (index === 3) for (const j of range(20)) stub.world.reviews.push(reviewRow(`R${990_000 + j}`, { author: null }));
    };
    expect(await read()).toEqual(ids());
    expect(stub.exchanges.length).toBeLessThanOrEqual(5);
  });

  test("a review that goes away while reading: read anew, and still not page by page", async () => {
    discuss(350, 4);
    stub.before = (index) => {
      if (index === 3) stub.world.reviews.splice(700, 1);
    };
    expect(await read()).toEqual(ids());
    expect(stub.exchanges.length).toBeLessThanOrEqual(10);
  });

  test("one word in the middle of somebody who is met nowhere else", async () => {
    discuss(350, 4, ["Ada"]);
    stub.world.reviews.splice(701, 0, reviewRow("R175005", { author: { __typename: "User", login: "gus" } }));
    expect(await read()).toEqual(ids());
    expect(stub.exchanges).toHaveLength(4);
  });

  test("a server that refuses authors and ids: the chain of pages brings all", async () => {
    discuss(150, 4);
    stub.world.refuses = ["authors", "ids"];
    expect(await read()).toEqual(ids());
    expect(stub.clock.slept).toEqual([]);
  });

  test("a page of the other end that is null is not passed over", async () => {
    discuss(150, 4);
    stub.world.refuses = ["other end"];
    expect(await code(() => stub.forge.read(REF))).toBe("READ_INCOMPLETE");
  });

  test("half as much is asked for when all of it is too much", async () => {
    discuss(150, 4);
    stub.handler = (exchange) =>
      Object.keys(exchange.variables).some((name) => name.startsWith("ids")) && Number(exchange.variables["size"]) > 50
        ? { status: 200, body: { data: null, errors: [{ type: "MAX_NODE_LIMIT_EXCEEDED", message: "too many nodes" }] } }
        : undefined;
    expect(await read()).toEqual(ids());
    for (const { variables } of stub.exchanges.slice(2))
      expect((variables["ids0"] as string[] | undefined)?.length ?? 0).toBeLessThanOrEqual(50);
  });
});

describe("a pull request that moves while it is read", () => {
  test("a new head: it is read again, and only the second read is given", async () => {
    addThreads(150, 1);
    stub.before = (index) => {
      if (index !== 2) return;
      stub.world.pr["headRefOid"] = "d".repeat(40);
      stub.world.threads[0]!["isResolved"] = true;
    };
    const snapshot = await stub.forge.read(REF);
    expect(snapshot.pullRequest.head.sha).toBe("d".repeat(40));
    expect(snapshot.reviewThreads[0]?.resolved).toBe(true);
    expect(stub.exchanges).toHaveLength(4);
  });

  test("a head that never stands still ends as an incomplete read", async () => {
    addThreads(150, 1);
    stub.before = (index) => {
      stub.world.pr["headRefOid"] = String(index).padStart(40, "0");
    };
    expect(await code(() => stub.forge.read(REF))).toBe("READ_INCOMPLETE");
    expect(stub.exchanges).toHaveLength(6);
  });

  test("a comment that came after its page was read is fetched too", async () => {
    addThreads(150, 1);
    stub.before = (index) => {
      if (index === 2) stub.world.comments.push(messageRow("I1"));
    };
    expect((await stub.forge.read(REF)).comments.map(({ id }) => id)).toEqual(["I1"]);
  });

  test("threads that came behind the last page are fetched with one small request more", async () => {
    addThreads(150, 1);
    for (const i of range(250)) stub.world.comments.push(messageRow(`I${i}`));
    stub.before = (index) => {
      if (index === 3) stub.world.threads.push(threadRow(stub.world, "T999", comments(999, 1)));
    };
    expect((await stub.forge.read(REF)).reviewThreads).toHaveLength(151);
    expect(stub.exchanges).toHaveLength(4);
  });

  test("a thread that goes away while paging: that connection is read anew", async () => {
    addThreads(250, 1);
    stub.before = (index) => {
      if (index === 2) stub.world.threads.splice(0, 1);
    };
    const snapshot = await stub.forge.read(REF);
    expect(snapshot.reviewThreads.map(({ id }) => id)).toEqual(stub.world.threads.map(({ id }) => id));
  });
});

describe("never empty by mistake", () => {
  const hole = (change: (pullRequest: Record<string, unknown>) => void, errors?: readonly object[]) => {
    stub.handler = () => ({
      status: 200,
      body: {
        data: { rateLimit: { cost: 1 }, viewer: { id: "U1", login: "ada" }, repository: { pullRequest: answer(change) } },
        ...(errors === undefined ? {} : { errors }),
      },
    });
  };
  const none = () => ({ totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] as unknown[] });
  const answer = (change: (pullRequest: Record<string, unknown>) => void) => {
    const all: Record<string, unknown> = {
      headRefOid: HEAD,
      reviewThreads: none(),
      comments: none(),
      reviews: none(),
      reviewRequests: none(),
      timelineItems: none(),
      statusCheckRollup: null,
    };
    change(all);
    return all;
  };

  test.each(["reviewThreads", "comments", "reviews", "reviewRequests", "timelineItems"])("%s null, without an error", async (field) => {
    hole((all) => (all[field] = null));
    expect(await code(() => stub.forge.read(REF))).toBe("READ_INCOMPLETE");
    expect(stub.exchanges).toHaveLength(3);
  });
  test.each(["reviewThreads", "comments", "reviews", "reviewRequests", "timelineItems"])("one null item in %s", async (field) => {
    hole((all) => (all[field] = { ...none(), totalCount: 1, nodes: [null] }));
    expect(await code(() => stub.forge.read(REF))).toBe("READ_INCOMPLETE");
  });
  test("checks without contexts", async () => {
    hole((all) => (all["statusCheckRollup"] = { contexts: null }));
    expect(await code(() => stub.forge.read(REF))).toBe("READ_INCOMPLETE");
  });
  test("whole data beside an error", async () => {
    hole(() => undefined, [{ message: "odd", path: ["repository", "pullRequest", "reviews"] }]);
    const error = await thrown(() => stub.forge.read(REF));
    expect(error.code).toBe("READ_INCOMPLETE");
    expect(error.message).toContain("repository.pullRequest.reviews");
    expect(stub.clock.slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });
  test("a pull request that is null without an error", async () => {
    stub.handler = () => ({ status: 200, body: { data: { viewer: { id: "U1", login: "a" }, repository: { pullRequest: null } } } });
    expect(await code(() => stub.forge.read(REF))).toBe("READ_INCOMPLETE");
  });
  test("a count that never fits: looked behind, read anew, then given up", async () => {
    hole((all) => {
      all["reviewThreads"] = { ...none(), totalCount: 3 };
      for (const total of ["commentTotal", "reviewTotal", "requestTotal"]) all[total] = { totalCount: 0 };
      all["threadTotal"] = { totalCount: 3 };
    });
    const error = await thrown(() => stub.forge.read(REF));
    expect(error.code).toBe("READ_INCOMPLETE");
    expect(error.message).toContain("GitHub gave 0 of 3 review threads");
    expect(stub.exchanges.length).toBeLessThanOrEqual(15);
  });
  test("pages that promise more and don't go on", async () => {
    hole((all) => (all["comments"] = { totalCount: 9, pageInfo: { hasNextPage: true, endCursor: "x" }, nodes: [] }));
    expect((await thrown(() => stub.forge.read(REF))).message).toContain("do not go on");
  });
  test("a pulse of holes is no pulse", async () => {
    hole((all) => (all["reviewThreads"] = null));
    expect(await code(() => stub.forge.pulse(REF))).toBe("READ_INCOMPLETE");
  });
});

describe("servers that are too slow or too old", () => {
  test("half as much is asked for when a query is too large", async () => {
    addThreads(60, 1);
    stub.handler = (exchange) =>
      Number(exchange.variables["size"]) > 30
        ? { status: 200, body: { data: null, errors: [{ type: "MAX_NODE_LIMIT_EXCEEDED", message: "too many nodes" }] } }
        : undefined;
    expect((await stub.forge.read(REF)).reviewThreads).toHaveLength(60);
    expect(stub.exchanges.map(({ variables }) => variables["size"])).toEqual([100, 50, 25, 25, 25]);
  });
  test("half as much is asked for when the server gives up a second time", async () => {
    addThreads(60, 1);
    stub.handler = (exchange) => (Number(exchange.variables["size"]) > 30 ? { status: 502, body: "<html>" } : undefined);
    expect((await stub.forge.read(REF)).reviewThreads).toHaveLength(60);
    expect(stub.exchanges.slice(0, 4).map(({ variables }) => variables["size"])).toEqual([100, 100, 50, 25]);
  });
  test("a cursor that no longer holds: read anew", async () => {
    addThreads(150, 1);
    stub.handler = (_, index) =>
      index === 2
        ? { status: 200, body: { data: { repository: null }, errors: [{ type: "INVALID_CURSOR_ARGUMENTS", message: "bad cursor" }] } }
        : undefined;
    expect((await stub.forge.read(REF)).reviewThreads).toHaveLength(150);
  });

  test("missing fields are found out once, left out from then on, and asked of REST where REST tells", async () => {
    await stub.close();
    stub = await startStub({
      without: [
        "PullRequest.statusCheckRollup",
        "PullRequest.mergeStateStatus",
        "PullRequest.isInMergeQueue",
        "PullRequestReviewComment.fullDatabaseId",
        "PullRequestReview.fullDatabaseId",
        "IssueComment.fullDatabaseId",
        "Ref.refUpdateRule",
        "CheckRun.isRequired",
        "StatusContext.isRequired",
      ],
    });
    addThreads(1, 1);
    stub.world.contexts = [...range(150)].map((i) => checkRow(`K${i}`));
    stub.handler = ({ path }) => {
      if (path.includes("/rules/branches/main")) {
        const rules = [
          { type: "pull_request", parameters: { required_review_thread_resolution: true } },
          { type: "required_status_checks", parameters: { required_status_checks: [{ context: "K7" }] } },
        ];
        return { status: 200, body: rules };
      }
      if (path.endsWith("/pulls/12")) return { status: 200, body: { head: { sha: HEAD }, mergeable_state: "behind" } };
      return undefined;
    };
    const snapshot = await stub.forge.read(REF);
    expect(snapshot.reviewThreads[0]?.messages[0]?.databaseId).toBe("7");
    expect(snapshot.checks).toHaveLength(150);
    expect(snapshot.checks?.filter(({ required }) => required).map(({ name }) => name)).toEqual(["K7"]);
    expect(snapshot.pullRequest).toMatchObject({
      mergeState: "BEHIND",
      inMergeQueue: false,
      requiresConversationResolution: true,
      requiredChecks: ["K7"],
    });
    const before = stub.exchanges.length;
    await stub.forge.pulse(REF);
    expect(stub.exchanges.length - before).toBe(1);
    await stub.forge.read(REF);
    expect(stub.exchanges.length - before).toBe(5);
  });
  test("a field that we can't do without is said", async () => {
    await stub.close();
    stub = await startStub({ without: ["PullRequestReviewThread.isResolved"] });
    const error = await thrown(() => stub.forge.read(REF));
    expect(error.code).toBe("GITHUB_ANSWER");
    expect(error.message).toContain("isResolved");
    expect(stub.exchanges).toHaveLength(1);
  });
  test("rules that this account may not see are no rules to show, not a failed read", async () => {
    stub.handler = (exchange) =>
      exchange.operation !== undefined && String(exchange.body["query"]).includes("refUpdateRule")
        ? {
            status: 200,
            body: {
              data: { repository: null },
              errors: [{ type: "FORBIDDEN", message: "no", path: ["repository", "pullRequest", "baseRef", "refUpdateRule"] }],
            },
          }
        : undefined;
    expect((await stub.forge.read(REF)).pullRequest.requiresConversationResolution).toBe(false);
  });
});

describe("errors", () => {
  test.each([
    ["GITHUB_SIGN_IN", { status: 401, body: { message: `Bad credentials ${TOKEN}` } }],
    ["GITHUB_DENIED", { status: 403, body: { message: `Forbidden for ${TOKEN}` } }],
    ["GITHUB_ANSWER", { status: 400, body: { message: `Problems parsing ${TOKEN}` } }],
  ] as const)("%s at once, without the token in it", async (wanted, reply) => {
    stub.handler = () => reply;
    const error = await thrown(() => stub.forge.read(REF));
    expect(error.code).toBe(wanted);
    expect(JSON.stringify([error.message, error.data, error.hint, error.stack, String(error.cause)])).not.toContain(TOKEN);
    expect(stub.exchanges).toHaveLength(1);
  });

  test("another number than that of a pull request", async () => {
    expect(await code(() => stub.forge.read({ ...REF, number: 13 }))).toBe("PULL_REQUEST_NOT_FOUND");
  });

  test("five more tries on a clock that doubles, then unavailable", async () => {
    stub.handler = () => ({ status: 500, body: "" });
    expect(await code(() => stub.forge.pulse(REF))).toBe("GITHUB_UNAVAILABLE");
    expect(stub.exchanges).toHaveLength(6);
    expect(stub.clock.slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });
  test("a lost connection, a body that breaks off and an answer without data are tried again", async () => {
    stub.handler = (_, index) => {
      if (index === 1) return "lost";
      if (index === 2) return { status: 200, body: '{"data": {"repos', headers: { "content-type": "application/json" } };
      return index === 3 ? { status: 200, body: {} } : undefined;
    };
    expect((await stub.forge.read(REF)).pullRequest.id).toBe("PR1");
    expect(stub.exchanges).toHaveLength(4);
  });

  test.each([
    ["Retry-After", { status: 429, body: {}, headers: { "retry-after": "9" } }, 9_000],
    ["secondary, no time named", { status: 403, body: { message: "You have exceeded a secondary rate limit" } }, 60_000],
    [
      "primary",
      { status: 403, body: {}, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(START / 1000 + 30) } },
      31_000,
    ],
    [
      "GraphQL, in a 200",
      {
        status: 200,
        body: { errors: [{ type: "RATE_LIMITED", message: "x" }] },
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(START / 1000 + 30) },
      },
      31_000,
    ],
    [
      "GraphQL, the other spelling",
      { status: 200, body: { errors: [{ type: "RATE_LIMIT", message: "x" }] }, headers: { "retry-after": "4" } },
      4_000,
    ],
  ] as const)("a rate limit is waited for: %s", async (_, reply, wait) => {
    stub.handler = (__, index) => (index === 1 ? reply : undefined);
    await stub.forge.read(REF);
    expect(stub.clock.slept).toEqual([wait]);
  });
  test("a limit that lasts too long is told with its end, and not waited for", async () => {
    stub.handler = () => ({
      status: 403,
      body: {},
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(START / 1000 + 3_000) },
    });
    const error = await thrown(() => stub.forge.read(REF));
    expect(error.code).toBe("GITHUB_RATE_LIMITED");
    expect(error.data).toEqual({ until: new Date(START + 3_001_000).toISOString() });
    expect(stub.clock.slept).toEqual([]);
  });
  test("0 left on a good answer is only the last good answer", async () => {
    stub.handler = () => ({
      status: 200,
      body: { data: { rateLimit: { cost: 1 }, viewer: { id: "U1", login: "ada" } } },
      headers: { "x-ratelimit-remaining": "0" },
    });
    expect(await stub.forge.viewer()).toEqual({ login: "ada", kind: "user" });
  });

  test("an aborted read ends as aborted, also between two tries", async () => {
    const before = new AbortController();
    before.abort();
    expect(await code(() => stub.forge.read(REF, before.signal))).toBe("ABORTED");
    expect(stub.forge.cost.requests).toBe(0);
    const during = new AbortController();
    stub.handler = () => {
      during.abort();
      return { status: 502, body: "" };
    };
    expect(await code(() => stub.forge.read(REF, during.signal))).toBe("ABORTED");
  });
  test("a server that never answers", async () => {
    stub.handler = () => "silent";
    expect(await code(() => stub.forgeWith({ timeout: 5 }).pulse(REF))).toBe("GITHUB_UNAVAILABLE");
  });
});

describe("redirects and hosts", () => {
  test("a moved address is followed with the same method and body", async () => {
    stub.handler = ({ path }, index) =>
      index === 1 && path === "/graphql" ? { status: 301, headers: { location: `${stub.url}/graphql` } } : undefined;
    expect((await stub.forge.read(REF)).pullRequest.id).toBe("PR1");
    expect(stub.exchanges.map(({ method }) => method)).toEqual(["POST", "POST"]);
    expect(stub.exchanges[1]?.body["query"]).toBe(stub.exchanges[0]?.body["query"]);
  });
  test("the token does not follow to another server", async () => {
    const other = await startStub();
    try {
      stub.handler = () => ({ status: 307, headers: { location: `${other.url}/graphql` } });
      const error = await thrown(() => stub.forge.read(REF));
      expect(error.code).toBe("GITHUB_ANSWER");
      expect(other.exchanges).toEqual([]);
    } finally {
      await other.close();
    }
  });
  test("a pull request of another host is not asked for", async () => {
    expect(await code(() => stub.forge.read({ ...REF, host: "elsewhere.test" }))).toBe("PULL_REQUEST_NOT_FOUND");
    expect(await code(() => stub.forge.pulse({ ...REF, host: "elsewhere.test" }))).toBe("PULL_REQUEST_NOT_FOUND");
    expect(await code(() => stub.forge.recent({ ...REF, host: "elsewhere.test" }))).toBe("PULL_REQUEST_NOT_FOUND");
    expect(stub.exchanges).toHaveLength(0);
  });
  test("the headers that GitHub asks for", async () => {
    await stub.forge.viewer();
    expect(stub.exchanges[0]?.headers).toMatchObject({ authorization: `bearer ${TOKEN}`, "x-github-next-global-id": "1" });
    expect(stub.exchanges[0]?.headers["user-agent"]).toContain("reviewloop");
  });
});

describe("the cheap looks", () => {
  test("a pulse is one request; equal while nothing moves, another after each thing that may", async () => {
    const { world } = stub;
    world.contexts = [checkRow("build", { conclusion: null, status: "IN_PROGRESS", completedAt: null })];
    world.comments.push(messageRow("I1"));
    world.reviews.push(reviewRow("R1"));
    world.threads.push(threadRow(world, "T1", [reviewCommentRow("C1")]));
    const pulse = () => stub.forge.pulse(REF);
    const first = await pulse();
    expect(first).toMatchObject({ head: HEAD, draft: false, state: "open" });
    expect(stub.forge.cost).toEqual({ requests: 1, points: 1 });
    expect(await pulse()).toEqual(first);
    const seen = new Set([first.digest]);
    const later = iso(START + 5_000);
    const moves: readonly (() => unknown)[] = [
      () => (world.pr["isDraft"] = true),
      () => (world.pr["headRefOid"] = "d".repeat(40)),
      () => (world.pr["updatedAt"] = later),
      () => (world.pr["mergeStateStatus"] = "BLOCKED"),
      () => (world.pr["reviewDecision"] = "APPROVED"),
      () => (world.comments[0]!["updatedAt"] = later),
      () => world.comments.push(messageRow("I2")),
      () => (world.reviews[0]!["state"] = "DISMISSED"),
      () => (world.threads[0]!["isResolved"] = true),
      () => ((world.threads[0]!["list"] as Row[])[0]!["updatedAt"] = later),
      () => world.requests.push({ id: "Q1", asCodeOwner: false, requestedReviewer: null }),
      () => (world.contexts![0]!["conclusion"] = "FAILURE"),
      () => (world.pr["state"] = "CLOSED"),
    ];
    for (const move of moves) {
      move();
      const { digest } = await pulse();
      expect(seen.has(digest), String(move)).toBe(false);
      seen.add(digest);
    }
  });
  test("a summary that is edited in place moves the pulse, however long the conversation", async () => {
    for (const i of range(250)) stub.world.comments.push(messageRow(`I${i}`));
    const { digest } = await stub.forge.pulse(REF);
    stub.world.comments[0]!["updatedAt"] = iso(START);
    expect((await stub.forge.pulse(REF)).digest).not.toBe(digest);
  });

  test("who takes part: posts, requests and apps, once each, in one request", async () => {
    const { world } = stub;
    const bot = { __typename: "Bot", login: "acme-review" };
    world.comments.push(
      messageRow("I1", { author: bot, authorAssociation: "NONE" }),
      messageRow("I2", { author: bot, authorAssociation: "CONTRIBUTOR" }),
    );
    world.reviews.push(reviewRow("R1"));
    world.requests.push({ id: "Q1", asCodeOwner: false, requestedReviewer: { __typename: "Bot", login: "copilot-pull-request-reviewer" } });
    world.contexts = [checkRow("build")];
    expect(await stub.forge.recent(REF)).toEqual([
      { login: "acme-review", kind: "bot", association: "CONTRIBUTOR" },
      { login: "ada", kind: "user", association: "MEMBER" },
      { login: "copilot-pull-request-reviewer", kind: "bot", association: "NONE" },
      { login: "acme-ci", kind: "bot", association: "NONE" },
    ]);
    expect(stub.forge.cost.requests).toBe(1);
  });

  test("the viewer is asked once, and a read already tells it", async () => {
    stub.world.viewer = { id: "U9", login: "acme-loop[bot]" };
    await stub.forge.read(REF);
    expect(await stub.forge.viewer()).toEqual({ login: "acme-loop", kind: "bot" });
    expect(stub.exchanges).toHaveLength(1);
  });
});
