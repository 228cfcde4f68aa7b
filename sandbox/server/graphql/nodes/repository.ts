/** Repositories and their branches. */
import { hasWrite, refusePush, viewerPermission } from "../../../world/rules.js";
import type { PullRequestRecord, RepositoryRecord } from "../../../world/records.js";
import { WorldError } from "../../../world/errors.js";
import { lastChange, time, visibleRepository, type View } from "../../view.js";
import { connection, none, type Fields, type Resolve } from "../connection.js";
import type { PageArguments } from "../page.js";
import { accountNode, actor } from "./actors.js";
import { commitNode } from "./commit.js";
import { issueNode } from "./issue.js";
import { pullRequestNode } from "./pull-request.js";

interface PullRequestArguments extends PageArguments {
  readonly states?: readonly string[] | null;
  readonly headRefName?: string | null;
  readonly baseRefName?: string | null;
  readonly orderBy?: { readonly field: string; readonly direction: "ASC" | "DESC" } | null;
}

const collaborators = (view: View, repository: RepositoryRecord) =>
  [repository.owner, ...repository.access.keys()]
    .filter((login, at, all) => all.indexOf(login) === at)
    .map((login) => view.world.accounts.get(login))
    .filter((account) => account?.kind === "user");

const pullRequests = (view: View, all: () => readonly PullRequestRecord[]): Resolve<PullRequestArguments> => {
  return (args, context, info) => {
    const { states, headRefName, baseRefName, orderBy } = args;
    const found = all()
      .filter((one) => states === undefined || states === null || states.includes(one.state.toUpperCase()))
      .filter((one) => typeof headRefName !== "string" || one.head.branch === headRefName)
      .filter((one) => typeof baseRefName !== "string" || one.base.branch === baseRefName)
      .sort((a, b) => (orderBy?.field === "UPDATED_AT" ? a.updatedAt - b.updatedAt || a.number - b.number : a.number - b.number));
    const ordered = orderBy?.direction === "DESC" ? found.toReversed() : found;
    return connection(
      view,
      () => ordered,
      (one) => pullRequestNode(view, one),
    )(args, context, info);
  };
};

