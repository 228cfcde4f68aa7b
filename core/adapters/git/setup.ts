/** Preparing a fresh checkout: the frozen install of the lock file at the root, once per content of it. */
import { createHash } from "node:crypto";
import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ReviewloopError } from "../../errors.js";
import type { Shell } from "../../ports.js";

interface Row {
  /** Only the first row that fits is used of each ecosystem. */
  readonly ecosystem: string;
  readonly lock: string;
  /** The lock file's content must match. */
  readonly when?: RegExp;
  readonly command: string;
  /** What the install leaves behind; without it the install is done again. */
  readonly creates?: string;
}

/** Tools that fetch what they need while they build (cargo, go, maven, gradle) need no step of their own. */
export const INSTALLS: readonly Row[] = [
  { ecosystem: "node", lock: "pnpm-lock.yaml", command: "pnpm install --frozen-lockfile", creates: "node_modules" },
  { ecosystem: "node", lock: "bun.lock", command: "bun install --frozen-lockfile", creates: "node_modules" },
  { ecosystem: "node", lock: "bun.lockb", command: "bun install --frozen-lockfile", creates: "node_modules" },
  { ecosystem: "node", lock: "yarn.lock", when: /^__metadata:/m, command: "yarn install --immutable" },
  { ecosystem: "node", lock: "yarn.lock", command: "yarn install --frozen-lockfile", creates: "node_modules" },
  { ecosystem: "node", lock: "package-lock.json", command: "npm ci", creates: "node_modules" },
  { ecosystem: "node", lock: "npm-shrinkwrap.json", command: "npm ci", creates: "node_modules" },
  { ecosystem: "python", lock: "uv.lock", command: "uv sync --frozen", creates: ".venv" },
  { ecosystem: "python", lock: "poetry.lock", command: "poetry install --no-interaction" },
  { ecosystem: "python", lock: "Pipfile.lock", command: "pipenv sync --dev" },
  { ecosystem: "ruby", lock: "Gemfile.lock", command: "BUNDLE_FROZEN=true bundle install" },
  { ecosystem: "php", lock: "composer.lock", command: "composer install --no-interaction", creates: "vendor" },
];

export interface SetupPlan {
  readonly command: string;
  /** Digest of the command and of every lock file it depends on. */
  readonly key: string;
  readonly creates: readonly string[];
}

const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
};

/** What has to be run in this folder, or undefined for nothing. */
export const setupPlan = async (root: string, setup: string | false | undefined): Promise<SetupPlan | undefined> => {
  if (setup === false || setup === "") return undefined;
  const digest = createHash("sha256");
  const chosen = new Map<string, Row>();
  const contents = new Map<string, string | undefined>();
  for (const row of INSTALLS) {
    if (!contents.has(row.lock)) contents.set(row.lock, await readIfThere(join(root, row.lock)));
    const content = contents.get(row.lock);
    if (content === undefined) continue;
    const fits = row.when === undefined || row.when.test(content);
    if (fits && !chosen.has(row.ecosystem)) chosen.set(row.ecosystem, row);
  }
  const rows = [...chosen.values()];
  const command = setup ?? rows.map((row) => row.command).join(" && ");
  if (command === "") return undefined;
  digest.update(command);
  // A command of the user's may use any of them.
  const relevant = setup === undefined ? rows.map((row) => row.lock) : [...contents.keys()];
  for (const lock of relevant) digest.update(`\0${lock}\0${contents.get(lock) ?? ""}`);
  const creates = setup === undefined ? rows.flatMap((row) => (row.creates === undefined ? [] : [row.creates])) : [];
  return { command, key: digest.digest("hex"), creates };
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export interface SetupOptions {
  readonly shell: Shell;
  readonly root: string;
  /** Where the key of the last good run is kept. */
  readonly folder: string;
  readonly setup: string | false | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

const LAST_LINES = 20;

/** Runs the set-up unless it was run for the same lock files. True if it ran. Throws `WORKTREE_SETUP`. */
export const prepare = async ({ shell, root, folder, setup, timeout, signal }: SetupOptions): Promise<boolean> => {
  const plan = await setupPlan(root, setup);
  if (plan === undefined) return false;
  const keyFile = join(folder, "setup");
  const present = await Promise.all(plan.creates.map((name) => isThere(join(root, name))));
  if ((await readIfThere(keyFile)) === plan.key && present.every(Boolean)) return false;
  const result = await shell.run({ command: plan.command, cwd: root, timeout, logFile: join(folder, "setup.log") }, signal);
  if (result.exitCode !== 0 || !result.started || result.timedOut) {
    const how = result.timedOut
      ? `it took longer than ${timeout} ms`
      : result.started
        ? `exit code ${result.exitCode ?? "unknown"}`
        : "it could not be started";
    const last = result.output.split("\n").slice(-LAST_LINES).join("\n");
    throw new ReviewloopError("WORKTREE_SETUP", { command: plan.command, problem: last === "" ? how : `${how}\n${last}` });
  }
  await writeFile(keyFile, plan.key, { mode: 0o600 });
  return true;
};
