/** Asks the agent what to make of the open threads: one call for all of them, its answer checked before it gets here. */
import { agentPullRequest, agentThreads, contextNote, definePlugin, TRIAGE_SCHEMA } from "../../core/index.js";
import type { AgentTask, Ctx, Decided, Decision, Inbox, Thread, Triage, TriageAnswer } from "../../core/index.js";

export interface AgentTriageOptions {
  /** Sentences about this repository that the agent is to follow. */
  readonly rules: readonly string[];
}

type Answered = TriageAnswer["decisions"][number];

const blank = (text: string | null): text is null => text === null || text.trim() === "";

const decisionOf = (answered: Answered): Decision => ({
  kind: answered.kind,
  why: answered.why.trim(),
  reply: blank(answered.reply) ? null : answered.reply.trim(),
  ...(blank(answered.root) ? {} : { root: answered.root.trim() }),
  ...(blank(answered.question) ? {} : { question: answered.question.trim() }),
});

const CONTEXT =
  'The "## Context" section of the pull request\'s description says why the change is as it is, what is out of scope and what not to "fix". Weigh each point against it.';

const task = async (threads: readonly Thread[], inbox: Inbox, ctx: Ctx<AgentTriageOptions>): Promise<AgentTask> => {
  const { pullRequest } = inbox;
  return {
    protocol: 1,
    kind: "triage",
    pullRequest: agentPullRequest(pullRequest),
    head: pullRequest.head.sha,
    base: ctx.run.base === "" ? pullRequest.base.sha : ctx.run.base,
    worktree: ctx.git?.root ?? "",
    threads: await agentThreads(threads, { ...ctx, inbox }),
    rules: [...(contextNote(pullRequest.body) === undefined ? [] : [CONTEXT]), ...ctx.options.rules],
    schema: TRIAGE_SCHEMA,
  };
};

export const agentTriage = definePlugin<AgentTriageOptions>({
  name: "agent-triage",
  kind: "tool",
  schema: { type: "object", additionalProperties: false, properties: { rules: { type: "array", items: { type: "string" } } } },
  defaults: { rules: [] },
  on: {
    async triage(triage: Triage, inbox, ctx) {
      const agent = ctx.agent("triage");
      if (agent === undefined || triage.undecided.length === 0) return triage;
      const result = await agent.ask(await task(triage.undecided, inbox, ctx), ctx.signal);
      if (!result.ok) {
        ctx.log.warn(
          `${agent.name} did not judge ${triage.undecided.length} threads (${result.failure.kind}): ${result.failure.detail}. They stay undecided.`,
        );
        return triage;
      }
      const answers = new Map((result.answer as TriageAnswer).decisions.map((answered) => [answered.thread, answered]));
      const decided: Decided[] = [];
      const undecided: Thread[] = [];
      for (const thread of triage.undecided) {
        const answered = answers.get(thread.id);
        if (answered === undefined) undecided.push(thread);
        else decided.push({ thread, decision: decisionOf(answered) });
      }
      return { undecided, decided: [...triage.decided, ...decided] };
    },
  },
});

export default agentTriage;
