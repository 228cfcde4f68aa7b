/**
 * A GitHub without HTTP: state, rules, events, faults.
 *
 * ```ts
 * const world = createWorld({ clock });
 * world.addUser("ada");  world.addBot("greptile-apps");
 * world.addRepository("ada/shop", { files: { "src/a.ts": "one\ntwo\n" } });
 * world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": "one\n2\n" }, message: "Two" });
 * const pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Two" });
 * world.on("pushed", (event) => world.after(30_000, () => world.review("greptile-apps", pullRequest, { state: "COMMENTED", body: "..." })));
 * ```
 *
 * **Who acts.** The first argument of every action: a login (a person with a classic token; a bot as an app with every permission), or a
 * `Session` from `world.sessionOf(token)` whose grant may be smaller. Logins are bare: `greptile-apps`, never `greptile-apps[bot]`.
 *
 * **What on.** A record or its node id. Records are live: read them freely, change them only through actions.
 *
 * **Refusals.** An action that GitHub would refuse throws `WorldError {type, message}` and has changed nothing.
 *
 * **Events.** `world.on(type, listener)` and `world.subscribe(listener)`; told in order after the outermost action is over. A scripted actor reacts
 * with `world.after(milliseconds, act)`, never at once, as a real one needs time. `world.log` has every event, append-only.
 *
 * **Reading.** `pullRequest(repository, number)`, `node(id)`, `accounts`, `repositories`, `checksOf(repository, sha)`, `statusesOf(...)`,
 * `mergeView(pullRequest)` (counts as a read for the fault `merge-state-unknown`), `rules` (who may what), `git` (commits).
 *
 * **Faults.** `world.faults.set("lost-answer", { writes: [2] })`. The world itself obeys those that change what is there (`mischief.ts`), what an
 * action does, and the merge state; who serves requests asks `faults.nextWrite()`, `nextRead()`, `alias(k)`, `broken(...)`, `get("page-size")`;
 * scripted reviewers ask `faults.reviewer(login)`; who serves checks asks `noChecksYet(pullRequest)`, who serves lists `shownThreads` and `shownRequests`.
 *
 * **A git server** calls `mayPush(session, repository, branch)` before it lets a push in and `branchMoved(login, repository, branch, before, after)` once the branch
 * was moved by it.
 */
import type { Association, Instant, Sha } from "../../core/index.js";
import * as accounts from "./accounts.js";
import * as checks from "./checks.js";
import type { WorldClock } from "./clock.js";
import * as conversation from "./conversation.js";
import { MESSAGES, WorldError } from "./errors.js";
import type { WorldEvent, WorldEventOf, WorldEventType } from "./events.js";
import type { Faults } from "./faults.js";
import { memoryRepositories } from "./memory-repositories.js";
import { readMergeView, settledMergeView, type MergeView, type Surface } from "./merge-state.js";
import { attachMischief } from "./mischief.js";
import * as pullRequests from "./pull-requests.js";
import * as pushes from "./pushes.js";
import type {
  AccountRecord,
  Acting,
  CheckRecord,
  Grant,
  IssueCommentRecord,
  IssueRecord,
  Node,
  Permission,
  Protection,
  PullRequestRecord,
  Reaction,
  RepositoryRecord,
  ReviewCommentRecord,
  ReviewRecord,
  Session,
  StatusRecord,
  ThreadRecord,
} from "./records.js";
import type { Repositories, RepositoryName } from "./repositories.js";
import * as reviews from "./reviews.js";
import { State, type Ref } from "./state.js";

export interface WorldOptions {
  readonly clock: WorldClock;
  /** In memory unless given. */
  readonly repositories?: Repositories;
  /** Host in web addresses; `github.com` unless given. */
  readonly host?: string;
}

export class World {
  /** For the surfaces (servers, in-memory ports): everything, and the rules in `rules.ts` take it. */
  readonly state: State;

  constructor(options: WorldOptions) {
    this.state = new State({
      clock: options.clock,
      repositories: options.repositories ?? memoryRepositories(),
      host: options.host ?? "github.com",
    });
    attachMischief(this);
  }

  // ---------------------------------------------------------------- time, events, faults

