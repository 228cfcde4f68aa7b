/** The kit's forge in memory: every write it can do, what it refuses, what it makes of faults, what a snapshot holds. */
import { describe, expect, test } from "vitest";
import { ReviewloopError, type ForgeWrite, type Pulse, type WriteOf, type WriteResult } from "../../core/index.js";
import { memoryForge, scenario, type Scene } from "../../sandbox/kit/index.js";

const scene = () =>
  scenario()
    .file("src/a.ts", "one\ntwo\n", "one\n2\n")
    .user("ben", "read")
    .bot("acme", { requestable: true })
    .thread({ by: "acme", path: "src/a.ts", line: 2, body: "Why 2?" })
    .comment("acme", "4/5")
    .build();

type Bare<W> = W extends ForgeWrite ? Omit<W, "key" | "preconditions" | "why"> & { readonly preconditions?: W["preconditions"] } : never;
const whole = (write: Bare<ForgeWrite>): ForgeWrite => ({ key: "k", preconditions: {}, why: "", ...write });
const send = async (given: Scene, writes: readonly Bare<ForgeWrite>[], as = "ada"): Promise<readonly WriteResult[]> => {
  const { forge } = given.portsFor(as);
  const { pullRequest } = await memoryForge(given.world, "ada").read(given.pullRequestRef);
  return forge.write(writes.map(whole), pullRequest);
};
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );
  return ReviewloopError.is(thrown) ? thrown.code : String(thrown);
};

const thread = (given: Scene) =>
  given.threads[0] ?? given.world.addThread("acme", given.pullRequest, { path: "src/a.ts", line: 2, body: "?" });
const comment = (given: Scene) => given.pullRequest.comments[0]?.id ?? "";
const reply = (given: Scene): Bare<WriteOf<"reply">> => ({
  kind: "reply",
  thread: thread(given).id,
  rootComment: String(thread(given).comments[0]?.databaseId),
  body: "So.",
  decision: "informational",
});

interface Row {
  readonly write: (given: Scene) => Bare<ForgeWrite>;
  /** How the world shows that it was done. */
  readonly shows: (given: Scene) => boolean;
  /** Who may read only, and did not open the pull request. */
  readonly reader: string;
  /** It sets a state: a lost answer is settled, a second time is found done. */
  readonly sets: boolean;
}
const WRITES: Readonly<Record<string, Row>> = {
  reply: { write: reply, shows: (given) => thread(given).comments.at(-1)?.body === "So.", reader: "done", sets: false },
  comment: {
    write: () => ({ kind: "comment", body: "Said.", answers: [] }),
    shows: (given) => given.pullRequest.comments.at(-1)?.body === "Said.",
    reader: "done",
    sets: false,
  },
  review: {
    write: () => ({ kind: "review", body: "Seen.", comments: [{ path: "src/a.ts", line: 2, body: "Hm." }] }),
    shows: (given) => given.pullRequest.reviews.at(-1)?.body === "Seen." && given.pullRequest.threads.at(-1)?.line === 2,
    reader: "done",
    sets: false,
  },
  "request by comment": {
    write: () => ({ kind: "request", reviewer: "acme", by: "comment", body: "@acme review" }),
    shows: (given) => given.pullRequest.comments.at(-1)?.body === "@acme review",
    reader: "done",
    sets: false,
  },
  "request by review-request": {
    write: () => ({ kind: "request", reviewer: "acme", by: "review-request", login: "acme", bot: true }),
    shows: (given) => given.pullRequest.requests.some((request) => request.login === "acme"),
    reader: "forbidden",
    sets: false,
  },
  "open-issue": {
    write: () => ({ kind: "open-issue", title: "I", body: "b" }),
    shows: (given) => [...given.world.repository("ada/shop").issues.values()].some((issue) => issue.title === "I"),
    reader: "done",
    sets: false,
  },
  "edit-comment": {
    write: (given) => ({ kind: "edit-comment", comment: comment(given), body: "5/5" }),
    shows: (given) => given.pullRequest.comments[0]?.body === "5/5",
    reader: "forbidden",
    sets: true,
  },
  "edit-description": {
    write: () => ({ kind: "edit-description", was: "What it is for.", body: "New." }),
    shows: (given) => given.pullRequest.body === "New.",
    reader: "forbidden",
    sets: true,
  },
  resolve: {
    write: (given) => ({ kind: "resolve", thread: thread(given).id }),
    shows: (given) => thread(given).resolved,
    reader: "forbidden",
    sets: true,
  },
  minimise: {
    write: (given) => ({ kind: "minimise", comment: comment(given), classifier: "OUTDATED" }),
    shows: (given) => given.pullRequest.comments[0]?.minimised === "outdated",
    reader: "forbidden",
    sets: true,
  },
  "mark-draft": { write: () => ({ kind: "mark-draft" }), shows: (given) => given.pullRequest.draft, reader: "forbidden", sets: true },
};
const rows = Object.entries(WRITES).map(([name, row]) => ({ name, ...row }));

