/** What the port `forge` promises. The world behind it is the truth that its reads and writes are held against. */
import { markerOf } from "../../core/index.js";
import type { Forge, ForgeWrite, PullRequestRef, WriteKind, WriteOf, WriteResult } from "../../core/index.js";
import type { PullRequestRecord } from "../world/records.js";
import type { World } from "../world/world.js";
import { brief, casesOf, must, mustThrow, sameJson, thrownBy, type ContractCase } from "./contract.js";

/** A forge over a world, signed in as `ada`, who opened the pull request and owns the repository; `bob` may write; `acme-review` and `acme-ci` are bots. */
export interface ForgeStand {
  readonly forge: Forge;
  readonly ref: PullRequestRef;
  readonly world: World;
  readonly pullRequest: PullRequestRecord;
  /** The token that it signs in with, where it has one. */
  readonly secret?: string;
  close?(): Promise<void>;
}

/** A world as `ForgeStand` wants it: every line of `src/a.ts` is changed by the pull request. */
export const forgeWorld = (world: World): PullRequestRecord => {
  for (const login of ["ada", "bob"]) world.addUser(login);
  for (const login of ["acme-review", "acme-ci"]) world.addBot(login);
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`);
  world.addRepository("ada/shop", { files: { "src/a.ts": lines.join("") } });
  world.setAccess("ada/shop", "bob", "write");
  const changed = lines.map((line) => line.toUpperCase()).join("");
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": changed }, message: "Change all of it" });
  return world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "All of it", body: "Was" });
};

const base = { preconditions: {}, why: "the contract" } as const;
const comment = (body: string): WriteOf<"comment"> => ({ ...base, kind: "comment", key: `comment:${body}`, body, answers: [] });

const MANY = 120;

/** More than a page of each thing. */
const furnish = ({ world, pullRequest }: ForgeStand): void => {
  const points = Array.from({ length: MANY }, (_, index) => ({ path: "src/a.ts", line: (index % 40) + 1, body: `Point ${index}` }));
  world.review("acme-review", pullRequest, { state: "COMMENTED", body: "Many", comments: points });
  const [first] = pullRequest.threads;
  for (let index = 0; index < MANY; index += 1) {
    world.comment("bob", pullRequest, `Remark ${index}`);
    world.review("bob", pullRequest, { state: "COMMENTED", body: `Part ${index}` });
    if (first !== undefined) world.replyToThread("bob", first, `Answer ${index}`);
  }
  for (const comment of pullRequest.comments) world.react("acme-review", comment, "EYES");
  world.react("acme-review", pullRequest, "THUMBS_UP");
  world.createCheck("acme-ci", { repository: "ada/shop", head: pullRequest.head.sha, name: "test", conclusion: "FAILURE" });
  world.setStatus("acme-ci", { repository: "ada/shop", head: pullRequest.head.sha, context: "ci", state: "PENDING" });
  world.requestReview("ada", pullRequest, "bob");
};

const FIELDS = ["reviewThreads", "threadComments", "reviews", "comments", "reviewRequests", "contexts", "reactions"] as const;

/** The contract of the port `forge`, as cases for any test runner. `open` makes a fresh stand for each. */
export const forgeContract = (name: string, open: () => Promise<ForgeStand>): readonly ContractCase[] => {
  const on = (act: (stand: ForgeStand) => Promise<void>) => async (): Promise<void> => {
    const stand = await open();
    try {
      await act(stand);
    } finally {
      await stand.close?.();
    }
  };
  const send = async ({ forge, ref }: ForgeStand, ...writes: readonly ForgeWrite[]): Promise<readonly WriteResult[]> =>
    forge.write(writes, (await forge.read(ref)).pullRequest);
  const states = (results: readonly WriteResult[]): readonly string[] =>
    results.map((result) => (result.state === "refused" ? `refused: ${result.code}` : result.state));

  return casesOf(name, {
    "reads all of it": on(async (stand) => {
      furnish(stand);
      const { forge, ref, pullRequest } = stand;
      const snapshot = await forge.read(ref);
      const pairs = [
        ["threads", pullRequest.threads.map(({ id }) => id), snapshot.reviewThreads.map(({ id }) => id)],
        [
          "messages of a thread",
          pullRequest.threads[0]?.comments.map(({ id }) => id),
          snapshot.reviewThreads[0]?.messages.map(({ id }) => id),
        ],
        ["reviews", pullRequest.reviews.map(({ id }) => id), snapshot.reviews.map(({ message }) => message.id)],
        ["comments", pullRequest.comments.map(({ id }) => id), snapshot.comments.map(({ id }) => id)],
        [
          "reactions",
          [pullRequest.id, ...pullRequest.comments.map(({ id }) => id)].toSorted(),
          snapshot.reactions
            .filter(({ login, bot }) => login === "acme-review" && bot)
            .map(({ on: id }) => id)
            .toSorted(),
        ],
        ["checks", ["ci", "test"], snapshot.checks?.map((check) => check.name).toSorted()],
        ["requests", ["bob"], snapshot.requests.map(({ login }) => login)],
      ] as const;
      for (const [what, wanted = [], found = []] of pairs)
        must(
          sameJson(wanted, found),
          "read",
          `gives ${found.length} ${what} where there are ${wanted.length}, or others, or in another order`,
        );
      must(snapshot.pullRequest.head.sha === pullRequest.head.sha, "read", "gives another head");
      must(snapshot.viewer.login === "ada" && sameJson(await forge.viewer(), snapshot.viewer), "viewer", `is ${brief(snapshot.viewer)}`);
    }),
    "says the same twice, and changes nothing by reading": on(async (stand) => {
      furnish(stand);
      const before = stand.world.log.length;
      const [one, two] = [await stand.forge.read(stand.ref), await stand.forge.read(stand.ref)];
      must(sameJson({ ...one, readAt: 0 }, { ...two, readAt: 0 }), "read", "says something else the second time");
      await stand.forge.recent(stand.ref);
      await stand.forge.pullRequestOf(stand.ref, "topic");
      must(stand.world.log.length === before, "read", "has changed something");
    }),
    "is complete or fails": on(async (stand) => {
      furnish(stand);
      for (const field of FIELDS) {
        for (const fault of ["null-connection", "null-node"] as const) {
          stand.world.faults.set(fault, { field });
          await mustThrow("READ_INCOMPLETE", `read with ${field} ${fault === "null-node" ? "holding a null" : "null"}`, () =>
            stand.forge.read(stand.ref),
          );
          stand.world.faults.clear();
        }
      }
    }),
    "knows what is not there": on(async ({ forge, ref }) => {
      await mustThrow("PULL_REQUEST_NOT_FOUND", "read", () => forge.read({ ...ref, number: 999 }));
      must(
        (await forge.pullRequestOf(ref, "no-such-branch")) === undefined,
        "pullRequestOf",
        "finds a pull request for a branch without one",
      );
      must((await forge.pullRequestOf(ref, "topic")) === ref.number, "pullRequestOf", "does not find the branch's pull request");
    }),
    "its pulse stands still until something moves": on(async ({ forge, ref, world, pullRequest }) => {
      const first = await forge.pulse(ref);
      must(first.head === pullRequest.head.sha, "pulse", "gives another head");
      must(sameJson(first, await forge.pulse(ref)), "pulse", "moves though nothing did");
      world.comment("bob", pullRequest, "A word");
      must((await forge.pulse(ref)).digest !== first.digest, "pulse", "stands still though somebody wrote");
    }),
    "its writes take effect": on(async (stand) => {
      const { world, pullRequest, forge } = stand;
      world.review("acme-review", pullRequest, {
        state: "COMMENTED",
        body: "One",
        comments: [{ path: "src/a.ts", line: 1, body: "A point" }],
      });
      const [thread] = pullRequest.threads;
      const root = thread?.comments[0];
      if (thread === undefined || root === undefined) throw new Error("the world lost its thread");
      const writes: readonly { readonly write: ForgeWrite; readonly took: () => boolean }[] = [
        {
          write: {
            ...base,
            kind: "reply",
            key: "reply",
            thread: thread.id,
            rootComment: String(root.databaseId),
            body: "Answered",
            decision: "informational",
          },
          took: () => thread.comments.at(-1)?.body === "Answered" && thread.comments.at(-1)?.author === "ada",
        },
        { write: { ...base, kind: "resolve", key: "resolve", thread: thread.id }, took: () => thread.resolved },
        { write: comment("Said"), took: () => pullRequest.comments.at(-1)?.body === "Said" },
        { write: { ...base, kind: "mark-draft", key: "draft" }, took: () => pullRequest.draft },
        { write: { ...base, kind: "mark-ready", key: "ready" }, took: () => !pullRequest.draft },
        { write: { ...base, kind: "edit-description", key: "description", was: "Was", body: "Is" }, took: () => pullRequest.body === "Is" },
        {
          write: { ...base, kind: "request", key: "request", by: "review-request", reviewer: "bob", login: "bob", bot: false },
          took: () => pullRequest.requests.some(({ login }) => login === "bob"),
        },
        {
          write: { ...base, kind: "cancel-request", key: "cancel", login: "bob", bot: false },
          took: () => pullRequest.requests.length === 0,
        },
      ];
      for (const { write, took } of writes) {
        if (!forge.can.has(write.kind)) continue;
        const results = await send(stand, write);
        must(sameJson(states(results), ["done"]), write.kind, `gives ${brief(results)}`);
        must(took(), write.kind, "says that it is done, and nothing has changed");
      }
    }),
    "what is so already is done": on(async (stand) => {
      const { world, pullRequest, forge } = stand;
      if (!forge.can.has("resolve")) return;
      const thread = world.addThread("acme-review", pullRequest, { path: "src/a.ts", line: 1, body: "A point" });
      world.resolve("bob", thread);
      const results = await send(stand, { ...base, kind: "resolve", key: "resolve", thread: thread.id });
      must(sameJson(states(results), ["done"]), "resolve", `of a resolved thread gives ${brief(results)}`);
    }),
    "an issue with a marker is opened once": on(async (stand) => {
      const { world, forge } = stand;
      if (!forge.can.has("open-issue")) return;
      const marked = (key: string): WriteOf<"open-issue"> => ({
        ...base,
        kind: "open-issue",
        key,
        title: "Later",
        body: `Left over.\n${markerOf({ key })}`,
      });
      const opened = (): number => world.repository("ada/shop").issues.size;
      // Somebody else's copy of the marker is nothing.
      world.openIssue("bob", "ada/shop", { title: "Later", body: marked("issue:1").body });
      await send(stand, marked("issue:1"));
      const again = await send(stand, marked("issue:1"));
      must(opened() === 2, "open-issue", `opens ${opened() - 1} issues for one key`);
      must(again[0]?.state === "done" && again[0].found === true, "open-issue", `of one that is there gives ${brief(again)}`);
      world.faults.set("lost-answer", { writes: [1] });
      await send(stand, marked("issue:2"));
      world.faults.clear();
      must(opened() === 3, "open-issue", "takes the issue of one key for that of another");
    }),
    "a refusal is a result": on(async (stand) => {
      const { world, pullRequest, forge } = stand;
      if (forge.can.has("resolve")) {
        const results = await send(stand, { ...base, kind: "resolve", key: "resolve", thread: "PRRT_kwDOnone" });
        must(results[0]?.state === "refused", "resolve", `of a thread that is not there gives ${brief(results)}`);
      }
      world.archive("ada/shop");
      const results = await send(stand, comment("Too late"));
      must(results[0]?.state === "refused", "comment", `in an archived repository gives ${brief(results)}`);
      must(pullRequest.comments.length === 0, "comment", "stands there though it was refused");
    }),
    "refuses what it cannot": on(async (stand) => {
      const all: readonly WriteKind[] = ["open-issue", "mark-draft", "mark-ready"];
      const kind = all.find((each) => !stand.forge.can.has(each));
      if (kind === undefined) return;
      const write = (
        kind === "open-issue" ? { ...base, kind, key: "k", title: "t", body: "b" } : { ...base, kind, key: "k" }
      ) as ForgeWrite;
      const before = stand.world.log.length;
      const results = await send(stand, write);
      must(sameJson(states(results), ["refused: unsupported"]), kind, `gives ${brief(results)} though it is not in can`);
      must(stand.world.log.length === before, kind, "takes effect though it is not in can");
    }),
    "a lost answer is thrown, and sent once": on(async (stand) => {
      for (const fault of ["lost-answer", "bad-gateway-after"] as const) {
        const { pullRequest } = await stand.forge.read(stand.ref);
        const before = stand.pullRequest.comments.length;
        stand.world.faults.set(fault, { writes: [1] });
        await mustThrow("GITHUB_UNAVAILABLE", `comment with ${fault}`, () => stand.forge.write([comment(fault)], pullRequest));
        stand.world.faults.clear();
        must(
          stand.pullRequest.comments.length === before + 1,
          "comment",
          `stands there ${stand.pullRequest.comments.length - before} times after ${fault}`,
        );
      }
    }),
    "results come in the order of the writes": on(async (stand) => {
      const { world, pullRequest, forge } = stand;
      if (!forge.can.has("resolve")) return;
      const threads = [1, 2, 3].map((line) =>
        world.addThread("acme-review", pullRequest, { path: "src/a.ts", line, body: `Point ${line}` }),
      );
      const [one, two, three] = threads.map(({ id }): WriteOf<"resolve"> => ({ ...base, kind: "resolve", key: id, thread: id }));
      if (one === undefined || two === undefined || three === undefined) return;
      const results = await send(stand, one, { ...two, thread: "PRRT_kwDOnone" }, three);
      must(results.length === 3, "resolve", `gives ${results.length} results for 3 writes`);
      must(
        sameJson(
          results.map(({ state }) => state),
          ["done", "refused", "done"],
        ),
        "resolve",
        `gives ${brief(states(results))} where the second was refused`,
      );
    }),
    "an interrupt sends nothing": on(async (stand) => {
      const { forge, ref, world } = stand;
      const { pullRequest } = await forge.read(ref);
      const signal = AbortSignal.abort();
      await mustThrow("ABORTED", "read", () => forge.read(ref, signal));
      await mustThrow("ABORTED", "pulse", () => forge.pulse(ref, signal));
      const before = world.log.length;
      await thrownBy(() => forge.write([comment("Late")], pullRequest, signal));
      must(world.log.length === before, "write", "goes out after an interrupt");
    }),
    "no error holds the token": on(async (stand) => {
      const { secret, forge, ref, world } = stand;
      if (secret === undefined) return;
      const { pullRequest } = await forge.read(ref);
      world.faults.set("bad-gateway-before", { writes: [1] });
      const errors = [
        await thrownBy(() => forge.write([comment("x")], pullRequest)),
        await thrownBy(() => forge.read({ ...ref, number: 999 })),
      ];
      for (const error of errors) {
        const text = JSON.stringify(error, error instanceof Error ? Object.getOwnPropertyNames(error) : undefined);
        must(!text.includes(secret), "error", "holds the token");
      }
    }),
  });
};
