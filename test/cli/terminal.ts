/** The built command line on a pseudo terminal, as a person has it. */
import { spawn } from "node:child_process";
import type { Ran } from "./sandboxed.js";
import { BIN } from "./sandboxed.js";

export interface Terminal {
  /** Waits for text that was not waited for before; gives all that was shown up to its end. */
  see(text: RegExp): Promise<string>;
  /** Keys, as they are typed. */
  type(keys: string): void;
  /** What was shown, and the exit code. */
  readonly ended: Promise<Pick<Ran, "code" | "out">>;
}

export const ENTER = "\r";
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** `script` gives the program a terminal of its own; the one of util-linux and the one of BSD take their words in another order. */
export const onTerminal = (
  args: readonly string[],
  how: { readonly cwd: string; readonly environment: Readonly<Record<string, string>>; readonly columns?: number },
): Terminal => {
  const line = `stty cols ${how.columns ?? 80} rows 30; exec ${[process.execPath, BIN, ...args].map(quoted).join(" ")}`;
  const words = process.platform === "linux" ? ["-qefc", line, "/dev/null"] : ["-q", "/dev/null", "sh", "-c", line];
  const child = spawn("script", words, { cwd: how.cwd, env: { ...how.environment, TERM: "xterm", SHELL: "/bin/sh" } });
  let shown = "";
  let seen = 0;
  let look = (): void => undefined;
  const take = (text: Buffer): void => {
    shown += text.toString("utf8").replaceAll("\r\n", "\n");
    look();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise<Pick<Ran, "code" | "out">>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      look();
      resolve({ code: code ?? -1, out: shown });
    });
  });
  return {
    ended,
    type: (keys) => void child.stdin.write(keys),
    see: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = text.exec(shown.slice(seen));
          if (found === null) {
            if (child.exitCode !== null) reject(new Error(`${text} was never shown:\n${shown}`));
            return;
          }
          seen += found.index + found[0].length;
          look = () => undefined;
          resolve(shown.slice(0, seen));
        };
        look();
      }),
  };
};
