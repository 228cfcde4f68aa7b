/** Reviewers that are slow, silent, out of quota or behind, requests that nobody sees, and what others do meanwhile. */
import { expect } from "vitest";
import { draftToReady } from "../../plugins/targets/draft-to-ready.js";
import { BODIES } from "../../sandbox/reviewers/index.js";
import { comment, pull, resolveAll, THREADS } from "./asking.js";
import { fault, picture } from "./case.js";
import { COPILOT, type Stand } from "./stand.js";

const { login } = BODIES.copilot;
const WITH_COPILOT = { reviewer: COPILOT } as const;

/** Asks Copilot as REST clients do, and lets so much time pass. */
const request = async ({ client, scene }: Stand, milliseconds: number): Promise<number> => {
  const { status } = await client.rest("/repos/ada/shop/pulls/7/requested_reviewers", {
    method: "POST",
    body: { reviewers: [`${login}[bot]`] },
  });
  await scene.clock.advance(milliseconds);
  return status;
};
const reviews = (stand: Stand): Promise<unknown> => pull(stand, "reviews(first: 5) { totalCount }");
const asked = (stand: Stand): Promise<unknown> =>
  pull(stand, "reviewRequests(first: 5) { totalCount } timelineItems(first: 5, itemTypes: [REVIEW_REQUESTED_EVENT]) { filteredCount }");
const lists = (requests: number, events: number): object => ({
  reviewRequests: { totalCount: requests },
  timelineItems: { filteredCount: events },
});
const timedOut = { stop: "timed-out", says: "no answer from copilot", leaves: (stand: Stand) => expect(stand.asked()).toBe(1) } as const;