  get host(): string {
    return this.state.host;
  }
  get git(): Repositories {
    return this.state.git;
  }
  get faults(): Faults {
    return this.state.faults;
  }
  /** Append-only: all that changed. */
  get log(): readonly WorldEvent[] {
    return this.state.log;
  }
  now(): Instant {
    return this.state.now();
  }
  after(milliseconds: number, act: () => void): () => void {
    return this.state.clock.after(milliseconds, act);
  }
  on<T extends WorldEventType>(type: T, listener: (event: WorldEventOf<T>) => void): () => void {
    return this.state.listen((event) => {
      if (event.type === type) listener(event as unknown as WorldEventOf<T>);
    });
  }
  subscribe(listener: (event: WorldEvent) => void): () => void {
    return this.state.listen(listener);
  }

  // ---------------------------------------------------------------- the scene

  addUser(login: string, input: Omit<accounts.AccountInput, "kind"> = {}): AccountRecord {
    return accounts.addAccount(this.state, login, { ...input, kind: "user" });
  }
  addBot(login: string, input: Omit<accounts.AccountInput, "kind"> = {}): AccountRecord {
    return accounts.addAccount(this.state, login, { ...input, kind: "bot" });
  }
  addOrganization(login: string, members: readonly string[] = []): AccountRecord {
    return accounts.addAccount(this.state, login, { kind: "organization", members });
  }
  deleteAccount(login: string): void {
    this.state.account(login).deleted = true;
  }
  addToken(token: string, login: string, grant?: Grant): Session {
    return accounts.addToken(this.state, token, login, grant);
  }
  /** Throws `UNAUTHORIZED` for a token it does not know. */
  sessionOf(token: string): Session {
    const found = this.state.sessions.get(token);
    if (found === undefined) throw new WorldError("UNAUTHORIZED", MESSAGES.badCredentials);
    return found;
  }
  addRepository(name: RepositoryName, input: accounts.RepositoryInput = {}): RepositoryRecord {
    return accounts.addRepository(this.state, name, input);
  }
  setAccess(repository: string, login: string, permission: Permission, association?: Association): void {
    accounts.setAccess(this.state, repository, login, permission, association);
  }
  protect(repository: string, branch: string, rules: Partial<Protection>): void {
    accounts.protect(this.state, repository, branch, rules);
  }
  archive(repository: string): void {
    this.state.repository(repository).archived = true;
  }
  deleteFork(name: RepositoryName): void {
    pushes.deleteFork(this.state, name);
  }

  // ---------------------------------------------------------------- reading

