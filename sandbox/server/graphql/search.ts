/** Search for pull requests and issues, by the qualifiers that clients send. */
import type { GraphQLResolveInfo } from "graphql";
import type { IssueRecord, PullRequestRecord, RepositoryRecord } from "../../world/records.js";
import { visibleRepository, type View } from "../view.js";
import type { Fields } from "./connection.js";
import { issueNode } from "./nodes/issue.js";
import { pullRequestNode } from "./nodes/pull-request.js";
import { page, type PageArguments } from "./page.js";

interface Found {
  readonly repository: RepositoryRecord;
  readonly pullRequest?: PullRequestRecord;
  readonly issue?: IssueRecord;
}

type Qualifier = (found: Found, value: string) => boolean;

const stateIs: Qualifier = ({ pullRequest }, value) => {
  const state = pullRequest?.state ?? "open";
  return value === "closed" ? state !== "open" : state === value;
};

const QUALIFIERS: Readonly<Record<string, Qualifier>> = {
  repo: ({ repository }, value) => repository.fullName.toLowerCase() === value.toLowerCase(),
  user: ({ repository }, value) => repository.owner === value,
  org: ({ repository }, value) => repository.owner === value,
  type: ({ pullRequest }, value) => (value === "pr") === (pullRequest !== undefined),
  is: (found, value) => {
    if (value === "pr" || value === "issue") return (value === "pr") === (found.pullRequest !== undefined);
    if (value === "draft") return found.pullRequest?.draft === true;
    return stateIs(found, value);
  },
  state: stateIs,
  draft: ({ pullRequest }, value) => pullRequest?.draft === (value === "true"),
  author: ({ pullRequest, issue }, value) => (pullRequest ?? issue)?.author === value.replace(/^app\//u, ""),
  "review-requested": ({ pullRequest }, value) => pullRequest?.requests.some((request) => request.login === value) === true,
  "reviewed-by": ({ pullRequest }, value) => pullRequest?.reviews.some((review) => review.author === value) === true,
  assignee: () => false,
  mentions: () => false,
  head: ({ pullRequest }, value) => pullRequest?.head.branch === value,
  base: ({ pullRequest }, value) => pullRequest?.base.branch === value,
  sort: () => true,
};

const fits = (view: View, found: Found, query: string): boolean =>
  query
    .split(/\s+/u)
    .filter((word) => word !== "")
    .every((word) => {
      const [, no, name = "", value = ""] = /^(-?)([\w-]+):"?([^"]*)"?$/u.exec(word) ?? [];
      if (name === "") {
        const { title = "", body = "" } = found.pullRequest ?? found.issue ?? {};
        return `${title}\n${body}`.toLowerCase().includes(word.toLowerCase());
      }
      const qualifier = QUALIFIERS[name];
      if (qualifier === undefined) throw new Error(`The sandbox does not know the search qualifier "${name}".`);
      return qualifier(found, value === "@me" ? view.session.login : value) !== (no === "-");
    });

export interface SearchArguments extends PageArguments {
  readonly query: string;
  readonly type: string;
}

export const search = (view: View) => {
  return (args: SearchArguments, _context: unknown, info: GraphQLResolveInfo): Fields => {
    if (args.type !== "ISSUE") throw new Error(`The sandbox does not search for ${args.type}.`);
    const all = [...view.world.repositories.values()]
      .filter((repository) => visibleRepository(view, repository.fullName) !== undefined)
      .flatMap((repository): readonly Found[] => [
        ...[...repository.pullRequests.values()].map((pullRequest) => ({ repository, pullRequest })),
        ...[...repository.issues.values()].map((issue) => ({ repository, issue })),
      ])
      .filter((found) => fits(view, found, args.query));
    const present = ({ repository, pullRequest, issue }: Found): Fields | null => {
      if (pullRequest !== undefined) return pullRequestNode(view, pullRequest);
      return issue === undefined ? null : issueNode(view, repository, issue);
    };
    const count = { issueCount: all.length, codeCount: 0, discussionCount: 0, repositoryCount: 0, userCount: 0, wikiCount: 0 };
    return { ...page(all, present, args, info, { limit: view.world.faults.get("page-size")?.size }), ...count };
  };
};
