import { afterAll, beforeAll, expect, test } from "vitest";
import { FILE, graphql, startScene, type Scene } from "./scene.js";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  const { world, pullRequest } = scene;
  for (let review = 0; review < 5; review += 1) {
    const comments = Array.from({ length: 50 }, (_, index) => ({
      path: FILE,
      line: (index % 40) + 1,
      body: `Point ${review * 50 + index}`,
    }));
    world.review("greptile-apps", pullRequest, { state: "COMMENTED", body: `Round ${review}`, comments });
  }
  const [first] = pullRequest.threads;
  for (let reply = 0; reply < 120; reply += 1) world.replyToThread("ada", first ?? "", `Reply ${reply}`);
});
afterAll(async () => {
  await scene.sandbox.close();
});

interface Page {
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly endCursor: string | null;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
  };
  readonly nodes: readonly { readonly id: string }[];
}
const threads = async (args: string): Promise<Page> => {
  const { answer } = await graphql(
    scene,
    `{ repository(owner: "ada", name: "shop") { pullRequest(number: 7) { reviewThreads(${args}) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`,
  );
  expect(answer.errors).toBeUndefined();
  return (answer.data as { repository: { pullRequest: { reviewThreads: Page } } }).repository.pullRequest.reviewThreads;
};
const all = (): readonly string[] => scene.pullRequest.threads.map((thread) => thread.id);

test("250 threads take three pages, and none is told twice", async () => {
  const found: string[] = [];
  let after = "";
  let pages = 0;
  for (let more = true; more; pages += 1) {
    const page = await threads(`first: 100${after}`);
    expect(page.totalCount).toBe(250);
    found.push(...page.nodes.map((node) => node.id));
    more = page.pageInfo.hasNextPage;
    after = `, after: ${JSON.stringify(page.pageInfo.endCursor)}`;
  }
  expect(pages).toBe(3);
  expect(found).toEqual(all());
});

test("backwards too", async () => {
  const last = await threads("last: 100");
  expect(last.nodes.map((node) => node.id)).toEqual(all().slice(150));
  expect(last.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
  const before = await threads(`last: 100, before: ${JSON.stringify(last.pageInfo.startCursor)}`);
  expect(before.nodes.map((node) => node.id)).toEqual(all().slice(50, 150));
});

test("comments of one thread page by its own cursor", async () => {
  const query = `query($id: ID!, $after: String) { node(id: $id) { ... on PullRequestReviewThread { comments(first: 100, after: $after) { totalCount nodes { body } pageInfo { hasNextPage endCursor } } } } }`;
  type Comments = {
    node: { comments: { totalCount: number; nodes: { body: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } } };
  };
  const id = all()[0];
  const first = (await graphql(scene, query, { id })).answer.data as Comments;
  const second = (await graphql(scene, query, { id, after: first.node.comments.pageInfo.endCursor })).answer.data as Comments;
  expect([first.node.comments.totalCount, first.node.comments.nodes.length, second.node.comments.nodes.length]).toEqual([121, 100, 21]);
  expect(second.node.comments.nodes.at(-1)?.body).toBe("Reply 119");
  expect(second.node.comments.pageInfo.hasNextPage).toBe(false);
});

test("a server may give smaller pages than asked for", async () => {
  scene.world.faults.set("page-size", { size: 30 });
  const page = await threads("first: 100");
  expect(page.nodes).toHaveLength(30);
  expect(page.pageInfo.hasNextPage).toBe(true);
  scene.world.faults.clear();
});
