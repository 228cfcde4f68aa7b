/** Answers that come wrong, late or not at all, and tokens and servers that can do less. */
import { expect } from "vitest";
import { comment, errorsOf, pull, reads, resolveAll } from "./asking.js";
import { fault, picture } from "./case.js";

const fine = { status: 200, errors: [] };

export const ANSWERS = [
  fault({
    name: "lost-answer",
    sees: comment,
    shows: { answered: "broken", posted: 1 },
    // The push, both replies, the batch of resolves, the request: each of them once.
    runs: [1, 2, 3, 4, 5].map((write) => ({ options: { writes: [write] }, stop: "met" as const })),
  }),
  fault({
    name: "bad-gateway-before",
    sees: comment,
    shows: { answered: 502, posted: 0 },
    runs: [
      {
        stop: "refused",
        says: "it was sent, no answer came, and it is not there",
        async leaves(stand) {
          expect(picture(stand)).toMatchObject({ pushes: 1, asked: 0 });
          // Started again it goes on.
          expect((await stand.run()).stop).toBe("met");
          expect(picture(stand)).toMatchObject({ pushes: 2, asked: 1, slips: 0 });
        },
      },
      { options: { writes: [4] }, stop: "met" },
    ],
  }),
  fault({
    name: "bad-gateway-after",
    sees: comment,
    shows: { answered: 502, posted: 1 },
    runs: [1, 2, 4, 5].map((write) => ({ options: { writes: [write] }, stop: "met" as const })),
  }),
  fault({
    name: "bad-gateway-midway",
    sees: resolveAll,
    shows: { status: 502, errors: ["fault of the server"], resolved: [true, false] },
    runs: [{ options: { writes: [4], applied: 1 }, stop: "met" }],
  }),
  fault({
    name: "bad-gateway-read",
    sees: reads,
    shows: [{ status: 502, errors: ["fault of the server"] }, fine],
    runs: [{ options: { reads: [1, 3, 4, 9] }, stop: "met" }],
  }),
  fault({
    name: "secondary-rate-limit",
    sees: comment,
    shows: { answered: 403, posted: 0 },
    runs: [
      { options: { writes: [2] }, stop: "met", leaves: ({ scene }) => expect(scene.clock.passed).toBeGreaterThan(60_000) },
      { options: { writes: [2], retryAfter: 7 }, stop: "met" },
    ],
  }),
  fault({
    name: "primary-rate-limit",
    sees: reads,
    shows: [
      { status: 200, errors: ["RATE_LIMITED"] },
      { status: 200, errors: ["RATE_LIMITED"] },
    ],
    runs: [
      { stop: "met" },
      { options: { reads: [3], resetAfter: 60_000, type: "RATE_LIMIT" }, stop: "met" },
      // Longer than anybody waits for a limit.
      { options: { reads: [3], resetAfter: 3_600_000 }, stop: "poll-error", says: "limit is used up" },
    ],
  }),
  fault({
    name: "resource-limit",
    sees: (stand) => pull(stand, "reviewThreads(first: 100) { nodes { comments(first: 100) { totalCount nodes { id } } } }"),
    shows: { errors: ["RESOURCE_LIMITS_EXCEEDED"], pullRequest: undefined },
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "slow-answer",
    async sees(stand) {
      const before = stand.scene.clock.passed;
      await reads(stand);
      return stand.scene.clock.passed - before;
    },
    shows: 4_000,
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "partial-alias-failure",
    sees: resolveAll,
    shows: { status: 200, errors: ["FORBIDDEN"], resolved: [true, false] },
    runs: [
      { stop: "met" },
      {
        options: { positions: [1], type: "NOT_FOUND" },
        stop: "stalled",
        says: "answered, not resolved yet",
        leaves: (stand) => expect(picture(stand)).toMatchObject({ slips: 0 }),
      },
    ],
  }),
  fault({
    name: "resolve-without-effect",
    sees: resolveAll,
    shows: { ...fine, resolved: [false, false] },
    runs: [
      {
        stop: "stalled",
        says: "answered, not resolved yet",
        leaves: (stand) => expect(picture(stand)).toMatchObject({ slips: 0, asked: 1 }),
      },
    ],
  }),
  fault({
    name: "token-cannot-resolve",
    sees: async (stand) => [
      await pull(stand, "reviewThreads(first: 2) { nodes { viewerCanReply viewerCanResolve } }"),
      await resolveAll(stand),
    ],
    shows: [
      { reviewThreads: { nodes: Array.from({ length: 2 }, () => ({ viewerCanReply: true, viewerCanResolve: false })) } },
      { status: 200, errors: ["FORBIDDEN", "FORBIDDEN"], resolved: [false, false] },
    ],
    runs: [
      {
        stop: "waiting-for-people",
        says: "this account may not resolve it",
        leaves: (stand) => expect(picture(stand)).toMatchObject({ slips: 0 }),
      },
    ],
  }),
  fault({
    name: "older-server",
    sees: async (stand) =>
      errorsOf(
        (await stand.client.graphql(`{ node(id: "${stand.scene.pullRequest.id}") { ... on PullRequest { mergeStateStatus } } }`)).answer,
      ),
    shows: { errors: ["undefinedField"] },
    runs: [{ stop: "met" }],
  }),
];
