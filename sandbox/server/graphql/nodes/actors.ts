/** Accounts as actors. A bot's login has no `[bot]` here; REST adds it. */
import type { AccountRecord, RequestRecord } from "../../../world/records.js";
import { accountOf, time, type View } from "../../view.js";
import { connection, none, type Fields } from "../connection.js";
import { repositoryNode } from "./repository.js";

const TYPES: Readonly<Record<AccountRecord["kind"], string>> = {
  user: "User",
  bot: "Bot",
  organization: "Organization",
  mannequin: "Mannequin",
};

const BIRTH = 1_300_000_000_000;

export const accountNode = (view: View, account: AccountRecord): Fields => {
  const path = account.kind === "bot" ? `/apps/${account.login}` : `/${account.login}`;
  const repositories = connection(
    view,
    () => [...view.world.repositories.values()].filter((repository) => repository.owner === account.login),
    (repository) => repositoryNode(view, repository),
  );
  const base = {
    __typename: TYPES[account.kind],
    id: account.id,
    databaseId: account.databaseId,
    login: account.kind === "bot" && view.world.faults.on("bot-spelling") ? `${account.login}[bot]` : account.login,
    avatarUrl: `${view.web}/avatars/${account.databaseId}`,
    resourcePath: path,
    url: `${view.web}${path}`,
    createdAt: time(BIRTH),
    updatedAt: time(BIRTH),
  };
  if (account.kind === "bot") return base;
  return {
    ...base,
    name: account.kind === "mannequin" ? undefined : null,
    email: "",
    bio: null,
    company: null,
    location: null,
    websiteUrl: null,
    description: null,
    claimant: null,
    isViewer: account.login === view.session.login,
    isSiteAdmin: false,
    isBountyHunter: false,
    viewerIsAMember: account.members.has(view.session.login),
    viewerCanCreateProjects: false,
    repositories,
    repository: ({ name }: { readonly name: string }) => {
      const found = [...view.world.repositories.values()].find((each) => each.owner === account.login && each.name === name);
      return found === undefined ? null : repositoryNode(view, found);
    },
    organizations: connection(
      view,
      () => [...view.world.accounts.values()].filter((other) => other.kind === "organization" && other.members.has(account.login)),
      (other) => accountNode(view, other),
    ),
    teams: none(view),
    team: () => null,
    projects: none(view),
    projectsV2: none(view),
  };
};

export const actor = (view: View, login: string | undefined): Fields | null => {
  const account = accountOf(view, login);
  return account === undefined ? null : accountNode(view, account);
};

/** `User` only: a bot can't be named by a field of that type. */
export const userOnly = (view: View, login: string | undefined): Fields | null => {
  const account = accountOf(view, login);
  return account?.kind === "user" ? accountNode(view, account) : null;
};

/** `organization/slug` of a team's id. */
export const teamOfId = (id: string): string | undefined => {
  const combined = id.startsWith("T_") ? Buffer.from(id.slice(2), "base64url").toString("utf8") : "";
  return /^[\w.-]+\/[\w.-]+$/u.test(combined) ? combined : undefined;
};

const teamNode = (view: View, combined: string): Fields => {
  const [organization = "", slug = ""] = combined.split("/");
  const path = `/orgs/${organization}/teams/${slug}`;
  return {
    __typename: "Team",
    id: `T_${Buffer.from(combined, "utf8").toString("base64url")}`,
    slug,
    name: slug,
    combinedSlug: combined,
    description: null,
    organization: () => actor(view, organization),
    resourcePath: path,
    url: `${view.web}${path}`,
    members: none(view),
  };
};

export const reviewer = (view: View, request: Pick<RequestRecord, "login">): Fields | null =>
  request.login.includes("/") ? teamNode(view, request.login) : actor(view, request.login);
