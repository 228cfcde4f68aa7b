/** The adapter against the sandbox: what it reads over HTTP is what the in-memory forge says of the same world. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { githubForge } from "../../core/adapters/index.js";
import { ReviewloopError } from "../../core/errors.js";
import type { PullRequestRef, Snapshot, WriteOf } from "../../core/model.js";
import type { Forge, ForgeWrite } from "../../core/ports.js";
import { startSandbox } from "../../sandbox/index.js";
import type { PullRequestRecord, Sandbox } from "../../sandbox/index.js";
import { memoryForge } from "../../sandbox/kit/memory-forge.js";
import { virtualClock } from "../../sandbox/kit/virtual-clock.js";
import type { VirtualClock } from "../../sandbox/kit/virtual-clock.js";

let sandbox: Sandbox;
let clock: VirtualClock;
let record: PullRequestRecord;
let ref: PullRequestRef;
let forge: Forge;

const forgeOf = (login: string): Forge =>
  githubForge({ ...sandbox, host: sandbox.world.host, token: sandbox.tokenFor(login), clock, pace: 1_000 });

beforeEach(async () => {
  clock = virtualClock();
  sandbox = await startSandbox({ clock });
  const { world } = sandbox;
  for (const login of ["ada", "bob", "eve"]) world.addUser(login);
  for (const login of ["acme-review", "acme-ci"]) world.addBot(login);
  world.addBot("copilot-pull-request-reviewer", { requestable: true });
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`);
  world.addRepository("ada/shop", { files: { "src/a.ts": lines.join("") } });
  world.setAccess("ada/shop", "bob", "write");
  world.commitAndPush("ada", {
    repository: "ada/shop",
    branch: "topic",
    files: { "src/a.ts": lines.map((line) => line.toUpperCase()).join("") },
    message: "Change all of it",
  });
  record = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "All of it", body: "Was" });
  ref = { host: world.host, owner: "ada", name: "shop", number: record.number };
  forge = forgeOf("ada");
});
afterEach(async () => {
  const { unknownRequests } = sandbox;
  await sandbox.close();
  expect(unknownRequests).toEqual([]);
});

const comments = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ path: "src/a.ts", line: (i % 40) + 1, body: `Point ${i + 1}` }));
const base = { key: "k", preconditions: {}, why: "a test" };
const results = async (...writes: readonly ForgeWrite[]) => forge.write(writes, (await forge.read(ref)).pullRequest);
const resolves = (): WriteOf<"resolve">[] => record.threads.map(({ id }) => ({ ...base, kind: "resolve", thread: id }));

/** A world without HTTP says https in its addresses. */
const plain = (snapshot: Snapshot): unknown => JSON.parse(JSON.stringify(snapshot).replaceAll("https://", "http://"));
const inMemory = async (login: string) => plain(await memoryForge(sandbox.world, login).read(ref));

const furnish = (): void => {
  const { world } = sandbox;
  const { head } = record;
  world.review("acme-review", record, { state: "COMMENTED", body: "Summary", comments: comments(5) });
  world.review("bob", record, { state: "CHANGES_REQUESTED", body: "Please mend", comments: comments(1) });
  world.review("eve", record, { state: "COMMENTED", body: "Seen" });
  const thread = record.threads[0];
  if (thread !== undefined) {
    world.replyToThread("ada", thread, "An answer");
    world.resolve("ada", thread);
  }
  const sticky = world.comment("acme-review", record, "Sticky");
  world.comment("bob", record, "A word");
  world.editComment("acme-review", sticky, "Sticky, edited");
  world.minimise("ada", world.comment("ada", record, "@acme review"), "OUTDATED");
  for (const login of ["bob", "acme-review", "eve"]) world.react(login, record, "THUMBS_UP");
  world.react("acme-review", sticky, "EYES");
  world.react("bob", sticky, "EYES");
  world.createCheck("acme-ci", { repository: "ada/shop", head: head.sha, name: "test", status: "COMPLETED", conclusion: "FAILURE" });
  world.setStatus("acme-ci", { repository: "ada/shop", head: head.sha, context: "ci", state: "PENDING" });
  world.requestReview("ada", record, "bob", "copilot-pull-request-reviewer");
  world.deleteAccount("eve");
};

