import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseCommit } from "../../core/adapters/git/sync.js";
import { messageOf, parsePerson } from "../../core/adapters/git/commit.js";
import { world, type World } from "./git-support.js";

let at: World;
afterEach(() => at?.remove());

const log = (head: string, format: string): string[] =>
  at.git(join(at.state, "github.example/acme/app/7/worktree"), "log", "--reverse", `--format=${format}`, head).split("\n");

describe("a draft commit", () => {
  it("holds exactly the tree, on its parent, in the user's name, and moves the worktree's head", async () => {
    at = world();
    at.git(at.user, "config", "user.email", "work@example.invalid");
    const git = await at.open();
    const parent = await git.head();
    await git.edit("a.txt", "fixed\n");
    const tree = await git.tree();
    await git.edit("left-over.txt", "made by a gate\n");
    const commit = await git.commit(tree, parent, { subject: "fix: the\nthing", body: "why\r\nand how\n\n" });
    expect(at.git(git.root, "log", "-1", "--format=%T|%P|%an|%ae|%cn|%ce|%ct|%B", commit)).toBe(
      `${tree}|${parent}|Author|work@example.invalid|Author|work@example.invalid|1750000000|fix: the thing\n\nwhy\nand how\n`,
    );
    expect(await git.head()).toBe(commit);
    expect(at.git(git.root, "rev-parse", "HEAD")).toBe(commit);
    // An agent's git sees what is true: only the leftover is not committed.
    expect(at.git(git.root, "status", "--porcelain")).toBe("?? left-over.txt");
    expect(at.git(at.user, "branch", "--all", "--contains", commit)).toBe("");
  });

  it("is refused where git knows no name for it", async () => {
    at = world();
    const git = at.worktree({ environment: { ...at.environment, HOME: join(at.folder, "nobody"), EMAIL: "guess@example.invalid" } });
    await git.open(at.pullRequest(), false);
    const made = git.commit(await git.tree(), await git.head(), { subject: "x" });
    await expect(made).rejects.toMatchObject({ code: "GIT_FAILED", hint: expect.stringContaining("user.email") as string });
  });

  it("has a message of a subject, an empty line and a body", () => {
    expect(messageOf({ subject: " a\nb\0 " })).toBe("a b\n");
    expect(messageOf({ subject: "a", body: "\n\n" })).toBe("a\n");
    expect(parsePerson("A. B (C) <a@example.invalid> 12 +0200")).toEqual({
      name: "A. B (C)",
      email: "a@example.invalid",
      date: "12 +0200",
    });
    expect(parsePerson("nobody")).toBeUndefined();
    expect(parseCommit(Buffer.from("tree x\n"))).toBeUndefined();
  });
});

describe.each(["merge", "rebase"] as const)("%s of the base", (policy) => {
  it("gives a head that has both, and the worktree is that head", async () => {
    at = world();
    const base = at.publishBase({ "base.txt": "from the base\n" });
    const git = await at.open();
    const before = await git.head();
    const synced = await git.sync(policy, base);
    expect(synced).toEqual({ policy, base, head: await git.head() });
    expect(synced.head).not.toBe(before);
    expect(await git.read("base.txt")).toBe("from the base\n");
    expect(await git.read("feature.txt")).toBe("new\n");
    expect(await git.tree()).toBe(await git.treeOf(synced.head));
    expect(log(synced.head, "%P %s").at(-1)).toBe(
      policy === "merge" ? `${before} ${base} Merge branch 'main' into feature` : `${base} feature`,
    );
    // Local only.
    expect(await git.remoteHead()).toBe(before);
  });

  it("names the conflicts and changes nothing", async () => {
    at = world();
    at.publish({ "a.txt": "feature's\n", "dir/b.txt": "feature's\n", "fine.txt": "f" });
    const base = at.publishBase({ "a.txt": "base's\n", "dir/b.txt": null });
    const git = await at.open();
    const head = await git.head();
    const status = (): string => at.git(git.root, "status", "--porcelain", "--branch");
    const before = status();
    expect(await git.sync(policy, base)).toEqual({ policy, base, head, conflicts: ["a.txt", "dir/b.txt"] });
    expect(await git.head()).toBe(head);
    expect(await git.tree()).toBe(await git.treeOf(head));
    expect(status()).toBe(before);
    expect(existsSync(join(at.user, ".git/worktrees/worktree/MERGE_HEAD"))).toBe(false);
  });

  it("does nothing where the head has the base already, and fetches a base that moved on meanwhile", async () => {
    at = world();
    const git = await at.open();
    const head = await git.head();
    expect((await git.sync(policy, at.pullRequest().base.sha)).head).toBe(head);
    const later = at.publishBase({ "later.txt": "l" });
    expect((await git.sync(policy, later)).head).not.toBe(head);
    await expect(git.sync(policy, "2".repeat(40))).rejects.toMatchObject({ code: "GIT_FAILED" });
  });

  it("merges as the attributes say", async () => {
    at = world({ ".gitattributes": "CHANGES merge=union\n", CHANGES: "first\n" });
    at.publish({ CHANGES: "first\nfeature\n" });
    const base = at.publishBase({ CHANGES: "first\nbase\n" });
    const git = await at.open();
    expect((await git.sync(policy, base)).conflicts).toBeUndefined();
    expect((await git.read("CHANGES"))?.split("\n").sort()).toEqual(["", "base", "feature", "first"]);
  });
});

describe("rebase", () => {
  it("replays what only the head has: authors and messages stay, merges and known changes go", async () => {
    at = world();
    const env = { name: "Somebody Else", email: "else@example.invalid" };
    at.git(at.author, "checkout", "--quiet", "feature");
    at.write(at.author, { "two.txt": "2\n" });
    at.git(at.author, "add", "--all");
    at.git(
      at.author,
      "-c",
      `user.name=${env.name}`,
      "-c",
      `user.email=${env.email}`,
      "commit",
      "--quiet",
      "-m",
      "two\n\nbody ü",
      "--date",
      "2020-01-02T03:04:05+02:00",
    );
    at.git(at.author, "push", "--quiet", "origin", "feature");
    at.publishBase({ "base.txt": "b\n" });
    at.git(at.author, "checkout", "--quiet", "feature");
    at.git(at.author, "merge", "--quiet", "--no-edit", "main");
    at.publish({ "same.txt": "same\n" }, "same change");
    at.publish({}, "empty on purpose");
    at.publishBase({ "same.txt": "same\n" }, "same change, on the base");
    const base = at.publishBase({ "same.txt": "same, and more\n" }, "further");
    const git = await at.open();
    const { head } = await git.sync("rebase", base);
    expect(log(head, "%s").slice(-4)).toEqual(["further", "feature", "two", "empty on purpose"]);
    expect(at.git(git.root, "log", "-1", "--format=%an|%ae|%aI|%cn|%B", `${head}^`)).toBe(
      "Somebody Else|else@example.invalid|2020-01-02T03:04:05+02:00|Author|two\n\nbody ü\n",
    );
    expect(await git.read("two.txt")).toBe("2\n");
    expect(readFileSync(join(git.root, "same.txt"), "utf8")).toBe("same, and more\n");
  });
});
