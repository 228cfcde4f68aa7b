import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FILE, graphql, startScene, type Scene } from "./scene.js";

let scene: Scene;
beforeEach(async () => {
  scene = await startScene();
  scene.world.review("greptile-apps", scene.pullRequest, {
    state: "COMMENTED",
    body: "Summary",
    comments: [3, 5, 7].map((line) => ({ path: FILE, line, body: `Line ${line}` })),
  });
});
afterEach(async () => {
  expect(scene.sandbox.unknownRequests).toEqual([]);
  await scene.sandbox.close();
});

const threadIds = (): readonly string[] => scene.pullRequest.threads.map((thread) => thread.id);
const resolveThree = (ids: readonly (string | undefined)[]): string =>
  `mutation { ${ids.map((id, index) => `t${index + 1}: resolveReviewThread(input: { threadId: ${JSON.stringify(id)} }) { thread { isResolved resolvedBy { login } } }`).join(" ")} }`;

describe("a batch", () => {
  test("one failing field leaves the others applied", async () => {
    const [first, , third] = threadIds();
    const { response, answer } = await graphql(scene, resolveThree([first, "PRRT_gone", third]));
    expect(response.status).toBe(200);
    expect(answer.data).toEqual({
      t1: { thread: { isResolved: true, resolvedBy: { login: "ada" } } },
      t2: null,
      t3: { thread: { isResolved: true, resolvedBy: { login: "ada" } } },
    });
    expect(answer.errors).toEqual([
      {
        type: "NOT_FOUND",
        path: ["t2"],
        locations: expect.any(Array),
        message: "Could not resolve to a node with the global id of 'PRRT_gone'",
      },
    ]);
    expect(scene.pullRequest.threads.map((thread) => thread.resolved)).toEqual([true, false, true]);
  });

  test("the fault fails the fields at the given places", async () => {
    scene.world.faults.set("partial-alias-failure", { positions: [1], type: "FORBIDDEN" });
    const { answer } = await graphql(scene, resolveThree(threadIds()));
    expect(answer.errors).toMatchObject([{ type: "FORBIDDEN", path: ["t1"], message: "Resource not accessible by integration" }]);
    expect(scene.pullRequest.threads.map((thread) => thread.resolved)).toEqual([false, true, true]);
  });

  test("an app without contents permission can reply and can't resolve", async () => {
    scene.world.addToken("test-token-small", "github-actions", { token: "actions", permissions: { pullRequests: "write" } });
    const ask = async (query: string) => {
      const response = await fetch(scene.sandbox.graphqlUrl, {
        method: "POST",
        headers: { authorization: "bearer test-token-small" },
        body: JSON.stringify({ query }),
      });
      return (await response.json()) as { data: unknown; errors?: unknown[] };
    };
    const [id] = threadIds();
    const read = await ask(`{ node(id: "${id}") { ... on PullRequestReviewThread { viewerCanResolve viewerCanReply } } }`);
    expect(read.data).toEqual({ node: { viewerCanResolve: false, viewerCanReply: true } });
    expect(await ask(resolveThree([id]))).toMatchObject({
      data: { t1: null },
      errors: [{ type: "FORBIDDEN", message: "Resource not accessible by integration" }],
    });
    const reply = await ask(
      `mutation { addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: "${id}", body: "Seen" }) { comment { body } } }`,
    );
    expect(reply.data).toEqual({ addPullRequestReviewThreadReply: { comment: { body: "Seen" } } });
  });
});

test("a reply is its own body-less review, unless a pending one swallows it", async () => {
  const [id] = threadIds();
  const reply = `mutation { addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: "${id}", body: "Done" }) { comment { state url replyTo { body } pullRequestReview { state body } } } }`;
  const first = await graphql(scene, reply);
  expect(first.answer.data).toMatchObject({
    addPullRequestReviewThreadReply: {
      comment: { state: "SUBMITTED", replyTo: { body: "Line 3" }, pullRequestReview: { state: "COMMENTED", body: "" } },
    },
  });
  await graphql(
    scene,
    `mutation { addPullRequestReview(input: { pullRequestId: "${scene.pullRequest.id}" }) { pullRequestReview { state } } }`,
  );
  const second = await graphql(scene, reply);
  expect(second.answer.data).toMatchObject({ addPullRequestReviewThreadReply: { comment: { state: "PENDING" } } });
  const seen = async (as: string) => {
    const { answer } = await graphql(
      scene,
      `{ node(id: "${id}") { ... on PullRequestReviewThread { comments(first: 10) { totalCount } } } }`,
      {},
      as,
    );
    return answer.data;
  };
  expect(await seen("grace")).toEqual({ node: { comments: { totalCount: 2 } } });
  expect(await seen("ada")).toEqual({ node: { comments: { totalCount: 3 } } });
});

test("a thread on a line outside the diff is silently none", async () => {
  const { answer } = await graphql(
    scene,
    `mutation { addPullRequestReviewThread(input: { pullRequestId: "${scene.pullRequest.id}", path: "README.md", line: 1, body: "x" }) { thread { id } } }`,
  );
  expect(answer).toEqual({ data: { addPullRequestReviewThread: { thread: null } } });
});

