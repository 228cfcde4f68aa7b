/**
 * The port `git` in memory: a worktree of files, commits with git's own ids in the world's store, push by compare-and-swap through the world.
 * A merge conflicts where both sides changed one file in different ways: coarser than git, never laxer.
 */
import {
  ReviewloopError,
  type Git,
  type CommitPlan,
  type PullRequest,
  type RefusalCode,
  type Sha,
  type Tree,
  type WriteResult,
} from "../../core/index.js";
import { WorldError } from "../world/errors.js";
import { treeId, type FileEntry, type Files } from "../world/git-objects.js";
import type { MemoryRepositories } from "../world/memory-repositories.js";
import { mergeFiles } from "../world/merge-files.js";
import type { Acting, Session } from "../world/records.js";
import type { RepositoryName } from "../world/repositories.js";
import type { World } from "../world/world.js";
import { applyPatch, fileChanges, patchBetween, PatchProblem } from "./patch.js";

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

interface Opened {
  /** The base repository: commits of the whole network are known to it. */
  readonly repository: RepositoryName;
  readonly pullRequest: PullRequest;
}

/** The repository that the head's branch is in; undefined once it was deleted. */
const homeOf = (pullRequest: PullRequest): RepositoryName | undefined => {
  const { repository } = pullRequest.head;
  return repository === undefined ? undefined : `${repository.owner}/${repository.name}`;
};

const messageOf = (plan: CommitPlan): string => {
  const subject = plan.subject.split(/\r?\n/).join(" ").trim();
  const body = plan.body?.replaceAll("\r\n", "\n").trim() ?? "";
  return body === "" ? `${subject}\n` : `${subject}\n\n${body}\n`;
};

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
  let opened: Opened | undefined;
  let at: Sha = "";
  const setups: string[] = [];
  const prepared = new Set<string>();

  const failed = (command: string, problem: string): ReviewloopError => new ReviewloopError("GIT_FAILED", { command, problem });
  const open = (command: string): Opened => {
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
      const there = files.get(parts.slice(0, depth).join("/"));
      if (there?.mode === "120000") throw failed("edit", `${path} goes through a symbolic link`);
      if (there !== undefined && depth < parts.length) throw failed("edit", `a file is on the way to ${path}`);
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
      opened = { repository: `${pullRequest.ref.owner}/${pullRequest.ref.name}`, pullRequest };
      put(filesOf("checkout", pullRequest.head.sha));
      at = pullRequest.head.sha;
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
      const file = files.get(path);
      return file?.mode === "120000" ? undefined : file?.text;
    },
    async show(revision, path) {
      const file = filesOf("show", revision).get(path);
      return file?.mode === "120000" ? undefined : file?.text;
    },
    async changes(from: Tree, to: Tree) {
      return fileChanges(filesOf("diff", from), filesOf("diff", to));
    },
    async patch(from: Tree, to: Tree) {
      return patchBetween(filesOf("diff", from), filesOf("diff", to));
    },
    async remoteHead() {
      const { pullRequest } = open("ls-remote");
      const home = homeOf(pullRequest);
      const found = home === undefined ? undefined : store.head(home, pullRequest.head.branch);
      if (found === undefined) throw failed("ls-remote", `the branch ${pullRequest.head.branch} is not on the remote`);
      return found;
    },
    async apply(onto, patch) {
      const { repository } = open("apply");
      try {
        return store.keep(repository, applyPatch(filesOf("apply", onto), patch));
      } catch (thrown) {
        throw thrown instanceof PatchProblem ? failed("apply", thrown.message) : thrown;
      }
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
      at = commitOf(filesOf("commit", tree), [parent], messageOf(plan));
      return at;
    },
    async sync(policy, base) {
      const { repository, pullRequest } = open(policy);
      const contains = (newer: Sha, older: Sha): boolean => store.commitsBetween(repository, newer, older).length === 0;
      if (contains(at, base)) return { policy, base, head: at };
      if (policy === "rebase") {
        const result = rebase(repository, base);
        if ("conflicts" in result) return { policy, base, head: at, conflicts: result.conflicts };
        at = result.head;
      } else if (contains(base, at)) at = base;
      else {
        const common = store.mergeBase(repository, at, base);
        const merged = mergeFiles(
          common === undefined ? new Map() : filesOf("merge", common),
          filesOf("merge", at),
          filesOf("merge", base),
        );
        if (merged.conflicts.length > 0) return { policy, base, head: at, conflicts: merged.conflicts };
        at = commitOf(merged.files, [at, base], `Merge branch '${pullRequest.base.branch}' into ${pullRequest.head.branch}\n`);
      }
      put(filesOf(policy, at));
      return { policy, base, head: at };
    },
    async write(push, on, signal): Promise<WriteResult> {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
      const { repository } = open("push");
      const refuse = (code: RefusalCode, detail: string): WriteResult => ({ state: "refused", code, detail });
      const { branch, expected, to, force } = push;
      const home = homeOf(on);
      if (home === undefined) return refuse("not-found", "the repository of the head is gone");
      const commit = store.commit(repository, to);
      if (commit === undefined) return refuse("invalid", `commit ${to} is not here`);
      if (commit.tree !== push.tree) return refuse("invalid", `commit ${to} doesn't hold the tree ${push.tree}`);
      const moved = (now: Sha | undefined): WriteResult =>
        refuse("head-moved", now === undefined ? `the branch ${branch} is gone` : `the branch ${branch} is at ${now}, not at ${expected}`);
      const tip = store.head(home, branch);
      if (tip === to) return { state: "done", id: to, found: true };
      if (tip !== expected) return moved(tip);
      if (!force && store.mergeBase(repository, expected, to) !== expected) {
        return refuse("invalid", `commit ${to} doesn't follow ${expected}, and no force push was asked for`);
      }
      const { fate } = world.faults.nextWrite();
      if (fate === "bad-gateway-before") throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: "git push", problem: "HTTP 502" });
      try {
        if (!world.push(session, { repository: home, branch, expected, to, force })) return moved(store.head(home, branch));
      } catch (thrown) {
        if (!(thrown instanceof WorldError)) throw thrown;
        return refuse("forbidden", thrown.message);
      }
      if (fate === "bad-gateway-after" || fate === "bad-gateway-midway" || fate === "lost-answer") {
        throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: "git push", problem: "the connection was closed before the answer" });
      }
      return { state: "done", id: push.to };
    },
  };
};