describe("each write", () => {
  test.each(rows)("$name: done by who may, and shown by the world", async ({ write, shows, reader, sets }) => {
    const given = scene();
    const [result] = await send(given, [write(given)]);
    expect(result).toMatchObject({ state: "done" });
    expect(shows(given)).toBe(true);
    const other = scene();
    const [refused] = await send(other, [write(other)], "ben");
    expect(refused).toMatchObject(reader === "done" ? { state: "done" } : { state: "refused", code: reader });
    expect(shows(other)).toBe(reader === "done");
    if (!sets) return;
    const log = given.world.log.length;
    expect((await send(given, [write(given)]))[0]).toMatchObject({ state: "done", found: true });
    expect(given.world.log).toHaveLength(log);
  });

  test.each(rows)("$name: a lost answer", async ({ write, shows, sets }) => {
    const given = scene();
    given.world.faults.set("lost-answer", { writes: [1] });
    if (!sets) expect(await codeOf(send(given, [write(given)]))).toBe("GITHUB_UNAVAILABLE");
    else expect(await send(given, [write(given)])).toMatchObject([{ state: "done" }]);
    expect(shows(given)).toBe(true);
  });

  test.each(rows)("$name: a 502 before it was done", async ({ write, shows, sets }) => {
    const given = scene();
    given.world.faults.set("bad-gateway-before", { writes: [1] });
    if (!sets) expect(await codeOf(send(given, [write(given)]))).toBe("GITHUB_UNAVAILABLE");
    else expect(await send(given, [write(given)])).toMatchObject([{ state: "done" }]);
    expect(shows(given)).toBe(sets);
  });

  test.each(rows)("$name: a rate limit is slept through", async ({ write, shows }) => {
    const given = scene();
    given.world.faults.set("secondary-rate-limit", { writes: [1], retryAfter: 90 });
    expect(await send(given, [write(given)])).toMatchObject([{ state: "done" }]);
    expect(shows(given)).toBe(true);
    expect(given.clock.passed).toBe(90_000);
  });

  test.each(rows)("$name: in a closed repository of somebody else's host nothing is done", async ({ write, shows }) => {
    const given = scene();
    const { pullRequest } = await given.ports.forge.read(given.pullRequestRef);
    const elsewhere = { ...pullRequest, ref: { ...pullRequest.ref, host: "example.invalid" } };
    expect(await given.ports.forge.write([whole(write(given))], elsewhere)).toMatchObject([{ state: "refused", code: "unsupported" }]);
    expect(shows(given)).toBe(false);
  });

  test("there is one for each kind that the forge says it can do", () => {
    const tested = new Set(rows.map(({ write }) => write(scene()).kind));
    const apart = ["mark-ready", "cancel-request", "open-pull-request"] as const;
    expect([...tested, ...apart].toSorted()).toEqual([...scene().ports.forge.can].toSorted());
  });
});

