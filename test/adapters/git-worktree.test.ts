import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Shell } from "../../core/ports.js";
import { hooksOf } from "../../core/adapters/git/hooks.js";
import { fingerprint, noShell, trap, world, type World } from "./git-support.js";

let at: World;
afterEach(() => at.remove());

/** The tree that git itself makes of a folder with these files: all but the ignored ones. */
const gitsOwnTree = (root: string): string => {
  const environment = {
    ...at.environment,
    GIT_DIR: execFileSync("git", ["-C", root, "rev-parse", "--absolute-git-dir"], { env: at.environment, encoding: "utf8" }).trim(),
  };
  const index = join(at.folder, "check.index");
  rmSync(index, { force: true });
  const env = { ...environment, GIT_WORK_TREE: root, GIT_INDEX_FILE: index };
  execFileSync("git", ["read-tree", "HEAD"], { env, cwd: root });
  execFileSync("git", ["add", "--all"], { env, cwd: root, stdio: "ignore" });
  return execFileSync("git", ["write-tree"], { env, cwd: root, encoding: "utf8" }).trim();
};

describe("the worktree", () => {
  it("is made from the user's clone, which is not touched", async () => {
    at = world();
    at.write(at.user, { "a.txt": "half done\n", "untracked.txt": "mine\n" });
    at.git(at.user, "add", "a.txt");
    const before = fingerprint(at);
    const git = await at.open();
    await git.edit("a.txt", "changed\n");
    await git.commit(await git.tree(), await git.head(), { subject: "draft" });
    await git.sync("merge", at.pullRequest().base.sha);
    await git.checkout(at.pullRequest().base.sha);
    expect(fingerprint(at)).toEqual(before);
    expect(git.root).toBe(join(at.state, "github.example/acme/app/7/worktree"));
    expect(readFileSync(join(git.root, ".git"), "utf8")).toBe(`gitdir: ${join(at.user, ".git/worktrees/worktree")}\n`);
  });

  it("holds the head of the pull request, which the user's clone lacked", async () => {
    at = world();
    const head = at.publish({ "feature.txt": "newer\n" });
    const git = await at.open();
    expect(await git.head()).toBe(head);
    expect(await git.read("feature.txt")).toBe("newer\n");
    expect(await git.tree()).toBe(at.git(at.remote, "rev-parse", `${head}^{tree}`));
    expect(at.git(git.root, "status", "--porcelain")).toBe("");
    expect(() => at.git(git.root, "symbolic-ref", "HEAD")).toThrow();
  });

  it.each(["no clone", "a shallow clone", "a clone that can't be written to"])(
    "comes from a private clone where there is %s",
    async (kind) => {
      at = world();
      const other = join(at.folder, "other");
      if (kind !== "no clone")
        at.git(at.folder, "clone", "--quiet", ...(kind === "a shallow clone" ? ["--depth", "1"] : []), `file://${at.remote}`, other);
      if (kind.endsWith("written to")) {
        // Root may write anywhere, so the folder is taken away instead of its permission.
        rmSync(join(other, ".git/objects"), { recursive: true });
      }
      const git = at.worktree(kind === "no clone" ? { checkout: join(at.folder, "home") } : { checkout: other });
      await git.open(at.pullRequest(), false);
      expect(readFileSync(join(git.root, ".git"), "utf8")).toContain(join(at.state, "github.example/acme/app/repository.git/worktrees/"));
      expect(await git.read("feature.txt")).toBe("new\n");
      expect(await git.remoteHead()).toBe(at.pullRequest().head.sha);
    },
  );

  it("is used again by the next run, with its ignored files and without a second clone", async () => {
    at = world({ ".gitignore": "cache/\n", "a.txt": "one\n" });
    const first = await at.open();
    at.write(first.root, { "cache/big": "kept", "left-over.txt": "gone" });
    const inode = statSync(first.root).ino;
    await first.close();
    const head = at.publish({ "a.txt": "two\n" });
    const second = await at.open();
    expect(statSync(second.root).ino).toBe(inode);
    expect(await second.head()).toBe(head);
    expect(readFileSync(join(second.root, "cache/big"), "utf8")).toBe("kept");
    expect(existsSync(join(second.root, "left-over.txt"))).toBe(false);
    expect(readdirSync(join(at.user, ".git/worktrees"))).toEqual(["worktree"]);
  });

  it("needs no server when nothing is new", async () => {
    at = world();
    await at.open();
    const pullRequest = at.pullRequest();
    rmSync(at.remote, { recursive: true });
    const again = at.worktree();
    await again.open(pullRequest, false);
    expect(await again.head()).toBe(pullRequest.head.sha);
  });

  it.each([
    ["its folder was deleted", (root: string) => rmSync(root, { recursive: true })],
    ["its entry was pruned", () => rmSync(join(at.user, ".git/worktrees"), { recursive: true })],
    [
      "git was killed in it",
      (root: string) => {
        writeFileSync(join(at.user, ".git/worktrees/worktree/HEAD.lock"), "");
        writeFileSync(join(at.user, ".git/worktrees/worktree/index.lock"), "");
        writeFileSync(join(root, "../index.lock"), "");
      },
    ],
  ])("is whole again after %s", async (_what, harm) => {
    at = world();
    const git = await at.open();
    harm(git.root);
    const again = await at.open();
    expect(await again.read("feature.txt")).toBe("new\n");
    expect(await again.tree()).toBe(await again.treeOf(await again.head()));
    expect(at.git(again.root, "status", "--porcelain")).toBe("");
  });

  it("is not mistaken for another one of the user's that has got its name", async () => {
    at = world();
    await at.open();
    at.git(at.folder, "-C", at.user, "worktree", "remove", "--force", join(at.state, "github.example/acme/app/7/worktree"));
    const other = join(at.folder, "elsewhere/worktree");
    at.git(at.user, "worktree", "add", "--quiet", "--detach", other, "main");
    mkdirSync(join(at.state, "github.example/acme/app/7/worktree"));
    const git = await at.open();
    expect(await git.tree()).toBe(await git.treeOf(await git.head()));
    expect(at.git(other, "rev-parse", "HEAD")).toBe(at.git(at.user, "rev-parse", "main"));
    expect(at.git(other, "status", "--porcelain")).toBe("");
  });

  it("finds the head of a fork through the base repository", async () => {
    at = world();
    const fork = join(at.folder, "fork.git");
    at.git(at.folder, "clone", "--quiet", "--bare", at.remote, fork);
    at.git(at.author, "checkout", "--quiet", "feature");
    at.write(at.author, { "fork.txt": "from a fork\n" });
    at.git(at.author, "add", "--all");
    at.git(at.author, "commit", "--quiet", "-m", "fork");
    at.git(at.author, "push", "--quiet", fork, "HEAD:refs/heads/feature");
    at.git(at.author, "push", "--quiet", "origin", "HEAD:refs/pull/7/head");
    const pullRequest = at.pullRequest();
    const git = at.worktree();
    await git.open(
      { ...pullRequest, fork: true, head: { ...pullRequest.head, repository: { owner: "x", name: "app", cloneUrl: fork } } },
      false,
    );
    expect(await git.read("fork.txt")).toBe("from a fork\n");
    expect(await git.remoteHead()).toBe(pullRequest.head.sha);
  });

  it("says which commit can't be had", async () => {
    at = world();
    const pullRequest = at.pullRequest();
    const gone = "1".repeat(40);
    await expect(at.worktree().open({ ...pullRequest, head: { ...pullRequest.head, sha: gone } }, false)).rejects.toMatchObject({
      code: "GIT_FAILED",
      message: expect.stringContaining(gone) as string,
    });
  });

  it("takes nothing that looks like an option for a revision", async () => {
    at = world();
    const git = await at.open();
    for (const revision of ["--output=/tmp/x", "HEAD", "", "refs/heads/main"])
      await expect(git.treeOf(revision)).rejects.toMatchObject({ code: "GIT_FAILED" });
  });
});

