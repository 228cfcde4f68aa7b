import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Entry, PullRequestRef } from "../../core/model.js";
import type { Clock, Journal, Store } from "../../core/ports.js";
import { redactor } from "../../core/redact.js";
import { defaultStateFolder, pullRequestFolder } from "../../core/adapters/store/folder.js";
import { thisHost, type HostInformation } from "../../core/adapters/store/lease.js";
import { fileStore, type FileStoreOptions } from "../../core/adapters/store/store.js";

const ref: PullRequestRef = { host: "github.example", owner: "Acme", name: "app", number: 7 };
const clock: Clock = { now: () => 1000, sleep: async () => {} };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reviewloop-store-"));
});
/** Journals of processes that died: nobody closes them while the test goes on. */
const left: Journal[] = [];
afterEach(async () => {
  for (const journal of left.splice(0)) await journal.close().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
});

/** Processes of an invented machine: pid -> start. */
const machine =
  (alive: Record<number, string>, name = "here") =>
  (pid: number): HostInformation => ({ name, pid, startOf: (asked) => alive[asked] });
const storeOf = (options: Partial<FileStoreOptions> = {}): Store => fileStore({ folder, clock, ...options });
const own = (): string => join(folder, "github.example/acme/app/7");
const file = (): string => join(own(), "journal.ndjson");
const entry = (number: number): Entry => ({ at: number, type: "iteration", number, head: "a".repeat(40) });

describe("the journal", () => {
  it("gives back what was appended, in order, to the next one who opens it", async () => {
    const journal = await storeOf().open(ref);
    await Promise.all([1, 2, 3].map((number) => journal.append(entry(number))));
    expect(journal.entries).toEqual([1, 2, 3].map(entry));
    await journal.close();
    const again = await storeOf().open({ ...ref, owner: "aCME", host: "GitHub.example" });
    expect(again.entries).toEqual([1, 2, 3].map(entry));
    await again.append(entry(4));
    expect(await storeOf().peek(ref)).toEqual([1, 2, 3, 4].map(entry));
    await again.close();
  });

  it("is a header and one JSON document a line, for its owner's eyes only", async () => {
    const journal = await storeOf().open(ref);
    left.push(journal);
    await journal.append(entry(1));
    const lines = readFileSync(file(), "utf8").split("\n");
    expect(lines.map((line) => (line === "" ? "" : (JSON.parse(line) as { type: string }).type))).toEqual(["journal", "iteration", ""]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ version: 1, pullRequest: ref });
    expect(statSync(file()).mode & 0o077).toBe(0);
    expect(statSync(own()).mode & 0o077).toBe(0);
  });

  it("survives being cut anywhere: what is left is a beginning of it, and appending goes on", async () => {
    const journal = await storeOf().open(ref);
    for (const number of [1, 2, 3]) await journal.append({ at: number, type: "note", plugin: "ü", key: "\n", value: number });
    await journal.close();
    const bytes = readFileSync(file());
    const all = await storeOf().peek(ref);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.constantFrom("", "x".repeat(500), "\0\0\0\0", "\0\0\0\n", "{\n"), async (at, garbage) => {
        // Whole lines before the cut are all that counts; garbage after a whole line is a torn write too.
        const cut = bytes.subarray(0, at);
        const whole = cut.toString("latin1").split("\n").length - 1;
        writeFileSync(file(), Buffer.concat([cut, Buffer.from(garbage)]));
        const kept = all.slice(0, Math.max(0, whole - 1));
        expect(await storeOf().peek(ref)).toEqual(kept);
        const opened = await storeOf().open(ref);
        expect(opened.entries).toEqual(kept);
        await opened.append(entry(9));
        await opened.close();
        expect(await storeOf().peek(ref)).toEqual([...kept, entry(9)]);
        expect(readFileSync(file(), "utf8").endsWith(`${JSON.stringify(entry(9))}\n`)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps what it does not know", async () => {
    mkdirSync(own(), { recursive: true });
    const lines = [
      '{"type":"journal","version":1,"more":true}',
      '{"at":1,"type":"from-the-future","x":[1]}',
      '{"at":2,"type":"head","head":"b","unknown":{"y":1}}',
    ];
    writeFileSync(file(), `${lines.join("\n")}\n`);
    const journal = await storeOf().open(ref);
    expect(journal.entries).toEqual(lines.slice(1).map((line) => JSON.parse(line) as unknown));
    await journal.append(entry(3));
    await journal.close();
    expect(readFileSync(file(), "utf8").startsWith(lines.join("\n"))).toBe(true);
  });

  it.each([
    ["line 2", ['{"type":"journal","version":1}', "{torn", '{"at":1,"type":"head","head":"a"}']],
    ["line 3", ['{"type":"journal","version":1}', '{"at":1,"type":"head","head":"a"}', "[1]", '{"at":1,"type":"head","head":"a"}']],
    ["line 2", ['{"type":"journal","version":1}', '{"type":"head"}', '{"at":1,"type":"head","head":"a"}']],
    ["line 1", ['{"at":1,"type":"head","head":"a"}', '{"at":1,"type":"head","head":"a"}']],
    ["version 2", ['{"type":"journal","version":2}', '{"at":1,"type":"head","head":"a"}']],
  ])("that is damaged says where: %s", async (where, lines) => {
    mkdirSync(own(), { recursive: true });
    writeFileSync(file(), `${lines.join("\n")}\n`);
    for (const act of [() => storeOf().open(ref), () => storeOf().peek(ref)])
      await expect(act()).rejects.toMatchObject({ code: "JOURNAL_DAMAGED", message: expect.stringContaining(where) as string });
    expect(readFileSync(file(), "utf8")).toBe(`${lines.join("\n")}\n`);
    // The failed opening holds no lease.
    rmSync(file());
    await (await storeOf().open(ref)).close();
  });

  it("of a newer version says that this program is too old, and is not to be thrown away", async () => {
    mkdirSync(own(), { recursive: true });
    writeFileSync(file(), '{"type":"journal","version":2}\n');
    for (const act of [() => storeOf().open(ref), () => storeOf().peek(ref)])
      await expect(act()).rejects.toMatchObject({ code: "JOURNAL_DAMAGED", hint: expect.stringMatching(/^A newer reviewloop/) as string });
    expect(readFileSync(file(), "utf8")).toBe('{"type":"journal","version":2}\n');
  });

  it("never holds a secret", async () => {
    const store = storeOf({ redact: redactor(["test-token"]) });
    const journal = await store.open(ref);
    left.push(journal);
    await journal.append({ at: 1, type: "note", plugin: "p", key: "k", value: { deep: ["test-token"] } });
    await store.remember(ref, "key", "test-token", 1);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, name);
      if (statSync(path).isFile()) expect(readFileSync(path, "utf8"), path).not.toContain("test-token");
    }
  });

  it("is not followed out of the state folder by a strange name", () => {
    for (const name of ["..", ".", "", "a/b", "../../x", "a\\b", "a:b", "ü"]) {
      const path = pullRequestFolder("/state", { host: name, owner: name, name, number: 1 });
      expect(path.split("/"), name).toHaveLength(6);
      expect(path, name).toMatch(/^\/state\/(?:[a-z0-9._%-]+\/){3}1$/);
      expect(
        path.split("/").some((part) => /^\.*$/.test(part) && part !== ""),
        name,
      ).toBe(false);
    }
  });
});

