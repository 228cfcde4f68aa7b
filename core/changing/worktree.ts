/** The worktree at the head, synced by policy; and a red gate as a thread. Nothing leaves by it. */
import type { Engine } from "../engine.js";
import type { Evidence, Inbox, StopDetail, Synced, Thread, Tree } from "../model.js";
import type { Git } from "../ports.js";

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
