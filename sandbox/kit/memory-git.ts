/**
 * The port `git` in memory: a worktree of files, commits with git's own ids in the world's store, push by compare-and-swap through the world.
 * A merge conflicts where both sides changed one file in different ways: coarser than git, never laxer.
 */
import { ReviewloopError, type Git, type PullRequest, type Sha, type Tree, type WriteResult } from "../../index.js";
import { WorldError } from "../world/errors.js";
import { treeId, type FileEntry, type Files } from "../world/git-objects.js";
import type { MemoryRepositories } from "../world/memory-repositories.js";
import { mergeFiles } from "../world/merge-files.js";
import type { Acting, Session } from "../world/records.js";
import type { RepositoryName } from "../world/repositories.js";
import type { World } from "../world/world.js";
import { fileChanges, patchBetween } from "./patch.js";

/** The worktree's files, for a scripted agent, a scripted command or a test. */
export interface Worktree {
  readonly root: string;
  paths(): readonly string[];
  read(path: string): string | undefined;
  /** `null` deletes. Unlike `edit` it asks nothing: it is what a program on this machine could do. */
  write(path: string, text: string | null, mode?: FileEntry["mode"]): void;
}

export interface MemoryGit extends Git {
  readonly worktree: Worktree;
  /** Set-up commands that ran, oldest first. */
  readonly setups: readonly string[];
}

export interface MemoryGitOptions {
  readonly root?: string;
  readonly author?: { readonly name: string; readonly email: string };
  /** Paths that no commit and no tree hash has. */
  readonly ignored?: (path: string) => boolean;
  /** What a set-up command does; a returned text is why it failed. */
  readonly setup?: (command: string, worktree: Worktree) => string | undefined;
}

const LOCK_FILES = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "Cargo.lock",
  "go.sum",
  "uv.lock",
  "poetry.lock",
];

const isMemory = (store: object): store is MemoryRepositories => "filesOf" in store && "keep" in store && "commitTree" in store;

