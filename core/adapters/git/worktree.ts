/** The linked worktree under the state folder: from the user's clone where it can be, else from a private bare clone. */
import { constants } from "node:fs";
import { access, lstat, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Sha } from "../../model.js";
import { gitFailed, lineOf, objectId, type Place, type RunGit } from "./command.js";

export interface Worktree {
  readonly root: string;
  /** The worktree's own git folder, below the common one's `worktrees/`. */
  readonly gitDir: string;
}

const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
};

/**
 * The git folder that the user's clone and its worktrees share, where we can work with it. A shallow or partial clone lacks what a
 * merge needs, and filling it up would change it; one that can't be written to is no use either.
 */
export const usableClone = async (run: RunGit, checkout: string, signal: AbortSignal | undefined): Promise<string | undefined> => {
  const found = await locateClone(run, checkout, signal);
  if (found === undefined) return undefined;
  const place: Place = { gitDir: found };
  const shallow = await run(place, { args: ["rev-parse", "--is-shallow-repository"], answers: "any", signal });
  if (lineOf(shallow) !== "false") return undefined;
  const partial = await run(place, {
    args: ["config", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$"],
    answers: "any",
    signal,
  });
  if (partial.code === 0) return undefined;
  try {
    await access(join(found, "objects"), constants.W_OK);
  } catch {
    return undefined;
  }
  return found;
};

/** The git folder of the checkout with this root (or of a bare clone); undefined where there is none. */
export const gitDirOf = async (root: string): Promise<string | undefined> => (await gitDirAt(join(root, ".git"))) ?? (await gitDirAt(root));

/** The common git folder of the clone that a folder lies in; its `.git` is the user's own and trusted. */
export const locateClone = async (run: RunGit, checkout: string, signal: AbortSignal | undefined): Promise<string | undefined> => {
  for (let root = checkout; ; root = dirname(root)) {
    const gitDir = await gitDirOf(root);
    if (gitDir !== undefined) {
      const output = await run({ gitDir }, { args: ["rev-parse", "--path-format=absolute", "--git-common-dir"], answers: "any", signal });
      return output.code === 0 ? realpath(lineOf(output)) : undefined;
    }
    if (dirname(root) === root) return undefined;
  }
};

/** Follows the `gitdir:` line of a linked worktree or a submodule. */
const gitDirAt = async (path: string): Promise<string | undefined> => {
  try {
    const found = await lstat(path);
    if (found.isFile()) {
      const target = /^gitdir: (.+?)\r?\n?$/.exec(await readFile(path, "utf8"))?.[1];
      return target === undefined ? undefined : await realpath(isAbsolute(target) ? target : join(dirname(path), target));
    }
    const real = await realpath(path);
    await Promise.all([access(join(real, "HEAD")), access(join(real, "objects"))]);
    return real;
  } catch {
    return undefined;
  }
};

/** Makes the private bare clone, empty: no remote, no hooks, no template. Doing it twice is harmless. */
export const privateClone = async (run: RunGit, folder: string, signal: AbortSignal | undefined): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readIfThere(join(folder, "HEAD"))) === undefined)
    await run({ gitDir: folder }, { args: ["init", "--bare", "--quiet", "--template=", "--initial-branch=main"], signal });
  return folder;
};

/** What a killed git has left locked. We hold the lease, so nobody else is at work here. */
const LOCKS: readonly string[] = ["HEAD.lock", "index.lock", "refs/worktree/reviewloop/head.lock", "refs/worktree/reviewloop/base.lock"];

const linkText = (gitDir: string): string => `gitdir: ${gitDir}\n`;

/** Puts the worktree's `.git` file back. Our own calls never read it; an agent, a gate and a person's git do. */
export const restoreLink = async ({ root, gitDir }: Worktree): Promise<void> => {
  const file = join(root, ".git");
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() === true && (await readFile(file, "utf8")) === linkText(gitDir)) return;
  await rm(file, { recursive: true, force: true });
  await writeFile(file, linkText(gitDir), { flag: "wx" });
};

const RECORD = "worktree.json";

/** The worktree of an earlier call or run, if it is still whole. */
export const knownWorktree = async (folder: string): Promise<Worktree | undefined> => {
  const root = join(folder, "worktree");
  const found = await lstat(root).catch(() => undefined);
  const text = await readIfThere(join(folder, RECORD));
  if (found?.isDirectory() !== true || text === undefined) return undefined;
  let gitDir: unknown;
  try {
    gitDir = (JSON.parse(text) as { gitDir?: unknown }).gitDir;
  } catch {
    return undefined;
  }
  if (typeof gitDir !== "string") return undefined;
  // Git's own pointer back: a pruned entry whose name was given to another worktree is not ours.
  const back = (await readIfThere(join(gitDir, "gitdir")))?.trim();
  const common = await readIfThere(join(gitDir, "commondir"));
  if (back !== join(root, ".git") || common === undefined) return undefined;
  const whole = await access(join(gitDir, common.trim(), "objects")).then(
    () => true,
    () => false,
  );
  if (!whole) return undefined;
  for (const lock of LOCKS) await rm(join(gitDir, lock), { force: true });
  for (const lock of ["index.lock", "scratch.index.lock"]) await rm(join(folder, lock), { force: true });
  return { root, gitDir };
};

/** Links a new worktree, detached and empty. The commit must be there already. */
export const addWorktree = async (
  run: RunGit,
  commonDir: string,
  folder: string,
  head: Sha,
  signal: AbortSignal | undefined,
): Promise<Worktree> => {
  const root = join(folder, "worktree");
  for (const old of [root, join(folder, RECORD), join(folder, "index"), join(folder, "setup")])
    await rm(old, { recursive: true, force: true });
  // `--force` takes over the entry of a worktree whose folder somebody has deleted.
  const args = ["worktree", "add", "--quiet", "--force", "--detach", "--no-checkout", "--", root, objectId(head)];
  await run({ gitDir: commonDir }, { args, signal });
  const gitDir = /^gitdir: (.+?)\r?\n?$/.exec((await readIfThere(join(root, ".git"))) ?? "")?.[1];
  if (gitDir === undefined) throw gitFailed("worktree", `git made no worktree at ${root}`);
  await writeFile(join(folder, RECORD), `${JSON.stringify({ version: 1, gitDir })}\n`, { mode: 0o600 });
  return { root, gitDir };
};
