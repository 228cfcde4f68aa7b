/** The part of an iteration that happens in our worktree: sync, gates, fixes, repairs, the draft commit. Nothing leaves by it. */
import { believed, whyNot } from "./checked-change.js";
import type { Engine } from "../engine.js";
import type {
  DoneItem,
  Evidence,
  Fixed,
  Inbox,
  PlannedCommit,
  Sha,
  StopDetail,
  Synced,
  Thread,
  Tree,
  Work,
  WorkItem,
  Write,
} from "../model.js";
import type { Git } from "../ports.js";
import { harmlessLine } from "../writing/outgoing.js";
import { salvage, unitsOf } from "./units.js";

/** A red gate is a thread like any other, with the gate's output as its body. */
export const gateThread = (evidence: Evidence, inbox: Inbox): Thread => {
  const author = { login: "gate", kind: "user", association: "OWNER" } as const;
  const at = evidence.at;
  return {
    id: `gate:${evidence.gate}`,
    source: "gate",
    home: "local",
    author,
    title: `The gate "${evidence.gate}" is red: ${evidence.command}`,
    severity: "high",
    messages: [
      {
        id: `gate:${evidence.gate}:${evidence.tree}`,
        databaseId: "",
        author,
        body: evidence.excerpt,
        createdAt: at,
        updatedAt: at,
        url: "",
        minimised: false,
        pending: false,
        viewerCanMinimise: false,
      },
    ],
    url: inbox.pullRequest.url,
    carrier: `gate:${evidence.gate}`,
    contentHash: evidence.tree,
    open: true,
    answered: false,
    replies: 0,
    trust: "trusted",
    canReply: false,
    canResolve: false,
  };
};

export interface Prepared {
  readonly git: Git;
  /** The remote head's tree, what a push is measured against. */
  readonly remoteTree: Tree;
  readonly synced?: Synced;
  readonly tree: Tree;
}

/** Worktree at the head, synced by policy. */
export const prepare = async (engine: Engine, git: Git, inbox: Inbox): Promise<Prepared | StopDetail> => {
  const { pullRequest } = inbox;
  const mayFix = engine.cannotPush(inbox) === undefined;
  await git.open(pullRequest, mayFix && engine.mayRunHead(inbox) ? engine.settings.worktree.setup : false, engine.options.signal);
  const remoteTree = await git.treeOf(pullRequest.head.sha);
  if (!mayFix || engine.settings.sync === "none") return { git, remoteTree, tree: remoteTree };
  engine.phase("sync");
  const synced = await engine.hooks.call("sync", engine.ctxFor(inbox));
  if (synced?.conflicts !== undefined && synced.conflicts.length > 0) {
    return {
      stop: "sync-conflict",
      detail: `${synced.policy} with ${pullRequest.base.branch} conflicts in ${synced.conflicts.join(", ")}`,
    };
  }
  return { git, remoteTree, tree: await git.tree(), ...(synced === undefined ? {} : { synced }) };
};

const red = (gates: readonly Evidence[]): readonly Evidence[] => gates.filter((gate) => gate.result === "red");

const redStop = (gates: readonly Evidence[]): StopDetail => ({
  stop: "gate-red",
  // Log file and last lines stand with the gate itself in the report; this line may be posted.
  detail: red(gates)
    .map((gate) => `"${gate.command}" is red`)
    .join("; "),
});

/** One call of the fix phase; what it may not have changed is undone. */
const fixOnce = async (
  engine: Engine,
  git: Git,
  inbox: Inbox,
  todo: readonly WorkItem[],
  extraProtected: readonly string[] = [],
): Promise<Work & { readonly tree: Tree }> => {
  const before = await git.tree();
  const work = await engine.hooks.call("fix", engine.ctxFor(inbox), { todo, done: [], reasons: {} }, inbox);
  const after = await git.tree();
  const changes = before === after ? [] : await git.changes(before, after);
  const bad = await whyNot(git, before, after, changes, {
    protected: [...engine.settings.trust.protected, ...extraProtected],
    findSecrets: engine.options.outgoing.findSecrets,
  });
  if (bad !== undefined) {
    await git.checkout(before);
    engine.note(`A fix was dropped: ${bad}.`);
    const reasons = Object.fromEntries(todo.map((item) => [item.thread.id, `the fix was dropped: ${bad}`]));
    return { todo, done: [], reasons, tree: before };
  }
  const claims = believed(work.done, changes);
  const leaks = (item: DoneItem): boolean => engine.holdsSecret([item.summary]);
  const done = claims.done.filter((item) => !leaks(item));
  const doubted = [
    ...claims.doubted,
    ...claims.done.filter(leaks).map((item) => ({ ...item, why: "what was said about it held something that looks like a secret" })),
  ];
  if (done.length === 0 && before !== after) {
    // A change that belongs to no point is nobody's.
    await git.checkout(before);
  }
  const reasons = { ...work.reasons, ...Object.fromEntries(doubted.map((item) => [item.thread.id, item.why])) };
  return { todo: [...work.todo, ...doubted], done, reasons, tree: done.length === 0 ? before : after };
};

