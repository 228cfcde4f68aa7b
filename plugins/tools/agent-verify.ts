/**
 * A second look, in another context and where wanted by another agent: at points about to be declined, and at fixes that are green and about
 * to be pushed. It is taken where `agents.verify` names an agent. Two looks that differ are a person's; a look that failed approves nothing.
 */
import { agentPullRequest, agentThreads, definePlugin, VERIFY_SCHEMA } from "../../core/index.js";
import type {
  AgentTask,
  Ctx,
  Decided,
  Decision,
  DoneItem,
  Inbox,
  Thread,
  Tree,
  Triage,
  VerifyAnswer,
  Work,
  WorkItem,
} from "../../core/index.js";

export interface AgentVerifyOptions {
  /** Sentences about this repository that the agent is to follow. */
  readonly rules: readonly string[];
}

type Verdict = VerifyAnswer["verdicts"][number];
const DECLINES: ReadonlySet<Decision["kind"]> = new Set(["false-positive", "informational"]);
/** Characters of one point's part of the diff. */
const LONGEST_DIFF = 8000;

/** What was decided, as the second look is told it. */
export const declined = ({ kind, why, reply }: Decision): string =>
  `Decided as ${kind}, and about to be closed without a change. Reason: ${why}${reply === null ? "" : `\nThe reply would be: ${reply}`}`;

/** What was changed, with the part of the diff that is the point's. */
export const mended = (item: DoneItem, patch: string): string => {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => item.files.some((file) => part.startsWith(`diff --git a/${file} b/`)));
  const diff = parts.join("");
  const shown =
    diff.length <= LONGEST_DIFF ? diff : `${diff.slice(0, LONGEST_DIFF)}\n[${diff.length - LONGEST_DIFF} more characters left out]`;
  return [
    `Changed in the working folder, and about to be pushed and answered as fixed. What is said about it: ${item.summary}`,
    `Files: ${item.files.join(", ")}`,
    ...(shown === "" ? [] : [`The diff:\n${shown}`]),
  ].join("\n");
};

/** Pure: what two different opinions make of a decision. */
export const disputed = (decision: Decision, verdict: Verdict): Decision => ({
  kind: "judgment",
  why: `two looks at it differ. The first (${decision.kind}): ${decision.why} The second: ${verdict.why.trim()}`,
  reply: null,
  question: DECLINES.has(decision.kind)
    ? "Does this point hold?"
    : "Does the change that was made (and taken out again) settle this point?",
  ...(decision.root === undefined ? {} : { root: decision.root }),
});

type Looked = { readonly verdicts: ReadonlyMap<string, Verdict> } | { readonly failed: string };

const look = async (
  threads: readonly Thread[],
  why: Readonly<Record<string, string>>,
  inbox: Inbox,
  ctx: Ctx<AgentVerifyOptions>,
): Promise<Looked | undefined> => {
  const agent = ctx.agent("verify");
  if (agent === undefined || threads.length === 0) return undefined;
  const { pullRequest } = inbox;
  const task: AgentTask = {
    protocol: 1,
    kind: "verify",
    pullRequest: agentPullRequest(pullRequest),
    head: pullRequest.head.sha,
    base: ctx.run.base === "" ? pullRequest.base.sha : ctx.run.base,
    worktree: ctx.git?.root ?? "",
    threads: await agentThreads(threads, { ...ctx, inbox }, why),
    rules: ctx.options.rules,
    schema: VERIFY_SCHEMA,
  };
  const result = await agent.ask(task, ctx.signal);
  if (!result.ok) {
    const failed = `${agent.name} gave no usable second look (${result.failure.kind}): ${result.failure.detail}`;
    ctx.log.warn(`${failed}. ${threads.length} points stay undecided.`);
    return { failed };
  }
  return { verdicts: new Map((result.answer as VerifyAnswer).verdicts.map((verdict) => [verdict.thread, verdict])) };
};

const whyBy = <T extends { readonly thread: Thread }>(items: readonly T[], why: (item: T) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(items.map((item) => [item.thread.id, why(item)]));

/** Pure: declines after the look; without one that can be used they are nobody's decisions. */
export const afterTriage = (triage: Triage, looked: Looked): Triage => {
  const decided: Decided[] = [];
  const undecided: Thread[] = [...triage.undecided];
  for (const item of triage.decided) {
    const verdict = "failed" in looked ? undefined : looked.verdicts.get(item.thread.id);
    if (!DECLINES.has(item.decision.kind) || verdict?.agrees === true) decided.push(item);
    else if (verdict === undefined) undecided.push(item.thread);
    else decided.push({ ...item, decision: disputed(item.decision, verdict) });
  }
  return { undecided, decided };
};

/** Pure: fixes after the look; what is not agreed to goes back. */
export const afterFix = (work: Work, looked: Looked): Work => {
  const todo: WorkItem[] = [...work.todo];
  const done: DoneItem[] = [];
  const reasons: Record<string, string> = { ...work.reasons };
  for (const item of work.done) {
    const verdict = "failed" in looked ? undefined : looked.verdicts.get(item.thread.id);
    if (verdict?.agrees === true) {
      done.push(item);
      continue;
    }
    const { thread, decision } = item;
    todo.push({ thread, decision: verdict === undefined ? decision : disputed(decision, verdict) });
    reasons[thread.id] =
      verdict === undefined
        ? "failed" in looked
          ? looked.failed
          : "the second look says nothing about it"
        : `a second look does not agree: ${verdict.why.trim()}`;
  }
  return { todo, done, reasons };
};

const diffOf = async (ready: Tree, inbox: Inbox, ctx: Ctx<AgentVerifyOptions>): Promise<string> =>
  ctx.git === undefined ? "" : ctx.git.patch(await ctx.git.treeOf(inbox.pullRequest.head.sha), ready);

export const agentVerify = definePlugin<AgentVerifyOptions>({
  name: "agent-verify",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { rules: { type: "array", items: { type: "string" } } } },
  defaults: { rules: [] },
  on: {
    triage: {
      order: "post",
      async run(triage: Triage, inbox, ctx) {
        const declines = triage.decided.filter((item) => DECLINES.has(item.decision.kind));
        const why = whyBy(declines, (item) => declined(item.decision));
        const looked = await look(
          declines.map((item) => item.thread),
          why,
          inbox,
          ctx,
        );
        return looked === undefined ? triage : afterTriage(triage, looked);
      },
    },
    fix: {
      order: "post",
      async run(work: Work, inbox, ctx) {
        if (work.ready === undefined || work.done.length === 0 || ctx.agent("verify") === undefined) return work;
        const patch = await diffOf(work.ready, inbox, ctx);
        const why = whyBy(work.done, (item) => mended(item, patch));
        const looked = await look(
          work.done.map((item) => item.thread),
          why,
          inbox,
          ctx,
        );
        return looked === undefined ? work : afterFix(work, looked);
      },
    },
  },
});

export default agentVerify;
