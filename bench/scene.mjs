// A pull request of ada's with so many open review threads of five messages each, the last word with a bot; and what clients of it are started with.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, throwAwayCertificate } from "../dist/sandbox/index.js";

/** `tls`: as gh wants it; plain HTTP otherwise. */
export const sceneWith = async (threads, { tls = false } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-bench-"));
  const certificate = throwAwayCertificate(Date.now());
  const sandbox = await startSandbox(tls ? { tls: certificate } : {});
  const { world } = sandbox;
  world.addUser("ada");
  world.addBot("acme-review");
  world.addRepository("ada/shop", { files: { "README.md": "# shop\n" } });
  const lines = Array.from({ length: threads }, (_, index) => `line ${index + 1}\n`).join("");
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": lines }, message: "Lines" });
  const pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Lines" });
  for (let index = 0; index < threads; index += 1) {
    const thread = world.addThread("acme-review", pullRequest, { path: "src/a.ts", line: index + 1, body: `Why line ${index + 1}?` });
    for (let reply = 0; reply < 4; reply += 1)
      world.replyToThread(reply % 2 === 0 ? "ada" : "acme-review", thread, `Answer ${reply} about it.`);
  }
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, certificate.cert);
  const token = sandbox.tokenFor("ada");
  const { host } = new URL(sandbox.url);
  const base = { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1" };
  return {
    sandbox,
    pullRequest,
    folder,
    url: `${sandbox.url}/ada/shop/pull/${pullRequest.number}`,
    repository: `${host}/ada/shop`,
    /** For reviewloop. */
    environment: {
      ...base,
      XDG_STATE_HOME: join(folder, "state"),
      GITHUB_API_URL: sandbox.apiUrl,
      GITHUB_GRAPHQL_URL: sandbox.graphqlUrl,
      GH_TOKEN: token,
      ...(tls ? { NODE_EXTRA_CA_CERTS: ca } : {}),
    },
    /** For gh. */
    ghEnvironment: {
      ...base,
      GH_CONFIG_DIR: folder,
      GH_NO_UPDATE_NOTIFIER: "1",
      GH_PROMPT_DISABLED: "1",
      GH_HOST: host,
      GH_ENTERPRISE_TOKEN: token,
      SSL_CERT_FILE: ca,
    },
    /** What was asked of the API so far: requests, and the points that they cost. */
    asked: () => {
      const api = sandbox.requests.filter((request) => request.service !== "git");
      const sum = (service) => api.filter((request) => request.service === service).reduce((total, { cost }) => total + cost, 0);
      return { requests: api.length, points: sum("graphql") };
    },
    /** How many threads are open still. */
    open: () => pullRequest.threads.filter((thread) => !thread.resolved).length,
    close: async () => {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
