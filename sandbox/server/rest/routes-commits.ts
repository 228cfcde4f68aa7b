/** Commits, branches, comparison, rules, files, previews. */
import type { Sha } from "../../../core/index.js";
import type { RepositoryRecord } from "../../world/records.js";
import { failure, json } from "../exchange.js";
import { deploymentNumber } from "../graphql/nodes/deployments.js";
import { time, type View } from "../view.js";
import { commitShape, fileShape, pullRequestsWithHead } from "./present-commits.js";
import { pullRequestInList, user } from "./present.js";
import { notFound, paged, repositoryOf, route, shaOf, type RestRequest, type Route } from "./routing.js";

/** `base...head`, each a branch, a commit or `owner:branch`. */
const compare = (request: RestRequest) => {
  const { view, params } = request;
  const repository = repositoryOf(request);
  const [left = "", right = ""] = (params["range"] ?? "").split("...");
  const resolve = (written: string): Sha => {
    const [name = "", owner] = written.split(":").toReversed();
    const fork = [...view.world.repositories.values()].find(
      (one) => one.owner === owner && (one.fullName === repository.fullName || one.forkOf === repository.fullName),
    );
    const sha = view.repositories.head((fork ?? repository).fullName, name) ?? name;
    if (view.repositories.commit(repository.fullName, sha) === undefined) throw notFound();
    return sha;
  };
  const base = resolve(left);
  const head = resolve(right);
  const { fullName } = repository;
  const ahead = view.repositories.commitsBetween(fullName, base, head);
  const behind = view.repositories.commitsBetween(fullName, head, base);
  const common = view.repositories.mergeBase(fullName, base, head);
  if (common === undefined) throw notFound();
  const firstPage = (request.exchange.query.get("page") ?? "1") === "1";
  const url = `${view.api}/repos/${fullName}/compare/${params["range"] ?? ""}`;
  return json(200, {
    url,
    html_url: `${view.web}/${fullName}/compare/${params["range"] ?? ""}`,
    permalink_url: `${view.web}/${fullName}/compare/${base}...${head}`,
    diff_url: `${view.web}/${fullName}/compare/${params["range"] ?? ""}.diff`,
    patch_url: `${view.web}/${fullName}/compare/${params["range"] ?? ""}.patch`,
    base_commit: commitShape(view, fullName, base),
    merge_base_commit: commitShape(view, fullName, common),
    status: ahead.length === 0 ? (behind.length === 0 ? "identical" : "behind") : behind.length === 0 ? "ahead" : "diverged",
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: ahead.slice(0, 250).map((sha) => commitShape(view, fullName, sha)),
    files: firstPage
      ? view.repositories
          .diff(fullName, common, head)
          .slice(0, 300)
          .map((file) => fileShape(view, fullName, head, file))
      : [],
  });
};

const rules = (request: RestRequest) => {
  const repository = repositoryOf(request);
  const protection = repository.protections.get(request.params["branch"] ?? "");
  if (protection === undefined) return json(200, []);
  const source = { ruleset_source_type: "Repository", ruleset_source: repository.fullName, ruleset_id: 1 };
  return json(200, [
    {
      type: "pull_request",
      parameters: {
        required_approving_review_count: protection.requiredApprovals,
        dismiss_stale_reviews_on_push: protection.dismissStaleReviews,
        require_code_owner_review: false,
        require_last_push_approval: false,
        required_review_thread_resolution: protection.requiresConversationResolution,
        allowed_merge_methods: ["merge", "squash", "rebase"],
      },
      ...source,
    },
    ...(protection.requiredChecks.length === 0
      ? []
      : [
          {
            type: "required_status_checks",
            parameters: {
              required_status_checks: protection.requiredChecks.map((context) => ({ context })),
              strict_required_status_checks_policy: protection.upToDate,
              do_not_enforce_on_create: false,
            },
            ...source,
          },
        ]),
  ]);
};

const branchShape = (view: View, repository: RepositoryRecord, branch: string) => {
  const sha = view.repositories.head(repository.fullName, branch);
  if (sha === undefined) throw notFound();
  const url = `${view.api}/repos/${repository.fullName}/branches/${branch}`;
  return {
    name: branch,
    commit: { sha, url: `${view.api}/repos/${repository.fullName}/commits/${sha}` },
    protected: repository.protections.has(branch),
    protection_url: `${url}/protection`,
  };
};

/** By itself it tells more. */
const oneBranch = (view: View, repository: RepositoryRecord, branch: string) => {
  const shape = branchShape(view, repository, branch);
  const self = `${view.api}/repos/${repository.fullName}/branches/${branch}`;
  return {
    ...shape,
    commit: commitShape(view, repository.fullName, shape.commit.sha),
    protection: { enabled: shape.protected },
    _links: { self, html: `${view.web}/${repository.fullName}/tree/${branch}` },
  };
};

