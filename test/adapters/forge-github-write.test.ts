import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ReviewloopError } from "../../core/errors.js";
import type { PullRequest, Write, WriteOf, WriteResult } from "../../core/model.js";
import type { ForgeWrite } from "../../core/ports.js";
import {
  HEAD,
  messageRow,
  mutationNames,
  readFirst,
  REF,
  reviewCommentRow,
  reviewRow,
  startStub,
  threadRow,
  TOKEN,
} from "./forge-github-stub.js";
import type { Exchange, Handler, Reply, Row, Stub } from "./forge-github-stub.js";

let stub: Stub;
let on: PullRequest;
beforeEach(async () => {
  stub = await startStub();
  const { world } = stub;
  for (let i = 1; i <= 45; i += 1) world.threads.push(threadRow(world, `T${i}`, [reviewCommentRow(`C${i}`, { pullRequest: world.pr })]));
  world.comments.push(
    messageRow("I1", { __typename: "IssueComment", pullRequest: world.pr }),
    messageRow("I2", { __typename: "IssueComment", pullRequest: world.pr }),
  );
  world.reviews.push(reviewRow("R1", { pullRequest: world.pr }));
  world.mutations = {
    resolveReviewThread: ({ threadId }) => ({ thread: Object.assign(find(threadId), { isResolved: true }) }),
    minimizeComment: ({ subjectId }) => ({ minimizedComment: Object.assign(find(subjectId), { isMinimized: true }) }),
    updateIssueComment: ({ id, body }) => ({ issueComment: Object.assign(find(id), { body }) }),
    updatePullRequestReview: ({ pullRequestReviewId, body }) => ({ pullRequestReview: Object.assign(find(pullRequestReviewId), { body }) }),
    updatePullRequest: ({ body }) => ({ pullRequest: Object.assign(world.pr, { body }) }),
    markPullRequestReadyForReview: () => ({ pullRequest: Object.assign(world.pr, { isDraft: false }) }),
    convertPullRequestToDraft: () => ({ pullRequest: Object.assign(world.pr, { isDraft: true }) }),
  };
  on = await readFirst(stub);
});
afterEach(async () => {
  await stub.close();
});

const find = (id: unknown): Row => {
  const { threads, comments, reviews } = stub.world;
  const found = [...threads, ...comments, ...reviews].find((row) => row.id === id);
  if (found === undefined) throw new Error(`no ${String(id)}`);
  return found;
};
const base = { key: "k", preconditions: {}, why: "a test" };
const resolve = (thread: string): WriteOf<"resolve"> => ({ ...base, kind: "resolve", thread });
const minimise = (comment: string): WriteOf<"minimise"> => ({ ...base, kind: "minimise", comment, classifier: "OUTDATED" });
const reply: WriteOf<"reply"> = {
  ...base,
  kind: "reply",
  thread: "T1",
  rootComment: "5000000001",
  body: "An answer",
  decision: "informational",
};
const comment: WriteOf<"comment"> = { ...base, kind: "comment", body: "A comment", answers: [] };
const request = (login: string, more: { bot?: boolean; endpoint?: "copilot-code-review" } = {}): ForgeWrite => ({
  ...base,
  kind: "request",
  by: "review-request",
  reviewer: "acme",
  login,
  bot: false,
  ...more,
});

