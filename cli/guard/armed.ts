/** The one-shot arming: a file in the repository's git folder, used up by the act that it allows. */
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const NAME = "reviewloop-armed";

/** The git folder of a checkout or a linked worktree; undefined outside of one. */
export const gitFolder = async (from: string): Promise<string | undefined> => {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const at = join(folder, ".git");
    const found = await stat(at).catch(() => undefined);
    if (found?.isDirectory() === true) return at;
    if (found?.isFile() === true) {
      const pointed = /^gitdir: (.+)$/m.exec(await readFile(at, "utf8"))?.[1];
      return pointed === undefined ? undefined : resolve(folder, pointed.trim());
    }
    if (dirname(folder) === folder) return undefined;
  }
};

/** Undefined: not in a repository. */
export const arm = async (folder: string): Promise<string | undefined> => {
  const git = await gitFolder(folder);
  if (git === undefined) return undefined;
  const file = join(git, NAME);
  await writeFile(file, "armed once by reviewloop guard arm\n");
  return file;
};

/** True once for each arming. */
export const useUp = async (folder: string): Promise<boolean> => {
  const git = await gitFolder(folder);
  if (git === undefined) return false;
  try {
    await rm(join(git, NAME));
    return true;
  } catch {
    return false;
  }
};
