/**
 * One pass fixes many points; when the gate then stays red, the guilty one is found by halving, dropped, and the rest ships.
 * The unit is what can be taken out by itself: points whose changes touch the same file belong together.
 */
import type { DoneItem, Tree } from "../model.js";
import type { FileChange, Git } from "../ports.js";

export interface Unit {
  readonly items: readonly DoneItem[];
  /** Paths as they are after the change and, for a rename, before it. */
  readonly paths: ReadonlySet<string>;
}

/** Paths that belong together: both ends of a rename. */
const pathsOf = (change: FileChange): readonly string[] => (change.was === undefined ? [change.path] : [change.was, change.path]);

/** Pure: the points of a pass, joined where they touch the same file. A change that nobody claims belongs to each, so there is one unit. */
export const unitsOf = (done: readonly DoneItem[], changes: readonly FileChange[]): readonly Unit[] => {
  const claimed = new Set(done.flatMap((item) => item.files));
  const all = new Set(changes.flatMap(pathsOf));
  const nobodys = changes.some((change) => !pathsOf(change).some((path) => claimed.has(path)));
  if (nobodys || done.some((item) => item.files.length === 0)) return [{ items: done, paths: all }];
  let units: Unit[] = [];
  for (const item of done) {
    const own = changes.flatMap((change) => (pathsOf(change).some((path) => item.files.includes(path)) ? pathsOf(change) : []));
    const touching = units.filter((unit) => own.some((path) => unit.paths.has(path)));
    const items = [...touching.flatMap((unit) => unit.items), item];
    const paths = new Set([...touching.flatMap((unit) => [...unit.paths]), ...own]);
    units = [...units.filter((unit) => !touching.includes(unit)), { items, paths }];
  }
  return units;
};

/** The tree `from` with these paths as they are in `to`; undefined where a file is no plain text and can't be carried over exactly. */
const treeWith = async (
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

/** The units that are green together on `from`, found by halving; `green` runs the gate. */
export const salvage = async (
  git: Git,
  from: Tree,
  to: Tree,
  changes: readonly FileChange[],
  units: readonly Unit[],
  green: (tree: Tree) => Promise<boolean>,
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
  await add(units, true);
  await git.checkout(tree);
  return { kept, dropped: units.filter((unit) => !kept.includes(unit)), tree };
};
