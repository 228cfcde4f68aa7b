/** One process of a simulated day: the real loop on ports that die with it, at the point where it is killed. */
import { runLoop } from "../../core/index.js";
import type { Forge, Git, Journal, LoopRunOptions, Plugin, Ports, Report } from "../../core/index.js";
import { ReviewloopError } from "../../core/index.js";
import { memoryGit } from "../../sandbox/kit/index.js";
import type { MemoryGit, Scene } from "../../sandbox/kit/index.js";
import { draftToReady } from "../../plugins/targets/draft-to-ready.js";
import { mergeReady } from "../../plugins/targets/merge-ready.js";
import { openForReview } from "../../plugins/targets/open-for-review.js";
import { reviewClean } from "../../plugins/targets/review-clean.js";
import { declineLedger } from "../../plugins/tools/decline-ledger.js";
import { DEFAULTS } from "../loop/settings.js";
import { TOOLS } from "../loop/driving.js";
import { reviewersOf } from "./bots.js";
import type { BotFacts } from "./bots.js";
import type { Fact } from "./facts.js";
import { agentOf, BROKEN, FOLDER, SECRET } from "./judge.js";
import { pictureOf } from "./picture.js";
import type { Crash, Effect, Plan } from "./plan.js";

const toolsOf = (plan: Plan): readonly Plugin[] => {
  switch (plan.target) {
    case "review-clean":
      return [reviewClean(), ...TOOLS];
    case "merge-ready":
      return [mergeReady(), ...TOOLS];
    case "open-for-review":
      return [openForReview(), ...TOOLS];
    case "draft-to-ready":
      return [draftToReady(plan.handover), declineLedger(), ...TOOLS];
  }
};
/** More than any honest run needs. */
const MOST_READS = 3_000;
const LONGEST = 12 * 86_400_000;

/** A call of a process that is dead never comes back. */
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

export interface Ongoing {
  readonly plan: Plan;
  readonly scene: Scene;
  readonly facts: Fact[];
  readonly bots: readonly BotFacts[];
  readonly greenTrees: Set<string>;
  readonly recorded: Set<string>;
  readonly viewer: string;
  readonly count: (what: string) => void;
  /** Is one of our own writes under way? */
  writing: number;
}

export type Outcome = { readonly report: Report } | { readonly killed: true } | { readonly threw: string } | { readonly hung: string };

/** One process: its ports die with it. */
export class Process {
  dead = false;
  #reads = 0;
  /** A worktree of its own: what a dead process had open is closed. */
  readonly git: MemoryGit;
  readonly #hits = new Map<Effect, number>();
  readonly #end: Promise<Outcome>;
  #kill: (outcome: Outcome) => void = () => undefined;

