/** Talking to the server: the token's way to git, fetching, reading a tip, and what git's words mean. */
import { ReviewloopError } from "../../errors.js";
import type { Sha } from "../../model.js";
import type { Clock } from "../../ports.js";
import { gitFailed, lineOf, objectId, wordsOf, type GitCall, type GitOutput, type Place, type RunGit } from "./command.js";

export interface Token {
  readonly value: string;
  /** The address the token was given for; it goes to no other origin. */
  readonly remoteUrl: string;
}

/** Holds the token for git's own credential helper; only calls that talk to a server get it. */
const TOKEN_NAME = "REVIEWLOOP_GIT_TOKEN";

/** Asked by git for one origin only; the token is in the environment, so neither in an argument nor on disk. */
const HELPER = `!f() { test "$1" = get || exit 0; printf 'username=%s\\npassword=%s\\n' x-access-token "$${TOKEN_NAME}"; }; f`;

const originOf = (url: string): string | undefined => {
  try {
    const { protocol, origin } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? origin : undefined;
  } catch {
    return undefined;
  }
};

/** A name for messages: no user, no password. */
const hostOf = (url: string): string => {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
};

/**
 * What a call to `url` needs to sign in: nothing, where the token is for another origin.
 *
 * A helper and not a header, because git asks it again after a redirect, for the new host. The user's helpers are left out: git offers
 * each of them the token that worked, and a helper may write it to disk.
 */
export const signIn = (url: string, token: Token | undefined): Pick<GitCall, "config" | "environment"> => {
  const origin = originOf(url);
  if (token === undefined || origin === undefined || origin !== originOf(token.remoteUrl)) return {};
  return {
    config: [
      // Git takes all that match, in order; an empty value drops what came before, however narrow its scope was.
      ["credential.helper", ""],
      [`credential.${origin}.helper`, HELPER],
      [`credential.${origin}.username`, "x-access-token"],
      // A header in the repository's config (CI checkouts leave one) would sign in as somebody else.
      [`http.${url}.extraHeader`, ""],
      // The longest match wins: no rewriting of the address to where the token is not meant to go.
      [`url.${url}.insteadOf`, url],
      [`url.${url}.pushInsteadOf`, url],
    ],
    environment: { [TOKEN_NAME]: token.value },
  };
};

export type Trouble = "sign-in" | "not-found" | "forbidden" | "unavailable" | "other";

/** What git says, in English, about a server that did not do as asked. First match. */
const WORDS: readonly (readonly [Trouble, RegExp])[] = [
  [
    "sign-in",
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(publickey|HTTP 401|returned error: 401/i,
  ],
  [
    "forbidden",
    /returned error: 403|Permission to .+ denied|Write access to repository not granted|archived so it is read-only|access denied/i,
  ],
  ["not-found", /repository .*not found|returned error: 404|does not appear to be a git repository|does not exist/i],
  [
    "unavailable",
    /Could not resolve host|unable to access|Connection (?:refused|reset|timed out)|Operation (?:too slow|timed out)|early EOF|RPC failed|hung up unexpectedly|returned error: (?:429|5\d\d)|unexpected disconnect|SSL_|TLS|Couldn't connect|Empty reply|transfer closed/i,
  ],
];

export const troubleOf = (stderr: string): Trouble => WORDS.find(([, expression]) => expression.test(stderr))?.[0] ?? "other";

export const troubleError = (what: string, url: string, stderr: string): ReviewloopError => {
  const problem = wordsOf(stderr) || "git said nothing";
  const trouble = troubleOf(stderr);
  if (trouble === "sign-in") return new ReviewloopError("GITHUB_SIGN_IN", { host: hostOf(url), problem });
  if (trouble === "forbidden") return new ReviewloopError("GITHUB_DENIED", { what: `git ${what}`, problem });
  if (trouble === "unavailable") return new ReviewloopError("GITHUB_UNAVAILABLE", { what: `git ${what}`, problem });
  return gitFailed(what, problem);
};

const RETRY_AFTER: readonly number[] = [1000, 4000];

export interface Remote {
  /** The branch's tip, or undefined where there is no such branch. */
  tip(url: string, branch: string): Promise<Sha | undefined>;
  /** Fetches the refs or ids; false where the server doesn't have one of them. */
  fetch(url: string, wanted: readonly string[]): Promise<boolean>;
}

export interface RemoteOptions {
  readonly run: RunGit;
  readonly place: Place;
  readonly clock: Clock;
  readonly token: Token | undefined;
  readonly signal: AbortSignal | undefined;
}

const MISSING = /couldn't find remote ref|not our ref|Server does not allow request for unadvertised object|no such remote ref/i;

export const remoteOf = ({ run, place, clock, token, signal }: RemoteOptions): Remote => {
  /** Reads may be repeated as often as we like. */
  const patient = async (url: string, call: GitCall): Promise<GitOutput> => {
    for (let attempt = 0; ; attempt += 1) {
      const output = await run(place, { ...call, ...signIn(url, token), answers: "any", signal });
      const wait = RETRY_AFTER[attempt];
      if (output.code === 0 || wait === undefined || troubleOf(output.stderr) !== "unavailable") return output;
      await clock.sleep(wait, signal);
    }
  };
  return {
    async tip(url, branch) {
      const ref = `refs/heads/${branch}`;
      const output = await patient(url, { args: ["ls-remote", "--quiet", "--refs", "--", url, ref], timeout: 120_000 });
      if (output.code !== 0) throw troubleError("ls-remote", url, output.stderr);
      // The pattern also matches the end of longer names.
      const line = lineOf(output)
        .split("\n")
        .find((candidate) => candidate.split("\t")[1] === ref);
      return line === undefined ? undefined : objectId(line.split("\t")[0] ?? "");
    },
    async fetch(url, wanted) {
      const options = ["--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--quiet", "--refmap="];
      const output = await patient(url, { args: ["fetch", ...options, "--", url, ...wanted], timeout: 1_800_000 });
      if (output.code === 0) return true;
      if (MISSING.test(output.stderr)) return false;
      throw troubleError("fetch", url, output.stderr);
    },
  };
};
