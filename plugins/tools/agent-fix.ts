/** Has the agent fix what is to do: all of it in one call, in our worktree. Whether the claims hold is for the core to say. */
import { isAbsolute, posix, relative, sep } from "node:path";
import { agentPullRequest, agentThreads, definePlugin, FIX_SCHEMA } from "../../core/index.js";
import type { AgentTask, Ctx, DoneItem, FixAnswer, Inbox, Work, WorkItem } from "../../core/index.js";

export interface AgentFixOptions {
  /** Sentences about this repository that the agent is to follow. */
  readonly rules: readonly string[];
}

/** Pure: the items that stay, with a reason for each that has none yet. */
export const unfixed = (work: Work, reason: string): Work => ({
  ...work,
  reasons: { ...Object.fromEntries(work.todo.map((item) => [item.thread.id, reason])), ...work.reasons },
});

/** A path as git writes it, relative to the worktree; one that leads out of it stays as it is, for the core to refuse. */
export const pathIn = (root: string, path: string): string => {
  const inside = isAbsolute(path) ? relative(root, path) : path;
  return posix.normalize(sep === "/" ? inside : inside.split(sep).join("/"));
};

/** Pure: what the answer makes of the work. */
export const settled = (work: Work, answer: FixAnswer, by: string, root: string): Work => {
  const changed = new Map(answer.changed.map((item) => [item.thread, item]));
  const left = new Map(answer.unfixed.map((item) => [item.thread, item.why]));
  const todo: WorkItem[] = [];
  const done: DoneItem[] = [];
  const reasons: Record<string, string> = { ...work.reasons };
  for (const item of work.todo) {
    const change = changed.get(item.thread.id);
    if (change === undefined) {
      todo.push(item);
      reasons[item.thread.id] = left.get(item.thread.id) ?? "the agent said nothing about it";
      continue;
    }
    done.push({ ...item, summary: change.summary.trim(), files: [...new Set(change.files.map((path) => pathIn(root, path)))], by });
    delete reasons[item.thread.id];
  }
  return { todo, done: [...work.done, ...done], reasons };
};

const task = async (work: Work, inbox: Inbox, ctx: Ctx<AgentFixOptions>, root: string): Promise<AgentTask> => {
  const { pullRequest } = inbox;
  const why = Object.fromEntries(work.todo.map((item) => [item.thread.id, item.decision.why]));
  const roots = Object.fromEntries(work.todo.map((item) => [item.thread.id, item.decision.root]));
  const threads = work.todo.map((item) => item.thread);
  const denied = ctx.settings.trust.protected;
  return {
    protocol: 1,
    kind: "fix",
    pullRequest: agentPullRequest(pullRequest),
    head: pullRequest.head.sha,
    base: ctx.run.base === "" ? pullRequest.base.sha : ctx.run.base,
    worktree: root,
    threads: await agentThreads(threads, { ...ctx, inbox }, why, roots),
    rules: [
      ...ctx.options.rules,
      ...(denied.length === 0 ? [] : [`A change of any of these paths is thrown away, so leave them alone: ${denied.join(", ")}`]),
    ],
    schema: FIX_SCHEMA,
  };
};

export const agentFix = definePlugin<AgentFixOptions>({
  name: "agent-fix",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { rules: { type: "array", items: { type: "string" } } } },
  defaults: { rules: [] },
  on: {
    async fix(work: Work, inbox, ctx) {
      if (work.todo.length === 0) return work;
      const agent = ctx.agent("fix");
      if (agent === undefined) return unfixed(work, "no agent is configured that could fix it");
      if (ctx.git === undefined) return unfixed(work, "there is no worktree to fix it in");
      const result = await agent.ask(await task(work, inbox, ctx, ctx.git.root), ctx.signal);
      if (result.ok) return settled(work, result.answer as FixAnswer, "agent-fix", ctx.git.root);
      ctx.log.warn(`${agent.name} fixed nothing (${result.failure.kind}): ${result.failure.detail}`);
      return unfixed({ ...work, reasons: {} }, `the agent gave no usable answer (${result.failure.kind}): ${result.failure.detail}`);
    },
  },
});

export default agentFix;
