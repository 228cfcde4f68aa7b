/** Pure: handing a pull request over, and taking it back. */
import type { Inbox, RunState, Write } from "../model.js";
import { headSince } from "../wait.js";

const isFlip = (write: Write): boolean => write.kind === "mark-ready" || write.kind === "mark-draft";

/** Draft to ready, or back. Each flip has a key of its own, so that the one after an undo is carried out too. */
export const flipWrite = (kind: "mark-ready" | "mark-draft", run: RunState, head: string, why: string): Write => {
  const before = Object.values(run.writes).filter((entry) => isFlip(entry.write) && entry.result !== undefined).length;
  return { kind, key: `${kind}:${head}:${before}`, preconditions: kind === "mark-ready" ? { head } : {}, why };
};

/** Somebody made it a draft again and pushed nothing since: it is handed over again by an order only. */
export const takenBack = (inbox: Inbox, run: RunState): boolean => {
  const last = inbox.timeline
    .filter((event) => event.kind === "convert-to-draft" || event.kind === "ready-for-review")
    .reduce<Inbox["timeline"][number] | undefined>(
      (newest, event) => (newest === undefined || event.at >= newest.at ? event : newest),
      undefined,
    );
  // What was never handed over can't be taken back: a draft from the start is the agent's.
  const handedOver = inbox.timeline.some((event) => event.kind === "ready-for-review");
  // GitHub's times are whole seconds.
  return handedOver && inbox.pullRequest.draft && last?.kind === "convert-to-draft" && last.at + 1000 > headSince(inbox, run);
};
