/**
 * One pass fixes many points; when the gate then stays red, the guilty one is found by halving, dropped, and the rest ships.
 * The unit is what can be taken out by itself, and one commit where commits are kept: points of one root, and points whose changes touch
 * the same file, belong together.
 */
import type { DoneItem, Tree } from "../model.js";
import type { FileChange, Git } from "../ports.js";

export interface Unit {
  readonly items: readonly DoneItem[];
  /** Paths as they are after the change and, for a rename, before it. */
  readonly paths: ReadonlySet<string>;
}

/** Paths that belong together: both ends of a rename. */
export const pathsOf = (change: FileChange): readonly string[] => (change.was === undefined ? [change.path] : [change.was, change.path]);

const sameRoot = (a: DoneItem, b: DoneItem): boolean => a.decision.root !== undefined && a.decision.root === b.decision.root;

/** Pure: the points of a pass, joined where they touch the same file or are one root, each with what it claims of the changes. */
const claimedUnits = (done: readonly DoneItem[], changes: readonly FileChange[]): readonly Unit[] => {
  let units: Unit[] = [];
  for (const item of done) {
    const own = changes.flatMap((change) => (pathsOf(change).some((path) => item.files.includes(path)) ? pathsOf(change) : []));
    const touching = units.filter((unit) => own.some((path) => unit.paths.has(path)) || unit.items.some((other) => sameRoot(other, item)));
    const items = [...touching.flatMap((unit) => unit.items), item];
    const paths = new Set([...touching.flatMap((unit) => [...unit.paths]), ...own]);
    units = [...units.filter((unit) => !touching.includes(unit)), { items, paths }];
  }
  return units;
};

/** Pure: changes that no point claims. */
export const unclaimed = (done: readonly DoneItem[], changes: readonly FileChange[]): readonly FileChange[] => {
  const claimed = new Set(done.flatMap((item) => item.files));
  return changes.filter((change) => !pathsOf(change).some((path) => claimed.has(path)));
};

/** Pure: the units of a pass. A change that nobody claims may belong to any of them, so there is one unit then. */
export const unitsOf = (done: readonly DoneItem[], changes: readonly FileChange[]): readonly Unit[] =>
  unclaimed(done, changes).length > 0 || done.some((item) => item.files.length === 0)
    ? [{ items: done, paths: new Set(changes.flatMap(pathsOf)) }]
    : claimedUnits(done, changes);

/** Pure: what can be judged by itself: the units by what they claim, and each change that nobody claims alone. */
export const groupsOf = (done: readonly DoneItem[], changes: readonly FileChange[]): readonly Unit[] =>
  done.some((item) => item.files.length === 0)
    ? unitsOf(done, changes)
    : [
        ...claimedUnits(done, changes).filter((unit) => unit.paths.size > 0),
        ...unclaimed(done, changes).map((change): Unit => ({ items: [], paths: new Set(pathsOf(change)) })),
      ];

/** Those of the changes that a unit is made of. */
export const changesIn = (unit: Unit, changes: readonly FileChange[]): readonly FileChange[] =>
  changes.filter((change) => pathsOf(change).some((path) => unit.paths.has(path)));

/** The tree `from` with these paths as they are in `to`; undefined where a file is no plain text and can't be carried over exactly. */
export const treeWith = async (
  git: Git,
  from: Tree,
  to: Tree,
  units: readonly Unit[],
  changes: readonly FileChange[],
): Promise<Tree | undefined> => {
  const paths = new Set(units.flatMap((unit) => [...unit.paths]));
  const wanted = changes.filter((change) => pathsOf(change).some((path) => paths.has(path)));
  await git.checkout(from);
  for (const change of wanted) {
    if (change.was !== undefined) await git.edit(change.was, null);
    if (change.mode === "000000") {
      await git.edit(change.path, null);
      continue;
    }
    const text = await git.show(to, change.path);
    if (text === undefined || (change.mode === "100755" && change.modeBefore !== "100755")) return undefined;
    await git.edit(change.path, text);
  }
  return git.tree();
};

export interface Salvaged {
  readonly kept: readonly Unit[];
  readonly dropped: readonly Unit[];
  readonly tree: Tree;
}

/** Gate runs of one search. */
const MOST_RUNS = 12;

/** The units that are green together on `from`, found by halving; `green` runs the gate. `allRed`: all of them together are known to be. */
export const salvage = async (
  git: Git,
  from: Tree,
  to: Tree,
  changes: readonly FileChange[],
  units: readonly Unit[],
  green: (tree: Tree) => Promise<boolean>,
  allRed = true,
): Promise<Salvaged> => {
  let kept: readonly Unit[] = [];
  let tree = from;
  let runs = 0;
  /** All together are known to be red on what is kept so far where `red` is true. */
  const add = async (some: readonly Unit[], red: boolean): Promise<void> => {
    if (some.length === 0) return;
    if (!red) {
      if (runs >= MOST_RUNS) return;
      runs += 1;
      const tried = await treeWith(git, from, to, [...kept, ...some], changes);
      if (tried === undefined) return;
      if (await green(tried)) {
        kept = [...kept, ...some];
        tree = tried;
        return;
      }
    }
    if (some.length === 1) return;
    const half = Math.ceil(some.length / 2);
    const before = kept.length;
    await add(some.slice(0, half), false);
    // Green alone: then the rest is known to be red with it, and needs no run as a whole.
    await add(some.slice(half), red && kept.length === before + half);
  };
  await add(units, allRed);
  await git.checkout(tree);
  return { kept, dropped: units.filter((unit) => !kept.includes(unit)), tree };
};
