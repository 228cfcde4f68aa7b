/**
 * One writer per pull request, without a lock that could outlive its owner.
 *
 * The lease is the file `lease.<n>` with the highest n. To take it means to create the next number, which a file system lets one
 * process do. Nobody renames or removes a lease that may be alive, so a slow starter that judged an old one can't hurt a new
 * one: its number exists, or a higher one does. Giving back marks the file, and the numbers go on.
 */
import { randomUUID } from "node:crypto";
import { link, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { ReviewloopError } from "../../errors.js";
import { startOf } from "../shell/process-tree.js";

/** What tells one process from all others, on this machine and elsewhere. */
export interface HostInformation {
  readonly name: string;
  readonly pid: number;
  /** When the process with this pid started, in the system's words; undefined where there is none. */
  startOf(pid: number): string | undefined;
}

export const thisHost = (): HostInformation => ({ name: hostname(), pid: process.pid, startOf: (pid) => startOf(pid) });

interface LeaseRecord {
  readonly host: string;
  readonly pid: number;
  readonly started: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly released: boolean;
}

export interface Lease {
  /** Throws `LEASE_HELD` if somebody took the lease away. */
  check(): Promise<void>;
  release(): Promise<void>;
}

const NAME = /^lease\.(\d{1,15})$/;
/** A takeover that meets other starters this often lost fairly. */
const TRIES = 20;

const numbersIn = async (folder: string): Promise<readonly number[]> =>
  (await readdir(folder)).flatMap((name) => {
    const found = NAME.exec(name);
    return found === null ? [] : [Number(found[1])];
  });

const highest = async (folder: string): Promise<number> => Math.max(0, ...(await numbersIn(folder)));

const readLease = async (file: string): Promise<LeaseRecord | "gone" | "unreadable"> => {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const record = value as Partial<LeaseRecord>;
    if (typeof record.host !== "string" || typeof record.pid !== "number" || typeof record.started !== "string") return "unreadable";
    return { host: record.host, pid: record.pid, started: record.started, at: record.at ?? 0, released: record.released === true };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : "unreadable";
  }
};

/** Free: given back, or its process on this host is gone (another process with its pid is another process). */
const isFree = (record: LeaseRecord, host: HostInformation): boolean =>
  record.released || (record.host === host.name && host.startOf(record.pid) !== record.started);

const writeWhole = async (file: string, record: LeaseRecord): Promise<void> => {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(record)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const held = (file: string, record: LeaseRecord | "unreadable"): ReviewloopError =>
  new ReviewloopError("LEASE_HELD", {
    holder:
      record === "unreadable"
        ? `its lease ${file} can't be read`
        : `process ${record.pid} on ${record.host} since ${new Date(record.at).toISOString()} (lease ${file})`,
  });

const exists = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EEXIST";

/** Takes the lease of this folder, from a dead holder too; throws `LEASE_HELD`. Of starters at the same moment exactly one wins. */
export const takeLease = async (folder: string, host: HostInformation, now: number): Promise<Lease> => {
  const record: LeaseRecord = { host: host.name, pid: host.pid, started: host.startOf(host.pid) ?? "", at: now, released: false };
  const draft = join(folder, `.lease-${randomUUID()}`);
  await writeWhole(draft, record);
  try {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const newest = await highest(folder);
      if (newest > 0) {
        const file = join(folder, `lease.${newest}`);
        const found = await readLease(file);
        if (found === "gone") continue;
        if (found === "unreadable" || !isFree(found, host)) throw held(file, found);
      }
      const mine = newest + 1;
      const file = join(folder, `lease.${mine}`);
      try {
        // A hard link appears at once with its whole content, and never over another file.
        await link(draft, file);
      } catch (error) {
        if (exists(error)) continue;
        throw error;
      }
      if ((await highest(folder)) !== mine) {
        // Our number was free only because its holder has come and gone; somebody else is further.
        await rm(file, { force: true });
        continue;
      }
      for (const number of await numbersIn(folder)) if (number < mine) await rm(join(folder, `lease.${number}`), { force: true });
      return leaseOf(folder, mine, record);
    }
    throw held(join(folder, `lease.${await highest(folder)}`), "unreadable");
  } finally {
    await rm(draft, { force: true });
  }
};

const leaseOf = (folder: string, mine: number, record: LeaseRecord): Lease => {
  const file = join(folder, `lease.${mine}`);
  return {
    async check() {
      const newest = await highest(folder);
      if (newest === mine) return;
      const other = newest === 0 ? "unreadable" : await readLease(join(folder, `lease.${newest}`));
      throw held(join(folder, `lease.${Math.max(newest, mine)}`), other === "gone" ? "unreadable" : other);
    },
    async release() {
      if ((await highest(folder)) !== mine) return;
      const marked = join(folder, `.lease-${randomUUID()}`);
      await writeWhole(marked, { ...record, released: true });
      await rename(marked, file);
    },
  };
};