export const REVIEWERS = [
  fault({
    name: "slow-reviewer",
    on: WITH_COPILOT,
    sees: async (stand) => [await request(stand, 60_000), await reviews(stand)],
    shows: [201, { reviews: { totalCount: 0 } }],
    runs: [
      { stop: "met", leaves: (stand) => expect([stand.asked(), stand.scene.clock.passed > 480_000]).toEqual([2, true]) },
      { options: { milliseconds: 3_600_000 }, ...timedOut },
    ],
  }),
  fault({
    name: "silent-reviewer",
    on: WITH_COPILOT,
    sees: async (stand) => [await request(stand, 3_600_000), await reviews(stand)],
    shows: [201, { reviews: { totalCount: 0 } }],
    runs: [timedOut, { options: { login: "somebody-else" }, stop: "met" }],
  }),
  fault({
    name: "quota-review",
    on: WITH_COPILOT,
    sees: async (stand) => [await request(stand, 60_000), await pull(stand, `${THREADS} reviews(first: 1) { nodes { state body } }`)],
    shows: [201, { reviewThreads: { totalCount: 0 }, reviews: { nodes: [{ state: "COMMENTED", body: expect.stringMatching(/quota/u) }] } }],
    // No threads, and yet not clean.
    runs: [{ ...timedOut, says: "copilot is out of quota" }],
  }),
  fault({
    name: "review-for-old-head",
    on: WITH_COPILOT,
    async sees(stand) {
      await request(stand, 60_000);
      const found = (await pull(stand, "headRefOid reviews(first: 1) { nodes { commit { oid } } }")) as {
        headRefOid: string;
        reviews: { nodes: readonly { commit: { oid: string } }[] };
      };
      return found.reviews.nodes[0]?.commit.oid === found.headRefOid;
    },
    shows: false,
    runs: [timedOut],
  }),
  fault({
    name: "review-request-dropped",
    on: WITH_COPILOT,
    sees: async (stand) => [await request(stand, 0), await asked(stand)],
    shows: [201, lists(0, 0)],
    runs: [
      {
        stop: "waiting-for-people",
        says: "the request to copilot was not registered",
        leaves: (stand) =>
          expect(
            stand.requests.filter((each) => each.path.endsWith("copilot-code-review") || each.path.endsWith("requested_reviewers")),
          ).toHaveLength(1),
      },
    ],
  }),
  fault({
    name: "request-hidden",
    on: WITH_COPILOT,
    sees: async (stand) => [await request(stand, 0), await asked(stand)],
    shows: [201, lists(0, 1)],
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "request-ends-early",
    on: WITH_COPILOT,
    sees: async (stand) => [await request(stand, 2_000), await asked(stand), await reviews(stand)],
    shows: [201, lists(0, 1), { reviews: { totalCount: 0 } }],
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "no-review-endpoint",
    on: WITH_COPILOT,
    sees: async ({ client }) => (await client.rest("/repos/ada/shop/pulls/7/copilot-code-review", { method: "POST", body: {} })).status,
    shows: 404,
    runs: [{ stop: "met" }],
  }),
  fault({
    name: "pending-review",
    async sees({ client, scene }) {
      const root = scene.pullRequest.threads[0]?.comments[0]?.databaseId ?? 0;
      const { status, answer } = await client.rest(`/repos/ada/shop/pulls/7/comments/${root}/replies`, {
        method: "POST",
        body: { body: "Done" },
      });
      return [status, (answer as { errors?: unknown }).errors];
    },
    shows: [422, [expect.objectContaining({ message: "user_id can only have one pending review per pull request" })]],
    runs: [
      {
        stop: "refused",
        says: "this account has a review that is not submitted",
        // A person's draft is neither submitted nor thrown away.
        leaves({ scene, asked: count }) {
          expect(scene.pullRequest.reviews.filter((review) => review.state === "PENDING")).toHaveLength(1);
          expect(count()).toBe(0);
        },
      },
      // Somebody else's draft is nobody's business.
      { options: { login: "grace" }, stop: "met", leaves: (stand) => expect(picture(stand)).toMatchObject({ slips: 0, asked: 1 }) },
    ],
  }),
  fault({
    name: "reopens-resolved",
    async sees(stand) {
      await resolveAll(stand);
      await stand.scene.clock.advance(2_000);
      return pull(stand, "reviewThreads(first: 2) { nodes { isResolved } }");
    },
    shows: { reviewThreads: { nodes: [{ isResolved: false }, { isResolved: false }] } },
    // What was answered and opened again is not closed behind anybody's back.
    runs: [
      {
        stop: "waiting-for-people",
        says: "answered and resolved, and then opened again",
        leaves: (stand) => expect(picture(stand)).toMatchObject({ slips: 0 }),
      },
    ],
  }),
  fault({
    name: "replies-after-resolve",
    async sees(stand) {
      await resolveAll(stand);
      await stand.scene.clock.advance(2_000);
      return pull(stand, "reviewThreads(first: 1) { nodes { isResolved comments(first: 5) { totalCount } } }");
    },
    shows: { reviewThreads: { nodes: [{ isResolved: true, comments: { totalCount: 2 } }] } },
    // Closed is what GitHub says is closed.
    runs: [
      {
        stop: "met",
        leaves: (stand) =>
          expect(picture(stand)).toMatchObject({
            slips: 0,
            threads: Array.from({ length: 2 }, () => [true, "acme-review", "ada", "acme-review"]),
          }),
      },
    ],
  }),
  fault({
    name: "ready-wakes-reviewers",
    on: { reviewer: COPILOT, scene: (made) => made.pullRequest({ draft: true }) },
    async sees(stand) {
      await stand.client.graphql(
        `mutation { markPullRequestReadyForReview(input: { pullRequestId: "${stand.scene.pullRequest.id}" }) { pullRequest { isDraft } } }`,
      );
      await stand.scene.clock.advance(2_000);
      return pull(
        stand,
        `isDraft ${THREADS} reviewRequests(first: 5) { nodes { asCodeOwner requestedReviewer { ... on User { login } } } }`,
      );
    },
    shows: {
      isDraft: false,
      reviewThreads: { totalCount: 1 },
      reviewRequests: { nodes: [{ asCodeOwner: true, requestedReviewer: { login: "grace" } }] },
    },
    // Its thread is dealt with before anything is called done.
    runs: [
      {
        run: { target: draftToReady() },
        stop: "met",
        leaves: (stand) =>
          expect([stand.scene.pullRequest.draft, picture(stand)]).toMatchObject([
            false,
            { slips: 0, threads: Array.from({ length: 2 }, () => [true, login, "ada"]) },
          ]),
      },
    ],
  }),
  fault({
    name: "head-moves",
    async sees(stand) {
      const before = await pull(stand, "headRefOid");
      const answered = await comment(stand);
      const after = await pull(stand, "headRefOid");
      return [answered, JSON.stringify(before) === JSON.stringify(after)];
    },
    shows: [{ answered: 201, posted: 1 }, false],
    runs: [1, 2, 4, 5].map((write) => ({
      options: { writes: [write] },
      stop: "superseded" as const,
      // Nothing of ours is pushed over somebody's work.
      leaves: (stand: Stand) => expect(picture(stand).files).toContain("from-grace.txt"),
    })),
  }),
];
