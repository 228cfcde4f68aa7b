import { describe, expect, test } from "vitest";
import type { Acting, Grant, PullRequestRecord, World } from "../../sandbox/world/index.js";
import { messageOf, outcome, REPOSITORY, stage } from "./support.js";

type Act = (world: World, as: Acting, pullRequest: PullRequestRecord) => unknown;

const threadOf = (world: World, pullRequest: PullRequestRecord) =>
  pullRequest.threads[0] ?? world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "Why in words?" });

const ACTIONS: Readonly<Record<string, Act>> = {
  comment: (world, as, pullRequest) => world.comment(as, pullRequest, "hello"),
  reply: (world, as, pullRequest) => world.replyToThread(as, threadOf(world, pullRequest), "hello"),
  resolve: (world, as, pullRequest) => world.resolve(as, threadOf(world, pullRequest)),
  "hide a bot's comment": (world, as, pullRequest) => world.minimise(as, world.comment("acme", pullRequest, "old"), "OUTDATED"),
  "edit a bot's comment": (world, as, pullRequest) => world.editComment(as, world.comment("acme", pullRequest, "old"), "new"),
  "mark draft": (world, as, pullRequest) => world.markDraft(as, pullRequest),
  "edit description": (world, as, pullRequest) => world.editDescription(as, pullRequest, "new"),
  "request a review": (world, as, pullRequest) => world.requestReview(as, pullRequest, as === "cleo" ? "ada" : "cleo"),
  push: (world, as) => world.commitAndPush(as, { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" }),
  lock: (world, as, pullRequest) => world.lock(as, pullRequest),
  close: (world, as, pullRequest) => world.close(as, pullRequest),
  "set a status": (world, as, pullRequest) =>
    world.setStatus(as, { repository: REPOSITORY, head: pullRequest.head.sha, context: "ci", state: "SUCCESS" }),
  "create a check": (world, as, pullRequest) =>
    world.createCheck(as, { repository: REPOSITORY, head: pullRequest.head.sha, name: "build" }),
};

const limited = (permissions: Grant["permissions"], token: Grant["token"] = "app") => ({ login: "other", grant: { token, permissions } });

//                         owner   author       writer  triage       stranger     app: pull requests only       app: also contents
const TABLE: Readonly<Record<string, readonly string[]>> = {
  comment: ["done", "done", "done", "done", "done", "done", "done"],
  reply: ["done", "done", "done", "done", "done", "done", "done"],
  resolve: ["done", "done", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"],
  "hide a bot's comment": ["done", "FORBIDDEN", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"],
  "edit a bot's comment": ["done", "FORBIDDEN", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"],
  "mark draft": ["done", "done", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"],
  "edit description": ["done", "done", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"],
  "request a review": ["done", "NOT_FOUND", "done", "NOT_FOUND", "NOT_FOUND", "done", "done"],
  push: ["done", "FORBIDDEN", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"],
  lock: ["done", "FORBIDDEN", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"],
  close: ["done", "done", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"],
  "set a status": ["done", "FORBIDDEN", "done", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"],
  "create a check": ["FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"],
};
const ACTORS: readonly (readonly [string, Acting])[] = [
  ["the owner", "ada"],
  ["the author", "ben"],
  ["a writer", "cleo"],
  ["a triager", "dan"],
  ["a stranger", "eve"],
  ["an app without contents", limited({ pullRequests: "write" })],
  ["an app with contents", limited({ pullRequests: "write", contents: "write" })],
];

describe("who may do what", () => {
  const cases = Object.keys(ACTIONS).flatMap((action) =>
    ACTORS.map(([who, as], index) => ({ action, who, as, expected: TABLE[action]?.[index] })),
  );
  test.each(cases)("$action by $who: $expected", ({ action, as, expected }) => {
    const { world, pullRequest } = stage();
    threadOf(world, pullRequest);
    expect(outcome(() => ACTIONS[action]?.(world, as, pullRequest))).toBe(expected);
  });

  test.each(Object.keys(ACTIONS).filter((action) => action !== "create a check"))("%s in an archived repository: refused", (action) => {
    const { world, pullRequest } = stage();
    threadOf(world, pullRequest);
    const comment = world.comment("acme", pullRequest, "before");
    world.archive(REPOSITORY);
    const act = action.startsWith("hide")
      ? () => world.minimise("ada", comment, "OUTDATED")
      : action.startsWith("edit a bot")
        ? () => world.editComment("ada", comment, "x")
        : () => ACTIONS[action]?.(world, "ada", pullRequest);
    expect(messageOf(act)).toMatch(/archived/);
  });

  test("a private repository is not found by strangers", () => {
    const { world, pullRequest } = stage();
    world.repository(REPOSITORY).private = true;
    expect(outcome(() => world.comment("eve", pullRequest, "hello"))).toBe("NOT_FOUND");
    expect(outcome(() => world.comment("ben", pullRequest, "hello"))).toBe("done");
  });

  test("a locked conversation takes words of writers only", () => {
    const { world, pullRequest } = stage();
    const thread = threadOf(world, pullRequest);
    world.lock("ada", pullRequest);
    expect(outcome(() => world.comment("ben", pullRequest, "hello"))).toBe("LOCKED");
    expect(outcome(() => world.replyToThread("eve", thread, "hello"))).toBe("LOCKED");
    expect(outcome(() => world.comment("cleo", pullRequest, "hello"))).toBe("done");
    world.unlock("ada", pullRequest);
    expect(outcome(() => world.comment("ben", pullRequest, "hello"))).toBe("done");
  });

  test("a token that the world does not know is refused, a known one acts within its grant", () => {
    const { world, pullRequest } = stage();
    world.addToken("test-token", "cleo", { token: "fine-grained", permissions: { pullRequests: "write" } });
    expect(outcome(() => world.sessionOf("another-token"))).toBe("UNAUTHORIZED");
    const session = world.sessionOf("test-token");
    expect(outcome(() => world.comment(session, pullRequest, "hello"))).toBe("done");
    expect(messageOf(() => world.resolve(session, threadOf(world, pullRequest)))).toMatch(/personal access token/);
  });

  test("to a fork's branch may push who may write to the base, if its author allows it and the fork is a person's", () => {
    const { world } = stage();
    world.addOrganization("works");
    world.addRepository("eve/shop", { forkOf: REPOSITORY });
    world.addRepository("works/shop", { forkOf: REPOSITORY });
    world.setAccess("works/shop", "eve", "write");
    const open = (fork: "eve/shop" | "works/shop", branch: string, maintainerCanModify: boolean) => {
      world.commitAndPush("eve", { repository: fork, branch, files: { "src/b.txt": `${branch}\n` }, message: branch });
      world.openPullRequest("eve", { repository: REPOSITORY, headRepository: fork, head: branch, title: branch, maintainerCanModify });
      return () => world.mayPush("cleo", fork, branch);
    };
    expect(outcome(open("eve/shop", "allowed", true))).toBe("done");
    expect(outcome(open("eve/shop", "refused", false))).toBe("FORBIDDEN");
    expect(outcome(open("works/shop", "organization", true))).toBe("FORBIDDEN");
  });
});

describe("what a refused action leaves behind", () => {
  const refusals: readonly (readonly [string, (world: World, pullRequest: PullRequestRecord) => unknown])[] = [
    ["a blank comment", (world, on) => world.comment("cleo", on, " \n")],
    ["a body that is too long", (world, on) => world.comment("cleo", on, "x".repeat(65_537))],
    [
      "a review with one bad line among good ones",
      (world, on) =>
        world.review("cleo", on, {
          state: "COMMENTED",
          body: "two",
          comments: [
            { path: "src/a.txt", line: 5, body: "in" },
            { path: "src/b.txt", line: 1, body: "not in the diff" },
          ],
        }),
    ],
    ["a thread on a line outside of all hunks", (world, on) => world.addThread("cleo", on, { path: "src/a.txt", line: 1, body: "far" })],
    ["an approval of one's own", (world, on) => world.review("ben", on, { state: "APPROVED" })],
    ["a request that names the author beside another", (world, on) => world.requestReview("ada", on, "cleo", "ben")],
    ["a request of a bot that can't be asked", (world, on) => world.requestReview("ada", on, "other")],
    [
      "a second pull request of the same branches",
      (world) => world.openPullRequest("ben", { repository: REPOSITORY, head: "topic", title: "again" }),
    ],
    ["a check on an unknown commit", (world) => world.createCheck("acme", { repository: REPOSITORY, head: "0".repeat(40), name: "x" })],
    [
      "a merge of a draft",
      (world, on) => {
        world.markDraft("ada", on);
        return world.merge("ada", on);
      },
    ],
  ];
  test.each(refusals)("%s changes nothing", (name, act) => {
    const { world, pullRequest } = stage();
    if (name === "a merge of a draft") world.markDraft("ada", pullRequest);
    const before = JSON.stringify([pullRequest, world.log.length]);
    expect(outcome(() => act(world, pullRequest))).not.toBe("done");
    expect(JSON.stringify([pullRequest, world.log.length])).toBe(before);
  });
});

describe("the pending review", () => {
  test("swallows a reply made through GraphQL, and makes one through REST fail", () => {
    const { world, pullRequest } = stage();
    const thread = threadOf(world, pullRequest);
    const [root] = thread.comments;
    if (root === undefined) throw new Error("no root");
    const draft = world.review("cleo", pullRequest, { state: "PENDING" });
    expect(world.replyToThread("cleo", thread, "unseen").state).toBe("PENDING");
    expect(world.log.filter((event) => event.type === "replied")).toHaveLength(0);
    expect(messageOf(() => world.replyToComment("cleo", root, "seen?"))).toBe("user_id can only have one pending review per pull request");
    expect(outcome(() => world.replyToComment("ada", root, "others may"))).toBe("done");
    world.submitReview("cleo", draft, { state: "COMMENTED" });
    expect(thread.comments.map((comment) => [comment.body, comment.state])).toEqual([
      ["Why in words?", "SUBMITTED"],
      ["unseen", "SUBMITTED"],
      ["others may", "SUBMITTED"],
    ]);
    expect(world.log.filter((event) => event.type === "replied")).toHaveLength(2);
    expect(messageOf(() => world.submitReview("cleo", draft, { state: "COMMENTED", body: "x" }))).toBe(
      "Review has already been submitted.",
    );
  });

  test("can be thrown away by its author, with its threads", () => {
    const { world, pullRequest } = stage();
    const draft = world.review("cleo", pullRequest, { state: "PENDING", comments: [{ path: "src/a.txt", line: 5, body: "hm" }] });
    expect(pullRequest.threads).toHaveLength(1);
    expect(outcome(() => world.deletePendingReview("ada", draft))).toBe("NOT_FOUND");
    world.deletePendingReview("cleo", draft);
    expect(pullRequest.threads).toHaveLength(0);
    expect(pullRequest.reviews).toHaveLength(0);
  });

  test("REST answers only a thread's root", () => {
    const { world, pullRequest } = stage();
    const reply = world.replyToThread("cleo", threadOf(world, pullRequest), "first");
    expect(messageOf(() => world.replyToComment("ada", reply, "second"))).toMatch(/Replies to replies/);
  });

  test("each visible reply makes a body-less review of its own", () => {
    const { world, pullRequest } = stage();
    world.replyToThread("cleo", threadOf(world, pullRequest), "first");
    expect(pullRequest.reviews.map((review) => [review.author, review.state, review.body])).toEqual([
      ["acme", "COMMENTED", ""],
      ["cleo", "COMMENTED", ""],
    ]);
  });
});

describe("requests", () => {
  test("who has reviewed leaves the list; a request that is there already makes no second event", () => {
    const { world, pullRequest } = stage();
    world.requestReview("ada", pullRequest, "acme", "cleo");
    world.requestReview("ada", pullRequest, "acme");
    expect(world.log.filter((event) => event.type === "review-requested")).toHaveLength(2);
    world.review("acme", pullRequest, { state: "COMMENTED", body: "seen" });
    expect(pullRequest.requests.map((request) => request.login)).toEqual(["cleo"]);
    world.removeRequest("ada", pullRequest, "cleo", "eve");
    expect(pullRequest.requests).toEqual([]);
    expect(pullRequest.timeline.map((event) => [event.kind, event.subject])).toEqual([
      ["review-requested", "acme"],
      ["review-requested", "cleo"],
      ["review-request-removed", "cleo"],
    ]);
  });

  test("the endpoint for one bot refuses while a review is pending", () => {
    const { world, pullRequest } = stage();
    world.requestBotReview("cleo", pullRequest, "acme");
    expect(outcome(() => world.requestBotReview("cleo", pullRequest, "acme"))).toBe("CONFLICT");
    world.review("acme", pullRequest, { state: "COMMENTED", body: "seen" });
    expect(outcome(() => world.requestBotReview("cleo", pullRequest, "acme"))).toBe("done");
    expect(outcome(() => world.requestBotReview("cleo", pullRequest, "other"))).toBe("UNPROCESSABLE");
  });

  test("code owners are asked once it is ready, not for a draft", () => {
    const { world, pullRequest } = stage({ draft: true });
    world.repository(REPOSITORY).codeOwners = ["cleo", "ben"];
    expect(pullRequest.requests).toEqual([]);
    world.markReady("ben", pullRequest);
    expect(pullRequest.requests).toMatchObject([{ login: "cleo", asCodeOwner: true }]);
  });
});

describe("edits", () => {
  test("move the times, name the editor, and start nobody", () => {
    const { world, clock, pullRequest } = stage();
    const comment = world.comment("acme", pullRequest, "1/5");
    clock.jump(90_500);
    world.editComment("acme", comment, "1/5");
    expect(comment.lastEditedAt).toBeUndefined();
    world.editComment("acme", comment, "5/5");
    expect(comment).toMatchObject({ body: "5/5", editor: "acme", lastEditedAt: world.now(), updatedAt: world.now() });
    expect(comment.updatedAt - comment.createdAt).toBe(90_000);
    expect(world.log.filter((event) => event.type === "commented")).toHaveLength(1);
    expect(world.log.at(-1)).toMatchObject({ type: "edited", before: "1/5", body: "5/5" });
  });

  test("times are whole seconds", () => {
    const { world, clock, pullRequest } = stage();
    clock.jump(1234);
    expect(world.comment("acme", pullRequest, "x").createdAt % 1000).toBe(0);
    expect(world.log.at(-1)?.at).toBe(world.now());
  });

  test("hiding spells the reason in lower case with hyphens", () => {
    const { world, pullRequest } = stage();
    const comment = world.comment("acme", pullRequest, "x");
    world.minimise("ada", comment, "OFF_TOPIC");
    expect(comment.minimised).toBe("off-topic");
    world.unminimise("ada", comment);
    expect(comment.minimised).toBeUndefined();
  });

  test("the last comment of a thread takes the thread with it", () => {
    const { world, pullRequest } = stage();
    const thread = threadOf(world, pullRequest);
    const reply = world.replyToThread("cleo", thread, "r");
    world.deleteComment("cleo", reply);
    expect(pullRequest.threads).toEqual([thread]);
    world.deleteComment("acme", thread.comments[0]?.id ?? "");
    expect(pullRequest.threads).toEqual([]);
    expect(world.node(thread.id)).toBeUndefined();
  });
});

describe("the life of a pull request", () => {
  test("closing and reopening finds the branch where it is by then", () => {
    const { world, pullRequest } = stage();
    const before = pullRequest.head.sha;
    world.close("ben", pullRequest);
    const after = world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" });
    expect(pullRequest.head.sha).toBe(before);
    world.reopen("ben", pullRequest);
    expect(pullRequest).toMatchObject({ state: "open", head: { sha: after } });
  });

  test("a deleted head branch closes it, and it can't be reopened", () => {
    const { world, pullRequest } = stage();
    const { sha } = pullRequest.head;
    world.git.move(REPOSITORY, "topic", sha, undefined);
    world.branchMoved("cleo", REPOSITORY, "topic", sha, undefined);
    expect(pullRequest.state).toBe("closed");
    expect(outcome(() => world.reopen("ben", pullRequest))).toBe("UNPROCESSABLE");
    expect(pullRequest.state).toBe("closed");
  });

  test("merging moves the base, and a stale expectation is refused", () => {
    const { world, pullRequest } = stage();
    expect(messageOf(() => world.merge("cleo", pullRequest, "0".repeat(40)))).toMatch(/Head branch was modified/);
    expect(outcome(() => world.merge("ben", pullRequest))).toBe("FORBIDDEN");
    const sha = world.merge("cleo", pullRequest);
    expect(pullRequest.state).toBe("merged");
    expect(world.git.head(REPOSITORY, "main")).toBe(sha);
    expect(world.git.fileAt(REPOSITORY, sha, "src/a.txt")).toContain("line five");
  });

  test("a push takes it out of the merge queue", () => {
    const { world, pullRequest } = stage();
    world.enqueue("cleo", pullRequest);
    world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" });
    expect(pullRequest.inMergeQueue).toBe(false);
  });

  test("a force push is told with both commits", () => {
    const { world, pullRequest } = stage();
    const before = pullRequest.head.sha;
    const after = world.commitAndPush("cleo", {
      repository: REPOSITORY,
      branch: "topic",
      files: { "src/a.txt": "other\n" },
      message: "other",
      onto: pullRequest.base.sha,
    });
    expect(pullRequest.timeline.at(-1)).toMatchObject({ kind: "force-pushed", before, after, actor: "cleo" });
    expect(world.log.at(-1)).toMatchObject({ type: "pushed", forced: true, before, after });
    expect(pullRequest.reviews).toEqual([]);
  });

  test("update-branch merges the base in, and says when there is nothing to do", () => {
    const { world, pullRequest } = stage();
    expect(messageOf(() => world.updateBranch("cleo", pullRequest))).toBe("There are no new commits on the base branch.");
    world.commitAndPush("cleo", { repository: REPOSITORY, branch: "main", files: { "src/b.txt": "new\n" }, message: "b" });
    expect(messageOf(() => world.updateBranch("cleo", pullRequest, "0".repeat(40)))).toMatch(/expected head sha/);
    const sha = world.updateBranch("cleo", pullRequest, pullRequest.head.sha);
    expect(pullRequest.head.sha).toBe(sha);
    expect(world.git.fileAt(REPOSITORY, sha, "src/b.txt")).toBe("new\n");
  });

  test("a deleted fork leaves its pull requests with branch and commit only", () => {
    const { world } = stage();
    world.addRepository("eve/shop", { forkOf: REPOSITORY });
    const sha = world.commitAndPush("eve", { repository: "eve/shop", branch: "mine", files: { "src/b.txt": "e\n" }, message: "e" });
    const pullRequest = world.openPullRequest("eve", { repository: REPOSITORY, headRepository: "eve/shop", head: "mine", title: "e" });
    world.deleteFork("eve/shop");
    expect(pullRequest.head).toEqual({ repository: null, branch: "mine", sha });
  });
});
