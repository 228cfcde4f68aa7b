/** Check runs and commit statuses. */
import type { Sha } from "../../core/index.js";
import { MESSAGES, WorldError } from "./errors.js";
import { nodeId } from "./ids.js";
import type { Acting, CheckRecord, StatusRecord } from "./records.js";
import type { RepositoryName } from "./repositories.js";
import { enforce, refuseWrite } from "./rules.js";
import type { State } from "./state.js";

export interface CheckInput {
  readonly repository: RepositoryName;
  readonly head: Sha;
  readonly name: string;
  readonly status?: CheckRecord["status"];
  /** Makes it completed. */
  readonly conclusion?: NonNullable<CheckRecord["conclusion"]>;
  readonly workflow?: { readonly name: string; readonly event: string };
  readonly title?: string;
  readonly summary?: string;
  readonly log?: string;
  readonly url?: string;
}

const apply = (state: State, check: CheckRecord, input: Omit<CheckInput, "repository" | "head" | "name" | "workflow">): void => {
  const now = state.now();
  const status = input.conclusion === undefined ? (input.status ?? check.status) : "COMPLETED";
  check.status = status;
  if (input.conclusion !== undefined) check.conclusion = input.conclusion;
  else if (status !== "COMPLETED") delete check.conclusion;
  if (status === "IN_PROGRESS" || status === "COMPLETED") check.startedAt ??= now;
  if (status === "COMPLETED") check.completedAt = now;
  else delete check.completedAt;
  if (input.title !== undefined) check.title = input.title;
  if (input.summary !== undefined) check.summary = input.summary;
  if (input.log !== undefined) check.log = input.log;
  if (input.url !== undefined) check.url = input.url;
};

const tell = (state: State, actor: string, check: CheckRecord): void => {
  const repository = state.repository(check.repository);
  state.emit("check-changed", actor, {
    repository,
    check,
    status: check.status,
    ...(check.conclusion === undefined ? {} : { conclusion: check.conclusion }),
  });
  for (const pullRequest of repository.pullRequests.values()) if (pullRequest.head.sha === check.head) state.touch(pullRequest);
};

/** A new run; an older one of the same name stays beside it, as on GitHub. Only an app can. */
export const createCheck = (state: State, acting: Acting, input: CheckInput): CheckRecord => {
  const session = state.session(acting);
  const repository = state.repository(input.repository);
  enforce(refuseWrite(state, session, repository, "CreateCheckRun", "checks"));
  if (state.account(session.login).kind !== "bot") throw new WorldError("FORBIDDEN", "You must authenticate via a GitHub App.");
  if (state.git.commit(input.repository, input.head) === undefined)
    throw new WorldError("UNPROCESSABLE", `No commit found for SHA: ${input.head}`);
  const all = state.checks.get(`${input.repository} ${input.head}`) ?? [];
  const sameSuite = all.find(
    (each) => each.app === session.login && each.workflow?.name === input.workflow?.name && each.workflow?.event === input.workflow?.event,
  );
  const suite = sameSuite?.suite.databaseId ?? state.counters.next("suite");
  const ids = state.mint("CR", "check", repository);
  const check: CheckRecord = {
    ...ids,
    suite: { databaseId: suite, id: nodeId("CS", repository.databaseId, suite) },
    repository: input.repository,
    head: input.head,
    name: input.name,
    app: session.login,
    ...(input.workflow === undefined ? {} : { workflow: input.workflow }),
    status: "QUEUED",
    createdAt: state.now(),
    url: `https://${state.host}/${input.repository}/runs/${ids.databaseId}`,
  };
  apply(state, check, input);
  state.checks.set(`${input.repository} ${input.head}`, [...all, check]);
  state.nodes.set(check.id, { type: "check", value: check });
  tell(state, session.login, check);
  return check;
};

export const updateCheck = (
  state: State,
  acting: Acting,
  ref: string | CheckRecord,
  input: Omit<CheckInput, "repository" | "head" | "name" | "workflow">,
): CheckRecord => {
  const session = state.session(acting);
  const check = state.check(ref);
  if (check.app !== session.login)
    throw new WorldError("FORBIDDEN", `Invalid app_id - check run can only be modified by the GitHub App that created it.`);
  apply(state, check, input);
  tell(state, session.login, check);
  return check;
};

/** The app's newest run of that name on that commit is set, or a first one made. */
export const setCheck = (state: State, acting: Acting, input: CheckInput): CheckRecord => {
  const session = state.session(acting);
  const own = state.checksOf(input.repository, input.head).findLast((each) => each.app === session.login && each.name === input.name);
  if (own === undefined || own.status === "COMPLETED") return createCheck(state, session, input);
  return updateCheck(state, session, own, input);
};

export interface StatusInput {
  readonly repository: RepositoryName;
  readonly head: Sha;
  readonly context: string;
  readonly state: StatusRecord["state"];
  readonly description?: string;
  readonly url?: string;
}

export const setStatus = (state: State, acting: Acting, input: StatusInput): StatusRecord => {
  const session = state.session(acting);
  const repository = state.repository(input.repository);
  enforce(refuseWrite(state, session, repository, "CreateCommitStatus", "statuses"));
  if (state.git.commit(input.repository, input.head) === undefined)
    throw new WorldError("UNPROCESSABLE", `No commit found for SHA: ${input.head}`);
  const status: StatusRecord = {
    ...state.mint("SC", "status", repository),
    repository: input.repository,
    head: input.head,
    context: input.context,
    state: input.state,
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.url === undefined ? {} : { url: input.url }),
    creator: session.login,
    createdAt: state.now(),
  };
  const key = `${input.repository} ${input.head}`;
  state.statuses.set(key, [...(state.statuses.get(key) ?? []), status]);
  state.nodes.set(status.id, { type: "status", value: status });
  for (const pullRequest of repository.pullRequests.values()) if (pullRequest.head.sha === input.head) state.touch(pullRequest);
  state.emit("status-set", session.login, { repository, status });
  return status;
};

/** A scripted log of a run, for who may read it. */
export const logOf = (state: State, ref: string | CheckRecord): string => {
  const { log } = state.check(ref);
  if (log === undefined) throw new WorldError("NOT_FOUND", MESSAGES.notFound);
  return log;
};
