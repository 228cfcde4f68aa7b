/** Everything the world holds, and the one place where an event is written. No rule lives here. */
import type { Association, Instant, Sha } from "../../core/index.js";
import { wholeSecond, type WorldClock } from "./clock.js";
import { MESSAGES, WorldError } from "./errors.js";
import type { WorldEvent, WorldEventType, WorldEvents } from "./events.js";
import { Faults } from "./faults.js";
import { counters, nodeId, type CounterName, type Counters } from "./ids.js";
import type {
  AccountRecord,
  Acting,
  CheckRecord,
  IssueCommentRecord,
  Node,
  Permission,
  PullRequestRecord,
  RepositoryRecord,
  RequestRecord,
  ReviewCommentRecord,
  ReviewRecord,
  Session,
  StatusRecord,
  ThreadRecord,
  TimelineRecord,
} from "./records.js";
import type { Repositories, RepositoryName } from "./repositories.js";

const ALL = { contents: "write", pullRequests: "write", issues: "write", checks: "write", statuses: "write", actions: "write" } as const;

type NodeValue<T extends Node["type"]> = { [K in Node["type"]]: Extract<Node, { type: K }>["value"] }[T];

/** What an older server would have numbered it, and no other one. */
export const smallNumber = (databaseId: number): number => databaseId % 1_000_000_000;

/** A record, or its node id. */
export type Ref<R extends { readonly id: string }> = string | R;

export class State {
  readonly clock: WorldClock;
  readonly git: Repositories;
  readonly host: string;
  readonly counters: Counters = counters();
  readonly accounts = new Map<string, AccountRecord>();
  readonly sessions = new Map<string, Session>();
  readonly repositories = new Map<RepositoryName, RepositoryRecord>();
  readonly nodes = new Map<string, Node>();
  readonly checks = new Map<string, CheckRecord[]>();
  readonly statuses = new Map<string, StatusRecord[]>();
  readonly log: WorldEvent[] = [];
  readonly faults = new Faults();
  /** The one that the fault `foreign-thread` shows among those of other pull requests. */
  foreignThread: ThreadRecord | undefined;
  /** Events of the action under way, told to listeners once it is over. */
  readonly #untold: WorldEvent[] = [];
  #telling = false;
  readonly #listeners = new Set<(event: WorldEvent) => void>();
  #depth = 0;
  #action = 0;

  constructor(options: { readonly clock: WorldClock; readonly repositories: Repositories; readonly host: string }) {
    this.clock = options.clock;
    this.git = options.repositories;
    this.host = options.host;
  }

  now(): Instant {
    return wholeSecond(this.clock.now());
  }

