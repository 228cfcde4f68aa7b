/** REST's shapes of accounts, repositories and pull requests. A bot's login carries `[bot]` here. */
import type { Sha } from "../../../core/index.js";
import type { AccountRecord, PullRequestRecord, RepositoryRecord } from "../../world/records.js";
import { hasWrite, viewerPermission } from "../../world/rules.js";
import { commitsOf } from "../graphql/nodes/pull-request.js";
import {
  accountOf,
  lastChange,
  mergeBaseOf,
  pullRequestUrl,
  time,
  timeOrNull,
  visibleRepository,
  visibleThreads,
  type View,
} from "../view.js";
import { repositoryLinks } from "./links.js";

type Shape = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<AccountRecord["kind"], string>> = {
  user: "User",
  bot: "Bot",
  organization: "Organization",
  mannequin: "Mannequin",
};

const restLogin = (view: View, account: AccountRecord): string =>
  account.kind === "bot" && !view.world.faults.on("bot-spelling") ? `${account.login}[bot]` : account.login;

/** The login that a REST client writes -> the world's. A bot is named with `[bot]` only. */
export const worldLogin = (view: View, written: string): string | undefined => {
  const bare = written.replace(/\[bot\]$/u, "");
  const account = view.world.accounts.get(bare);
  if (account === undefined) return undefined;
  return (account.kind === "bot") === (bare !== written) ? bare : undefined;
};

export const userShape = (view: View, account: AccountRecord, login = restLogin(view, account)): Shape => {
  const url = `${view.api}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id: account.databaseId,
    node_id: account.id,
    avatar_url: `${view.web}/avatars/${account.databaseId}`,
    gravatar_id: "",
    url,
    html_url: `${view.web}/${account.kind === "bot" ? "apps/" : ""}${account.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: TYPES[account.kind],
    user_view_type: "public",
    site_admin: false,
  };
};

/** Null for a deleted account. */
export const user = (view: View, login: string | undefined): Shape | null => {
  const account = accountOf(view, login);
  return account === undefined ? null : userShape(view, account);
};

export const team = (view: View, combined: string): Shape => {
  const [organization = "", slug = ""] = combined.split("/");
  const url = `${view.api}/orgs/${organization}/teams/${slug}`;
  return {
    id: 1,
    node_id: `T_${combined}`,
    url,
    html_url: `${view.web}/orgs/${organization}/teams/${slug}`,
    name: slug,
    slug,
    description: null,
    privacy: "closed",
    notification_setting: "notifications_enabled",
    permission: "pull",
    type: "organization",
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
  };
};
/** As lists of teams have it. */
export const teamInList = (view: View, combined: string): Shape => ({ ...team(view, combined), parent: null });

/** As other things name it: without what only its own answer tells. */
export const repositoryInShape = (view: View, repository: RepositoryRecord): Shape => {
  const url = `${view.api}/repos/${repository.fullName}`;
  const role = viewerPermission(view.state, view.session, repository);
  return {
    id: repository.databaseId,
    node_id: repository.id,
    name: repository.name,
    full_name: repository.fullName,
    owner: user(view, repository.owner),
    private: repository.private,
    visibility: repository.private ? "private" : "public",
    html_url: `${view.web}/${repository.fullName}`,
    description: null,
    fork: repository.forkOf !== undefined,
    url,
    clone_url: `${view.web}/${repository.fullName}.git`,
    git_url: `${view.web.replace(/^https?/u, "git")}/${repository.fullName}.git`,
    ssh_url: `git@${new URL(view.web).host}:${repository.fullName}.git`,
    svn_url: `${view.web}/${repository.fullName}`,
    mirror_url: null,
    ...repositoryLinks(url),
    default_branch: repository.defaultBranch,
    archived: repository.archived,
    disabled: false,
    is_template: false,
    homepage: null,
    language: null,
    license: null,
    topics: [],
    size: 1,
    forks: 0,
    forks_count: 0,
    open_issues: 0,
    open_issues_count: [...repository.pullRequests.values()].filter((one) => one.state === "open").length,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    created_at: time(1_600_000_000_000),
    updated_at: time(lastChange(view)),
    pushed_at: time(lastChange(view)),
    permissions: {
      admin: role === "admin",
      maintain: role === "admin" || role === "maintain",
      push: hasWrite(view.state, view.session, repository),
      triage: role !== "read" && role !== "none",
      pull: role !== "none",
    },
  };
};