describe("writes with rules of their own", () => {
  test("ready after draft, a request taken back, a draft pull request of another branch", async () => {
    const given = scene();
    await send(given, [{ kind: "mark-draft" }]);
    expect(await send(given, [{ kind: "mark-ready" }])).toEqual([{ state: "done", id: given.pullRequest.id }]);
    given.world.requestReview("ada", given.pullRequest, "acme");
    expect(await send(given, [{ kind: "cancel-request", login: "acme", bot: true }])).toMatchObject([{ state: "done" }]);
    expect(given.pullRequest.requests).toEqual([]);
    given.world.commitAndPush("ada", { repository: "ada/shop", branch: "more", files: { x: "x" }, message: "x" });
    const [opened] = await send(given, [{ kind: "open-pull-request", title: "More", body: "", branch: "more", base: "main" }]);
    expect(opened).toMatchObject({ state: "done", url: "https://github.com/ada/shop/pull/2" });
    expect(given.world.pullRequest("ada/shop", 2).draft).toBe(true);
  });

  test("a reply is refused where a draft review of ours would swallow it, and on a comment that is gone", async () => {
    const given = scene();
    given.world.review("ada", given.pullRequest, { state: "PENDING" });
    expect(await send(given, [reply(given)])).toMatchObject([{ state: "refused", code: "pending-review" }]);
    expect(await send(given, [{ ...reply(given), rootComment: "1" }])).toMatchObject([{ state: "refused", code: "not-found" }]);
  });

  test("locked and archived", async () => {
    const given = scene();
    given.world.lock("ada", given.pullRequest);
    expect(await send(given, [{ kind: "comment", body: "x", answers: [] }], "ben")).toMatchObject([{ state: "refused", code: "locked" }]);
    given.world.archive("ada/shop");
    expect(await send(given, [reply(given)])).toMatchObject([{ state: "refused", code: "locked" }]);
  });

  test("things of another pull request are not touched", async () => {
    const given = scene();
    given.world.commitAndPush("ada", { repository: "ada/shop", branch: "more", files: { "src/a.ts": "x\n" }, message: "x" });
    const other = given.world.openPullRequest("ada", { repository: "ada/shop", head: "more", title: "More" });
    const foreign = given.world.addThread("acme", other, { path: "src/a.ts", line: 1, body: "?" });
    const note = given.world.comment("ada", other, "note");
    const writes: readonly (readonly [Bare<ForgeWrite>, string])[] = [
      [{ kind: "resolve", thread: foreign.id }, "rule"],
      [{ kind: "minimise", comment: note.id, classifier: "OUTDATED" }, "rule"],
      [{ kind: "edit-comment", comment: note.id, body: "x" }, "rule"],
      [{ ...reply(given), rootComment: String(foreign.comments[0]?.databaseId) }, "not-found"],
      [{ kind: "resolve", thread: "PRRT_gone" }, "not-found"],
    ];
    const log = given.world.log.length;
    for (const [write, code] of writes) expect(await send(given, [write])).toMatchObject([{ state: "refused", code }]);
    expect(given.world.log).toHaveLength(log);
  });

  test("a description that was changed meanwhile stays", async () => {
    const given = scene();
    given.world.editDescription("ada", given.pullRequest, "Changed.");
    expect(await send(given, [{ kind: "edit-description", was: "What it is for.", body: "New." }])).toMatchObject([
      { state: "refused", code: "stale" },
    ]);
    expect(given.pullRequest.body).toBe("Changed.");
  });

  test("in a batch a failing one stops no other", async () => {
    const given = scene();
    const all = [1, 2, 3].map(() => given.world.addThread("acme", given.pullRequest, { path: "src/a.ts", line: 2, body: "?" }));
    given.world.faults.set("partial-alias-failure", { positions: [2] });
    const results = await send(
      given,
      all.map((each) => ({ kind: "resolve", thread: each.id })),
    );
    expect(results.map((result) => result.state)).toEqual(["done", "refused", "done"]);
    expect(all.map((each) => each.resolved)).toEqual([true, false, true]);
  });

  test("a resolve that GitHub confirms and does not do is no success", async () => {
    const given = scene();
    given.world.faults.set("resolve-without-effect", {});
    expect(await send(given, [{ kind: "resolve", thread: thread(given).id }])).toMatchObject([{ state: "refused", code: "invalid" }]);
  });

  test("a request that is dropped is reported so; one that is pending is not sent again", async () => {
    const given = scene();
    const write = { kind: "request", reviewer: "acme", by: "review-request", login: "acme", bot: true } as const;
    given.world.faults.set("review-request-dropped", {});
    expect(await send(given, [write])).toMatchObject([{ state: "dropped" }]);
    expect(await send(given, [{ ...write, endpoint: "copilot-code-review" }])).toMatchObject([{ state: "dropped" }]);
    given.world.faults.clear();
    expect(await send(given, [write])).toEqual([{ state: "done" }]);
    expect(await send(given, [write])).toEqual([{ state: "done", found: true }]);
    expect(await send(given, [{ ...write, endpoint: "copilot-code-review" }])).toEqual([{ state: "done", found: true }]);
    expect(given.world.log.filter((event) => event.type === "review-requested")).toHaveLength(1);
  });

  test("what this forge lacks, two kinds in one call, nothing at all", async () => {
    const given = scene();
    const { pullRequest } = await given.ports.forge.read(given.pullRequestRef);
    const forge = memoryForge(given.world, "ada", { can: ["comment"] });
    expect(await forge.write([whole({ kind: "mark-draft" })], pullRequest)).toMatchObject([{ state: "refused", code: "unsupported" }]);
    await expect(
      forge.write([whole({ kind: "comment", body: "x", answers: [] }), whole({ kind: "mark-draft" })], pullRequest),
    ).rejects.toThrow("one kind");
    expect(await forge.write([], pullRequest)).toEqual([]);
    const without = memoryForge(given.world, "ada");
    given.world.faults.set("secondary-rate-limit", { writes: [1] });
    expect(await without.write([whole({ kind: "comment", body: "x", answers: [] })], pullRequest)).toMatchObject([
      { state: "refused", code: "rate-limited" },
    ]);
  });
});

