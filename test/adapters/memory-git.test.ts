/** The kit's git in memory: what it promises, and that its ids and patches are real git's. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { ReviewloopError, type PullRequest, type WriteOf } from "../../core/index.js";
import { scenario, type Scene } from "../../sandbox/kit/index.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
/** An empty repository on disk, and git in it. */
const repository = () => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-kit-"));
  folders.push(folder);
  const environment = {
    PATH: process.env["PATH"],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ada",
    GIT_AUTHOR_EMAIL: "ada@example.invalid",
    GIT_COMMITTER_NAME: "ada",
    GIT_COMMITTER_EMAIL: "ada@example.invalid",
  };
  const git = (args: readonly string[], more: { readonly input?: string; readonly date?: string } = {}): string =>
    execFileSync("git", args, {
      cwd: folder,
      env: { ...environment, ...(more.date === undefined ? {} : { GIT_AUTHOR_DATE: more.date, GIT_COMMITTER_DATE: more.date }) },
      encoding: "utf8",
      ...(more.input === undefined ? {} : { input: more.input }),
    });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git(["init", "-q", "-b", "main"]);
  return { folder, git, write };
};

const opened = async (scene: Scene): Promise<{ readonly pullRequest: PullRequest; readonly before: string }> => {
  const { pullRequest } = await scene.ports.forge.read(scene.pullRequestRef);
  await scene.git.open(pullRequest, undefined);
  return { pullRequest, before: pullRequest.head.sha };
};
const pushOf = (over: Pick<WriteOf<"push">, "to" | "tree" | "expected"> & Partial<WriteOf<"push">>): WriteOf<"push"> => ({
  kind: "push",
  key: `push:${over.to}`,
  commits: [over.to],
  branch: "topic",
  force: false,
  preconditions: {},
  why: "",
  ...over,
});
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );
  return ReviewloopError.is(thrown) ? thrown.code : String(thrown);
};

