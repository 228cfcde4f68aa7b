/** What a look beside the pull request tells: checks of another commit, a file of a commit. */
import type { Check, RepositoryRef, Sha } from "../../model.js";
import { checksOf } from "./checks.js";
import { GithubFailure } from "./failure.js";
import { Gathered, present } from "./gathered.js";
import type { LookContext } from "./look.js";
import { saying } from "./outcome.js";
import type { Connection, WireContext } from "./wire.js";

const CHECKS_QUERY = `
query ChecksAt($owner: String!, $name: String!, $sha: GitObjectID!, $after: String) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) {
    object(oid: $sha) { ... on Commit { statusCheckRollup { contexts(first: 100, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } nodes {
        __typename
        ... on CheckRun {
          id name status conclusion startedAt completedAt detailsUrl permalink title summary
          checkSuite { createdAt app { slug } workflowRun { event workflow { name } } }
        }
        ... on StatusContext { id context state createdAt targetUrl description }
      }
    } } } }
  }
}`;

interface ChecksAnswer {
  readonly repository: {
    readonly object: { readonly statusCheckRollup?: { readonly contexts: Connection<WireContext> | null } | null } | null;
  } | null;
}

/** All checks of a commit, superseded runs dropped; `null` where none is registered. */
export const checksAt = async (
  context: LookContext,
  repository: RepositoryRef,
  sha: Sha,
  signal?: AbortSignal,
): Promise<readonly Check[] | null> => {
  const { owner, name } = repository;
  return saying({ host: context.host, what: `the checks of ${sha.slice(0, 10)}` }, async () => {
    const found = new Gathered<WireContext>("checks");
    while (found.more) {
      const { data } = await context.transport.query<ChecksAnswer>(CHECKS_QUERY, { owner, name, sha, after: found.cursor }, signal);
      const commit = present(data.repository, "repository").object;
      if (!commit?.statusCheckRollup) return null;
      found.take(commit.statusCheckRollup.contexts);
    }
    return checksOf(found.nodes, sha, []);
  });
};

/** A file's text, or undefined where the commit has no such file. */
export const fileAt = async (
  context: LookContext,
  repository: RepositoryRef,
  sha: Sha,
  path: string,
  signal?: AbortSignal,
): Promise<string | undefined> =>
  saying({ host: context.host, what: `${path} at ${sha.slice(0, 10)}` }, async () => {
    try {
      const { data } = await context.transport.restRead<unknown>(
        (client, request) =>
          client.request("GET /repos/{owner}/{repo}/contents/{path}", {
            owner: repository.owner,
            repo: repository.name,
            path,
            ref: sha,
            mediaType: { format: "raw" },
            request,
          }),
        signal,
      );
      return typeof data === "string" && !data.includes("\u0000") ? data : undefined;
    } catch (thrown) {
      if (thrown instanceof GithubFailure && thrown.kind === "not-found") return undefined;
      throw thrown;
    }
  });
