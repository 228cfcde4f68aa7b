/**
 * What the world asks of a store of commits. Two implementations: in memory (`memory-repositories.ts`) and on bare git
 * repositories (the server). All calls are synchronous, so that one action of the world is one step: nothing can happen in the middle of it.
 *
 * A repository is named `owner/name`. A fork is a repository of its own which sees the commits of its parent, and the parent sees the fork's.
 */
import type { Instant, Sha, Tree } from "../../core/index.js";

export type RepositoryName = `${string}/${string}`;

export interface Commit {
  readonly sha: Sha;
  readonly tree: Tree;
  readonly parents: readonly Sha[];
  /** Without line ends at its end. */
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly committedAt: Instant;
}

/** One file that differs between two revisions. */
export interface ChangedFile {
  readonly path: string;
  /** The path before, for a rename. */
  readonly was?: string;
  readonly status: "added" | "modified" | "removed" | "renamed";
}

export interface Repositories {
  /** Makes a repository: empty, or a fork that starts with its parent's branches. */
  create(name: RepositoryName, options?: { readonly forkOf?: RepositoryName; readonly defaultBranch?: string }): void;
  /** The branch's tip; undefined where there is no such branch. */
  head(name: RepositoryName, branch: string): Sha | undefined;
  branches(name: RepositoryName): readonly string[];
  /** Undefined for a commit that this network of repositories does not have. */
  commit(name: RepositoryName, sha: Sha): Commit | undefined;
  treeOf(name: RepositoryName, sha: Sha): Tree;
  /** Text of a file at a commit; undefined where there is none. */
  fileAt(name: RepositoryName, sha: Sha, path: string): string | undefined;
  /** What differs from one commit to the other (two dots), sorted by path. */
  changedFiles(name: RepositoryName, from: Sha, to: Sha): readonly ChangedFile[];
  /** The best common ancestor; undefined where the histories have none. */
  mergeBase(name: RepositoryName, a: Sha, b: Sha): Sha | undefined;
  /** Commits that `to` has and `from` has not, oldest first. */
  commitsBetween(name: RepositoryName, from: Sha, to: Sha): readonly Sha[];
  /** Paths on which a merge of the two would conflict; empty = it merges. */
  conflicts(name: RepositoryName, base: Sha, head: Sha): readonly string[];
  /**
   * A commit made by the store itself on top of `parent`: `changes` maps a path to its new text, `null` deletes. Scripted people use it.
   * No branch moves.
   */
  write(
    name: RepositoryName,
    parent: Sha | undefined,
    changes: Readonly<Record<string, string | null>>,
    message: string,
    at: Instant,
    author?: Commit["author"],
  ): Sha;
  /** A merge commit of `head` into `base`. Throws on a conflict. No branch moves. */
  merge(name: RepositoryName, base: Sha, head: Sha, message: string, at: Instant): Sha;
  /**
   * Moves a branch by compare-and-swap: only if its tip is `expected` (undefined = the branch must not exist). `to` undefined deletes it.
   * False = the tip was another one, and nothing changed.
   */
  move(name: RepositoryName, branch: string, expected: Sha | undefined, to: Sha | undefined): boolean;
}
