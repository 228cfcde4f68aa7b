/** What a push does to a repository and to the pull requests on it. */
import type { Sha } from "../../core/index.js";
import { movedRange } from "./diff.js";
import type { Acting, PullRequestRecord, RepositoryRecord, ThreadRecord } from "./records.js";
import type { RepositoryName } from "./repositories.js";
import { enforce, refusePush } from "./rules.js";
import type { Ref, State } from "./state.js";
import { MESSAGES, WorldError } from "./errors.js";

/** May it push? Throws otherwise. The git server asks before it lets a push in. */
export const mayPush = (state: State, acting: Acting, repository: string, branch: string): void => {
  enforce(refusePush(state, state.session(acting), state.repository(repository), branch));
};

/** Moves a branch by compare-and-swap and lets the world react. False = another tip stands there; nothing changed. */
export const push = (
  state: State,
  acting: Acting,
  input: {
    readonly repository: RepositoryName;
    readonly branch: string;
    readonly expected: Sha | undefined;
    readonly to: Sha;
    readonly force?: boolean;
  },
): boolean => {
  const session = state.session(acting);
  const repository = state.repository(input.repository);
  enforce(refusePush(state, session, repository, input.branch));
  if (input.force !== true && input.expected !== undefined && !contains(state, repository, input.to, input.expected)) {
    throw new WorldError("UNPROCESSABLE", "Updates were rejected because the tip of your current branch is behind (non-fast-forward)");
  }
  if (!state.git.move(input.repository, input.branch, input.expected, input.to)) return false;
  branchMoved(state, session.login, repository, input.branch, input.expected, input.to);
  return true;
};

const contains = (state: State, repository: RepositoryRecord, descendant: Sha, ancestor: Sha): boolean =>
  state.git.mergeBase(repository.fullName, ancestor, descendant) === ancestor;

/** Commits files on top of a branch (made from the default branch's tip where it is new) and pushes. Returns the new head. */
export const commitAndPush = (
  state: State,
  acting: Acting,
  input: {
    readonly repository: RepositoryName;
    readonly branch: string;
    readonly files: Readonly<Record<string, string | null>>;
    readonly message: string;
    /** Replaces the branch by this commit on top of another one: a force push. */
    readonly onto?: Sha;
  },
): Sha => {
  const repository = state.repository(input.repository);
  const before = state.git.head(input.repository, input.branch);
  const parent = input.onto ?? before ?? state.git.head(input.repository, repository.defaultBranch);
  const session = state.session(acting);
  const author = { name: session.login, email: `${session.login}@example.invalid` };
  const to = state.git.write(input.repository, parent, input.files, input.message, state.now(), author);
  push(state, session, { repository: input.repository, branch: input.branch, expected: before, to, force: input.onto !== undefined });
  return to;
};

/**
 * A branch stands elsewhere now (the move itself is done): new heads and bases of pull requests, outdated threads, dismissed approvals, events.
 * The git server calls it after a push it has let in.
 */
export const branchMoved = (
  state: State,
  actor: string,
  repository: RepositoryRecord,
  branch: string,
  before: Sha | undefined,
  after: Sha | undefined,
): void => {
  if (before === after) return;
  if (after === undefined) {
    branchDeleted(state, actor, repository, branch);
    return;
  }
  const forced = before !== undefined && !contains(state, repository, after, before);
  const event = { repository, branch, before, after, forced };
  let told = false;
  for (const base of state.repositories.values()) {
    for (const pullRequest of base.pullRequests.values()) {
      if (pullRequest.state !== "open") continue;
      if (base === repository && pullRequest.base.branch === branch) {
        pullRequest.base = { branch, sha: after };
        pullRequest.mergeReads = 0;
      }
      if (pullRequest.head.repository === repository.fullName && pullRequest.head.branch === branch) {
        const outdated = headMoved(state, pullRequest, after);
        if (forced) state.timeline(pullRequest, "force-pushed", actor, { ...(before === undefined ? {} : { before }), after });
        dismissStale(state, pullRequest, actor);
        state.touch(pullRequest);
        state.emit("pushed", actor, { ...event, pullRequest, outdated });
        told = true;
      }
    }
  }
  if (!told) state.emit("pushed", actor, { ...event, outdated: [] });
};

/** Pull requests whose head branch is gone are closed. */
const branchDeleted = (state: State, actor: string, repository: RepositoryRecord, branch: string): void => {
  for (const base of state.repositories.values()) {
    for (const pullRequest of base.pullRequests.values()) {
      const { head } = pullRequest;
      if (pullRequest.state !== "open" || head.repository !== repository.fullName || head.branch !== branch) continue;
      pullRequest.state = "closed";
      pullRequest.closedAt = state.now();
      state.timeline(pullRequest, "closed", actor);
      state.touch(pullRequest);
      state.emit("closed", actor, { pullRequest });
    }
  }
};

