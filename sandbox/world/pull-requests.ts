/** Actions on a pull request as a whole. */
import type { Sha } from "../../core/index.js";
import { MESSAGES, WorldError } from "./errors.js";
import { settledMergeView } from "./merge-state.js";
import type { Acting, IssueRecord, PullRequestRecord, RequestRecord, Session } from "./records.js";
import type { RepositoryName } from "./repositories.js";
import { enforce, refuseEditDescription, refuseManage, refuseRead, refuseRequest, refuseWrite } from "./rules.js";
import type { Ref, State } from "./state.js";
import { branchMoved, catchUp } from "./pushes.js";

export interface PullRequestInput {
  readonly repository: RepositoryName;
  readonly head: string;
  /** The fork that `head` is in, where it is not the repository itself. */
  readonly headRepository?: RepositoryName;
  readonly base?: string;
  readonly title: string;
  readonly body?: string;
  readonly draft?: boolean;
  readonly maintainerCanModify?: boolean;
  /** Fixed, where the scene needs one; must be free. */
  readonly number?: number;
}

export const openPullRequest = (state: State, acting: Acting, input: PullRequestInput): PullRequestRecord => {
  const session = state.session(acting);
  const repository = state.repository(input.repository);
  enforce(refuseRead(state, session, repository));
  const headRepository = input.headRepository ?? input.repository;
  const base = input.base ?? repository.defaultBranch;
  const baseSha = state.git.head(input.repository, base);
  const headSha = state.git.head(headRepository, input.head);
  if (baseSha === undefined) throw new WorldError("VALIDATION", "Validation Failed: base invalid");
  if (headSha === undefined) throw new WorldError("VALIDATION", "Validation Failed: head invalid");
  if (state.git.commitsBetween(input.repository, baseSha, headSha).length === 0) {
    throw new WorldError("VALIDATION", `No commits between ${base} and ${input.head}`);
  }
  for (const other of repository.pullRequests.values()) {
    if (
      other.state === "open" &&
      other.head.repository === headRepository &&
      other.head.branch === input.head &&
      other.base.branch === base
    ) {
      throw new WorldError("VALIDATION", `A pull request already exists for ${headRepository.split("/")[0] ?? ""}:${input.head}.`);
    }
  }
  const number = input.number ?? repository.nextNumber;
  if (repository.pullRequests.has(number) || repository.issues.has(number)) throw new Error(`Number ${number} is taken.`);
  repository.nextNumber = Math.max(repository.nextNumber, number + 1);
  const now = state.now();
  const pullRequest: PullRequestRecord = {
    ...state.mint("PR", "pullRequest", repository),
    repository: input.repository,
    number,
    author: session.login,
    title: input.title,
    body: input.body ?? "",
    state: "open",
    draft: input.draft ?? false,
    locked: false,
    inMergeQueue: false,
    base: { branch: base, sha: baseSha },
    head: { repository: headRepository, branch: input.head, sha: headSha },
    maintainerCanModify: input.maintainerCanModify ?? headRepository !== input.repository,
    createdAt: now,
    updatedAt: now,
    threads: [],
    reviews: [],
    comments: [],
    reactions: [],
    requests: [],
    timeline: [],
    deployments: [],
    mergeReads: 0,
  };
  repository.pullRequests.set(number, pullRequest);
  state.nodes.set(pullRequest.id, { type: "pull-request", value: pullRequest });
  state.emit("pull-request-opened", session.login, { pullRequest });
  if (!pullRequest.draft) requestCodeOwners(state, pullRequest);
  return pullRequest;
};

export const openIssue = (
  state: State,
  acting: Acting,
  name: string,
  input: { readonly title: string; readonly body: string },
): IssueRecord => {
  const session = state.session(acting);
  const repository = state.repository(name);
  enforce(refuseRead(state, session, repository));
  const issue: IssueRecord = {
    ...state.mint("I", "issue", repository),
    number: repository.nextNumber,
    title: input.title,
    body: input.body,
    author: session.login,
    createdAt: state.now(),
  };
  repository.nextNumber += 1;
  repository.issues.set(issue.number, issue);
  state.nodes.set(issue.id, { type: "issue", value: issue });
  state.emit("issue-opened", session.login, { repository, issue });
  return issue;
};

