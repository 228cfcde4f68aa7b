/** The check of all answers (see answers/watch.ts) bites: what GitHub would not say is found, and each request that is served is described. */
import { expect, test } from "vitest";
import type { AnswerNotice } from "../../sandbox/server/answers.js";
import { createLimits } from "../../sandbox/server/limits.js";
import { allRoutes } from "../../sandbox/server/rest/service.js";
import { description, DEVIATIONS, schemas, UNDESCRIBED } from "./answers/description.js";
import { problemsOf } from "./answers/problems.js";
import { operationOf } from "./answers/rest.js";
import { watchedAnswers } from "./answers/watch.js";
import { api, FILE, graphql, startScene } from "./scene.js";

/** `/repos/:owner/:repo/contents/*path` with something in each place. */
const sample = (pattern: RegExp): string =>
  pattern.source
    .replace(/^\^|\$$/gu, "")
    .replaceAll("([^/]+)", "1")
    .replaceAll("(.+)", "one")
    .replaceAll(String.raw`\/`, "/");

test("every request that is served is in the description, and the description has no other", () => {
  const served = allRoutes(createLimits()).map(({ method, pattern }) => [
    `${method} ${sample(pattern)}`,
    operationOf(method, sample(pattern)),
  ]);
  expect(served.filter(([, operation]) => operation === undefined)).toEqual([]);
  const operations = new Set(served.map(([, operation]) => operation));
  const described = Object.entries(description.answers).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.filter((operation) => !operations.has(operation))).toEqual([]);
  expect(Object.keys(UNDESCRIBED).filter((operation) => !operations.has(operation) || described.includes(operation))).toEqual([]);
});

test("every read that is served is answered once here, so that each shape is looked at", async () => {
  const scene = await startScene();
  const { world, pullRequest } = scene;
  world.addOrganization("guild", ["grace"]);
  const review = world.review("greptile-apps", pullRequest, {
    state: "COMMENTED",
    body: "S",
    comments: [{ path: FILE, line: 3, body: "One" }],
  });
  const [thread] = pullRequest.threads;
  if (thread === undefined) throw new Error("no thread");
  world.replyToThread("ada", thread, "Two");
  world.react("ada", thread.comments[0] ?? "", "HEART");
  const said = world.comment("ada", pullRequest, "A word");
  world.react("grace", said, "EYES");
  world.requestReview("ada", pullRequest, "grace", "copilot-pull-request-reviewer", "guild/masons");
  world.markDraft("ada", pullRequest);
  world.deploy("github-actions", pullRequest, { environment: "preview", state: "success", url: "https://preview.invalid" });
  world.protect("ada/shop", "main", {
    requiredChecks: ["test"],
    requiresConversationResolution: true,
    requiredApprovals: 1,
    dismissStaleReviews: true,
  });
  const of = { repository: "ada/shop", head: pullRequest.head.sha } as const;
  const check = world.createCheck("github-actions", {
    ...of,
    name: "test",
    conclusion: "FAILURE",
    title: "Red",
    log: "boom",
    workflow: { name: "CI", event: "push" },
  });
  world.setStatus("github-actions", { ...of, context: "lint", state: "SUCCESS", description: "Fine", url: "https://lint.invalid" });
  world.openIssue("grace", "ada/shop", { title: "An issue", body: "" });
  const deployment = ((await (await api(scene, "/repos/ada/shop/deployments")).json()) as readonly { id: number }[])[0]?.id;
  const params: Readonly<Record<string, unknown>> = {
    owner: "ada",
    repo: "shop",
    login: "grace",
    number: 7,
    review: review.databaseId,
    ref: pullRequest.head.sha,
    check: check.databaseId,
    branch: "main",
    range: "main...topic",
    path: "README.md",
    deployment,
  };
  const statuses: string[] = [];
  for (const { method, pattern, names } of allRoutes(createLimits())) {
    if (method !== "GET" || pattern.source.includes("job-logs")) continue;
    let at = -1;
    const comment = pattern.source.includes("pulls") ? thread.comments[0]?.databaseId : said.databaseId;
    const path = pattern.source
      .replace(/^\^|\$$/gu, "")
      .replaceAll(String.raw`\/`, "/")
      .replaceAll(/\(\[\^\/\]\+\)|\(\.\+\)/gu, (part) => {
        at += 1;
        const name = names[at] ?? "";
        if (name === "comment") return String(comment);
        return part === "(.+)" && name === "ref" && pattern.source.includes("git") ? "heads/main" : String(params[name]);
      });
    const response = await api(scene, path, { headers: { "user-agent": "test" } });
    statuses.push(`${response.status} ${path.replaceAll(/\d{4,}|[0-9a-f]{40}/gu, "N")}`);
  }
  await scene.sandbox.close();
  expect(statuses.filter((line) => !/^[23]/u.test(line))).toEqual([
    "404 /repos/ada/shop/pulls/7/merge",
    "404 /repos/ada/shop/branches/main/protection",
  ]);
  expect(statuses.length).toBeGreaterThan(45);
});

test("each deviation is one: the description alone says otherwise", () => {
  for (const { schema, property, also } of DEVIATIONS) {
    const alone = description.schemas[schema]?.properties?.[property];
    expect([schema, property, alone]).not.toEqual([schema, property, undefined]);
    expect([schema, property, schemas[schema]?.properties?.[property]]).not.toEqual([schema, property, alone]);
    if (also === "nullable") expect([schema, property, alone?.nullable ?? false]).toEqual([schema, property, false]);
  }
});

