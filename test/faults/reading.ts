/** What is read comes with holes, in pieces, from elsewhere, or changes meanwhile. */
import { expect } from "vitest";
import { watchedAnswers } from "../sandbox/answers/watch.js";
import { pull, THREADS } from "./asking.js";
import { fault, picture } from "./case.js";
import type { Stand } from "./stand.js";

const untouched = (stand: Stand): void =>
  expect(picture(stand)).toMatchObject({ pushes: stand.scene.world.log.filter((event) => event.type === "pushed").length, asked: 0 });
const total = (totalCount: number): object => ({ reviewThreads: { totalCount } });

export const READING = [
  fault({
    name: "null-connection",
    sees: (stand) => pull(stand, THREADS),
    // The list may not be null, so the whole pull request is.
    shows: { errors: ["fault of the server"], pullRequest: null },
    runs: [
      { stop: "incomplete-read", leaves: untouched },
      { options: { field: "reviews" }, stop: "incomplete-read", leaves: untouched },
      { options: { field: "threadComments", reads: [2] }, stop: "met" },
    ],
  }),
  fault({
    name: "null-node",
    sees: (stand) => pull(stand, "reviewThreads(first: 2) { totalCount nodes { isResolved } }"),
    shows: { reviewThreads: { totalCount: 2, nodes: [null, { isResolved: false }] } },
    runs: [
      { stop: "incomplete-read", leaves: untouched },
      { options: { field: "comments", reads: [2] }, stop: "met" },
    ],
  }),
  fault({
    name: "page-size",
    options: { size: 1 },
    sees: (stand) => pull(stand, "reviewThreads(first: 100) { totalCount nodes { isResolved } pageInfo { hasNextPage } }"),
    shows: { reviewThreads: { totalCount: 2, nodes: [{ isResolved: false }], pageInfo: { hasNextPage: true } } },
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "cursor-expires",
    async sees(stand) {
      const first = await pull(stand, "reviewThreads(first: 1) { pageInfo { endCursor } }");
      const { endCursor } = (first as { reviewThreads: { pageInfo: { endCursor: string } } }).reviewThreads.pageInfo;
      stand.scene.world.comment("grace", stand.scene.pullRequest, "Meanwhile.");
      return pull(stand, `reviewThreads(first: 1, after: "${endCursor}") { totalCount }`);
    },
    shows: { errors: ["INVALID_CURSOR_ARGUMENTS"], pullRequest: null },
    runs: [
      {
        with: { "page-size": { size: 1 }, "thread-appears": { reads: [5] } },
        stop: "met",
        leaves(stand) {
          expect(watchedAnswers().filter((answer) => answer.body.includes("INVALID_CURSOR_ARGUMENTS"))).not.toEqual([]);
          expect(picture(stand)).toMatchObject({ slips: 0, threads: Array.from({ length: 3 }, () => [true, "acme-review", "ada"]) });
        },
      },
    ],
  }),
  fault({
    name: "many-threads",
    sees: (stand) => pull(stand, THREADS),
    shows: total(104),
    runs: [
      {
        stop: "met",
        leaves(stand) {
          const { threads } = picture(stand);
          expect(threads).toHaveLength(104);
          expect(threads.at(-1)).toEqual([true, "acme-review", "ada"]);
          expect(threads.filter((thread) => thread.includes("ada"))).toHaveLength(3);
        },
      },
    ],
  }),
  fault({
    name: "many-comments",
    sees: (stand) => pull(stand, "reviewThreads(last: 1) { nodes { comments(first: 100) { totalCount pageInfo { hasNextPage } } } }"),
    shows: { reviewThreads: { nodes: [{ comments: { totalCount: 102, pageInfo: { hasNextPage: true } } }] } },
    runs: [
      {
        stop: "met",
        leaves: (stand) => expect(picture(stand).threads[1]).toEqual([true, ...Array.from({ length: 102 }, () => "acme-review"), "ada"]),
      },
    ],
  }),
  fault({
    name: "thread-appears",
    sees: async (stand) => [await pull(stand, THREADS), await pull(stand, THREADS)],
    shows: [total(2), total(3)],
    // Before, between and after the reads of a run.
    runs: [2, 4, 8, 14, 18].map((read) => ({
      options: { reads: [read] },
      stop: "met" as const,
      leaves: (stand: Stand) =>
        expect(picture(stand)).toMatchObject({
          slips: 0,
          threads: Array.from({ length: 3 }, () => [true, "acme-review", "ada"]),
        }),
    })),
  }),
  fault({
    name: "foreign-thread",
    sees: (stand) => pull(stand, "reviewThreads(last: 1) { nodes { repository { nameWithOwner } } }"),
    shows: { reviewThreads: { nodes: [{ repository: { nameWithOwner: "somebody-elsewhere/other-work" } }] } },
    runs: [
      {
        stop: "incomplete-read",
        says: "it belongs to another pull request",
        leaves(stand) {
          const { foreignThread } = stand.scene.world.state;
          expect([foreignThread?.resolved, foreignThread?.comments.length]).toEqual([false, 1]);
        },
      },
    ],
  }),
  fault({
    name: "odd-places",
    sees: (stand) => pull(stand, "reviewThreads(last: 5) { nodes { path line diffSide subjectType isOutdated } }"),
    shows: {
      reviewThreads: {
        nodes: [
          { path: "odd/edited.txt", line: null, diffSide: "RIGHT", subjectType: "LINE", isOutdated: true },
          { path: "odd/deleted.txt", line: null, diffSide: "RIGHT", subjectType: "LINE", isOutdated: true },
          { path: "odd/renamed.txt", line: null, diffSide: "RIGHT", subjectType: "LINE", isOutdated: true },
          { path: "odd/edited.txt", line: null, diffSide: "RIGHT", subjectType: "FILE", isOutdated: false },
          { path: "src/a.ts", line: expect.any(Number), diffSide: "LEFT", subjectType: "LINE", isOutdated: false },
        ],
      },
    },
    runs: [
      {
        stop: "met",
        leaves: (stand) =>
          expect(picture(stand)).toMatchObject({ slips: 0, threads: Array.from({ length: 7 }, () => [true, "acme-review", "ada"]) }),
      },
    ],
  }),
  fault({
    name: "same-second-edits",
    async sees(stand) {
      const { world, clock, pullRequest } = stand.scene;
      world.comment("acme-review", pullRequest, "Four words, and more");
      const read = () => pull(stand, "comments(last: 1) { nodes { body updatedAt } }");
      const before = (await read()) as { comments: { nodes: readonly { body: string; updatedAt: string }[] } };
      await clock.advance(600);
      const after = (await read()) as typeof before;
      return [before, after].map(({ comments: { nodes } }) => [
        nodes[0]?.body,
        nodes[0]?.updatedAt === before.comments.nodes[0]?.updatedAt,
      ]);
    },
    shows: [
      ["Four words ...", true],
      ["Four words, and more", true],
    ],
    // The half is there when the loop looks, the whole right after: it must not take until the wait runs out.
    runs: [{ stop: "met", leaves: ({ scene }) => expect(scene.clock.passed).toBeLessThan(120_000) }],
  }),
  fault({
    name: "bot-spelling",
    sees: async (stand) => [
      await pull(stand, "reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { author { login } } } } }"),
      ((await stand.client.rest("/repos/ada/shop/pulls/7/comments")).answer as readonly { user: { login: string } }[])[0]?.user.login,
    ],
    shows: [{ reviewThreads: { nodes: [{ comments: { nodes: [{ author: { login: "acme-review[bot]" } }] } }] } }, "acme-review"],
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "ghost-author",
    sees: (stand) => pull(stand, "reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { author { login } } } } }"),
    shows: { reviewThreads: { nodes: [{ comments: { nodes: [{ author: null }] } }] } },
    // Whose point it is nobody knows, so a person decides.
    runs: [{ stop: "waiting-for-people", says: "somebody with write access decides", leaves: untouched }],
  }),
  fault({
    name: "head-repository-gone",
    sees: (stand) => pull(stand, "headRefName headRepository { name }"),
    shows: { headRefName: "topic", headRepository: null },
    runs: [{ stop: "no-progress", says: "the repository of the head is gone", leaves: untouched }],
  }),
];
