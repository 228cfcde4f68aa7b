/** `git` itself against the server: clone, push, refusals, and what a push does to the world. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { api, FILE, startScene, type Scene } from "./scene.js";

const run = promisify(execFile);

let scene: Scene;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbox-git-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  scene = await startScene();
});
afterEach(async () => {
  expect(scene.sandbox.unknownRequests).toEqual([]);
  await scene.sandbox.close();
});

let copies = 0;
const urlFor = (as: string, name = "ada/shop"): string => {
  const url = new URL(`${scene.sandbox.url}/${name}.git`);
  if (as !== "") {
    url.username = "x-access-token";
    url.password = scene.sandbox.world.state.sessions.has(as) ? as : scene.sandbox.tokenFor(as);
  }
  return url.toString();
};
const git = async (cwd: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await run("git", ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
  });
  return stdout.trim();
};
const clone = async (as: string, ...more: readonly string[]): Promise<string> => {
  copies += 1;
  const to = join(folder, `copy-${copies}`);
  await git(folder, "clone", "--quiet", ...more, urlFor(as), to);
  return to;
};
const commit = async (copy: string, text: string): Promise<string> => {
  await writeFile(join(copy, FILE), text);
  await git(copy, "commit", "--quiet", "-am", "Change");
  return git(copy, "rev-parse", "HEAD");
};
const failure = async (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => "no failure",
    (error: unknown) => String(error),
  );

test("a clone has the files, and a push moves the pull request's head", async () => {
  scene.world.review("greptile-apps", scene.pullRequest, { state: "COMMENTED", comments: [{ path: FILE, line: 3, body: "Hm" }] });
  const copy = await clone("ada", "-b", "topic");
  expect(await readFile(join(copy, "src/new.ts"), "utf8")).toBe("export {};\n");
  const before = scene.pullRequest.head.sha;
  expect(await git(copy, "rev-parse", "HEAD")).toBe(before);
  const head = await commit(copy, "all new\n");
  await git(copy, "push", "--quiet", "origin", "topic");
  expect(scene.pullRequest.head.sha).toBe(head);
  expect(scene.pullRequest.threads[0]).toMatchObject({ outdated: true, line: null, originalLine: 3 });
  expect(scene.world.log.at(-1)).toMatchObject({ type: "pushed", actor: "ada", before, after: head, forced: false });
  expect(scene.sandbox.requests.filter((request) => request.service === "git" && request.write)).toHaveLength(1);
});

test("a push from an older head is refused, and so is a lease on another commit", async () => {
  const copy = await clone("ada", "-b", "topic");
  const stale = await git(copy, "rev-parse", "HEAD");
  const theirs = scene.world.commitAndPush("grace", {
    repository: "ada/shop",
    branch: "topic",
    files: { "README.md": "# Theirs\n" },
    message: "Theirs",
  });
  await commit(copy, "mine\n");
  expect(await failure(git(copy, "push", "origin", "topic"))).toMatch(/\[rejected\].*fetch first/su);
  expect(await failure(git(copy, "push", `--force-with-lease=topic:${stale}`, "origin", "topic"))).toContain("stale info");
  expect(scene.pullRequest.head.sha).toBe(theirs);
  expect(await git(copy, "ls-remote", "origin", "refs/heads/topic")).toContain(theirs);
  await git(copy, "push", "--quiet", `--force-with-lease=topic:${theirs}`, "origin", "topic");
  expect(scene.world.log.at(-1)).toMatchObject({ type: "pushed", before: theirs, forced: true });
  expect(scene.pullRequest.timeline.at(-1)).toMatchObject({ kind: "force-pushed", before: theirs });
});

test("who may not push is told so, whoever it is", async () => {
  const copy = await clone("");
  await commit(copy, "x\n");
  expect(await failure(git(copy, "push", "origin", "main"))).toMatch(/could not read Username|Authentication failed/u);
  expect(await failure(git(copy, "push", urlFor("stranger"), "main"))).toContain("403");
  scene.world.addToken("read-only", "ada", { token: "fine-grained", permissions: { contents: "read" } });
  expect(await failure(git(copy, "push", urlFor("read-only"), "main"))).toContain("403");
  const wrong = urlFor("ada").replace(scene.sandbox.tokenFor("ada"), "wrong-token");
  expect(await failure(git(copy, "push", wrong, "main"))).toContain("Authentication failed");
  scene.world.archive("ada/shop");
  expect(await failure(git(copy, "push", urlFor("ada"), "main"))).toContain("403");
});

test("a private repository is not there for strangers", async () => {
  scene.world.addRepository("ada/secret", { private: true });
  expect(await failure(git(folder, "ls-remote", urlFor("stranger", "ada/secret")))).toMatch(/not found/iu);
  expect(await git(folder, "ls-remote", urlFor("ada", "ada/secret"))).toContain("refs/heads/main");
});

test("heads of pull requests are published, and can't be pushed", async () => {
  const copy = await clone("ada");
  await git(copy, "fetch", "--quiet", "origin", "refs/pull/7/head");
  expect(await git(copy, "rev-parse", "FETCH_HEAD")).toBe(scene.pullRequest.head.sha);
  await git(copy, "checkout", "--quiet", "FETCH_HEAD");
  await commit(copy, "on top\n");
  expect(await failure(git(copy, "push", "origin", "HEAD:refs/pull/7/head"))).toContain("hidden ref");
  const before = scene.pullRequest.head.sha;
  scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "a.ts": "" }, message: "A" });
  await git(copy, "fetch", "--quiet", "origin", "refs/pull/7/head");
  expect(await git(copy, "rev-parse", "FETCH_HEAD")).not.toBe(before);
});

test("any commit can be fetched by its hash, shallow and without blobs too, whatever protocol the client speaks", async () => {
  const older = scene.pullRequest.head.sha;
  scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "a.ts": "" }, message: "A" });
  for (const version of ["0", "2"]) {
    const copy = await clone("ada", "--depth", "1", "--filter=blob:none", "-b", "main");
    await git(copy, "-c", `protocol.version=${version}`, "fetch", "--quiet", "--depth", "1", "origin", older);
    expect(await git(copy, "rev-parse", "FETCH_HEAD")).toBe(older);
  }
});

test("a compressed request is read", async () => {
  const command = "0014command=ls-refs\n0000";
  const response = await fetch(`${scene.sandbox.url}/ada/shop.git/git-upload-pack`, {
    method: "POST",
    headers: { "content-type": "application/x-git-upload-pack-request", "content-encoding": "gzip", "git-protocol": "version=2" },
    body: new Uint8Array(gzipSync(command)),
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(`${scene.pullRequest.head.sha} refs/heads/topic`);
});

test("a maintainer of the base pushes to the fork's branch of a pull request, and to no other", async () => {
  scene.world.addUser("fred");
  scene.world.addRepository("fred/shop", { forkOf: "ada/shop" });
  scene.world.commitAndPush("fred", { repository: "fred/shop", branch: "fix", files: { [FILE]: "one\n" }, message: "Fix" });
  const fork = scene.world.openPullRequest("fred", { repository: "ada/shop", headRepository: "fred/shop", head: "fix", title: "Fix" });
  copies += 1;
  const copy = join(folder, `copy-${copies}`);
  await git(folder, "clone", "--quiet", "-b", "fix", urlFor("grace", "fred/shop"), copy);
  const head = await commit(copy, "two\n");
  await git(copy, "push", "--quiet", "origin", "fix");
  expect(fork.head.sha).toBe(head);
  expect(await failure(git(copy, "push", "origin", "fix:main"))).toContain("pre-receive hook declined");
  const compare = await api(scene, "/repos/ada/shop/compare/main...fred:fix");
  expect(await compare.json()).toMatchObject({ status: "ahead", ahead_by: 2 });
});

test("a new branch and a deleted one", async () => {
  const copy = await clone("ada", "-b", "topic");
  await git(copy, "push", "--quiet", "origin", "topic:other");
  expect(scene.world.log.at(-1)).toMatchObject({ type: "pushed", branch: "other", before: undefined });
  await git(copy, "push", "--quiet", "origin", ":other");
  expect(scene.sandbox.repositories.branches("ada/shop")).toEqual(["main", "topic"]);
  expect(await failure(git(copy, "push", "origin", ":main"))).toContain("declined");
});

test("a push whose answer is lost has happened", async () => {
  const copy = await clone("ada", "-b", "topic");
  const head = await commit(copy, "lost\n");
  scene.world.faults.set("lost-answer", { writes: [1] });
  expect(await failure(git(copy, "push", "origin", "topic"))).not.toBe("no failure");
  expect(scene.pullRequest.head.sha).toBe(head);
  scene.world.faults.set("bad-gateway-before", { writes: [1] });
  await commit(copy, "not taken\n");
  expect(await failure(git(copy, "push", "origin", "topic"))).not.toBe("no failure");
  expect(scene.pullRequest.head.sha).toBe(head);
});
