/** What a user gets: packed, installed into an empty folder, imported, run, type-checked. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
let folder = "";
let tarball = "";

const inFolder = (file: string, args: readonly string[]) => execa(file, args, { cwd: folder, all: true, env: { NO_COLOR: "1" } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reviewloop-package-"));
  const packed = await execa("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root });
  tarball = join(folder, (JSON.parse(packed.stdout) as readonly { filename: string }[])[0]?.filename ?? "");
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const installed = await inFolder("npm", ["install", "--no-audit", "--no-fund", tarball]);
  expect(installed.all).not.toContain("EBADENGINE");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const EXPORTS = {
  reviewloop: ["run", "plan", "look", "definePlugin", "defineReviewer", "defineTarget", "defineAgent", "defineConfig", "ReviewloopError"],
  "reviewloop/plugins": ["greptile", "reviewClean", "suggestions", "builtinPlugins"],
  "reviewloop/presets/review-clean": ["reviewClean"],
  "reviewloop/adapters": ["githubForge", "gitWorktree", "shell", "fileStore", "systemClock"],
  "reviewloop/testing": ["scenario", "virtualClock", "reviewerContract"],
  "reviewloop/sandbox": ["startSandbox"],
} as const;

test("every export can be imported", async () => {
  const script = Object.entries(EXPORTS)
    .map(
      ([name, wanted]) =>
        `{ const found = await import(${JSON.stringify(name)}); for (const each of ${JSON.stringify(wanted)}) if (!(each in found)) throw new Error(${JSON.stringify(name)} + " lacks " + each); }`,
    )
    .join("\n");
  await inFolder(process.execPath, ["--input-type=module", "-e", script]);
  const schema = await inFolder(process.execPath, [
    "--input-type=module",
    "-e",
    `import schema from "reviewloop/config-schema.json" with { type: "json" }; console.log(schema.type)`,
  ]);
  expect(schema.stdout).toBe("object");
});

test("the bin runs, and loads next to nothing for --help", async () => {
  const help = await inFolder("npx", ["reviewloop", "--help"]);
  expect(help.stdout).toContain("Drives a GitHub pull request");
});

test("init, from an installation, places the skill that is shipped", async () => {
  const home = join(folder, "project");
  await execa("git", ["init", "--quiet", home]);
  await execa("npx", ["reviewloop", "init", "--yes"], { cwd: home, env: { NO_COLOR: "1", GH_HOST: "localhost:1" } });
  const shipped = await readFile(join(folder, "node_modules", "reviewloop", "skills", "reviewloop", "SKILL.md"), "utf8");
  expect(await readFile(join(home, ".claude", "skills", "reviewloop", "SKILL.md"), "utf8")).toBe(shipped);
});

test("a consumer's types check, with skipLibCheck off", async () => {
  await writeFile(
    join(folder, "consumer.ts"),
    [
      `import { defineConfig, definePlugin, run } from "reviewloop";`,
      `import { greptile } from "reviewloop/plugins";`,
      `import { scenario } from "reviewloop/testing";`,
      `import { startSandbox } from "reviewloop/sandbox";`,
      `export const quiet = definePlugin({ name: "quiet", kind: "tool", on: { check: (blockers) => blockers } });`,
      `export default defineConfig({ extends: "merge-ready", plugins: [greptile({ minScore: 4 }), quiet], gate: "npm test", wait: { poll: "10s" } });`,
      `export const go = async (): Promise<string | null> => (await run({ pullRequest: "12" })).stop;`,
      `export { scenario, startSandbox };`,
      `// @ts-expect-error: an unknown phase`,
      `definePlugin({ name: "wrong", kind: "tool", on: { chekc: () => [] } });`,
      `// @ts-expect-error: a refine handler that returns nothing`,
      `definePlugin({ name: "wrong", kind: "tool", on: { check: () => {} } });`,
      `// @ts-expect-error: not a duration`,
      `defineConfig({ wait: { poll: "10 seconds" } });`,
    ].join("\n"),
  );
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2023",
        lib: ["es2023"],
        module: "nodenext",
        moduleResolution: "nodenext",
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        types: ["node"],
        typeRoots: [join(root, "node_modules", "@types")],
      },
      files: ["consumer.ts"],
    }),
  );
  await execa(join(root, "node_modules", ".bin", "tsc"), ["-p", folder], { cwd: folder, all: true });
});

test("publint and are-the-types-wrong have nothing to say", async () => {
  await execa(join(root, "node_modules", ".bin", "publint"), ["--strict", root], { cwd: root, all: true });
  await execa(
    join(root, "node_modules", ".bin", "attw"),
    [tarball, "--profile", "esm-only", "--exclude-entrypoints", "config-schema.json"],
    { cwd: root, all: true },
  );
});

test("what is shipped stands by itself: no test, no source, no path of the machine that packed it", async () => {
  const files = (await execa("tar", ["-tzf", tarball])).stdout.split("\n");
  expect(files).toContain("package/config-schema.json");
  expect(files).toContain("package/LICENSE");
  expect(files.filter((file) => file.endsWith("SKILL.md"))).toEqual(["package/skills/reviewloop/SKILL.md"]);
  expect(
    files.filter((file) => /\/(test|bench|examples|scripts)\//.test(file) || (file.endsWith(".ts") && !file.endsWith(".d.ts"))),
  ).toEqual([]);
  const main = await readFile(join(folder, "node_modules", "reviewloop", "dist", "cli", "main.js"), "utf8");
  expect(main.startsWith("#!/usr/bin/env node")).toBe(true);
  expect(main).not.toContain(root);
});
