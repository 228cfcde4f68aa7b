/** Fixes and repairs in our worktree: what was changed is checked, gated, looked at once more, and taken out where it does not hold. */
import { badChange, believed, whyNot } from "./checked-change.js";
import type { Engine } from "../engine.js";
import type { Decision, DoneItem, Evidence, Inbox, StopDetail, Tree, Work, WorkItem } from "../model.js";
import type { FileChange, Git } from "../ports.js";
import { changesIn, groupsOf, salvage, treeWith, unitsOf } from "./units.js";
import type { Unit } from "./units.js";
import { gateThread } from "./worktree.js";

const red = (gates: readonly Evidence[]): readonly Evidence[] => gates.filter((gate) => gate.result === "red");

const redStop = (gates: readonly Evidence[]): StopDetail => ({
  stop: "gate-red",
  // Log file and last lines stand with the gate itself in the report; this line may be posted.
  detail: red(gates)
    .map((gate) => `"${gate.command}" is red`)
    .join("; "),
});

interface Refused extends WorkItem {
  readonly why: string;
}
const reasonsOf = (items: readonly Refused[]): Readonly<Record<string, string>> =>
  Object.fromEntries(items.map((item) => [item.thread.id, item.why]));
const asTodo = (items: readonly WorkItem[]): readonly WorkItem[] => items.map(({ thread, decision }) => ({ thread, decision }));

const INSEPARABLE = "its change can't be told from one that was taken out";

/** More groups than this are not judged one by one: such a pass is no answer to review points. */
const MOST_GROUPS = 50;

/** What may stay of a pass: the units and unclaimed files that may not are taken out, each by itself where that can be told. */
const allowed = async (
  engine: Engine,
  git: Git,
  before: Tree,
  after: Tree,
  done: readonly DoneItem[],
): Promise<{ readonly tree: Tree; readonly refused: readonly Refused[] }> => {
  const changes = before === after ? [] : await git.changes(before, after);
  const rules = { protected: engine.settings.trust.protected, findSecrets: engine.options.outgoing.findSecrets };
  const bad = await whyNot(git, before, after, changes, rules);
  if (bad === undefined) return { tree: after, refused: [] };
  const groups = groupsOf(done, changes);
  const good: Unit[] = [];
  const refused: Refused[] = [];
  for (const group of groups.length > MOST_GROUPS ? [] : groups) {
    const own = changesIn(group, changes);
    const tree = badChange(own, rules.protected) === undefined ? await treeWith(git, before, after, [group], changes) : undefined;
    const why =
      badChange(own, rules.protected) ??
      (tree === undefined ? "it holds what is no plain text" : await whyNot(git, before, tree, own, rules));
    if (why === undefined) {
      good.push(group);
      continue;
    }
    for (const item of group.items) refused.push({ ...item, why: `the fix was dropped: ${why}` });
    engine.note(group.items.length > 0 ? `A fix was dropped: ${why}.` : `A change that belongs to no point was dropped: ${why}.`);
  }
  const tree = good.length === 0 ? before : ((await treeWith(git, before, after, good, changes)) ?? before);
  const stillBad = tree === before ? bad : await whyNot(git, before, tree, await git.changes(before, tree), rules);
  await git.checkout(stillBad === undefined ? tree : before);
  if (stillBad === undefined) return { tree, refused };
  if (refused.length === 0) engine.note(`A fix was dropped: ${bad}.`);
  const rest = done.filter((item) => !refused.some((other) => other.thread.id === item.thread.id));
  return { tree: before, refused: [...refused, ...rest.map((item) => ({ ...item, why: `the fix was dropped: ${stillBad}` }))] };
};

/** Threads of one root are settled by one change, or all of them wait. */
const halfDone = (done: readonly DoneItem[], todo: readonly WorkItem[]): readonly Refused[] =>
  done
    .filter((item) => item.decision.root !== undefined && todo.some((other) => other.decision.root === item.decision.root))
    .map((item) => ({ ...item, why: "another thread makes the same point, and the change does not settle that one" }));

/** Units of which nothing may stay are taken out of the tree; what shares a file with one goes along. */
const without = async (
  git: Git,
  from: Tree,
  to: Tree,
  done: readonly DoneItem[],
  gone: ReadonlySet<string>,
): Promise<{ readonly kept: readonly Unit[]; readonly along: readonly Refused[]; readonly changes: readonly FileChange[] }> => {
  const changes = from === to ? [] : await git.changes(from, to);
  const units = unitsOf(done, changes);
  const kept = units.filter((unit) => !unit.items.some((item) => gone.has(item.thread.id)));
  const along = units
    .filter((unit) => !kept.includes(unit))
    .flatMap((unit) => unit.items)
    .filter((item) => !gone.has(item.thread.id))
    .map((item) => ({ ...item, why: INSEPARABLE }));
  return { kept, along, changes };
};

