/** The port `forge` over a world, without HTTP. Refusals, lost answers and limits come as the adapter for GitHub gives them. */
import {
  ReviewloopError,
  type Author,
  type Clock,
  type Forge,
  type ForgeWrite,
  type PullRequest,
  type PullRequestRef,
  type RefusalCode,
  type WriteKind,
  type WriteResult,
} from "../../core/index.js";
import { postUrl, pullRequestUrl, issueUrl } from "../world/addresses.js";
import { WorldError } from "../world/errors.js";
import type { Acting, PullRequestRecord, Session } from "../world/records.js";
import type { World } from "../world/world.js";
import { authorOf, normalised, pulseOf, snapshotOf, viewerOf } from "./snapshot.js";

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
/** Sent as aliases of one request. */
const BATCHED: ReadonlySet<WriteKind> = new Set<WriteKind>(["resolve", "minimise"]);

export interface MemoryForgeOptions {
  /** Waits for a rate limit are slept on it; without one a limit ends in `GITHUB_RATE_LIMITED` at once. */
  readonly clock?: Clock;
  /** Which writes this forge has; all unless given. */
  readonly can?: readonly WriteKind[];
}

const LIMIT_WAIT = 60_000;

const CODES: Readonly<Record<WorldError["type"], RefusalCode>> = {
  FORBIDDEN: "forbidden",
  NOT_FOUND: "not-found",
  LOCKED: "locked",
  UNPROCESSABLE: "invalid",
  VALIDATION: "invalid",
  CONFLICT: "stale",
  GONE: "not-found",
  UNAUTHORIZED: "forbidden",
};

const refusal = (error: WorldError): WriteResult => ({
  state: "refused",
  code: /pending review/i.test(error.message) ? "pending-review" : /archived/.test(error.message) ? "locked" : CODES[error.type],
  detail: error.message,
});

