import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { api, FILE, graphql, startScene, type Scene } from "./scene.js";

let scene: Scene;
beforeEach(async () => {
  scene = await startScene();
});
afterEach(async () => {
  expect(scene.sandbox.unknownRequests).toEqual([]);
  await scene.sandbox.close();
});

const pulls = "/repos/ada/shop/pulls/7";
const issues = "/repos/ada/shop/issues/7";
const send = async (
  method: string,
  path: string,
  body?: unknown,
  as = "ada",
): Promise<{ status: number; value: never; response: Response }> => {
  const response = await api(scene, path, { method, body, as });
  const text = await response.text();
  return { status: response.status, value: (text === "" ? undefined : JSON.parse(text)) as never, response };
};

describe("the conversation", () => {
  test("post, edit, list since, delete", async () => {
    const made = await send("POST", `${issues}/comments`, { body: "Hello" });
    expect(made).toMatchObject({ status: 201, value: { body: "Hello", user: { login: "ada" }, minimized: null } });
    expect(made.response.headers.get("location")).toBe((made.value as { url: string }).url);
    const { id } = made.value as { id: number };
    expect(await send("PATCH", `/repos/ada/shop/issues/comments/${id}`, { body: "Hello again" })).toMatchObject({
      status: 200,
      value: { body: "Hello again" },
    });
    expect((await send("PATCH", `/repos/ada/shop/issues/comments/${id}`, { body: "x" }, "stranger")).status).toBe(403);
    expect((await send("DELETE", `/repos/ada/shop/issues/comments/${id}`)).status).toBe(204);
    expect(scene.pullRequest.comments).toEqual([]);
  });

  test("reactions to a comment and to the description, each once for an account and with its time; also by GraphQL, which takes them back", async () => {
    const made = await send("POST", `${issues}/comments`, { body: "@acme review" });
    const { id } = made.value as { id: number };
    const paths = [`/repos/ada/shop/issues/comments/${id}/reactions`, `${issues}/reactions`];
    for (const path of paths) {
      for (let times = 0; times < 2; times += 1)
        expect(await send("POST", path, { content: "eyes" }, "greptile-apps")).toMatchObject({
          status: 201,
          value: { content: "eyes", user: { login: "greptile-apps[bot]" } },
        });
      expect(await send("GET", path)).toMatchObject({ value: [{ content: "eyes", created_at: expect.stringMatching(/Z$/) }] });
      expect((await send("GET", path)).value).toHaveLength(1);
      expect((await send("POST", path, { content: "clap" })).status).toBe(422);
    }
    const subject = JSON.stringify(scene.pullRequest.id);
    const who = "edges { reactedAt node { __typename ... on Bot { login } ... on User { login } } }";
    const groups = `subject { ... on PullRequest { reactionGroups { content reactors(first: 5) { ${who} } } } }`;
    const shown = async (act: string): Promise<readonly string[]> => {
      const { answer } = await graphql(scene, `mutation { act: ${act}(input: { subjectId: ${subject}, content: EYES }) { ${groups} } }`);
      const { act: payload } = answer.data as {
        act: { subject: { reactionGroups: { content: string; reactors: { edges: { node: { login: string } }[] } }[] } };
      };
      return payload.subject.reactionGroups.flatMap((group) => group.reactors.edges.map(({ node }) => `${group.content} ${node.login}`));
    };
    expect(await shown("addReaction")).toEqual(["EYES greptile-apps", "EYES ada"]);
    expect(await shown("removeReaction")).toEqual(["EYES greptile-apps"]);
  });

  test("refusals: no body, an empty one, a body that is too long, a locked conversation", async () => {
    expect(await send("POST", `${issues}/comments`, {})).toMatchObject({
      status: 422,
      value: { message: "Validation Failed", status: "422", errors: [{ resource: "IssueComment", code: "missing_field", field: "body" }] },
    });
    expect(await send("POST", `${issues}/comments`, { body: " " })).toMatchObject({
      status: 422,
      value: { errors: [{ message: "Body can't be blank" }] },
    });
    expect(await send("POST", `${issues}/comments`, { body: "x".repeat(65_537) })).toMatchObject({
      status: 422,
      value: { errors: [{ message: "body is too long (maximum is 65536 characters)" }] },
    });
    scene.world.lock("ada", scene.pullRequest);
    expect((await send("POST", `${issues}/comments`, { body: "x" }, "stranger")).status).toBe(403);
  });
});