describe("the lease", () => {
  it("lets one work, and names who it is", async () => {
    const host = machine({ 10: "s10", 20: "s20" });
    const journal = await storeOf({ host: host(10) }).open(ref);
    await expect(storeOf({ host: host(20) }).open(ref)).rejects.toMatchObject({
      code: "LEASE_HELD",
      stop: "refused",
      message: expect.stringContaining("process 10 on here") as string,
    });
    await expect(storeOf({ host: host(10) }).open(ref)).rejects.toMatchObject({ code: "LEASE_HELD" });
    // Another pull request, and reading, are free.
    await (await storeOf({ host: host(20) }).open({ ...ref, number: 8 })).close();
    expect(await storeOf({ host: host(20) }).peek(ref)).toEqual([]);
    await journal.close();
    await journal.close();
    await (await storeOf({ host: host(20) }).open(ref)).close();
  });

  it.each([
    ["is gone", { 20: "s20" }, true],
    ["is another one with the same pid", { 10: "later", 20: "s20" }, true],
    ["lives", { 10: "s10", 20: "s20" }, false],
  ])("whose process %s", async (_what, alive, free) => {
    left.push(await storeOf({ host: machine({ 10: "s10" })(10) }).open(ref));
    const taken = storeOf({ host: machine(alive)(20) }).open(ref);
    if (free) left.push(await taken);
    else await expect(taken).rejects.toMatchObject({ code: "LEASE_HELD" });
  });

  it("of another machine is never judged", async () => {
    left.push(await storeOf({ host: machine({ 10: "s10" }, "there")(10) }).open(ref));
    await expect(storeOf({ host: machine({ 20: "s20" })(20) }).open(ref)).rejects.toMatchObject({
      code: "LEASE_HELD",
      message: expect.stringContaining("on there") as string,
    });
  });

  it("that can't be read is not taken", async () => {
    mkdirSync(own(), { recursive: true });
    writeFileSync(join(own(), "lease.3"), "{");
    await expect(storeOf().open(ref)).rejects.toMatchObject({ code: "LEASE_HELD", message: expect.stringContaining("lease.3") as string });
  });

  it("goes to exactly one of many starters, be it new, given back or left by a dead one", async () => {
    const alive: Record<number, string> = {};
    for (let pid = 100; pid < 140; pid += 1) alive[pid] = `s${pid}`;
    const host = machine(alive);
    left.push(await storeOf({ host: machine({ 1: "s1" })(1) }).open(ref));
    for (let round = 0; round < 5; round += 1) {
      const started = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => storeOf({ host: host(100 + round * 8 + index) }).open(ref)),
      );
      const won = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(won).toHaveLength(1);
      left.push(...won);
      expect(
        started.filter((result) => result.status === "rejected" && (result.reason as { code?: string }).code === "LEASE_HELD"),
      ).toHaveLength(7);
      if (round % 2 === 0) await won[0]?.close();
      else for (let pid = 100; pid < 108 + round * 8; pid += 1) delete alive[pid];
    }
    expect(readdirSync(own()).filter((name) => name.startsWith(".lease"))).toEqual([]);
  });

  it("that was taken away stops the writer", async () => {
    const alive: Record<number, string> = { 10: "s10", 20: "s20" };
    const journal = await storeOf({ host: machine(alive)(10) }).open(ref);
    delete alive[10];
    const other = await storeOf({ host: machine(alive)(20) }).open(ref);
    await expect(journal.append(entry(1))).rejects.toMatchObject({ code: "LEASE_HELD" });
    left.push(other);
    await other.append(entry(2));
    await journal.close();
    expect(await storeOf().peek(ref)).toEqual([entry(2)]);
    await expect(storeOf({ host: machine({ 20: "s20", 30: "s30" })(30) }).open(ref)).rejects.toMatchObject({ code: "LEASE_HELD" });
  });

  it("knows this process", () => {
    const host = thisHost();
    expect(host.startOf(process.pid)).toBe(host.startOf(process.pid));
    expect(host.startOf(process.pid)).toMatch(/\S/);
    expect(host.startOf(process.ppid)).not.toBe(undefined);
    expect(host.startOf(2 ** 22 + 5)).toBeUndefined();
  });
});