/** One call of the fix phase; what it may not have changed is undone. */
const fixOnce = async (engine: Engine, git: Git, inbox: Inbox, todo: readonly WorkItem[]): Promise<Work & { readonly tree: Tree }> => {
  const before = await git.tree();
  const work = await engine.hooks.call("fix", engine.ctxFor(inbox), { todo, done: [], reasons: {} }, inbox);
  const { tree: after, refused } = await allowed(engine, git, before, await git.tree(), work.done);
  const left = work.done.filter((item) => !refused.some((other) => other.thread.id === item.thread.id));
  const changes = before === after ? [] : await git.changes(before, after);
  const claims = believed(left, changes);
  const leaking = claims.done
    .filter((item) => engine.holdsSecret([item.summary]))
    .map((item) => ({ ...item, why: "what was said about it held something that looks like a secret" }));
  const open = [...refused, ...claims.doubted, ...leaking];
  const gone = [
    ...leaking,
    ...halfDone(
      claims.done.filter((item) => !leaking.some((other) => other.thread.id === item.thread.id)),
      [...work.todo, ...open],
    ),
  ];
  const ids = new Set(gone.map((item) => item.thread.id));
  const done = claims.done.filter((item) => !ids.has(item.thread.id));
  const doubted: readonly Refused[] = [...refused, ...claims.doubted, ...gone];
  const result = (back: readonly Refused[], stay: readonly DoneItem[], tree: Tree): Work & { readonly tree: Tree } => ({
    todo: [...work.todo, ...asTodo(back)],
    done: stay,
    reasons: { ...work.reasons, ...reasonsOf(back) },
    tree,
  });
  if (done.length === 0) {
    // A change that belongs to no point is nobody's.
    if (before !== after) await git.checkout(before);
    return result(doubted, [], before);
  }
  if (gone.length === 0) return result(doubted, done, after);
  const { kept, along, changes: all } = await without(git, before, after, claims.done, ids);
  const tree = kept.length === 0 ? before : ((await treeWith(git, before, after, kept, all)) ?? before);
  await git.checkout(tree);
  if (tree === before) return result([...doubted, ...done.map((item) => ({ ...item, why: INSEPARABLE }))], [], before);
  return result(
    [...doubted, ...along],
    kept.flatMap((unit) => unit.items),
    tree,
  );
};

export interface Green {
  readonly tree: Tree;
  /** What mended a red gate on the way. */
  readonly repairs: readonly DoneItem[];
}

/** Gates for a tree; a red one goes to `fix` alone, bounded. Gate leftovers are never part of the tree. */
export const greenTree = async (engine: Engine, git: Git, inbox: Inbox, start: Tree): Promise<Green | StopDetail> => {
  if (!Array.isArray(engine.settings.gate)) return { tree: start, repairs: [] };
  let tree = start;
  let repairs: readonly DoneItem[] = [];
  let gates = await engine.gate(inbox, tree);
  await git.checkout(tree);
  const mayFix = engine.cannotPush(inbox) === undefined;
  for (let attempt = 0; red(gates).length > 0; attempt += 1) {
    if (!mayFix || attempt >= engine.settings.limits.repairs) return redStop(gates);
    engine.phase("fix", `repairing the red gate, attempt ${attempt + 1} of ${engine.settings.limits.repairs}`);
    const todo = red(gates).map((gate): WorkItem => ({
      thread: gateThread(gate, inbox),
      decision: { kind: "actionable", why: "a red gate is never pushed", reply: null },
    }));
    for (const gate of red(gates)) await engine.append({ at: engine.now(), type: "repair", gate: gate.gate });
    const repaired = await fixOnce(engine, git, inbox, todo);
    if (repaired.done.length === 0) return redStop(gates);
    tree = repaired.tree;
    repairs = [...repairs, ...repaired.done];
    gates = await engine.gate(inbox, tree);
    await git.checkout(tree);
  }
  return { tree, repairs };
};

export interface Fixing {
  readonly work: Work;
  readonly tree: Tree;
  /** What mended a gate that the fixes had made red; part of the same change. */
  readonly repairs: readonly DoneItem[];
}

