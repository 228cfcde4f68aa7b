/** Which git is here, and what it knows of this folder. Runs nothing of the repository. */
import { execa } from "execa";
import type { Trouble } from "../../doctor.js";
import type { Environment } from "../shell/environment.js";

const git = async (folder: string, environment: Environment, args: readonly string[]): Promise<string | undefined> => {
  const ran = await execa("git", ["-c", "core.fsmonitor=false", "-C", folder, ...args], {
    reject: false,
    stdin: "ignore",
    extendEnv: false,
    env: { ...environment, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" },
  });
  return ran.exitCode === 0 ? ran.stdout.trim() : undefined;
};

export const examineGit = async (
  folder: string,
  environment: Environment,
): Promise<{ version: string; root?: string; head?: string; identity: boolean } | Trouble> => {
  const version = await git(".", environment, ["--version"]);
  if (version === undefined) return { problem: "git was not found on PATH", fix: "Install git." };
  const [root, head, identity] = await Promise.all([
    git(folder, environment, ["rev-parse", "--show-toplevel"]),
    git(folder, environment, ["rev-parse", "HEAD"]),
    git(folder, environment, ["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"]),
  ]);
  return {
    version: /\d+\.\d+(?:\.\d+)?/.exec(version)?.[0] ?? "0.0",
    ...(root === undefined ? {} : { root }),
    ...(head === undefined ? {} : { head }),
    identity: identity !== undefined,
  };
};
