/** REST's shapes of commits, files, check runs, suites and statuses. */
import type { Sha } from "../../../core/index.js";
import type { CheckRecord, PullRequestRecord, StatusRecord } from "../../world/records.js";
import type { RepositoryName } from "../../world/repositories.js";
import type { FileDiff } from "../git/bare-repositories.js";
import { commitId } from "../graphql/nodes/commit.js";
import { ownUrl, time, timeOrNull, type View } from "../view.js";
import { repositoryInShape, user, userShape } from "./present.js";

type Shape = Readonly<Record<string, unknown>>;

const UNSIGNED = { verified: false, reason: "unsigned", payload: null, signature: null, verified_at: null };

export const commitShape = (view: View, name: RepositoryName, sha: Sha): Shape | null => {
  const commit = view.repositories.commit(name, sha);
  if (commit === undefined) return null;
  const url = `${view.api}/repos/${name}/commits/${sha}`;
  const who = { ...commit.author, date: time(commit.committedAt) };
  return {
    url,
    sha,
    node_id: commitId(view.world.repository(name).databaseId, sha),
    html_url: `${view.web}/${name}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      url: `${view.api}/repos/${name}/git/commits/${sha}`,
      author: who,
      committer: who,
      message: commit.message,
      comment_count: 0,
      tree: { sha: commit.tree, url: `${view.api}/repos/${name}/git/trees/${commit.tree}` },
      verification: UNSIGNED,
    },
    author: null,
    committer: null,
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: `${view.api}/repos/${name}/commits/${parent}`,
      html_url: `${view.web}/${name}/commit/${parent}`,
    })),
  };
};

/** As git has it, without the pages about it. */
export const gitCommitShape = (view: View, name: RepositoryName, sha: Sha): Shape => {
  const commit = view.repositories.commit(name, sha);
  if (commit === undefined) return { sha };
  const url = (of: Sha): string => `${view.api}/repos/${name}/git/commits/${of}`;
  const page = (of: Sha): string => `${view.web}/${name}/commit/${of}`;
  const who = { ...commit.author, date: time(commit.committedAt) };
  return {
    sha,
    node_id: commitId(view.world.repository(name).databaseId, sha),
    url: url(sha),
    html_url: page(sha),
    author: who,
    committer: who,
    message: commit.message,
    tree: { sha: commit.tree, url: `${view.api}/repos/${name}/git/trees/${commit.tree}` },
    parents: commit.parents.map((parent) => ({ sha: parent, url: url(parent), html_url: page(parent) })),
    verification: UNSIGNED,
  };
};

export const fileShape = (view: View, name: RepositoryName, sha: Sha, file: FileDiff): Shape => {
  const path = file.path.split("/").map(encodeURIComponent).join("/");
  return {
    sha: file.blob,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${view.web}/${name}/blob/${sha}/${path}`,
    raw_url: `${view.web}/${name}/raw/${sha}/${path}`,
    contents_url: `${view.api}/repos/${name}/contents/${path}?ref=${sha}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.was === undefined ? {} : { previous_filename: file.was }),
  };
};

export const pullRequestsWithHead = (view: View, repository: string, head: Sha): readonly PullRequestRecord[] =>
  [...view.world.repository(repository).pullRequests.values()].filter((one) => one.head.sha === head);

/** Registered so far: the fault `no-checks-yet` hides them for a while. */
export const checksOf = (view: View, repository: string, head: Sha): readonly CheckRecord[] =>
  pullRequestsWithHead(view, repository, head).some((one) => view.world.noChecksYet(one)) ? [] : view.world.checksOf(repository, head);
export const statusesOf = (view: View, repository: string, head: Sha): readonly StatusRecord[] =>
  pullRequestsWithHead(view, repository, head).some((one) => view.world.noChecksYet(one)) ? [] : view.world.statusesOf(repository, head);

const appShape = (view: View, login: string): Shape => {
  const account = view.world.accounts.get(login);
  return {
    id: account?.databaseId ?? 1,
    slug: login,
    node_id: account?.id ?? "",
    owner: account === undefined ? null : userShape(view, account, login),
    name: login,
    description: "",
    external_url: `${view.web}/apps/${login}`,
    html_url: `${view.web}/apps/${login}`,
    created_at: time(1_500_000_000_000),
    updated_at: time(1_500_000_000_000),
    permissions: { checks: "write", metadata: "read" },
    events: [],
  };
};

const branchShape = (view: View, ref: string, sha: Sha, repository: string): Shape => ({
  ref,
  sha,
  repo: {
    id: view.world.repository(repository).databaseId,
    url: `${view.api}/repos/${repository}`,
    name: view.world.repository(repository).name,
  },
});

const pullRequestMinimal = (view: View, one: PullRequestRecord): Shape => ({
  url: `${view.api}/repos/${one.repository}/pulls/${one.number}`,
  id: one.databaseId,
  number: one.number,
  head: branchShape(view, one.head.branch, one.head.sha, one.head.repository ?? one.repository),
  base: branchShape(view, one.base.branch, one.base.sha, one.repository),
});

export const checkRunShape = (view: View, check: CheckRecord): Shape => {
  const url = `${view.api}/repos/${check.repository}/check-runs/${check.databaseId}`;
  return {
    id: check.databaseId,
    name: check.name,
    node_id: check.id,
    head_sha: check.head,
    external_id: "",
    url,
    html_url: `${view.web}/${check.repository}/runs/${check.databaseId}`,
    details_url: ownUrl(view, check.url),
    status: check.status.toLowerCase(),
    conclusion: check.conclusion?.toLowerCase() ?? null,
    started_at: timeOrNull(check.startedAt),
    completed_at: timeOrNull(check.completedAt),
    output: {
      title: check.title ?? null,
      summary: check.summary ?? null,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: check.suite.databaseId },
    app: appShape(view, check.app),
    // A fork's head is not told here.
    pull_requests: pullRequestsWithHead(view, check.repository, check.head)
      .filter((one) => one.head.repository === one.repository)
      .map((one) => pullRequestMinimal(view, one)),
  };
};

/** A commit as checks and runs name it. */
export const simpleCommit = (view: View, repository: string, head: Sha): Shape | null => {
  const commit = view.repositories.commit(view.world.repository(repository).fullName, head);
  if (commit === undefined) return null;
  const { name, email } = commit.author;
  return {
    id: head,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: time(commit.committedAt),
    author: { name, email },
    committer: { name, email },
  };
};

export const checkSuiteShape = (view: View, runs: readonly CheckRecord[], check: CheckRecord): Shape => {
  const done = runs.every((run) => run.status === "COMPLETED");
  const url = `${view.api}/repos/${check.repository}/check-suites/${check.suite.databaseId}`;
  const conclusion = runs.find((run) => run.conclusion !== "SUCCESS")?.conclusion ?? "SUCCESS";
  return {
    id: check.suite.databaseId,
    node_id: check.suite.id,
    head_branch: pullRequestsWithHead(view, check.repository, check.head)[0]?.head.branch ?? null,
    head_sha: check.head,
    status: done ? "completed" : "in_progress",
    conclusion: done ? conclusion.toLowerCase() : null,
    url,
    before: null,
    after: check.head,
    pull_requests: [],
    app: appShape(view, check.app),
    created_at: time(check.createdAt),
    updated_at: time(Math.max(...runs.map((run) => run.completedAt ?? run.createdAt))),
    latest_check_runs_count: runs.length,
    check_runs_url: `${url}/check-runs`,
    head_commit: simpleCommit(view, check.repository, check.head),
    repository: repositoryInShape(view, view.world.repository(check.repository)),
  };
};

export const statusShape = (view: View, status: StatusRecord): Shape => ({
  ...statusInShape(view, status),
  creator: user(view, status.creator),
});

/** As the combined status has it. */
export const statusInShape = (view: View, status: StatusRecord): Shape => ({
  url: `${view.api}/repos/${status.repository}/statuses/${status.head}`,
  avatar_url: null,
  id: status.databaseId,
  node_id: status.id,
  state: status.state === "EXPECTED" ? "pending" : status.state.toLowerCase(),
  description: status.description ?? null,
  target_url: status.url ?? null,
  context: status.context,
  created_at: time(status.createdAt),
  updated_at: time(status.createdAt),
});
