/** Which new findings stand on lines that our own fixes wrote. */
import type { RunState, Sha, Thread } from "../model.js";
import type { GitReads } from "../ports.js";
import { isOurLine, linesLater, spanOf } from "../reading/own-lines.js";

/** Our commits that were on the branch when it was at this head. */
const before = (head: Sha, run: RunState): RunState["wrote"] => {
  const order = run.heads.map((each) => each.sha);
  const at = order.lastIndexOf(head);
  return run.wrote.filter((each) => {
    const pushed = each.head === undefined ? -1 : order.indexOf(each.head);
    return pushed !== -1 && at !== -1 && pushed <= at;
  });
};

/**
 * Ids of the threads that are on lines of ours, as these are at the head that the thread was made on. What can't be told (a head that was
 * never seen, a commit that is gone) is not counted.
 */
export const fixInducedIds = async (
  git: Pick<GitReads, "treeOf" | "patch">,
  threads: readonly Thread[],
  run: RunState,
  head: Sha,
): Promise<readonly string[]> => {
  const patches = new Map<string, Promise<string | undefined>>();
  const between = (from: Sha, to: Sha): Promise<string | undefined> => {
    const key = `${from}..${to}`;
    const known = patches.get(key);
    if (known !== undefined) return known;
    const made = (async () => git.patch(await git.treeOf(from), await git.treeOf(to)))().catch(() => undefined);
    patches.set(key, made);
    return made;
  };
  const ids: string[] = [];
  for (const { id, place, messages } of threads) {
    const made = messages[0]?.commit;
    const span = place === undefined ? undefined : spanOf(place, made !== undefined);
    if (place === undefined || span === undefined) continue;
    const on = made ?? head;
    for (const { commit, lines } of before(on, run)) {
      if (lines[place.path] === undefined) continue;
      const patch = commit === on ? "" : await between(commit, on);
      if (patch !== undefined && isOurLine(linesLater(lines, patch), place.path, span)) {
        ids.push(id);
        break;
      }
    }
  }
  return ids;
};
