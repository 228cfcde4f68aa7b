/** What a folder of the user's says about where it belongs. Reads only; runs nothing of the repository. */
import { execa } from "execa";
import type { RepositoryRef } from "../../model.js";

export interface Clone {
  /** Top of the checkout. */
  readonly root: string;
  /** Undefined on a detached HEAD. */
  readonly branch: string | undefined;
  readonly remotes: readonly { readonly name: string; readonly url: string; readonly repository: RepositoryRef | undefined }[];
}

/** `https://host/owner/name.git`, `git@host:owner/name.git`, `ssh://git@host/owner/name`: whose repository it is. */
export const repositoryOf = (url: string): RepositoryRef | undefined => {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url);
  let host: string;
  let path: string;
  if (scp?.[1] !== undefined && scp[2] !== undefined) [host, path] = [scp[1], scp[2]];
  else {
    let parsed: URL;
    try {
      parsed = new URL(url);
    } catch {
      return undefined;
    }
    [host, path] = [parsed.host, parsed.pathname];
  }
  const [owner, name, ...more] = path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/");
  if (owner === undefined || name === undefined || owner === "" || name === "" || more.length > 0) return undefined;
  return { host: host.toLowerCase(), owner, name };
};

const git = async (folder: string, args: readonly string[]): Promise<string | undefined> => {
  const ran = await execa("git", ["-c", "core.fsmonitor=false", "-C", folder, ...args], {
    reject: false,
    stdin: "ignore",
    env: { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" },
  });
  return ran.exitCode === 0 ? ran.stdout.trim() : undefined;
};

/** Undefined where the folder is in no git checkout. */
export const cloneAt = async (folder: string): Promise<Clone | undefined> => {
  const root = await git(folder, ["rev-parse", "--show-toplevel"]);
  if (root === undefined) return undefined;
  const [branch, urls] = await Promise.all([
    git(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git(folder, ["config", "--get-regexp", String.raw`^remote\..*\.url$`]),
  ]);
  const remotes = (urls ?? "").split("\n").flatMap((line) => {
    const found = /^remote\.(.+)\.url (.+)$/.exec(line);
    return found?.[1] === undefined || found[2] === undefined
      ? []
      : [{ name: found[1], url: found[2], repository: repositoryOf(found[2]) }];
  });
  return { root, branch, remotes };
};

/** A file as a commit has it; undefined where the clone has no such commit or file. */
export const fileAt = async (root: string, revision: string, path: string): Promise<string | undefined> => {
  const ran = await execa("git", ["-c", "core.fsmonitor=false", "-C", root, "cat-file", "blob", `${revision}:${path}`], {
    reject: false,
    stdin: "ignore",
    stripFinalNewline: false,
    env: { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" },
  });
  return ran.exitCode === 0 ? ran.stdout : undefined;
};

const same = (a: RepositoryRef, b: RepositoryRef): boolean =>
  a.host.toLowerCase() === b.host.toLowerCase() &&
  a.owner.toLowerCase() === b.owner.toLowerCase() &&
  a.name.toLowerCase() === b.name.toLowerCase();

/** Has this clone a remote for the repository? */
export const belongsTo = (clone: Clone, repository: RepositoryRef): boolean =>
  clone.remotes.some((remote) => remote.repository !== undefined && same(remote.repository, repository));

/** The repository a clone stands for on this host: `upstream` before `origin` before any other. */
export const homeOf = (clone: Clone, host: string): RepositoryRef | undefined => {
  const here = clone.remotes.filter((remote) => remote.repository?.host === host.toLowerCase());
  return (here.find((remote) => remote.name === "upstream") ?? here.find((remote) => remote.name === "origin") ?? here[0])?.repository;
};