test("comment, edit, hide, ready and draft, description", async () => {
  const pr = scene.pullRequest.id;
  const made = await graphql(
    scene,
    `mutation { addComment(input: { subjectId: "${pr}", body: "Hello" }) { commentEdge { node { id body url } } subject { id } } }`,
  );
  const { id } = (made.answer.data as { addComment: { commentEdge: { node: { id: string } } } }).addComment.commentEdge.node;
  const edited = await graphql(
    scene,
    `mutation { updateIssueComment(input: { id: "${id}", body: "Hello again" }) { issueComment { body includesCreatedEdit editor { login } } } }`,
  );
  expect(edited.answer.data).toEqual({
    updateIssueComment: { issueComment: { body: "Hello again", includesCreatedEdit: true, editor: { login: "ada" } } },
  });
  const hidden = await graphql(
    scene,
    `mutation { minimizeComment(input: { subjectId: "${id}", classifier: OFF_TOPIC }) { minimizedComment { isMinimized minimizedReason } } }`,
  );
  expect(hidden.answer.data).toEqual({ minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: "off-topic" } } });
  const draft = await graphql(
    scene,
    `mutation { convertPullRequestToDraft(input: { pullRequestId: "${pr}" }) { pullRequest { isDraft mergeStateStatus } } }`,
  );
  expect(draft.answer.data).toMatchObject({ convertPullRequestToDraft: { pullRequest: { isDraft: true } } });
  const ready = await graphql(
    scene,
    `mutation { markPullRequestReadyForReview(input: { pullRequestId: "${pr}", clientMutationId: "m" }) { clientMutationId pullRequest { isDraft } } }`,
  );
  expect(ready.answer.data).toEqual({ markPullRequestReadyForReview: { clientMutationId: "m", pullRequest: { isDraft: false } } });
  const updated = await graphql(
    scene,
    `mutation { updatePullRequest(input: { pullRequestId: "${pr}", body: "New words" }) { pullRequest { body editor { login } } } }`,
  );
  expect(updated.answer.data).toEqual({ updatePullRequest: { pullRequest: { body: "New words", editor: { login: "ada" } } } });
});

test("a request for reviews replaces the others unless it says union", async () => {
  const { world, pullRequest } = scene;
  world.setAccess("ada/shop", "stranger", "write");
  const user = world.accounts.get("grace")?.id;
  const other = world.accounts.get("stranger")?.id;
  const bot = world.accounts.get("copilot-pull-request-reviewer")?.id;
  const ask = async (input: string) =>
    graphql(
      scene,
      `mutation { requestReviews(input: { pullRequestId: "${pullRequest.id}", ${input} }) { pullRequest { reviewRequests(first: 10) { nodes { requestedReviewer { __typename ... on User { login } ... on Bot { login } } } } } } }`,
    );
  await ask(`userIds: ["${user}"]`);
  const added = await ask(`botIds: ["${bot}"], union: true`);
  expect(JSON.stringify(added.answer.data)).toContain(`{"__typename":"Bot","login":"copilot-pull-request-reviewer"}`);
  expect(pullRequest.requests.map((request) => request.login)).toEqual(["grace", "copilot-pull-request-reviewer"]);
  await ask(`userIds: ["${other}"]`);
  expect(pullRequest.requests.map((request) => request.login)).toEqual(["stranger"]);
  const byLogin = await graphql(
    scene,
    `mutation { requestReviewsByLogin(input: { pullRequestId: "${pullRequest.id}", botLogins: ["copilot-pull-request-reviewer[bot]"], union: true }) { clientMutationId } }`,
  );
  expect(byLogin.answer.errors).toBeUndefined();
  expect(pullRequest.requests.map((request) => request.login)).toEqual(["stranger", "copilot-pull-request-reviewer"]);
  const wrong = await ask(`userIds: ["${bot}"], union: true`);
  expect(wrong.answer.errors?.[0]?.type).toBe("NOT_FOUND");
});

test("one's own pull request can't be approved", async () => {
  const { answer } = await graphql(
    scene,
    `mutation { addPullRequestReview(input: { pullRequestId: "${scene.pullRequest.id}", event: APPROVE }) { pullRequestReview { state } } }`,
  );
  expect(answer).toMatchObject({
    data: { addPullRequestReview: null },
    errors: [{ type: "UNPROCESSABLE", message: "Review Can not approve your own pull request" }],
  });
});

test("a connection without a size in an answer fails after the write took effect", async () => {
  const [id] = threadIds();
  const { answer } = await graphql(
    scene,
    `mutation { resolveReviewThread(input: { threadId: "${id}" }) { thread { comments { nodes { id } } } } }`,
  );
  expect(answer.errors?.[0]?.type).toBe("MISSING_PAGINATION_BOUNDARIES");
  expect(scene.pullRequest.threads[0]?.resolved).toBe(true);
});

test("a private repository's nodes are hidden from a stranger", async () => {
  scene.world.repository("ada/shop").private = true;
  const [id] = threadIds();
  const read = await graphql(scene, `{ node(id: "${id}") { id } repository(owner: "ada", name: "shop") { id } }`, {}, "stranger");
  expect(read.answer.data).toEqual({ node: null, repository: null });
  const write = await graphql(scene, resolveThree([id]), {}, "stranger");
  expect(write.answer.errors?.[0]?.type).toBe("NOT_FOUND");
});
