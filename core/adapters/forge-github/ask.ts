/** Queries to servers that may lack a field: what is missing is found out once and left out from then on. */
import type { Transport, Variables, Answer, QueryOptions } from "./transport.js";
import { GithubFailure } from "./failure.js";
import { isDroppable } from "./queries.js";
import type { Droppable, Missing } from "./queries.js";

export interface Asking {
  readonly transport: Transport;
  /** Remembered for the life of the forge. */
  readonly missing: Set<Droppable>;
}

/** Rules that this account may not see are as good as a server without them; everything else that is denied is denied. */
const deniedField = (failure: GithubFailure): Droppable | undefined =>
  failure.kind === "denied" && failure.facts.path?.includes("refUpdateRule") === true ? "Ref.refUpdateRule" : undefined;

const droppedBy = (failure: GithubFailure): readonly Droppable[] => {
  const denied = deniedField(failure);
  if (denied !== undefined) return [denied];
  if (failure.kind !== "undefined-field") return [];
  const fields = failure.facts.fields ?? [];
  return fields.every(isDroppable) ? fields.filter(isDroppable) : [];
};

/** Asks; where the server has no such field, asks again without it. */
export const ask = async <T>(
  asking: Asking,
  text: (missing: Missing) => string,
  variables: Variables | (() => Variables),
  signal: AbortSignal | undefined,
  options?: QueryOptions,
): Promise<Answer<T>> => {
  for (;;) {
    const before = asking.missing.size;
    try {
      return await asking.transport.query<T>(text(asking.missing), variables, signal, options);
    } catch (thrown) {
      if (!(thrown instanceof GithubFailure)) throw thrown;
      for (const field of droppedBy(thrown)) asking.missing.add(field);
      // Each round drops at least one of a handful of fields, so this ends.
      if (asking.missing.size === before) throw thrown;
    }
  }
};
