/** The port `shell` as a table: a command line is a function over the worktree's files. What the table lacks is an error of the test. */
import { ReviewloopError, type Clock, type Shell, type ShellResult, type ShellTask } from "../../core/index.js";
import type { MemoryGit, Worktree } from "./memory-git.js";

export type ShellAnswer =
  | number
  | {
      readonly exitCode?: number;
      readonly output?: string;
      /** Milliseconds. */
      readonly took?: number;
      readonly timedOut?: boolean;
      /** False: the program is not there. */
      readonly started?: boolean;
    };
export type ScriptedCommand = (worktree: Worktree, task: ShellTask) => ShellAnswer | Promise<ShellAnswer>;

export interface MemoryShell extends Shell {
  readonly calls: readonly ShellTask[];
}

export const memoryShell = (
  script: Readonly<Record<string, ScriptedCommand>>,
  options: { readonly git: Pick<MemoryGit, "worktree">; /** Time that a command takes passes on it. */ readonly clock?: Clock },
): MemoryShell => {
  const calls: ShellTask[] = [];
  return {
    calls,
    async run(task, signal): Promise<ShellResult> {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
      calls.push(task);
      const command = Object.hasOwn(script, task.command) ? script[task.command] : undefined;
      if (command === undefined) throw new Error(`The test's shell knows no command ${JSON.stringify(task.command)}.`);
      if (task.input === undefined && task.cwd !== "." && task.cwd !== options.git.worktree.root)
        throw new Error(`${JSON.stringify(task.command)} ran in ${task.cwd}, not in the worktree.`);
      const answer = await command(options.git.worktree, task);
      const { exitCode, output, took = 0, timedOut = false, started = true } = typeof answer === "number" ? { exitCode: answer } : answer;
      const late = timedOut || took > task.timeout;
      const spent = late ? task.timeout : took;
      if (spent > 0) await options.clock?.sleep(spent, signal);
      return {
        started,
        ...(exitCode === undefined || late || !started ? {} : { exitCode }),
        timedOut: late,
        output: output ?? "",
        ...(task.input === undefined ? {} : { stdout: output ?? "" }),
        took: spent,
        ...(task.logFile === undefined ? {} : { logFile: task.logFile }),
      };
    },
  };
};