/** The units that are green together, without those that `gone` names; the gate has the last word on what is left. */
const shipped = async (
  engine: Engine,
  git: Git,
  inbox: Inbox,
  fixing: Fixing,
  start: Tree,
  how: { readonly gone: readonly Refused[]; readonly allRed: boolean },
): Promise<Fixing> => {
  const all = [...fixing.work.done, ...fixing.repairs];
  const { kept: units, along, changes } = await without(git, start, fixing.tree, all, new Set(how.gone.map((item) => item.thread.id)));
  if (how.allRed && units.length > 1) engine.phase("gate", `looking for the change that makes it red, among ${units.length}`);
  const { kept, dropped, tree } = await salvage(
    git,
    start,
    fixing.tree,
    changes,
    units,
    async (tried) => {
      const gates = Array.isArray(engine.settings.gate) ? await engine.gate(inbox, tried) : [];
      await git.checkout(tried);
      return red(gates).length === 0;
    },
    how.allRed,
  );
  const isPoint = (item: WorkItem): boolean => fixing.work.done.some((each) => each.thread.id === item.thread.id);
  const guilty = dropped
    .flatMap((unit) => unit.items)
    .map((item) => ({ ...item, why: "its change was taken out: the gate is red with it" }));
  // A root has one decision: where a person is to decide about one of its threads, that goes for all of them.
  const asRoot = (item: Refused): Refused => {
    const { root } = item.decision;
    const judged = how.gone.find(({ decision }) => decision.kind === "judgment" && root !== undefined && decision.root === root);
    return judged === undefined ? item : { ...item, decision: judged.decision };
  };
  const back = [...how.gone, ...along.map(asRoot), ...guilty].filter(isPoint);
  const stay = kept.flatMap((unit) => unit.items);
  if (guilty.some(isPoint) && stay.some(isPoint))
    engine.note(
      `The gate was red with ${guilty.filter(isPoint).length} of ${fixing.work.done.length} fixes: they were taken out, the rest ships.`,
    );
  // A repair alone mends nothing that is still there.
  const ships = stay.some(isPoint);
  if (!ships) await git.checkout(start);
  return {
    tree: ships ? tree : start,
    repairs: ships ? stay.filter((item) => !isPoint(item)) : [],
    work: {
      done: stay.filter(isPoint),
      todo: [...fixing.work.todo, ...asTodo(back)],
      reasons: { ...fixing.work.reasons, ...reasonsOf(back) },
    },
  };
};

/** A repair may take a fix back to get the gate green: what is claimed is held against what would be pushed, too. */
const takenBack = async (git: Git, fixing: Fixing, start: Tree): Promise<readonly Refused[]> =>
  believed(fixing.work.done, start === fixing.tree ? [] : await git.changes(start, fixing.tree)).doubted.map((item) => ({
    ...item,
    why: "its change was taken back to make the gate green",
  }));

/**
 * The gate is green: the fix phase is called once more with nothing to do and all that was done. Whoever doubts a fix gives it back, as a
 * point that is to do, or as a `judgment`.
 */
const givenBack = async (engine: Engine, git: Git, inbox: Inbox, fixing: Fixing): Promise<readonly Refused[]> => {
  const { done } = fixing.work;
  if (done.length === 0) return [];
  const after = await engine.hooks.call("fix", engine.ctxFor(inbox), { todo: [], done, reasons: {}, ready: fixing.tree }, inbox);
  // It is too late for a change.
  await git.checkout(fixing.tree);
  return done
    .filter((item) => !after.done.some((other) => other.thread.id === item.thread.id))
    .map((item) => {
      const back = after.todo.find((other) => other.thread.id === item.thread.id)?.decision;
      const decision: Decision = back?.kind === "judgment" ? back : item.decision;
      return { ...item, decision, why: after.reasons[item.thread.id] ?? "it was given back after a second look" };
    });
};

/** Everything actionable in one pass, then the gate, then the second look. */
export const fixAll = async (
  engine: Engine,
  git: Git,
  inbox: Inbox,
  todo: readonly WorkItem[],
  start: Tree,
): Promise<Fixing | StopDetail> => {
  engine.phase("fix", todo.length === 0 ? undefined : `${todo.length} to do`);
  // Triage and a second look only read; what one of them wrote all the same would be pushed unchecked.
  if ((await git.tree()) !== start) {
    await git.checkout(start);
    engine.note("Files were changed where they were only to be read; that was undone.");
  }
  const fixed = await fixOnce(engine, git, inbox, todo);
  if (fixed.tree === start) return { work: fixed, tree: start, repairs: [] };
  const green = await greenTree(engine, git, inbox, fixed.tree);
  const made: Fixing = { work: fixed, tree: fixed.tree, repairs: [] };
  let fixing = "stop" in green ? await shipped(engine, git, inbox, made, start, { gone: [], allRed: true }) : { ...made, ...green };
  const reverted = await takenBack(git, fixing, start);
  if (reverted.length > 0) fixing = await shipped(engine, git, inbox, fixing, start, { gone: reverted, allRed: false });
  const back = await givenBack(engine, git, inbox, fixing);
  if (back.length > 0) fixing = await shipped(engine, git, inbox, fixing, start, { gone: back, allRed: false });
  for (const item of fixing.work.done)
    engine.emit({ type: "fixed", thread: item.thread.id, title: item.thread.title, summary: item.summary });
  if (!("stop" in green) || fixing.work.done.length > 0) return fixing;
  // Nothing is left to ship; whose change it was is told all the same.
  for (const { thread } of fixing.work.todo) {
    const { id, contentHash, title } = thread;
    const why = fixing.work.reasons[id] ?? "it was not fixed";
    await engine.append({ at: engine.now(), type: "left", thread: id, contentHash, title, why, code: "not-fixed" });
  }
  return green;
};