describe("reading", () => {
  test("an empty and a furnished pull request read as the in-memory forge reads them, whoever looks", async () => {
    for (const login of ["ada", "bob", "acme-review"]) {
      expect(plain(await forgeOf(login).read(ref))).toEqual(await inMemory(login));
    }
    furnish();
    for (const login of ["ada", "bob", "acme-review"]) {
      expect(plain(await forgeOf(login).read(ref))).toEqual(await inMemory(login));
    }
    expect(forge.cost.requests).toBe(0);
    await forge.read(ref);
    expect(forge.cost).toEqual({ requests: 1, points: 2 });
  });

  test("reactions: to the description and to comments, by whom and when, however many", async () => {
    const { world } = sandbox;
    const asked = world.comment("ada", record, "@acme review");
    const crowd = Array.from({ length: 230 }, (_, index) => `fan-${index}`);
    for (const login of crowd) {
      world.addUser(login);
      world.react(login, record, "HEART");
      if (login.length > 6) world.react(login, asked, "EYES");
    }
    clock.jump(60_000);
    world.react("acme-review", asked, "EYES");
    world.react("acme-review", record, "THUMBS_UP");
    const { reactions } = await forge.read(ref);
    expect(reactions).toHaveLength(230 + 130 + 2);
    expect(reactions.slice(-2)).toMatchObject([
      { on: asked.id, content: "eyes", login: "acme-review", bot: true, at: world.now() },
      { on: record.id, content: "+1", login: "acme-review", bot: true, at: world.now() },
    ]);
    expect(reactions).toEqual((await memoryForge(world, "ada").read(ref)).reactions);
    expect(forge.cost.requests).toBe(4);
  });

  test("a reaction moves the pulse, also where it moves no time", async () => {
    const asked = sandbox.world.comment("ada", record, "@acme review");
    const { digest } = await forge.pulse(ref);
    sandbox.world.react("acme-review", asked, "EYES");
    const eyes = await forge.pulse(ref);
    expect(eyes.digest).not.toBe(digest);
    sandbox.world.react("acme-review", record, "THUMBS_UP");
    expect((await forge.pulse(ref)).digest).not.toBe(eyes.digest);
    sandbox.world.unreact("acme-review", record, "THUMBS_UP");
    expect((await forge.pulse(ref)).digest).toBe(eyes.digest);
  });

  test("a thousand threads of five messages, each reply a review of its own: at most 16 requests", async () => {
    const { world } = sandbox;
    const authors = ["ada", "bob", "acme-review"];
    for (let i = 0; i < 25; i += 1) world.review("acme-review", record, { state: "COMMENTED", body: `Round ${i}`, comments: comments(40) });
    for (const [i, thread] of record.threads.entries()) {
      // Reviews without a comment, of both kinds, lie anywhere between.
      if (i % 150 === 70) world.review("bob", record, { state: i % 300 === 70 ? "APPROVED" : "COMMENTED", body: "Seen so far" });
      for (let j = 0; j < 4; j += 1) world.replyToThread(authors[(i + j) % 3] ?? "", thread, `Answer ${j}`);
    }
    expect(record.reviews).toHaveLength(4_032);
    const snapshot = await forge.read(ref);
    expect(forge.cost.requests).toBeLessThanOrEqual(16);
    expect(plain(snapshot)).toEqual(await inMemory("ada"));
  });

  test("the parts of the reviews that a large read asks for: by author, bots by their bare login, and by state", async () => {
    furnish();
    const counts = async (narrowed: string): Promise<number> => {
      const response = await fetch(sandbox.graphqlUrl, {
        method: "POST",
        headers: { authorization: `bearer ${sandbox.tokenFor("ada")}`, "content-type": "application/json" },
        body: JSON.stringify({
          query: `{ repository(owner: "ada", name: "shop") { pullRequest(number: ${record.number}) { reviews(first: 1, ${narrowed}) { totalCount } } } }`,
        }),
      });
      const { data } = (await response.json()) as { data: { repository: { pullRequest: { reviews: { totalCount: number } } } } };
      return data.repository.pullRequest.reviews.totalCount;
    };
    expect(await counts('author: "acme-review"')).toBe(1);
    expect(await counts('author: "acme-review[bot]"')).toBe(0);
    expect(await counts('author: "ada"')).toBe(1);
    expect(await counts("states: [APPROVED, CHANGES_REQUESTED, DISMISSED, PENDING]")).toBe(1);
    expect(await counts('states: [COMMENTED], author: "bob"')).toBe(0);
  });

  test("small pages are all followed", async () => {
    furnish();
    sandbox.world.faults.set("page-size", { size: 2 });
    expect(plain(await forge.read(ref))).toEqual(await inMemory("ada"));
    expect(forge.cost.requests).toBeGreaterThan(2);
  });

  test.each(["reviewThreads", "reviews", "comments", "reviewRequests", "contexts", "threadComments", "reactions"] as const)(
    "%s null or with a null item: incomplete, unless a later try is whole",
    async (field) => {
      furnish();
      sandbox.world.faults.set("null-connection", { field, reads: [1] });
      expect((await forge.read(ref)).reviewThreads).toHaveLength(6);
      sandbox.world.faults.clear();
      for (const fault of ["null-connection", "null-node"] as const) {
        sandbox.world.faults.set(fault, { field });
        await expect(forge.read(ref)).rejects.toMatchObject({ code: "READ_INCOMPLETE" });
        sandbox.world.faults.clear();
      }
    },
  );

  test("a used-up limit is waited for, on the clock", async () => {
    sandbox.world.faults.set("primary-rate-limit", { reads: [1], resetAfter: 60_000 });
    await forge.read(ref);
    expect(clock.passed).toBeGreaterThanOrEqual(60_000);
  });

  test("a pulse stands still until something moves", async () => {
    furnish();
    const first = await forge.pulse(ref);
    expect(await forge.pulse(ref)).toEqual(first);
    sandbox.world.editComment("acme-review", record.comments[0]!, "Edited again");
    clock.jump(1_000);
    sandbox.world.editComment("acme-review", record.comments[0]!, "And again");
    expect((await forge.pulse(ref)).digest).not.toBe(first.digest);
    expect(forge.cost).toEqual({ requests: 3, points: 3 });
  });

  test("who takes part, and who is signed in", async () => {
    furnish();
    const seen = (await forge.recent(ref)).map(({ login, kind }) => `${kind} ${login}`);
    expect(seen).toEqual(expect.arrayContaining(["bot acme-review", "user bob", "bot copilot-pull-request-reviewer", "bot acme-ci"]));
    expect(await forge.viewer()).toEqual({ login: "ada", kind: "user" });
    expect(await forgeOf("acme-review").viewer()).toEqual({ login: "acme-review", kind: "bot" });
  });

  test("a token that GitHub does not know, a pull request that is not there", async () => {
    const stranger = githubForge({ ...sandbox, host: ref.host, token: "test-token-nobody-has", clock, pace: 0 });
    await expect(stranger.read(ref)).rejects.toMatchObject({ code: "GITHUB_SIGN_IN" });
    await expect(forge.read({ ...ref, number: 999 })).rejects.toMatchObject({ code: "PULL_REQUEST_NOT_FOUND" });
  });
});