/** One real answer of each kind. */
const real = async (): Promise<{ readonly rest: AnswerNotice; readonly asked: AnswerNotice }> => {
  const scene = await startScene();
  scene.world.review("greptile-apps", scene.pullRequest, {
    state: "COMMENTED",
    body: "S",
    comments: [{ path: FILE, line: 3, body: "One" }],
  });
  await api(scene, "/repos/ada/shop/pulls/7/comments");
  await graphql(
    scene,
    `
      query ($n: Int!) {
        repository(owner: "ada", name: "shop") {
          pullRequest(number: $n) {
            __typename
            id
            number
            state
            createdAt
            headRefOid
            author {
              login
              ... on Bot {
                databaseId
              }
            }
            reviewThreads(first: 5) {
              totalCount
              nodes {
                id
                isResolved
                comments(first: 2) {
                  nodes {
                    fullDatabaseId
                    body
                    author {
                      __typename
                      login
                    }
                  }
                }
              }
            }
          }
        }
      }
    `,
    { n: 7 },
  );
  await scene.sandbox.close();
  const [rest, asked] = watchedAnswers();
  if (rest === undefined || asked === undefined) throw new Error("No answer was told.");
  return { rest, asked };
};

test("what a REST answer lacks, has too much of, or says in another shape", async () => {
  const { rest } = await real();
  expect(await problemsOf([rest])).toEqual([]);
  const broken = async (change: Partial<AnswerNotice> | ((body: string) => string)): Promise<readonly string[]> =>
    problemsOf([{ ...rest, ...(typeof change === "function" ? { body: change(rest.body) } : change) }]);
  const at = "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments -> ";
  expect(await broken((body) => body.replaceAll('"node_id"', '"nodeid"'))).toEqual([
    `${at}200: /* lacks node_id`,
    `${at}200: /*/user lacks node_id`,
    `${at}200: /*/nodeid is not in the description`,
    `${at}200: /*/user/nodeid is not in the description`,
  ]);
  expect(await broken((body) => body.replace(/"created_at":"[^"]+"/u, '"created_at":"yesterday"'))).toEqual([
    `${at}200: /*/created_at must match format "date-time"`,
  ]);
  expect(await broken((body) => body.replace(/"path":"[^"]+"/u, '"path":null'))).toEqual([`${at}200: /*/path must be string`]);
  // Where the description is known to say less than GitHub does, nothing is wrong.
  expect(await broken((body) => body.replace(/"line":\d+/u, '"line":null'))).toEqual([]);
  expect(await broken({ status: 202 })).toEqual([`${at}202: the description does not have this status`]);
  expect(await broken({ body: "<html>" })).toEqual([`${at}200: the body is no JSON`]);
  expect(await broken({ body: "" })).toEqual([`${at}200: there is no body`]);
  expect(await broken({ contentType: "text/plain" })).toEqual([`${at}200: text/plain was not asked for`]);
  expect(await broken({ status: 404, body: '{"message":404}' })).toEqual([`${at}404: /message must be string`]);
  expect(await broken({ path: "/repos/ada/shop/pages" })).toEqual([
    "GET /repos/ada/shop/pages -> 200: the description does not have this request",
  ]);
});

test("what a GraphQL answer lacks, has too much of, or says in another shape", async () => {
  const { asked } = await real();
  expect(await problemsOf([asked])).toEqual([]);
  const broken = async (...change: readonly (readonly [string | RegExp, string])[]): Promise<readonly string[]> =>
    problemsOf([{ ...asked, body: change.reduce((body, [from, to]) => body.replace(from, to), asked.body) }]);
  const at = "data.repository.pullRequest";
  expect(await broken(['"number":7', '"number":"7"'])).toEqual([`${at}.number is no Int: "7"`]);
  expect(await broken(['"number":7,', ""])).toEqual([`${at}.number is missing`]);
  expect(await broken(['"number":7', '"number":7,"title":"x"'])).toEqual([`${at}.title was not asked for`]);
  expect(await broken(['"state":"OPEN"', '"state":"open"'])).toEqual([`${at}.state is no PullRequestState: "open"`]);
  expect(await broken(['Z"', '.000Z"'])).toEqual([expect.stringMatching(/createdAt is no DateTime/u)]);
  expect(await broken([/"headRefOid":"[^"]+"/u, '"headRefOid":"main"'])).toEqual([`${at}.headRefOid is no GitObjectID: "main"`]);
  expect(await broken(['"isResolved":false', '"isResolved":null'])).toEqual([`${at}.reviewThreads.nodes.0.isResolved is null`]);
  expect(await broken([/"fullDatabaseId":"(\d+)"/u, '"fullDatabaseId":$1'])).toEqual([
    expect.stringMatching(/fullDatabaseId is no BigInt/u),
  ]);
  expect(await broken(['"__typename":"Bot"', '"__typename":"User "'])).toEqual([expect.stringMatching(/author\.__typename is not/u)]);
  expect(await broken([/^\{"data":.*\}$/u, '{"data":null}'])).toEqual(["neither data nor errors"]);
  expect(await broken([/\}$/u, ',"errors":[{"type":"ODD","message":"x","path":["repository"],"status":1}]}'])).toEqual([
    "an error has status",
    'an error has the type "ODD"',
    "an error is about repository, which is not null",
  ]);
});

test("of a query that is not valid there is no data", async () => {
  const { asked } = await real();
  const wrong = { ...asked, asked: JSON.stringify({ query: "{ viewer { nothing } }" }) };
  expect(await problemsOf([wrong])).toEqual(["data for a query that is not valid"]);
});
