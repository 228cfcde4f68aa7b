/** Hooks never run in our worktree. What they check belongs in the gate, so somebody has to be told which there are. */
import { access, constants, readdir, readFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { redactor } from "../../redact.js";
import type { Environment } from "../shell/environment.js";
import { createGit } from "./command.js";
import { locateClone } from "./worktree.js";

export interface Hook {
  readonly name: string;
  readonly text: string;
}

/** The executable hooks that a commit or a push in the user's checkout would run, with their text. `root`: the checkout's top. */
export const hookTextsOf = async (root: string, environment: Environment = process.env): Promise<readonly Hook[]> => {
  const run = createGit(environment, redactor());
  const commonDir = await locateClone(run, root, undefined);
  if (commonDir === undefined) return [];
  // The list says where each value comes from: our own override comes from the command and doesn't count.
  const listed = await run({ gitDir: commonDir }, { args: ["config", "--list", "--show-scope", "-z"], answers: "any" });
  const fields = listed.stdout.toString("utf8").split("\0");
  let configured = "";
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key, ...value] = (fields[at + 1] ?? "").split("\n");
    if (fields[at] !== "command" && key === "core.hookspath") configured = value.join("\n");
  }
  const folder = configured === "" ? join(commonDir, "hooks") : isAbsolute(configured) ? configured : join(root, configured);
  const names = await readdir(folder).catch(() => []);
  const found: Hook[] = [];
  for (const name of names.filter((candidate) => /^(?:pre|post|prepare|commit)-[a-z-]+$/.test(candidate)).sort()) {
    // In a folder `_` lie starters; what they start lies beside the folder under the same name.
    const file = basename(folder) === "_" ? join(dirname(folder), name) : join(folder, name);
    const runs = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    const text = runs ? await readFile(file, "utf8").catch(() => undefined) : undefined;
    if (text !== undefined) found.push({ name, text });
  }
  return found;
};

/** Their names alone. */
export const hooksOf = async (root: string, environment: Environment = process.env): Promise<readonly string[]> =>
  (await hookTextsOf(root, environment)).map((hook) => hook.name);