const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
};

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

  const carryOut = (write: ForgeWrite, record: PullRequestRecord, position: number): WriteResult => {
    const state = world.state;
    const done = (posted: Parameters<typeof postUrl>[1]): WriteResult => ({ state: "done", id: posted.id, url: postUrl(state, posted) });
    const mine = <T extends { readonly pullRequest: string }>(node: T): T => {
      if (node.pullRequest !== record.id) throw new WorldError("NOT_FOUND", "It is not on this pull request.");
      return node;
    };
    const failing = BATCHED.has(write.kind) ? world.faults.alias(position) : undefined;
    if (failing !== undefined)
      throw new WorldError(failing, failing === "FORBIDDEN" ? "Resource not accessible by integration" : "Could not resolve to a node");
    switch (write.kind) {
      case "reply": {
        const root = mine(state.thread(write.thread)).comments.find((comment) => String(comment.databaseId) === write.rootComment);
        if (root === undefined) throw new WorldError("NOT_FOUND", "Not Found");
        return done(world.replyToComment(session, root, write.body));
      }
      case "comment":
        return done(world.comment(session, record, write.body));
      case "edit-comment": {
        const subject = mine(state.posted(write.comment) as { readonly pullRequest: string; readonly id: string });
        world.editComment(session, subject, write.body);
        return done(state.posted(subject.id));
      }
      case "edit-description":
        if (record.body !== write.was) return { state: "refused", code: "stale", detail: "the description was changed since it was read" };
        world.editDescription(session, record, write.body);
        return { state: "done", id: record.id, url: pullRequestUrl(state, record) };
      case "resolve": {
        const thread = world.resolve(session, mine(state.thread(write.thread)));
        return thread.resolved
          ? { state: "done", id: thread.id }
          : { state: "dropped", detail: "GitHub answered, and the thread is still open" };
      }
      case "minimise": {
        const subject = state.posted(write.comment);
        if (state.pullRequestOf(subject) !== record) throw new WorldError("NOT_FOUND", "It is not on this pull request.");
        world.minimise(session, subject, write.classifier);
        return done(subject);
      }
      case "review":
        return done(
          world.review(session, record, {
            state: "COMMENTED",
            body: write.body,
            comments: write.comments,
            ...(write.preconditions.head === undefined ? {} : { commit: write.preconditions.head }),
          }),
        );
      case "request":
        if (write.by === "comment") return done(world.comment(session, record, write.body));
        return requested(write.login, record);
      case "cancel-request":
        world.removeRequest(
          session,
          record,
          ...record.requests.filter((request) => normalised(request.login) === write.login).map((request) => request.login),
        );
        return { state: "done" };
      case "mark-ready":
        world.markReady(session, record);
        return { state: "done", id: record.id };
      case "mark-draft":
        world.markDraft(session, record);
        return { state: "done", id: record.id };
      case "open-issue": {
        const issue = world.openIssue(session, record.repository, write);
        return { state: "done", id: issue.id, url: issueUrl(state, world.repository(record.repository), issue) };
      }
      case "open-pull-request": {
        const opened = world.openPullRequest(session, {
          repository: record.repository,
          head: write.branch,
          base: write.base,
          title: write.title,
          body: write.body,
          draft: true,
        });
        return { state: "done", id: opened.id, url: pullRequestUrl(state, opened) };
      }
    }
  };
  /** Proven registered, or reported as dropped. */
  const requested = (login: string, record: PullRequestRecord): WriteResult => {
    const known = [...world.accounts.keys()].find((each) => normalised(each) === login) ?? login;
    world.requestReview(session, record, known);
    return record.requests.some((request) => request.login === known)
      ? { state: "done" }
      : { state: "dropped", detail: `the request for ${login} was answered with success, and it is not on the list` };
  };
  const attempt = (write: ForgeWrite, record: PullRequestRecord, position: number): WriteResult => {
    try {
      return carryOut(write, record, position);
    } catch (thrown) {
      if (thrown instanceof WorldError) return refusal(thrown);
      throw thrown;
    }
  };

  const lost = (what: string, problem: string): ReviewloopError => new ReviewloopError("GITHUB_UNAVAILABLE", { what, problem });

  /** One request that carries one write, or a batch. */
  const sending = async (
    writes: readonly ForgeWrite[],
    record: PullRequestRecord,
    signal: AbortSignal | undefined,
  ): Promise<readonly WriteResult[]> => {
    const what = writes[0]?.kind ?? "write";
    for (;;) {
      throwIfAborted(signal);
      requests += 1;
      const fate = world.faults.nextWrite();
      if (fate.fate === "secondary-rate-limit") {
        await limited((fate.retryAfter ?? LIMIT_WAIT / 1000) * 1000, signal);
        continue;
      }
      if (fate.fate === "bad-gateway-before") throw lost(what, "HTTP 502");
      const results = writes.map((write, index) => attempt(write, record, index + 1));
      if (fate.fate === "bad-gateway-after") throw lost(what, "HTTP 502");
      if (fate.fate === "lost-answer") throw lost(what, "the connection was closed before the answer");
      return results;
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
      complete(["reviewThreads", "threadComments", "reviews", "comments", "reviewRequests", "contexts"]);
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
      for (const each of newest) {
        const logins = [
          ...each.comments.map((comment) => comment.author),
          ...each.reviews.filter((review) => review.state !== "PENDING").map((review) => review.author),
          ...each.requests.filter((request) => request.kind !== "team").map((request) => request.login),
          ...world.checksOf(each.repository, each.head.sha).map((check) => check.app),
        ];
        for (const login of logins) {
          const author = authorOf(world.state, each, login);
          if (!seen.has(author.login)) seen.set(author.login, author);
        }
      }
      return [...seen.values()];
    },
    async pullRequestOf(repository, branch, signal) {
      await reading(`the pull request of ${branch}`, signal);
      const record = world.repository(`${repository.owner}/${repository.name}`);
      const open = [...record.pullRequests.values()].filter((each) => each.head.branch === branch && each.state === "OPEN");
      return open.toSorted((a, b) => b.number - a.number)[0]?.number;
    },
    async write(writes, on: PullRequest, signal) {
      const record = recordOf(on.ref);
      const first = writes[0];
      if (first === undefined) return [];
      if (writes.some((write) => write.kind !== first.kind)) throw new Error("All writes of one call are of one kind.");
      if (!can.has(first.kind))
        return writes.map((write) => ({ state: "refused", code: "unsupported", detail: `there is no ${write.kind} here` }));
      if (BATCHED.has(first.kind)) return sending(writes, record, signal);
      const results: WriteResult[] = [];
      for (const write of writes) results.push(...(await sending([write], record, signal)));
      return results;
    },
  };
};
