/** Commits, and who made them. */
import type { Sha } from "../../../../core/index.js";
import { html, time, type View } from "../../view.js";
import type { RepositoryName } from "../../../world/repositories.js";
import { connection, none, type Fields } from "../connection.js";
import { rollup, statusOf, suites } from "./checks.js";
import { deploymentNode } from "./deployments.js";
import { pullRequestNode } from "./pull-request.js";
import { repositoryNode } from "./repository.js";

/** A commit is known by repository and hash. */
export const commitId = (databaseId: number, sha: Sha): string => `C_${Buffer.from(`${databaseId}:${sha}`, "utf8").toString("base64url")}`;
export const commitOfId = (id: string): { readonly repository: number; readonly sha: Sha } | undefined => {
  const match = /^(\d+):([0-9a-f]{40})$/u.exec(id.startsWith("C_") ? Buffer.from(id.slice(2), "base64url").toString("utf8") : "");
  return match === null ? undefined : { repository: Number(match[1]), sha: match[2] ?? "" };
};

export const commitNode = (view: View, name: string, sha: Sha): Fields | null => {
  const record = view.world.repository(name);
  const repository: RepositoryName = record.fullName;
  const commit = view.repositories.commit(repository, sha);
  // Collected as garbage.
  if (commit === undefined) return null;
  const path = `/${repository}/commit/${sha}`;
  const [headline = ""] = commit.message.split("\n");
  const rest = commit.message.slice(headline.length).replace(/^\n+/u, "");
  const who = {
    __typename: "GitActor",
    name: commit.author.name,
    email: commit.author.email,
    date: time(commit.committedAt),
    avatarUrl: `${view.web}/avatars/${commit.author.name}`,
    user: null,
  };
  const files = () => {
    const [parent] = commit.parents;
    return parent === undefined ? [] : view.repositories.diff(repository, parent, sha);
  };
  return {
    __typename: "Commit",
    id: commitId(record.databaseId, sha),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    message: commit.message,
    messageHeadline: headline,
    messageHeadlineHTML: () => html(headline),
    messageBody: rest,
    messageBodyHTML: () => html(rest),
    author: who,
    committer: who,
    authors: connection(
      view,
      () => [who],
      (one) => one,
    ),
    authoredByCommitter: true,
    authoredDate: time(commit.committedAt),
    committedDate: time(commit.committedAt),
    committedViaWeb: false,
    pushedDate: null,
    onBehalfOf: null,
    additions: () => files().reduce((sum, file) => sum + file.additions, 0),
    deletions: () => files().reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: () => files().length,
    changedFilesIfAvailable: () => files().length,
    parents: connection(
      view,
      () => commit.parents,
      (parent) => commitNode(view, repository, parent),
    ),
    history: connection(
      view,
      () => ancestors(view, repository, sha),
      (one) => commitNode(view, repository, one),
    ),
    tree: { __typename: "Tree", oid: commit.tree, id: `T_${commit.tree}`, abbreviatedOid: commit.tree.slice(0, 7) },
    status: () => statusOf(view, repository, sha),
    statusCheckRollup: () => rollup(view, repository, sha),
    checkSuites: suites(view, repository, sha),
    comments: none(view),
    deployments: connection(
      view,
      () =>
        [...record.pullRequests.values()].flatMap((one) =>
          one.deployments.filter((each) => each.head === sha).map((each) => ({ one, each })),
        ),
      ({ one, each }) => deploymentNode(view, one, each),
    ),
    associatedPullRequests: connection(
      view,
      () => [...record.pullRequests.values()].filter((one) => one.head.sha === sha),
      (one) => pullRequestNode(view, one),
    ),
    repository: () => repositoryNode(view, record),
    url: `${view.web}${path}`,
    commitUrl: `${view.web}${path}`,
    resourcePath: path,
    commitResourcePath: path,
    treeUrl: `${view.web}/${repository}/tree/${sha}`,
    treeResourcePath: `/${repository}/tree/${sha}`,
    viewerCanSubscribe: false,
    viewerSubscription: null,
  };
};

/** Newest first, itself included. */
const ancestors = (view: View, repository: RepositoryName, sha: Sha): readonly Sha[] => {
  const seen = new Set<Sha>();
  const queue = [sha];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...(view.repositories.commit(repository, next)?.parents ?? []));
  }
  return [...seen];
};
