/** `init guard`: the guard as a hook of Claude Code in this repository. Keeps all that is there. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ReviewloopError } from "../../index.js";
import { findRoot } from "../../core/config/load.js";
import { on } from "../flags.js";
import type { Flags } from "../flags.js";
import { withGuard } from "../init/hook.js";
import type { Surroundings } from "../surroundings.js";
import { print } from "./look.js";

const FILE = ".claude/settings.json";

export const initGuardCommand = async (flags: Flags, surroundings: Surroundings): Promise<number> => {
  const root = await findRoot(surroundings.folder);
  const file = join(root, FILE);
  const before = await readFile(file, "utf8").catch(() => undefined);
  const laid = withGuard(before, on(flags, "strict"));
  if ("problem" in laid)
    throw new ReviewloopError("USAGE", { problem: `${FILE} ${laid.problem}; nothing was written.`, command: "init guard" });
  if (laid.changed) {
    await mkdir(join(root, ".claude"), { recursive: true });
    await writeFile(file, `${JSON.stringify(laid.settings, undefined, 2)}\n`);
  }
  print(surroundings, flags, { schemaVersion: 1, file: FILE, changed: laid.changed }, () => [
    laid.changed ? `${FILE}: the guard runs before each shell command` : `${FILE}: the guard is there already`,
    "Before a pull request is opened: reviewloop guard arm, as a step of its own.",
  ]);
  return 0;
};
