/** Pure: which server, from the environment alone. No config can choose it. */
import { ReviewloopError } from "../../errors.js";
import type { PullRequestRef, RepositoryRef } from "../../model.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface GithubHost {
  /** Of the web pages, with a port where there is one. */
  readonly host: string;
  /** Of the web pages and of git: `https://github.com`. */
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");

const webOf = (apiUrl: string): string => {
  const { protocol, host } = new URL(apiUrl);
  if (host === "api.github.com") return "https://github.com";
  // Data residency: the API of TENANT.ghe.com is api.TENANT.ghe.com.
  if (host.startsWith("api.") && host.endsWith(".ghe.com")) return `${protocol}//${host.slice(4)}`;
  return `${protocol}//${host}`;
};

/** `GITHUB_API_URL` and `GITHUB_GRAPHQL_URL` (as on Actions), else `GH_HOST`, else github.com. */
export const hostFrom = (environment: Environment): GithubHost => {
  const api = environment["GITHUB_API_URL"];
  const graphql = environment["GITHUB_GRAPHQL_URL"];
  const ghHost = environment["GH_HOST"];
  if (api !== undefined && api !== "") {
    const apiUrl = trimmed(api);
    let webUrl: string;
    try {
      webUrl = environment["GITHUB_SERVER_URL"] ?? webOf(apiUrl);
    } catch (cause) {
      throw new ReviewloopError("USAGE", { problem: `GITHUB_API_URL is not a URL: ${api}` }, { cause });
    }
    return {
      host: new URL(webUrl).host,
      webUrl: trimmed(webUrl),
      apiUrl,
      graphqlUrl: trimmed(graphql ?? apiUrl.replace(/\/v3$/, "").concat("/graphql")),
    };
  }
  if (ghHost !== undefined && ghHost !== "" && ghHost !== "github.com") {
    if (ghHost.endsWith(".ghe.com"))
      return { host: ghHost, webUrl: `https://${ghHost}`, apiUrl: `https://api.${ghHost}`, graphqlUrl: `https://api.${ghHost}/graphql` };
    return { host: ghHost, webUrl: `https://${ghHost}`, apiUrl: `https://${ghHost}/api/v3`, graphqlUrl: `https://${ghHost}/api/graphql` };
  }
  return {
    host: "github.com",
    webUrl: "https://github.com",
    apiUrl: "https://api.github.com",
    graphqlUrl: "https://api.github.com/graphql",
  };
};

/** A URL, `#12` or `12`. Numbers need to know the repository. Undefined: it names none of these. */
export const parseReference = (text: string, host: GithubHost, home: RepositoryRef | undefined): PullRequestRef | undefined => {
  const number = /^#?(\d{1,9})$/.exec(text.trim())?.[1];
  if (number !== undefined) return home === undefined ? undefined : { ...home, number: Number(number) };
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return undefined;
  }
  const found = /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d{1,9})(?:\/.*)?$/.exec(url.pathname);
  if (found?.[1] === undefined || found[2] === undefined || found[3] === undefined) return undefined;
  if (url.host.toLowerCase() !== host.host.toLowerCase()) {
    throw new ReviewloopError(
      "USAGE",
      { problem: `${url.host} is not the host in use (${host.host})` },
      { hint: `Set GH_HOST=${url.host}, or GITHUB_API_URL and GITHUB_GRAPHQL_URL.` },
    );
  }
  return { host: host.host, owner: found[1], name: found[2], number: Number(found[3]) };
};
