/** The `Store` port on a file system: journal and lease of a pull request lie together; memory lies with the repository. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryRef } from "../../model.js";
import type { Clock, Store } from "../../ports.js";
import { redactValue, type Redact } from "../../redact.js";
import { pullRequestFolder, repositoryFolder } from "./folder.js";
import { openJournal, peekJournal } from "./journal-file.js";
import { takeLease, thisHost, type HostInformation } from "./lease.js";

export interface FileStoreOptions {
  /** See `defaultStateFolder`. */
  readonly folder: string;
  readonly clock: Clock;
  /** Who we are, for the lease. Default: this process. */
  readonly host?: HostInformation;
  /** Applied to every string before it is written. */
  readonly redact?: Redact;
}

const JOURNAL = "journal.ndjson";
const MEMORY = "memory";

const memoryFile = (state: string, repository: RepositoryRef, key: string): string =>
  join(repositoryFolder(state, repository), MEMORY, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`);

/** Throws `LEASE_HELD` and `JOURNAL_DAMAGED`. Files are readable by their owner only. */
export const fileStore = ({ folder, clock, host = thisHost(), redact }: FileStoreOptions): Store => {
  const clean = <T>(value: T): T => (redact === undefined ? value : redactValue(redact, value));
  return {
    async open(ref) {
      const own = pullRequestFolder(folder, ref);
      await mkdir(own, { recursive: true, mode: 0o700 });
      const lease = await takeLease(own, host, clock.now());
      try {
        const journal = await openJournal(join(own, JOURNAL), ref, clock.now(), () => lease.check());
        let closed: Promise<void> | undefined;
        const giveBack = async (): Promise<void> => {
          try {
            await journal.close();
          } finally {
            await lease.release();
          }
        };
        return {
          entries: journal.entries,
          append: (entry) => journal.append(clean(entry)),
          close() {
            closed ??= giveBack();
            return closed;
          },
        };
      } catch (error) {
        await lease.release();
        throw error;
      }
    },
    async peek(ref) {
      return (await peekJournal(join(pullRequestFolder(folder, ref), JOURNAL))).entries;
    },
    async remember(repository, key, value, at) {
      const file = memoryFile(folder, repository, key);
      await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
      const draft = `${file}.${randomUUID()}`;
      try {
        await writeFile(draft, `${JSON.stringify(clean({ key, value, at }))}\n`, { mode: 0o600 });
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
    },
    async recall(repository, key) {
      try {
        // Memory saves requests and nothing else: what can't be read was never known.
        const found: unknown = JSON.parse(await readFile(memoryFile(folder, repository, key), "utf8"));
        if (typeof found !== "object" || found === null || !("value" in found) || !("at" in found)) return undefined;
        return typeof found.at === "number" ? { value: found.value, at: found.at } : undefined;
      } catch {
        return undefined;
      }
    },
  };
};