const refShape = (request: RestRequest) => {
  const { view } = request;
  const { fullName } = repositoryOf(request);
  const branch = (request.params["ref"] ?? "").replace(/^heads\//u, "");
  const sha = view.repositories.head(fullName, branch);
  if (sha === undefined) throw notFound();
  const object = { sha, type: "commit", url: `${view.api}/repos/${fullName}/git/commits/${sha}` };
  return json(200, {
    ref: `refs/heads/${branch}`,
    node_id: `REF_${sha}`,
    url: `${view.api}/repos/${fullName}/git/refs/heads/${branch}`,
    object,
  });
};

const contents = (request: RestRequest, path = request.params["path"] ?? "") => {
  const { view, exchange } = request;
  const repository = repositoryOf(request);
  const written = exchange.query.get("ref") ?? repository.defaultBranch;
  const sha = view.repositories.head(repository.fullName, written.replace(/^refs\/heads\//u, "")) ?? written;
  if (view.repositories.commit(repository.fullName, sha) === undefined) throw notFound();
  const text = view.repositories.fileAt(repository.fullName, sha, path);
  if (text === undefined) throw notFound();
  const bytes = Buffer.from(text, "utf8");
  if (/application\/vnd\.github\.(?:v3\.)?raw/u.test(exchange.headers.accept ?? "")) {
    return { status: 200, headers: { "content-type": "application/vnd.github.v3.raw; charset=utf-8" }, body: bytes };
  }
  const url = `${view.api}/repos/${repository.fullName}/contents/${path}?ref=${written}`;
  const html = `${view.web}/${repository.fullName}/blob/${written}/${path}`;
  const blob = view.repositories.blobOf(repository.fullName, sha, path);
  return json(200, {
    type: "file",
    encoding: "base64",
    size: bytes.length,
    name: path.split("/").at(-1),
    path,
    sha: blob,
    content: bytes.toString("base64"),
    url,
    html_url: html,
    git_url: `${view.api}/repos/${repository.fullName}/git/blobs/${blob}`,
    download_url: `${view.web}/${repository.fullName}/raw/${written}/${path}`,
    _links: { self: url, git: `${view.api}/repos/${repository.fullName}/git/blobs/${blob}`, html },
  });
};

const deploymentsOf = (request: RestRequest) =>
  [...repositoryOf(request).pullRequests.values()].flatMap((one) =>
    one.deployments.map((each) => ({ one, each, number: deploymentNumber(one, each) })),
  );

const deployments = (request: RestRequest) => {
  const { view, exchange } = request;
  const { query } = exchange;
  const { fullName } = repositoryOf(request);
  const found = deploymentsOf(request)
    .filter(({ each }) => query.get("sha") === null || each.head === query.get("sha"))
    .filter(({ each, one }) => query.get("ref") === null || each.head === query.get("ref") || one.head.branch === query.get("ref"))
    .filter(({ each }) => query.get("environment") === null || each.environment === query.get("environment"))
    .sort((a, b) => b.each.at - a.each.at);
  return paged(request, found, ({ one, each, number }) => {
    const url = `${view.api}/repos/${fullName}/deployments/${number}`;
    return {
      url,
      id: number,
      node_id: `DE_${number}`,
      sha: each.head,
      ref: one.head.branch,
      task: "deploy",
      payload: {},
      environment: each.environment,
      original_environment: each.environment,
      description: null,
      creator: user(view, one.author),
      created_at: time(each.at),
      updated_at: time(each.at),
      statuses_url: `${url}/statuses`,
      repository_url: `${view.api}/repos/${fullName}`,
    };
  });
};

const deploymentStatuses = (request: RestRequest) => {
  const { view } = request;
  const { fullName } = repositoryOf(request);
  const found = deploymentsOf(request).filter(({ number }) => String(number) === request.params["deployment"]);
  if (found.length === 0) throw notFound();
  return paged(request, found, ({ one, each, number }) => ({
    url: `${view.api}/repos/${fullName}/deployments/${number}/statuses/1`,
    id: number,
    node_id: `DES_${number}`,
    state: each.state,
    creator: user(view, one.author),
    description: "",
    environment: each.environment,
    environment_url: each.url,
    target_url: "",
    log_url: "",
    created_at: time(each.at),
    updated_at: time(each.at),
    deployment_url: `${view.api}/repos/${fullName}/deployments/${number}`,
    repository_url: `${view.api}/repos/${fullName}`,
  }));
};

const R = "/repos/:owner/:repo";

export const commitRoutes: readonly Route[] = [
  route(
    "GET",
    `${R}/commits/*ref/pulls`,
    (request) =>
      paged(request, pullRequestsWithHead(request.view, repositoryOf(request).fullName, shaOf(request)), (one) =>
        pullRequestInList(request.view, one),
      ),
    "message",
  ),
  route(
    "GET",
    `${R}/commits/*ref`,
    (request) => {
      const { view } = request;
      const { fullName } = repositoryOf(request);
      const sha = shaOf(request);
      const [parent] = view.repositories.commit(fullName, sha)?.parents ?? [];
      const files = parent === undefined ? [] : view.repositories.diff(fullName, parent, sha);
      const additions = files.reduce((sum, file) => sum + file.additions, 0);
      const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
      return json(200, {
        ...commitShape(view, fullName, sha),
        stats: { additions, deletions, total: additions + deletions },
        files: files.map((file) => fileShape(view, fullName, sha, file)),
      });
    },
    "message",
  ),
  route("GET", `${R}/compare/*range`, compare),
  route("GET", `${R}/rules/branches/*branch`, rules),
  route("GET", `${R}/branches`, (request) => {
    const repository = repositoryOf(request);
    return paged(request, request.view.repositories.branches(repository.fullName), (branch) =>
      branchShape(request.view, repository, branch),
    );
  }),
  route("GET", `${R}/branches/*branch/protection`, () => failure(404, "Branch not protected")),
  route("GET", `${R}/branches/*branch`, (request) =>
    json(200, oneBranch(request.view, repositoryOf(request), request.params["branch"] ?? "")),
  ),
  route("GET", `${R}/git/ref/*ref`, refShape),
  route("GET", `${R}/contents/*path`, (request) => contents(request)),
  route("GET", `${R}/readme`, (request) => contents(request, "README.md")),
  route("GET", `${R}/deployments`, deployments),
  route("GET", `${R}/deployments/:deployment/statuses`, deploymentStatuses),
];
