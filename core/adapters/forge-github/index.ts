/** The `forge` port on GitHub: GraphQL for what only it tells, REST for what only it does right. */
import { ReviewloopError } from "../../errors.js";
import type { RepositoryRef, Viewer } from "../../model.js";
import type { Forge } from "../../ports.js";
import { checksAt, fileAt } from "./elsewhere.js";
import { branchOf, recentOf, pulseOf, viewerBy } from "./look.js";
import type { GithubForgeOptions } from "./options.js";
import type { Droppable } from "./queries.js";
import { readWhole } from "./read.js";
import { createTransport } from "./transport.js";
import { CAN, writeAll } from "./write.js";

export type { GithubForgeOptions } from "./options.js";

/**
 * A GitHub (github.com, a data-residency tenant or an Enterprise Server) as a forge.
 *
 * Reads are complete or throw `READ_INCOMPLETE`; they are tried again up to five times on the clock port. A write is sent
 * once; where its answer is lost, what sets a state is settled by looking, and what adds something throws
 * `GITHUB_UNAVAILABLE`. Errors: `GITHUB_SIGN_IN`, `GITHUB_DENIED`, `GITHUB_RATE_LIMITED`, `GITHUB_UNAVAILABLE`,
 * `GITHUB_ANSWER`, `READ_INCOMPLETE`, `PULL_REQUEST_NOT_FOUND` (also for another host's), `ABORTED`.
 */
export const githubForge = (options: GithubForgeOptions): Forge => {
  const { clock, host, token } = options;
  const transport = createTransport(options);
  const context = { transport, missing: new Set<Droppable>(), clock, host, token };
  let viewer: Promise<Viewer> | undefined;

  /** The token is for one host; another one's pull request is not asked for here. */
  const own = (ref: RepositoryRef & { readonly number?: number }): void => {
    const name = `${ref.host}/${ref.owner}/${ref.name}${ref.number === undefined ? "" : `#${ref.number}`}`;
    if (ref.host !== host) throw new ReviewloopError("PULL_REQUEST_NOT_FOUND", { ref: `${name} on ${host}` });
  };

  const whose = (): Promise<Viewer> => {
    viewer ??= viewerBy(context).catch((thrown: unknown) => {
      viewer = undefined;
      throw thrown;
    });
    return viewer;
  };

  return {
    can: CAN,
    get cost() {
      return transport.cost;
    },
    viewer: whose,
    read: async (ref, signal) => {
      own(ref);
      const snapshot = await readWhole(context, ref, signal);
      viewer ??= Promise.resolve(snapshot.viewer);
      return snapshot;
    },
    pulse: async (ref, signal) => {
      own(ref);
      return pulseOf(context, ref, signal);
    },
    recent: async (repository, signal) => {
      own(repository);
      return recentOf(context, repository, signal);
    },
    pullRequestOf: async (repository, branch, signal) => {
      own(repository);
      return branchOf(context, repository, branch, signal);
    },
    checksAt: async (repository, sha, signal) => {
      own(repository);
      return checksAt(context, repository, sha, signal);
    },
    fileAt: async (repository, sha, path, signal) => {
      own(repository);
      return fileAt(context, repository, sha, path, signal);
    },
    write: (writes, on, signal) => writeAll({ transport, clock, host, viewer: whose }, writes, on, signal),
  };
};