  /** One action: all of it, then its events are told. An action that throws tells what it had done by then (nothing, as rules come first). */
  act<T>(body: () => T): T {
    if (this.#depth === 0) this.#action += 1;
    this.#depth += 1;
    try {
      return body();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#tell();
    }
  }

  /** In order: what listeners cause by acting at once is told after what is being told. */
  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let event = this.#untold.shift(); event !== undefined; event = this.#untold.shift()) {
        for (const listener of this.#listeners) listener(event);
      }
    } finally {
      this.#telling = false;
    }
  }

  listen(listener: (event: WorldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit<T extends WorldEventType>(type: T, actor: string, payload: WorldEvents[T]): void {
    const stamp = { sequence: this.log.length + 1, at: this.now(), actor, action: this.#action, type };
    const event = { ...stamp, ...payload } as unknown as WorldEvent;
    this.log.push(event);
    this.#untold.push(event);
  }

  /** Number and node id for a new thing of a repository. */
  mint(prefix: string, counter: CounterName, repository: RepositoryRecord): { readonly id: string; readonly databaseId: number } {
    const next = this.counters.next(counter);
    // A server of one's own has not come as far as github.com: its numbers fit into 32 bits.
    const databaseId = this.faults.on("older-server") ? smallNumber(next) : next;
    return { id: nodeId(prefix, repository.databaseId, databaseId), databaseId };
  }

  account(login: string): AccountRecord {
    const found = this.accounts.get(login);
    if (found === undefined) throw new Error(`The world has no account "${login}": add it first.`);
    return found;
  }

  session(acting: Acting): Session {
    if (typeof acting !== "string") return acting;
    const account = this.account(acting);
    return { login: acting, grant: { token: account.kind === "bot" ? "app" : "classic", permissions: ALL } };
  }

  repository(name: string): RepositoryRecord {
    const found = this.repositories.get(name as RepositoryName);
    if (found === undefined) throw new WorldError("NOT_FOUND", `Could not resolve to a Repository with the name '${name}'.`);
    return found;
  }

  #node<T extends Node["type"]>(type: T, ref: string | { readonly id: string }): NodeValue<T> {
    const id = typeof ref === "string" ? ref : ref.id;
    const found = this.nodes.get(id);
    if (found === undefined || found.type !== type) throw new WorldError("NOT_FOUND", MESSAGES.noNode(id));
    return found.value as NodeValue<T>;
  }
  pullRequest(ref: Ref<PullRequestRecord>): PullRequestRecord {
    return this.#node("pull-request", ref);
  }
  thread(ref: Ref<ThreadRecord>): ThreadRecord {
    return this.#node("thread", ref);
  }
  review(ref: Ref<ReviewRecord>): ReviewRecord {
    return this.#node("review", ref);
  }
  reviewComment(ref: Ref<ReviewCommentRecord>): ReviewCommentRecord {
    return this.#node("review-comment", ref);
  }
  check(ref: Ref<CheckRecord>): CheckRecord {
    return this.#node("check", ref);
  }
  /** What has a body that can be edited or hidden. */
  posted(ref: string | { readonly id: string }): IssueCommentRecord | ReviewCommentRecord | ReviewRecord {
    const id = typeof ref === "string" ? ref : ref.id;
    const found = this.nodes.get(id);
    if (found?.type === "issue-comment" || found?.type === "review-comment" || found?.type === "review") return found.value;
    throw new WorldError("NOT_FOUND", MESSAGES.noNode(id));
  }
  pullRequestOf(posted: IssueCommentRecord | ReviewCommentRecord | ReviewRecord): PullRequestRecord {
    return this.pullRequest(posted.kind === "review-comment" ? this.thread(posted.thread).pullRequest : posted.pullRequest);
  }
  repositoryOf(pullRequest: PullRequestRecord): RepositoryRecord {
    return this.repository(pullRequest.repository);
  }

  /** What an account may do in a repository by its role; an app has none and goes by its permissions. */
  roleOf(repository: RepositoryRecord, login: string): Permission {
    if (repository.owner === login) return "admin";
    const given = repository.access.get(login);
    if (given !== undefined) return given;
    return repository.private ? "none" : "read";
  }

  associationOf(repository: RepositoryRecord, login: string): Association {
    const given = repository.associations.get(login);
    if (given !== undefined) return given;
    if (repository.owner === login) return "OWNER";
    if (this.accounts.get(repository.owner)?.members.has(login) === true) return "MEMBER";
    if (repository.access.has(login)) return "COLLABORATOR";
    return "NONE";
  }

  /** Its threads as lists show them. */
  shownThreads(pullRequest: PullRequestRecord): readonly ThreadRecord[] {
    const foreign = this.faults.on("foreign-thread") ? this.foreignThread : undefined;
    return foreign === undefined || foreign.pullRequest === pullRequest.id ? pullRequest.threads : [...pullRequest.threads, foreign];
  }
  /** Who is asked, as lists show it. */
  shownRequests(pullRequest: PullRequestRecord): readonly RequestRecord[] {
    return pullRequest.requests.filter((request) => !this.faults.concerns("request-hidden", request.login));
  }

  checksOf(repository: string, head: Sha): readonly CheckRecord[] {
    return this.checks.get(`${repository} ${head}`) ?? [];
  }
  /** All statuses ever set on it, oldest first. */
  statusesOf(repository: string, head: Sha): readonly StatusRecord[] {
    return this.statuses.get(`${repository} ${head}`) ?? [];
  }

  timeline(
    pullRequest: PullRequestRecord,
    kind: TimelineRecord["kind"],
    actor: string,
    more: Pick<TimelineRecord, "subject" | "before" | "after"> = {},
  ): void {
    const ids = this.mint("TLE", "event", this.repositoryOf(pullRequest));
    pullRequest.timeline.push({ ...ids, kind, at: this.now(), actor, ...more });
  }

  touch(pullRequest: PullRequestRecord): void {
    pullRequest.updatedAt = this.now();
  }
}
