/** Check runs and suites, statuses, workflow runs and their logs. */
import type { CheckConclusion, CheckRecord, StatusRecord } from "../../world/records.js";
import type { CheckInput } from "../../world/checks.js";
import { newestStatuses } from "../../world/merge-state.js";
import { json } from "../exchange.js";
import { checkRunShape, checksOf, checkSuiteShape, statusesOf, statusInShape, statusShape } from "./present-commits.js";
import { repositoryInShape } from "./present.js";
import { notFound, paged, repositoryOf, required, route, shaOf, stringOf, type RestRequest, type Route } from "./routing.js";

/** When a run last said something. */
const checkTime = (run: CheckRecord): number => run.completedAt ?? run.startedAt ?? run.createdAt;

/** `filter=latest` keeps the newest of a name within one suite only. */
const latest = (runs: readonly CheckRecord[]): readonly CheckRecord[] => {
  const newest = new Map<string, CheckRecord>();
  for (const run of runs) {
    const key = `${run.suite.id} ${run.name}`;
    const other = newest.get(key);
    if (other === undefined || checkTime(run) >= checkTime(other)) newest.set(key, run);
  }
  return [...newest.values()];
};

const checkRuns = (request: RestRequest) => {
  const { view, exchange } = request;
  const { query } = exchange;
  const all = checksOf(view, repositoryOf(request).fullName, shaOf(request));
  const found = (query.get("filter") === "all" ? all : latest(all))
    .filter((run) => query.get("check_name") === null || run.name === query.get("check_name"))
    .filter((run) => query.get("status") === null || run.status.toLowerCase() === query.get("status"))
    .filter((run) => query.get("app_id") === null || String(view.world.accounts.get(run.app)?.databaseId) === query.get("app_id"));
  return paged(
    request,
    found,
    (run) => checkRunShape(view, run),
    (check_runs, total_count) => ({ total_count, check_runs }),
  );
};

const checkSuites = (request: RestRequest) => {
  const { view } = request;
  const runs = checksOf(view, repositoryOf(request).fullName, shaOf(request));
  const suites = [...new Map(runs.map((run) => [run.suite.id, run])).values()];
  return paged(
    request,
    suites,
    (run) =>
      checkSuiteShape(
        view,
        runs.filter((other) => other.suite.id === run.suite.id),
        run,
      ),
    (check_suites, total_count) => ({ total_count, check_suites }),
  );
};

const checkInput = (body: RestRequest["body"]): Omit<CheckInput, "repository" | "head" | "name"> => {
  const output = typeof body["output"] === "object" && body["output"] !== null ? (body["output"] as Record<string, unknown>) : {};
  const conclusion = stringOf(body["conclusion"])?.toUpperCase() as CheckConclusion | undefined;
  const status = stringOf(body["status"])?.toUpperCase() as CheckRecord["status"] | undefined;
  const title = stringOf(output["title"]);
  const summary = stringOf(output["summary"]);
  const url = stringOf(body["details_url"]);
  return {
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(status === undefined ? {} : { status }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    ...(url === undefined ? {} : { url }),
  };
};

const checkOf = (request: RestRequest): CheckRecord => {
  const { fullName } = repositoryOf(request);
  for (const runs of request.view.state.checks.values()) {
    const found = runs.find((run) => run.repository === fullName && String(run.databaseId) === request.params["check"]);
    if (found !== undefined) return found;
  }
  throw notFound();
};

const combined = (request: RestRequest) => {
  const { view } = request;
  const repository = repositoryOf(request);
  const sha = shaOf(request);
  const statuses = newestStatuses(statusesOf(view, repository.fullName, sha));
  const bad = statuses.some((status) => status.state === "FAILURE" || status.state === "ERROR");
  // "pending" for no status at all, too.
  const state = bad ? "failure" : statuses.length > 0 && statuses.every((status) => status.state === "SUCCESS") ? "success" : "pending";
  const url = `${view.api}/repos/${repository.fullName}/commits/${sha}`;
  return json(200, {
    state,
    statuses: statuses.map((status) => statusInShape(view, status)),
    sha,
    total_count: statuses.length,
    repository: repositoryInShape(view, repository),
    commit_url: url,
    url: `${url}/status`,
  });
};

const setStatus = (request: RestRequest) => {
  const { view, body } = request;
  const description = stringOf(body["description"]);
  const url = stringOf(body["target_url"]);
  const status = view.world.setStatus(view.session, {
    repository: repositoryOf(request).fullName,
    head: shaOf(request),
    context: stringOf(body["context"]) ?? "default",
    state: required(request, "Status", "state").toUpperCase() as StatusRecord["state"],
    ...(description === undefined ? {} : { description }),
    ...(url === undefined ? {} : { url }),
  });
  return json(201, statusShape(view, status));
};

const R = "/repos/:owner/:repo";

export const checkRoutes: readonly Route[] = [
  route("GET", `${R}/commits/*ref/check-runs`, checkRuns, "message"),
  route("GET", `${R}/commits/*ref/check-suites`, checkSuites, "message"),
  route("GET", `${R}/commits/*ref/status`, combined, "message"),
  route(
    "GET",
    `${R}/commits/*ref/statuses`,
    (request) =>
      paged(request, statusesOf(request.view, repositoryOf(request).fullName, shaOf(request)).toReversed(), (status) =>
        statusShape(request.view, status),
      ),
    "message",
  ),
  route("POST", `${R}/statuses/:ref`, setStatus),
  route("POST", `${R}/check-runs`, (request) => {
    const { view } = request;
    const check = view.world.createCheck(view.session, {
      repository: repositoryOf(request).fullName,
      head: required(request, "CheckRun", "head_sha"),
      name: required(request, "CheckRun", "name"),
      ...checkInput(request.body),
    });
    return json(201, checkRunShape(view, check));
  }),
  route("GET", `${R}/check-runs/:check`, (request) => json(200, checkRunShape(request.view, checkOf(request)))),
  route("PATCH", `${R}/check-runs/:check`, (request) => {
    const { view } = request;
    return json(200, checkRunShape(view, view.world.updateCheck(view.session, checkOf(request), checkInput(request.body))));
  }),
  route("GET", `${R}/check-runs/:check/annotations`, (request) => {
    checkOf(request);
    return json(200, []);
  }),
  // GitHub answers with an address elsewhere that holds for a minute and needs no sign-in.
  route("GET", `${R}/actions/jobs/:check/logs`, (request) => {
    const check = checkOf(request);
    request.view.world.checkLog(check);
    return { status: 302, headers: { location: `${request.view.api}/job-logs/${check.id}` }, body: "" };
  }),
  route("GET", "/job-logs/:check", ({ view, params }) => ({
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: view.world.checkLog(params["check"] ?? ""),
  })),
];