/** After a reopen the head is the branch's tip again. */
export const catchUp = (state: State, pullRequest: PullRequestRecord): void => {
  const { repository, branch, sha } = pullRequest.head;
  const tip = repository === null ? undefined : state.git.head(repository, branch);
  if (tip !== undefined && tip !== sha) headMoved(state, pullRequest, tip);
  const base = state.git.head(pullRequest.repository, pullRequest.base.branch);
  if (base !== undefined) pullRequest.base = { ...pullRequest.base, sha: base };
};

const headMoved = (state: State, pullRequest: PullRequestRecord, after: Sha): readonly string[] => {
  pullRequest.head = { ...pullRequest.head, sha: after };
  pullRequest.mergeReads = 0;
  // GitHub takes a pull request out of the queue when its head moves.
  pullRequest.inMergeQueue = false;
  return pullRequest.threads.filter((thread) => replace(state, pullRequest, thread)).map((thread) => thread.id);
};

/** Finds the thread's lines in the new head; true where it became outdated by it. */
const replace = (state: State, pullRequest: PullRequestRecord, thread: ThreadRecord): boolean => {
  const was = thread.outdated;
  if (thread.subject === "file") {
    thread.outdated = thread.side === "RIGHT" && state.git.fileAt(pullRequest.repository, pullRequest.head.sha, thread.path) === undefined;
    return thread.outdated && !was;
  }
  const place = placeNow(state, pullRequest, thread);
  thread.outdated = place === undefined;
  thread.line = place?.[1] ?? null;
  thread.startLine = place === undefined || thread.originalStartLine === null ? null : place[0];
  return thread.outdated && !was;
};

const placeNow = (state: State, pullRequest: PullRequestRecord, thread: ThreadRecord): readonly [number, number] | undefined => {
  const line = thread.originalLine;
  if (line === null) return undefined;
  const { repository } = pullRequest;
  const from = thread.side === "LEFT" ? baseOf(state, pullRequest, thread.originalCommit) : thread.originalCommit;
  const to = thread.side === "LEFT" ? baseOf(state, pullRequest, pullRequest.head.sha) : pullRequest.head.sha;
  const before = from === undefined ? undefined : state.git.fileAt(repository, from, thread.path);
  const after = to === undefined ? undefined : state.git.fileAt(repository, to, thread.path);
  if (before === undefined || after === undefined) return undefined;
  return movedRange(before, after, thread.originalStartLine ?? line, line);
};

const baseOf = (state: State, pullRequest: PullRequestRecord, head: Sha): Sha | undefined =>
  state.git.mergeBase(pullRequest.repository, pullRequest.base.sha, head);

const dismissStale = (state: State, pullRequest: PullRequestRecord, actor: string): void => {
  if (state.repositoryOf(pullRequest).protections.get(pullRequest.base.branch)?.dismissStaleReviews !== true) return;
  for (const review of pullRequest.reviews) {
    if (review.state !== "APPROVED") continue;
    review.state = "DISMISSED";
    review.updatedAt = state.now();
    state.timeline(pullRequest, "review-dismissed", actor, { subject: review.author });
    state.emit("dismissed", actor, { pullRequest, review });
  }
};

/** The fork goes away: the head's name and commit stay, its repository is null. */
export const deleteFork = (state: State, name: RepositoryName): void => {
  state.repositories.delete(name);
  for (const repository of state.repositories.values()) {
    for (const pullRequest of repository.pullRequests.values()) {
      if (pullRequest.head.repository === name) pullRequest.head = { ...pullRequest.head, repository: null };
    }
  }
};

/** "Update branch": the base's tip merged into the head. */
export const updateBranch = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, expected?: Sha): Sha => {
  const pullRequest = state.pullRequest(ref);
  const { repository, branch, sha } = pullRequest.head;
  if (repository === null) throw new WorldError("UNPROCESSABLE", "Head repository was deleted");
  mayPush(state, acting, repository, branch);
  if (expected !== undefined && expected !== sha) throw new WorldError("UNPROCESSABLE", "expected head sha didn't match current head ref.");
  if (state.git.commitsBetween(pullRequest.repository, sha, pullRequest.base.sha).length === 0) {
    throw new WorldError("UNPROCESSABLE", "There are no new commits on the base branch.");
  }
  if (state.git.conflicts(pullRequest.repository, sha, pullRequest.base.sha).length > 0)
    throw new WorldError("UNPROCESSABLE", "merge conflict between base and head");
  const to = state.git.merge(
    pullRequest.repository,
    sha,
    pullRequest.base.sha,
    `Merge branch '${pullRequest.base.branch}' into ${branch}`,
    state.now(),
  );
  const session = state.session(acting);
  const move = (): boolean => push(state, session, { repository, branch, expected: sha, to });
  const late = state.faults.get("late-branch-update");
  if (late !== undefined) {
    // Somebody else's push in between keeps it from being done, and nobody is told.
    state.clock.after(late.milliseconds, () => void state.act(move));
    return sha;
  }
  if (!move()) throw new WorldError("CONFLICT", MESSAGES.headMoved);
  return to;
};