/** Gates for a tree; a red one goes to `fix` alone, bounded. Gate leftovers are never part of the tree. */
export const greenTree = async (engine: Engine, git: Git, inbox: Inbox, start: Tree): Promise<{ readonly tree: Tree } | StopDetail> => {
  if (!Array.isArray(engine.settings.gate)) return { tree: start };
  let tree = start;
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
    gates = await engine.gate(inbox, tree);
    await git.checkout(tree);
  }
  return { tree };
};

export interface Fixing {
  readonly work: Work;
  readonly tree: Tree;
}

/** The gate stays red with all of it: what makes it red is found and taken out, its points stay open with the reason. */
const withoutGuilty = async (
  engine: Engine,
  git: Git,
  inbox: Inbox,
  work: Work & { readonly tree: Tree },
  start: Tree,
): Promise<Fixing> => {
  const changes = await git.changes(start, work.tree);
  const units = unitsOf(work.done, changes);
  if (units.length > 1) engine.phase("gate", `looking for the change that makes it red, among ${units.length}`);
  const { kept, dropped, tree } = await salvage(git, start, work.tree, changes, units, async (tried) => {
    const gates = await engine.gate(inbox, tried);
    await git.checkout(tried);
    return red(gates).length === 0;
  });
  const guilty = dropped.flatMap((unit) => unit.items);
  if (kept.length > 0)
    engine.note(`The gate was red with ${guilty.length} of ${work.done.length} fixes: they were taken out, the rest ships.`);
  const why = "its change was taken out: the gate is red with it";
  return {
    tree,
    work: {
      done: kept.flatMap((unit) => unit.items),
      todo: [...work.todo, ...guilty],
      reasons: { ...work.reasons, ...Object.fromEntries(guilty.map((item) => [item.thread.id, why])) },
    },
  };
};

/** Everything actionable in one pass, then the gate. */
export const fixAll = async (
  engine: Engine,
  git: Git,
  inbox: Inbox,
  todo: readonly WorkItem[],
  start: Tree,
): Promise<Fixing | StopDetail> => {
  engine.phase("fix", todo.length === 0 ? undefined : `${todo.length} to do`);
  const fixed = await fixOnce(engine, git, inbox, todo);
  if (fixed.tree === start) return { work: fixed, tree: start };
  const green = await greenTree(engine, git, inbox, fixed.tree);
  const fixing = "stop" in green ? await withoutGuilty(engine, git, inbox, fixed, start) : { work: fixed, tree: green.tree };
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

const fixedOf = (item: DoneItem): Fixed => ({
  thread: item.thread.id,
  contentHash: item.thread.contentHash,
  title: item.thread.title,
  summary: item.summary,
  ...(item.thread.reviewer === undefined ? {} : { reviewer: item.thread.reviewer }),
});

/** The draft commit and the push that carries it; undefined where the tree is the remote's. */
export const commitAndPush = async (
  engine: Engine,
  prepared: Prepared,
  inbox: Inbox,
  fixing: Fixing,
): Promise<Extract<Write, { kind: "push" }> | undefined> => {
  const { git, synced } = prepared;
  const { head } = inbox.pullRequest;
  const commits: Sha[] = synced === undefined || synced.head === head.sha ? [] : [synced.head];
  const made: PlannedCommit[] = [];
  const parent = commits.at(-1) ?? head.sha;
  if (fixing.tree !== (await git.treeOf(parent))) {
    const plan = await engine.hooks.call("push", engine.ctxFor(inbox), fixing.work, inbox);
    if (plan === undefined) {
      engine.note("There is a change, but no plugin that commits it (git-push).");
      return undefined;
    }
    const message = { ...plan, subject: harmlessLine(plan.subject) };
    const commit = await git.commit(fixing.tree, parent, message);
    const fixed = fixing.work.done.map(fixedOf);
    await engine.append({ at: engine.now(), type: "work", commit, tree: fixing.tree, fixed });
    commits.push(commit);
    if (engine.options.dryRun ?? false)
      made.push({ ...message, commit, parent, tree: fixing.tree, patch: await git.patch(await git.treeOf(parent), fixing.tree), fixed });
  }
  const to = commits.at(-1);
  if (to === undefined) return undefined;
  return {
    kind: "push",
    key: `push:${to}`,
    commits,
    to,
    tree: fixing.tree,
    expected: head.sha,
    branch: head.branch,
    force: synced?.policy === "rebase",
    preconditions: { head: head.sha },
    why: `${fixing.work.done.length} fixed`,
    ...(made.length === 0 ? {} : { made }),
  };
};