export const repositoryShape = (view: View, repository: RepositoryRecord): Shape => ({
  ...repositoryInShape(view, repository),
  allow_merge_commit: true,
  allow_squash_merge: true,
  allow_rebase_merge: true,
  allow_update_branch: true,
});

const side = (view: View, name: string | null, branch: string, sha: Sha): Shape => {
  const repository = name === null ? undefined : visibleRepository(view, name);
  const owner = name?.split("/")[0];
  return {
    label: owner === undefined ? branch : `${owner}:${branch}`,
    ref: branch,
    sha,
    user: user(view, owner),
    repo: repository === undefined ? null : repositoryShape(view, repository),
  };
};

/** A pull request as lists have it. */
export const pullRequestInList = (view: View, pullRequest: PullRequestRecord): Shape => {
  const url = `${view.api}/repos/${pullRequest.repository}/pulls/${pullRequest.number}`;
  const issue = `${view.api}/repos/${pullRequest.repository}/issues/${pullRequest.number}`;
  const html = pullRequestUrl(view, pullRequest);
  const statuses = `${view.api}/repos/${pullRequest.repository}/statuses/${pullRequest.head.sha}`;
  const merged = pullRequest.timeline.findLast((event) => event.kind === "merged");
  const asked = view.state.shownRequests(pullRequest);
  return {
    url,
    id: pullRequest.databaseId,
    node_id: pullRequest.id,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    number: pullRequest.number,
    state: pullRequest.state === "open" ? "open" : "closed",
    locked: pullRequest.locked,
    active_lock_reason: null,
    title: pullRequest.title,
    user: user(view, pullRequest.author),
    body: pullRequest.body === "" ? null : pullRequest.body,
    labels: [],
    milestone: null,
    created_at: time(pullRequest.createdAt),
    updated_at: time(pullRequest.updatedAt),
    closed_at: timeOrNull(pullRequest.closedAt),
    merged_at: timeOrNull(pullRequest.mergedAt),
    merge_commit_sha: merged?.after ?? null,
    assignee: null,
    assignees: [],
    // Bots are asked too, and are not listed here.
    requested_reviewers: asked.filter((request) => request.kind === "user").map((request) => user(view, request.login)),
    requested_teams: asked.filter((request) => request.kind === "team").map((request) => teamInList(view, request.login)),
    draft: pullRequest.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${view.api}/repos/${pullRequest.repository}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: side(view, pullRequest.head.repository, pullRequest.head.branch, pullRequest.head.sha),
    base: side(view, pullRequest.repository, pullRequest.base.branch, pullRequest.base.sha),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${view.api}/repos/${pullRequest.repository}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: view.state.associationOf(view.state.repositoryOf(pullRequest), pullRequest.author),
    auto_merge: null,
  };
};

/** A single one: with the merge state, whose read is counted. */
export const pullRequestShape = (view: View, pullRequest: PullRequestRecord): Shape => {
  const { mergeable, mergeState } = view.world.mergeView(pullRequest, "rest");
  const files = view.repositories.diff(pullRequest.repository, mergeBaseOf(view, pullRequest), pullRequest.head.sha);
  const comments = visibleThreads(view, pullRequest).flatMap((thread) =>
    thread.comments.filter((comment) => comment.state === "SUBMITTED"),
  );
  const mergedBy = pullRequest.timeline.findLast((event) => event.kind === "merged")?.actor;
  const teams = view.state.shownRequests(pullRequest).filter((request) => request.kind === "team");
  return {
    ...pullRequestInList(view, pullRequest),
    requested_teams: teams.map((request) => team(view, request.login)),
    merged: pullRequest.state === "merged",
    mergeable: mergeable === "UNKNOWN" ? null : mergeable === "MERGEABLE",
    rebaseable: mergeable === "UNKNOWN" ? null : mergeable === "MERGEABLE",
    mergeable_state: mergeState.toLowerCase(),
    merged_by: user(view, mergedBy),
    comments: pullRequest.comments.length,
    review_comments: comments.length,
    maintainer_can_modify: pullRequest.maintainerCanModify,
    commits: commitsOf(view, pullRequest).length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
};
