// Installs pinned coding clients from npm below .cache/agents, then runs test/agents against them.
//   npm run test:agents                      claude and codex: whole loops
//   npm run test:agents -- copilot opencode gemini
//   npm run test:agents -- all
// They are big and not all free to ship, so they are no dependencies. Their install scripts don't run; the step that some need is called by hand.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const CLIENTS = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.197", after: "install.cjs" },
  codex: { package: "@openai/codex", version: "0.171.0" },
  copilot: { package: "@github/copilot", version: "1.0.102" },
  opencode: { package: "opencode-ai", version: "1.18.33", after: "postinstall.mjs" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0" },
};
const IN_CI = ["claude", "codex"];

const cache = resolve(import.meta.dirname, "..", ".cache", "agents");
// npm leaves its own settings to what it starts; the clients and the second npm get none of ours.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_package_")));

const asked = process.argv.slice(2);
const names = asked.length === 0 ? IN_CI : asked.includes("all") ? Object.keys(CLIENTS) : asked;
const unknown = names.filter((name) => CLIENTS[name] === undefined);
if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(", ")}; there are ${Object.keys(CLIENTS).join(", ")}`);

const versionOf = (program) =>
  spawnSync(program, ["--version"], { encoding: "utf8", timeout: 60_000, env: { ...environment, HOME: cache } }).stdout ?? "";

for (const name of names) {
  const { package: id, version, after } = CLIENTS[name];
  const folder = join(cache, `${name}-${version}`);
  const program = join(folder, "node_modules", ".bin", name);
  if (existsSync(join(folder, "complete"))) continue;
  // Of an older pin, or half-way installed.
  if (existsSync(cache))
    for (const old of readdirSync(cache)) if (old.startsWith(`${name}-`)) rmSync(join(cache, old), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  console.log(`installing ${id}@${version}`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, `${id}@${version}`], { cwd: folder, stdio: "inherit", env: environment });
  const home = join(folder, "node_modules", ...id.split("/"));
  if (after !== undefined) execFileSync(process.execPath, [after], { cwd: home, stdio: "inherit", env: environment });
  const found = versionOf(program);
  if (!found.includes(version)) throw new Error(`${name} says that it is ${found.trim() || "nothing"}, not ${version}`);
  writeFileSync(join(folder, "complete"), `${version}\n`);
}

const programs = Object.fromEntries(
  names.map((name) => [name, join(cache, `${name}-${CLIENTS[name].version}`, "node_modules", ".bin", name)]),
);
const vitest = join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs");
// Whole loops are for those that drive them; a file without a test would be a failure.
const loops = names.some((name) => IN_CI.includes(name))
  ? []
  : ["--exclude", "test/agents/loop.test.ts", "--exclude", "test/agents/driving.test.ts"];
const ran = spawnSync(process.execPath, [vitest, "run", "--config", "vitest.agents.config.ts", ...loops], {
  cwd: resolve(import.meta.dirname, ".."),
  stdio: "inherit",
  env: { ...environment, REVIEWLOOP_AGENT_CLIENTS: JSON.stringify(programs) },
});
process.exitCode = ran.status ?? 1;