export const editDescription = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, body: string): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseEditDescription(state, session, pullRequest));
  checkBody(body, true);
  const before = pullRequest.body;
  if (before === body) return;
  pullRequest.body = body;
  pullRequest.bodyEditor = session.login;
  pullRequest.bodyEditedAt = state.now();
  state.touch(pullRequest);
  state.emit("description-edited", session.login, { pullRequest, body, before });
};

export const editTitle = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, title: string): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseEditDescription(state, session, pullRequest));
  pullRequest.title = title;
  state.timeline(pullRequest, "renamed-title", session.login);
  state.touch(pullRequest);
};

export const checkBody = (body: string, blankAllowed = false): void => {
  if (!blankAllowed && body.trim() === "") throw new WorldError("UNPROCESSABLE", MESSAGES.bodyBlank);
  if (body.length > 65_536) throw new WorldError("UNPROCESSABLE", MESSAGES.bodyTooLong);
};

export const setDraft = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, draft: boolean): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseManage(state, session, pullRequest, draft ? "ConvertPullRequestToDraft" : "MarkPullRequestReadyForReview"));
  if (pullRequest.state !== "open") throw new WorldError("UNPROCESSABLE", "Pull request is closed");
  if (pullRequest.draft === draft) return;
  pullRequest.draft = draft;
  state.timeline(pullRequest, draft ? "convert-to-draft" : "ready-for-review", session.login);
  state.touch(pullRequest);
  state.emit(draft ? "draft" : "ready", session.login, { pullRequest });
  if (!draft) requestCodeOwners(state, pullRequest);
};

const requestCodeOwners = (state: State, pullRequest: PullRequestRecord): void => {
  for (const login of state.repositoryOf(pullRequest).codeOwners) {
    if (login !== pullRequest.author) addRequest(state, pullRequest, login, pullRequest.author, true);
  }
};

const addRequest = (state: State, pullRequest: PullRequestRecord, login: string, by: string, asCodeOwner: boolean): void => {
  if (pullRequest.requests.some((request) => request.login === login)) return;
  const account = state.accounts.get(login);
  const kind: RequestRecord["kind"] = login.includes("/")
    ? "team"
    : account?.kind === "bot" || account?.kind === "mannequin"
      ? account.kind
      : "user";
  pullRequest.requests.push({ login, kind, asCodeOwner, by, at: state.now() });
  state.timeline(pullRequest, "review-requested", by, { subject: login });
  state.touch(pullRequest);
  state.emit("review-requested", by, { pullRequest, login, asCodeOwner });
};

/** One request, for several reviewers: all of them or none. Teams are `organization/slug`. */
export const requestReview = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, logins: readonly string[]): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  const repository = state.repositoryOf(pullRequest);
  enforce(refuseRequest(state, session, pullRequest));
  for (const login of logins) {
    if (login === pullRequest.author) throw new WorldError("UNPROCESSABLE", MESSAGES.requestAuthor);
    const account = state.accounts.get(login);
    const known =
      login.includes("/") ||
      account?.requestable === true ||
      (account?.kind === "user" && repository.access.has(login)) ||
      repository.owner === login;
    if (!known) throw new WorldError("UNPROCESSABLE", MESSAGES.notCollaborator(repository.fullName));
  }
  for (const login of logins) if (!state.faults.dropsRequest(login)) addRequest(state, pullRequest, login, session.login, false);
};

/** Starts a new review of a bot that has an endpoint for it: refused while one is pending, and asked again after each review. */
export const requestBotReview = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, login: string): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseRequest(state, session, pullRequest));
  if (state.accounts.get(login)?.requestable !== true)
    throw new WorldError("UNPROCESSABLE", "Code review is not available for this repository.");
  if (pullRequest.requests.some((request) => request.login === login)) throw new WorldError("CONFLICT", MESSAGES.reviewPending);
  if (!state.faults.dropsRequest(login)) addRequest(state, pullRequest, login, session.login, false);
};

export const removeRequest = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, logins: readonly string[]): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseRequest(state, session, pullRequest));
  for (const login of logins) {
    const at = pullRequest.requests.findIndex((request) => request.login === login);
    if (at === -1) continue;
    pullRequest.requests.splice(at, 1);
    state.timeline(pullRequest, "review-request-removed", session.login, { subject: login });
    state.touch(pullRequest);
    state.emit("review-request-removed", session.login, { pullRequest, login });
  }
};

