/** GitHub's rules on top of the schema: pages, prices, and the shapes of errors. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectUnknownRequests } from "./answers/watch.js";
import { FILE, graphql, startScene, type Scene } from "./scene.js";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  const { world, pullRequest } = scene;
  world.review("greptile-apps", pullRequest, {
    state: "COMMENTED",
    body: "Summary",
    comments: [
      { path: FILE, line: 3, body: "One" },
      { path: FILE, line: 5, body: "Two" },
    ],
  });
});
afterAll(async () => {
  await scene.sandbox.close();
});

const inPullRequest = (fields: string): string => `{ repository(owner: "ada", name: "shop") { pullRequest(number: 7) { ${fields} } } }`;

describe("pages", () => {
  test.each([
    ["reviewThreads { nodes { id } }", "MISSING_PAGINATION_BOUNDARIES"],
    ["reviewThreads { edges { cursor } }", "MISSING_PAGINATION_BOUNDARIES"],
    ["reviewThreads { pageInfo { hasNextPage } }", "MISSING_PAGINATION_BOUNDARIES"],
    ["reviewThreads(first: 101) { nodes { id } }", "EXCESSIVE_PAGINATION"],
    ["comments(last: 500) { nodes { id } }", "EXCESSIVE_PAGINATION"],
    ["reviews(first: -1) { nodes { id } }", "INVALID_PAGINATION"],
    ['reviews(first: 1, after: "nonsense") { nodes { id } }', "INVALID_CURSOR_ARGUMENTS"],
    ["reviewThreads(first: 1) { nodes { comments { nodes { id } } } }", "MISSING_PAGINATION_BOUNDARIES"],
  ])("%s -> %s, with a path and status 200", async (fields, type) => {
    const { response, answer } = await graphql(scene, inPullRequest(fields));
    expect(response.status).toBe(200);
    expect(answer.errors?.[0]).toMatchObject({ type, path: expect.arrayContaining(["repository", "pullRequest"]) });
  });

  test("a connection that is asked for its counters only needs no size, and a size of 0 is one", async () => {
    const { answer } = await graphql(scene, inPullRequest("reviewThreads { totalCount } reviews(first: 0) { totalCount nodes { id } }"));
    expect(answer).toEqual({
      data: { repository: { pullRequest: { reviewThreads: { totalCount: 2 }, reviews: { totalCount: 1, nodes: [] } } } },
    });
  });
});

describe("prices", () => {
  const threads = (inner: string): string =>
    `{ rateLimit { cost nodeCount remaining limit used } ${inPullRequest(`reviewThreads(first: 100) { nodes { ${inner} } }`).slice(1)}`;

  test("points are the connections to fill by a hundred, nodes their sizes; both are told and charged", async () => {
    const before = await graphql(scene, "{ rateLimit { remaining } }");
    const { answer, response } = await graphql(scene, threads("comments(first: 50) { nodes { reactions(first: 20) { totalCount } } }"));
    const cost = Math.round((1 + 100 + 5_000) / 100);
    expect(answer.data?.["rateLimit"]).toMatchObject({ cost, nodeCount: 100 + 5_000 + 100_000, limit: 5_000 });
    const left = (before.answer.data as { rateLimit: { remaining: number } }).rateLimit.remaining;
    expect(response.headers.get("x-ratelimit-remaining")).toBe(String(left - cost));
    expect(response.headers.get("x-ratelimit-resource")).toBe("graphql");
    expect(scene.sandbox.requests.at(-1)?.cost).toBe(cost);
  });

  test("more than 500,000 possible nodes are refused before anything is read", async () => {
    const { answer } = await graphql(scene, threads("comments(first: 50) { nodes { reactions(first: 100) { totalCount } } }"));
    expect(answer.data).toBeUndefined();
    expect(answer.errors?.[0]).toMatchObject({ type: "MAX_NODE_LIMIT_EXCEEDED", message: expect.stringContaining("505,100") });
  });

  test("variables count, fragments too", async () => {
    const text = `query($n: Int!) { rateLimit { nodeCount } ${inPullRequest("...T").slice(1)} fragment T on PullRequest { comments(first: $n) { nodes { id } } }`;
    const { answer } = await graphql(scene, text, { n: 40 });
    expect(answer.data?.["rateLimit"]).toEqual({ nodeCount: 40 });
  });

  test("a dry run is priced, not run and not charged", async () => {
    const { answer, response } = await graphql(
      scene,
      `
        {
          rateLimit(dryRun: true) {
            cost
          }
          viewer {
            login
          }
        }
      `,
    );
    expect(answer).toEqual({ data: { rateLimit: { cost: 1 } } });
    const after = await graphql(scene, "{ viewer { login } }");
    expect(Number(response.headers.get("x-ratelimit-remaining")) - Number(after.response.headers.get("x-ratelimit-remaining"))).toBe(1);
  });
});

describe("errors", () => {
  test("an unknown field is refused in GitHub's shape", async () => {
    const { response, answer } = await graphql(scene, `query Whole ${inPullRequest("nonsense")}`);
    expect(response.status).toBe(200);
    expect(answer).toEqual({
      errors: [
        {
          path: ["query Whole", "repository", "pullRequest", "nonsense"],
          extensions: { code: "undefinedField", typeName: "PullRequest", fieldName: "nonsense" },
          locations: [{ line: 1, column: 81 }],
          message: "Field 'nonsense' doesn't exist on type 'PullRequest'",
        },
      ],
    });
  });

  test.each([
    [inPullRequest("reviewThreads(first: 1, isResolved: true) { totalCount }"), "argumentNotAccepted"],
    [inPullRequest("reviewThreads(first: 1)"), "selectionMismatch"],
    [`{ repository(owner: "ada") { id } }`, "missingRequiredArguments"],
    [`query($id: ID!) { viewer { login } }`, "variableNotUsed"],
    [`{ node(id: $id) { id } }`, "variableNotDefined"],
    [`{ node(id: "x") { ... on Nonsense { id } } }`, "undefinedType"],
    [`mutation { addComment(input: { subjectId: "x" }) { clientMutationId } }`, "missingRequiredInputObjectAttribute"],
    [`mutation { rateLimit { cost } }`, "undefinedField"],
  ])("%s -> %s", async (query, code) => {
    const { answer } = await graphql(scene, query);
    expect(answer.data).toBeUndefined();
    expect(answer.errors?.[0]?.extensions?.["code"]).toBe(code);
  });

  test("text that is no query, a variable that does not fit, an unknown repository, number and node", async () => {
    expect((await graphql(scene, "{ viewer {")).answer.errors?.[0]?.message).toMatch(/^Parse error on /u);
    const wrong = await graphql(scene, "query($id: ID!) { node(id: $id) { id } }", {});
    expect(wrong.answer.errors?.[0]).toMatchObject({ message: "Variable $id of type ID! was provided invalid value" });
    const none = await graphql(
      scene,
      `
        {
          repository(owner: "ada", name: "none") {
            id
          }
        }
      `,
    );
    expect(none.answer).toMatchObject({ data: { repository: null }, errors: [{ type: "NOT_FOUND", path: ["repository"] }] });
    const number = await graphql(
      scene,
      `
        {
          repository(owner: "ada", name: "shop") {
            id
            pullRequest(number: 99) {
              id
            }
          }
        }
      `,
    );
    expect(number.answer).toMatchObject({ data: { repository: { pullRequest: null } }, errors: [{ type: "NOT_FOUND" }] });
    const node = await graphql(
      scene,
      `
        {
          node(id: "PRRT_gone") {
            id
          }
        }
      `,
    );
    expect(node.answer).toMatchObject({ data: { node: null }, errors: [{ type: "NOT_FOUND", path: ["node"] }] });
  });

  test("an id beyond 32 bits can't be told as an Int, but as a string", async () => {
    const { answer } = await graphql(scene, inPullRequest("reviews(first: 1) { nodes { databaseId fullDatabaseId } }"));
    const review = scene.pullRequest.reviews[0]?.databaseId;
    expect(answer.data).toMatchObject({
      repository: { pullRequest: { reviews: { nodes: [{ databaseId: null, fullDatabaseId: String(review) }] } } },
    });
    expect(answer.errors).toHaveLength(1);
  });

  test("nobody and a wrong token are 401", async () => {
    const ask = async (headers: Record<string, string>) =>
      fetch(scene.sandbox.graphqlUrl, { method: "POST", headers, body: JSON.stringify({ query: "{ viewer { login } }" }) });
    expect((await ask({})).status).toBe(401);
    const wrong = await ask({ authorization: "bearer wrong-token" });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ message: "Bad credentials", status: "401" });
  });
});

test("a bot's login has no suffix, except as the viewer", async () => {
  const { answer } = await graphql(
    scene,
    `{ viewer { login } ${inPullRequest("reviews(first: 1) { nodes { author { __typename login } } }").slice(1)}`,
    {},
    "greptile-apps",
  );
  expect(answer.data).toMatchObject({
    viewer: { login: "greptile-apps[bot]" },
    repository: { pullRequest: { reviews: { nodes: [{ author: { __typename: "Bot", login: "greptile-apps" } }] } } },
  });
});

test.each([
  ["repo:ada/shop is:pr state:open author:@me", [7]],
  ["repo:ada/shop is:pr is:draft", []],
  ["repo:ada/shop review-requested:grace", []],
  ["repo:ada/shop -author:grace one more", [7]],
  ["repo:ada/other is:open", []],
])("search finds %s", async (query, numbers) => {
  const { answer } = await graphql(
    scene,
    "query($query: String!) { search(type: ISSUE, query: $query, first: 10) { issueCount nodes { ... on PullRequest { number } } } }",
    { query },
  );
  expect(answer).toEqual({ data: { search: { issueCount: numbers.length, nodes: numbers.map((number) => ({ number })) } } });
});

test("what clients introspect is answered", async () => {
  const { answer } = await graphql(
    scene,
    `
      {
        PullRequest: __type(name: "PullRequest") {
          fields(includeDeprecated: true) {
            name
          }
        }
        Contexts: __type(name: "StatusCheckRollupContextConnection") {
          fields {
            name
          }
        }
      }
    `,
  );
  const names = (answer.data as { PullRequest: { fields: { name: string }[] } }).PullRequest.fields.map((field) => field.name);
  expect(names).toEqual(expect.arrayContaining(["statusCheckRollup", "isInMergeQueue", "mergeStateStatus", "reviewThreads"]));
  expect(JSON.stringify(answer.data?.["Contexts"])).toContain("checkRunCountsByState");
});

test("a field that the schema has and the sandbox does not serve is an error, and is noted", async () => {
  expect(scene.sandbox.unknownRequests).toEqual([]);
  const { answer } = await graphql(scene, inPullRequest("hovercard { contexts { message } }"));
  expect(answer.errors?.[0]?.message).toMatch(/^Something went wrong while executing your query/u);
  expectUnknownRequests();
  expect(scene.sandbox.unknownRequests).toEqual(["POST /graphql: GraphQL field PullRequest.hovercard"]);
});
