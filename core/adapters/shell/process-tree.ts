/**
 * Ends a command with everything it started. A process group is not enough: a tool may put its children into sessions of their
 * own, and a parent that dies first hides them. So: remember the descendants by pid and start time, ask the group to end,
 * kill who is left, then look for a mark in the environment of every process (Linux).
 */
import { readFileSync, readdirSync } from "node:fs";
import { execaSync } from "execa";
import type { Clock } from "../../ports.js";

/** The environment variable whose value marks all processes of one command. */
export const MARK = "REVIEWLOOP_RUN";

export interface ProcessRecord {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started, in the words of the system; with the pid it names one process for good. */
  readonly started: string;
}

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

const linuxRecord = (pid: number): ProcessRecord | undefined => {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may hold anything, parentheses included: the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), started: fields[19] ?? "" };
};

const listed = (columns: string, only: readonly string[]): readonly string[] => {
  const result = execaSync("ps", [...only, "-o", columns], { reject: false, env: { LC_ALL: "C" }, timeout: 10_000 });
  return result.stdout.split("\n").filter((line) => line.trim() !== "");
};

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/;

const psRecords = (only: readonly string[]): readonly ProcessRecord[] =>
  listed("pid=,ppid=,pgid=,stat=,lstart=", only).flatMap((line) => {
    const found = PS_LINE.exec(line);
    if (found === null || found[4]?.startsWith("Z") === true) return [];
    return [{ pid: Number(found[1]), parent: Number(found[2]), group: Number(found[3]), started: found[5] ?? "" }];
  });

/** Every living process, as far as this account may see them. Windows: none (there `taskkill` knows the tree). */
export const processTable = (platform: NodeJS.Platform = process.platform): readonly ProcessRecord[] => {
  if (platform === "win32") return [];
  if (platform !== "linux") return psRecords(["-A"]);
  return readdirSync("/proc").flatMap((name) => {
    const record = /^\d+$/.test(name) ? linuxRecord(Number(name)) : undefined;
    return record === undefined ? [] : [record];
  });
};

/** When the process with this pid started, or undefined where there is none. Survives neither a reboot nor a reuse of the pid. */
export const startOf = (pid: number, platform: NodeJS.Platform = process.platform): string | undefined => {
  if (platform === "linux") {
    const record = linuxRecord(pid);
    return record === undefined ? undefined : `${readText("/proc/sys/kernel/random/boot_id")?.trim() ?? ""}/${record.started}`;
  }
  if (platform !== "win32") return psRecords(["-p", String(pid)])[0]?.started;
  try {
    process.kill(pid, 0);
    return "running";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "running" : undefined;
  }
};

/** The processes below `pid`, nearest first; `pid` itself is not among them. */
export const descendantsOf = (pid: number, table: readonly ProcessRecord[]): readonly ProcessRecord[] => {
  const found: ProcessRecord[] = [];
  const seen = new Set([pid]);
  for (let parents = new Set([pid]); parents.size > 0;) {
    const children = table.filter((record) => parents.has(record.parent) && !seen.has(record.pid));
    for (const child of children) seen.add(child.pid);
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
};

const isMarked = (pid: number, mark: string): boolean => {
  const environment = readText(`/proc/${pid}/environ`);
  return environment !== undefined && environment.split("\0").includes(`${MARK}=${mark}`);
};

/** Everything that belongs to the command: itself, its descendants, its group, and who carries its mark. */
const family = (pid: number, mark: string | undefined, table: readonly ProcessRecord[]): readonly ProcessRecord[] => {
  const below = new Set(descendantsOf(pid, table).map((record) => record.pid));
  return table.filter(
    (record) =>
      record.pid !== process.pid &&
      record.pid > 1 &&
      (record.pid === pid ||
        record.group === pid ||
        below.has(record.pid) ||
        (mark !== undefined && process.platform === "linux" && isMarked(record.pid, mark))),
  );
};

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or no longer ours to end.
  }
};

export interface EndOptions {
  /** Leader of the command's own process group. */
  readonly pid: number;
  /** Value of the environment variable `REVIEWLOOP_RUN` that the command was started with. */
  readonly mark?: string;
  /** Milliseconds between the polite signal and the other one. */
  readonly grace?: number;
  readonly clock: Clock;
}

const POLL = 25;
/** Each round kills all that the one before has missed; a process that forks faster than this is beyond us. */
const ROUNDS = 20;

/**
 * Ends the whole tree: SIGTERM, grace, SIGKILL, sweep. Resolves when nothing of it is left (or after the last round).
 * Never rejects; a process whose pid was given to another one in the meantime is not touched.
 */
export const endProcessTree = async ({ pid, mark, grace = 5000, clock }: EndOptions): Promise<void> => {
  if (process.platform === "win32") {
    execaSync("taskkill", ["/pid", String(pid), "/T", "/F"], { reject: false, timeout: 10_000 });
    return;
  }
  const known = new Map(family(pid, mark, processTable()).map((record) => [`${record.pid}/${record.started}`, record]));
  // The group's members are named one by one: a group id whose members are gone may belong to somebody else by now.
  for (const record of known.values()) send(record.pid, "SIGTERM");
  const left = (): readonly ProcessRecord[] => {
    const table = processTable();
    for (const record of family(pid, mark, table)) known.set(`${record.pid}/${record.started}`, record);
    return table.filter((record) => known.has(`${record.pid}/${record.started}`));
  };
  for (let waited = 0; waited < grace && left().length > 0; waited += POLL) await clock.sleep(POLL);
  for (let round = 0; round < ROUNDS; round += 1) {
    const survivors = left();
    if (survivors.length === 0) return;
    for (const record of survivors) send(record.pid, "SIGKILL");
    await clock.sleep(POLL);
  }
};

const living = new Map<number, string | undefined>();
let watching = false;

/** Ends every command that still runs, with all that it started, without grace: for a process that is about to die by a signal itself. */
export const endAllNow = (): void => {
  if (process.platform === "win32") return;
  for (const [leader, marked] of living) for (const record of family(leader, marked, processTable())) send(record.pid, "SIGKILL");
};

/** Ends the command at once should this process exit while it runs. Returns the function that takes this back. */
export const endOnExit = (pid: number, mark?: string): (() => void) => {
  living.set(pid, mark);
  if (!watching) {
    watching = true;
    process.once("exit", endAllNow);
  }
  return () => {
    living.delete(pid);
  };
};
