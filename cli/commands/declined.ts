/** `declined`: points that were declined with a reason in this repository; `--export` writes them for a commit. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { declined, DECLINED_FILE, formatDeclined, parseDeclined } from "../../index.js";
import { text } from "../flags.js";
import type { Flags } from "../flags.js";
import { oneLine, plural, safe } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { calling, print } from "./look.js";

export const declinedCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const ledger = await calling(flags, reference, surroundings, declined);
  const given = flags["export"];
  if (given === undefined || given === false) {
    print(surroundings, flags, { schemaVersion: 1, declined: ledger }, (colours) => [
      ...ledger.map(
        (entry) =>
          `${String(entry.times).padStart(3)} x  ${oneLine(safe(entry.title), 90)}  ${colours.dim(`${oneLine(safe(entry.why), 90)}  ${entry.url}`)}`,
      ),
      colours.dim(plural(ledger.length, "declined point")),
    ]);
    return 0;
  }
  const file = resolve(surroundings.folder, text(flags, "export") ?? DECLINED_FILE);
  const before = parseDeclined(await readFile(file, "utf8").catch(() => ""));
  // What others recorded stays; what both know is as it is known here.
  const kept = before.filter((entry) => !ledger.some((other) => other.point === entry.point));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, formatDeclined([...kept, ...ledger]));
  const shown = relative(surroundings.folder, file);
  print(surroundings, flags, { schemaVersion: 1, file: shown, written: kept.length + ledger.length }, () => [
    `${plural(kept.length + ledger.length, "point")} in ${shown}: review and commit it; only the base branch's copy counts`,
  ]);
  return 0;
};
