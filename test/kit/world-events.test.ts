import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FAULTS, Faults, nodeId, type WorldEvent } from "../../sandbox/world/index.js";
import { REPOSITORY, stage } from "./support.js";

describe("events", () => {
  test("are told once the action is over, in the log's order, also those that a listener causes", () => {
    const { world, pullRequest } = stage();
    const told: WorldEvent[] = [];
    world.on("commented", (event) => {
      if (event.actor === "ben") world.comment("acme", pullRequest, "at once");
    });
    world.subscribe((event) => told.push(event));
    const from = world.log.length;
    world.comment("ben", pullRequest, "hello");
    expect(told.map((event) => `${event.type} ${event.actor}`)).toEqual(["commented ben", "commented acme"]);
    expect(told).toEqual(world.log.slice(from));
    expect(world.log.map((event) => event.sequence)).toEqual(world.log.map((_, index) => index + 1));
  });

  test("events of one action share its number", () => {
    const { world, pullRequest } = stage({ draft: true });
    world.repository(REPOSITORY).codeOwners = ["cleo"];
    world.markReady("ben", pullRequest);
    const [ready, asked] = world.log.slice(-2);
    expect([ready?.type, asked?.type]).toEqual(["ready", "review-requested"]);
    expect(ready?.action).toBe(asked?.action);
  });

  test("a listener that was taken away hears nothing more", () => {
    const { world, pullRequest } = stage();
    let heard = 0;
    const stop = world.on("commented", () => {
      heard += 1;
    });
    world.comment("ben", pullRequest, "1");
    stop();
    world.comment("ben", pullRequest, "2");
    expect(heard).toBe(1);
  });

  test("a push is told once for each open pull request on that branch", () => {
    const { world } = stage();
    world.commitAndPush("ada", { repository: REPOSITORY, branch: "next", files: { "src/n.txt": "n\n" }, message: "n" });
    world.openPullRequest("cleo", { repository: REPOSITORY, head: "topic", base: "next", title: "onto next" });
    const from = world.log.length;
    world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" });
    world.commitAndPush("cleo", { repository: REPOSITORY, branch: "alone", files: { "src/c.txt": "c\n" }, message: "c" });
    expect(world.log.slice(from).map((event) => (event.type === "pushed" ? event.pullRequest?.number : "?"))).toEqual([1, 2, undefined]);
  });

  test("work at a later time runs on the world's clock", async () => {
    const { world, clock, pullRequest } = stage();
    world.on("pushed", () => void world.after(30_000, () => void world.comment("acme", pullRequest, "seen")));
    world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" });
    await clock.advance(29_999);
    expect(pullRequest.comments).toHaveLength(0);
    await clock.advance(1);
    expect(pullRequest.comments).toHaveLength(1);
  });
});

describe("ids", () => {
  test("are GitHub's own form", () => {
    // A recorded pair of a public pull request and its number, and the published id of the Copilot reviewer.
    expect(nodeId("PR", 912_699_737, 2_261_552_074)).toBe("PR_kwDONmaxWc6GzIvK");
    expect(nodeId("BOT", 175_728_472)).toBe("BOT_kgDOCnlnWA");
    // Beyond 32 bits.
    expect(nodeId("PRR", 1, 5_200_000_001)).not.toBe(nodeId("PRR", 1, 5_200_000_001 % 2 ** 32));
  });

  test("never the same twice, for any numbers", () => {
    const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(number, number, number, number, (a, b, c, d) => {
        expect(nodeId("IC", a, b) === nodeId("IC", c, d)).toBe(a === c && b === d);
      }),
    );
  });

  test("everything that a busy world makes has its own id and number", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("comment", "thread", "reply", "review", "check", "status", "issue"), { maxLength: 40 }),
        (acts) => {
          const { world, pullRequest } = stage();
          const made: { id: string; databaseId: number }[] = [];
          for (const act of acts) {
            const head = pullRequest.head.sha;
            const thread = pullRequest.threads[0];
            if (act === "comment") made.push(world.comment("ben", pullRequest, "c"));
            if (act === "thread") made.push(world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "t" }));
            if (act === "reply" && thread !== undefined) made.push(world.replyToThread("ben", thread, "r"));
            if (act === "review") made.push(world.review("acme", pullRequest, { state: "COMMENTED", body: "r" }));
            if (act === "check") made.push(world.createCheck("acme", { repository: REPOSITORY, head, name: "c" }));
            if (act === "status") made.push(world.setStatus("ada", { repository: REPOSITORY, head, context: "s", state: "SUCCESS" }));
            if (act === "issue") made.push(world.openIssue("ben", REPOSITORY, { title: "i", body: "" }));
          }
          expect(new Set(made.map((each) => each.id)).size).toBe(made.length);
          for (const each of made) expect(world.node(each.id)?.value).toBe(each);
          const reviews = pullRequest.reviews.map((review) => review.databaseId);
          expect(Math.min(...reviews, Infinity)).toBeGreaterThan(2 ** 32);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("the same story gives the same world", () => {
    const tell = () => {
      const { world, clock, pullRequest } = stage();
      world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "?" });
      clock.jump(5000);
      world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/a.txt": "x\n" }, message: "x" });
      return JSON.stringify([pullRequest, world.log.map((event) => [event.type, event.at])]);
    };
    expect(tell()).toBe(tell());
  });
});

