/** The part of an iteration that happens in our worktree: sync, gates, fixes, repairs, the draft commit. Nothing leaves by it. */
import { matchesProtected } from "./protected.js";
import type { Engine } from "./engine.js";
import type { DoneItem, Evidence, Fixed, Inbox, Sha, StopDetail, Synced, Thread, Tree, Work, WorkItem, Write } from "./model.js";
import type { FileChange, Git } from "./ports.js";
import { harmlessLine } from "./outgoing.js";

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

const MAX_FILES = 300;

/** Why a fix's diff must not be committed; undefined = it may. */
export const badChange = (changes: readonly FileChange[], protectedPaths: readonly string[]): string | undefined => {
  if (changes.length > MAX_FILES) return `it changed ${changes.length} files, more than ${MAX_FILES}`;
  for (const change of changes) {
    const path = [change.path, change.was].find((each) => each !== undefined && matchesProtected(each, protectedPaths));
    if (path !== undefined) return `it touched the protected path ${path}`;
    if (change.mode === "120000") return `it made ${change.path} a symbolic link`;
    if (change.mode === "160000" || change.modeBefore === "160000") return `it changed the submodule ${change.path}`;
    if (change.binary) return `it changed the binary file ${change.path}`;
    if (change.mode !== "000000" && change.modeBefore !== "000000" && change.mode !== change.modeBefore)
      return `it changed the mode of ${change.path}`;
  }
  return undefined;
};

/** Claims held against the real diff: whoever says "changed" and changed nothing did nothing. */
export const believed = (
  done: readonly DoneItem[],
  changes: readonly FileChange[],
): { readonly done: readonly DoneItem[]; readonly doubted: readonly (WorkItem & { why: string })[] } => {
  const paths = new Set(changes.flatMap((change) => [change.path, ...(change.was === undefined ? [] : [change.was])]));
  const holds = (item: DoneItem): boolean => (item.files.length === 0 ? paths.size > 0 : item.files.some((file) => paths.has(file)));
  return {
    done: done.filter(holds),
    doubted: done
      .filter((item) => !holds(item))
      .map((item) => ({
        thread: item.thread,
        decision: item.decision,
        why: `${item.by} said that it was fixed, but the files show no such change`,
      })),
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
  const bad = badChange(changes, [...engine.settings.trust.protected, ...extraProtected]);
  if (bad !== undefined) {
    await git.checkout(before);
    engine.note(`A fix was dropped: ${bad}.`);
    const reasons = Object.fromEntries(todo.map((item) => [item.thread.id, `the fix was dropped: ${bad}`]));
    return { todo, done: [], reasons, tree: before };
  }
  const { done, doubted } = believed(work.done, changes);
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
  for (const item of fixed.done) engine.emit({ type: "fixed", thread: item.thread.id, title: item.thread.title, summary: item.summary });
  if (fixed.tree === start) return { work: fixed, tree: start };
  const green = await greenTree(engine, git, inbox, fixed.tree);
  return "stop" in green ? green : { work: fixed, tree: green.tree };
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
  const parent = commits.at(-1) ?? head.sha;
  if (fixing.tree !== (await git.treeOf(parent))) {
    const plan = await engine.hooks.call("push", engine.ctxFor(inbox), fixing.work, inbox);
    if (plan === undefined) {
      engine.note("There is a change, but no plugin that commits it (git-push).");
      return undefined;
    }
    const commit = await git.commit(fixing.tree, parent, { ...plan, subject: harmlessLine(plan.subject) });
    await engine.append({ at: engine.now(), type: "work", commit, tree: fixing.tree, fixed: fixing.work.done.map(fixedOf) });
    commits.push(commit);
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
  };
};
