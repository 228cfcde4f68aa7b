/** What happened in a simulated day, in order: all that the checks look at. */
import type { Entry, Report, Stop, Write } from "../../core/index.js";
import type { WorldEvent } from "../../sandbox/kit/index.js";
import type { BotFacts } from "./bots.js";
import type { Plan } from "./plan.js";
import type { World } from "../../sandbox/world/world.js";
import type { PullRequestRecord } from "../../sandbox/world/records.js";

/** What the world was when it was read. */
export interface Picture {
  readonly head: string;
  /** Why the target does not hold, judged from the world itself. */
  readonly unmet: readonly string[];
  /** What holds a draft back from being handed over; its being one does not. */
  readonly notReady: readonly string[];
  /** Threads whose newest visible message of others is newer than ours, or that have none of ours. */
  readonly unanswered: ReadonlySet<string>;
}

export type Fact = { readonly at: number } & (
  | { readonly is: "world"; readonly event: WorldEvent; readonly ours: boolean; readonly head: string; readonly draft: boolean }
  | { readonly is: "read"; readonly process: number; readonly ok: true; readonly picture: Picture }
  | { readonly is: "read"; readonly process: number; readonly ok: false; readonly incomplete: boolean }
  | { readonly is: "entry"; readonly process: number; readonly entry: Entry }
  | { readonly is: "sent"; readonly process: number; readonly writes: readonly Write[] }
  | { readonly is: "gate"; readonly process: number; readonly tree: string; readonly green: boolean }
  | { readonly is: "lost-journal" }
  | { readonly is: "start"; readonly process: number; readonly looking: boolean; readonly beside: boolean; readonly approved: boolean }
  | { readonly is: "killed"; readonly process: number; readonly effect: string }
  | { readonly is: "threw"; readonly process: number; readonly problem: string }
  | { readonly is: "hung"; readonly process: number; readonly why: string }
  | { readonly is: "end"; readonly process: number; readonly report: Report }
);
export type FactOf<K extends Fact["is"]> = Extract<Fact, { is: K }>;

export interface Day {
  readonly plan: Plan;
  readonly facts: readonly Fact[];
  readonly world: World;
  readonly pullRequest: PullRequestRecord;
  readonly viewer: string;
  readonly bots: readonly BotFacts[];
  readonly journal: readonly Entry[];
  /** The last process' report, where one ended by itself. */
  readonly last: Report | undefined;
  readonly stop: Stop | "parked" | "none";
  /** How often each thing occurred: `fault:lost-answer`, `crash:append-after`, ... */
  readonly counts: ReadonlyMap<string, number>;
}
