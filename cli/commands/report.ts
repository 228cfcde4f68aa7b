/** `report`: the last run's report, read live. */
import { look, reportOfLook } from "../../index.js";
import type { Flags } from "../flags.js";
import { on } from "../flags.js";
import { reportText } from "../print/report.js";
import { coloursFor } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { calling } from "./look.js";

export const reportCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const report = reportOfLook(await calling(flags, reference, surroundings, look));
  surroundings.stdout.write(
    on(flags, "json") ? `${JSON.stringify(report)}\n` : reportText(report, coloursFor(surroundings.stdout, surroundings.environment)),
  );
  return 0;
};