describe("the tree", () => {
  it("is the one that git would make: untracked files in, ignored ones out, deletions, modes and links", async () => {
    at = world({ ".gitignore": "*.log\n", "a.txt": "one\n", "gone.txt": "x", "swap/inner.txt": "y", plain: "z" });
    const git = await at.open();
    at.write(git.root, { "new/deep.txt": "n", "noise.log": "no", "a.txt": "ONE\n" });
    rmSync(join(git.root, "gone.txt"));
    rmSync(join(git.root, "swap"), { recursive: true });
    at.write(git.root, { swap: "now a file" });
    rmSync(join(git.root, "plain"));
    at.write(git.root, { "plain/now-a-folder": "z" });
    chmodSync(join(git.root, "a.txt"), 0o755);
    symlinkSync("a.txt", join(git.root, "link"));
    const tree = await git.tree();
    expect(tree).toBe(gitsOwnTree(git.root));
    expect(await git.changes(await git.treeOf(await git.head()), tree)).toEqual([
      { path: "a.txt", status: "modified", mode: "100755", modeBefore: "100644", binary: false },
      { path: "gone.txt", status: "deleted", mode: "000000", modeBefore: "100644", binary: false },
      { path: "link", status: "added", mode: "120000", modeBefore: "000000", binary: false },
      { path: "new/deep.txt", status: "added", mode: "100644", modeBefore: "000000", binary: false },
      { path: "plain/now-a-folder", was: "plain", status: "renamed", mode: "100644", modeBefore: "100644", binary: false },
      { path: "swap", status: "added", mode: "100644", modeBefore: "000000", binary: false },
      { path: "swap/inner.txt", status: "deleted", mode: "000000", modeBefore: "100644", binary: false },
    ]);
  });

  it("sees a file that an agent's git was told to overlook", async () => {
    at = world();
    const git = await at.open();
    const before = await git.tree();
    at.git(git.root, "update-index", "--assume-unchanged", "a.txt");
    at.git(git.root, "update-index", "--skip-worktree", "dir/b.txt");
    at.write(git.root, { "a.txt": "hidden\n", "dir/b.txt": "hidden\n" });
    const after = await git.tree();
    expect((await git.changes(before, after)).map((change) => change.path)).toEqual(["a.txt", "dir/b.txt"]);
  });

  it("keeps its own head when an agent commits or switches branches", async () => {
    at = world();
    const git = await at.open();
    const head = await git.head();
    at.git(git.root, "checkout", "--quiet", "-b", "agents-own");
    at.git(git.root, "commit", "--quiet", "--allow-empty", "-m", "agent");
    expect(await git.head()).toBe(head);
    await git.checkout(head);
    expect(at.git(git.root, "rev-parse", "HEAD")).toBe(head);
    expect(() => at.git(git.root, "symbolic-ref", "HEAD")).toThrow();
  });

  it("is the head's after a checkout even where line ends were never normalised", async () => {
    at = world();
    // Committed with CRLF first, declared as text afterwards: git would now make another blob of the same file.
    at.publish({ "crlf.txt": "one\r\ntwo\r\n", "mixed.txt": "one\r\ntwo\n" });
    at.git(at.author, "config", "core.autocrlf", "false");
    at.write(at.author, { ".gitattributes": "*.txt text\n" });
    at.git(at.author, "add", ".gitattributes");
    at.git(at.author, "commit", "--quiet", "-m", "attributes");
    at.git(at.author, "push", "--quiet", "origin", "feature", "feature:refs/pull/7/head");
    const git = await at.open();
    const tree = await git.treeOf(await git.head());
    expect(readFileSync(join(git.root, "crlf.txt"), "utf8")).toBe("one\r\ntwo\r\n");
    expect(await git.tree()).toBe(tree);
    await git.edit("a.txt", "changed\r\n");
    const changed = await git.tree();
    expect((await git.changes(tree, changed)).map((change) => change.path)).toEqual(["a.txt"]);
    // What was changed is stored as git would store it.
    expect(await git.show(changed, "a.txt")).toBe("changed\n");
    expect(await git.show(changed, "crlf.txt")).toBe("one\r\ntwo\r\n");
  });

  it("comes back from any mess", async () => {
    at = world({ ".gitignore": "ignored/\n", "a.txt": "one\n", "dir/b.txt": "two\n", "run.sh": "#!/bin/sh\n" });
    chmodSync(join(at.author, "run.sh"), 0o755);
    at.publish({}, "executable");
    const git = await at.open();
    const head = await git.head();
    const tree = await git.treeOf(head);
    at.write(git.root, { "ignored/kept": "yes" });
    const names = ["a.txt", "dir/b.txt", "run.sh", "feature.txt", "new.txt", "dir", "deep/er/file", "-n", "q\"uo'te", "line\nbreak", "ü"];
    const act = fc.record({
      name: fc.constantFrom(...names),
      how: fc.constantFrom("write", "remove", "link", "folder", "chmod", "pipe"),
      text: fc.string(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 6 }), async (acts) => {
        for (const { name, how, text } of acts) {
          const path = join(git.root, name);
          try {
            if (how === "chmod") chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o777);
            else {
              rmSync(path, { recursive: true, force: true });
              mkdirSync(join(path, ".."), { recursive: true });
              if (how === "write") writeFileSync(path, text);
              if (how === "link") symlinkSync(at.folder, path);
              if (how === "folder") at.write(path, { inner: text });
              if (how === "pipe") execFileSync("mkfifo", [path], { stdio: "ignore" });
            }
          } catch {
            // A file stands where a folder was wanted: another mess.
          }
        }
        await git.tree();
        await git.checkout(head);
        expect(await git.tree()).toBe(tree);
      }),
      { numRuns: 15 },
    );
    expect(readFileSync(join(git.root, "ignored/kept"), "utf8")).toBe("yes");
    expect(existsSync(join(at.folder, "remote.git/HEAD"))).toBe(true);
    expect(statSync(join(git.root, "run.sh")).mode & 0o111).not.toBe(0);
  }, 60_000);

  it("removes what is ignored only where a file of the tree must stand", async () => {
    at = world({ ".gitignore": "out\nlink\n", "a.txt": "one\n" });
    const git = await at.open();
    at.write(at.author, { "out/tracked": "t", "link/tracked": "t" });
    at.git(at.author, "checkout", "--quiet", "feature");
    at.git(at.author, "add", "--force", "out/tracked", "link/tracked");
    at.git(at.author, "commit", "--quiet", "-m", "tracked although ignored");
    at.git(at.author, "push", "--quiet", "origin", "feature", "feature:refs/pull/7/head");
    const precious = join(at.folder, "precious");
    at.write(precious, { tracked: "not ours" });
    at.write(git.root, { out: "a file in the way" });
    symlinkSync(precious, join(git.root, "link"));
    await git.open(at.pullRequest(), false);
    expect(await git.read("out/tracked")).toBe("t");
    expect(await git.read("link/tracked")).toBe("t");
    expect(readFileSync(join(precious, "tracked"), "utf8")).toBe("not ours");
  });

  it("can be any tree, not only a commit's", async () => {
    at = world();
    const git = await at.open();
    await git.edit("a.txt", "changed\n");
    const changed = await git.tree();
    const head = await git.head();
    await git.checkout(head);
    expect(await git.read("a.txt")).toBe("one\n");
    await git.checkout(changed);
    expect(await git.read("a.txt")).toBe("changed\n");
    expect(await git.head()).toBe(head);
    expect(at.git(git.root, "status", "--porcelain")).toBe(" M a.txt");
  });
});