describe("writing", () => {
  test("every kind of write takes effect", async () => {
    furnish();
    const [, open] = record.threads;
    const root = open?.comments[0];
    if (open === undefined || root === undefined) throw new Error("no thread");
    const own = sandbox.world.comment("ada", record, "Mine");
    const writes: readonly ForgeWrite[] = [
      { ...base, kind: "reply", thread: open.id, rootComment: String(root.databaseId), body: "Done", decision: "actionable" },
      { ...base, kind: "comment", body: "Said", answers: [] },
      { ...base, kind: "edit-comment", comment: own.id, body: "Mine, edited" },
      { ...base, kind: "edit-description", was: "Was", body: "Is" },
      { ...base, kind: "resolve", thread: open.id },
      { ...base, kind: "minimise", comment: own.id, classifier: "OUTDATED" },
      { ...base, kind: "review", body: "A review", comments: [{ path: "src/a.ts", line: 2, body: "Look" }] },
      { ...base, kind: "mark-draft" },
      { ...base, kind: "mark-ready" },
      { ...base, kind: "cancel-request", login: "bob", bot: false },
      { ...base, kind: "request", by: "review-request", reviewer: "bob", login: "bob", bot: false },
      { ...base, kind: "cancel-request", login: "copilot-pull-request-reviewer", bot: true },
      { ...base, kind: "request", by: "review-request", reviewer: "copilot", login: "copilot-pull-request-reviewer", bot: true },
      { ...base, kind: "open-issue", title: "Later", body: "Text" },
    ];
    for (const write of writes)
      expect([write.kind, await results(write)]).toEqual([write.kind, [expect.objectContaining({ state: "done" })]]);
    const after = await forge.read(ref);
    expect(after.pullRequest).toMatchObject({ body: "Is", draft: false });
    expect(after.reviewThreads[1]).toMatchObject({ resolved: true });
    expect(after.reviewThreads[1]?.messages.at(-1)).toMatchObject({ body: "Done", pending: false, author: { login: "ada" } });
    expect(after.comments.map(({ body }) => body)).toEqual(expect.arrayContaining(["Said", "Mine, edited"]));
    expect(after.comments.find(({ id }) => id === own.id)?.minimised).toBe(true);
    expect(after.reviewThreads.at(-1)?.messages[0]?.body).toBe("Look");
    expect(after.requests.map(({ login }) => login).toSorted()).toEqual(["bob", "copilot-pull-request-reviewer"]);
    expect(sandbox.world.repository("ada/shop").issues.size).toBe(1);
  });

  test("the endpoint that starts a Copilot review: once, while it is pending", async () => {
    const write: ForgeWrite = {
      ...base,
      kind: "request",
      by: "review-request",
      reviewer: "copilot",
      login: "copilot-pull-request-reviewer",
      bot: true,
      endpoint: "copilot-code-review",
    };
    expect(await results(write)).toEqual([{ state: "done" }]);
    expect(await results(write)).toEqual([{ state: "done", found: true }]);
    expect((await forge.read(ref)).requests).toMatchObject([{ login: "copilot-pull-request-reviewer", kind: "bot" }]);
  });

  test("a request that GitHub drops in silence is told", async () => {
    sandbox.world.faults.set("review-request-dropped", {});
    const write: ForgeWrite = { ...base, kind: "request", by: "review-request", reviewer: "bob", login: "bob", bot: false };
    expect(await results(write)).toMatchObject([{ state: "dropped" }]);
    const login = "copilot-pull-request-reviewer";
    expect(await results({ ...write, login, bot: true, endpoint: "copilot-code-review" })).toMatchObject([{ state: "dropped" }]);
  });

  test("one alias fails, the others are done", async () => {
    sandbox.world.review("acme-review", record, { state: "COMMENTED", body: "Three", comments: comments(3) });
    sandbox.world.faults.set("partial-alias-failure", { positions: [2], type: "FORBIDDEN" });
    expect(await results(...resolves())).toMatchObject([{ state: "done" }, { state: "refused", code: "forbidden" }, { state: "done" }]);
  });

  test.each(["lost-answer", "bad-gateway-after", "bad-gateway-before"] as const)("%s of a batch is settled by looking", async (fault) => {
    sandbox.world.review("acme-review", record, { state: "COMMENTED", body: "Three", comments: comments(3) });
    sandbox.world.faults.set(fault, { writes: [1] });
    expect((await results(...resolves())).map(({ state }) => state)).toEqual(["done", "done", "done"]);
    expect(record.threads.every(({ resolved }) => resolved)).toBe(true);
  });
  test.each(["lost-answer", "bad-gateway-after", "bad-gateway-before"] as const)(
    "%s of a comment is thrown, and sent once",
    async (fault) => {
      sandbox.world.faults.set(fault, { writes: [1] });
      await expect(results({ ...base, kind: "comment", body: "Once", answers: [] })).rejects.toMatchObject({ code: "GITHUB_UNAVAILABLE" });
      expect(record.comments).toHaveLength(fault === "bad-gateway-before" ? 0 : 1);
    },
  );
  test("a secondary limit is waited for, and the comment stands there once", async () => {
    sandbox.world.faults.set("secondary-rate-limit", { writes: [1] });
    expect(await results({ ...base, kind: "comment", body: "Once", answers: [] })).toMatchObject([{ state: "done" }]);
    expect(record.comments).toHaveLength(1);
    expect(clock.passed).toBeGreaterThanOrEqual(60_000);
  });
  test("resolving without effect is not believed", async () => {
    sandbox.world.review("acme-review", record, { state: "COMMENTED", body: "One", comments: comments(1) });
    sandbox.world.faults.set("resolve-without-effect", {});
    expect(await results(...resolves())).toMatchObject([{ state: "refused", code: "invalid" }]);
  });

  test("a draft review of one's own makes a reply fail aloud", async () => {
    sandbox.world.review("acme-review", record, { state: "COMMENTED", body: "One", comments: comments(1) });
    sandbox.world.review("ada", record, { state: "PENDING", body: "Not sent yet", comments: comments(1) });
    const thread = record.threads[0]!;
    const reply: ForgeWrite = {
      ...base,
      kind: "reply",
      thread: thread.id,
      rootComment: String(thread.comments[0]!.databaseId),
      body: "An answer",
      decision: "informational",
    };
    expect(await results(reply)).toMatchObject([{ state: "refused", code: "pending-review" }]);
    expect((await forge.read(ref)).reviews.some(({ state }) => state === "PENDING")).toBe(true);
  });

  test("a locked conversation, and an account that may not", async () => {
    sandbox.world.review("acme-review", record, { state: "COMMENTED", body: "One", comments: comments(1) });
    forge = forgeOf("eve");
    expect(await results(...resolves())).toMatchObject([{ state: "refused", code: "forbidden" }]);
    sandbox.world.lock("ada", record);
    expect(await results({ ...base, kind: "comment", body: "x", answers: [] })).toMatchObject([{ state: "refused", code: "locked" }]);
  });

  test("what is thrown carries no token", async () => {
    sandbox.world.faults.set("bad-gateway-before", { writes: [1] });
    const error = await results({ ...base, kind: "comment", body: "Once", answers: [] }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReviewloopError);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(sandbox.tokenFor("ada"));
  });
});
