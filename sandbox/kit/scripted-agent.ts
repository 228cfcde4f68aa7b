/** The port `agent` as functions. An answer that a real client's would be refused for is an error of the test, unless it is given as a failure. */
import { Ajv, type ValidateFunction } from "ajv";
import {
  ReviewloopError,
  answerProblems,
  type Agent,
  type AgentFailure,
  type AgentKind,
  type AgentResult,
  type AgentTask,
  type AgentThread,
  type Answers,
  type Clock,
  type DecisionKind,
  type FixAnswer,
  type TriageAnswer,
} from "../../core/index.js";
import type { MemoryGit, Worktree } from "./memory-git.js";

export interface AgentCost {
  /** Milliseconds. */
  readonly took?: number;
  readonly tokens?: number;
  readonly money?: number;
}
export type ScriptedAnswer<K extends AgentKind> = (Answers[K] | { readonly failure: AgentFailure }) & { readonly cost?: AgentCost };
export type AgentScript = {
  readonly [K in AgentKind]?: (task: AgentTask, worktree: Worktree) => ScriptedAnswer<K> | Promise<ScriptedAnswer<K>>;
};

export interface ScriptedAgent extends Agent {
  readonly calls: readonly AgentTask[];
}

export const scriptedAgent = (
  script: AgentScript,
  options: { readonly git: Pick<MemoryGit, "worktree">; readonly clock?: Clock; readonly name?: string },
): ScriptedAgent => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  const compiled = new Map<object, ValidateFunction>();
  const calls: AgentTask[] = [];
  return {
    name: options.name ?? "scripted",
    calls,
    async ask(task, signal): Promise<AgentResult> {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
      calls.push(task);
      const answerer = script[task.kind];
      if (answerer === undefined) throw new Error(`The test's agent has no script for ${task.kind}.`);
      const { cost = {}, ...answer } = await answerer(task, options.git.worktree);
      const { took = 0, tokens, money } = cost;
      if (took > 0) await options.clock?.sleep(took, signal);
      const spent = { took, ...(tokens === undefined ? {} : { tokens }), ...(money === undefined ? {} : { money }) };
      if ("failure" in answer) return { ok: false, failure: answer.failure, ...spent };
      const validate = compiled.get(task.schema) ?? ajv.compile(task.schema);
      compiled.set(task.schema, validate);
      const problems = validate(answer) ? answerProblems(task, answer) : [ajv.errorsText(validate.errors)];
      if (problems.length > 0) throw new Error(`The test's agent gave a bad answer to ${task.kind}: ${problems.join("; ")}`);
      return { ok: true, answer, ...spent };
    },
  };
};

/** A triage script from one function per thread. */
export const triageEach =
  (
    decide: (thread: AgentThread) => {
      readonly kind: DecisionKind;
      readonly why?: string;
      readonly reply?: string | null;
      readonly root?: string;
      readonly question?: string;
    },
  ) =>
  (task: AgentTask): TriageAnswer => ({
    decisions: task.threads.map((thread) => {
      const { kind, why, reply, root, question } = decide(thread);
      return {
        thread: thread.id,
        kind,
        why: why ?? `It is ${kind}.`,
        reply: reply ?? null,
        root: root ?? null,
        question: question ?? null,
      };
    }),
  });

/** A fix script from one function per thread: it edits the worktree and says which files, or returns why not. */
export const fixEach =
  (fix: (thread: AgentThread, worktree: Worktree) => { readonly summary: string; readonly files: readonly string[] } | string) =>
  (task: AgentTask, worktree: Worktree): FixAnswer => {
    const results = task.threads.map((thread) => ({ thread: thread.id, result: fix(thread, worktree) }));
    return {
      changed: results.flatMap(({ thread, result }) =>
        typeof result === "string" ? [] : [{ thread, summary: result.summary, files: result.files }],
      ),
      unfixed: results.flatMap(({ thread, result }) => (typeof result === "string" ? [{ thread, why: result }] : [])),
    };
  };
