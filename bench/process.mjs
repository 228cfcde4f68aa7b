// Children, and the processor time that they took. Wall time says more about the machine's other work than about ours.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";

/** Runs it to its end and gives its standard output; another exit code than those named is an error with what it wrote. */
export const run = async ([program, ...args], { input, codes = [0], ...options } = {}) => {
  const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  const out = [];
  const error = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => error.push(chunk));
  // Who ends without reading its input breaks the pipe; its exit code says enough.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = await once(child, "close");
  const text = (chunks) => Buffer.concat(chunks).toString("utf8");
  if (!codes.includes(code)) throw new Error(`${[program, ...args].join(" ")} ended with ${code}:\n${text(error)}${text(out)}`);
  return text(out);
};

const STAT = "/proc/self/stat";

/** Processor time of all children that have ended, in milliseconds, in steps of a tick of 10: worth something only summed over many. */
export const childTime = () => {
  if (!existsSync(STAT)) throw new Error(`The benchmarks read processor time from ${STAT}, which this system lacks: run them on Linux.`);
  const fields = readFileSync(STAT, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  // Fields 16 and 17 of proc(5), of which two are cut off.
  return (Number(fields[13]) + Number(fields[14])) * 10;
};

/** Processor time of this process, in milliseconds. */
export const ownTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Milliseconds of processor that an act took here and in the children that it waited for. */
export const timed = async (act) => {
  const before = { own: ownTime(), children: childTime() };
  await act();
  return { own: ownTime() - before.own, children: childTime() - before.children };
};

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
