/** The two stores of commits are one: same ids, same answers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryRepositories, type Repositories } from "../../sandbox/index.js";
import { bareRepositories } from "../../sandbox/server/git/bare-repositories.js";

let folder: string;
let stores: readonly [Repositories, Repositories];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbox-stores-"));
  stores = [memoryRepositories(), bareRepositories(folder)];
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const AT = Date.UTC(2026, 0, 5, 12);
const LINES = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");

/** One history, told as all that a store can say about it. */
const story = (git: Repositories): unknown => {
  git.create("ada/shop");
  const first = git.write("ada/shop", undefined, { "a.txt": `${LINES}\n`, "deep/er/b.txt": "b\n", 'odd "name" ü.txt': "x" }, "First", AT);
  git.move("ada/shop", "main", undefined, first);
  const left = git.write("ada/shop", first, { "a.txt": `${LINES}\nmore\n`, "deep/er/b.txt": null }, "Left\n\nBody", AT + 1000, {
    name: "ada",
    email: "ada@example.invalid",
  });
  const right = git.write("ada/shop", first, { "c.txt": "c\n" }, "Right", AT + 2000);
  const clash = git.write("ada/shop", first, { "a.txt": "all other\n" }, "Clash", AT + 3000);
  const renamed = git.write("ada/shop", first, { "deep/er/b.txt": null, "moved.txt": "b\n" }, "Rename", AT + 4000);
  const merged = git.merge("ada/shop", left, right, "Merge", AT + 5000);
  const moves = [
    git.move("ada/shop", "topic", undefined, left),
    git.move("ada/shop", "topic", undefined, right),
    git.move("ada/shop", "topic", first, right),
    git.move("ada/shop", "topic", left, merged),
    git.move("ada/shop", "gone", undefined, left),
    git.move("ada/shop", "gone", left, undefined),
  ];
  git.create("fred/shop", { forkOf: "ada/shop" });
  const forked = git.write("fred/shop", git.head("fred/shop", "topic"), { "f.txt": "f\n" }, "Fork", AT + 6000);
  git.move("fred/shop", "fix", undefined, forked);
  return {
    shas: [first, left, right, clash, renamed, merged, forked],
    moves,
    branches: [git.branches("ada/shop"), git.branches("fred/shop")],
    commits: [first, left, merged, "0".repeat(40), "main"].map((sha) => git.commit("ada/shop", sha)),
    acrossNetwork: git.commit("ada/shop", forked)?.message,
    trees: [git.treeOf("ada/shop", merged), git.treeOf("ada/shop", first)],
    files: [
      git.fileAt("ada/shop", left, "a.txt"),
      git.fileAt("ada/shop", left, "deep/er/b.txt"),
      git.fileAt("ada/shop", first, 'odd "name" ü.txt'),
      git.fileAt("ada/shop", first, "none"),
    ],
    changed: [
      git.changedFiles("ada/shop", first, left),
      git.changedFiles("ada/shop", first, renamed),
      git.changedFiles("ada/shop", left, left),
    ],
    bases: [git.mergeBase("ada/shop", left, right), git.mergeBase("ada/shop", merged, right), git.mergeBase("ada/shop", first, first)],
    between: [git.commitsBetween("ada/shop", first, merged).toSorted(), git.commitsBetween("ada/shop", merged, first)],
    conflicts: [git.conflicts("ada/shop", left, right), git.conflicts("ada/shop", left, clash)],
    heads: [git.head("ada/shop", "topic"), git.head("ada/shop", "gone"), git.head("fred/shop", "fix")],
  };
};

test("a history told by git is the one told in memory", () => {
  const [memory, bare] = stores;
  const told = story(bare);
  expect(told).toEqual(story(memory));
  expect(told).toMatchObject({ moves: [true, false, false, true, true, true], conflicts: [[], ["a.txt"]] });
});

test("a commit without a parent has none, whatever was made before", () => {
  for (const git of stores) {
    const root = git.write("ada/shop", undefined, { "only.txt": "only\n" }, "Root", AT);
    expect(git.commit("ada/shop", root)?.parents).toEqual([]);
    expect(git.fileAt("ada/shop", root, "a.txt")).toBeUndefined();
  }
});

test("neither merges what conflicts, nor makes a repository twice", () => {
  for (const git of stores) {
    const first = git.head("ada/shop", "main") ?? "";
    const one = git.write("ada/shop", first, { "a.txt": "1\n" }, "1", AT);
    const two = git.write("ada/shop", first, { "a.txt": "2\n" }, "2", AT);
    expect(() => git.merge("ada/shop", one, two, "No", AT)).toThrow();
    expect(() => git.create("ada/shop")).toThrow();
  }
});

test("a program stays one when its text changes", () => {
  const [, bare] = stores;
  const where = join(folder, "ada/shop.git");
  const made =
    "commit refs/heads/tool\nmark :1\ncommitter A <a@example.invalid> 1 +0000\ndata 1\nx\nM 100755 inline run.sh\ndata 3\none\nget-mark :1\n";
  const first = execFileSync("git", ["--git-dir", where, "fast-import", "--quiet"], { input: made }).toString().trim();
  const second = bare.write("ada/shop", first, { "run.sh": "two", "plain.txt": "x" }, "Text", AT);
  const modes = execFileSync("git", ["--git-dir", where, "ls-tree", "--format=%(objectmode) %(path)", second])
    .toString()
    .trim()
    .split("\n");
  expect(modes).toEqual(["100644 plain.txt", "100755 run.sh"]);
  expect(bare.fileAt("ada/shop", second, "run.sh")).toBe("two");
});
