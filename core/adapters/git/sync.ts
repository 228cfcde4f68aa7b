/**
 * Merge and rebase among objects only: git computes each result in memory, so a conflict leaves the worktree as it was, and no
 * half-done merge can be left behind by a crash.
 */
import type { Instant, Sha, Tree } from "../../model.js";
import { fieldsOf, gitFailed, lineOf, objectId, wordsOf, type Place, type RunGit } from "./command.js";
import { parsePerson, writeCommit, type Identity } from "./commit.js";

export interface SyncContext {
  /** Guarded. */
  readonly run: RunGit;
  /** With work tree: the head's `.gitattributes` say how its files are merged (`union`, `binary`); their programs are replaced. */
  readonly place: Place;
  readonly identity: Identity;
  readonly now: Instant;
  readonly signal: AbortSignal | undefined;
}

export type SyncOutcome = { readonly head: Sha } | { readonly conflicts: readonly string[] };

/** The tree that merging both gives, or the paths in conflict. */
const mergedTree = async (
  { run, place, signal }: SyncContext,
  ours: Sha,
  theirs: Sha,
): Promise<{ readonly tree: Tree } | { readonly conflicts: readonly string[] }> => {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", objectId(ours), objectId(theirs)];
  const output = await run(place, { args, answers: "any", signal });
  const [tree, ...names] = fieldsOf(output.stdout).map((field) => field.toString("utf8"));
  if (output.code === 0 && tree !== undefined) return { tree: objectId(tree.trim()) };
  if (output.code === 1) return { conflicts: [...new Set(names.filter((name) => name !== ""))].sort() };
  throw gitFailed("merge-tree", wordsOf(output.stderr) || `it ended with exit code ${output.code}`);
};

const isAncestor = async ({ run, place, signal }: SyncContext, older: Sha, newer: Sha): Promise<boolean> =>
  (await run(place, { args: ["merge-base", "--is-ancestor", older, newer], answers: [0, 1], signal })).code === 0;

export const mergeBase = async (context: SyncContext, head: Sha, base: Sha, message: string): Promise<SyncOutcome> => {
  if (await isAncestor(context, base, head)) return { head };
  if (await isAncestor(context, head, base)) return { head: base };
  const merged = await mergedTree(context, head, base);
  if ("conflicts" in merged) return merged;
  const { run, place, identity, now, signal } = context;
  return { head: await writeCommit(run, place, { tree: merged.tree, parents: [head, base], message, identity, now }, signal) };
};

interface Picked {
  readonly tree: Tree;
  readonly parents: readonly Sha[];
  readonly author: Identity["author"];
  readonly message: Buffer;
}

/** Pure: the parts of a commit object that a replay keeps. */
export const parseCommit = (raw: Buffer): Picked | undefined => {
  const end = raw.indexOf("\n\n");
  const header = raw
    .subarray(0, end < 0 ? raw.length : end)
    .toString("utf8")
    .split("\n");
  const value = (name: string): string | undefined => header.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const tree = value("tree");
  const author = parsePerson(value("author") ?? "");
  if (tree === undefined || author === undefined) return undefined;
  const parents = header.filter((line) => line.startsWith("parent ")).map((line) => line.slice(7));
  return { tree, parents, author, message: end < 0 ? Buffer.alloc(0) : raw.subarray(end + 2) };
};

/**
 * Replays the commits that only `head` has onto `base`, as `git rebase` does: merges are left out, so are commits whose change the base
 * already has; authors and messages stay.
 */
export const rebaseOnto = async (context: SyncContext, head: Sha, base: Sha): Promise<SyncOutcome> => {
  const { run, place, identity, now, signal } = context;
  if (await isAncestor(context, base, head)) return { head };
  const args = [
    "rev-list",
    "--reverse",
    "--topo-order",
    "--no-merges",
    "--right-only",
    "--cherry-pick",
    `${objectId(base)}...${objectId(head)}`,
  ];
  const commits = lineOf(await run(place, { args, signal }))
    .split("\n")
    .filter((line) => line !== "");
  const treeOf = async (revision: Sha): Promise<Tree> =>
    objectId(lineOf(await run(place, { args: ["rev-parse", "--verify", `${revision}^{tree}`], signal })));
  let tip = base;
  for (const commit of commits) {
    const picked = parseCommit((await run(place, { args: ["cat-file", "commit", objectId(commit)], signal })).stdout);
    const [parent] = picked?.parents ?? [];
    if (picked === undefined) throw gitFailed("rebase", `commit ${commit} can't be read`);
    if (parent === undefined) throw gitFailed("rebase", `commit ${commit} has no parent; its history and the base's are unrelated`);
    const below = await treeOf(tip);
    // A stand-in with the new base's files and the old parent as its history: merging it with the commit has exactly that parent as
    // the merge base, which is what a cherry-pick is.
    const standIn = await writeCommit(run, place, { tree: below, parents: [parent], message: "stand-in\n", identity, now }, signal);
    const merged = await mergedTree(context, standIn, commit);
    if ("conflicts" in merged) return merged;
    const startedEmpty = picked.tree === (await treeOf(parent));
    if (merged.tree === below && !startedEmpty) continue;
    const again = { tree: merged.tree, parents: [tip], message: picked.message, identity: { ...identity, author: picked.author }, now };
    tip = await writeCommit(run, place, again, signal);
  }
  return { head: tip };
};
