/** Runs a command line of the config through the platform's shell. The command may be hostile: it runs the head's code. */
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { constants } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { finished } from "node:stream/promises";
import { execa } from "execa";
import { ReviewloopError } from "../../errors.js";
import type { Clock, Shell, ShellResult } from "../../ports.js";
import type { Redact } from "../../redact.js";
import { systemClock } from "../clock/system.js";
import { commandEnvironment, type Environment } from "./environment.js";
import { cleaner, tail } from "./output.js";
import { endOnExit, endProcessTree, MARK } from "./process-tree.js";

export interface ShellOptions {
  /** Our own environment; a command sees only the allowed part of it. */
  readonly environment: Environment;
  /** Hides secrets in what is kept of the output and in the log file. */
  readonly redact: Redact;
  /** Names to let through beside the usual ones. Credentials of a forge or a registry stay out all the same. */
  readonly also?: readonly string[];
  /** Bounds the command; real time by default. */
  readonly clock?: Clock;
  /** Where log files with a relative path go. */
  readonly logFolder?: string;
  /** Milliseconds a tree of processes gets to end by itself. Default 5000. */
  readonly grace?: number;
}

const TAIL_CHARACTERS = 32 * 1024;
const TAIL_LINES = 300;
/** Of a log file; what follows is left out, and said. */
const LOG_BYTES = 32 * 1024 * 1024;
/** How long a pipe may stay open after everything we know of has ended. */
const DRAIN = 2000;

/** By convention of every shell: found but can't be run, not found. 9009 is cmd.exe's. */
const NOT_STARTED = new Set(process.platform === "win32" ? [126, 127, 9009] : [126, 127]);

type Ending = { readonly code?: number; readonly signal?: NodeJS.Signals; readonly failure?: string };

const exitCodeOf = (ending: Ending): number | undefined =>
  ending.code ?? (ending.signal === undefined ? undefined : 128 + (constants.signals[ending.signal] ?? 0));

const logFileOf = (asked: string | undefined, folder: string | undefined): string | undefined => {
  if (asked === undefined || isAbsolute(asked)) return asked;
  return folder === undefined ? undefined : join(folder, asked);
};

/** Opens the log for clean text, or not at all. */
const logTo = async (file: string | undefined): Promise<{ write(text: string): void; close(): Promise<void> }> => {
  if (file === undefined) return { write: () => {}, close: async () => {} };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const stream = createWriteStream(file, { mode: 0o600 });
  // A full disk must not end the gate: the log is a convenience.
  stream.on("error", () => {});
  let left = LOG_BYTES;
  return {
    write(text) {
      if (left <= 0) return;
      left -= Buffer.byteLength(text);
      stream.write(left > 0 ? text : `${text.slice(0, 4096)}\n[the log ends here: it has reached its limit]\n`);
    },
    async close() {
      stream.end();
      await finished(stream).catch(() => {});
    },
  };
};

/**
 * The `Shell` port. Each command gets its own process group, a scrubbed environment and no input; when it ends, is aborted or runs
 * out of time, everything it has started ends with it. Rejects with `ABORTED` only.
 */
export const shell = (options: ShellOptions): Shell => {
  const { environment, redact, also = [], clock = systemClock(), grace = 5000 } = options;
  return {
    async run(task, signal): Promise<ShellResult> {
      if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
      const begun = clock.now();
      const mark = randomUUID();
      const logFile = logFileOf(task.logFile, options.logFolder);
      const log = await logTo(logFile);
      const kept = tail(TAIL_CHARACTERS, TAIL_LINES);
      const keep = (text: string): void => {
        kept.add(text);
        log.write(text);
      };

      const child = execa(task.command, {
        shell: true,
        cwd: task.cwd,
        env: commandEnvironment(environment, { also, set: { [MARK]: mark } }),
        extendEnv: false,
        ...(task.input === undefined ? { stdin: "ignore" as const } : { input: task.input }),
        buffer: false,
        encoding: "buffer",
        reject: false,
        cleanup: false,
        detached: process.platform !== "win32",
        windowsHide: true,
      });
      const settle = endOnExitOf(child.pid, mark);
      const streams = [child.stdout, child.stderr];
      const printed = tail(TAIL_CHARACTERS, TAIL_LINES);
      const drained = Promise.all(
        streams.map(async (stream, index) => {
          const clean = cleaner(redact, (text) => {
            keep(text);
            if (index === 0 && task.input !== undefined) printed.add(text);
          });
          stream.on("data", (chunk: Buffer) => clean.push(chunk));
          await finished(stream).catch(() => {});
          clean.end();
        }),
      );

      const closing = new AbortController();
      const ended = new Promise<Ending>((resolve) => {
        child.once("exit", (code, by) => resolve({ ...(code === null ? {} : { code }), ...(by === null ? {} : { signal: by }) }));
        // `exit` never comes when the start itself fails: then the result says why.
        child.then(
          (result) =>
            resolve(
              result.exitCode === undefined ? { failure: result.originalMessage ?? "it could not be started" } : { code: result.exitCode },
            ),
          (error: unknown) => resolve({ failure: String(error) }),
        );
      });
      const timeUp = clock.sleep(task.timeout, closing.signal).then(
        () => "timeout" as const,
        () => new Promise<never>(() => {}),
      );
      const aborted = new Promise<"abort">((resolve) => {
        // It may have fired while the log was opened: then no event comes any more.
        if (signal?.aborted === true) resolve("abort");
        signal?.addEventListener("abort", () => resolve("abort"), { once: true, signal: closing.signal });
      });

      const first = await Promise.race([ended, timeUp, aborted]);
      closing.abort();
      // Also after a normal end: what a hostile command leaves behind must not watch us push.
      if (child.pid !== undefined) await endProcessTree({ pid: child.pid, mark, grace, clock });
      settle();
      const drainLimit = new AbortController();
      await Promise.race([drained, clock.sleep(DRAIN, drainLimit.signal).catch(() => {})]);
      drainLimit.abort();
      for (const stream of streams) stream.destroy();
      await drained;
      await log.close();
      if (first === "abort") throw new ReviewloopError("ABORTED", {});

      const ending = first === "timeout" ? undefined : first;
      const exitCode = ending === undefined ? undefined : exitCodeOf(ending);
      if (ending?.failure !== undefined) kept.add(redact(ending.failure));
      return {
        started: ending?.failure === undefined && !(exitCode !== undefined && NOT_STARTED.has(exitCode)),
        ...(exitCode === undefined ? {} : { exitCode }),
        timedOut: first === "timeout",
        output: kept.text(),
        ...(task.input === undefined ? {} : { stdout: printed.text() }),
        took: clock.now() - begun,
        ...(logFile === undefined ? {} : { logFile }),
      };
    },
  };
};

const endOnExitOf = (pid: number | undefined, mark: string): (() => void) => (pid === undefined ? () => {} : endOnExit(pid, mark));
