/** Git on the server's own repositories: a clean environment, and bytes or text back. */
import { execFileSync } from "node:child_process";

/** Nothing of the caller's git settings or of a surrounding git command reaches the server's repositories. */
export const gitEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
});

export class GitError extends Error {
  readonly code: number | undefined;
  readonly stdout: string;
  constructor(args: readonly string[], code: number | undefined, stderr: string, stdout: string) {
    super(`git ${args.join(" ")}: exit ${code}: ${stderr.trim()}`);
    this.name = "GitError";
    this.code = code;
    this.stdout = stdout;
  }
}

export interface GitInput {
  readonly input?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
}

const field = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;

/** Runs git in a bare repository and waits for it. Throws `GitError` on any exit but 0. */
export const gitBytes = (folder: string, args: readonly string[], { input, environment = {} }: GitInput = {}): Buffer => {
  try {
    return execFileSync("git", ["--git-dir", folder, ...args], {
      cwd: folder,
      env: { ...gitEnvironment(), ...environment },
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["pipe", "pipe", "pipe"],
      ...(input === undefined ? {} : { input }),
    });
  } catch (error) {
    const code = field(error, "status");
    throw new GitError(args, typeof code === "number" ? code : undefined, String(field(error, "stderr")), String(field(error, "stdout")));
  }
};

export const git = (folder: string, args: readonly string[], input?: GitInput): string => gitBytes(folder, args, input).toString("utf8");

/** Undefined where git answers with one of these exits: "there is none" is no failure. */
export const gitOrNone = (folder: string, args: readonly string[], none: readonly number[]): string | undefined => {
  try {
    return git(folder, args);
  } catch (error) {
    if (error instanceof GitError && error.code !== undefined && none.includes(error.code)) return undefined;
    throw error;
  }
};
