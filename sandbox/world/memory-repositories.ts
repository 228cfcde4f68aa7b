/** Repositories in memory, with git's own ids. Repositories of one network (forks) share their objects. */
import type { Instant, Sha, Tree } from "../../core/index.js";
import { wholeSecond } from "./clock.js";
import { commitId, treeId, type CommitText, type FileEntry, type Files } from "./git-objects.js";
import { mergeFiles } from "./merge-files.js";
import type { ChangedFile, Commit, Repositories, RepositoryName } from "./repositories.js";

const ROBOT = { name: "Sandbox", email: "sandbox@example.invalid" } as const;

interface Network {
  readonly commits: Map<Sha, CommitText>;
  readonly trees: Map<Tree, Files>;
}
interface Held {
  readonly network: Network;
  readonly branches: Map<string, Sha>;
}

/** Beside the port: whole trees and commits with given ids, which the kit's in-memory git needs. */
export interface MemoryRepositories extends Repositories {
  filesOf(name: RepositoryName, revision: string): Files | undefined;
  keep(name: RepositoryName, files: Files): Tree;
  commitTree(name: RepositoryName, commit: CommitText): Sha;
}

export const changedBetween = (before: Files, after: Files): readonly ChangedFile[] => {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const renamed = new Map<string, string>();
  const changes: ChangedFile[] = [];
  for (const [path, file] of after) {
    const was = before.get(path);
    if (was === undefined) {
      const from = gone.find((each) => !renamed.has(each) && before.get(each)?.text === file.text && file.text !== "");
      if (from === undefined) changes.push({ path, status: "added" });
      else {
        renamed.set(from, path);
        changes.push({ path, was: from, status: "renamed" });
      }
    } else if (was.text !== file.text || was.mode !== file.mode) changes.push({ path, status: "modified" });
  }
  for (const path of gone) if (!renamed.has(path)) changes.push({ path, status: "removed" });
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

export const memoryRepositories = (): MemoryRepositories => {
  const all = new Map<RepositoryName, Held>();
  const held = (name: RepositoryName): Held => {
    const found = all.get(name);
    if (found === undefined) throw new Error(`There is no repository ${name}.`);
    return found;
  };
  const commitOf = (name: RepositoryName, sha: Sha): CommitText => {
    const found = held(name).network.commits.get(sha);
    if (found === undefined) throw new Error(`${name} has no commit ${sha}.`);
    return found;
  };
  const files = (name: RepositoryName, revision: string): Files => {
    const { network } = held(name);
    const found = network.trees.get(network.commits.get(revision)?.tree ?? revision);
    if (found === undefined) throw new Error(`${name} has no revision ${revision}.`);
    return found;
  };
  const keep = (name: RepositoryName, tree: Files): Tree => {
    const id = treeId(tree);
    held(name).network.trees.set(id, new Map(tree));
    return id;
  };
  const commitTree = (name: RepositoryName, commit: CommitText): Sha => {
    const sha = commitId(commit);
    held(name).network.commits.set(sha, commit);
    return sha;
  };
  /** All ancestors, itself included, nearest first. */
  const ancestors = (name: RepositoryName, from: Sha): readonly Sha[] => {
    const seen = new Set<Sha>();
    let layer: readonly Sha[] = [from];
    while (layer.length > 0) {
      const next: Sha[] = [];
      for (const sha of layer) {
        if (seen.has(sha)) continue;
        seen.add(sha);
        next.push(...commitOf(name, sha).parents);
      }
      layer = next;
    }
    return [...seen];
  };
  const mergeBase = (name: RepositoryName, a: Sha, b: Sha): Sha | undefined => {
    const others = new Set(ancestors(name, b));
    const common = ancestors(name, a).filter((sha) => others.has(sha));
    // All ancestors of a common one are common too, so the best is one that no other has as a parent.
    const behind = new Set(common.flatMap((sha) => commitOf(name, sha).parents));
    return common.find((sha) => !behind.has(sha));
  };
  const threeWay = (name: RepositoryName, base: Sha, head: Sha): ReturnType<typeof mergeFiles> => {
    const common = mergeBase(name, base, head);
    return mergeFiles(common === undefined ? new Map() : files(name, common), files(name, base), files(name, head));
  };

  return {
    create(name, options = {}) {
      if (all.has(name)) throw new Error(`There is a repository ${name} already.`);
      const parent = options.forkOf === undefined ? undefined : held(options.forkOf);
      all.set(name, {
        network: parent?.network ?? { commits: new Map(), trees: new Map() },
        branches: new Map(parent?.branches),
      });
    },
    head: (name, branch) => held(name).branches.get(branch),
    branches: (name) => [...held(name).branches.keys()].toSorted(),
    commit(name, sha): Commit | undefined {
      const found = held(name).network.commits.get(sha);
      if (found === undefined) return undefined;
      const { tree, parents, author, at } = found;
      return { sha, tree, parents, author, message: found.message.replace(/\n+$/, ""), committedAt: wholeSecond(at) };
    },
    treeOf: (name, sha) => commitOf(name, sha).tree,
    fileAt: (name, sha, path) => files(name, sha).get(path)?.text,
    changedFiles: (name, from, to) => changedBetween(files(name, from), files(name, to)),
    mergeBase,
    commitsBetween(name, from, to) {
      const known = new Set(ancestors(name, from));
      return ancestors(name, to)
        .filter((sha) => !known.has(sha))
        .toReversed();
    },
    conflicts: (name, base, head) => threeWay(name, base, head).conflicts,
    write(name, parent, changes, message, at: Instant, author = ROBOT) {
      const next = new Map<string, FileEntry>(parent === undefined ? [] : files(name, parent));
      for (const [path, text] of Object.entries(changes)) {
        if (text === null) next.delete(path);
        else next.set(path, { text, mode: next.get(path)?.mode ?? "100644" });
      }
      return commitTree(name, { tree: keep(name, next), parents: parent === undefined ? [] : [parent], author, at, message });
    },
    merge(name, base, head, message, at) {
      const merged = threeWay(name, base, head);
      if (merged.conflicts.length > 0) throw new Error(`Conflicts in ${merged.conflicts.join(", ")}.`);
      return commitTree(name, { tree: keep(name, merged.files), parents: [base, head], author: ROBOT, at, message });
    },
    move(name, branch, expected, to) {
      const { branches, network } = held(name);
      if (branches.get(branch) !== expected) return false;
      if (to === undefined) branches.delete(branch);
      else if (network.commits.has(to)) branches.set(branch, to);
      else throw new Error(`${name} has no commit ${to}.`);
      return true;
    },
    filesOf(name, revision) {
      const { network } = held(name);
      return network.trees.get(network.commits.get(revision)?.tree ?? revision);
    },
    keep,
    commitTree,
  };
};