describe("reading", () => {
  test("authors, times, places, editors and addresses", async () => {
    const given = scene();
    given.world.addBot("Loud-Bot");
    given.clock.jump(61_700);
    const noisy = given.world.comment("Loud-Bot", given.pullRequest, "first");
    given.clock.jump(10_000);
    given.world.editComment("ada", noisy, "second");
    given.world.addUser("leaver");
    const left = given.world.comment("leaver", given.pullRequest, "bye");
    given.world.deleteAccount("leaver");
    const read = await given.ports.forge.read(given.pullRequestRef);
    expect(read.readAt).toBe(given.clock.now());
    expect(read.comments.at(-2)).toEqual({
      id: noisy.id,
      databaseId: String(noisy.databaseId),
      author: { login: "loud-bot", kind: "bot", association: "NONE" },
      body: "second",
      createdAt: noisy.createdAt,
      updatedAt: noisy.createdAt + 10_000,
      editor: "ada",
      url: `https://github.com/ada/shop/pull/1#issuecomment-${noisy.databaseId}`,
      minimised: false,
      pending: false,
      viewerCanMinimise: true,
    });
    expect(read.comments.at(-1)).toMatchObject({ id: left.id, author: { login: "ghost", kind: "ghost", association: "NONE" } });
    expect(read.reviewThreads[0]).toMatchObject({
      place: { path: "src/a.ts", line: 2, originalLine: 2, side: "RIGHT", subject: "line", outdated: false },
      review: given.pullRequest.reviews[0]?.id,
      viewerCanResolve: true,
      viewerCanReply: true,
    });
    expect(read.reviewThreads[0]?.messages[0]?.url).toMatch(/\/pull\/1#discussion_r\d+$/);
    expect(read.pullRequest).toMatchObject({
      url: "https://github.com/ada/shop/pull/1",
      author: { login: "ada", association: "OWNER" },
      viewerPermission: "admin",
      mergeable: "MERGEABLE",
      fork: false,
      base: { branch: "main", cloneUrl: "https://github.com/ada/shop.git" },
    });
    expect(JSON.parse(JSON.stringify(read))).toEqual(read);
  });

  test("a draft review is seen by its author alone", async () => {
    const given = scene();
    given.world.review("ben", given.pullRequest, {
      state: "PENDING",
      body: "soon",
      comments: [{ path: "src/a.ts", line: 2, body: "draft" }],
    });
    const own = await given.portsFor("ben").forge.read(given.pullRequestRef);
    const other = await given.ports.forge.read(given.pullRequestRef);
    expect([own.reviewThreads.length, own.reviews.length]).toEqual([2, 2]);
    expect(own.reviewThreads[1]?.messages[0]?.pending).toBe(true);
    expect([other.reviewThreads.length, other.reviews.length]).toEqual([1, 1]);
    expect([own.reviewThreads[0]?.viewerCanResolve, other.reviewThreads[0]?.viewerCanResolve]).toEqual([false, true]);
  });

  test("checks: none yet is not none; runs that were replaced are dropped", async () => {
    const given = scene();
    const { forge } = given.ports;
    expect((await forge.read(given.pullRequestRef)).checks).toBeNull();
    const at = { repository: "ada/shop", head: given.pullRequest.head.sha } as const;
    given.world.createCheck("acme", { ...at, name: "build", conclusion: "FAILURE" });
    given.clock.jump(2000);
    given.world.createCheck("acme", { ...at, name: "build", conclusion: "SUCCESS", title: "Fine", summary: "All of it" });
    given.world.createCheck("acme", { ...at, name: "lint", status: "QUEUED" });
    given.world.setStatus("ada", { ...at, context: "deploy", state: "EXPECTED" });
    given.world.setStatus("ada", { ...at, context: "deploy", state: "ERROR", description: "no", url: "https://example.invalid/1" });
    const { checks } = await forge.read(given.pullRequestRef);
    expect(checks).toMatchObject([
      {
        name: "build",
        app: "acme",
        kind: "check-run",
        state: "success",
        raw: "SUCCESS",
        summary: "Fine\n\nAll of it",
        completedAt: given.world.now(),
      },
      { name: "lint", state: "pending", raw: "QUEUED" },
      { name: "deploy", kind: "status", state: "failure", raw: "ERROR", summary: "no", url: "https://example.invalid/1" },
    ]);
    expect(checks?.[1]).not.toHaveProperty("startedAt");
  });

  test("requests, code owners and the timeline", async () => {
    const given = scene();
    given.world.requestReview("ada", given.pullRequest, "acme", "works/Reviewers");
    given.world.removeRequest("ada", given.pullRequest, "acme");
    given.world.markDraft("ada", given.pullRequest);
    given.world.lock("ada", given.pullRequest);
    const read = await given.ports.forge.read(given.pullRequestRef);
    expect(read.requests).toEqual([{ login: "works/reviewers", kind: "team", asCodeOwner: false }]);
    expect(read.timeline.map((event) => [event.kind, event.subject])).toEqual([
      ["review-requested", "acme"],
      ["review-requested", "works/reviewers"],
      ["review-request-removed", "acme"],
      ["convert-to-draft", undefined],
    ]);
  });

  test("is complete or throws", async () => {
    const given = scene();
    given.world.faults.set("null-connection", { field: "reviewThreads" });
    expect(await codeOf(given.ports.forge.read(given.pullRequestRef))).toBe("READ_INCOMPLETE");
    given.world.faults.clear();
    given.world.faults.set("null-node", { field: "comments" });
    expect(await codeOf(given.ports.forge.read(given.pullRequestRef))).toBe("READ_INCOMPLETE");
  });

  test("goes on after a 502 and after the hourly limit, in virtual time; not for ever", async () => {
    const given = scene();
    given.world.faults.set("bad-gateway-read", { reads: [1, 2] });
    await given.ports.forge.read(given.pullRequestRef);
    expect(given.clock.passed).toBe(3000);
    given.world.faults.set("primary-rate-limit", { reads: [1], resetAfter: 600_000 });
    await given.ports.forge.pulse(given.pullRequestRef);
    expect(given.clock.passed).toBe(603_000);
    given.world.faults.clear();
    given.world.faults.set("bad-gateway-read", { reads: [1, 2, 3, 4, 5, 6] });
    expect(await codeOf(given.ports.forge.read(given.pullRequestRef))).toBe("GITHUB_UNAVAILABLE");
    expect(given.ports.forge.cost.requests).toBeGreaterThan(8);
  });

  test("what is not there, or not for us, is not found", async () => {
    const given = scene();
    const { forge } = given.portsFor("ben");
    for (const ref of [
      { ...given.pullRequestRef, number: 9 },
      { ...given.pullRequestRef, name: "none" },
      { ...given.pullRequestRef, host: "example.invalid" },
    ]) {
      expect(await codeOf(forge.read(ref))).toBe("PULL_REQUEST_NOT_FOUND");
    }
    given.world.repository("ada/shop").private = true;
    expect(await codeOf(forge.read(given.pullRequestRef))).toBe("nothing was thrown");
    given.world.addUser("stranger");
    expect(await codeOf(memoryForge(given.world, "stranger").read(given.pullRequestRef))).toBe("PULL_REQUEST_NOT_FOUND");
    expect(await codeOf(forge.read(given.pullRequestRef, AbortSignal.abort()))).toBe("ABORTED");
  });

  test("who took part lately, each once", async () => {
    const given = scene();
    given.world.addBot("ci");
    given.world.createCheck("ci", { repository: "ada/shop", head: given.pullRequest.head.sha, name: "build" });
    given.world.requestReview("ada", given.pullRequest, "ben");
    const names = (await given.ports.forge.recent(given.pullRequestRef)).map((author) => `${author.kind} ${author.login}`);
    expect(names.toSorted()).toEqual(["bot acme", "bot ci", "user ben"]);
    expect(await given.ports.forge.pullRequestOf(given.pullRequestRef, "topic")).toBe(1);
    expect(await given.ports.forge.pullRequestOf(given.pullRequestRef, "other")).toBeUndefined();
  });

  test("a bot's token is a bot's", async () => {
    const given = scene();
    expect(await memoryForge(given.world, "acme").viewer()).toEqual({ login: "acme", kind: "bot" });
    expect(await given.ports.forge.viewer()).toEqual({ login: "ada", kind: "user" });
  });
});

describe("the pulse", () => {
  const moves: readonly (readonly [string, (given: Scene) => unknown])[] = [
    ["a comment", (given) => given.world.comment("acme", given.pullRequest, "x")],
    ["an edit", (given) => given.world.editComment("acme", comment(given), "x")],
    ["a reply", (given) => given.world.replyToThread("acme", thread(given), "x")],
    ["a resolve", (given) => given.world.resolve("ada", thread(given))],
    ["a review", (given) => given.world.review("acme", given.pullRequest, { state: "COMMENTED", body: "x" })],
    ["a check", (given) => given.world.createCheck("acme", { repository: "ada/shop", head: given.pullRequest.head.sha, name: "b" })],
    ["a request", (given) => given.world.requestReview("ada", given.pullRequest, "acme")],
    ["a draft", (given) => given.world.markDraft("ada", given.pullRequest)],
    ["a push", (given) => given.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { x: "x" }, message: "x" })],
    [
      "a moved base",
      (given) => given.world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files: { x: "x" }, message: "x" }),
    ],
    ["closing", (given) => given.world.close("ada", given.pullRequest)],
  ];
  test.each(moves)("%s moves it, time alone does not", async (_name, act) => {
    const given = scene();
    const look = (): Promise<Pulse> => given.ports.forge.pulse(given.pullRequestRef);
    const before = await look();
    given.clock.jump(60_000);
    expect(await look()).toEqual(before);
    act(given);
    expect(await look()).not.toEqual(before);
  });
});
