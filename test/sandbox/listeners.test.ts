/** The same server on a port, behind TLS and on a unix socket; and that it goes away. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { startSandbox, throwAwayCertificate, type Sandbox } from "../../sandbox/index.js";

const folder = mkdtempSync(join(tmpdir(), "sandbox-listeners-"));
let sandbox: Sandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

const seed: NonNullable<Parameters<typeof startSandbox>[0]>["seed"] = (world) => {
  world.addUser("ada");
  world.addRepository("ada/shop", { files: { "README.md": "# Shop\n" } });
};

const get = async (
  send: typeof httpRequest,
  options: RequestOptions,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    const request = send({ ...options, headers: { "user-agent": "test", ...headers } }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (body += part));
      response.on("end", () => resolve({ status: response.statusCode, body }));
    });
    request.once("error", reject);
    request.end();
  });

test("over TLS with a certificate that is its own authority, for REST and for git", async () => {
  const tls = throwAwayCertificate(Date.now());
  sandbox = await startSandbox({ seed, tls });
  expect([sandbox.apiUrl, sandbox.graphqlUrl]).toEqual([`${sandbox.url}/api/v3`, `${sandbox.url}/api/graphql`]);
  const { port } = new URL(sandbox.url);
  const { status, body } = await get(httpsRequest, { host: "localhost", port, path: "/api/v3/repos/ada/shop", ca: tls.cert });
  expect([status, JSON.parse(body)]).toMatchObject([200, { full_name: "ada/shop", clone_url: `https://localhost:${port}/ada/shop.git` }]);
  await expect(get(httpsRequest, { host: "localhost", port, path: "/api/v3/" })).rejects.toThrow(/self-signed|certificate/u);
  const authority = join(mkdtempSync(join(tmpdir(), "sandbox-ca-")), "ca.pem");
  writeFileSync(authority, tls.cert);
  const { stdout } = await promisify(execFile)("git", ["ls-remote", `${sandbox.url}/ada/shop.git`], {
    env: { PATH: process.env["PATH"] ?? "", GIT_SSL_CAINFO: authority, GIT_CONFIG_NOSYSTEM: "1", HOME: folder },
  });
  expect(stdout).toContain("refs/heads/main");
  rmSync(join(authority, ".."), { recursive: true });
});

test("on a unix socket it is github.com", async () => {
  const place = mkdtempSync(join(tmpdir(), "sandbox-socket-"));
  const socketPath = join(place, "s.sock");
  sandbox = await startSandbox({ seed, unixSocket: socketPath });
  const { status, body } = await get(httpRequest, { socketPath, path: "/repos/ada/shop" }, { host: "api.github.com" });
  expect([status, JSON.parse(body)]).toMatchObject([
    200,
    { html_url: "https://github.com/ada/shop", url: "https://api.github.com/repos/ada/shop" },
  ]);
  await sandbox.close();
  expect(existsSync(socketPath)).toBe(false);
  sandbox = undefined;
  rmSync(place, { recursive: true });
});

test("closed, it takes its folder with it and answers no more, whatever is under way", async () => {
  const before = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith("reviewloop-sandbox-")));
  const own = await startSandbox({ seed });
  const made = readdirSync(tmpdir()).find(
    (name) => name.startsWith("reviewloop-sandbox-") && !before.has(name) && own.repositories.folder.endsWith(name),
  );
  expect(made).toBeDefined();
  own.world.faults.set("slow-answer", { milliseconds: 1_000_000 });
  const hanging = fetch(`${own.apiUrl}/repos/ada/shop`).then(
    () => "answered",
    () => "broken off",
  );
  while (own.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await own.close();
  expect(await hanging).toBe("broken off");
  expect(existsSync(own.repositories.folder)).toBe(false);
  await expect(fetch(own.apiUrl)).rejects.toThrow();
});
