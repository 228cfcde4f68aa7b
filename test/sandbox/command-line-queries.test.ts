import { afterAll, beforeAll, expect, test } from "vitest";
import { FILE, graphql, startScene, type Scene } from "./scene.js";
import { CLI_QUERIES } from "./client-queries.js";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  const { world, pullRequest } = scene;
  world.review("grace", pullRequest, { state: "APPROVED", body: "Good", comments: [{ path: FILE, line: 3, body: "Nice" }] });
  world.comment("ada", pullRequest, "Thanks");
  world.requestReview("ada", pullRequest, "copilot-pull-request-reviewer");
  world.createCheck("github-actions", {
    repository: "ada/shop",
    head: pullRequest.head.sha,
    name: "test",
    conclusion: "SUCCESS",
    workflow: { name: "CI", event: "push" },
  });
  world.setStatus("ada", { repository: "ada/shop", head: pullRequest.head.sha, context: "preview", state: "PENDING" });
});
afterAll(async () => {
  await scene.sandbox.close();
});

test.each(Object.entries(CLI_QUERIES))("`gh %s` is answered whole", async (_command, text) => {
  const { answer } = await graphql(scene, text, { id: scene.pullRequest.id });
  expect(answer.errors).toBeUndefined();
  expect(scene.sandbox.unknownRequests).toEqual([]);
});
