/** Writes that set a state: look, set what is not so yet, look again. Safe to repeat, so a lost answer is settled here. */
import type { WriteResult } from "../../model.js";
import type { Clock } from "../../ports.js";
import { GithubFailure } from "./failure.js";
import { refused } from "./outcome.js";

const ATTEMPTS = 3;
const PAUSE = 1_000;

/** How a thing stands before (or after) the write. */
export type Standing = { readonly is: "so" | "not-so"; readonly url?: string } | { readonly is: "refused"; readonly result: WriteResult };
/** `unsure`: neither a yes nor a no; it is looked at again. */
export type Outcome =
  | { readonly is: "done" }
  | { readonly is: "unsure"; readonly detail: string }
  | { readonly is: "refused"; readonly result: WriteResult };

export interface StateChange<W> {
  /** Node id of what is changed. */
  readonly id: (write: W) => string;
  readonly look: (writes: readonly W[]) => Promise<readonly Standing[]>;
  readonly act: (writes: readonly W[]) => Promise<readonly Outcome[]>;
  /** A clear no as a result; throws where it is none. */
  readonly refuse: (failure: GithubFailure) => WriteResult;
}

const done = (id: string, url: string | undefined, found: boolean): WriteResult => ({
  state: "done",
  id,
  ...(url === undefined ? {} : { url }),
  ...(found ? { found: true } : {}),
});

export const settle = async <W>(
  writes: readonly W[],
  change: StateChange<W>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<readonly WriteResult[]> => {
  const results = new Map<W, WriteResult>();
  const reasons = new Map<W, string>();
  const urls = new Map<W, string>();
  const sent = new Set<W>();
  const left = () => writes.filter((write) => !results.has(write));
  const look = async () => {
    const looked = left();
    const standings = await change.look(looked);
    for (const [i, write] of looked.entries()) {
      const standing = standings[i];
      if (standing?.is !== "refused" && standing?.url !== undefined) urls.set(write, standing.url);
      if (standing?.is === "so") results.set(write, done(change.id(write), urls.get(write), !sent.has(write)));
      else if (standing?.is === "refused") results.set(write, standing.result);
    }
  };
  const act = async (last: boolean) => {
    const acting = left();
    for (const write of acting) sent.add(write);
    try {
      const outcomes = await change.act(acting);
      for (const [i, write] of acting.entries()) {
        const outcome = outcomes[i];
        if (outcome?.is === "done") results.set(write, done(change.id(write), urls.get(write), false));
        else if (outcome?.is === "refused") results.set(write, outcome.result);
        else if (outcome !== undefined) reasons.set(write, outcome.detail);
      }
    } catch (thrown) {
      if (!(thrown instanceof GithubFailure)) throw thrown;
      const lost = thrown.kind === "unavailable" || thrown.kind === "partial";
      for (const write of acting) {
        if (lost && !last) reasons.set(write, thrown.message);
        else results.set(write, change.refuse(thrown));
      }
    }
  };
  try {
    await look();
  } catch (thrown) {
    // Nothing was sent yet.
    if (!(thrown instanceof GithubFailure)) throw thrown;
    const result = change.refuse(thrown);
    return writes.map(() => result);
  }
  for (let attempt = 1; left().length > 0 && attempt <= ATTEMPTS; attempt += 1) {
    await act(attempt === ATTEMPTS);
    if (left().length === 0) break;
    await clock.sleep(PAUSE * attempt, signal);
    await look();
  }
  return writes.map(
    (write) => results.get(write) ?? refused("invalid", `GitHub answered, yet nothing changed: ${reasons.get(write) ?? "no reason given"}`),
  );
};
