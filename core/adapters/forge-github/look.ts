/** The cheap looks: has anything moved, who takes part here, whose token is this. */
import { createHash } from "node:crypto";
import type { Author, Instant, PullRequestRef, Pulse, RepositoryRef, Viewer } from "../../model.js";
import { ask } from "./ask.js";
import type { Asking } from "./ask.js";
import type { Clock } from "../../ports.js";
import { present } from "./gathered.js";
import { saying } from "./outcome.js";
import { pulseQuery, RECENT_QUERY, VIEWER_QUERY } from "./queries.js";
import { authorOf, normalised, stateOf, viewerOf } from "./snapshot.js";
import type { Actor, WirePin, WireReviewer, WireViewer } from "./wire.js";

export interface LookContext extends Asking {
  readonly clock: Pick<Clock, "now">;
  readonly host: string;
  readonly token: string;
}

type Nodes = { readonly nodes: readonly unknown[] | null } | null;
interface PulseAnswer extends WirePin {
  readonly comments: Nodes;
  readonly reviews: Nodes;
  readonly reviewRequests: Nodes;
  readonly reviewThreads: Nodes;
}

/**
 * GitHub's times have whole seconds, so what was touched just now may be edited once more and look the same. Such a pulse is marked, and
 * the next one without the mark differs. The margin takes in a clock here that is ahead of GitHub's.
 */
const FRESH = 10_000;
const isFresh = (posts: unknown, now: Instant): boolean =>
  [...JSON.stringify(posts).matchAll(/"(?:updatedAt|lastEditedAt)":"([^"]+)"/g)].some(([, at = ""]) => now - Date.parse(at) < FRESH);

export const pulseOf = async (context: LookContext, ref: PullRequestRef, signal?: AbortSignal): Promise<Pulse> => {
  const { owner, name, number } = ref;
  const what = `${owner}/${name}#${number}`;
  return saying({ host: context.host, what, ref: what }, async () => {
    const { data } = await ask<{ repository: { pullRequest: PulseAnswer | null } | null }>(
      context,
      pulseQuery,
      { owner, name, number },
      signal,
    );
    const found = present(present(data.repository, "repository").pullRequest, "pull request");
    for (const part of ["comments", "reviews", "reviewRequests", "reviewThreads"] as const) present(present(found[part], part).nodes, part);
    const text = JSON.stringify(found);
    // Whatever else moves is in the pulse by its value; its own time moves with all of it and tells nothing more.
    const fresh = isFresh({ ...found, updatedAt: null }, context.clock.now());
    return {
      head: found.headRefOid,
      draft: found.isDraft,
      state: stateOf(found.state),
      digest: createHash("sha256")
        .update(fresh ? `fresh ${text}` : text)
        .digest("hex"),
    };
  });
};

interface Post {
  readonly author: Actor | null;
  readonly authorAssociation: string;
}
interface Sample<T> {
  readonly nodes: readonly (T | null)[] | null;
}
interface RecentPullRequest {
  readonly comments: Sample<Post> | null;
  readonly reviews: Sample<Post> | null;
  readonly reviewRequests: Sample<{ readonly requestedReviewer: WireReviewer | null }> | null;
  readonly commits: Sample<{
    readonly commit: {
      readonly statusCheckRollup: {
        readonly contexts: Sample<{ readonly checkSuite?: { readonly app: { readonly slug: string } | null } }> | null;
      } | null;
    };
  }> | null;
}

/** A sample by design: what is null in it is passed over. */
const each = <T>(sample: Sample<T> | null | undefined): readonly T[] =>
  (sample?.nodes ?? []).filter((node): node is T & {} => node !== null);

const authorsOf = (pullRequest: RecentPullRequest): readonly Author[] => [
  ...[...each(pullRequest.comments), ...each(pullRequest.reviews)].map((post) => authorOf(post.author, post.authorAssociation)),
  ...each(pullRequest.reviewRequests).flatMap(({ requestedReviewer: reviewer }) =>
    reviewer?.login === undefined ? [] : [authorOf({ __typename: reviewer.__typename, login: reviewer.login }, "NONE")],
  ),
  ...each(pullRequest.commits)
    .flatMap(({ commit }) => each(commit.statusCheckRollup?.contexts))
    .flatMap(({ checkSuite }): Author[] => {
      const app = checkSuite?.app;
      return app ? [{ login: normalised(app.slug), kind: "bot", association: "NONE" }] : [];
    }),
];

export const recentOf = async (context: LookContext, repository: RepositoryRef, signal?: AbortSignal): Promise<readonly Author[]> => {
  const { owner, name } = repository;
  const what = `the recent pull requests of ${owner}/${name}`;
  return saying({ host: context.host, what, ref: `in ${owner}/${name}` }, async () => {
    const { data } = await context.transport.query<{ repository: { pullRequests: Sample<RecentPullRequest> } | null }>(
      RECENT_QUERY,
      { owner, name },
      signal,
    );
    const pullRequests = present(present(data.repository, "repository").pullRequests, "pull requests");
    const authors = new Map<string, Author>();
    for (const author of each(pullRequests).flatMap(authorsOf)) {
      const key = `${author.kind}:${author.login}`;
      // The first mention with an association says more than a request or a check.
      const known = authors.get(key);
      if (known === undefined || known.association === "NONE") authors.set(key, author);
    }
    return [...authors.values()];
  });
};

export const viewerBy = (context: LookContext, signal?: AbortSignal): Promise<Viewer> =>
  saying({ host: context.host, what: "who is signed in" }, async () => {
    const { data } = await context.transport.query<{ viewer: WireViewer | null }>(VIEWER_QUERY, {}, signal);
    return viewerOf(present(data.viewer, "viewer"), context.token);
  });

const BRANCH_QUERY = `
query Branch($owner: String!, $name: String!, $branch: String!) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) {
    pullRequests(headRefName: $branch, states: [OPEN], first: 1, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { number } }
  }
}`;

/** Number of the newest open pull request of a branch. */
export const branchOf = (
  context: LookContext,
  repository: RepositoryRef,
  branch: string,
  signal?: AbortSignal,
): Promise<number | undefined> =>
  saying({ host: context.host, what: `the pull request of ${branch}` }, async () => {
    const { data } = await context.transport.query<{
      repository: { pullRequests: { nodes: readonly ({ number: number } | null)[] | null } | null } | null;
    }>(BRANCH_QUERY, { owner: repository.owner, name: repository.name, branch }, signal);
    const found = present(present(present(data.repository, "repository").pullRequests, "pull requests").nodes, "pull requests");
    return found[0]?.number;
  });
