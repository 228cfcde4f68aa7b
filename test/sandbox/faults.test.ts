/** Faults as a client meets them over HTTP. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { api, FILE, graphql, startScene, stillClock, type Scene } from "./scene.js";

let scene: Scene;
const clock = stillClock();
beforeEach(async () => {
  scene = await startScene({ clock });
  scene.world.review("greptile-apps", scene.pullRequest, {
    state: "COMMENTED",
    body: "Summary",
    comments: [
      { path: FILE, line: 3, body: "One" },
      { path: FILE, line: 5, body: "Two" },
    ],
  });
});
afterEach(async () => {
  expect(scene.sandbox.unknownRequests).toEqual([]);
  await scene.sandbox.close();
});

const comment = async (text: string) => api(scene, "/repos/ada/shop/issues/7/comments", { method: "POST", body: { body: text } });
const bodies = (): readonly string[] => scene.pullRequest.comments.map((one) => one.body);
const resolve = (id: string | undefined): string =>
  `mutation { resolveReviewThread(input: { threadId: "${id}" }) { thread { isResolved } } }`;

describe("writes", () => {
  test("the k-th one gets a 502 and is not applied, or is applied and gets a 502", async () => {
    scene.world.faults.set("bad-gateway-before", { writes: [2] });
    expect((await comment("one")).status).toBe(201);
    expect((await comment("two")).status).toBe(502);
    scene.world.faults.clear();
    scene.world.faults.set("bad-gateway-after", { writes: [1] });
    expect((await comment("three")).status).toBe(502);
    expect(bodies()).toEqual(["one", "three"]);
  });

  test("an answer is lost after the write was applied; reads are not counted", async () => {
    scene.world.faults.set("lost-answer", { writes: [2] });
    expect((await comment("one")).status).toBe(201);
    await graphql(scene, "{ viewer { login } }");
    await api(scene, "/user");
    const [thread] = scene.pullRequest.threads;
    await expect(graphql(scene, resolve(thread?.id))).rejects.toThrow();
    expect(thread?.resolved).toBe(true);
    expect(scene.sandbox.requests.at(-1)).toMatchObject({ service: "graphql", write: true, status: undefined });
  });

  test.each([undefined, 7])("the secondary limit is a 403 with requests left, retry-after %s", async (retryAfter) => {
    scene.world.faults.set("secondary-rate-limit", { writes: [1], ...(retryAfter === undefined ? {} : { retryAfter }) });
    const response = await comment("one");
    expect(response.status).toBe(403);
    expect(response.headers.get("retry-after")).toBe(retryAfter === undefined ? null : "7");
    expect(Number(response.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(4_000);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining("secondary rate limit") });
    expect(bodies()).toEqual([]);
    expect((await comment("two")).status).toBe(201);
  });

  test("each write is told when it comes and when it is applied", async () => {
    const notices: string[] = [];
    const other = await startScene({ onWrite: ({ index, method, path, stage }) => notices.push(`${index} ${method} ${path} ${stage}`) });
    other.world.faults.set("bad-gateway-before", { writes: [2] });
    await api(other, "/repos/ada/shop/issues/7/comments", { method: "POST", body: { body: "x" } });
    await graphql(other, resolve("PRRT_gone"));
    await other.sandbox.close();
    expect(notices).toEqual([
      "1 POST /repos/ada/shop/issues/7/comments received",
      "1 POST /repos/ada/shop/issues/7/comments applied",
      "2 POST /graphql received",
    ]);
  });
});

describe("reads", () => {
  test("the k-th one gets a 502", async () => {
    scene.world.faults.set("bad-gateway-read", { reads: [2] });
    expect((await graphql(scene, "{ viewer { login } }")).response.status).toBe(200);
    const second = await graphql(scene, "{ viewer { login } }");
    expect([second.response.status, second.answer.errors?.[0]?.message]).toEqual([
      502,
      expect.stringMatching(/^Something went wrong while executing your query/u),
    ]);
    expect((await api(scene, "/user")).status).toBe(200);
  });

  test.each(["RATE_LIMITED", "RATE_LIMIT"] as const)(
    "the used-up hourly limit is a 200 with %s in GraphQL, until the hour is over",
    async (type) => {
      scene.world.faults.set("primary-rate-limit", { reads: [1], resetAfter: 30_000, type });
      const limited = await graphql(scene, "{ viewer { login } }");
      expect(limited.response.status).toBe(200);
      expect(limited.answer).toEqual({ errors: [expect.objectContaining({ type })] });
      expect(limited.response.headers.get("x-ratelimit-remaining")).toBe("0");
      expect(Number(limited.response.headers.get("x-ratelimit-reset")) * 1000).toBe(clock.now() + 30_000);
      expect((await graphql(scene, "{ viewer { login } }")).answer.errors?.[0]?.type).toBe(type);
      clock.pass(31_000);
      expect((await graphql(scene, "{ viewer { login } }")).answer.errors).toBeUndefined();
    },
  );

  test("and a 403 in REST", async () => {
    scene.world.faults.set("primary-rate-limit", { reads: [1], resetAfter: 30_000 });
    const response = await api(scene, "/user");
    expect([response.status, response.headers.get("x-ratelimit-remaining")]).toEqual([403, "0"]);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining("API rate limit exceeded") });
    clock.pass(31_000);
    expect((await api(scene, "/user")).status).toBe(200);
  });

  test("a query that may touch too much meets the resource limit, a smaller one does not", async () => {
    scene.world.faults.set("resource-limit", { nodes: 60 });
    const query = (size: number): string =>
      `{ repository(owner: "ada", name: "shop") { pullRequest(number: 7) { reviewThreads(first: ${size}) { totalCount nodes { id } } } } }`;
    const refused = await graphql(scene, query(100));
    expect([refused.response.status, refused.answer]).toMatchObject([
      200,
      { data: null, errors: [{ message: "Resource limits for this query exceeded." }] },
    ]);
    expect((await graphql(scene, query(50))).answer.errors).toBeUndefined();
  });

  const all = `{ repository(owner: "ada", name: "shop") { pullRequest(number: 7) { number reviewThreads(first: 10) { totalCount nodes { id comments(first: 10) { nodes { id } } } } reviews(first: 10) { totalCount nodes { id } } } } }`;
  interface Read {
    readonly repository: {
      readonly pullRequest: {
        readonly reviews: unknown;
        readonly reviewThreads: { readonly totalCount: number; readonly nodes: readonly unknown[] };
      } | null;
    };
  }
  test.each([
    ["reviewThreads", null],
    ["threadComments", { reviewThreads: { nodes: [null, null] } }],
    ["reviews", { reviews: null }],
  ] as const)("a null connection (%s) stands beside an error", async (field, expected) => {
    scene.world.faults.set("null-connection", { field });
    const { response, answer } = await graphql(scene, all);
    expect(response.status).toBe(200);
    expect(answer.errors?.length).toBeGreaterThan(0);
    expect(answer.errors?.[0]).not.toHaveProperty("type");
    const { pullRequest } = (answer.data as unknown as Read).repository;
    if (expected === null) expect(pullRequest).toBeNull();
    else expect(pullRequest).toMatchObject(expected);
  });

  test("in the second read only, and a null item beside a count that says more", async () => {
    scene.world.faults.set("null-node", { field: "reviewThreads", reads: [2] });
    const threads = async () => ((await graphql(scene, all)).answer.data as unknown as Read).repository.pullRequest?.reviewThreads;
    expect((await threads())?.nodes).not.toContain(null);
    expect(await threads()).toMatchObject({ totalCount: 2, nodes: [null, { id: expect.any(String) }] });
    expect((await threads())?.nodes).not.toContain(null);
  });

  test("nothing is registered on a new head for a while", async () => {
    const { world, pullRequest } = scene;
    const { sha } = pullRequest.head;
    world.createCheck("github-actions", { repository: "ada/shop", head: sha, name: "test", conclusion: "SUCCESS" });
    const rollup = async (): Promise<unknown> => {
      const { answer } = await graphql(
        scene,
        `
          {
            repository(owner: "ada", name: "shop") {
              pullRequest(number: 7) {
                statusCheckRollup {
                  state
                }
              }
            }
          }
        `,
      );
      return answer.data;
    };
    world.faults.set("no-checks-yet", { milliseconds: 60_000 });
    expect(await rollup()).toMatchObject({ repository: { pullRequest: { statusCheckRollup: null } } });
    expect(await (await api(scene, `/repos/ada/shop/commits/${sha}/check-runs`)).json()).toEqual({ total_count: 0, check_runs: [] });
    clock.pass(61_000);
    expect(await rollup()).toMatchObject({ repository: { pullRequest: { statusCheckRollup: { state: "SUCCESS" } } } });
  });

  test("an unchanged pull request keeps its ETag while time passes", async () => {
    const etag = (await api(scene, "/repos/ada/shop/pulls/7")).headers.get("etag") ?? "";
    clock.pass(90_000);
    expect((await api(scene, "/repos/ada/shop/pulls/7", { headers: { "if-none-match": etag } })).status).toBe(304);
    scene.world.editTitle("ada", scene.pullRequest, "Other");
    expect((await api(scene, "/repos/ada/shop/pulls/7", { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("the merge state is unknown at first", async () => {
    scene.world.faults.set("merge-state-unknown", { reads: 1 });
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "new.ts": "" }, message: "New" });
    const read = async (): Promise<unknown> => (await api(scene, "/repos/ada/shop/pulls/7")).json();
    expect(await read()).toMatchObject({ mergeable: null, mergeable_state: "unknown" });
    expect(await read()).toMatchObject({ mergeable: true, mergeable_state: "clean" });
  });

  test("an answer takes as long as the fault says, by the world's clock", async () => {
    scene.world.faults.set("slow-answer", { milliseconds: 5_000 });
    let answered = false;
    const pending = api(scene, "/user").then((response) => {
      answered = true;
      return response.status;
    });
    while (scene.sandbox.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.pass(4_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    clock.pass(1);
    expect(await pending).toBe(200);
  });
});
