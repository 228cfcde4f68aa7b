/** Who may do what: each rule gives the refusal, or undefined. The `viewerCan...` flags come from the same functions as the refusals. */
import { MESSAGES, WorldError } from "./errors.js";
import type {
  AccountRecord,
  Grant,
  IssueCommentRecord,
  Permission,
  PullRequestRecord,
  RepositoryRecord,
  ReviewCommentRecord,
  ReviewRecord,
  Session,
} from "./records.js";
import type { State } from "./state.js";

export type Refusal = WorldError | undefined;

const LEVELS: readonly Permission[] = ["none", "read", "triage", "write", "maintain", "admin"];
const atLeast = (role: Permission, wanted: Permission): boolean => LEVELS.indexOf(role) >= LEVELS.indexOf(wanted);

/** Do the token's own permissions allow it? A classic token has none of its own. */
const granted = (session: Session, ...any: readonly (keyof Grant["permissions"])[]): boolean =>
  session.grant.token === "classic" || any.some((permission) => session.grant.permissions[permission] === "write");

const notGranted = (session: Session): WorldError =>
  new WorldError("FORBIDDEN", session.grant.token === "fine-grained" ? MESSAGES.personalToken : MESSAGES.integration);

const isApp = (session: Session): boolean => session.grant.token === "app" || session.grant.token === "actions";
const role = (state: State, session: Session, repository: RepositoryRecord): Permission =>
  isApp(session) ? (session.grant.permissions.contents === "write" ? "write" : "read") : state.roleOf(repository, session.login);

/** Has the account write access, by role or as an app? */
export const hasWrite = (state: State, session: Session, repository: RepositoryRecord): boolean =>
  atLeast(role(state, session, repository), "write");

export const viewerPermission = role;

export const refuseRead = (state: State, session: Session, repository: RepositoryRecord): Refusal =>
  !isApp(session) && state.roleOf(repository, session.login) === "none" ? new WorldError("NOT_FOUND", MESSAGES.notFound) : undefined;

const refuseArchived = (repository: RepositoryRecord): Refusal =>
  repository.archived ? new WorldError("FORBIDDEN", MESSAGES.archived) : undefined;

/** Comments, replies, reviews. */
export const refuseComment = (state: State, session: Session, pullRequest: PullRequestRecord): Refusal => {
  const repository = state.repositoryOf(pullRequest);
  const refused = refuseRead(state, session, repository) ?? refuseArchived(repository);
  if (refused !== undefined) return refused;
  if (!granted(session, "pullRequests", "issues")) return notGranted(session);
  if (pullRequest.locked && !hasWrite(state, session, repository)) return new WorldError("LOCKED", MESSAGES.locked);
  return undefined;
};

/** Resolve and unresolve: the pull request's author or write access; a token with permissions of its own needs contents. */
export const refuseResolve = (state: State, session: Session, pullRequest: PullRequestRecord, what: string): Refusal => {
  const repository = state.repositoryOf(pullRequest);
  const refused = refuseRead(state, session, repository) ?? refuseArchived(repository);
  if (refused !== undefined) return refused;
  if (!granted(session, "contents")) return notGranted(session);
  // Of a fine-grained token that was given "pull requests" and not "contents"; bots here act as apps with all of theirs.
  const closes = what === "ResolveReviewThread" || what === "UnresolveReviewThread";
  if (closes && state.faults.on("token-cannot-resolve") && state.account(session.login).kind === "user")
    return new WorldError("FORBIDDEN", MESSAGES.personalToken);
  if (pullRequest.author === session.login || hasWrite(state, session, repository)) return undefined;
  return new WorldError("FORBIDDEN", MESSAGES.noPermission(session.login, what));
};

/** Ready, draft, title, description: as for resolving. */
export const refuseManage = (state: State, session: Session, pullRequest: PullRequestRecord, what: string): Refusal =>
  refuseResolve(state, session, pullRequest, what);

/** The description needs no contents permission. */
export const refuseEditDescription = (state: State, session: Session, pullRequest: PullRequestRecord): Refusal => {
  const repository = state.repositoryOf(pullRequest);
  const refused = refuseRead(state, session, repository) ?? refuseArchived(repository);
  if (refused !== undefined) return refused;
  if (!granted(session, "pullRequests")) return notGranted(session);
  if (pullRequest.author === session.login || hasWrite(state, session, repository)) return undefined;
  return new WorldError("FORBIDDEN", MESSAGES.noPermission(session.login, "UpdatePullRequest"));
};

type Posted = IssueCommentRecord | ReviewCommentRecord | ReviewRecord;

/** Edit, delete, hide: one's own, or with write access. */
export const refuseChange = (state: State, session: Session, posted: Posted, what: string): Refusal => {
  const repository = state.repositoryOf(state.pullRequestOf(posted));
  const refused = refuseRead(state, session, repository) ?? refuseArchived(repository);
  if (refused !== undefined) return refused;
  if (!granted(session, "pullRequests")) return notGranted(session);
  if (posted.author === session.login) return undefined;
  // An app edits only its own posts.
  if (!isApp(session) && hasWrite(state, session, repository)) return undefined;
  if (what === "MinimizeComment" && hasWrite(state, session, repository)) return undefined;
  return new WorldError("FORBIDDEN", isApp(session) ? MESSAGES.integration : MESSAGES.noPermission(session.login, what));
};

/** To ask for reviews needs write access; the author alone gets a bare 404. */
export const refuseRequest = (state: State, session: Session, pullRequest: PullRequestRecord): Refusal => {
  const repository = state.repositoryOf(pullRequest);
  const refused = refuseRead(state, session, repository) ?? refuseArchived(repository);
  if (refused !== undefined) return refused;
  if (!granted(session, "pullRequests")) return notGranted(session);
  if (!isApp(session) && !hasWrite(state, session, repository)) return new WorldError("NOT_FOUND", MESSAGES.notFound);
  return undefined;
};

export const refuseWrite = (
  state: State,
  session: Session,
  repository: RepositoryRecord,
  what: string,
  permission: keyof Grant["permissions"] = "contents",
): Refusal => {
  const refused = refuseRead(state, session, repository) ?? refuseArchived(repository);
  if (refused !== undefined) return refused;
  if (!granted(session, permission)) return notGranted(session);
  if (isApp(session) || hasWrite(state, session, repository)) return undefined;
  return new WorldError("FORBIDDEN", MESSAGES.noPermission(session.login, what));
};

/** To a fork's branch also those may push who may write to the base, where the author allows it and the fork is a person's. */
export const refusePush = (state: State, session: Session, repository: RepositoryRecord, branch: string): Refusal => {
  const refused = refuseWrite(state, session, repository, "push");
  if (refused === undefined) return undefined;
  for (const base of state.repositories.values()) {
    for (const pullRequest of base.pullRequests.values()) {
      if (pullRequest.state !== "open" || pullRequest.head.repository !== repository.fullName || pullRequest.head.branch !== branch)
        continue;
      const owner: AccountRecord | undefined = state.accounts.get(repository.owner);
      if (pullRequest.maintainerCanModify && owner?.kind === "user" && hasWrite(state, session, base) && granted(session, "contents"))
        return undefined;
    }
  }
  return refused;
};

export const enforce = (refusal: Refusal): void => {
  if (refusal !== undefined) throw refusal;
};
