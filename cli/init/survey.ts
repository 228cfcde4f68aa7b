/** What a folder tells about a project: how it is tested, and what runs on a pull request. Reads files, runs nothing. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const text = (file: string): Promise<string | undefined> => readFile(file, "utf8").catch(() => undefined);

const scriptIn = (manifest: string): string | undefined => {
  try {
    const parsed = JSON.parse(manifest) as { readonly scripts?: { readonly test?: unknown } } | null;
    return typeof parsed?.scripts?.test === "string" ? parsed.scripts.test : undefined;
  } catch {
    return undefined;
  }
};

/** What `npm init` writes is no test. */
const PLACEHOLDER = "no test specified";

export const testCommandIn = async (root: string): Promise<string | undefined> => {
  const names = new Set(await readdir(root).catch(() => []));
  const script = names.has("package.json") ? scriptIn((await text(join(root, "package.json"))) ?? "") : undefined;
  if (script !== undefined && !script.includes(PLACEHOLDER)) {
    if (names.has("pnpm-lock.yaml")) return "pnpm test";
    if (names.has("yarn.lock")) return "yarn test";
    return names.has("bun.lock") || names.has("bun.lockb") ? "bun run test" : "npm test";
  }
  if (names.has("Cargo.toml")) return "cargo test";
  if (names.has("go.mod")) return "go test ./...";
  if (names.has("pytest.ini") || names.has("tox.ini") || names.has("conftest.py")) return "python -m pytest";
  if (/\[tool\.pytest/.test((await text(join(root, "pyproject.toml"))) ?? "")) return "python -m pytest";
  return /^test:/m.test((await text(join(root, "Makefile"))) ?? "") ? "make test" : undefined;
};

/** Names of workflow files that a pull request or a push starts. */
export const workflowsIn = async (root: string): Promise<readonly string[]> => {
  const folder = join(root, ".github", "workflows");
  const found: string[] = [];
  for (const name of (await readdir(folder).catch(() => [])).filter((each) => /\.ya?ml$/.test(each)).sort())
    if (/\b(?:pull_request|push)\b/.test((await text(join(folder, name))) ?? "")) found.push(name);
  return found;
};
