/** The phase table, twice: as types, and as data with the same keys. */
import type {
  Asks,
  Blocker,
  CommitPlan,
  Decision,
  Draft,
  Evidence,
  Inbox,
  Report,
  Synced,
  Thread,
  Tree,
  Triage,
  Work,
  Write,
} from "./model.js";
import type { Ctx } from "./ports.js";

interface Decide<In extends readonly unknown[], Out> {
  readonly kind: "decide";
  readonly args: In;
  readonly out: Out | undefined;
}
interface Refine<Value, In extends readonly unknown[] = []> {
  readonly kind: "refine";
  readonly args: [value: Value, ...rest: In];
  readonly out: Value;
}

/** A report and what it wants to leave behind: `comment`, `edit-comment` and `command` only. */
export interface Reporting {
  readonly report: Report;
  readonly writes: readonly Write[];
}

export interface Phases {
  sync: Decide<[], Synced>;
  gate: Refine<readonly Evidence[], [tree: Tree]>;
  fetch: Refine<Inbox>;
  triage: Refine<Triage, [inbox: Inbox]>;
  fix: Refine<Work, [inbox: Inbox]>;
  push: Decide<[work: Work, inbox: Inbox], CommitPlan>;
  reply: Refine<Draft, [inbox: Inbox]>;
  resolve: Decide<[thread: Thread, decision: Decision, inbox: Inbox], "resolve" | "leave">;
  rerequest: Refine<Asks, [inbox: Inbox]>;
  check: Refine<readonly Blocker[], [inbox: Inbox]>;
  report: Refine<Reporting>;
}

export type Phase = keyof Phases;
export type Handler<P extends Phase, O> = (...args: [...Phases[P]["args"], ctx: Ctx<O>]) => Phases[P]["out"] | Promise<Phases[P]["out"]>;
export type OrderedHandler<P extends Phase, O> = { readonly order: "pre" | "post"; readonly run: Handler<P, O> };
export type Handlers<O> = { readonly [P in Phase]?: Handler<P, O> | OrderedHandler<P, O> };

export interface PhaseRow {
  readonly kind: "decide" | "refine";
  /** How many arguments come before `ctx`. */
  readonly arity: number;
  readonly runs: string;
}

export const PHASES = {
  sync: { kind: "decide", arity: 0, runs: "when the caller set a policy" },
  gate: { kind: "refine", arity: 2, runs: "when there is no valid evidence for this tree" },
  fetch: { kind: "refine", arity: 1, runs: "always; complete or not at all" },
  triage: { kind: "refine", arity: 2, runs: "when something is open and undecided" },
  fix: { kind: "refine", arity: 2, runs: "in every iteration that is not report-only; once more after the green gate" },
  push: { kind: "decide", arity: 2, runs: "when the tree changed and the gate is green" },
  reply: { kind: "refine", arity: 2, runs: "for each decided thread that is not answered" },
  resolve: { kind: "decide", arity: 3, runs: "once the reply is visible and the fix is the remote head" },
  rerequest: { kind: "refine", arity: 2, runs: "once per reviewer per head" },
  check: { kind: "refine", arity: 2, runs: "always; no blocker means that the target is met" },
  report: { kind: "refine", arity: 1, runs: "always, also after an error or a stop" },
} as const satisfies { readonly [P in Phase]: PhaseRow & { readonly kind: Phases[P]["kind"] } };

export const PHASE_NAMES = Object.keys(PHASES) as readonly Phase[];