  constructor(
    readonly number: number,
    readonly day: Ongoing,
    readonly crash: Crash | undefined,
  ) {
    this.git = memoryGit(day.scene.world, day.viewer);
    this.#end = new Promise((resolve) => {
      this.#kill = resolve;
    });
  }

  note(fact: Fact extends infer F ? (F extends Fact ? Omit<F, "at"> : never) : never): void {
    this.day.facts.push({ ...fact, at: this.day.scene.clock.now() });
  }

  #die(outcome: Outcome): void {
    this.dead = true;
    this.day.scene.store.crash();
    this.#kill(outcome);
  }

  /** Between two effects: is this where it is killed? */
  #point(effect: Effect): boolean {
    const hits = (this.#hits.get(effect) ?? 0) + 1;
    this.#hits.set(effect, hits);
    if (this.dead) return true;
    if (this.crash?.effect !== effect || this.crash.number !== hits) return false;
    this.day.count(`crash:${effect}`);
    this.note({ is: "killed", process: this.number, effect: `${effect} ${hits}` });
    this.#die({ killed: true });
    return true;
  }

  #guard<A extends unknown[], R>(call: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      if (this.dead) return never();
      const result = await call(...args);
      return this.dead ? never() : result;
    };
  }

  async #around<R>(before: Effect, after: Effect, act: () => Promise<R>): Promise<R> {
    if (this.#point(before)) return never();
    this.day.writing += 1;
    try {
      const result = await act();
      if (this.#point(after)) return await never();
      return result;
    } catch (thrown) {
      if (this.#point(after)) return await never();
      throw thrown;
    } finally {
      this.day.writing -= 1;
    }
  }

  #forge(forge: Forge): Forge {
    const { day } = this;
    const read = this.#guard<Parameters<Forge["read"]>, Awaited<ReturnType<Forge["read"]>>>(async (...args) => {
      this.#reads += 1;
      if (this.#reads > MOST_READS) this.#die({ hung: `${MOST_READS} reads` });
      if (day.scene.clock.passed > LONGEST) this.#die({ hung: "it goes on for days" });
      try {
        const snapshot = await forge.read(...args);
        this.note({ is: "read", process: this.number, ok: true, picture: pictureOf({ ...day, ...day.scene }) });
        return snapshot;
      } catch (thrown) {
        const incomplete = ReviewloopError.is(thrown) && thrown.code === "READ_INCOMPLETE";
        this.note({ is: "read", process: this.number, ok: false, incomplete });
        throw thrown;
      }
    });
    return {
      can: forge.can,
      get cost() {
        return forge.cost;
      },
      viewer: this.#guard(() => forge.viewer()),
      read,
      pulse: this.#guard((...args: Parameters<Forge["pulse"]>) => forge.pulse(...args)),
      recent: this.#guard((...args: Parameters<Forge["recent"]>) => forge.recent(...args)),
      pullRequestOf: this.#guard((...args: Parameters<Forge["pullRequestOf"]>) => forge.pullRequestOf(...args)),
      checksAt: this.#guard(async (...args: Parameters<NonNullable<Forge["checksAt"]>>) => (await forge.checksAt?.(...args)) ?? null),
      write: (writes, on, signal) =>
        this.#around("forge-before", "forge-after", () => {
          this.note({ is: "sent", process: this.number, writes });
          return forge.write(writes, on, signal);
        }),
    };
  }

  #git(git: Scene["git"]): Git {
    const guarded = { ...git } as Git;
    for (const name of [
      "open",
      "head",
      "tree",
      "treeOf",
      "read",
      "show",
      "changes",
      "patch",
      "remoteHead",
      "edit",
      "sync",
      "checkout",
      "commit",
      "close",
    ] as const) {
      const call = (git[name] as (...args: unknown[]) => Promise<unknown>).bind(git);
      Object.assign(guarded, { [name]: this.#guard(call) });
    }
    return {
      ...guarded,
      root: git.root,
      write: (push, on, signal) =>
        this.#around("git-before", "git-after", () => {
          this.note({ is: "sent", process: this.number, writes: [push] });
          return git.write(push, on, signal);
        }),
    };
  }

  #journal(journal: Journal): Journal {
    return {
      get entries() {
        return journal.entries;
      },
      append: async (entry) => {
        if (this.dead || this.#point("append-before")) return never();
        await journal.append(entry);
        this.note({ is: "entry", process: this.number, entry });
        if (entry.type === "decision" && entry.decision.reply === null) this.day.recorded.add(entry.thread);
        if (this.#point("append-after")) return never();
      },
      close: this.#guard(() => journal.close()),
    };
  }

  #ports(): Ports {
    const { plan, scene, greenTrees } = this.day;
    const { store, clock } = scene;
    const sleeping = { now: () => clock.now(), sleep: this.#guard((...args: Parameters<typeof clock.sleep>) => clock.sleep(...args)) };
    let gates = 0;
    return {
      clock: sleeping,
      forge: this.#forge(scene.ports.forge),
      git: this.#git(this.git),
      store: {
        open: this.#guard(async (ref) => this.#journal(await store.open(ref))),
        peek: this.#guard((ref) => store.peek(ref)),
        remember: this.#guard((...args: Parameters<typeof store.remember>) => store.remember(...args)),
        recall: this.#guard((...args: Parameters<typeof store.recall>) => store.recall(...args)),
      },
      shell: {
        run: this.#guard(async () => {
          const { worktree } = this.git;
          const tree = await this.git.tree();
          gates += 1;
          if (plan.gateTakes > 0) await clock.sleep(plan.gateTakes);
          if (plan.gate === "missing") return { started: false, timedOut: false, output: "not found", took: 0 };
          const red =
            worktree.paths().some((path) => worktree.read(path)?.includes(BROKEN) === true) || (plan.gate === "flaky" && gates === 1);
          // What a gate leaves behind is never part of a commit.
          worktree.write("coverage/out.txt", `run ${gates}\n`);
          this.note({ is: "gate", process: this.number, tree, green: !red });
          if (!red) greenTrees.add(tree);
          return {
            started: true,
            exitCode: red ? 1 : 0,
            timedOut: false,
            output: red ? "1 test failed" : "all passed",
            took: plan.gateTakes,
          };
        }),
      },
      ...(plan.agent === "none"
        ? {}
        : {
            agent: {
              name: "judge",
              ask: this.#guard((...args: Parameters<NonNullable<Ports["agent"]>["ask"]>) => this.#judge().ask(...args)),
            },
          }),
    };
  }

  #agent: Ports["agent"];
  #judge(): NonNullable<Ports["agent"]> {
    this.#agent ??= agentOf(this.day.plan, this.git, this.day.scene.clock);
    return this.#agent;
  }

  async run(
    how: Pick<LoopRunOptions, "park" | "plan" | "reportOnly" | "yes"> & { readonly signal?: AbortSignal; readonly beside?: boolean },
  ): Promise<Outcome> {
    const { plan, scene } = this.day;
    const looking = how.plan === true || how.reportOnly === true;
    this.note({ is: "start", process: this.number, looking, beside: how.beside ?? false, approved: how.yes ?? true });
    const gate = plan.gate === "off" ? (false as const) : plan.gate === "none" ? undefined : DEFAULTS.gate;
    const options: LoopRunOptions = {
      ref: scene.pullRequestRef,
      signal: new AbortController().signal,
      outgoing: { folders: [FOLDER], findSecrets: (text) => (text.includes(SECRET) ? [SECRET] : []) },
      yes: true,
      ...how,
      plugins: [...reviewersOf(plan), ...toolsOf(plan)],
      ports: this.#ports(),
      settings: {
        ...DEFAULTS,
        target: plan.target,
        hasAgent: plan.agent !== "none",
        gate,
        sync: plan.sync,
        nitpicks: plan.nitpicks,
        push: plan.pushAny ? "any" : "own",
        people: { ...DEFAULTS.people, resolve: plan.peopleResolve, wait: plan.peopleWait },
        wait: { ...DEFAULTS.wait, settle: plan.settle },
        limits: {
          ...DEFAULTS.limits,
          replies: plan.limits.replies,
          activeTime: plan.limits.activeTime,
          iterations: plan.limits.iterations,
          tokens: plan.limits.tokens,
        },
        configured: plan.mode !== "unapproved-first",
      },
    };
    const run = runLoop(options).then(
      (report): Outcome => ({ report }),
      (thrown: unknown): Outcome => ({ threw: String(thrown) }),
    );
    let timer: NodeJS.Timeout | undefined;
    // Nothing of the day takes real time: whoever is silent for so long waits for something that never comes.
    const watchdog = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve({ hung: "it waits for something that never comes" }), 30_000);
    });
    const outcome = await Promise.race([run, this.#end, watchdog]);
    clearTimeout(timer);
    if ("report" in outcome) this.note({ is: "end", process: this.number, report: outcome.report });
    else if ("threw" in outcome) this.note({ is: "threw", process: this.number, problem: outcome.threw });
    else if ("hung" in outcome) this.note({ is: "hung", process: this.number, why: outcome.hung });
    this.dead = true;
    return outcome;
  }
}