describe("memory", () => {
  it("is of the repository, for all its pull requests", async () => {
    const store = storeOf();
    expect(await store.recall(ref, "reviewers")).toBeUndefined();
    await store.remember(ref, "reviewers", ["a"], 5);
    await store.remember({ ...ref, owner: "ACME" }, "reviewers", ["a", "b"], 6);
    await store.remember(ref, "../other", null, 7);
    expect(await storeOf().recall(ref, "reviewers")).toEqual({ value: ["a", "b"], at: 6 });
    expect(await storeOf().recall(ref, "../other")).toEqual({ value: null, at: 7 });
    expect(await storeOf().recall({ ...ref, name: "else" }, "reviewers")).toBeUndefined();
    const [name = ""] = readdirSync(join(folder, "github.example/acme/app/memory"));
    writeFileSync(join(folder, "github.example/acme/app/memory", name), "{");
    expect([await store.recall(ref, "reviewers"), await store.recall(ref, "../other")]).toContain(undefined);
  });
});

it.each([
  [{ XDG_STATE_HOME: "/x", HOME: "/h" }, "linux", "/x/reviewloop"],
  [{ XDG_STATE_HOME: "relative", HOME: "/h" }, "linux", "/h/.local/state/reviewloop"],
  [{ HOME: "/h" }, "darwin", "/h/.local/state/reviewloop"],
  [{ LOCALAPPDATA: "/l", HOME: "/h" }, "win32", "/l/reviewloop"],
] as const)("%j on %s keeps its state in %s", (environment, platform, expected) => {
  expect(defaultStateFolder(environment, platform)).toBe(expected);
});

it("a journal that is a link to nowhere is an error, not an empty journal", async () => {
  mkdirSync(own(), { recursive: true });
  symlinkSync(own(), file());
  await expect(storeOf().open(ref)).rejects.toThrow();
  expect(existsSync(own())).toBe(true);
});
