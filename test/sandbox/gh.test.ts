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

const installed = spawnSync("gh", ["--version"]).status === 0;
const run = promisify(execFile);

describe.skipIf(!installed).each(["tls", "socket"] as const)("gh over %s", (mode) => {
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
    await expect(pr("checks")).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("fail") });
    expect(await pr("diff")).toContain(`diff --git a/${FILE}`);
    expect(await gh("pr", "list", "-R", repository)).toContain("topic");
    expect(JSON.parse(await gh("repo", "view", repository, "--json", "nameWithOwner"))).toEqual({ nameWithOwner: "ada/shop" });
  });

  test("it follows pages and asks GraphQL", async () => {
    for (let index = 0; index < 3; index += 1) scene.world.comment("grace", scene.pullRequest, `Note ${index}`);
    const ids = await gh("api", "--paginate", "repos/ada/shop/issues/7/comments?per_page=1", "--jq", ".[].id");
    expect(ids.trim().split("\n")).toEqual(scene.pullRequest.comments.map((comment) => String(comment.databaseId)));
    expect(JSON.parse(await gh("api", "graphql", "-f", "query={viewer{login}}"))).toEqual({ data: { viewer: { login: "ada" } } });
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
    expect(scene.sandbox.unknownRequests).toEqual([]);
  });
});
