/** Where the durable state lies. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { PullRequestRef, RepositoryRef } from "../../model.js";

/** `$XDG_STATE_HOME/reviewloop`, else `~/.local/state/reviewloop`; on Windows below `%LOCALAPPDATA%`. */
export const defaultStateFolder = (
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string => {
  const chosen = environment["XDG_STATE_HOME"];
  // The XDG rules say that a relative path is to be ignored.
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, "reviewloop");
  const home = environment["HOME"] ?? homedir();
  if (platform === "win32") return join(environment["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "reviewloop");
  return join(home, ".local", "state", "reviewloop");
};

/**
 * One name of an address as one folder name: lower case, because GitHub's names don't tell case apart and two spellings must share
 * one lease; whatever a file system could take for something else is escaped.
 */
const segment = (name: string): string => {
  const safe = name.toLowerCase().replaceAll(/[^a-z0-9._-]/g, (character) => `%${Buffer.from(character).toString("hex")}`);
  return safe === "" || /^\.+$/.test(safe) ? `%${Buffer.from(safe).toString("hex")}` : safe;
};

export const repositoryFolder = (state: string, ref: RepositoryRef): string =>
  join(state, segment(ref.host), segment(ref.owner), segment(ref.name));

/** `<state>/<host>/<owner>/<repo>/<number>`: journal, lease and worktree of one pull request. */
export const pullRequestFolder = (state: string, ref: PullRequestRef): string => join(repositoryFolder(state, ref), String(ref.number));
