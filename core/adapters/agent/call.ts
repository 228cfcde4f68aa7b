/** One run of an agent's process: started without a shell, fed, limited, and ended together with everything that it started. */
import { randomUUID } from "node:crypto";
import { finished } from "node:stream/promises";
import { execa } from "execa";
import type { Clock } from "../../ports.js";
import { endOnExit, endProcessTree, MARK } from "../shell/process-tree.js";

export interface Call {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Milliseconds. */
  readonly wall: number;
  /** Bytes of standard output. */
  readonly most: number;
  /** Milliseconds that the processes get to end by themselves. */
  readonly grace: number;
}

export interface Ended {
  readonly how: "exited" | "timeout" | "aborted" | "too-much" | "not-started";
  /** Undefined after a signal. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** The last of what it said on standard error: a log, never an answer. */
  readonly stderr: string;
}

const STDERR_KEPT = 8192;
/** How long a pipe may stay open after everything we know of has ended. */
const DRAIN = 2000;

/** Collects a stream's text up to a limit, and says once when it is passed. */
const collected = (stream: NodeJS.ReadableStream, most: number, passed: () => void): (() => string) => {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    if (size > most) return;
    size += chunk.length;
    if (size > most) passed();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
};

const lastOf = (stream: NodeJS.ReadableStream): (() => string) => {
  let kept: Buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-STDERR_KEPT);
  });
  return () => kept.toString("utf8");
};

const notStarted = (problem: string): Ended => ({ how: "not-started", exitCode: undefined, stdout: "", stderr: problem });

/** Never rejects; how it ended is part of the answer. */
export const runCall = async (call: Call, clock: Clock, signal?: AbortSignal): Promise<Ended> => {
  const [file, ...rest] = call.argv;
  if (file === undefined || file === "") return notStarted("no program is named");
  if (signal?.aborted === true) return { how: "aborted", exitCode: undefined, stdout: "", stderr: "" };
  const mark = randomUUID();
  const child = execa(file, rest, {
    cwd: call.cwd,
    env: { ...call.environment, [MARK]: mark },
    extendEnv: false,
    // Written whole and closed: with the pipe left open some clients wait for more.
    input: call.stdin,
    buffer: false,
    encoding: "buffer",
    reject: false,
    cleanup: false,
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const { pid } = child;
  // `exit` never comes when the start itself fails: then the result says why.
  if (pid === undefined) return notStarted(await child.then((result) => result.originalMessage ?? "it could not be started", String));
  const takeBack = endOnExit(pid, mark);
  let passed = (): void => {};
  const tooMuch = new Promise<"too-much">((resolve) => {
    passed = () => resolve("too-much");
  });
  const stdout = collected(child.stdout, call.most, passed);
  const stderr = lastOf(child.stderr);
  const drained = Promise.all([child.stdout, child.stderr].map((stream) => finished(stream).catch(() => {})));

  const closing = new AbortController();
  let exitCode: number | undefined;
  const left = new Promise<"exited">((resolve) => {
    child.once("exit", (code) => {
      exitCode = code ?? undefined;
      resolve("exited");
    });
  });
  const timeUp = clock.sleep(call.wall, closing.signal).then(
    () => "timeout" as const,
    () => new Promise<never>(() => {}),
  );
  const aborted = new Promise<"aborted">((resolve) => {
    signal?.addEventListener("abort", () => resolve("aborted"), { once: true, signal: closing.signal });
  });
  const how = await Promise.race([left, timeUp, aborted, tooMuch]);
  closing.abort();

  // Also after a good end: what an agent leaves behind would go on working in a folder that is no longer its own.
  await endProcessTree({ pid, mark, grace: call.grace, clock });
  takeBack();
  const drainLimit = new AbortController();
  await Promise.race([drained, clock.sleep(DRAIN, drainLimit.signal).catch(() => {})]);
  drainLimit.abort();
  child.stdout.destroy();
  child.stderr.destroy();
  await drained;
  return { how, exitCode, stdout: stdout(), stderr: stderr() };
};
