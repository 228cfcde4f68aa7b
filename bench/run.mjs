// Measures and writes docs/benchmarks.md: node bench/run.mjs (after npm run build). Times are multiples of something measured in the same run.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { githubForge, systemClock } from "../dist/core/adapters/index.js";
import { startSandbox } from "../dist/sandbox/index.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const BIN = join(root, "dist", "cli", "main.js");
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const times = (number) => `${number.toFixed(1)}x`;

/** A pull request with so many threads of five messages each. */
const sandboxWith = async (threads) => {
  const lines = Array.from({ length: threads }, (_, index) => `line ${index + 1}\n`).join("");
  const sandbox = await startSandbox();
  const { world } = sandbox;
  for (const login of ["ada", "grace"]) world.addUser(login);
  world.addRepository("ada/shop", { files: { "README.md": "# shop\n" } });
  world.setAccess("ada/shop", "grace", "write");
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/a.ts": lines }, message: "Lines" });
  const pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Lines" });
  for (let index = 0; index < threads; index += 1) {
    const thread = world.addThread("grace", pullRequest, { path: "src/a.ts", line: index + 1, body: `Why line ${index + 1}?` });
    for (let reply = 0; reply < 4; reply += 1) world.replyToThread(reply % 2 === 0 ? "ada" : "grace", thread, `Answer ${reply} about it.`);
  }
  return { sandbox, pullRequest };
};

const reading = async (threads) => {
  const { sandbox, pullRequest } = await sandboxWith(threads);
  const answers = [];
  const fetched = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    const response = await fetched(...args);
    answers.push(await response.clone().text());
    return response;
  };
  try {
    const host = new URL(sandbox.url).host;
    const forge = githubForge({
      apiUrl: sandbox.apiUrl,
      graphqlUrl: sandbox.graphqlUrl,
      host,
      token: sandbox.tokenFor("ada"),
      clock: systemClock(),
      pace: 0,
    });
    const before = { ...forge.cost };
    const snapshot = await forge.read({ host, owner: "ada", name: "shop", number: pullRequest.number });
    if (snapshot.reviewThreads.length !== threads) throw new Error(`${snapshot.reviewThreads.length} threads were read, not ${threads}`);
    const { requests, points } = forge.cost;
    const bytes = answers.reduce((sum, text) => sum + text.length, 0);
    return { threads, requests: requests - before.requests, points: points - before.points, kilobytes: Math.round(bytes / 1024) };
  } finally {
    globalThis.fetch = fetched;
    await sandbox.close();
  }
};

const start = async (args, environment) => {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore", env: environment });
  await once(child, "exit");
  return performance.now() - began;
};

const startUp = async () => {
  const { sandbox, pullRequest } = await sandboxWith(10);
  const home = mkdtempSync(join(tmpdir(), "reviewloop-bench-"));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_STATE_HOME: home,
    GITHUB_API_URL: sandbox.apiUrl,
    GITHUB_GRAPHQL_URL: sandbox.graphqlUrl,
    GH_TOKEN: sandbox.tokenFor("ada"),
  };
  try {
    const of = async (args) => {
      const runs = [];
      for (let run = 0; run < 7; run += 1) runs.push(await start(args, environment));
      return median(runs);
    };
    const bare = await of(["-e", "0"]);
    const url = `${sandbox.url}/ada/shop/pull/${pullRequest.number}`;
    return { help: (await of([BIN, "--help"])) / bare, status: (await of([BIN, "status", url, "--json"])) / bare };
  } finally {
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  }
};

const rows = [];
for (const threads of [10, 100, 1000]) rows.push(await reading(threads));
const { help, status } = await startUp();
const node = spawnSync(process.execPath, ["--version"], { encoding: "utf8" }).stdout.trim();

writeFileSync(
  join(root, "docs", "benchmarks.md"),
  `# Benchmarks

\`npm run bench\` writes this page. Requests, points and sizes are counts; times are multiples of something measured in the
same run, on Node ${node}.

## One complete read

A pull request with so many review threads of five messages each, read from the sandbox over HTTP: every connection to its end.

| threads | requests | GraphQL points | answers, KiB |
| --- | --- | --- | --- |
${rows.map((row) => `| ${row.threads} | ${row.requests} | ${row.points} | ${row.kilobytes} |`).join("\n")}

## Start-up

| command | multiple of \`node -e 0\` |
| --- | --- |
| \`reviewloop --help\` | ${times(help)} |
| \`reviewloop status\` (10 threads, over HTTP) | ${times(status)} |
`,
);
process.stdout.write(`${JSON.stringify({ rows, help, status })}\n`);
