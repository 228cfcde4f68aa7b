/** Asking somebody for a review, and proving that the request was registered: GitHub answers 201 to some that it drops. */
import type { WriteOf, WriteResult } from "../../model.js";
import { GithubFailure } from "./failure.js";
import { present } from "./gathered.js";
import { REQUESTS_QUERY } from "./mutations.js";
import { refusalOf, refused } from "./outcome.js";
import { normalised } from "./snapshot.js";
import { settled } from "./state-writes.js";
import type { WriteContext } from "./state-writes.js";
import type { WireReviewer } from "./wire.js";

/** A request may take some seconds to show. */
const LOOKS = 3;
const PAUSE = 1_000;
/** Copilot's reviewer has a second name in events. */
const SHOWN_AS: Readonly<Record<string, string>> = { copilot: "copilot-pull-request-reviewer" };

type ReviewRequestWrite = Extract<WriteOf<"request">, { by: "review-request" }>;

interface Answer {
  readonly repository: {
    readonly pullRequest: {
      readonly reviewRequests: { readonly nodes: readonly ({ readonly requestedReviewer: WireReviewer | null } | null)[] | null } | null;
      readonly reviews: {
        readonly nodes: readonly ({ readonly id: string; readonly author: { readonly login: string } | null } | null)[] | null;
      } | null;
      readonly timelineItems: {
        readonly nodes: readonly ({ readonly id?: string; readonly requestedReviewer?: WireReviewer | null } | null)[] | null;
      } | null;
    } | null;
  } | null;
}

interface Standing {
  readonly requested: boolean;
  /** Node ids of the latest reviews of this login, and of the latest requests for one: a quick bot takes its request away at once. */
  readonly traces: ReadonlySet<string>;
}

/** Only GraphQL lists requested bots. */
const standingOf = async (context: WriteContext, login: string): Promise<Standing> => {
  const { owner, name, number } = context.on.ref;
  const { data } = await context.transport.query<Answer>(REQUESTS_QUERY, { owner, name, number }, context.signal);
  const found = present(present(data.repository, "repository").pullRequest, "pull request");
  const requests = present(present(found.reviewRequests, "review requests").nodes, "review requests");
  const reviews = present(present(found.reviews, "reviews").nodes, "reviews");
  const events = present(present(found.timelineItems, "timeline").nodes, "timeline");
  const wanted = normalised(login);
  const isWanted = (reviewer: WireReviewer | null | undefined): boolean => {
    const shown = normalised(reviewer?.login ?? reviewer?.combinedSlug ?? "");
    return shown === wanted || SHOWN_AS[shown] === wanted;
  };
  return {
    requested: requests.some((request) => isWanted(request?.requestedReviewer)),
    traces: new Set([
      ...reviews.flatMap((review) => (review?.author && normalised(review.author.login) === wanted ? [review.id] : [])),
      ...events.flatMap((event) => (event?.id !== undefined && isWanted(event.requestedReviewer) ? [event.id] : [])),
    ]),
  };
};

/** REST wants a bot's login with its suffix; without it the call is refused or does nothing. A team is `organization/slug`. */
const reviewersOf = (write: { readonly login: string; readonly bot: boolean }): { reviewers: string[]; team_reviewers: string[] } => {
  const [, team] = write.login.split("/");
  if (team !== undefined) return { reviewers: [], team_reviewers: [team] };
  const login = write.bot && !write.login.endsWith("[bot]") ? `${write.login}[bot]` : write.login;
  return { reviewers: [login], team_reviewers: [] };
};

const at = (context: WriteContext) => ({ owner: context.on.ref.owner, repo: context.on.ref.name, pull_number: context.on.ref.number });

/** Looks until the request shows: pending, in the timeline, or as a review that came meanwhile. */
const proof = async (context: WriteContext, login: string, before: Standing): Promise<WriteResult> => {
  for (let look = 1; ; look += 1) {
    const now = await standingOf(context, login);
    if (now.requested || [...now.traces].some((id) => !before.traces.has(id))) return { state: "done" };
    if (look === LOOKS) return { state: "dropped", detail: `GitHub accepted the request and did not register ${login}` };
    await context.clock.sleep(PAUSE * look, context.signal);
  }
};

/** Starts a Copilot review. Undefined: this server has no such endpoint. */
const byEndpoint = async (context: WriteContext, write: ReviewRequestWrite): Promise<WriteResult | undefined> => {
  const before = await standingOf(context, write.login);
  // Each call starts a new review.
  if (before.requested) return { state: "done", found: true };
  try {
    await context.transport.restWrite(
      (client, request) =>
        client.request("POST /repos/{owner}/{repo}/pulls/{pull_number}/copilot-code-review", { ...at(context), request }),
      context.signal,
    );
  } catch (thrown) {
    if (!(thrown instanceof GithubFailure)) throw thrown;
    // 409: one is already pending, which is what was wanted.
    if (thrown.facts.status === 409) return { state: "done", found: true };
    if (thrown.kind === "unsupported" || thrown.kind === "not-found") return undefined;
    return refusalOf(thrown, context.subject);
  }
  return proof(context, write.login, before);
};

const byReviewers = async (context: WriteContext, write: ReviewRequestWrite): Promise<WriteResult> => {
  const before = await standingOf(context, write.login);
  // Asking again would notify again.
  if (before.requested) return { state: "done", found: true };
  try {
    await context.transport.restWrite(
      (client, request) => client.rest.pulls.requestReviewers({ ...at(context), ...reviewersOf(write), request }),
      context.signal,
    );
  } catch (thrown) {
    if (!(thrown instanceof GithubFailure)) throw thrown;
    // GitHub hides the endpoint from accounts without write access.
    if (thrown.facts.status === 404) return refused("forbidden", "requesting a review needs write access");
    return refusalOf(thrown, context.subject);
  }
  return proof(context, write.login, before);
};

export const requestReview = async (context: WriteContext, write: ReviewRequestWrite): Promise<WriteResult> => {
  const started = write.endpoint === "copilot-code-review" ? await byEndpoint(context, write) : undefined;
  return started ?? byReviewers(context, write);
};

export const cancelRequest = (context: WriteContext, write: WriteOf<"cancel-request">): Promise<readonly WriteResult[]> =>
  settled(context, [write], {
    id: () => context.on.id,
    look: async () => [{ is: (await standingOf(context, write.login)).requested ? "not-so" : "so" }],
    act: async () => {
      await context.transport.restWrite(
        (client, request) => client.rest.pulls.removeRequestedReviewers({ ...at(context), ...reviewersOf(write), request }),
        context.signal,
      );
      // The answer lists no bots; only looking tells.
      return (await standingOf(context, write.login)).requested ? [{ is: "unsure", detail: "it is still requested" }] : [{ is: "done" }];
    },
  });
