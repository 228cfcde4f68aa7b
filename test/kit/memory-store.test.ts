import { describe, expect, test } from "vitest";
import { ReviewloopError, type Entry } from "../../index.js";
import { memoryStore } from "../../sandbox/kit/index.js";

const REF = { host: "github.com", owner: "ada", name: "shop", number: 7 } as const;
const entry = (at: number): Entry => ({ at, type: "active", took: 1 });

describe("memory store", () => {
  test("keeps what was appended, as JSON, over a crash", async () => {
    const store = memoryStore();
    const first = await store.open(REF);
    const given = { at: 1, type: "note", plugin: "p", key: "k", value: { deep: 1 } } as const;
    await first.append(given);
    given.value.deep satisfies number;
    (given.value as { deep: number }).deep = 2;
    store.crash();
    await expect(first.append(entry(2))).rejects.toThrow("closed");
    const second = await store.open(REF);
    expect(second.entries).toEqual([{ at: 1, type: "note", plugin: "p", key: "k", value: { deep: 1 } }]);
  });

  test("has one lease for each pull request", async () => {
    const store = memoryStore();
    const journal = await store.open(REF);
    const thrown = await store.open(REF).catch((error: unknown) => error);
    expect(ReviewloopError.is(thrown) && thrown.code).toBe("LEASE_HELD");
    await store.open({ ...REF, number: 8 });
    expect(await store.peek(REF)).toEqual([]);
    await journal.close();
    await expect(journal.append(entry(1))).rejects.toThrow("closed");
    await store.open(REF);
  });

  test("an append that fails leaves nothing behind", async () => {
    const store = memoryStore();
    const journal = await store.open(REF);
    store.onAppend = (each) => {
      if (each.at === 2) throw new Error("disk full");
    };
    await journal.append(entry(1));
    await expect(journal.append(entry(2))).rejects.toThrow("disk full");
    expect(store.entries(REF)).toEqual([entry(1)]);
  });

  test("remembers per repository, and forgets all when it is lost", async () => {
    const store = memoryStore();
    const journal = await store.open(REF);
    await journal.append(entry(1));
    await store.remember(REF, "reviewers", ["acme"], 5);
    expect(await store.recall(REF, "reviewers")).toEqual({ value: ["acme"], at: 5 });
    store.lose();
    expect([await store.recall(REF, "reviewers"), await store.peek(REF)]).toEqual([undefined, []]);
    expect((await store.open(REF)).entries).toEqual([]);
  });
});