export const memoryGit = (world: World, account: Acting, options: MemoryGitOptions = {}): MemoryGit => {
  if (!isMemory(world.git)) throw new Error("memoryGit needs a world whose repositories are in memory.");
  const store = world.git;
  const session: Session = world.state.session(account);
  const root = options.root ?? "/worktree";
  const author = options.author ?? { name: session.login, email: `${session.login}@example.invalid` };
  const ignored = options.ignored ?? ((): boolean => false);
  let files = new Map<string, FileEntry>();
  let opened: { readonly repository: RepositoryName; readonly branch: string } | undefined;
  let at: Sha = "";
  const setups: string[] = [];
  const prepared = new Set<string>();

  const failed = (command: string, problem: string): ReviewloopError => new ReviewloopError("GIT_FAILED", { command, problem });
  const open = (command: string): { readonly repository: RepositoryName; readonly branch: string } => {
    if (opened === undefined) throw failed(command, "the worktree is not open");
    return opened;
  };
  const filesOf = (command: string, revision: string): Files => {
    const found = store.filesOf(open(command).repository, revision);
    if (found === undefined) throw failed(command, `unknown revision ${revision}`);
    return found;
  };
  const tracked = (): Files => new Map([...files].filter(([path]) => !ignored(path)));
  const put = (next: Files): void => {
    files = new Map([...[...files].filter(([path]) => ignored(path)), ...next]);
  };
  const inside = (path: string): void => {
    const parts = path.split("/");
    if (path === "" || path.startsWith("/") || path.includes("\\") || parts.some((part) => part === "" || part === "." || part === "..")) {
      throw failed("edit", `${path} is not a path of the worktree`);
    }
    if (parts.some((part) => part.toLowerCase() === ".git")) throw failed("edit", `${path} is git's own`);
    for (let depth = 1; depth <= parts.length; depth += 1) {
      if (files.get(parts.slice(0, depth).join("/"))?.mode === "120000") throw failed("edit", `${path} goes through a symbolic link`);
    }
  };
  const worktree: Worktree = {
    root,
    paths: () => [...files.keys()].toSorted(),
    read: (path) => files.get(path)?.text,
    write(path, text, mode) {
      if (text === null) files.delete(path);
      else files.set(path, { text, mode: mode ?? files.get(path)?.mode ?? "100644" });
    },
  };
  const setUp = (command: string | false | undefined): void => {
    if (typeof command !== "string") return;
    const key = JSON.stringify([command, LOCK_FILES.map((path) => files.get(path)?.text ?? null)]);
    if (prepared.has(key)) return;
    const problem = options.setup?.(command, worktree);
    if (problem !== undefined) throw new ReviewloopError("WORKTREE_SETUP", { command, problem });
    setups.push(command);
    prepared.add(key);
  };
  const mustBeClean = (command: string): void => {
    if (treeId(tracked()) !== store.treeOf(open(command).repository, at))
      throw failed(command, "the worktree has changes that are not committed");
  };
  const commitOf = (tree: Files, parents: readonly Sha[], message: string): Sha => {
    const { repository } = open("commit");
    return store.commitTree(repository, { tree: store.keep(repository, tree), parents, author, at: world.now(), message });
  };
  const rebase = (repository: RepositoryName, base: Sha): { readonly head: Sha } | { readonly conflicts: readonly string[] } => {
    let head = base;
    for (const sha of store.commitsBetween(repository, base, at)) {
      const commit = store.commit(repository, sha);
      const parent = commit?.parents[0];
      if (commit === undefined || commit.parents.length > 1) continue;
      const before: Files = parent === undefined ? new Map() : filesOf("rebase", parent);
      const merged = mergeFiles(before, filesOf("rebase", head), filesOf("rebase", sha));
      if (merged.conflicts.length > 0) return merged;
      if (treeId(merged.files) !== store.treeOf(repository, head)) head = commitOf(merged.files, [head], commit.message);
    }
    return { head };
  };

  return {
    root,
    worktree,
    setups,
    async open(pullRequest: PullRequest, setup, signal) {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
      const { sha, branch, repository } = pullRequest.head;
      if (repository === undefined) throw failed("fetch", "the head's repository was deleted");
      opened = { repository: `${repository.owner}/${repository.name}`, branch };
      put(filesOf("checkout", sha));
      at = sha;
      setUp(setup);
    },
    async close() {
      opened = undefined;
    },
    async head() {
      open("rev-parse");
      return at;
    },
    async tree() {
      return store.keep(open("write-tree").repository, tracked());
    },
    async treeOf(revision) {
      return treeId(filesOf("rev-parse", revision));
    },
    async read(path) {
      open("read");
      return files.get(path)?.text;
    },
    async show(revision, path) {
      return filesOf("show", revision).get(path)?.text;
    },
    async changes(from: Tree, to: Tree) {
      return fileChanges(filesOf("diff", from), filesOf("diff", to));
    },
    async patch(from: Tree, to: Tree) {
      return patchBetween(filesOf("diff", from), filesOf("diff", to));
    },
    async remoteHead() {
      const { repository, branch } = open("ls-remote");
      const found = store.head(repository, branch);
      if (found === undefined) throw failed("ls-remote", `the remote has no branch ${branch}`);
      return found;
    },
    async edit(path, content) {
      open("edit");
      inside(path);
      if (content !== null && [...files.keys()].some((other) => other.startsWith(`${path}/`))) throw failed("edit", `${path} is a folder`);
      worktree.write(path, content);
    },
    async checkout(revision) {
      put(filesOf("checkout", revision));
      if (store.commit(open("checkout").repository, revision) !== undefined) at = revision;
    },
    async commit(tree, parent, plan) {
      const sha = commitOf(filesOf("commit", tree), [parent], plan.body === undefined ? plan.subject : `${plan.subject}\n\n${plan.body}`);
      if (parent === at) at = sha;
      return sha;
    },
    async sync(policy, base) {
      const { repository, branch } = open(policy);
      mustBeClean(policy);
      const missing = store.commitsBetween(repository, at, base);
      if (missing.length === 0) return { policy, base, head: at };
      if (policy === "rebase") {
        const result = rebase(repository, base);
        if ("conflicts" in result) return { policy, base, head: at, conflicts: result.conflicts };
        at = result.head;
      } else {
        const common = store.mergeBase(repository, at, base);
        const merged = mergeFiles(
          common === undefined ? new Map() : filesOf("merge", common),
          filesOf("merge", at),
          filesOf("merge", base),
        );
        if (merged.conflicts.length > 0) return { policy, base, head: at, conflicts: merged.conflicts };
        at = commitOf(merged.files, [at, base], `Merge the base into ${branch}`);
      }
      put(filesOf(policy, at));
      return { policy, base, head: at };
    },
    async write(push, on, signal): Promise<WriteResult> {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
      const { repository, branch } = open("push");
      if (push.branch !== branch || on.head.branch !== branch) throw failed("push", `the worktree is of ${branch}, not of ${push.branch}`);
      if (treeId(filesOf("push", push.to)) !== push.tree)
        return { state: "refused", code: "invalid", detail: `${push.to} has another tree than the one that passed the gate` };
      const { fate } = world.faults.nextWrite();
      if (fate === "bad-gateway-before") throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: "push", problem: "HTTP 502" });
      try {
        const moved = world.push(session, { repository, branch, expected: push.expected, to: push.to, force: push.force });
        if (!moved)
          return {
            state: "refused",
            code: "head-moved",
            detail: `the branch is at ${store.head(repository, branch) ?? "nothing"}, not at ${push.expected}`,
          };
      } catch (thrown) {
        if (!(thrown instanceof WorldError)) throw thrown;
        return {
          state: "refused",
          code: thrown.type === "FORBIDDEN" || thrown.type === "NOT_FOUND" ? "forbidden" : "invalid",
          detail: thrown.message,
        };
      }
      if (fate === "bad-gateway-after" || fate === "lost-answer") {
        throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: "push", problem: "the connection was closed before the answer" });
      }
      return { state: "done", id: push.to };
    },
  };
};