export const setLocked = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, locked: boolean): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseWrite(state, session, state.repositoryOf(pullRequest), locked ? "LockLockable" : "UnlockLockable", "issues"));
  if (pullRequest.locked === locked) return;
  pullRequest.locked = locked;
  state.timeline(pullRequest, locked ? "locked" : "unlocked", session.login);
  state.emit(locked ? "locked" : "unlocked", session.login, { pullRequest });
};

export const setClosed = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, closed: boolean): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseEditDescription(state, session, pullRequest));
  if (pullRequest.state === "merged") throw new WorldError("UNPROCESSABLE", "Pull request is merged");
  if ((pullRequest.state === "closed") === closed) return;
  pullRequest.state = closed ? "closed" : "open";
  if (closed) pullRequest.closedAt = state.now();
  else {
    if (pullRequest.head.repository === null || state.git.head(pullRequest.head.repository, pullRequest.head.branch) === undefined) {
      pullRequest.state = "closed";
      throw new WorldError("UNPROCESSABLE", "Could not open the pull request: the head branch was deleted.");
    }
    delete pullRequest.closedAt;
    catchUp(state, pullRequest);
  }
  state.timeline(pullRequest, closed ? "closed" : "reopened", session.login);
  state.touch(pullRequest);
  state.emit(closed ? "closed" : "reopened", session.login, { pullRequest });
};

/** A person merges. Refused as GitHub refuses it. */
export const mergePullRequest = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, expected?: Sha): Sha => {
  const session: Session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  const repository = state.repositoryOf(pullRequest);
  enforce(refuseWrite(state, session, repository, "MergePullRequest"));
  if (pullRequest.draft) throw new WorldError("UNPROCESSABLE", MESSAGES.stillDraft);
  if (expected !== undefined && expected !== pullRequest.head.sha) throw new WorldError("CONFLICT", MESSAGES.headMoved);
  const { mergeState } = settledMergeView(state, pullRequest);
  if (!["CLEAN", "UNSTABLE", "HAS_HOOKS"].includes(mergeState)) throw new WorldError("UNPROCESSABLE", MESSAGES.notMergeable);
  const before = pullRequest.base.sha;
  const message = `Merge pull request #${pullRequest.number}`;
  const sha = state.git.merge(repository.fullName, before, pullRequest.head.sha, message, state.now());
  if (!state.git.move(repository.fullName, pullRequest.base.branch, before, sha))
    throw new WorldError("CONFLICT", "Base branch was modified. Review and try the merge again.");
  pullRequest.state = "merged";
  pullRequest.mergedAt = state.now();
  pullRequest.closedAt = state.now();
  pullRequest.inMergeQueue = false;
  state.timeline(pullRequest, "merged", session.login, { after: sha });
  state.touch(pullRequest);
  state.emit("merged", session.login, { pullRequest });
  branchMoved(state, session.login, repository, pullRequest.base.branch, before, sha);
  return sha;
};

export const setQueued = (state: State, acting: Acting, ref: Ref<PullRequestRecord>, queued: boolean): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  enforce(refuseWrite(state, session, state.repositoryOf(pullRequest), queued ? "EnqueuePullRequest" : "DequeuePullRequest"));
  if (pullRequest.inMergeQueue === queued) return;
  if (queued && pullRequest.draft) throw new WorldError("UNPROCESSABLE", MESSAGES.stillDraft);
  pullRequest.inMergeQueue = queued;
  state.timeline(pullRequest, queued ? "added-to-merge-queue" : "removed-from-merge-queue", session.login);
  state.touch(pullRequest);
  state.emit(queued ? "queued" : "dequeued", session.login, { pullRequest });
};

/** The preview of a head, as a deployment. */
export const deploy = (
  state: State,
  acting: Acting,
  ref: Ref<PullRequestRecord>,
  input: { readonly head?: Sha; readonly environment: string; readonly state: string; readonly url?: string },
): void => {
  const session = state.session(acting);
  const pullRequest = state.pullRequest(ref);
  const head = input.head ?? pullRequest.head.sha;
  pullRequest.deployments.push({ head, environment: input.environment, state: input.state, url: input.url ?? "", at: state.now() });
  state.emit("deployed", session.login, { pullRequest, head, state: input.state });
};
