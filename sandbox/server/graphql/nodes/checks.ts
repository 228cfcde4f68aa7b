/** Check runs, suites, statuses, and the roll-up of a commit: null where nothing is attached, which is not "green". */
import type { Sha } from "../../../../core/index.js";
import { newestStatuses } from "../../../world/merge-state.js";
import type { CheckRecord, PullRequestRecord, StatusRecord } from "../../../world/records.js";
import { ownUrl, time, timeOrNull, type View } from "../../view.js";
import { connection, none, type Fields } from "../connection.js";
import { actor } from "./actors.js";
import { commitNode } from "./commit.js";
import { pullRequestNode } from "./pull-request.js";
import { repositoryNode } from "./repository.js";
import { nodeId } from "../../../world/ids.js";

interface RequiredArguments {
  readonly pullRequestId?: string | null;
  readonly pullRequestNumber?: number | null;
}

const requiredIn = (view: View, repository: string, name: string) => {
  return ({ pullRequestId, pullRequestNumber }: RequiredArguments): boolean => {
    const pullRequest =
      typeof pullRequestId === "string"
        ? view.state.pullRequest(pullRequestId)
        : typeof pullRequestNumber === "number"
          ? view.world.pullRequest(repository, pullRequestNumber)
          : undefined;
    if (pullRequest === undefined) return false;
    return view.world.repository(repository).protections.get(pullRequest.base.branch)?.requiredChecks.includes(name) ?? false;
  };
};

const appNode = (view: View, login: string): Fields => {
  const account = view.world.accounts.get(login);
  return {
    __typename: "App",
    id: nodeId("A", account?.databaseId ?? 1),
    databaseId: account?.databaseId ?? null,
    clientId: null,
    name: login,
    slug: login,
    description: null,
    logoBackgroundColor: "ffffff",
    logoUrl: `${view.web}/avatars/${login}`,
    createdAt: time(1_500_000_000_000),
    updatedAt: time(1_500_000_000_000),
    url: `${view.web}/apps/${login}`,
  };
};

const workflowRunNode = (view: View, check: CheckRecord, workflow: NonNullable<CheckRecord["workflow"]>): Fields => {
  const url = `${view.web}/${check.repository}/actions/runs/${check.suite.databaseId}`;
  const when = { createdAt: time(check.createdAt), updatedAt: time(check.completedAt ?? check.createdAt) };
  return {
    __typename: "WorkflowRun",
    id: nodeId("WFR", check.suite.databaseId),
    databaseId: check.suite.databaseId,
    event: workflow.event,
    runNumber: 1,
    ...when,
    url,
    resourcePath: new URL(url).pathname,
    checkSuite: () => suiteNode(view, check),
    deploymentReviews: none(view),
    pendingDeploymentRequests: none(view),
    file: null,
    workflow: {
      __typename: "Workflow",
      id: nodeId("W", check.suite.databaseId),
      databaseId: check.suite.databaseId,
      name: workflow.name,
      state: "ACTIVE",
      ...when,
      url: `${view.web}/${check.repository}/actions`,
      resourcePath: `/${check.repository}/actions`,
      runs: none(view),
    },
  };
};

const suiteNode = (view: View, check: CheckRecord): Fields => {
  const all = view.world.checksOf(check.repository, check.head).filter((other) => other.suite.id === check.suite.id);
  const done = all.every((other) => other.status === "COMPLETED");
  const url = `${view.web}/${check.repository}/suites/${check.suite.databaseId}`;
  return {
    __typename: "CheckSuite",
    id: check.suite.id,
    databaseId: check.suite.databaseId,
    app: () => appNode(view, check.app),
    branch: null,
    creator: null,
    push: null,
    commit: () => commitNode(view, check.repository, check.head),
    conclusion: done ? (all.find((other) => other.conclusion !== "SUCCESS")?.conclusion ?? "SUCCESS") : null,
    status: done ? "COMPLETED" : "IN_PROGRESS",
    createdAt: time(check.createdAt),
    updatedAt: time(Math.max(...all.map((other) => other.completedAt ?? other.createdAt))),
    url,
    resourcePath: new URL(url).pathname,
    repository: () => repositoryNode(view, view.world.repository(check.repository)),
    checkRuns: connection(
      view,
      () => all,
      (other) => checkNode(view, other),
    ),
    matchingPullRequests: connection(
      view,
      () => headedBy(view, check.repository, check.head),
      (one) => pullRequestNode(view, one),
    ),
    workflowRun: () => (check.workflow === undefined ? null : workflowRunNode(view, check, check.workflow)),
  };
};

