/** Looks by hand, for what is printed of them. */
import { lifecycleOf } from "../../core/lifecycle.js";
import { threadsOf } from "../../core/reading/threads.js";
import type { Blocker, Inbox, Look, PullRequest, Stopping, Wait } from "../../index.js";
import { settingsFrom } from "../loop/settings.js";
import { check, HEAD, NOW, ours, run, snapshot } from "../unit/building.js";

export const blocker = (code: string, who: Blocker["lift"]["who"], more: Partial<Blocker> = {}): Blocker => ({
  code,
  by: "test",
  detail: code,
  lift: { who },
  ...more,
});
export const wait = (name: string): Wait => ({ for: "reviewer", name, head: HEAD, since: NOW, until: NOW + 1, then: "stop", poll: 1 });

export interface Given {
  readonly pullRequest?: Partial<PullRequest>;
  readonly inbox?: Partial<Inbox>;
  readonly blockers?: readonly Blocker[];
  readonly waits?: readonly Wait[];
  readonly stopping?: Stopping;
}

export const look = ({ pullRequest = {}, inbox: more = {}, blockers = [], waits = [], stopping }: Given): Look => {
  const of = snapshot({ checks: [check("test", "success")], pullRequest });
  const state = run();
  const inbox: Inbox = {
    ...of,
    threads: threadsOf(of, { run: state, ours, trust: settingsFrom({}).trust }),
    signals: [],
    parties: [],
    unknownBots: [],
    notes: [],
    ...more,
  };
  const settings = settingsFrom({ target: "draft-to-ready", hasAgent: false });
  const standing = { inbox, blockers, waits, run: state, settings, now: NOW, ...(stopping === undefined ? {} : { stopping }) };
  const rest = { notes: [], run: state, readAt: NOW, cost: { requests: 1, points: 1 }, target: "draft-to-ready", gate: "none" } as const;
  return { ...lifecycleOf(standing), inbox, blockers, waits, ...rest };
};