const write = (...writes: readonly ForgeWrite[]): Promise<readonly WriteResult[]> => stub.forge.write(writes, on);
const first = async (one: ForgeWrite): Promise<WriteResult> => {
  const [result] = await write(one);
  if (result === undefined) throw new Error("no result");
  return result;
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
const posts = (): readonly Exchange[] => stub.exchanges.filter(({ method, path }) => method !== "GET" && path !== "/graphql");
const mutations = (): readonly Exchange[] => stub.exchanges.filter(({ operation }) => operation === "Change");
/** Answers REST writes only. */
const rest =
  (reply: (exchange: Exchange, count: number) => Reply | "lost" | undefined): Handler =>
  (exchange) =>
    exchange.path === "/graphql" ? undefined : reply(exchange, posts().length);
const made: Reply = { status: 201, body: { node_id: "N1", html_url: "https://example.test/n1" } };

describe("posts", () => {
  const all: readonly (readonly [string, ForgeWrite, string, object])[] = [
    ["reply", reply, "/repos/acme/widgets/pulls/12/comments/5000000001/replies", { body: "An answer" }],
    ["comment", comment, "/repos/acme/widgets/issues/12/comments", { body: "A comment" }],
    [
      "request by comment",
      { ...base, kind: "request", by: "comment", reviewer: "acme", body: "@acme review" },
      "/repos/acme/widgets/issues/12/comments",
      { body: "@acme review" },
    ],
    [
      "review",
      { ...base, kind: "review", body: "Findings", comments: [{ path: "src/a.ts", line: 3, body: "x" }] },
      "/repos/acme/widgets/pulls/12/reviews",
      { event: "COMMENT", commit_id: HEAD, body: "Findings", comments: [{ path: "src/a.ts", line: 3, side: "RIGHT", body: "x" }] },
    ],
    ["open-issue", { ...base, kind: "open-issue", title: "T", body: "B" }, "/repos/acme/widgets/issues", { title: "T", body: "B" }],
    [
      "open-pull-request",
      { ...base, kind: "open-pull-request", title: "T", body: "B", branch: "topic", base: "main" },
      "/repos/acme/widgets/pulls",
      { title: "T", body: "B", head: "topic", base: "main", draft: true },
    ],
  ];
  test.each(all)("%s: one request, with the id and address of what was made", async (_, one, path, body) => {
    stub.handler = rest(() => made);
    expect(await first(one)).toEqual({ state: "done", id: "N1", url: "https://example.test/n1" });
    expect(stub.exchanges).toHaveLength(1);
    expect(posts()[0]).toMatchObject({ method: "POST", path, body });
    expect(posts()[0]?.headers).toMatchObject({ authorization: `token ${TOKEN}`, "x-github-api-version": "2022-11-28" });
  });

  test.each(all.flatMap(([name, one]) => (["lost", 500, 502, 504] as const).map((fault) => [name, fault, one] as const)))(
    "%s after %s: nobody knows, so it is thrown and never sent again",
    async (_, fault, one) => {
      stub.handler = rest(() => (fault === "lost" ? "lost" : { status: fault, body: "" }));
      expect((await thrown(() => first(one))).code).toBe("GITHUB_UNAVAILABLE");
      expect(posts()).toHaveLength(1);
      expect(stub.clock.slept).toEqual([]);
    },
  );

  test.each([
    [403, "Resource not accessible by personal access token", "forbidden"],
    [403, "Unable to create comment because issue is locked.", "locked"],
    [404, "Not Found", "not-found"],
    [410, "Gone", "not-found"],
    [422, "body is too long (maximum is 65536 characters)", "invalid"],
    [422, "user_id can only have one pending review per pull request", "pending-review"],
  ] as const)("%i %s is a refusal: %s", async (status, message, code) => {
    stub.handler = rest(() => ({ status, body: { message } }));
    const result = await first(reply);
    expect(result).toMatchObject({ state: "refused", code });
    expect(result.state === "refused" ? result.detail : "").toContain(message);
    expect(posts()).toHaveLength(1);
  });

  test("a sign-in that is refused is thrown, without the token", async () => {
    stub.handler = rest(() => ({ status: 401, body: { message: `Bad credentials: ${TOKEN}` } }));
    const error = await thrown(() => first(comment));
    expect(error.code).toBe("GITHUB_SIGN_IN");
    expect(error.message).not.toContain(TOKEN);
  });

  test("a rate limit means that nothing was posted: it is waited for and posted once", async () => {
    stub.handler = rest((_, count) =>
      count === 1 ? { status: 403, body: { message: "You have exceeded a secondary rate limit" } } : made,
    );
    expect(await first(comment)).toMatchObject({ state: "done" });
    expect(stub.clock.slept).toEqual([60_000]);
  });
  test("a limit that lasts too long is a refusal with its end", async () => {
    stub.handler = rest(() => ({ status: 429, body: {}, headers: { "retry-after": "3600" } }));
    const result = await first(comment);
    expect(result).toMatchObject({ state: "refused", code: "rate-limited" });
    expect(result.state === "refused" ? result.detail : "").toContain(new Date(stub.clock.at + 3_600_000).toISOString());
    expect(posts()).toHaveLength(1);
  });

  test("the root comment may be given by its node id; the server tells its number", async () => {
    stub.handler = rest(() => made);
    stub.world.reviews.push(reviewCommentRow("C77"));
    expect(await first({ ...reply, rootComment: "C77" })).toMatchObject({ state: "done" });
    expect(posts()[0]?.path).toBe("/repos/acme/widgets/pulls/12/comments/5000000077/replies");
    expect(await first({ ...reply, rootComment: "gone" })).toMatchObject({ state: "refused", code: "not-found" });
    expect(posts()).toHaveLength(1);
  });

  test("a renamed repository gets the post with method and body kept", async () => {
    stub.handler = ({ path }) =>
      path.startsWith("/repos/")
        ? { status: 301, body: { message: "Moved" }, headers: { location: `${stub.url}/repositories/7/issues/12/comments` } }
        : made;
    expect(await first(comment)).toMatchObject({ state: "done", id: "N1" });
    expect(stub.exchanges[1]).toMatchObject({ method: "POST", path: "/repositories/7/issues/12/comments", body: { body: "A comment" } });
  });

  test("a second lies between two writes, also of two calls at once", async () => {
    const times: number[] = [];
    stub.handler = rest(() => {
      times.push(stub.clock.at);
      return made;
    });
    await Promise.all([write(comment, comment), write(comment)]);
    expect(times.map((time, i) => time - (times[i - 1] ?? time))).toEqual([0, 1_000, 1_000]);
  });

  test("an aborted call sends nothing", async () => {
    const controller = new AbortController();
    controller.abort();
    expect((await thrown(() => stub.forge.write([comment], on, controller.signal))).code).toBe("ABORTED");
    expect(stub.exchanges).toEqual([]);
  });
  test("a pull request of another host is refused unsent", async () => {
    const elsewhere = { ...on, ref: { ...REF, host: "elsewhere.test" } };
    expect(await stub.forge.write([comment, comment], elsewhere)).toMatchObject([{ code: "unsupported" }, { code: "unsupported" }]);
    expect(stub.exchanges).toEqual([]);
  });
  test("there is no write that merges, approves or dismisses", () => {
    expect([...stub.forge.can].toSorted()).toEqual([
      "cancel-request",
      "comment",
      "edit-comment",
      "edit-description",
      "mark-draft",
      "mark-ready",
      "minimise",
      "open-issue",
      "open-pull-request",
      "reply",
      "request",
      "resolve",
      "review",
    ]);
  });
});

describe("resolve", () => {
  test("45 threads: three batches of at most 20, a result each, in order", async () => {
    const results = await write(...stub.world.threads.map(({ id }) => resolve(id)));
    expect(results).toEqual(stub.world.threads.map(({ id }) => ({ state: "done", id })));
    expect(mutations().map((exchange) => mutationNames(exchange).length)).toEqual([20, 20, 5]);
    expect(stub.world.threads.every((thread) => thread["isResolved"])).toBe(true);
  });

  test("what is resolved already is found, and not sent", async () => {
    find("T1")["isResolved"] = true;
    expect(await write(resolve("T1"))).toEqual([{ state: "done", id: "T1", found: true }]);
    expect(mutations()).toEqual([]);
  });

  test.each([
    ["FORBIDDEN", "Resource not accessible by integration", "forbidden"],
    ["NOT_FOUND", "Could not resolve to a node", "not-found"],
  ])("an alias that fails with %s is refused, the others are done", async (type, message, code) => {
    const act = stub.world.mutations["resolveReviewThread"]!;
    stub.world.mutations["resolveReviewThread"] = (input) => {
      if (input["threadId"] === "T2") throw Object.assign(new Error(message), { extensions: { type } });
      return act(input);
    };
    const results = await write(resolve("T1"), resolve("T2"), resolve("T3"));
    expect(results).toMatchObject([{ state: "done" }, { state: "refused", code }, { state: "done" }]);
    expect(mutations()).toHaveLength(1);
  });

  test("threads that are gone, of another pull request, or not ours to resolve are refused unsent", async () => {
    find("T2")["pullRequest"] = { ...stub.world.pr, id: "PR2" };
    find("T3")["viewerCanResolve"] = false;
    const results = await write(resolve("gone"), resolve("T2"), resolve("T3"), resolve("T4"));
    expect(results).toMatchObject([{ code: "not-found" }, { code: "rule" }, { code: "forbidden" }, { state: "done" }]);
    expect(mutations().map(({ variables }) => variables)).toEqual([{ id0: "T4" }]);
  });

  test("an answer without effect is not believed", async () => {
    stub.world.mutations["resolveReviewThread"] = ({ threadId }) => ({ thread: { ...find(threadId), isResolved: false } });
    expect(await write(resolve("T1"))).toMatchObject([{ state: "refused", code: "invalid" }]);
  });

  test("an answer that is lost after a part was applied: only the rest is sent again", async () => {
    const act = stub.world.mutations["resolveReviewThread"]!;
    stub.handler = (exchange) => {
      if (exchange.operation !== "Change" || mutations().length > 1) return undefined;
      act({ threadId: "T1" });
      return { status: 502, body: "<html>" };
    };
    expect(await write(resolve("T1"), resolve("T2"))).toEqual([
      { state: "done", id: "T1" },
      { state: "done", id: "T2" },
    ]);
    expect(mutations().map(({ variables }) => Object.values(variables))).toEqual([["T1", "T2"], ["T2"]]);
  });
  test("a connection that is lost after all was applied: nothing is sent again", async () => {
    stub.handler = (exchange) => (exchange.operation === "Change" ? "lost-after" : undefined);
    expect(await write(resolve("T1"))).toEqual([{ state: "done", id: "T1" }]);
    expect(mutations()).toHaveLength(1);
  });
  test("a server that stays down: three tries, then nobody knows", async () => {
    stub.handler = (exchange) => (exchange.operation === "Change" ? { status: 503, body: "" } : undefined);
    expect((await thrown(() => write(resolve("T1")))).code).toBe("GITHUB_UNAVAILABLE");
    expect(mutations()).toHaveLength(3);
  });
  test("a batch that is refused whole is a refusal of each", async () => {
    stub.handler = (exchange) => (exchange.operation === "Change" ? { status: 403, body: { message: "Forbidden" } } : undefined);
    expect(await write(resolve("T1"), resolve("T2"))).toMatchObject([{ code: "forbidden" }, { code: "forbidden" }]);
    expect(mutations()).toHaveLength(1);
  });
  test("RATE_LIMITED inside a 200 is waited for", async () => {
    stub.handler = (exchange) =>
      exchange.operation === "Change" && mutations().length === 1
        ? {
            status: 200,
            body: { data: { m0: null }, errors: [{ type: "RATE_LIMITED", message: "limit" }] },
            headers: { "retry-after": "3" },
          }
        : undefined;
    expect(await write(resolve("T1"))).toMatchObject([{ state: "done" }]);
    expect(stub.clock.slept).toContain(3_000);
  });
});

describe("minimise", () => {
  test("comments and reviews, in one mutation, as outdated", async () => {
    expect(await write(minimise("I1"), minimise("R1"))).toMatchObject([
      { state: "done", id: "I1" },
      { state: "done", id: "R1" },
    ]);
    expect(mutations()).toHaveLength(1);
    expect(String(mutations()[0]?.body["query"])).toContain("OUTDATED");
  });
  test("hidden already, of another pull request, not ours to hide", async () => {
    find("I1")["isMinimized"] = true;
    find("I2")["pullRequest"] = null;
    find("R1")["viewerCanMinimize"] = false;
    expect(await write(minimise("I1"), minimise("I2"), minimise("R1"))).toMatchObject([
      { state: "done", found: true },
      { code: "rule" },
      { code: "forbidden" },
    ]);
    expect(mutations()).toEqual([]);
  });
});

describe("edits", () => {
  const edit = (id: string, body: string): WriteOf<"edit-comment"> => ({ ...base, kind: "edit-comment", comment: id, body });
  const describePullRequest = (was: string, body: string): WriteOf<"edit-description"> => ({
    ...base,
    kind: "edit-description",
    was,
    body,
  });

  test.each([
    ["I1", "updateIssueComment"],
    ["R1", "updatePullRequestReview"],
  ])("the body of %s by %s", async (id, name) => {
    expect(await first(edit(id, "New"))).toMatchObject({ state: "done", id, url: `https://example.test/${id}` });
    expect(find(id)["body"]).toBe("New");
    expect(mutationNames(mutations()[0]!)).toEqual([name]);
    expect(await first(edit(id, "New"))).toMatchObject({ state: "done", found: true });
    expect(mutations()).toHaveLength(1);
  });
  test("a lost answer is settled by looking", async () => {
    stub.handler = (exchange) => (exchange.operation === "Change" ? "lost-after" : undefined);
    expect(await first(edit("I1", "New"))).toMatchObject({ state: "done" });
    expect(mutations()).toHaveLength(1);
  });
  test("somebody else's comment is refused", async () => {
    find("I1")["viewerCanUpdate"] = false;
    expect(await first(edit("I1", "New"))).toMatchObject({ state: "refused", code: "forbidden" });
    expect(mutations()).toEqual([]);
  });

  test("a description is changed only if it is still what was read", async () => {
    expect(await first(describePullRequest("Another body", "New"))).toMatchObject({ state: "refused", code: "stale" });
    expect(mutations()).toEqual([]);
    expect(await first(describePullRequest("A body\r\n", "New"))).toMatchObject({ state: "done", id: "PR1" });
    expect(stub.world.pr["body"]).toBe("New");
    expect(await first(describePullRequest("A body", "New"))).toMatchObject({ state: "done", found: true });
  });
});

describe("draft and ready", () => {
  test.each([
    ["mark-ready", true, "markPullRequestReadyForReview"],
    ["mark-draft", false, "convertPullRequestToDraft"],
  ] as const)("%s", async (kind, before, name) => {
    stub.world.pr["isDraft"] = before;
    const one = { ...base, kind } satisfies Write;
    expect(await first(one)).toMatchObject({ state: "done", id: "PR1" });
    expect(stub.world.pr["isDraft"]).toBe(!before);
    expect(mutationNames(mutations()[0]!)).toEqual([name]);
    expect(await first(one)).toMatchObject({ state: "done", found: true });
    expect(mutations()).toHaveLength(1);
  });
  test("a token that may not", async () => {
    stub.world.pr["isDraft"] = true;
    stub.world.mutations["markPullRequestReadyForReview"] = () => {
      throw Object.assign(new Error("Resource not accessible by integration"), { extensions: { type: "FORBIDDEN" } });
    };
    const result = await first({ ...base, kind: "mark-ready" });
    expect(result).toMatchObject({ state: "refused", code: "forbidden" });
    expect(result.state === "refused" ? result.detail : "").toContain("Resource not accessible");
  });
});

describe("asking for a review", () => {
  const listed = (login: string, typename = "User") => ({
    id: `Q-${login}`,
    asCodeOwner: false,
    requestedReviewer: { __typename: typename, login },
  });
  const accepted = (act: () => void = () => undefined) =>
    rest(() => {
      act();
      return { status: 201, body: { requested_reviewers: [] } };
    });

  test("a person: registered, and proven so", async () => {
    stub.handler = accepted(() => stub.world.requests.push(listed("Bob")));
    expect(await first(request("bob"))).toEqual({ state: "done" });
    expect(posts().map(({ path, body }) => [path, body])).toEqual([
      ["/repos/acme/widgets/pulls/12/requested_reviewers", { reviewers: ["bob"], team_reviewers: [] }],
    ]);
  });
  test("a bot goes by its login with the suffix, and is found in GraphQL without it", async () => {
    stub.handler = accepted(() => stub.world.requests.push(listed("copilot-pull-request-reviewer", "Bot")));
    expect(await first(request("copilot-pull-request-reviewer", { bot: true }))).toEqual({ state: "done" });
    expect(posts()[0]?.body).toMatchObject({ reviewers: ["copilot-pull-request-reviewer[bot]"] });
  });
  test("a team goes by its slug", async () => {
    stub.handler = accepted(() =>
      stub.world.requests.push({ id: "Q9", asCodeOwner: false, requestedReviewer: { __typename: "Team", combinedSlug: "acme/owners" } }),
    );
    expect(await first(request("acme/owners"))).toEqual({ state: "done" });
    expect(posts()[0]?.body).toEqual({ reviewers: [], team_reviewers: ["owners"] });
  });
  test("accepted and not there: dropped, after having looked three times", async () => {
    stub.handler = accepted();
    expect(await first(request("bob"))).toMatchObject({ state: "dropped" });
    expect(posts()).toHaveLength(1);
    expect(stub.clock.slept).toEqual([1_000, 2_000]);
  });
  test("an older review of the same account proves nothing, a new one does", async () => {
    stub.world.reviews.push(reviewRow("R8", { author: { __typename: "User", login: "bob" } }));
    stub.handler = accepted();
    expect(await first(request("bob"))).toMatchObject({ state: "dropped" });
    stub.handler = accepted(() => stub.world.reviews.push(reviewRow("R9", { author: { __typename: "User", login: "Bob" } })));
    expect(await first(request("bob"))).toEqual({ state: "done" });
  });
  test("a pending request is not repeated", async () => {
    stub.world.requests.push(listed("bob"));
    expect(await first(request("bob"))).toEqual({ state: "done", found: true });
    expect(posts()).toEqual([]);
  });
  test("without write access GitHub hides the endpoint", async () => {
    expect(await first(request("bob"))).toMatchObject({ state: "refused", code: "forbidden" });
  });
  test("not a collaborator", async () => {
    stub.handler = rest(() => ({ status: 422, body: { message: "Reviews may only be requested from collaborators." } }));
    expect(await first(request("bob"))).toMatchObject({ state: "refused", code: "invalid" });
  });
  test("a lost answer is thrown, and not asked again", async () => {
    stub.handler = rest(() => "lost");
    expect((await thrown(() => first(request("bob")))).code).toBe("GITHUB_UNAVAILABLE");
    expect(posts()).toHaveLength(1);
  });

  const copilot = request("copilot-pull-request-reviewer", { bot: true, endpoint: "copilot-code-review" });
  const endpoint = (reply: Reply, act: () => void = () => undefined) =>
    rest(({ path }) => {
      if (!path.endsWith("/copilot-code-review")) return undefined;
      act();
      return reply;
    });
  test.each([
    [201, { state: "done" }],
    [409, { state: "done", found: true }],
    [422, { state: "refused", code: "invalid" }],
    [403, { state: "refused", code: "forbidden" }],
  ])("the endpoint that starts a Copilot review answers %i", async (status, wanted) => {
    stub.handler = endpoint({ status, body: { message: "x", failure_reason: "NO_QUOTA" } }, () => {
      if (status === 201) stub.world.requests.push(listed("copilot-pull-request-reviewer", "Bot"));
    });
    const result = await first(copilot);
    expect(result).toMatchObject(wanted);
    if (status === 422) expect(result.state === "refused" ? result.detail : "").toContain("NO_QUOTA");
    expect(posts().map(({ path }) => path)).toEqual(["/repos/acme/widgets/pulls/12/copilot-code-review"]);
  });
  const event = (login: string) => ({
    __typename: "ReviewRequestedEvent",
    id: `E${stub.world.timeline.length}`,
    createdAt: "2026-01-01T00:00:00Z",
    actor: { __typename: "User", login: "ada" },
    requestedReviewer: { __typename: "Bot", login },
  });
  test("a Copilot that took its request away at once is proven by the timeline, an older event proves nothing", async () => {
    stub.world.timeline.push(event("copilot-pull-request-reviewer"));
    stub.handler = endpoint({ status: 201, body: {} });
    expect(await first(copilot)).toMatchObject({ state: "dropped" });
    for (const login of ["copilot-pull-request-reviewer", "Copilot"]) {
      stub.handler = endpoint({ status: 201, body: {} }, () => stub.world.timeline.push(event(login)));
      expect(await first(copilot)).toEqual({ state: "done" });
    }
  });
  test("a review that came meanwhile proves it too", async () => {
    stub.handler = endpoint({ status: 201, body: {} }, () =>
      stub.world.reviews.push(reviewRow("R7", { author: { __typename: "Bot", login: "copilot-pull-request-reviewer" } })),
    );
    expect(await first(copilot)).toEqual({ state: "done" });
  });
  test("503 of it is thrown", async () => {
    stub.handler = endpoint({ status: 503, body: {} });
    expect((await thrown(() => first(copilot))).code).toBe("GITHUB_UNAVAILABLE");
    expect(posts()).toHaveLength(1);
  });
  test.each([404, 405, 501])("where there is no such endpoint (%i) it goes by a review request", async (status) => {
    stub.handler = rest(({ path }) => {
      if (path.endsWith("/copilot-code-review")) return { status, body: { message: "Not Found" } };
      stub.world.requests.push(listed("copilot-pull-request-reviewer", "Bot"));
      return { status: 201, body: {} };
    });
    expect(await first(copilot)).toEqual({ state: "done" });
    expect(posts()).toHaveLength(2);
  });

  test("a request is taken back, and only if it is there", async () => {
    const cancel: WriteOf<"cancel-request"> = { ...base, kind: "cancel-request", login: "copilot-pull-request-reviewer", bot: true };
    expect(await first(cancel)).toMatchObject({ state: "done", found: true });
    expect(posts()).toEqual([]);
    stub.world.requests.push(listed("copilot-pull-request-reviewer", "Bot"));
    stub.handler = rest(() => {
      stub.world.requests.length = 0;
      return { status: 200, body: {} };
    });
    expect(await first(cancel)).toMatchObject({ state: "done" });
    expect(posts().map(({ method, body }) => [method, body])).toEqual([
      ["DELETE", { reviewers: ["copilot-pull-request-reviewer[bot]"], team_reviewers: [] }],
    ]);
  });
});
