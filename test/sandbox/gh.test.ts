/**
 * GitHub's own command line, where it is installed, against the sandbox: over TLS with the paths of an Enterprise server, and on a unix
 * socket as if it were github.com. What it says is compared with the sandbox's state.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { throwAwayCertificate } from "../../sandbox/index.js";
import { FILE, startScene, type Scene } from "./scene.js";

// On a machine of one's own it may be missing; in CI, which installs it, that is a failure.
const wanted = process.env["CI"] !== undefined || spawnSync("gh", ["--version"]).status === 0;
const run = promisify(execFile);

describe.runIf(wanted).each(["tls", "socket"] as const)("gh over %s", (mode) => {
  let scene: Scene;
  let folder: string;
  let repository: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sandbox-gh-"));
    const socket = join(folder, "s.sock");
    const tls = throwAwayCertificate(Date.now());
    scene = await startScene(mode === "tls" ? { tls } : { unixSocket: socket });
    const { world, pullRequest, sandbox } = scene;
    world.review("grace", pullRequest, { state: "COMMENTED", body: "Look", comments: [{ path: FILE, line: 3, body: "Why?" }] });
    world.createCheck("github-actions", {
      repository: "ada/shop",
      head: pullRequest.head.sha,
      name: "test",
      conclusion: "FAILURE",
      workflow: { name: "CI", event: "push" },
    });
    writeFileSync(join(folder, "ca.pem"), tls.cert);
    const { host } = new URL(sandbox.url);
    repository = mode === "tls" ? `${host}/ada/shop` : "ada/shop";
    const token = sandbox.tokenFor("ada");
    environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GH_CONFIG_DIR: folder,
      GH_NO_UPDATE_NOTIFIER: "1",
      GH_PROMPT_DISABLED: "1",
      NO_COLOR: "1",
      ...(mode === "tls" ? { GH_HOST: host, GH_ENTERPRISE_TOKEN: token, SSL_CERT_FILE: join(folder, "ca.pem") } : { GH_TOKEN: token }),
    };
    if (mode === "socket") await run("gh", ["config", "set", "http_unix_socket", socket], { env: environment });
  });
  afterAll(async () => {
    await scene?.sandbox.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const gh = async (...args: readonly string[]): Promise<string> => (await run("gh", args, { env: environment })).stdout;
  const pr = async (command: string, ...args: readonly string[]): Promise<string> => gh("pr", command, "7", "-R", repository, ...args);

  test("it signs in and reads", async () => {
    await gh("auth", "status");
    const view = JSON.parse(
      await pr(
        "view",
        "--json",
        "number,isDraft,headRefOid,mergeable,mergeStateStatus,statusCheckRollup,reviews,comments,reviewRequests,files,commits",
      ),
    ) as unknown;
    expect(view).toMatchObject({
      number: 7,
      isDraft: false,
      headRefOid: scene.pullRequest.head.sha,
      mergeable: "MERGEABLE",
      mergeStateStatus: "UNSTABLE",
      statusCheckRollup: [{ name: "test", conclusion: "FAILURE" }],
      reviews: [{ author: { login: "grace" }, body: "Look", state: "COMMENTED" }],
      files: [{ path: FILE }, { path: "src/new.ts" }],
    });
    expect(await pr("view")).toContain("Count one more");
    expect(await pr("view", "--comments")).toContain("Look");
    expect(await pr("diff")).toContain(`diff --git a/${FILE}`);
    expect(await gh("pr", "list", "-R", repository)).toContain("topic");
    expect(await gh("pr", "status", "-R", repository)).toContain("#7  Count one more [topic]");
    expect(await gh("run", "list", "-R", repository)).toContain("CI");
    expect(JSON.parse(await gh("repo", "view", repository, "--json", "nameWithOwner"))).toEqual({ nameWithOwner: "ada/shop" });
  });

  test("every field of a pull request that it knows", async () => {
    // It says them itself when it is asked for one that it does not know.
    const refused = (await pr("view", "--json", "nothing").catch((error: unknown) => error)) as { readonly stderr: string };
    const fields = refused.stderr
      .split("\n")
      .filter((line) => /^ {2}\w+$/u.test(line))
      .map((line) => line.trim());
    expect(fields).toEqual(expect.arrayContaining(["isDraft", "reviewDecision", "statusCheckRollup"]));
    const view = JSON.parse(await pr("view", "--json", fields.join())) as Record<string, unknown>;
    expect(Object.keys(view).toSorted()).toEqual(fields.toSorted());
    // Nothing is required here, and it has a spelling of its own for that.
    expect(view).toMatchObject({ reviewDecision: "", isCrossRepository: false, baseRefName: "main" });
  });

  test("checks: red, pending, green, none, each with its exit code", async () => {
    const { world, pullRequest } = scene;
    const check = (name: string, rest: object) =>
      world.setCheck("github-actions", { repository: "ada/shop", head: pullRequest.head.sha, name, ...rest });
    await expect(pr("checks")).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("test\tfail") });
    check("lint", { status: "IN_PROGRESS" });
    // A newer run stands beside the red one, and counts.
    world.createCheck("github-actions", {
      repository: "ada/shop",
      head: pullRequest.head.sha,
      name: "test",
      conclusion: "SUCCESS",
      workflow: { name: "CI", event: "push" },
    });
    const pending = (await pr("checks").catch((error: unknown) => error)) as { readonly code: number; readonly stdout: string };
    expect(pending.stdout).toContain("lint\tpending");
    // 8 since there is a code of its own for it.
    expect([1, 8]).toContain(pending.code);
    check("lint", { conclusion: "SKIPPED" });
    world.faults.set("no-checks-yet", { milliseconds: 3_600_000 });
    await expect(pr("checks")).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("no checks reported") });
    world.faults.clear();
  });

  test("it follows pages and asks GraphQL", async () => {
    for (let index = 0; index < 3; index += 1) scene.world.comment("grace", scene.pullRequest, `Note ${index}`);
    const ids = await gh("api", "--paginate", "repos/ada/shop/issues/7/comments?per_page=1", "--jq", ".[].id");
    expect(ids.trim().split("\n")).toEqual(scene.pullRequest.comments.map((comment) => String(comment.databaseId)));
    expect(JSON.parse(await gh("api", "graphql", "-f", "query={viewer{login}}"))).toEqual({ data: { viewer: { login: "ada" } } });
    scene.world.review("greptile-apps", scene.pullRequest, {
      state: "COMMENTED",
      comments: [4, 5, 6].map((line) => ({ path: FILE, line, body: `Point ${line}` })),
    });
    const query = `query($endCursor: String) { repository(owner: "ada", name: "shop") { pullRequest(number: 7) {
      reviewThreads(first: 1, after: $endCursor) { nodes { id } pageInfo { hasNextPage endCursor } } } } }`;
    const jq = ".data.repository.pullRequest.reviewThreads.nodes[].id";
    const threads = await gh("api", "graphql", "--paginate", "-f", `query=${query}`, "--jq", jq);
    expect(threads.trim().split("\n")).toEqual(scene.pullRequest.threads.map((thread) => thread.id));
  });

  test("a fault as it meets it: the body, the message, and exit code 1", async () => {
    scene.world.faults.set("null-connection", { field: "reviews" });
    const query = 'query={repository(owner:"ada",name:"shop"){pullRequest(number:7){number reviews(first:1){totalCount}}}}';
    await expect(gh("api", "graphql", "-f", query)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"pullRequest":{"number":7,"reviews":null}'),
      stderr: expect.stringContaining("Something went wrong while executing your query"),
    });
    scene.world.faults.clear();
    scene.world.faults.set("lost-answer", { writes: [1] });
    const before = scene.pullRequest.comments.length;
    await expect(pr("comment", "--body", "Lost")).rejects.toMatchObject({ code: 1 });
    // It was applied, and gh can't know.
    expect(scene.pullRequest.comments).toHaveLength(before + 1);
    scene.world.faults.clear();
  });

  test("it writes", async () => {
    const { pullRequest } = scene;
    await pr("ready", "--undo");
    expect(pullRequest.draft).toBe(true);
    await pr("ready");
    expect(pullRequest.draft).toBe(false);
    await pr("comment", "--body", "From gh");
    expect(pullRequest.comments.at(-1)).toMatchObject({ body: "From gh", author: "ada" });
    await pr("edit", "--add-reviewer", "grace");
    expect(pullRequest.requests.map((request) => request.login)).toEqual(["grace"]);
    await pr("edit", "--body", "New words");
    expect(pullRequest.body).toBe("New words");
    await pr("review", "--comment", "-b", "Reviewed");
    expect(pullRequest.reviews.at(-1)).toMatchObject({ body: "Reviewed", state: "COMMENTED" });
    await expect(pr("review", "--approve")).rejects.toMatchObject({ stderr: expect.stringContaining("Can not approve your own") });
    await pr("lock");
    expect(pullRequest.locked).toBe(true);
    await pr("unlock");
    await pr("close");
    await pr("reopen");
    expect([pullRequest.state, pullRequest.locked]).toEqual(["open", false]);
    await gh("issue", "create", "-R", repository, "--title", "Later", "--body", "Not now");
    expect([...scene.world.repository("ada/shop").issues.values()]).toMatchObject([{ title: "Later", body: "Not now" }]);
    const { number } = [...scene.world.repository("ada/shop").issues.values()][0] ?? { number: 0 };
    expect(await gh("issue", "view", String(number), "-R", repository)).toContain("Not now");
    expect(scene.sandbox.unknownRequests).toEqual([]);
  });
});
