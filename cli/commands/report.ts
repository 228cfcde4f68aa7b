/** `report`: the last run's report, read live, in the shape that is asked for. */
import { look, reportOfLook } from "../../index.js";
import type { Flags } from "../flags.js";
import { on, text } from "../flags.js";
import { reportAs } from "../print/formats.js";
import { reportText } from "../print/report.js";
import { coloursFor, widthOf } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { calling } from "./look.js";

export const reportCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const found = await calling(flags, reference, surroundings, look);
  const report = reportOfLook(found);
  const format = on(flags, "json") ? "json" : text(flags, "format");
  const shown = (): string => {
    if (format === "json") return `${JSON.stringify(report)}\n`;
    if (format === "handoff" || format === "table" || format === "markdown") return reportAs(format, found);
    return reportText(report, coloursFor(surroundings.stdout, surroundings.environment), widthOf(surroundings.stdout));
  };
  surroundings.stdout.write(shown());
  return 0;
};
