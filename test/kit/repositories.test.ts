/** The two stores of commits, in memory and on bare repositories, give the same answers, down to the ids. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bareRepositories } from "../../sandbox/server/git/bare-repositories.js";
import { memoryRepositories, type Repositories } from "../../sandbox/world/index.js";

const folder = mkdtempSync(join(tmpdir(), "reviewloop-repositories-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const both = (): readonly [memory: Repositories, bare: Repositories] => {
  count += 1;
  return [memoryRepositories(), bareRepositories(join(folder, String(count)))];
};

const AT = Date.UTC(2026, 2, 2, 9);
const NAME = "ada/shop";

/** Tells one story to both; every answer must be equal. */
const tell = <T>(story: (store: Repositories) => T): T => {
  const [memory, bare] = both();
  const [first, second] = [story(memory), story(bare)];
  expect(second).toEqual(first);
  return first;
};

const begin = (store: Repositories) => {
  store.create(NAME, { defaultBranch: "main" });
  const first = store.write(NAME, undefined, { "src/a.ts": "1\n2\n3\n4\n5\n6\n", "src/b.ts": "b\n", "README.md": "no end" }, "First", AT);
  store.move(NAME, "main", undefined, first);
  const left = store.write(NAME, first, { "src/a.ts": "1\nzwei\n3\n4\n5\n6\n", "ü/x y.txt": "new\n" }, "Left\n\nWhy.", AT + 1500, {
    name: "Ada L.",
    email: "ada@example.invalid",
  });
  const right = store.write(NAME, first, { "src/b.ts": null, "src/c.ts": "c\n" }, "Right\n", AT + 60_000);
  return { first, left, right };
};

describe("memory and git agree on", () => {
  test("ids, trees, parents, messages, authors, times", () => {
    const facts = tell((store) => Object.values(begin(store)).map((sha) => store.commit(NAME, sha)));
    expect(facts[1]).toMatchObject({ author: { name: "Ada L.", email: "ada@example.invalid" }, committedAt: AT + 1000 });
  });

  test("files and what changed", () => {
    const facts = tell((store) => {
      const { first, left, right } = begin(store);
      const moved = store.write(NAME, right, { "src/c.ts": null, "lib/c.ts": "c\n" }, "Move", AT);
      return {
        files: [
          store.fileAt(NAME, left, "src/a.ts"),
          store.fileAt(NAME, left, "ü/x y.txt"),
          store.fileAt(NAME, left, "none"),
          store.fileAt(NAME, first, "README.md"),
        ],
        changes: [
          store.changedFiles(NAME, first, left),
          store.changedFiles(NAME, left, right),
          store.changedFiles(NAME, right, moved),
          store.changedFiles(NAME, first, first),
        ],
      };
    });
    expect(facts.changes[2]).toEqual([{ path: "lib/c.ts", was: "src/c.ts", status: "renamed" }]);
  });

  test("ancestors, merges and conflicts", () => {
    const facts = tell((store) => {
      const { first, left, right } = begin(store);
      const other = store.write(NAME, first, { "src/a.ts": "1\ntwo\n3\n4\n5\n6\n" }, "Other", AT);
      const merge = store.merge(NAME, left, right, "Merge", AT + 90_000);
      const after = store.write(NAME, merge, { z: "z\n" }, "After", AT + 120_000);
      return {
        bases: [store.mergeBase(NAME, left, right), store.mergeBase(NAME, right, after), store.mergeBase(NAME, other, after)],
        between: [
          new Set(store.commitsBetween(NAME, first, after)),
          store.commitsBetween(NAME, after, first),
          new Set(store.commitsBetween(NAME, right, merge)),
        ],
        conflicts: [store.conflicts(NAME, left, right), store.conflicts(NAME, left, other), store.conflicts(NAME, first, after)],
        merge: store.commit(NAME, merge),
        ids: { first, left, right },
      };
    });
    expect(facts.bases).toEqual([facts.ids.first, facts.ids.right, facts.ids.first]);
    expect(facts.conflicts).toEqual([[], ["src/a.ts"], []]);
    expect(facts.between[0]).toHaveProperty("size", 4);
  });

  test("branches, moved by compare-and-swap only", () => {
    const facts = tell((store) => {
      const { first, left, right } = begin(store);
      const moves = [
        store.move(NAME, "topic", undefined, left),
        store.move(NAME, "topic", undefined, right),
        store.move(NAME, "topic", first, right),
        store.move(NAME, "topic", left, right),
        store.move(NAME, "main", right, undefined),
        store.move(NAME, "main", first, undefined),
        store.move(NAME, "main", first, first),
      ];
      return { moves, branches: store.branches(NAME), heads: [store.head(NAME, "topic") === right, store.head(NAME, "main")] };
    });
    expect(facts).toEqual({ moves: [true, false, false, true, false, true, false], branches: ["topic"], heads: [true, undefined] });
  });

  test("forks: branches of their own, commits in common", () => {
    const facts = tell((store) => {
      const { left } = begin(store);
      store.create("eve/shop", { forkOf: NAME });
      const main = store.head("eve/shop", "main");
      const mine = store.write("eve/shop", main, { mine: "m\n" }, "Mine", AT);
      store.move("eve/shop", "mine", undefined, mine);
      return {
        branches: [store.branches(NAME), store.branches("eve/shop")],
        seen: [store.commit(NAME, mine)?.message.trim(), store.fileAt("eve/shop", left, "src/b.ts"), store.conflicts(NAME, left, mine)],
        unknown: store.commit(NAME, "0".repeat(40)),
      };
    });
    expect(facts.seen).toEqual(["Mine", "b\n", []]);
  });
});
