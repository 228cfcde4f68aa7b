/** Repositories in memory, as the server asks for them: without git over HTTP. */
import type { BareRepositories, FileDiff } from "../../sandbox/server/git/bare-repositories.js";
import { hunks } from "../../sandbox/world/diff.js";
import { blobId } from "../../sandbox/world/git-objects.js";
import type { Repositories } from "../../sandbox/world/repositories.js";

const patchOf = (before: string, after: string): string =>
  hunks(before, after)
    .map((each) => [`@@ -${each.oldStart},${each.oldLines} +${each.newStart},${each.newLines} @@`, ...each.lines].join("\n"))
    .join("\n");

export const served = (store: Repositories): BareRepositories => {
  const diff: BareRepositories["diff"] = (name, from, to) =>
    store.changedFiles(name, from, to).map((file): FileDiff => {
      const before = store.fileAt(name, from, file.was ?? file.path) ?? "";
      const after = store.fileAt(name, to, file.path) ?? "";
      const patch = patchOf(before, after);
      const count = (mark: string): number => patch.split("\n").filter((line) => line.startsWith(mark)).length;
      return { ...file, blob: blobId(after), additions: count("+"), deletions: count("-"), patch };
    });
  const none = (what: string) => (): never => {
    throw new Error(`${what} needs real repositories.`);
  };
  return {
    create: store.create.bind(store),
    head: store.head.bind(store),
    branches: store.branches.bind(store),
    commit: store.commit.bind(store),
    treeOf: store.treeOf.bind(store),
    fileAt: store.fileAt.bind(store),
    changedFiles: store.changedFiles.bind(store),
    mergeBase: store.mergeBase.bind(store),
    commitsBetween: store.commitsBetween.bind(store),
    conflicts: store.conflicts.bind(store),
    write: store.write.bind(store),
    merge: store.merge.bind(store),
    move: store.move.bind(store),
    folder: "",
    folderOf: () => undefined,
    refresh: () => [],
    publish: () => {},
    diff,
    blobOf: (name, sha, path) => blobId(store.fileAt(name, sha, path) ?? ""),
    diffText: none("a diff's text"),
    patchText: none("a patch's text"),
  };
};