describe("as real git", () => {
  test("trees and commits have git's ids", async () => {
    const scene = scenario().file("src/a.ts", "one\n", "two\n").file("src/deep/b c.ts", "ü\n").file("src.txt", "no end").build();
    const { git } = scene;
    const { before } = await opened(scene);
    git.worktree.write("run.sh", "#!/bin/sh\n", "100755");
    const tree = await git.tree();
    const commit = await git.commit(tree, before, { subject: " Two\nlines ", body: "Why.\r\n" });
    const real = repository();
    for (const path of git.worktree.paths()) real.write(path, git.worktree.read(path) ?? "");
    real.git(["add", "-A"]);
    real.git(["update-index", "--chmod=+x", "run.sh"]);
    expect(real.git(["write-tree"]).trim()).toBe(tree);
    // The parent isn't there, so the object is hashed instead of committed.
    const who = `ada <ada@example.invalid> ${scene.world.now() / 1000} +0000`;
    const object = `tree ${tree}\nparent ${before}\nauthor ${who}\ncommitter ${who}\n\nTwo lines\n\nWhy.\n`;
    expect(real.git(["hash-object", "-t", "commit", "--stdin", "--literally"], { input: object }).trim()).toBe(commit);
  });

  const line = fc.constantFrom("a", "b", "c", "");
  const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, ended]) => lines.join("\n") + (ended ? "\n" : ""));
  const files = fc.dictionary(fc.constantFrom("a.txt", "dir/b.txt", "dir/c d.txt", "e"), text, { maxKeys: 4 });

  test("a patch between any two trees is one that git applies, and so do we", async () => {
    const { folder, git: real } = repository();
    const scene = scenario().build();
    await opened(scene);
    const { git } = scene;
    const put = async (given: Readonly<Record<string, string>>): Promise<string> => {
      for (const path of git.worktree.paths()) git.worktree.write(path, null);
      for (const [path, body] of Object.entries(given)) git.worktree.write(path, body);
      return git.tree();
    };
    await fc.assert(
      fc.asyncProperty(files, files, async (from, to) => {
        const before = await put(from);
        const after = await put(to);
        const patch = await git.patch(before, after);
        expect(await git.apply?.(before, patch)).toBe(after);
        rmSync(join(folder, ".git", "index"), { force: true });
        for (const [path, body] of Object.entries(from)) {
          const blob = real(["hash-object", "-w", "--stdin"], { input: body }).trim();
          real(["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`]);
        }
        if (patch !== "") real(["apply", "--cached", "--whitespace=nowarn", "-"], { input: patch });
        expect(real(["write-tree"]).trim()).toBe(after);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe("the worktree", () => {
  const scene = () => scenario().file("src/a.ts", "one\n", "two\n").file("src/gone.ts", "x\n").build();

  test("is closed until it is opened", async () => {
    const { git } = scene();
    for (const work of [git.head(), git.tree(), git.read("src/a.ts"), git.remoteHead(), git.edit("a", "b")]) {
      expect(await codeOf(work)).toBe("GIT_FAILED");
    }
  });

  test("changes are seen with modes, renames and what was there before", async () => {
    const given = scene();
    const { git } = given;
    const { before } = await opened(given);
    const from = await git.treeOf(before);
    git.worktree.write("src/moved.ts", git.worktree.read("src/gone.ts") ?? "");
    git.worktree.write("src/gone.ts", null);
    git.worktree.write("src/a.ts", "three\n");
    git.worktree.write("bin", "\0");
    git.worktree.write("link", "src/a.ts", "120000");
    git.worktree.write("README.md", null);
    const to = await git.tree();
    expect(await git.changes(from, to)).toEqual([
      { path: "README.md", status: "deleted", mode: "000000", modeBefore: "100644", binary: false },
      { path: "bin", status: "added", mode: "100644", modeBefore: "000000", binary: true },
      { path: "link", status: "added", mode: "120000", modeBefore: "000000", binary: false },
      { path: "src/a.ts", status: "modified", mode: "100644", modeBefore: "100644", binary: false },
      { path: "src/moved.ts", was: "src/gone.ts", status: "renamed", mode: "100644", modeBefore: "100644", binary: false },
    ]);
    expect([
      await git.show(before, "src/a.ts"),
      await git.show(to, "src/a.ts"),
      await git.show(to, "src/gone.ts"),
      await git.read("link"),
    ]).toEqual(["two\n", "three\n", undefined, undefined]);
    await git.checkout(from);
    expect([await git.tree(), await git.head()]).toEqual([from, before]);
  });

  test.each([
    "../out",
    "/etc/passwd",
    "a/../../b",
    "src//a",
    "",
    ".git/config",
    "SRC/.GIT/hooks/x",
    "a\\b",
    "src",
    "src/a.ts/x",
    "link",
    "link/x",
  ])("an edit of %j is refused", async (path) => {
    const given = scene();
    await opened(given);
    given.git.worktree.write("link", "..", "120000");
    const before = await given.git.tree();
    expect(await codeOf(given.git.edit(path, "x"))).toBe("GIT_FAILED");
    expect(await given.git.tree()).toBe(before);
  });

  test("ignored files are in no tree and outlive a checkout", async () => {
    const given = scenario()
      .git({ ignored: (path) => path.startsWith("node_modules/") })
      .build();
    const { before } = await opened(given);
    const tree = await given.git.tree();
    given.git.worktree.write("node_modules/x", "x");
    expect(await given.git.tree()).toBe(tree);
    await given.git.checkout(before);
    expect(given.git.worktree.read("node_modules/x")).toBe("x");
  });

  test("the set-up runs once for each lock file, and its failure has a name of its own", async () => {
    let problem: string | undefined;
    const given = scenario()
      .file("package-lock.json", "1", "2")
      .git({ setup: () => problem })
      .build();
    const { pullRequest } = await given.ports.forge.read(given.pullRequestRef);
    await given.git.open(pullRequest, "npm ci");
    await given.git.open(pullRequest, "npm ci");
    await given.git.open(pullRequest, false);
    expect(given.git.setups).toEqual(["npm ci"]);
    problem = "no network";
    const sha = given.world.commitAndPush("ada", {
      repository: "ada/shop",
      branch: "topic",
      files: { "package-lock.json": "3" },
      message: "3",
    });
    expect(await codeOf(given.git.open({ ...pullRequest, head: { ...pullRequest.head, sha } }, "npm ci"))).toBe("WORKTREE_SETUP");
    problem = undefined;
    await given.git.open({ ...pullRequest, head: { ...pullRequest.head, sha } }, "npm ci");
    expect(given.git.setups).toEqual(["npm ci", "npm ci"]);
  });
});

describe("push", () => {
  const withCommit = async (given: Scene) => {
    const { pullRequest, before } = await opened(given);
    given.git.worktree.write("new.txt", "new\n");
    const tree = await given.git.tree();
    const to = await given.git.commit(tree, before, { subject: "New" });
    return { pullRequest, before, tree, to };
  };

  test("moves the branch, and a second time finds it moved", async () => {
    const given = scenario().build();
    const { pullRequest, before, tree, to } = await withCommit(given);
    const push = pushOf({ to, tree, expected: before });
    expect(await given.git.write(push, pullRequest)).toEqual({ state: "done", id: to });
    expect(await given.git.write(push, pullRequest)).toEqual({ state: "done", id: to, found: true });
    expect([await given.git.remoteHead(), await given.git.head(), given.pullRequest.head.sha]).toEqual([to, to, to]);
    expect(given.world.log.filter((event) => event.type === "pushed" && event.after === to)).toHaveLength(1);
  });

  test.each<readonly [string, string, (given: Scene, ok: WriteOf<"push">) => WriteOf<"push">]>([
    [
      "somebody pushed meanwhile",
      "head-moved",
      (given, ok) => {
        given.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { x: "x" }, message: "x" });
        return ok;
      },
    ],
    [
      "the branch is gone",
      "head-moved",
      (given, ok) => {
        given.world.git.move("ada/shop", "topic", ok.expected, undefined);
        return ok;
      },
    ],
    ["it expects a head that was never there", "head-moved", (_given, ok) => ({ ...ok, expected: "0".repeat(40) })],
    ["another tree than the gated one", "invalid", (_given, ok) => ({ ...ok, tree: "0".repeat(40) })],
    ["a commit that is not there", "invalid", (_given, ok) => ({ ...ok, to: "0".repeat(40) })],
    [
      "the repository is archived",
      "forbidden",
      (given, ok) => {
        given.world.archive("ada/shop");
        return ok;
      },
    ],
  ])("%s: %s", async (_name, code, prepare) => {
    const given = scenario().build();
    const { pullRequest, before, tree, to } = await withCommit(given);
    const push = prepare(given, pushOf({ to, tree, expected: before }));
    const tip = given.world.git.head("ada/shop", "topic");
    expect(await given.git.write(push, pullRequest)).toMatchObject({ state: "refused", code });
    expect(given.world.git.head("ada/shop", "topic")).toBe(tip);
  });

  test("without force only a descendant may take the place", async () => {
    const given = scenario().build();
    const { pullRequest, before } = await opened(given);
    given.git.worktree.write("new.txt", "new\n");
    const tree = await given.git.tree();
    const to = await given.git.commit(tree, pullRequest.base.sha, { subject: "New" });
    const push = pushOf({ to, tree, expected: before });
    expect(await given.git.write(push, pullRequest)).toMatchObject({ state: "refused", code: "invalid" });
    expect(await given.git.write({ ...push, force: true }, pullRequest)).toEqual({ state: "done", id: to });
    expect(given.pullRequest.timeline.at(-1)).toMatchObject({ kind: "force-pushed", before, after: to });
  });

  test("who may not push to a fork is told so", async () => {
    const given = scenario().pullRequest({ author: "ben", fork: true, maintainerCanModify: false }).viewer("ada").build();
    const { pullRequest, before, tree, to } = await withCommit(given);
    expect(await given.git.write(pushOf({ to, tree, expected: before }), pullRequest)).toMatchObject({
      state: "refused",
      code: "forbidden",
    });
    given.world.deleteFork("ben/shop");
    const { pullRequest: now } = await given.ports.forge.read(given.pullRequestRef);
    expect(await given.git.write(pushOf({ to, tree, expected: before }), now)).toMatchObject({ state: "refused", code: "not-found" });
  });

  test.each([
    ["lost-answer", true],
    ["bad-gateway-after", true],
    ["bad-gateway-before", false],
  ] as const)("%s: the fate is unknown to us, the branch moved: %s", async (fault, moved) => {
    const given = scenario().build();
    const { pullRequest, before, tree, to } = await withCommit(given);
    given.world.faults.set(fault, { writes: [1] });
    expect(await codeOf(given.git.write(pushOf({ to, tree, expected: before }), pullRequest))).toBe("GITHUB_UNAVAILABLE");
    expect(await given.git.remoteHead()).toBe(moved ? to : before);
  });

  test("of any pushes that expect one head, exactly the first lands", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), fc.boolean()), { minLength: 1, maxLength: 8 }), async (acts) => {
        const given = scenario().build();
        const first = given.portsFor("ada").git;
        const workers = [given.git, first, given.portsFor("ada").git];
        const { pullRequest } = await given.ports.forge.read(given.pullRequestRef);
        let tip = pullRequest.head.sha;
        for (const [index, [who, stale]] of acts.entries()) {
          const git = workers[who];
          if (git === undefined) throw new Error("no worker");
          const seen = stale ? pullRequest.head.sha : tip;
          await git.open({ ...pullRequest, head: { ...pullRequest.head, sha: seen } }, undefined);
          await git.edit(`file-${index}`, `${index}\n`);
          const tree = await git.tree();
          const to = await git.commit(tree, seen, { subject: `Commit ${index}` });
          const result = await git.write(pushOf({ to, tree, expected: seen }), pullRequest);
          expect(result.state).toBe(seen === tip ? "done" : "refused");
          if (seen === tip) tip = to;
          expect(given.pullRequest.head.sha).toBe(tip);
        }
        const pushes = given.world.log.filter((event) => event.type === "pushed" && event.pullRequest !== undefined);
        for (const [index, push] of pushes.entries()) {
          if (push.type === "pushed" && index > 0) expect(push.before).toBe((pushes[index - 1] as typeof push).after);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("sync", () => {
  const given = (base: Readonly<Record<string, string | null>>) => {
    const scene = scenario().file("a.txt", "one\n", "two\n").file("b.txt", "b\n").build();
    const onto = scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files: base, message: "Base" });
    return { ...scene, onto };
  };

  test.each(["merge", "rebase"] as const)("%s brings the base in, locally only", async (policy) => {
    const scene = given({ "b.txt": "new\n" });
    const { before } = await opened(scene);
    const synced = await scene.git.sync(policy, scene.onto);
    expect(synced).toEqual({ policy, base: scene.onto, head: await scene.git.head() });
    expect([scene.git.worktree.read("a.txt"), scene.git.worktree.read("b.txt")]).toEqual(["two\n", "new\n"]);
    const commit = scene.world.git.commit("ada/shop", synced.head);
    expect(commit?.parents).toEqual(policy === "merge" ? [before, scene.onto] : [scene.onto]);
    expect(commit?.message).toBe(policy === "merge" ? "Merge branch 'main' into topic" : "The change");
    expect(await scene.git.remoteHead()).toBe(before);
    expect(await scene.git.sync(policy, scene.onto)).toEqual(synced);
  });

  test.each(["merge", "rebase"] as const)("%s that conflicts names the paths and leaves all as it was", async (policy) => {
    const scene = given({ "a.txt": "three\n", "b.txt": null });
    const { before } = await opened(scene);
    const tree = await scene.git.tree();
    expect(await scene.git.sync(policy, scene.onto)).toEqual({ policy, base: scene.onto, head: before, conflicts: ["a.txt"] });
    expect([await scene.git.head(), await scene.git.tree()]).toEqual([before, tree]);
  });

  test("what both sides changed alike is no conflict, and a rebase drops it", async () => {
    const scene = given({ "a.txt": "two\n" });
    await opened(scene);
    expect(await scene.git.sync("rebase", scene.onto)).toEqual({ policy: "rebase", base: scene.onto, head: scene.onto });
  });
});
