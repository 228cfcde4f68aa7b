/** The port `forge` over a world, without HTTP. Refusals, lost answers and limits come as the adapter for GitHub gives them. */
import {
  ReviewloopError,
  type Author,
  type Clock,
  type Forge,
  type PullRequest,
  type PullRequestRef,
  type WriteKind,
  type WriteResult,
} from "../../core/index.js";
import { WorldError } from "../world/errors.js";
import type { Acting, PullRequestRecord, Session } from "../world/records.js";
import type { World } from "../world/world.js";
import { addOne, askOne, isAsking, isSetting, setStates, type Adds, type WriteContext } from "./memory-writes.js";
import { authorOf, checksAt, normalised, pulseOf, snapshotOf, viewerOf } from "./snapshot.js";

const CAN: ReadonlySet<WriteKind> = new Set<WriteKind>([
  "reply",
  "comment",
  "edit-comment",
  "edit-description",
  "resolve",
  "minimise",
  "review",
  "request",
  "cancel-request",
  "mark-ready",
  "mark-draft",
  "open-issue",
  "open-pull-request",
]);
export interface MemoryForgeOptions {
  /** Waits for a rate limit are slept on it; without one a limit ends in `GITHUB_RATE_LIMITED` at once. */
  readonly clock?: Clock;
  /** Which writes this forge has; all unless given. */
  readonly can?: readonly WriteKind[];
}

const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
};

/** Who posted, reviewed or was asked here, and whose checks ran on the head. */
const takingPart = (world: World, record: PullRequestRecord): readonly Author[] => [
  ...record.comments.map((comment) => authorOf(world.state, record, comment.author)),
  ...record.reviews.filter((review) => review.state !== "PENDING").map((review) => authorOf(world.state, record, review.author)),
  ...record.requests
    .filter((request) => request.kind !== "team")
    .map((request): Author => ({ ...authorOf(world.state, record, request.login), association: "NONE" })),
  ...world
    .checksOf(record.repository, record.head.sha)
    .map((check): Author => ({ login: normalised(check.app), kind: "bot", association: "NONE" })),
];

export const memoryForge = (world: World, account: Acting, options: MemoryForgeOptions = {}): Forge => {
  const session: Session = world.state.session(account);
  const can = options.can === undefined ? CAN : new Set(options.can);
  let requests = 0;

  const recordOf = (ref: PullRequestRef): PullRequestRecord => {
    const name = `${ref.host}/${ref.owner}/${ref.name}#${ref.number}`;
    if (ref.host !== world.host) throw new ReviewloopError("PULL_REQUEST_NOT_FOUND", { ref: name });
    try {
      const record = world.pullRequest(`${ref.owner}/${ref.name}`, ref.number);
      if (
        world.repository(record.repository).private &&
        world.state.roleOf(world.repository(record.repository), session.login) === "none"
      ) {
        throw new WorldError("NOT_FOUND", name);
      }
      return record;
    } catch (thrown) {
      if (thrown instanceof WorldError) throw new ReviewloopError("PULL_REQUEST_NOT_FOUND", { ref: name }, { cause: thrown });
      throw thrown;
    }
  };
  const limited = async (wait: number, signal: AbortSignal | undefined): Promise<void> => {
    if (options.clock === undefined) {
      throw new ReviewloopError("GITHUB_RATE_LIMITED", { until: new Date(world.state.clock.now() + wait).toISOString() });
    }
    await options.clock.sleep(wait, signal);
  };
  /** One read request: retried as the adapter does after a 502, and after a limit. */
  const reading = async (what: string, signal: AbortSignal | undefined): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      throwIfAborted(signal);
      requests += 1;
      const fate = world.faults.nextRead();
      if (fate.fate === "normal") return;
      if (fate.fate === "primary-rate-limit") await limited(fate.resetAfter, signal);
      else if (attempt > 5) throw new ReviewloopError("GITHUB_UNAVAILABLE", { what, problem: "HTTP 502" });
      else if (options.clock !== undefined) await options.clock.sleep(1000 * 2 ** (attempt - 1), signal);
    }
  };
  const complete = (fields: readonly Parameters<World["faults"]["broken"]>[1][]): void => {
    for (const field of fields) {
      for (const kind of ["null-connection", "null-node"] as const) {
        if (world.faults.broken(kind, field))
          throw new ReviewloopError("READ_INCOMPLETE", {
            what: field,
            problem: kind === "null-node" ? "an item is null" : "the connection is null",
          });
      }
    }
  };

  return {
    can,
    get cost() {
      return { requests, points: requests };
    },
    async viewer() {
      await reading("viewer", undefined);
      return viewerOf(world, session);
    },
    async read(ref, signal) {
      const record = recordOf(ref);
      await reading("the pull request", signal);
      complete(["reviewThreads", "threadComments", "reviews", "comments", "reviewRequests", "contexts", "reactions"]);
      if (world.state.shownThreads(record) !== record.threads)
        throw new ReviewloopError("READ_INCOMPLETE", { what: "reviewThreads", problem: "a thread belongs to another pull request" });
      return snapshotOf(world, session, record);
    },
    async pulse(ref, signal) {
      const record = recordOf(ref);
      await reading("the pulse", signal);
      return pulseOf(snapshotOf(world, session, record));
    },
    async recent(repository, signal) {
      await reading("recent pull requests", signal);
      const record = world.repository(`${repository.owner}/${repository.name}`);
      const newest = [...record.pullRequests.values()].toSorted((a, b) => b.updatedAt - a.updatedAt || b.number - a.number).slice(0, 20);
      const seen = new Map<string, Author>();
      for (const author of newest.flatMap((each) => takingPart(world, each))) {
        const key = `${author.kind}:${author.login}`;
        const known = seen.get(key);
        if (known === undefined || known.association === "NONE") seen.set(key, author);
      }
      return [...seen.values()];
    },
    async pullRequestOf(repository, branch, signal) {
      await reading(`the pull request of ${branch}`, signal);
      const record = world.repository(`${repository.owner}/${repository.name}`);
      const open = [...record.pullRequests.values()].filter((each) => each.head.branch === branch && each.state === "open");
      return open.toSorted((a, b) => b.createdAt - a.createdAt || b.number - a.number)[0]?.number;
    },
    async checksAt(repository, sha, signal) {
      await reading(`the checks of ${sha}`, signal);
      return checksAt(world, `${repository.owner}/${repository.name}`, sha);
    },
    async fileAt(repository, sha, path, signal) {
      await reading(path, signal);
      return world.git.fileAt(`${repository.owner}/${repository.name}`, sha, path);
    },
    async write(writes, on: PullRequest, signal) {
      const first = writes[0];
      if (first === undefined) return [];
      if (writes.some((write) => write.kind !== first.kind)) throw new Error("All writes of one call are of one kind.");
      const refuse = (detail: string): readonly WriteResult[] => writes.map(() => ({ state: "refused", code: "unsupported", detail }));
      if (!can.has(first.kind)) return refuse(`there is no ${first.kind} here`);
      if (on.ref.host !== world.host) return refuse(`${on.url} is not on ${world.host}`);
      const sent = (): void => {
        requests += 1;
      };
      const context: WriteContext = { world, session, record: recordOf(on.ref), on, clock: options.clock, signal, sent };
      if (isSetting(first)) return setStates(context, writes.filter(isSetting));
      const results: WriteResult[] = [];
      for (const write of writes) results.push(await (isAsking(write) ? askOne(context, write) : addOne(context, write as Adds)));
      return results;
    },
  };
};
