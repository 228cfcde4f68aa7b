/** When a head was first seen, for commands that leave no journal entry: a look must not make a head young again. */
import type { Entry, PullRequestRef, Snapshot } from "../model.js";
import type { Ports } from "../ports.js";

/** The entry that says when the head of this read was first seen; undefined where the journal knows it. */
export const headEntry = async (
  read: Pick<Snapshot, "pullRequest">,
  known: readonly { readonly sha: string }[],
  ports: Pick<Ports, "store" | "clock">,
  ref: PullRequestRef,
): Promise<Entry | undefined> => {
  const { sha } = read.pullRequest.head;
  if (known.at(-1)?.sha === sha) return undefined;
  const key = `head-${ref.number}`;
  const kept = await ports.store.recall(ref, key);
  if (kept?.value === sha) return { at: kept.at, type: "head", head: sha };
  const at = ports.clock.now();
  await ports.store.remember(ref, key, sha, at);
  return { at, type: "head", head: sha };
};