  get accounts(): ReadonlyMap<string, AccountRecord> {
    return this.state.accounts;
  }
  get repositories(): ReadonlyMap<string, RepositoryRecord> {
    return this.state.repositories;
  }
  repository(name: string): RepositoryRecord {
    return this.state.repository(name);
  }
  /** Throws `NOT_FOUND`. */
  pullRequest(repository: string, number: number): PullRequestRecord {
    const found = this.state.repository(repository).pullRequests.get(number);
    if (found === undefined) throw new WorldError("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
    return found;
  }
  node(id: string): Node | undefined {
    return this.state.nodes.get(id);
  }
  checksOf(repository: string, head: Sha): readonly CheckRecord[] {
    return this.state.checksOf(repository, head);
  }
  statusesOf(repository: string, head: Sha): readonly StatusRecord[] {
    return this.state.statusesOf(repository, head);
  }
  checkLog(check: Ref<CheckRecord>): string {
    return checks.logOf(this.state, check);
  }
  /** One read of the merge state: subject to, and counted by, the faults `merge-state-...`. */
  mergeView(pullRequest: Ref<PullRequestRecord>, surface: Surface = "graphql"): MergeView {
    return readMergeView(this.state, this.state.pullRequest(pullRequest), surface);
  }
  settledMergeView(pullRequest: Ref<PullRequestRecord>): MergeView {
    return settledMergeView(this.state, this.state.pullRequest(pullRequest));
  }
  /** With `run-needs-approval`: do the workflow runs of a fork's head wait for a maintainer? */
  heldRuns(pullRequest: Ref<PullRequestRecord>): boolean {
    const { head, repository } = this.state.pullRequest(pullRequest);
    return this.faults.on("run-needs-approval") && head.repository !== repository;
  }
  /** Do the faults `no-checks-yet` and `run-needs-approval` hide what stands on this head now? */
  noChecksYet(pullRequest: Ref<PullRequestRecord>): boolean {
    if (this.heldRuns(pullRequest)) return true;
    const options = this.faults.get("no-checks-yet");
    if (options === undefined) return false;
    const { id, head, createdAt } = this.state.pullRequest(pullRequest);
    const arrived =
      this.log.findLast((event) => event.type === "pushed" && event.pullRequest?.id === id && event.after === head.sha)?.at ?? createdAt;
    return this.state.clock.now() < arrived + options.milliseconds;
  }

  // ---------------------------------------------------------------- actions

  openPullRequest(as: Acting, input: pullRequests.PullRequestInput): PullRequestRecord {
    return this.state.act(() => pullRequests.openPullRequest(this.state, as, input));
  }
  openIssue(as: Acting, repository: string, input: { readonly title: string; readonly body: string }): IssueRecord {
    return this.state.act(() => pullRequests.openIssue(this.state, as, repository, input));
  }
  editDescription(as: Acting, on: Ref<PullRequestRecord>, body: string): void {
    this.state.act(() => pullRequests.editDescription(this.state, as, on, body));
  }
  editTitle(as: Acting, on: Ref<PullRequestRecord>, title: string): void {
    this.state.act(() => pullRequests.editTitle(this.state, as, on, title));
  }
  markReady(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setDraft(this.state, as, on, false));
  }
  markDraft(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setDraft(this.state, as, on, true));
  }
  requestReview(as: Acting, on: Ref<PullRequestRecord>, ...logins: readonly string[]): void {
    this.state.act(() => pullRequests.requestReview(this.state, as, on, logins));
  }
  /** The endpoint that Copilot has: `CONFLICT` while a review is pending. */
  requestBotReview(as: Acting, on: Ref<PullRequestRecord>, login: string): void {
    this.state.act(() => pullRequests.requestBotReview(this.state, as, on, login));
  }
  removeRequest(as: Acting, on: Ref<PullRequestRecord>, ...logins: readonly string[]): void {
    this.state.act(() => pullRequests.removeRequest(this.state, as, on, logins));
  }
  lock(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setLocked(this.state, as, on, true));
  }
  unlock(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setLocked(this.state, as, on, false));
  }
  close(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setClosed(this.state, as, on, true));
  }
  reopen(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setClosed(this.state, as, on, false));
  }
  merge(as: Acting, on: Ref<PullRequestRecord>, expected?: Sha): Sha {
    return this.state.act(() => pullRequests.mergePullRequest(this.state, as, on, expected));
  }
  enqueue(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setQueued(this.state, as, on, true));
  }
  dequeue(as: Acting, on: Ref<PullRequestRecord>): void {
    this.state.act(() => pullRequests.setQueued(this.state, as, on, false));
  }
  deploy(as: Acting, on: Ref<PullRequestRecord>, input: Parameters<typeof pullRequests.deploy>[3]): void {
    this.state.act(() => pullRequests.deploy(this.state, as, on, input));
  }

  comment(as: Acting, on: Ref<PullRequestRecord>, body: string): IssueCommentRecord {
    return this.state.act(() => conversation.comment(this.state, as, on, body));
  }
  /** Of a conversation comment, a comment of a thread or a review's body. */
  editComment(as: Acting, subject: string | { readonly id: string }, body: string): void {
    this.state.act(() => conversation.edit(this.state, as, subject, body));
  }
  deleteComment(as: Acting, subject: string | { readonly id: string }): void {
    this.state.act(() => conversation.deleteComment(this.state, as, subject));
  }
  minimise(as: Acting, subject: string | { readonly id: string }, classifier: conversation.Classifier): void {
    this.state.act(() => conversation.setMinimised(this.state, as, subject, classifier));
  }
  unminimise(as: Acting, subject: string | { readonly id: string }): void {
    this.state.act(() => conversation.setMinimised(this.state, as, subject, null));
  }
  react(as: Acting, subject: string | { readonly id: string }, content: Reaction): void {
    this.state.act(() => conversation.react(this.state, as, subject, content));
  }
  unreact(as: Acting, subject: string | { readonly id: string }, content: Reaction): void {
    this.state.act(() => conversation.unreact(this.state, as, subject, content));
  }

  review(as: Acting, on: Ref<PullRequestRecord>, input: reviews.ReviewInput): ReviewRecord {
    return this.state.act(() => reviews.review(this.state, as, on, input));
  }
  submitReview(as: Acting, review: Ref<ReviewRecord>, input: Omit<reviews.ReviewInput, "comments" | "commit">): ReviewRecord {
    return this.state.act(() => reviews.submitReview(this.state, as, review, input));
  }
  deletePendingReview(as: Acting, review: Ref<ReviewRecord>): void {
    this.state.act(() => reviews.deletePendingReview(this.state, as, review));
  }
  dismissReview(as: Acting, review: Ref<ReviewRecord>): void {
    this.state.act(() => reviews.dismissReview(this.state, as, review));
  }
  addThread(as: Acting, on: Ref<PullRequestRecord>, input: reviews.ThreadInput & { readonly commit?: Sha }): ThreadRecord {
    return this.state.act(() => reviews.addThread(this.state, as, on, input));
  }
  /** Through GraphQL: with the pending-review trap. */
  replyToThread(as: Acting, thread: Ref<ThreadRecord>, body: string): ReviewCommentRecord {
    return this.state.act(() => reviews.reply(this.state, as, { thread }, body, "graphql"));
  }
  /** Through REST: on the thread's root comment only; refused while one has a pending review. */
  replyToComment(as: Acting, comment: Ref<ReviewCommentRecord>, body: string): ReviewCommentRecord {
    return this.state.act(() => reviews.reply(this.state, as, { comment }, body, "rest"));
  }
  resolve(as: Acting, thread: Ref<ThreadRecord>): ThreadRecord {
    return this.state.act(() => reviews.setResolved(this.state, as, thread, true));
  }
  unresolve(as: Acting, thread: Ref<ThreadRecord>): ThreadRecord {
    return this.state.act(() => reviews.setResolved(this.state, as, thread, false));
  }

  /** A new run beside older ones of the same name. */
  createCheck(as: Acting, input: checks.CheckInput): CheckRecord {
    return this.state.act(() => checks.createCheck(this.state, as, input));
  }
  updateCheck(as: Acting, check: Ref<CheckRecord>, input: Parameters<typeof checks.updateCheck>[3]): CheckRecord {
    return this.state.act(() => checks.updateCheck(this.state, as, typeof check === "string" ? check : check.id, input));
  }
  /** The app's running run of that name goes on, or a new one is made. */
  setCheck(as: Acting, input: checks.CheckInput): CheckRecord {
    return this.state.act(() => checks.setCheck(this.state, as, input));
  }
  setStatus(as: Acting, input: checks.StatusInput): StatusRecord {
    return this.state.act(() => checks.setStatus(this.state, as, input));
  }

  /** Compare-and-swap of a branch whose new commit the store has already. False = another tip stands there. */
  push(as: Acting, input: Parameters<typeof pushes.push>[2]): boolean {
    return this.state.act(() => pushes.push(this.state, as, input));
  }
  /** Commits files on top of the branch (new: on top of the default branch) and pushes; returns the new head. */
  commitAndPush(as: Acting, input: Parameters<typeof pushes.commitAndPush>[2]): Sha {
    return this.state.act(() => pushes.commitAndPush(this.state, as, input));
  }
  updateBranch(as: Acting, on: Ref<PullRequestRecord>, expected?: Sha): Sha {
    return this.state.act(() => pushes.updateBranch(this.state, as, on, expected));
  }
  /** For a git server: throws where the session may not push there. */
  mayPush(as: Acting, repository: string, branch: string): void {
    pushes.mayPush(this.state, as, repository, branch);
  }
  /** For a git server: a push that it let in has moved this branch (`after` undefined: deleted it). */
  branchMoved(actor: string, repository: string, branch: string, before: Sha | undefined, after: Sha | undefined): void {
    this.state.act(() => pushes.branchMoved(this.state, actor, this.state.repository(repository), branch, before, after));
  }
}

export const createWorld = (options: WorldOptions): World => new World(options);