export const refNode = (view: View, repository: RepositoryRecord, branch: string): Fields | null => {
  const sha = view.repositories.head(repository.fullName, branch);
  if (sha === undefined) return null;
  const rules = repository.protections.get(branch);
  return {
    __typename: "Ref",
    id: `REF_${Buffer.from(`${repository.databaseId}:refs/heads/${branch}`, "utf8").toString("base64url")}`,
    name: branch,
    prefix: "refs/heads/",
    repository: () => repositoryNode(view, repository),
    target: () => commitNode(view, repository.fullName, sha),
    associatedPullRequests: pullRequests(view, () => [...repository.pullRequests.values()].filter((one) => one.head.branch === branch)),
    // Administrators only.
    branchProtectionRule: null,
    rules: none(view),
    refUpdateRule:
      rules === undefined
        ? null
        : {
            pattern: branch,
            requiredApprovingReviewCount: rules.requiredApprovals,
            requiredStatusCheckContexts: rules.requiredChecks,
            requiresConversationResolution: rules.requiresConversationResolution,
            requiresCodeOwnerReviews: false,
            requiresLinearHistory: false,
            requiresSignatures: false,
            allowsDeletions: false,
            allowsForcePushes: false,
            blocksCreations: false,
            viewerAllowedToDismissReviews: hasWrite(view.state, view.session, repository),
            viewerCanPush: refusePush(view.state, view.session, repository, branch) === undefined,
          },
    compare: ({ headRef }: { readonly headRef: string }) => {
      const head = view.repositories.head(repository.fullName, headRef.replace(/^refs\/heads\//u, "")) ?? headRef;
      if (view.repositories.commit(repository.fullName, head) === undefined) return null;
      const ahead = view.repositories.commitsBetween(repository.fullName, sha, head);
      const behind = view.repositories.commitsBetween(repository.fullName, head, sha);
      return {
        id: `CMP_${sha}_${head}`,
        aheadBy: ahead.length,
        behindBy: behind.length,
        status: ahead.length === 0 ? (behind.length === 0 ? "IDENTICAL" : "BEHIND") : behind.length === 0 ? "AHEAD" : "DIVERGED",
        baseTarget: () => commitNode(view, repository.fullName, sha),
        headTarget: () => commitNode(view, repository.fullName, head),
        commits: connection(
          view,
          () => ahead,
          (one) => commitNode(view, repository.fullName, one),
        ),
      };
    },
  };
};

const branchOf = (name: string): string => name.replace(/^refs\/heads\//u, "").replace(/^heads\//u, "");

const shared = (view: View, repository: RepositoryRecord): Fields => {
  const path = `/${repository.fullName}`;
  const permission = viewerPermission(view.state, view.session, repository);
  return {
    __typename: "Repository",
    id: repository.id,
    databaseId: repository.databaseId,
    name: repository.name,
    nameWithOwner: repository.fullName,
    description: null,
    homepageUrl: null,
    isArchived: repository.archived,
    archivedAt: repository.archived ? time(lastChange(view)) : null,
    isPrivate: repository.private,
    visibility: repository.private ? "PRIVATE" : "PUBLIC",
    isFork: repository.forkOf !== undefined,
    isTemplate: false,
    isEmpty: view.repositories.branches(repository.fullName).length === 0,
    isDisabled: false,
    isLocked: false,
    isMirror: false,
    lockReason: null,
    mirrorUrl: null,
    licenseInfo: null,
    primaryLanguage: null,
    hasIssuesEnabled: true,
    hasProjectsEnabled: false,
    hasWikiEnabled: false,
    hasDiscussionsEnabled: false,
    isInOrganization: view.world.accounts.get(repository.owner)?.kind === "organization",
    forkCount: [...view.world.repositories.values()].filter((other) => other.forkOf === repository.fullName).length,
    stargazerCount: 0,
    diskUsage: 1,
    mergeCommitAllowed: true,
    squashMergeAllowed: true,
    rebaseMergeAllowed: true,
    autoMergeAllowed: false,
    allowUpdateBranch: true,
    deleteBranchOnMerge: false,
    viewerDefaultMergeMethod: "MERGE",
    viewerDefaultCommitEmail: null,
    createdAt: time(1_600_000_000_000),
    updatedAt: time(lastChange(view)),
    pushedAt: time(lastChange(view)),
    resourcePath: path,
    url: `${view.web}${path}`,
    sshUrl: `git@${new URL(view.web).host}:${repository.fullName}.git`,
    viewerPermission: permission === "none" ? null : permission.toUpperCase(),
    viewerCanAdminister: permission === "admin",
    viewerCanCreateProjects: false,
    viewerCanSubscribe: true,
    viewerHasStarred: false,
    viewerSubscription: "UNSUBSCRIBED",
  };
};

export const repositoryNode = (view: View, repository: RepositoryRecord): Fields => ({
  ...shared(view, repository),
  owner: () => actor(view, repository.owner),
  parent: () => {
    const parent = repository.forkOf === undefined ? undefined : visibleRepository(view, repository.forkOf);
    return parent === undefined ? null : repositoryNode(view, parent);
  },
  templateRepository: null,
  defaultBranchRef: () => refNode(view, repository, repository.defaultBranch),
  ref: ({ qualifiedName }: { readonly qualifiedName: string }) => refNode(view, repository, branchOf(qualifiedName)),
  refs: connection(
    view,
    () => view.repositories.branches(repository.fullName),
    (branch) => refNode(view, repository, branch),
  ),
  object: ({ oid, expression }: { readonly oid?: string | null; readonly expression?: string | null }) => {
    const sha = oid ?? view.repositories.head(repository.fullName, branchOf(expression ?? "")) ?? expression ?? "";
    return commitNode(view, repository.fullName, sha);
  },
  pullRequest: ({ number }: { readonly number: number }) => pullRequestNode(view, view.world.pullRequest(repository.fullName, number)),
  pullRequests: pullRequests(view, () => [...repository.pullRequests.values()]),
  issue: ({ number }: { readonly number: number }) => {
    const found = repository.issues.get(number);
    if (found === undefined) throw new WorldError("NOT_FOUND", `Could not resolve to an Issue with the number of ${number}.`);
    return issueNode(view, repository, found);
  },
  issueOrPullRequest: ({ number }: { readonly number: number }) => {
    const issue = repository.issues.get(number);
    if (issue !== undefined) return issueNode(view, repository, issue);
    const found = repository.pullRequests.get(number);
    if (found === undefined)
      throw new WorldError("NOT_FOUND", `Could not resolve to an issue or pull request with the number of ${number}.`);
    return pullRequestNode(view, found);
  },
  issues: connection(
    view,
    () => [...repository.issues.values()],
    (issue) => issueNode(view, repository, issue),
  ),
  assignableUsers: connection(
    view,
    () => collaborators(view, repository),
    (account) => (account === undefined ? null : accountNode(view, account)),
  ),
  mentionableUsers: connection(
    view,
    () => collaborators(view, repository),
    (account) => (account === undefined ? null : accountNode(view, account)),
  ),
  collaborators: connection(
    view,
    () => collaborators(view, repository),
    (account) => (account === undefined ? null : accountNode(view, account)),
  ),
  forks: connection(
    view,
    () => [...view.world.repositories.values()].filter((other) => other.forkOf === repository.fullName),
    (other) => repositoryNode(view, other),
  ),
  mergeQueue: null,
  branchProtectionRules: none(view),
  labels: none(view),
  label: null,
  milestones: none(view),
  milestone: null,
  projects: none(view),
  projectsV2: none(view),
  languages: none(view),
  repositoryTopics: none(view),
  watchers: none(view),
  deployments: none(view),
});
