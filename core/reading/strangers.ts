/** Pure: what may be made of a thread whose last word is a stranger's. */
import type { Decision, Thread } from "../model.js";
import type { Ours } from "../ports.js";
import type { Settings } from "../settings.js";
import { isOurs } from "../writing/marker.js";
import { wantsFix } from "./standing.js";

/** A bot was installed by somebody who may write: one that no plugin knows may be answered, but changes nothing. */
const amongBots = (thread: Thread, ours: Ours): boolean =>
  thread.author.kind === "bot" && thread.messages.every((message) => message.author.kind === "bot" || isOurs(message, ours));

/**
 * The decision that holds, whichever plugin took it. A stranger's words change nothing, answer nothing and close nothing; also below a
 * reviewer's point, where nobody could tell whose wish is carried out. What was made of them is told to a person.
 */
export const heldForPeople = (thread: Thread, decision: Decision, how: { readonly ours: Ours } & Pick<Settings, "nitpicks">): Decision => {
  if (thread.trust === "trusted" || decision.kind === "judgment") return decision;
  const edits = wantsFix(decision, how);
  if (!edits && amongBots(thread, how.ours)) return decision;
  const who = thread.reviewer === undefined ? `${thread.author.login} has` : "whoever spoke last has";
  return {
    kind: "judgment",
    why: `${who} no write access here, so this decides nothing by itself. It was judged ${decision.kind}: ${decision.why}`,
    reply: null,
    question: `${edits ? "Shall this be changed?" : "Is that so?"} A reply by somebody with write access decides it.`,
    ...(decision.root === undefined ? {} : { root: decision.root }),
    ...(decision.evidence === undefined ? {} : { evidence: decision.evidence }),
  };
};