describe("reviews", () => {
  test("one with comments is 200; the errors of a bad one are strings", async () => {
    const made = await send(
      "POST",
      `${pulls}/reviews`,
      { event: "COMMENT", body: "See", comments: [{ path: FILE, line: 3, body: "Hm" }] },
      "grace",
    );
    expect(made).toMatchObject({
      status: 200,
      value: { state: "COMMENTED", body: "See", user: { login: "grace" }, commit_id: scene.pullRequest.head.sha },
    });
    const bad = await send(
      "POST",
      `${pulls}/reviews`,
      { event: "COMMENT", comments: [{ path: "README.md", line: 1, body: "Hm" }] },
      "grace",
    );
    expect(bad).toMatchObject({ status: 422, value: { message: "Unprocessable Entity", errors: [expect.any(String)] } });
    expect(scene.pullRequest.threads).toHaveLength(1);
  });

  test("without an event it is pending: seen by its author only, and then replies by REST are refused", async () => {
    scene.world.review("greptile-apps", scene.pullRequest, { state: "COMMENTED", comments: [{ path: FILE, line: 3, body: "Hm" }] });
    const root = scene.pullRequest.threads[0]?.comments[0]?.databaseId;
    const pending = await send("POST", `${pulls}/reviews`, { body: "Draft" });
    expect(pending).toMatchObject({ status: 200, value: { state: "PENDING" } });
    expect(pending.value).not.toHaveProperty("submitted_at");
    expect((await send("GET", `${pulls}/reviews`)).value).toHaveLength(2);
    expect((await send("GET", `${pulls}/reviews`, undefined, "grace")).value).toHaveLength(1);
    expect(await send("POST", `${pulls}/comments/${root}/replies`, { body: "Done" })).toMatchObject({
      status: 422,
      value: { errors: [{ message: "user_id can only have one pending review per pull request" }] },
    });
    const { id } = pending.value as { id: number };
    expect(await send("POST", `${pulls}/reviews/${id}/events`, { event: "COMMENT" })).toMatchObject({
      status: 200,
      value: { state: "COMMENTED", body: "Draft" },
    });
    const reply = await send("POST", `${pulls}/comments/${root}/replies`, { body: "Done" });
    expect(reply).toMatchObject({ status: 201, value: { in_reply_to_id: root, body: "Done" } });
    expect(await send("POST", `${pulls}/comments/${(reply.value as { id: number }).id}/replies`, { body: "And" })).toMatchObject({
      status: 422,
    });
    expect(await send("POST", `${pulls}/comments`, { body: "Old way", in_reply_to: root })).toMatchObject({
      status: 201,
      value: { in_reply_to_id: root },
    });
  });

  test("an inline comment outside the diff is refused with objects, an outdated one has no line", async () => {
    const commit = scene.pullRequest.head.sha;
    expect(await send("POST", `${pulls}/comments`, { body: "Hm", path: FILE, commit_id: commit, line: 400 })).toMatchObject({
      status: 422,
      value: { errors: [{ message: "pull_request_review_thread.line must be part of the diff" }] },
    });
    const made = await send("POST", `${pulls}/comments`, { body: "Hm", path: FILE, commit_id: commit, line: 3 });
    expect(made).toMatchObject({ status: 201, value: { line: 3, position: 3 } });
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { [FILE]: "gone\n" }, message: "Rewrite" });
    const { id } = made.value as { id: number };
    expect((await send("GET", `/repos/ada/shop/pulls/comments/${id}`)).value).toMatchObject({
      line: null,
      position: null,
      original_line: 3,
      original_commit_id: commit,
      commit_id: commit,
    });
  });
});

