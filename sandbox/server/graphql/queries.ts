/** The root of queries. */
import { MESSAGES, WorldError } from "../../world/errors.js";
import { visibleRepository, type View } from "../view.js";
import type { Fields } from "./connection.js";
import { accountNode } from "./nodes/actors.js";
import { checkNode, statusNode } from "./nodes/checks.js";
import { commitNode, commitOfId } from "./nodes/commit.js";
import { issueNode } from "./nodes/issue.js";
import { issueCommentNode } from "./nodes/posted.js";
import { pullRequestNode } from "./nodes/pull-request.js";
import { repositoryNode } from "./nodes/repository.js";
import { reviewCommentNode, reviewNode, threadNode } from "./nodes/reviews.js";
import { search } from "./search.js";

const present = (view: View, id: string): Fields | null | undefined => {
  const commit = commitOfId(id);
  if (commit !== undefined) {
    const repository = [...view.world.repositories.values()].find((one) => one.databaseId === commit.repository);
    if (repository === undefined || visibleRepository(view, repository.fullName) === undefined) return undefined;
    return commitNode(view, repository.fullName, commit.sha);
  }
  const node = view.world.node(id);
  if (node === undefined) return undefined;
  const { state } = view;
  const seen = (name: string, fields: () => Fields): Fields | undefined =>
    visibleRepository(view, name) === undefined ? undefined : fields();
  switch (node.type) {
    case "account":
      return accountNode(view, node.value);
    case "repository":
      return seen(node.value.fullName, () => repositoryNode(view, node.value));
    case "pull-request":
      return seen(node.value.repository, () => pullRequestNode(view, node.value));
    case "issue": {
      const repository = [...view.world.repositories.values()].find((one) => one.issues.get(node.value.number) === node.value);
      return repository === undefined ? undefined : seen(repository.fullName, () => issueNode(view, repository, node.value));
    }
    case "thread":
      return seen(state.pullRequest(node.value.pullRequest).repository, () => threadNode(view, node.value));
    case "review":
    case "issue-comment":
    case "review-comment":
      return seen(state.pullRequestOf(node.value).repository, () => {
        const posted = node.value;
        if (posted.kind === "review") return reviewNode(view, posted);
        return posted.kind === "issue-comment" ? issueCommentNode(view, posted) : reviewCommentNode(view, posted);
      });
    case "check":
      return seen(node.value.repository, () => checkNode(view, node.value));
    case "status":
      return seen(node.value.repository, () => statusNode(view, node.value));
  }
};

const nodeOf = (view: View, id: string): Fields | null => {
  const found = present(view, id);
  if (found === undefined) throw new WorldError("NOT_FOUND", MESSAGES.noNode(id));
  return found;
};

/** The signed-in account. An app's is told with `[bot]` here, in spite of the field's type. */
export const viewerNode = (view: View): Fields => {
  const account = view.state.account(view.session.login);
  const fields = accountNode(view, account);
  if (account.kind !== "bot") return fields;
  return { ...fields, __typename: "User", login: `${account.login}[bot]`, name: null, email: "", isViewer: true };
};

export const queries = (view: View, rateLimit: (args: { readonly dryRun?: boolean | null }) => Fields): Fields => {
  const account = (kind: "user" | "organization" | undefined, what: string) => {
    return ({ login }: { readonly login: string }): Fields => {
      const found = view.world.accounts.get(login);
      const fits = found !== undefined && !found.deleted && (kind === undefined ? found.kind !== "bot" : found.kind === kind);
      if (!fits) throw new WorldError("NOT_FOUND", `Could not resolve to ${what} with the login of '${login}'.`);
      return accountNode(view, found);
    };
  };
  return {
    id: "Q_query",
    relay: () => queries(view, rateLimit),
    viewer: () => viewerNode(view),
    node: ({ id }: { readonly id: string }) => nodeOf(view, id),
    nodes: ({ ids }: { readonly ids: readonly string[] }) => ids.map((id) => present(view, id) ?? null),
    repository: ({ owner, name }: { readonly owner: string; readonly name: string }) => {
      const found = visibleRepository(view, `${owner}/${name}`);
      if (found === undefined) throw new WorldError("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return repositoryNode(view, found);
    },
    resource: ({ url }: { readonly url: string }) => {
      const [, repository = "", number] = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)(?:\/pull\/(\d+))?/u.exec(url) ?? [];
      const found = visibleRepository(view, repository);
      if (found === undefined) return null;
      if (number === undefined) return repositoryNode(view, found);
      const pullRequest = found.pullRequests.get(Number(number));
      return pullRequest === undefined ? null : pullRequestNode(view, pullRequest);
    },
    user: account("user", "a User"),
    organization: account("organization", "an Organization"),
    repositoryOwner: account(undefined, "a RepositoryOwner"),
    search: search(view),
    rateLimit,
  };
};