describe("faults", () => {
  test("the table names each once, and each can be switched on as it stands", () => {
    expect(new Set(FAULTS.map((row) => row.name)).size).toBe(FAULTS.length);
    const faults = new Faults();
    for (const row of FAULTS) {
      expect(row.what).not.toBe("");
      faults.set(row.name);
      expect(faults.get(row.name)).toEqual(row.standard);
    }
    expect(faults.active()).toEqual(FAULTS.map((row) => row.name));
    faults.clear("page-size");
    expect(faults.get("page-size")).toBeUndefined();
    faults.clear();
    expect(faults.active()).toEqual([]);
  });

  test("the k-th write, counted from when the fault was set", () => {
    const faults = new Faults();
    faults.nextWrite();
    faults.set("lost-answer", { writes: [2] });
    faults.set("secondary-rate-limit", { writes: [3], retryAfter: 7 });
    expect([1, 2, 3, 4].map(() => faults.nextWrite())).toEqual([
      { fate: "normal" },
      { fate: "lost-answer" },
      { fate: "secondary-rate-limit", retryAfter: 7 },
      { fate: "normal" },
    ]);
  });

  test("switching on another fault does not bring back one that has hit", () => {
    const faults = new Faults();
    faults.set("lost-answer", { writes: [1] });
    expect(faults.nextWrite()).toEqual({ fate: "lost-answer" });
    faults.set("bad-gateway-before", { writes: [2] });
    expect([1, 2, 3].map(() => faults.nextWrite().fate)).toEqual(["normal", "bad-gateway-before", "normal"]);
  });

  test("reads, connections, aliases, reviewers, requests", () => {
    const faults = new Faults();
    faults.set("bad-gateway-read", { reads: [1] });
    faults.set("primary-rate-limit", { reads: [2], resetAfter: 9 });
    faults.set("null-connection", { field: "reviews", reads: [3] });
    faults.set("null-node", { field: "comments" });
    expect(faults.nextRead()).toEqual({ fate: "bad-gateway" });
    expect(faults.nextRead()).toEqual({ fate: "primary-rate-limit", resetAfter: 9 });
    expect(faults.broken("null-connection", "reviews")).toBe(false);
    faults.nextRead();
    expect([
      faults.broken("null-connection", "reviews"),
      faults.broken("null-connection", "comments"),
      faults.broken("null-node", "reviews"),
    ]).toEqual([true, false, false]);
    faults.set("partial-alias-failure", { positions: [2], type: "NOT_FOUND" });
    expect([faults.alias(1), faults.alias(2)]).toEqual([undefined, "NOT_FOUND"]);
    faults.set("slow-reviewer", { login: "acme", milliseconds: 5 });
    faults.set("silent-reviewer", { login: "other" });
    expect([faults.reviewer("acme"), faults.reviewer("other")]).toEqual([
      { silent: false, delay: 5 },
      { silent: true, delay: 0 },
    ]);
    faults.set("review-request-dropped", {});
    expect(faults.dropsRequest("anyone")).toBe(true);
  });

  test("the world obeys its own: a dropped request, a resolve without effect, checks that are not there yet", () => {
    const { world, clock, pullRequest } = stage();
    world.faults.set("review-request-dropped", { login: "acme" });
    world.requestReview("ada", pullRequest, "acme", "cleo");
    expect(pullRequest.requests.map((request) => request.login)).toEqual(["cleo"]);
    const thread = world.addThread("acme", pullRequest, { path: "src/a.txt", line: 5, body: "?" });
    world.faults.set("resolve-without-effect", { threads: [thread.id] });
    expect(world.resolve("ada", thread).resolved).toBe(false);
    world.faults.set("no-checks-yet", { milliseconds: 5000 });
    world.commitAndPush("cleo", { repository: REPOSITORY, branch: "topic", files: { "src/c.txt": "c\n" }, message: "c" });
    expect(world.noChecksYet(pullRequest)).toBe(true);
    clock.jump(5000);
    expect(world.noChecksYet(pullRequest)).toBe(false);
  });
});
