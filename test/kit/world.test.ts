import { expect, test } from "vitest";
import { createWorld } from "../../sandbox/world/index.js";

test("a pull request opens", () => {
  const world = createWorld({ clock: { now: () => 1_700_000_000_500, after: () => () => {} } });
  world.addUser("ada");
  world.addBot("greptile-apps");
  world.addRepository("ada/shop", { files: { "src/a.ts": "one\ntwo\n" } });
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": "one\n2\n" }, message: "Two" });
  const pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Two" });
  world.review("greptile-apps", pullRequest, { state: "COMMENTED", body: "x", comments: [{ path: "src/a.ts", line: 2, body: "why" }] });
  expect(pullRequest.threads[0]?.line).toBe(2);
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": "one\n3\n" }, message: "Three" });
  expect(pullRequest.threads[0]?.line).toBe(null);
  expect(world.mergeView(pullRequest)).toEqual({ mergeable: "MERGEABLE", mergeState: "CLEAN" });
});
