/** `doctor`: what could keep a run from working, a line each, with what to do. Reads only; runs neither the gate nor an agent. */
import { doctor } from "../../index.js";
import type { DoctorLine } from "../../index.js";
import type { Surroundings } from "../surroundings.js";
import { on, requestOf } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor, safe } from "../print/text.js";
import type { Colours } from "../print/text.js";

const textOf = (line: DoctorLine, colours: Colours): readonly string[] => {
  const sign = line.state === "ok" ? colours.green("ok  ") : line.state === "note" ? colours.yellow("note") : colours.red("red ");
  return [
    `${sign}  ${colours.bold(line.check.padEnd(12))}  ${safe(line.says)}`,
    ...(line.fix === undefined ? [] : [colours.dim(`${" ".repeat(20)}${line.state === "red" ? "fix: " : ""}${safe(line.fix)}`)]),
  ];
};

/** Exit 0 where nothing is red, else 1. */
export const doctorCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const lines = await doctor({ ...requestOf(flags, reference, surroundings), trustHead: on(flags, "trustHead") });
  const good = lines.every((line) => line.state !== "red");
  const colours = coloursFor(surroundings.stdout, surroundings.environment);
  surroundings.stdout.write(
    on(flags, "json")
      ? `${JSON.stringify({ schemaVersion: 1, ok: good, lines })}\n`
      : `${lines.flatMap((line) => textOf(line, colours)).join("\n")}\n`,
  );
  return good ? 0 : 1;
};
