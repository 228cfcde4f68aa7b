/** An error before any run: what, where, what to do; with `--json` as one document. */
import { ReviewloopError, messageOf } from "../index.js";
import type { Surroundings } from "./surroundings.js";
import { coloursFor, safe } from "./print/text.js";

export const failure = (thrown: unknown, json: boolean, surroundings: Surroundings): number => {
  const known = ReviewloopError.is(thrown);
  const error = known
    ? { code: thrown.code, message: thrown.message, hint: thrown.hint }
    : { code: "INTERNAL", message: `This should not have happened: ${messageOf(thrown)}`, hint: "Please report it with --log." };
  if (json) surroundings.stdout.write(`${JSON.stringify({ schemaVersion: 1, error })}\n`);
  const colours = coloursFor(surroundings.stderr, surroundings.environment);
  surroundings.stderr.write(`${colours.red(error.code)}: ${safe(error.message)}\n  ${error.hint}\n`);
  if (!known && thrown instanceof Error && thrown.stack !== undefined) surroundings.stderr.write(`${colours.dim(thrown.stack)}\n`);
  return known ? thrown.exit : 4;
};
