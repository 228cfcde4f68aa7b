import { Octokit } from "@octokit/rest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FILE, startScene, type Scene } from "./scene.js";

let scene: Scene;
beforeEach(async () => {
  scene = await startScene();
});
afterEach(async () => {
  await scene.sandbox.close();
});

const client = (login: string): Octokit => new Octokit({ auth: scene.sandbox.tokenFor(login), baseUrl: scene.sandbox.apiUrl });
const at = { owner: "ada", repo: "shop", pull_number: 7 };

test("Octokit reads a pull request, its files, commits and reviews", async () => {
  const octokit = client("grace");
  scene.world.review("greptile-apps", scene.pullRequest, {
    state: "COMMENTED",
    body: "Two things.",
    comments: [{ path: FILE, line: 3, body: "Why?" }],
  });
  const { data } = await octokit.rest.pulls.get(at);
  expect(data).toMatchObject({
    number: 7,
    title: "Count one more",
    draft: false,
    mergeable: true,
    mergeable_state: "clean",
    changed_files: 2,
    commits: 1,
  });
  const files = await octokit.rest.pulls.listFiles(at);
  expect(files.data.map((file) => [file.filename, file.status, file.additions, file.deletions])).toEqual([
    [FILE, "modified", 40, 40],
    ["src/new.ts", "added", 1, 0],
  ]);
  expect((await octokit.rest.pulls.listCommits(at)).data[0]?.commit.message).toBe("Count one more");
  const reviews = await octokit.rest.pulls.listReviews(at);
  expect(reviews.data[0]).toMatchObject({ state: "COMMENTED", body: "Two things.", user: { login: "greptile-apps[bot]", type: "Bot" } });
  const comments = await octokit.rest.pulls.listReviewComments(at);
  expect(comments.data[0]).toMatchObject({ path: FILE, line: 3, body: "Why?" });
  expect(scene.sandbox.unknownRequests).toEqual([]);
});

test("Octokit's GraphQL reads threads and resolves one", async () => {
  const octokit = client("ada");
  scene.world.review("greptile-apps", scene.pullRequest, { state: "COMMENTED", comments: [{ path: FILE, line: 3, body: "Why?" }] });
  const read = await octokit.graphql<{ repository: { pullRequest: { reviewThreads: { nodes: { id: string; isResolved: boolean }[] } } } }>(
    `query($owner:String!,$repo:String!){repository(owner:$owner,name:$repo){pullRequest(number:7){reviewThreads(first:100){totalCount nodes{id isResolved comments(first:10){nodes{author{login __typename} body}}}}}}}`,
    { owner: "ada", repo: "shop" },
  );
  const [thread] = read.repository.pullRequest.reviewThreads.nodes;
  expect(thread?.isResolved).toBe(false);
  const done = await octokit.graphql<{ resolveReviewThread: { thread: { isResolved: boolean } } }>(
    `mutation($id:ID!){resolveReviewThread(input:{threadId:$id}){thread{isResolved}}}`,
    { id: thread?.id },
  );
  expect(done.resolveReviewThread.thread.isResolved).toBe(true);
  expect(scene.world.log.some((event) => event.type === "resolved" && event.actor === "ada")).toBe(true);
});
