/** `journal`: what was intended and what became of it, readable. */
import { journal } from "../../index.js";
import type { Entry } from "../../index.js";
import type { Flags } from "../flags.js";
import { oneLine, safe, seconds, sha } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { calling, print } from "./look.js";

/** What a newer version wrote is kept, and shown as it is. */
const unknownText = (entry: object): string => `not known to this version: ${JSON.stringify(entry)}`;

/** One entry in words. */
export const entryText = (entry: Entry): string => {
  switch (entry.type) {
    case "run":
      return `run ${entry.run} begins: target ${entry.target}, head ${sha(entry.head)}`;
    case "head":
      return `head ${sha(entry.head)} seen`;
    case "iteration":
      return `iteration ${entry.number} at ${sha(entry.head)}`;
    case "decision":
      return `decided ${entry.decision.kind}: ${entry.title} (${entry.decision.why})`;
    case "evidence":
      return `gate ${entry.evidence.gate} ${entry.evidence.result} @ tree ${sha(entry.evidence.tree)}`;
    case "work":
      return `committed ${sha(entry.commit)} for ${entry.fixed.length} threads, not pushed yet`;
    case "findings":
      return `${entry.threads.length} new, ${entry.fixInduced.length} of them on lines that our own fixes wrote`;
    case "left":
      return `left (${entry.code}): ${entry.title} (${entry.why})`;
    case "repair":
      return `repair of gate ${entry.gate}`;
    case "intent":
      return `intends ${entry.write.kind}: ${entry.write.why}`;
    case "result":
      return `result ${entry.result.state}${"detail" in entry.result ? `: ${entry.result.detail}` : ""}  [${entry.key}]`;
    case "waits":
      return entry.waits.length === 0 ? "waits for nothing" : `waits for ${entry.waits.map((wait) => wait.name ?? wait.for).join(", ")}`;
    case "note":
      return `note of ${entry.plugin}: ${entry.key} = ${JSON.stringify(entry.value)}`;
    case "agent":
      return `agent (${entry.kind}) ${entry.ok ? "answered" : "failed"} in ${seconds(entry.took)}${entry.stripped === undefined ? "" : `; ${Object.keys(entry.stripped).length} texts held what it was not shown (--json)`}`;
    case "active":
      return `worked ${seconds(entry.took)}`;
    case "stop":
      return `stop ${entry.stop}: ${entry.detail}`;
    default:
      return unknownText(entry);
  }
};

export const journalCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const entries = await calling(flags, reference, surroundings, journal);
  print(surroundings, flags, { schemaVersion: 1, entries }, (colours) =>
    entries.length === 0
      ? ["no journal: nothing was ever written to this pull request from here"]
      : entries.map((entry) => `${colours.dim(new Date(entry.at).toISOString())}  ${oneLine(safe(entryText(entry)), 200)}`),
  );
  return 0;
};