describe("who is asked for a review", () => {
  test("people are listed, bots are not, though GraphQL's list has them", async () => {
    const asked = await send("POST", `${pulls}/requested_reviewers`, { reviewers: ["grace", "copilot-pull-request-reviewer[bot]"] });
    expect(asked).toMatchObject({ status: 201, value: { number: 7, requested_reviewers: [{ login: "grace" }] } });
    expect(scene.pullRequest.requests.map((request) => request.login)).toEqual(["grace", "copilot-pull-request-reviewer"]);
    expect((await send("GET", `${pulls}/requested_reviewers`)).value).toMatchObject({ users: [{ login: "grace" }], teams: [] });
    expect((await send("DELETE", `${pulls}/requested_reviewers`, { team_reviewers: [] })).status).toBe(422);
    expect((await send("DELETE", `${pulls}/requested_reviewers`, { reviewers: ["grace"] })).status).toBe(200);
    expect(scene.pullRequest.requests.map((request) => request.login)).toEqual(["copilot-pull-request-reviewer"]);
  });

  test.each([
    [["stranger"], 422, /not a collaborator/u],
    [["copilot-pull-request-reviewer"], 422, /not a collaborator/u],
    [["greptile-apps[bot]"], 422, /not a collaborator/u],
    [["grace", "ada"], 422, /cannot be requested from pull request author/u],
  ])("%j -> %i, and nobody is asked", async (reviewers, status, message) => {
    const answer = await send("POST", `${pulls}/requested_reviewers`, { reviewers });
    expect(answer).toMatchObject({ status, value: { message: expect.stringMatching(message) } });
    expect(scene.pullRequest.requests).toEqual([]);
  });

  test("the name `Copilot` is taken, and asks nobody", async () => {
    expect((await send("POST", `${pulls}/requested_reviewers`, { reviewers: ["Copilot"] })).status).toBe(201);
    expect(scene.pullRequest.requests).toEqual([]);
  });

  test("without write access it is a bare 404", async () => {
    expect((await send("POST", `${pulls}/requested_reviewers`, { reviewers: ["grace"] }, "stranger")).status).toBe(404);
  });

  test("Copilot's own endpoint: once, then 409 while it is pending; its start is an event", async () => {
    const path = `${pulls}/copilot-code-review`;
    expect(await send("POST", path, { review_effort: "huge" })).toMatchObject({
      status: 422,
      value: { failure_reason: "INVALID_REVIEW_EFFORT" },
    });
    expect((await send("POST", path, {})).status).toBe(201);
    expect((await send("POST", path)).status).toBe(409);
    scene.world.review("copilot-pull-request-reviewer", scene.pullRequest, { state: "PENDING" });
    const events = (await send("GET", `${issues}/timeline?per_page=100`)).value as {
      event: string;
      requested_reviewer?: { login: string };
    }[];
    expect(events.map((event) => event.event)).toEqual(expect.arrayContaining(["committed", "review_requested", "copilot_work_started"]));
    expect(events.find((event) => event.event === "review_requested")?.requested_reviewer?.login).toBe("Copilot");
    scene.world.deleteAccount("copilot-pull-request-reviewer");
  });
});

describe("the pull request", () => {
  test("title and body change, a draft can't be flipped here", async () => {
    expect(await send("PATCH", pulls, { title: "New", body: "Words", draft: true })).toMatchObject({
      status: 200,
      value: { title: "New", body: "Words", draft: false },
    });
    expect((await send("PATCH", pulls, { title: "x" }, "stranger")).status).toBe(403);
    expect((await send("PATCH", pulls, { state: "closed" })).value).toMatchObject({ state: "closed", merged: false });
  });

  test("a second one for the same branch is refused", async () => {
    expect(await send("POST", "/repos/ada/shop/pulls", { title: "Again", head: "topic", base: "main" })).toMatchObject({
      status: 422,
      value: { errors: [{ message: "A pull request already exists for ada:topic." }] },
    });
  });

  test("its branch is brought up to date, if the head is the expected one and there is something new", async () => {
    const path = `${pulls}/update-branch`;
    expect(await send("PUT", path, {})).toMatchObject({ status: 422, value: { message: "There are no new commits on the base branch." } });
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files: { "other.ts": "x\n" }, message: "Other" });
    expect((await send("PUT", path, { expected_head_sha: "0".repeat(40) })).status).toBe(422);
    const before = scene.pullRequest.head.sha;
    expect(await send("PUT", path, { expected_head_sha: before })).toMatchObject({
      status: 202,
      value: { message: "Updating pull request branch." },
    });
    expect(scene.sandbox.repositories.commit("ada/shop", scene.pullRequest.head.sha)?.parents[0]).toBe(before);
    expect((await send("GET", `${pulls}/merge`)).status).toBe(404);
  });

  test("merging is refused with 405 for a draft, 409 for another head", async () => {
    expect((await send("PUT", `${pulls}/merge`, { sha: "0".repeat(40) })).status).toBe(409);
    scene.world.markDraft("ada", scene.pullRequest);
    expect(await send("PUT", `${pulls}/merge`, {})).toMatchObject({ status: 405, value: { message: "Pull Request is still a draft" } });
    scene.world.markReady("ada", scene.pullRequest);
    expect(await send("PUT", `${pulls}/merge`, { sha: scene.pullRequest.head.sha })).toMatchObject({
      status: 200,
      value: { merged: true },
    });
    expect((await send("GET", `${pulls}/merge`)).status).toBe(204);
  });
});

test("a body that is no JSON is 400", async () => {
  const response = await fetch(`${scene.sandbox.apiUrl}${issues}/comments`, {
    method: "POST",
    headers: { authorization: `token ${scene.sandbox.tokenFor("ada")}`, "user-agent": "test" },
    body: "{",
  });
  expect([response.status, await response.json()]).toMatchObject([400, { message: "Problems parsing JSON" }]);
});
