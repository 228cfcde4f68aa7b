/** Questions to a person at a terminal, on stderr. */
import { createInterface } from "node:readline/promises";
import type { Surroundings } from "./surroundings.js";

type Streams = Pick<Surroundings, "stdin" | "stderr">;

export interface Questions {
  /** The answer without blanks around it; undefined: Ctrl-C, or the end of the input. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly end: () => void;
}

/** Somebody is there to answer. */
export const isTerminal = ({ stdin, stderr }: Streams): boolean => stdin.isTTY === true && stderr.isTTY === true;

export const questions = ({ stdin, stderr }: Streams): Questions => {
  const lines = createInterface({ input: stdin, output: stderr as unknown as NodeJS.WritableStream });
  // While a line is edited, Ctrl-C is a key and no signal; without this the question would never be settled.
  const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  return {
    ask: async (question) => {
      const said = await Promise.race([lines.question(question), closed]);
      if (said === undefined) stderr.write("\n");
      return said?.trim();
    },
    end: () => lines.close(),
  };
};
