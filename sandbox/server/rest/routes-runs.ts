/** Workflow runs: one for each suite that a workflow made. */
import type { Instant, Sha } from "../../../core/index.js";
import type { CheckRecord, RepositoryRecord } from "../../world/records.js";
import { time, type View } from "../view.js";
import { checkSuiteShape, pullRequestsWithHead, simpleCommit } from "./present-commits.js";
import { repositoryInShape, user } from "./present.js";
import { paged, repositoryOf, route, type RestRequest, type Route } from "./routing.js";

interface Run {
  readonly id: number;
  readonly suite: { readonly id: string; readonly databaseId: number };
  readonly name: string;
  readonly event: string;
  readonly branch: unknown;
  readonly sha: Sha;
  readonly status: unknown;
  readonly conclusion: unknown;
  readonly createdAt: Instant;
  readonly updatedAt: unknown;
}

const runShape = (view: View, repository: RepositoryRecord, run: Run) => {
  const url = `${view.api}/repos/${repository.fullName}/actions/runs/${run.id}`;
  const within = repositoryInShape(view, repository);
  const [pullRequest] = pullRequestsWithHead(view, repository.fullName, run.sha);
  const who = user(view, pullRequest?.author ?? repository.owner);
  return {
    id: run.id,
    node_id: `WFR_${run.suite.id}`,
    name: run.name,
    path: `.github/workflows/${run.name.toLowerCase()}.yml`,
    display_title: pullRequest?.title ?? run.name,
    head_branch: run.branch,
    head_sha: run.sha,
    head_commit: simpleCommit(view, repository.fullName, run.sha),
    head_repository: within,
    repository: within,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: 1,
    run_number: 1,
    run_attempt: 1,
    actor: who,
    triggering_actor: who,
    url,
    html_url: `${view.web}/${repository.fullName}/actions/runs/${run.id}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    workflow_url: `${view.api}/repos/${repository.fullName}/actions/workflows/1`,
    check_suite_id: run.suite.databaseId,
    check_suite_node_id: run.suite.id,
    check_suite_url: `${view.api}/repos/${repository.fullName}/check-suites/${run.suite.databaseId}`,
    created_at: time(run.createdAt),
    run_started_at: time(run.createdAt),
    updated_at: run.updatedAt,
    pull_requests: [],
  };
};

/** With `run-needs-approval`: one for each head, which no maintainer has allowed yet. */
const waiting = (view: View, repository: RepositoryRecord): readonly Run[] =>
  [...repository.pullRequests.values()]
    .filter((one) => view.world.heldRuns(one))
    .map((one) => ({
      id: one.databaseId,
      suite: { id: `CS_${one.id}`, databaseId: one.databaseId },
      name: "CI",
      event: "pull_request",
      branch: one.head.branch,
      sha: one.head.sha,
      status: "completed",
      conclusion: "action_required",
      createdAt: one.createdAt,
      updatedAt: time(one.createdAt),
    }));

const made = (view: View, repository: RepositoryRecord): readonly Run[] => {
  const runs = [...view.state.checks.values()].flat().filter((run) => run.repository === repository.fullName);
  const suites = new Map<string, CheckRecord>();
  for (const run of runs) if (run.workflow !== undefined && !suites.has(run.suite.id)) suites.set(run.suite.id, run);
  return [...suites.values()].map((run) => {
    const suite = checkSuiteShape(
      view,
      runs.filter((other) => other.suite.id === run.suite.id),
      run,
    );
    return {
      id: run.suite.databaseId,
      suite: run.suite,
      name: run.workflow?.name ?? "",
      event: run.workflow?.event ?? "",
      branch: suite["head_branch"],
      sha: run.head,
      status: suite["status"],
      conclusion: suite["conclusion"],
      createdAt: run.createdAt,
      updatedAt: suite["updated_at"],
    };
  });
};

const listed = (request: RestRequest) => {
  const { view, exchange } = request;
  const repository = repositoryOf(request);
  const head = exchange.query.get("head_sha");
  const all = view.world.faults.on("run-needs-approval") ? waiting(view, repository) : made(view, repository);
  return paged(
    request,
    all.filter((run) => head === null || run.sha === head),
    (run) => runShape(view, repository, run),
    (workflow_runs, total_count) => ({ total_count, workflow_runs }),
  );
};

const workflows = (request: RestRequest) => {
  const { view } = request;
  const repository = repositoryOf(request);
  const names = [...new Set([...made(view, repository), ...waiting(view, repository)].map((run) => run.name))];
  return paged(
    request,
    names,
    (name) => {
      const path = `.github/workflows/${name.toLowerCase()}.yml`;
      const page = `${view.web}/${repository.fullName}`;
      return {
        id: 1,
        node_id: `W_${name}`,
        name,
        path,
        state: "active",
        created_at: time(1_600_000_000_000),
        updated_at: time(1_600_000_000_000),
        url: `${view.api}/repos/${repository.fullName}/actions/workflows/1`,
        html_url: `${page}/blob/${repository.defaultBranch}/${path}`,
        badge_url: `${page}/workflows/${encodeURIComponent(name)}/badge.svg`,
      };
    },
    (all, total_count) => ({ total_count, workflows: all }),
  );
};

export const runRoutes: readonly Route[] = [
  route("GET", "/repos/:owner/:repo/actions/runs", listed),
  route("GET", "/repos/:owner/:repo/actions/workflows", workflows),
];