describe("a hostile head", () => {
  /** Programs that the user's own config defines, for the head's attributes to select; and a hook and a monitor. */
  const armed = (): { readonly trace: string } => {
    const trace = join(at.folder, "trace");
    const script = join(at.folder, "trap.sh");
    trap(script, trace);
    const set = (key: string, value: string): string => at.git(at.user, "config", "--global", key, value);
    for (const key of ["clean", "smudge", "process"]) set(`filter.evil.${key}`, script);
    set("filter.evil.required", "true");
    set("diff.evil.command", script);
    set("diff.evil.textconv", script);
    set("merge.evil.driver", `${script} %A`);
    set("core.fsmonitor", script);
    set("diff.external", script);
    set("core.pager", script);
    for (const name of ["post-checkout", "pre-push", "post-index-change", "reference-transaction", "pre-commit", "commit-msg"])
      trap(join(at.user, ".git/hooks", name), trace);
    return { trace };
  };

  it("runs nothing, whatever its attributes select", async () => {
    at = world({ "a.txt": "1\n2\n3\n4\n5\n" });
    at.publish({ "a.txt": "feature side\n2\n3\n4\n5\n", ".gitattributes": "* filter=evil diff=evil merge=evil\n" });
    const base = at.publishBase({ "a.txt": "1\n2\n3\n4\nbase side\n" });
    const { trace } = armed();
    const git = await at.open();
    await git.edit("a.txt", "feature side, fixed\n2\n3\n4\n5\n");
    await git.edit(".gitattributes", "* filter=evil diff=evil merge=evil -text\n");
    const tree = await git.tree();
    await git.changes(await git.treeOf(await git.head()), tree);
    expect(await git.patch(await git.treeOf(await git.head()), tree)).toContain("+feature side, fixed");
    const commit = await git.commit(tree, await git.head(), { subject: "fix" });
    await git.checkout(commit);
    expect((await git.sync("merge", base)).conflicts).toBeUndefined();
    await git.checkout(commit);
    expect((await git.sync("rebase", base)).conflicts).toBeUndefined();
    const head = await git.head();
    const expected = await git.remoteHead();
    const pushed = await git.write(
      {
        kind: "push",
        key: "k",
        preconditions: {},
        why: "",
        commits: [head],
        to: head,
        tree: await git.treeOf(head),
        expected,
        branch: "feature",
        force: true,
      },
      at.pullRequest(),
    );
    expect(pushed.state).toBe("done");
    expect(existsSync(trace) ? readFileSync(trace, "utf8") : "").toBe("");
  });

  it("can't hide behind a replaced .git: ours is explicit, and is put back for the others", async () => {
    at = world();
    const git = await at.open();
    const trace = join(at.folder, "trace");
    const evil = join(at.folder, "evil");
    at.git(at.folder, "init", "--quiet", evil);
    trap(join(at.folder, "monitor.sh"), trace);
    at.git(evil, "config", "core.fsmonitor", join(at.folder, "monitor.sh"));
    const link = readFileSync(join(git.root, ".git"), "utf8");
    for (const replace of [
      () => writeFileSync(join(git.root, ".git"), `gitdir: ${evil}/.git\n`),
      () => symlinkSync(join(evil, ".git"), join(git.root, ".git")),
      () =>
        at.git(at.folder, "clone", "--quiet", at.remote, join(at.folder, "whole")) +
        execFileSync("cp", ["-r", join(evil, ".git"), join(git.root, ".git")]).toString(),
    ]) {
      rmSync(join(git.root, ".git"), { recursive: true });
      replace();
      rmSync(join(at.folder, "whole"), { recursive: true, force: true });
      at.write(git.root, { "a.txt": "seen\n" });
      const tree = await git.tree();
      expect(await git.show(tree, "a.txt")).toBe("seen\n");
      expect(readFileSync(join(git.root, ".git"), "utf8")).toBe(link);
      expect(existsSync(trace)).toBe(false);
      await git.checkout(await git.head());
    }
  });

  it("can't run a program from a repository inside the worktree", async () => {
    at = world();
    const git = await at.open();
    const before = await git.treeOf(await git.head());
    const trace = join(at.folder, "trace");
    trap(join(at.folder, "monitor.sh"), trace);
    for (const name of ["nested", "empty"]) {
      at.git(git.root, "init", "--quiet", name);
      at.git(join(git.root, name), "config", "core.fsmonitor", join(at.folder, "monitor.sh"));
    }
    // Git would ask this repository for its state, and so run the filter of its config.
    const nested = join(git.root, "nested");
    at.write(nested, { file: "x\n", ".gitattributes": "* filter=evil\n" });
    at.git(nested, "-c", "core.fsmonitor=false", "add", "--all");
    at.git(nested, "-c", "core.fsmonitor=false", "commit", "--quiet", "-m", "x");
    at.git(nested, "config", "filter.evil.clean", join(at.folder, "monitor.sh"));
    at.write(nested, { file: "y\n" });
    rmSync(trace, { force: true });
    const tree = await git.tree();
    await git.tree();
    expect(await git.changes(before, tree)).toEqual([
      { path: "nested", status: "added", mode: "160000", modeBefore: "000000", binary: false },
    ]);
    await git.checkout(await git.head());
    expect(existsSync(trace)).toBe(false);
    expect(existsSync(join(git.root, "nested"))).toBe(false);
    expect(existsSync(join(git.root, "empty"))).toBe(false);
  });

  it("keeps the entry of a submodule, which is never fetched", async () => {
    at = world();
    const commit = at.git(at.author, "rev-parse", "main");
    at.git(at.author, "checkout", "--quiet", "feature");
    at.write(at.author, { ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ${at.remote}\n` });
    at.git(at.author, "update-index", "--add", "--cacheinfo", `160000,${commit},sub`);
    at.git(at.author, "add", ".gitmodules");
    at.git(at.author, "commit", "--quiet", "-m", "submodule");
    at.git(at.author, "push", "--quiet", "origin", "feature", "feature:refs/pull/7/head");
    const git = await at.open();
    const tree = await git.tree();
    expect(tree).toBe(await git.treeOf(await git.head()));
    expect(readdirSync(join(git.root, "sub"))).toEqual([]);
    rmSync(join(git.root, "sub"), { recursive: true });
    expect(await git.changes(tree, await git.tree())).toEqual([
      { path: "sub", status: "deleted", mode: "000000", modeBefore: "160000", binary: false },
    ]);
  });

  it("has any names it likes", async () => {
    at = world();
    const names = ["line\nbreak", 'q"uote', "-rf", "--help", " blank ", "tab\there", ":(top)x", "*", "ü/ß", "back\\slash"];
    at.publish(Object.fromEntries(names.map((name) => [name, name])));
    const git = await at.open();
    for (const name of names) {
      expect(await git.show(await git.head(), name)).toBe(name);
      await git.edit(name, `${name}!`);
    }
    const changes = await git.changes(await git.treeOf(await git.head()), await git.tree());
    expect(changes.map((change) => change.path).sort()).toEqual([...names].sort());
    for (const name of names) await git.edit(name, null);
    expect((await git.changes(await git.treeOf(await git.head()), await git.tree())).every((change) => change.status === "deleted")).toBe(
      true,
    );
    expect(await git.show(await git.head(), "ü")).toBeUndefined();
    expect(await git.show(await git.head(), "ü/")).toBeUndefined();
  });

  it("can't lead an edit or a read out of the worktree", async () => {
    at = world();
    const git = await at.open();
    const outside = join(at.folder, "outside");
    at.write(outside, { file: "untouched" });
    symlinkSync(outside, join(git.root, "way-out"));
    symlinkSync(join(outside, "file"), join(git.root, "link"));
    const paths = [
      "../outside/file",
      "/etc/passwd",
      "way-out/file",
      "way-out",
      "link",
      "a.txt/x",
      ".git",
      ".git/config",
      "dir/.GIT/x",
      "git~1/config",
      ".git /x",
      ".g\u200cit/x",
      "",
      ".",
      "dir//x",
      "dir/../../x",
      "nul\0",
    ];
    for (const path of paths) {
      await expect(git.edit(path, "bad"), path).rejects.toMatchObject({ code: "GIT_FAILED" });
      expect(await git.read(path), path).toBeUndefined();
    }
    for (const path of ["link", "way-out/file", "../outside/file"])
      await expect(git.edit(path, null)).rejects.toMatchObject({ code: "GIT_FAILED" });
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("untouched");
    await git.edit("new/deep/file.txt", "\ufeffwith BOM\r\n");
    expect(await git.read("new/deep/file.txt")).toBe("\ufeffwith BOM\r\n");
    await git.edit("new/deep/file.txt", null);
    expect(existsSync(join(git.root, "new"))).toBe(false);
  });

  it("can't make an edit change a file that is shared by a hard link", async () => {
    at = world({ "tool.sh": "#!/bin/sh\n" });
    const git = await at.open();
    const store = join(at.folder, "store");
    execFileSync("ln", [join(git.root, "tool.sh"), store]);
    chmodSync(store, 0o755);
    await git.edit("tool.sh", "#!/bin/sh\nexit 0\n");
    expect(readFileSync(store, "utf8")).toBe("#!/bin/sh\n");
    expect(statSync(join(git.root, "tool.sh")).mode & 0o111).not.toBe(0);
  });
});

describe("reading", () => {
  it("gives text only, and tells what is binary by content, whatever the attributes say", async () => {
    at = world({ ".gitattributes": "*.bin diff\n*.txt -diff\n", "latin.txt": Buffer.from([0x66, 0xfc, 0x72]) });
    const git = await at.open();
    expect(await git.read("latin.txt")).toBeUndefined();
    at.write(git.root, { "x.bin": Buffer.from([0, 1, 2, 3]), "a.txt": "text\n" });
    const changes = await git.changes(await git.treeOf(await git.head()), await git.tree());
    expect(changes.map(({ path, binary }) => [path, binary])).toEqual([
      ["a.txt", false],
      ["x.bin", true],
    ]);
  });

  it("makes patches that give the same tree again, in any encoding", async () => {
    at = world({ "latin.txt": Buffer.from([0x66, 0xfc, 0x72, 0x0a]), "a.txt": "one\n" });
    const git = await at.open();
    const before = await git.treeOf(await git.head());
    const apply = git.apply?.bind(git);
    if (apply === undefined) throw new Error("no apply");
    for (const files of [
      { "a.txt": "two\n", "b/new.txt": "x" },
      { "latin.txt": Buffer.from([0xe4, 0x0a]) },
      { bin: Buffer.from([0, 255, 10, 13]) },
    ]) {
      at.write(git.root, files);
      const after = await git.tree();
      const patch = await git.patch(before, after);
      expect(await apply(await git.head(), JSON.parse(JSON.stringify(patch)) as string)).toBe(after);
    }
    expect(await apply(before, "")).toBe(before);
    await expect(apply(before, "diff --git a/none b/none\n--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n")).rejects.toMatchObject({
      code: "GIT_FAILED",
    });
  });
});

describe("the set-up", () => {
  const recording = (results: { exitCode: number }[] = []): Shell & { readonly commands: string[] } => {
    const commands: string[] = [];
    return {
      commands,
      run: async (task) => {
        commands.push(task.command);
        if (results.length === 0) mkdirSync(join(task.cwd, "node_modules"), { recursive: true });
        return { started: true, timedOut: false, output: "words of the tool", took: 1, exitCode: 0, ...results.shift() };
      },
    };
  };

  it("is the frozen install of the lock file, once for each content of it", async () => {
    at = world({ ".gitignore": "node_modules\n", "package-lock.json": "{}" });
    const shell = recording();
    const open = async (): Promise<void> => at.worktree({ shell }).open(at.pullRequest(), undefined);
    await open();
    await open();
    expect(shell.commands).toEqual(["npm ci"]);
    at.publish({ "a.txt": "other" });
    await open();
    expect(shell.commands).toHaveLength(1);
    at.publish({ "package-lock.json": '{"changed":1}' });
    await open();
    expect(shell.commands).toHaveLength(2);
    rmSync(join(at.state, "github.example/acme/app/7/worktree/node_modules"), { recursive: true });
    await open();
    expect(shell.commands).toHaveLength(3);
  });

  it.each([
    [{ "pnpm-lock.yaml": "", "package-lock.json": "" }, ["pnpm install --frozen-lockfile"]],
    [{ "yarn.lock": "# yarn lockfile v1\n" }, ["yarn install --frozen-lockfile"]],
    [{ "yarn.lock": "__metadata:\n  version: 8\n" }, ["yarn install --immutable"]],
    [{ "bun.lock": "{}", "uv.lock": "" }, ["bun install --frozen-lockfile && uv sync --frozen"]],
    [{ "poetry.lock": "" }, ["poetry install --no-interaction"]],
    [{ "Cargo.lock": "", "go.sum": "" }, []],
    [{ "sub/package-lock.json": "" }, []],
  ])("knows %j", async (files, commands) => {
    at = world(files);
    const shell = recording();
    await at.worktree({ shell }).open(at.pullRequest(), undefined);
    expect(shell.commands).toEqual(commands);
  });

  it("is the user's command, or nothing", async () => {
    at = world({ "package-lock.json": "{}" });
    const shell = recording();
    await at.worktree({ shell }).open(at.pullRequest(), "make deps");
    await at.worktree({ shell: noShell }).open(at.pullRequest(), false);
    expect(shell.commands).toEqual(["make deps"]);
  });

  it("that fails is told with its words and done again", async () => {
    at = world({ ".gitignore": "node_modules\n", "package-lock.json": "{}" });
    const shell = recording([{ exitCode: 3 }]);
    const failed = at.worktree({ shell }).open(at.pullRequest(), undefined);
    await expect(failed).rejects.toMatchObject({
      code: "WORKTREE_SETUP",
      message: expect.stringMatching(/npm ci.*exit code 3\nwords of the tool/s) as string,
    });
    await at.worktree({ shell }).open(at.pullRequest(), undefined);
    expect(shell.commands).toHaveLength(2);
  });

  it("leaves no changed tracked file behind", async () => {
    at = world({ "package-lock.json": "{}" });
    const shell: Shell = {
      run: async (task) => {
        writeFileSync(join(task.cwd, "package-lock.json"), "touched");
        return { started: true, timedOut: false, output: "", took: 1, exitCode: 0 };
      },
    };
    const git = at.worktree({ shell });
    await git.open(at.pullRequest(), undefined);
    expect(await git.tree()).toBe(await git.treeOf(await git.head()));
  });
});

describe("hooks of the user's clone", () => {
  it("are named, in the folder that the config says", async () => {
    at = world();
    trap(join(at.user, ".git/hooks/pre-push"), join(at.folder, "t"));
    at.write(at.user, { ".git/hooks/pre-commit": "not executable" });
    expect(await hooksOf(at.user, at.environment)).toEqual(["pre-push"]);
    trap(join(at.user, ".husky/commit-msg"), join(at.folder, "t"));
    at.git(at.user, "config", "core.hooksPath", ".husky");
    expect(await hooksOf(at.user, at.environment)).toEqual(["commit-msg"]);
  });
});
