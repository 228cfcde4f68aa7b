/**
 * The worktree as a tree, and a tree as the worktree. Both work on an index of our own outside the worktree, so nothing an agent
 * does with git in there (staging, flags that hide a file) changes what we see; kept between calls, it also makes them cheap.
 */
import { lstat, readFile, readlink } from "node:fs/promises";
import type { Tree } from "../../model.js";
import { fieldsOf, gitFailed, guarded, lineOf, objectId, type Place, type RunGit } from "./command.js";
import { clearPath } from "./files.js";

export interface SnapshotOptions {
  readonly run: RunGit;
  /** With work tree and index. */
  readonly place: Place & { readonly workTree: string; readonly index: string };
  readonly signal: AbortSignal | undefined;
}

const safe = async (options: SnapshotOptions): Promise<SnapshotOptions> => ({
  ...options,
  run: await guarded(options.run, options.place, options.signal),
});

const joined = (names: readonly Buffer[]): Buffer => Buffer.concat(names.flatMap((name) => [name, Buffer.from([0])]));

const pathOf = (root: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), name]);

/** Something that a tree can hold: a file, a link, a folder (a submodule). A pipe or a device is as good as gone. */
const isKept = async (root: string, name: Buffer): Promise<boolean> => {
  try {
    const found = await lstat(pathOf(root, name));
    return found.isFile() || found.isSymbolicLink() || found.isDirectory();
  } catch {
    return false;
  }
};

interface Dirty {
  readonly gone: readonly Buffer[];
  readonly changed: readonly Buffer[];
  readonly added: readonly Buffer[];
  /** Untracked folders that are repositories of their own. */
  readonly nested: readonly Buffer[];
}

const dirtyIn = async ({ run, place, signal }: SnapshotOptions): Promise<Dirty> => {
  // `dirty` keeps git from running `git status` inside a submodule, which would obey that folder's own config.
  const differences = await run(place, {
    args: ["diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=dirty"],
    signal,
  });
  const gone: Buffer[] = [];
  const changed: Buffer[] = [];
  const fields = fieldsOf(differences.stdout);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at + 1] ?? Buffer.alloc(0);
    const isGone = fields[at]?.toString("latin1").endsWith(" D") === true || !(await isKept(place.workTree, name));
    (isGone ? gone : changed).push(name);
  }
  const others = await run(place, { args: ["ls-files", "-z", "--others", "--exclude-standard"], signal });
  const found = fieldsOf(others.stdout);
  const slash = "/".charCodeAt(0);
  return {
    gone,
    changed,
    added: found.filter((name) => name.at(-1) !== slash),
    nested: found.filter((name) => name.at(-1) === slash).map((name) => name.subarray(0, -1)),
  };
};

/** The bytes that stand in the worktree for a path: a link's target, a file's content. */
const bytesAt = async (root: string, name: Buffer): Promise<Buffer | undefined> => {
  const path = pathOf(root, name);
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path, { encoding: "buffer" }) : await readFile(path);
  } catch {
    return undefined;
  }
};

/**
 * A repository may hold bytes that its own attributes would not make (line ends that were never normalised). Such a file looks
 * changed although nobody touched it; here every file that is still what a checkout writes gets its entry back.
 */
const restoreUntouched = async ({ run, place, signal }: SnapshotOptions, base: Tree, tree: Tree): Promise<Tree> => {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--diff-filter=M", objectId(base), objectId(tree)];
  const fields = fieldsOf((await run(place, { args, signal })).stdout);
  const back: Buffer[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore, mode, id] = (fields[at] ?? Buffer.alloc(0)).toString("latin1").slice(1).split(" ");
    const name = fields[at + 1];
    if (name === undefined || id === undefined || modeBefore !== mode || !mode?.startsWith("100")) continue;
    const present = await bytesAt(place.workTree, name);
    if (present === undefined) continue;
    const written = await run(place, {
      args: ["cat-file", "--filters", `--path=${name.toString("utf8")}`, id],
      signal,
      answers: "any",
    });
    if (written.code === 0 && written.stdout.equals(present)) back.push(Buffer.from(`${mode} ${id}\t`), name, Buffer.from([0]));
  }
  if (back.length === 0) return tree;
  await run(place, { args: ["update-index", "-z", "--index-info"], input: Buffer.concat(back), signal });
  return objectId(lineOf(await run(place, { args: ["write-tree"], signal })));
};

const treeWith = async (options: SnapshotOptions, base: Tree): Promise<{ readonly tree: Tree; readonly nested: readonly Buffer[] }> => {
  const { run, place, signal } = options;
  const { gone, changed, added, nested } = await dirtyIn(options);
  const update = async (flags: readonly string[], names: readonly Buffer[]): Promise<void> => {
    if (names.length > 0) await run(place, { args: ["update-index", "-z", ...flags, "--stdin"], input: joined(names), signal });
  };
  await update(["--force-remove"], gone);
  await update(["--add", "--remove", "--replace"], [...changed, ...added]);
  for (const name of nested)
    // As git does: the commit that is checked out there. Without one there is nothing to record.
    await run(place, {
      args: ["update-index", "-z", "--add", "--replace", "--stdin"],
      input: joined([name]),
      signal,
      answers: "any",
    });
  const tree = objectId(lineOf(await run(place, { args: ["write-tree"], signal })));
  return { tree: tree === base ? tree : await restoreUntouched(options, base, tree), nested };
};

/** Hash of everything in the worktree that is not ignored; `base` is the tree that was checked out last. */
export const snapshotTree = async (options: SnapshotOptions, base: Tree): Promise<Tree> => (await treeWith(await safe(options), base)).tree;

/** Makes the worktree exactly this tree. Ignored files stay unless one stands where a file of the tree must be. */
export const checkoutTree = async (open: SnapshotOptions, base: Tree | undefined, tree: Tree): Promise<void> => {
  const options = await safe(open);
  const { run, place, signal } = options;
  // First everything untracked becomes known to the index, so that git removes it like a file of another branch.
  const before = await treeWith(options, base ?? tree);
  for (const name of before.nested) await clearPath(place.workTree, name.toString("utf8"));
  await run(place, { args: ["read-tree", "--reset", "-u", "--no-recurse-submodules", objectId(tree)], signal });
  let after = await treeWith(options, tree);
  if (after.tree !== tree) {
    await clearObstacles(options, after.tree, tree);
    await run(place, { args: ["read-tree", "--reset", "-u", "--no-recurse-submodules", objectId(tree)], signal });
    await run(place, { args: ["checkout-index", "--all", "--force", "--quiet"], signal, answers: "any" });
    after = await treeWith(options, tree);
  }
  if (after.tree !== tree) throw gitFailed("read-tree", `the worktree could not be made ${tree}: it is ${after.tree}`);
};

/** Whatever stands at a path that differs is ours to remove: the worktree is nobody else's. */
const clearObstacles = async ({ run, place, signal }: SnapshotOptions, from: Tree, to: Tree): Promise<void> => {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", objectId(from), objectId(to)];
  for (const name of fieldsOf((await run(place, { args, signal })).stdout)) await clearPath(place.workTree, name.toString("utf8"));
};
