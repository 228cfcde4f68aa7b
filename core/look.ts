/** A look: one read, one check, one state. Takes no lease, writes nothing. */
import { Engine } from "./engine.js";
import { lifecycleOf } from "./lifecycle.js";
import type { Lifecycle } from "./lifecycle.js";
import type { Blocker, Entry, Inbox, RunState, Wait } from "./model.js";
import type { RunOptions } from "./session.js";

export interface Look extends Lifecycle {
  readonly inbox: Inbox;
  readonly blockers: readonly Blocker[];
  readonly waits: readonly Wait[];
  readonly notes: readonly string[];
  readonly run: RunState;
}

export const lookAt = async (options: RunOptions): Promise<Look> => {
  const entries: Entry[] = [...(await options.ports.store.peek(options.ref))];
  const engine = new Engine(
    { ...options, dryRun: true },
    {
      entries,
      append: async (entry) => {
        entries.push(entry);
      },
    },
  );
  const inbox = await engine.fetch();
  const held = await engine.check(inbox);
  const standing = { inbox, blockers: held.blockers, waits: held.waits, run: engine.run, settings: options.settings, now: engine.now() };
  return { ...lifecycleOf(standing), inbox, blockers: held.blockers, waits: held.waits, notes: [...engine.notes, ...inbox.notes], run: engine.run };
};
