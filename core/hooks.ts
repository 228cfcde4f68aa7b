/** Binds plugins to tapable hooks. The only file that imports tapable: plugin authors never meet it. */
import { AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from "tapable";
import { ReviewloopError, messageOf } from "./errors.js";
import type { Decided, Triage } from "./model.js";
import { PHASES, PHASE_NAMES } from "./phases.js";
import type { Phase, Phases } from "./phases.js";
import type { Plugin } from "./plugin.js";
import type { Ctx } from "./ports.js";

/** Builds the last argument for one plugin; the options and the log scope differ from plugin to plugin. */
export type CtxFor = (plugin: Plugin) => Ctx;

export interface Observer {
  /** A handler has ended, well or not. Never throws into the run. */
  readonly span?: (phase: Phase, plugin: string, took: number) => void;
  /** A `report` handler failed; the report goes on without it. */
  readonly reportFailed?: (plugin: string, problem: string) => void;
  readonly now: () => number;
}

export interface Hooks {
  call<P extends Phase>(phase: P, ctxFor: CtxFor, ...args: Phases[P]["args"]): Promise<Phases[P]["out"]>;
  /** Names of the plugins that take part in a phase, in the order in which they run. */
  order(phase: Phase): readonly string[];
}

type AnyHandler = (...args: readonly unknown[]) => unknown;
type Rest = readonly unknown[];
const STAGE = { pre: -100, normal: 0, post: 100 } as const;

/** The handler of a plugin for a phase, with its band. */
const handlerOf = (plugin: Plugin, phase: Phase): { run: AnyHandler; band: keyof typeof STAGE } | undefined => {
  const found = plugin.on[phase] as AnyHandler | { order: "pre" | "post"; run: AnyHandler } | undefined;
  if (found === undefined) return undefined;
  return typeof found === "function" ? { run: found, band: "normal" } : { run: found.run, band: found.order };
};

/** A misspelt phase would never be called, and nobody would know. */
const misshapen = (plugin: Plugin): string | undefined => {
  for (const [phase, handler] of Object.entries(plugin.on)) {
    if (!Object.hasOwn(PHASES, phase)) return `"${phase}" is not a phase (${PHASE_NAMES.join(", ")})`;
    const run: unknown = typeof handler === "object" && handler !== null && "run" in handler ? handler.run : handler;
    if (handler !== undefined && typeof run !== "function") return `its handler for ${phase} is not a function`;
  }
  return undefined;
};

/** A late triage handler may only hand a decision over to a person. */
const onlyWeaker = (before: Triage, after: Triage): string | undefined => {
  const kinds = new Map(before.decided.map((item: Decided) => [item.thread.id, item.decision.kind]));
  for (const item of after.decided) {
    if (item.decision.kind === "judgment" || kinds.get(item.thread.id) === item.decision.kind) continue;
    return `the decision "${item.decision.kind}" for ${item.thread.id} in a late handler, which may only weaken one to "judgment"`;
  }
  return undefined;
};

/** Triage neither loses a thread nor invents one. */
const sameThreads = (before: Triage, after: Triage): string | undefined => {
  const ids = (triage: Triage): string[] =>
    [...triage.undecided.map((thread) => thread.id), ...triage.decided.map((item) => item.thread.id)].sort();
  const [had, has] = [ids(before), ids(after)];
  if (had.length === has.length && had.every((id, index) => id === has[index])) return undefined;
  return `${has.length} threads where it was given ${had.length}, or others`;
};

const wrongShape = (phase: Phase, band: keyof typeof STAGE, before: unknown, after: unknown): string | undefined => {
  if (after === undefined) return "nothing";
  if (after === null || typeof after !== "object") return `a ${typeof after}`;
  if (Array.isArray(before) !== Array.isArray(after)) return Array.isArray(before) ? "no list" : "a list";
  if (phase !== "triage") return undefined;
  return sameThreads(before as Triage, after as Triage) ?? (band === "post" ? onlyWeaker(before as Triage, after as Triage) : undefined);
};

export const bindPlugins = (plugins: readonly Plugin[], observer: Observer): Hooks => {
  const decide = new Map<Phase, AsyncSeriesBailHook<[Rest, CtxFor], unknown>>();
  const refine = new Map<Phase, AsyncSeriesWaterfallHook<[unknown, Rest, CtxFor]>>();
  const orders = new Map<Phase, { name: string; stage: number }[]>();

  const guarded = async (plugin: Plugin, phase: Phase, ctxFor: CtxFor, call: (ctx: Ctx) => unknown): Promise<unknown> => {
    const ctx = ctxFor(plugin);
    if (ctx.signal.aborted) throw new ReviewloopError("ABORTED", {});
    const began = observer.now();
    try {
      return await call(ctx);
    } catch (thrown) {
      if (ctx.signal.aborted) throw new ReviewloopError("ABORTED", {}, { cause: thrown });
      if (ReviewloopError.is(thrown)) throw thrown;
      throw new ReviewloopError("PLUGIN_FAILED", { plugin: plugin.name, phase, problem: messageOf(thrown) }, { cause: thrown });
    } finally {
      try {
        observer.span?.(phase, plugin.name, observer.now() - began);
      } catch {
        // Watching a run can't break it.
      }
    }
  };

  for (const plugin of plugins) {
    const problem = misshapen(plugin);
    if (problem !== undefined) throw new ReviewloopError("PLUGIN_INVALID", { plugin: plugin.name, problem });
  }
  for (const phase of PHASE_NAMES) {
    if (PHASES[phase].kind === "decide") decide.set(phase, new AsyncSeriesBailHook(["args", "ctxFor"]));
    else refine.set(phase, new AsyncSeriesWaterfallHook(["value", "rest", "ctxFor"]));
    orders.set(phase, []);
  }

  for (const plugin of plugins) {
    for (const phase of PHASE_NAMES) {
      const handler = handlerOf(plugin, phase);
      if (handler === undefined) continue;
      const tap = { name: plugin.name, stage: STAGE[handler.band] };
      orders.get(phase)?.push(tap);
      decide.get(phase)?.tapPromise(tap, (args, ctxFor) => guarded(plugin, phase, ctxFor, (ctx) => handler.run(...args, ctx)));
      refine.get(phase)?.tapPromise(tap, async (value, rest, ctxFor) => {
        try {
          const after = await guarded(plugin, phase, ctxFor, (ctx) => handler.run(value, ...rest, ctx));
          const problem = wrongShape(phase, handler.band, value, after);
          if (problem !== undefined) throw new ReviewloopError("PLUGIN_RETURNED", { plugin: plugin.name, phase, problem });
          return after;
        } catch (thrown) {
          if (phase !== "report" || (ReviewloopError.is(thrown) && thrown.code === "ABORTED")) throw thrown;
          observer.reportFailed?.(plugin.name, messageOf(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown));
          return value;
        }
      });
    }
  }

  const call = async <P extends Phase>(phase: P, ctxFor: CtxFor, ...args: Phases[P]["args"]): Promise<Phases[P]["out"]> => {
    const list: Rest = args;
    const answer = await (decide.get(phase)?.promise(list, ctxFor) ?? refine.get(phase)?.promise(list[0], list.slice(1), ctxFor));
    return answer as Phases[P]["out"];
  };

  return {
    call,
    // Stable sort: within a band, the order of the list.
    order: (phase) => [...(orders.get(phase) ?? [])].sort((a, b) => a.stage - b.stage).map((tap) => tap.name),
  };
};