export const checkNode = (view: View, check: CheckRecord): Fields => {
  const path = `/${check.repository}/runs/${check.databaseId}`;
  return {
    __typename: "CheckRun",
    id: check.id,
    databaseId: check.databaseId,
    externalId: "",
    name: check.name,
    status: check.status,
    conclusion: check.conclusion ?? null,
    startedAt: timeOrNull(check.startedAt),
    completedAt: timeOrNull(check.completedAt),
    detailsUrl: ownUrl(view, check.url),
    permalink: `${view.web}${path}`,
    url: `${view.web}${path}`,
    resourcePath: path,
    title: check.title ?? null,
    summary: check.summary ?? null,
    text: null,
    deployment: null,
    pendingDeploymentRequest: null,
    annotations: none(view),
    steps: none(view),
    isRequired: requiredIn(view, check.repository, check.name),
    repository: () => repositoryNode(view, view.world.repository(check.repository)),
    checkSuite: () => suiteNode(view, check),
  };
};

export const statusNode = (view: View, status: StatusRecord): Fields => ({
  __typename: "StatusContext",
  id: status.id,
  context: status.context,
  state: status.state,
  description: status.description ?? null,
  targetUrl: status.url ?? null,
  createdAt: time(status.createdAt),
  avatarUrl: `${view.web}/avatars/${status.creator}`,
  creator: () => actor(view, status.creator),
  commit: () => commitNode(view, status.repository, status.head),
  isRequired: requiredIn(view, status.repository, status.context),
});

const headedBy = (view: View, repository: string, head: Sha): readonly PullRequestRecord[] =>
  [...view.world.repository(repository).pullRequests.values()].filter((one) => one.head.sha === head);

type Context = { readonly check: CheckRecord } | { readonly status: StatusRecord };

const FAILED: readonly (string | undefined)[] = ["FAILURE", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE", "ERROR"];

const stateOf = (context: Context): string => {
  if ("status" in context) return context.status.state;
  return context.check.status === "COMPLETED" ? (context.check.conclusion ?? "PENDING") : "PENDING";
};

const overall = (contexts: readonly Context[]): string => {
  const states = contexts.map(stateOf);
  if (states.some((state) => FAILED.includes(state))) return "FAILURE";
  return states.some((state) => state === "PENDING" || state === "EXPECTED" || state === "STALE") ? "PENDING" : "SUCCESS";
};

const tally = (states: readonly string[]): readonly { readonly state: string; readonly count: number }[] =>
  [...new Set(states)].map((state) => ({ state, count: states.filter((other) => other === state).length }));

/** Everything attached to a commit, superseded runs included, as GitHub keeps them. */
const contextsOf = (view: View, repository: string, head: Sha): readonly Context[] => {
  if (headedBy(view, repository, head).some((one) => view.world.noChecksYet(one))) return [];
  return [
    ...view.world.checksOf(repository, head).map((check) => ({ check })),
    ...newestStatuses(view.world.statusesOf(repository, head)).map((status) => ({ status })),
  ];
};

const contextsField = (view: View, contexts: readonly Context[]) =>
  connection(
    view,
    () => contexts,
    (one) => ("check" in one ? checkNode(view, one.check) : statusNode(view, one.status)),
    {
      fault: "contexts",
      extra: (all) => {
        const runs = all.filter((one) => "check" in one);
        const statuses = all.filter((one) => "status" in one);
        return {
          checkRunCount: runs.length,
          statusContextCount: statuses.length,
          checkRunCountsByState: tally(
            runs.map((one) => (one.check.status === "COMPLETED" ? (one.check.conclusion ?? "COMPLETED") : one.check.status)),
          ),
          statusContextCountsByState: tally(statuses.map(stateOf)),
        };
      },
    },
  );

export const rollup = (view: View, repository: string, head: Sha): Fields | null => {
  const contexts = contextsOf(view, repository, head);
  if (contexts.length === 0) return null;
  return {
    __typename: "StatusCheckRollup",
    id: `SCR_${head}`,
    state: overall(contexts),
    commit: () => commitNode(view, repository, head),
    contexts: contextsField(view, contexts),
  };
};

export const statusOf = (view: View, repository: string, head: Sha): Fields | null => {
  const contexts = contextsOf(view, repository, head).filter((one) => "status" in one);
  if (contexts.length === 0) return null;
  return {
    __typename: "Status",
    id: `SC_${head}`,
    state: overall(contexts),
    commit: () => commitNode(view, repository, head),
    contexts: () => contexts.map((one) => statusNode(view, one.status)),
    context: ({ name }: { readonly name: string }) => {
      const found = contexts.find((one) => one.status.context === name);
      return found === undefined ? null : statusNode(view, found.status);
    },
    combinedContexts: contextsField(view, contexts),
  };
};

export const suites = (view: View, repository: string, head: Sha) =>
  connection(
    view,
    () => [...new Map(view.world.checksOf(repository, head).map((check) => [check.suite.id, check])).values()],
    (check) => suiteNode(view, check),
  );
