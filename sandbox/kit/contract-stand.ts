/** Where a contract has a plugin: a read of a scene as the loop makes it, and each handler called alone. */
import {
  PHASE_NAMES,
  definePlugin,
  defineTarget,
  foldRun,
  runLoop,
  settingsFor,
  type Config,
  type Ctx,
  type Entry,
  type Inbox,
  type Log,
  type Phase,
  type Phases,
  type Plugin,
  type Ports,
} from "../../core/index.js";
import { broken } from "./contract.js";
import type { Scene } from "./scenario.js";

export interface Stand {
  readonly scene: Scene;
  readonly plugin: Plugin;
  /** What the core made of the read, before any plugin. */
  readonly inbox: Inbox;
  readonly ctx: Ctx;
}

type AnyHandler = (...args: readonly unknown[]) => unknown;

/** The plugin's handler for a phase, whatever its order. */
export const handlerOf = (plugin: Plugin, phase: Phase): AnyHandler | undefined => {
  const found = plugin.on[phase] as AnyHandler | { readonly run: AnyHandler } | undefined;
  return typeof found === "object" ? found.run : found;
};

export const phasesOf = (plugin: Plugin): readonly Phase[] => PHASE_NAMES.filter((phase) => handlerOf(plugin, phase) !== undefined);

/** Puts entries into the journal of the scene's pull request, as an earlier run would have left them. */
export const journaled = async (scene: Scene, ...entries: readonly Entry[]): Promise<void> => {
  const journal = await scene.store.open(scene.pullRequestRef);
  try {
    for (const entry of entries) await journal.append(entry);
  } finally {
    await journal.close();
  }
};

/** A run has begun and has seen the present head. */
export const begun = async (scene: Scene, target = "contract"): Promise<void> => {
  const { sha } = scene.pullRequest.head;
  const at = scene.clock.now();
  await journaled(
    scene,
    { at, type: "run", run: "contract", target, base: scene.pullRequest.base.sha, head: sha },
    { at, type: "head", head: sha },
  );
};

/** Everybody who takes part is awaited; nothing else holds it. */
const open = defineTarget({ name: "contract", awaits: "everyone", on: {} });

export const silentLog: Log = { info: () => undefined, warn: () => undefined, debug: () => undefined };

/**
 * One read of the scene, through the real loop with the plugin's facts but none of its handlers; the context is the plugin's own.
 * `ports` replaces some of the scene's.
 */
export const standOf = async (
  scene: Scene,
  plugin: Plugin,
  { config = {}, ports = {} }: { readonly config?: Config; readonly ports?: Partial<Ports> } = {},
): Promise<Stand> => {
  let seen: { readonly inbox: Inbox; readonly ctx: Ctx } | undefined;
  const probe = definePlugin({
    name: "contract-probe",
    kind: "tool",
    on: {
      fetch: (inbox, ctx) => {
        seen = { inbox, ctx: ctx };
        return inbox;
      },
    },
  });
  const all = { ...scene.ports, ...ports };
  const bare = { ...plugin, on: {} };
  const report = await runLoop({
    ref: scene.pullRequestRef,
    plugins: [bare, ...(plugin.kind === "target" ? [] : [open()]), probe()],
    settings: settingsFor(config, { target: plugin.kind === "target" ? plugin.name : "contract", hasAgent: all.agent !== undefined }),
    ports: all,
    signal: new AbortController().signal,
    outgoing: { folders: [], findSecrets: () => [] },
    reportOnly: true,
  });
  const read = seen ?? broken("the read before any handler", report.error?.message ?? report.detail);
  const run = foldRun(await all.store.peek(scene.pullRequestRef));
  return { scene, plugin, inbox: read.inbox, ctx: { ...read.ctx, run, options: plugin.options, log: silentLog } };
};

/** Calls one handler; a plugin without one gives what a phase without handlers gives. */
export const handle = async <P extends Phase>(
  { plugin, ctx }: Pick<Stand, "plugin" | "ctx">,
  phase: P,
  ...args: Phases[P]["args"]
): Promise<Phases[P]["out"]> => {
  const handler = handlerOf(plugin, phase);
  if (handler === undefined) return (["sync", "push", "resolve"].includes(phase) ? undefined : args[0]) as Phases[P]["out"];
  return (await handler(...args, ctx)) as Phases[P]["out"];
};
