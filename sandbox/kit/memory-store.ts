/** The port `store` in memory, with what a disk does: a crash keeps what was appended, a loss takes it all, a lease outlives its holder until it is broken. */
import {
  ReviewloopError,
  type Entry,
  type Instant,
  type Journal,
  type PullRequestRef,
  type RepositoryRef,
  type Store,
} from "../../core/index.js";

export interface MemoryStore extends Store {
  /** The process that holds a lease dies: its journal refuses further entries, the lease is free, what was appended stays. */
  crash(): void;
  /** The disk is gone: no journal, no memory of repositories. */
  lose(): void;
  /** What stands on disk. */
  entries(ref: PullRequestRef): readonly Entry[];
  /** Called before each entry is on disk; a throw makes the append fail (a full disk, a crash point). */
  onAppend: ((entry: Entry, ref: PullRequestRef) => void | Promise<void>) | undefined;
}

const keyOf = (ref: RepositoryRef, number = 0): string => `${ref.host}/${ref.owner}/${ref.name}/${number}`.toLowerCase();

export const memoryStore = (): MemoryStore => {
  let journals = new Map<string, Entry[]>();
  let leases = new Map<string, { alive: boolean }>();
  let memory = new Map<string, { readonly value: unknown; readonly at: Instant }>();

  /** What was written is what is read back: JSON, and nothing the writer still holds. */
  const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

  const store: MemoryStore = {
    onAppend: undefined,
    async open(ref): Promise<Journal> {
      const key = keyOf(ref, ref.number);
      if (leases.get(key)?.alive === true) throw new ReviewloopError("LEASE_HELD", { holder: "another run in this process" });
      const lease = { alive: true };
      leases.set(key, lease);
      const disk = journals.get(key) ?? [];
      journals.set(key, disk);
      return {
        get entries() {
          return disk;
        },
        async append(entry) {
          if (!lease.alive) throw new Error("This journal is closed: its holder crashed or gave the lease back.");
          await store.onAppend?.(entry, ref);
          if (!lease.alive) throw new Error("This journal is closed: its holder crashed or gave the lease back.");
          disk.push(copy(entry));
        },
        async close() {
          lease.alive = false;
          if (leases.get(key) === lease) leases.delete(key);
        },
      };
    },
    async peek(ref) {
      return copy(journals.get(keyOf(ref, ref.number)) ?? []);
    },
    async remember(repository, key, value, at) {
      memory.set(`${keyOf(repository)} ${key}`, { value: copy(value), at });
    },
    async recall(repository, key) {
      const found = memory.get(`${keyOf(repository)} ${key}`);
      return found === undefined ? undefined : copy(found);
    },
    crash() {
      for (const lease of leases.values()) lease.alive = false;
      leases = new Map();
    },
    lose() {
      store.crash();
      journals = new Map();
      memory = new Map();
    },
    entries: (ref) => copy(journals.get(keyOf(ref, ref.number)) ?? []),
  };
  return store;
};
