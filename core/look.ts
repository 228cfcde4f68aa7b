/** A look: one read, one check, one state. Takes no lease, writes nothing. */
import { Engine } from "./engine.js";
import { lifecycleOf } from "./lifecycle.js";
import type { Lifecycle } from "./lifecycle.js";
import type { Blocker, Entry, Inbox, Report, RunState, Stop, Wait } from "./model.js";
import { reportOf } from "./report.js";
import type { RunOptions } from "./session.js";

export interface Look extends Lifecycle {
  readonly inbox: Inbox;
  readonly blockers: readonly Blocker[];
  readonly waits: readonly Wait[];
  readonly notes: readonly string[];
  readonly run: RunState;
  readonly readAt: number;
  readonly cost: Report["cost"];
  readonly target: string;
  readonly gate: "none" | "off" | "on";
  /** What the run before said at its end; absent where none ended. */
  readonly stopped?: { readonly stop: Stop; readonly detail: string; readonly at: number };
}

/** The report of the last run as things stand now. */
export const reportOfLook = (look: Look): Report =>
  reportOf({
    run: look.run,
    inbox: look.inbox,
    url: look.inbox.pullRequest.url,
    number: look.inbox.pullRequest.ref.number,
    blockers: look.blockers,
    stop: look.run.stop === undefined ? undefined : { stop: look.run.stop, detail: look.stopped?.detail ?? look.why },
    waits: look.waits,
    plan: [],
    notes: look.notes,
    now: look.readAt,
    startedAt: look.run.startedAt === 0 ? look.readAt : look.run.startedAt,
    cost: look.cost,
    target: look.target,
    gate: look.gate,
    live: true,
    ...(look.stopping === undefined ? {} : { stopping: look.stopping }),
  });

export const lookAt = async (options: RunOptions): Promise<Look> => {
  const entries: Entry[] = [...(await options.ports.store.peek(options.ref))];
  const last = entries.findLast((entry) => entry.type === "stop");
  const stopped = last?.type === "stop" ? { stop: last.stop, detail: last.detail, at: last.at } : undefined;
  const engine = new Engine(
    { ...options, dryRun: true, notesHeads: true },
    {
      entries,
      append: async (entry) => {
        entries.push(entry);
      },
    },
  );
  const inbox = await engine.fetch();
  const held = await engine.check(inbox);
  const standing = {
    inbox,
    blockers: held.blockers,
    waits: held.waits,
    run: engine.run,
    settings: options.settings,
    now: engine.now(),
    flips: engine.flips,
    ...(options.spoken === undefined ? {} : { spoken: options.spoken }),
    ...(held.stopping === undefined ? {} : { stopping: held.stopping }),
  };
  return {
    ...lifecycleOf(standing),
    inbox,
    blockers: held.blockers,
    waits: held.waits,
    notes: [...engine.notes],
    run: engine.run,
    readAt: standing.now,
    cost: options.ports.forge.cost,
    target: options.settings.target,
    ...(stopped === undefined ? {} : { stopped }),
    gate: options.settings.gate === false ? "off" : options.settings.gate === undefined ? "none" : "on",
  };
};
