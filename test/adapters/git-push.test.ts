import { spawn } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Git } from "../../core/ports.js";
import { readPush } from "../../core/adapters/git/push.js";
import { troubleOf } from "../../core/adapters/git/remote.js";
import { pushOf, trap, world, type World } from "./git-support.js";

let at: World;
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  at?.remove();
});

const drafted = async (git: Git, text = "fixed\n"): Promise<string> => {
  await git.edit("a.txt", text);
  return git.commit(await git.tree(), await git.head(), { subject: "fix" });
};
const remoteHook = (name: string, script: string): void => {
  writeFileSync(join(at.remote, "hooks", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(at.remote, "hooks", name), 0o755);
};
const remoteBranch = (): string => at.git(at.remote, "rev-parse", "refs/heads/feature");

describe("a push", () => {
  it("puts the commit where the expected head was, and nothing else", async () => {
    at = world();
    at.git(at.user, "config", "push.followTags", "true");
    const git = await at.open();
    const commit = await drafted(git);
    at.git(at.user, "tag", "-a", "-m", "t", "local-tag", commit);
    const before = at.git(at.user, "for-each-ref");
    expect(await git.write(await pushOf(git, commit), at.pullRequest())).toEqual({ state: "done", id: commit });
    expect(remoteBranch()).toBe(commit);
    expect(at.git(at.remote, "tag")).toBe("");
    expect(at.git(at.user, "for-each-ref")).toBe(before);
    expect(await git.remoteHead()).toBe(commit);
  });

  it("that was done before is found, not sent", async () => {
    at = world();
    const git = await at.open();
    const commit = await drafted(git);
    const push = await pushOf(git, commit);
    await git.write(push, at.pullRequest());
    remoteHook("pre-receive", "exit 1");
    expect(await git.write(push, at.pullRequest())).toEqual({ state: "done", id: commit, found: true });
  });

  it("is refused when the head has moved, forced or not", async () => {
    at = world();
    const git = await at.open();
    const pullRequest = at.pullRequest();
    const commit = await drafted(git);
    const push = await pushOf(git, commit);
    const moved = at.publish({ "b.txt": "somebody else\n" });
    for (const force of [false, true])
      expect(await git.write({ ...push, force }, pullRequest)).toMatchObject({
        state: "refused",
        code: "head-moved",
        detail: expect.stringContaining(moved) as string,
      });
    expect(remoteBranch()).toBe(moved);
    at.git(at.remote, "update-ref", "-d", "refs/heads/feature");
    expect(await git.write(push, pullRequest)).toMatchObject({ state: "refused", code: "head-moved" });
  });

  it.each([false, true])("is refused when the head moves between the look and the push (force: %s)", async (force) => {
    at = world();
    at.git(at.remote, "config", "http.receivepack", "true");
    let raced: string | undefined;
    const { url } = await serve(at.folder, undefined, (request) => {
      if (request.url?.includes("service=git-receive-pack") === true) raced ??= at.publish({ "b.txt": "somebody was faster\n" });
      return false;
    });
    const git = await at.open({ remoteUrl: `${url}/remote.git` });
    const pullRequest = at.pullRequest();
    const push = await pushOf(git, await drafted(git), { force });
    const result = await git.write(push, pullRequest);
    expect(raced).toMatch(/^[0-9a-f]{40}$/);
    expect(result).toMatchObject({ state: "refused", code: "head-moved", detail: expect.stringContaining(raced ?? "none") as string });
    expect(remoteBranch()).toBe(raced);
  });

  it("is refused by the server when the head moves while it is at work", async () => {
    at = world();
    const git = await at.open();
    const push = await pushOf(git, await drafted(git));
    const later = at.git(at.author, "commit-tree", "-p", push.expected, "-m", "raced", `${push.expected}^{tree}`);
    at.git(at.author, "push", "--quiet", "origin", `${later}:refs/heads/elsewhere`);
    remoteHook(
      "pre-receive",
      `unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; git update-ref refs/heads/feature ${later}`,
    );
    expect(await git.write({ ...push, force: true }, at.pullRequest())).toMatchObject({ state: "refused", code: "head-moved" });
    expect(remoteBranch()).toBe(later);
  });

  it.each([
    [403, "forbidden"],
    [404, "not-found"],
  ])("that is answered with %i is refused as %s", async (status, code) => {
    at = world();
    const { url } = await serve(at.folder, undefined, (request, response) => {
      if (request.url?.includes("receive-pack") !== true) return false;
      response.writeHead(status).end();
      return true;
    });
    const git = await at.open({ remoteUrl: `${url}/remote.git` });
    expect(await git.write(await pushOf(git, await drafted(git)), at.pullRequest())).toMatchObject({ state: "refused", code });
  });

  it("never rewrites history unless that was asked for", async () => {
    at = world();
    const git = await at.open();
    const expected = await git.head();
    const base = at.publishBase({ "base.txt": "b" });
    const { head } = await git.sync("rebase", base);
    const push = await pushOf(git, head);
    expect(await git.write(push, at.pullRequest())).toMatchObject({
      state: "refused",
      code: "invalid",
      detail: expect.stringContaining(expected) as string,
    });
    expect(remoteBranch()).toBe(expected);
    expect(await git.write({ ...push, force: true }, at.pullRequest())).toMatchObject({ state: "done" });
    expect(remoteBranch()).toBe(head);
  });

  it("of another tree than the gated one, to a strange branch, or of an unknown commit is refused before it is sent", async () => {
    at = world();
    const git = await at.open();
    const push = await pushOf(git, await drafted(git));
    for (const over of [
      { tree: await git.treeOf(push.expected) },
      { branch: "a:b" },
      { branch: "a b" },
      { branch: "a..b" },
      { branch: "" },
      { to: "3".repeat(40) },
    ])
      expect(await git.write({ ...push, ...over }, at.pullRequest())).toMatchObject({ state: "refused", code: "invalid" });
    expect(remoteBranch()).toBe(push.expected);
  });

  it("that the server forbids is refused in its words, without the secret in them", async () => {
    at = world();
    const git = await at.open({ token: "test-token-value" });
    const push = await pushOf(git, await drafted(git));
    remoteHook("pre-receive", 'echo "error: GH006: Protected branch update failed for test-token-value." >&2; exit 1');
    const result = await git.write(push, at.pullRequest());
    expect(result).toMatchObject({
      state: "refused",
      code: "forbidden",
      detail: expect.stringMatching(/GH006: Protected branch update failed for \[hidden\].*pre-receive hook declined/) as string,
    });
    expect(remoteBranch()).toBe(push.expected);
  });

  it("whose answer got lost is settled by looking", async () => {
    at = world();
    const git = await at.open();
    const push = await pushOf(git, await drafted(git));
    // The ref is updated, and the connection dies before the answer.
    remoteHook("post-receive", "kill -9 $PPID");
    expect(await git.write(push, at.pullRequest())).toEqual({ state: "done", id: push.to });
    // And the other way round: it dies first, and nothing has landed. The fate is told as unknown only after several looks.
    at.git(at.remote, "update-ref", "refs/heads/feature", push.expected);
    remoteHook("pre-receive", "kill -9 $PPID");
    await expect(git.write(push, at.pullRequest())).rejects.toMatchObject({ code: "GITHUB_UNAVAILABLE" });
  });

  it("that lands late is still found", async () => {
    at = world();
    let land = (): void => {};
    let sleeps = 0;
    const git = await at.open({
      clock: {
        now: () => 0,
        sleep: async () => {
          sleeps += 1;
          if (sleeps === 2) land();
        },
      },
    });
    const push = await pushOf(git, await drafted(git));
    at.git(git.root, "push", "--quiet", at.remote, `${push.to}:refs/heads/elsewhere`);
    land = () => at.git(at.remote, "update-ref", "refs/heads/feature", push.to);
    remoteHook("pre-receive", "kill -9 $PPID");
    expect(await git.write(push, at.pullRequest())).toEqual({ state: "done", id: push.to });
    expect(sleeps).toBe(2);
  });

  it("goes to the fork for a fork's head, and nowhere when the fork is gone", async () => {
    at = world();
    const fork = join(at.folder, "fork.git");
    at.git(at.folder, "clone", "--quiet", "--bare", at.remote, fork);
    const base = at.pullRequest();
    const pullRequest = { ...base, fork: true, head: { ...base.head, repository: { owner: "x", name: "app", cloneUrl: fork } } };
    const git = at.worktree();
    await git.open(pullRequest, false);
    const push = await pushOf(git, await drafted(git));
    expect(await git.write(push, { ...pullRequest, head: { sha: base.head.sha, branch: "feature" } })).toMatchObject({
      state: "refused",
      code: "not-found",
    });
    expect(await git.write(push, pullRequest)).toMatchObject({ state: "done" });
    expect(at.git(fork, "rev-parse", "feature")).toBe(push.to);
    expect(remoteBranch()).toBe(base.head.sha);
  });

  it("never uses a transport that runs a program", async () => {
    at = world();
    // A helper for a transport of one's own lies on the PATH, and the user's config allows everything.
    const bin = join(at.folder, "bin");
    trap(join(bin, "git-remote-evil"), join(at.folder, "trace"));
    at.git(at.user, "config", "--global", "protocol.allow", "always");
    at.git(at.user, "config", "--global", "protocol.ext.allow", "always");
    const git = await at.open({ environment: { ...at.environment, PATH: `${bin}:${at.environment["PATH"]}` } });
    const push = await pushOf(git, await drafted(git));
    const trace = join(at.folder, "trace");
    const base = at.pullRequest();
    for (const cloneUrl of [`ext::sh -c "touch ${trace}"`, `--upload-pack=touch ${trace}`, "evil::anything"]) {
      const on = { ...base, fork: true, head: { ...base.head, repository: { owner: "x", name: "y", cloneUrl } } };
      await expect(git.write(push, on), cloneUrl).rejects.toMatchObject({ code: "GIT_FAILED" });
    }
    expect(() => readFileSync(trace)).toThrow();
  });

  it("stops when it is told to", async () => {
    at = world();
    const git = await at.open();
    const push = await pushOf(git, await drafted(git));
    const controller = new AbortController();
    controller.abort();
    await expect(git.write(push, at.pullRequest(), controller.signal)).rejects.toMatchObject({ code: "ABORTED" });
    expect(remoteBranch()).toBe(push.expected);
  });
});

describe("git's words", () => {
  it.each([
    ["!\ta:b\t[rejected] (stale info)\nDone", "error: failed to push some refs", "head-moved"],
    ["!\ta:b\t[remote rejected] (cannot lock ref 'refs/heads/x': is at 1 but expected 2)", "", "head-moved"],
    ["!\ta:b\t[remote rejected] (protected branch hook declined)", "remote: error: GH006: Protected branch", "forbidden"],
    ["!\ta:b\t[remote rejected] (push declined due to repository rule violations)", "remote: GH013", "forbidden"],
    ["!\ta:b\t[remote rejected] (refusing to allow an OAuth App to create or update workflow)", "", "forbidden"],
    [
      "",
      "remote: Permission to a/b.git denied to c.\nfatal: unable to access 'https://h/': The requested URL returned error: 403",
      "forbidden",
    ],
    ["", "ERROR: This repository was archived so it is read-only.", "forbidden"],
    ["", "remote: Repository not found.\nfatal: repository 'https://h/a/b/' not found", "not-found"],
    ["", "fatal: Authentication failed for 'https://h/'", "sign-in"],
    ["", "fatal: could not read Username for 'https://h': terminal prompts disabled", "sign-in"],
    ["", "fatal: unable to access 'https://h/': Could not resolve host: h", "unknown"],
    ["", "send-pack: unexpected disconnect while reading sideband packet", "unknown"],
    ["!\ta:b\t[remote failure] (remote failed to report status)", "", "unknown"],
    ["", "", "unknown"],
  ])("%j with %j mean %s", (stdout, stderr, meaning) => {
    const reading = readPush(1, stdout, stderr);
    expect(reading.kind === "refused" ? reading.code : reading.kind).toBe(meaning);
  });

  it.each([
    ["fatal: unable to access 'https://h/': The requested URL returned error: 502", "unavailable"],
    ["fatal: unable to access 'https://h/': The requested URL returned error: 401", "sign-in"],
    ["error: RPC failed; curl 56 GnuTLS recv error", "unavailable"],
    ["fatal: bad object", "other"],
  ])("%j is %s", (words, trouble) => expect(troubleOf(words)).toBe(trouble));
});

interface Seen {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** `git http-backend` behind basic authentication. `instead` may answer first. */
const serve = async (
  root: string,
  token: string | undefined,
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<{ url: string; seen: Seen[] }> => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    seen.push({ url: request.url ?? "", authorization });
    if (instead?.(request, response) === true) return;
    const expected = `Basic ${Buffer.from(`x-access-token:${token ?? ""}`).toString("base64")}`;
    if (token !== undefined && authorization !== expected) {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
      return;
    }
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env["PATH"],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        REMOTE_USER: "tester",
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf("\r\n\r\n");
      for (const line of all.subarray(0, end).toString().split("\r\n")) {
        const [name = "", value = ""] = line.split(": ");
        if (name === "Status") response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(all.subarray(end + 4));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};

describe("the token", () => {
  const TOKEN = "test-token-of-this-run";
  const basic = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");

  it("signs in at its host, by no argument, and no helper of the user's learns it", async () => {
    at = world();
    at.git(at.remote, "config", "http.receivepack", "true");
    const { url, seen } = await serve(at.folder, TOKEN);
    const log = join(at.folder, "helper.log");
    at.git(at.user, "config", "--global", "credential.helper", `!f() { cat >> ${log}; }; f`);
    at.git(at.user, "config", "--global", `credential.${url}.helper`, `!f() { cat >> ${log}; }; f`);
    at.git(at.user, "config", "--global", "credential.useHttpPath", "true");
    at.git(at.user, "config", "--global", `credential.${url}/remote.git.helper`, `!f() { cat >> ${log}; }; f`);
    at.git(at.user, "config", "--global", `http.${url}/.extraHeader`, "Authorization: Basic c29tZWJvZHk6ZWxzZQ==");
    at.git(at.user, "config", "--global", `url.${url}/wrong/.pushInsteadOf`, `${url}/`);
    const trace = join(at.folder, "argv.log");
    at.git(at.user, "config", "--global", "trace2.normalTarget", trace);
    at.git(at.user, "config", "--global", "trace2.configParams", "*");
    const remoteUrl = `${url}/remote.git`;
    at.publish({ "feature.txt": "newer\n" });
    const git = await at.open({ token: TOKEN, remoteUrl });
    const push = await pushOf(git, await drafted(git));
    expect(await git.write(push, at.pullRequest())).toMatchObject({ state: "done" });
    expect(remoteBranch()).toBe(push.to);
    expect(seen.some(({ authorization }) => authorization === `Basic ${basic}`)).toBe(true);
    expect(seen.every(({ authorization }) => authorization === undefined || authorization === `Basic ${basic}`)).toBe(true);
    expect(() => readFileSync(log)).toThrow();
    const traced = readFileSync(trace, "utf8");
    expect(traced).toContain("ls-remote");
    expect(traced).not.toContain(TOKEN);
    expect(traced).not.toContain(basic);
    const onDisk = readdirSync(at.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => [TOKEN, basic].some((form) => readFileSync(file).includes(form)));
    expect(onDisk).toEqual([]);
  });

  it("is not sent to another host: neither by a redirect nor for a fork elsewhere", async () => {
    at = world();
    const other = await serve(at.folder, "another-token");
    const first = await serve(at.folder, TOKEN, (request, response) => {
      if (request.headers.authorization === undefined) return false;
      response.writeHead(302, { location: `${other.url}${request.url ?? ""}` }).end();
      return true;
    });
    const git = at.worktree({ token: TOKEN, remoteUrl: `${first.url}/remote.git` });
    at.publish({ "feature.txt": "newer\n" });
    await expect(git.open(at.pullRequest(), false)).rejects.toMatchObject({
      code: expect.stringMatching(/GITHUB_SIGN_IN|GIT_FAILED/) as string,
    });
    expect(other.seen.length).toBeGreaterThan(0);
    expect(JSON.stringify(other.seen)).not.toContain(basic);

    const good = await serve(at.folder, TOKEN);
    const second = at.worktree({ token: TOKEN, remoteUrl: `${good.url}/remote.git` });
    await second.open(at.pullRequest(), false);
    const push = await pushOf(second, await drafted(second));
    const base = at.pullRequest();
    const on = { ...base, fork: true, head: { ...base.head, repository: { owner: "x", name: "y", cloneUrl: `${other.url}/remote.git` } } };
    await expect(second.write(push, on)).rejects.toMatchObject({ code: "GITHUB_SIGN_IN" });
    expect(JSON.stringify(other.seen)).not.toContain(basic);
  });

  it("that is wrong ends in a sign-in error that doesn't repeat it", async () => {
    at = world();
    const { url } = await serve(at.folder, "the-right-one");
    const git = at.worktree({ token: TOKEN, remoteUrl: `${url}/remote.git` });
    at.publish({ "feature.txt": "newer\n" });
    const failed = await git.open(at.pullRequest(), false).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "GITHUB_SIGN_IN", stop: "auth-failed" });
    expect(String(failed)).not.toContain(TOKEN);
  });

  it("with a line end in it is refused", () => {
    at = world();
    expect(() => at.worktree({ token: "a\nhost=evil" })).toThrow(/line end/);
  });
});

describe("a server in trouble", () => {
  it("is asked again, and named when it stays so", async () => {
    at = world();
    let failures = 2;
    const { url, seen } = await serve(at.folder, undefined, (_request, response) => {
      if (failures <= 0) return false;
      failures -= 1;
      response.writeHead(503).end();
      return true;
    });
    at.publish({ "feature.txt": "newer\n" });
    const git = at.worktree({ remoteUrl: `${url}/remote.git` });
    await git.open(at.pullRequest(), false);
    expect(seen.length).toBeGreaterThan(2);
    failures = 100;
    await expect(git.remoteHead()).rejects.toMatchObject({ code: "GITHUB_UNAVAILABLE", stop: "poll-error" });
    expect(failures).toBe(97);
  });

  it("that has no such branch any more is said", async () => {
    at = world();
    const git = await at.open();
    at.git(at.remote, "update-ref", "refs/notes/refs/heads/feature", await git.head());
    at.git(at.remote, "update-ref", "-d", "refs/heads/feature");
    await expect(git.remoteHead()).rejects.toMatchObject({ code: "GIT_FAILED", message: expect.stringContaining("feature") as string });
    rmSync(at.remote, { recursive: true });
    await expect(git.remoteHead()).rejects.toMatchObject({ code: "GIT_FAILED" });
  });
});
