/** A new reviewer as `init reviewer` writes it: it type-checks and its tests pass, against the built package. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fitsSchema } from "./documents.js";
import { BIN } from "./sandboxed.js";

const root = join(import.meta.dirname, "..", "..");
const bin = (name: string): string => join(root, "node_modules", ".bin", name);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "reviewloop-init-"));
  await mkdir(join(folder, ".git"));
  await mkdir(join(folder, "node_modules", "@types"), { recursive: true });
  await symlink(root, join(folder, "node_modules", "reviewloop"));
  await symlink(join(root, "node_modules", "vitest"), join(folder, "node_modules", "vitest"));
  await symlink(join(root, "node_modules", "@types", "node"), join(folder, "node_modules", "@types", "node"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ran = async (file: string, args: readonly string[], cwd = folder) => {
  const found = await execa(file, args, { cwd, reject: false, all: true, env: { NO_COLOR: "1", NODE_OPTIONS: "", VITEST: "", CI: "1" } });
  return { code: found.exitCode, all: found.all, out: found.stdout, err: found.stderr };
};
const cli = async (...args: readonly string[]) => {
  const found = await ran(process.execPath, [BIN, ...args]);
  fitsSchema(args, found.out);
  return found;
};
const manifest = (content: object) => writeFile(join(folder, "package.json"), JSON.stringify({ private: true, ...content }));

describe("init reviewer", () => {
  test("plain JavaScript: the tests pass with node alone, the config takes it, read-body reads with it", async () => {
    await manifest({});
    const made = await cli("init", "reviewer", "acme-review", "--login", "Acme-App[bot]", "--json");
    expect(made.code).toBe(0);
    expect(JSON.parse(made.out)).toMatchObject({
      schemaVersion: 1,
      login: "acme-app",
      language: "js",
      runner: "node",
      written: ["acme-review.mjs", "fixtures.jsonl", "acme-review.test.mjs"].map((name) => join("reviewers", "acme-review", name)),
    });
    const tested = await ran(process.execPath, ["--test", "reviewers/acme-review/acme-review.test.mjs"]);
    expect([tested.code, tested.all]).toEqual([0, tested.all]);
    expect(Number(/\btests (\d+)/.exec(tested.all)?.[1])).toBeGreaterThan(25);
    await writeFile(
      join(folder, "reviewloop.config.json"),
      JSON.stringify({ extends: "review-clean", plugins: ["./reviewers/acme-review/acme-review.mjs"] }),
    );
    const read = await cli("read-body", "reviewers/acme-review/fixtures.jsonl");
    const [first, second] = read.out.split("\n").map((line) => JSON.parse(line) as object);
    expect(first).toMatchObject({ reviewer: "acme-review", signal: { state: "reviewed", verdict: "approve" } });
    expect(second).toMatchObject({
      findings: [{ severity: "high", path: "src/main.ts", line: 12, title: "Off by one" }, { severity: "low" }],
    });
  });

  test.each([
    ["module", "ts"],
    ["commonjs", "mts"],
  ])("TypeScript in a %s package: it type-checks strictly, and its tests pass with vitest", async (type, extension) => {
    await manifest({ type, devDependencies: { vitest: "*" } });
    const options = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noUnusedLocals: true, noEmit: true };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: { ...options, target: "es2023", module: "nodenext", types: ["node"], skipLibCheck: true },
        include: ["reviewers"],
      }),
    );
    const made = await cli("init", "reviewer", "acme");
    expect(made.out).toContain(`wrote ${join("reviewers", "acme", `acme.${extension}`)}`);
    const checked = await ran(bin("tsc"), ["-p", folder]);
    expect([checked.code, checked.all]).toEqual([0, ""]);
    const tested = await ran(bin("vitest"), ["run", "--root", folder, "reviewers/acme"]);
    expect([tested.code, tested.all]).toEqual([0, tested.all]);
  });

  test("a contract that its author breaks says so in one line", async () => {
    await manifest({});
    await cli("init", "reviewer", "acme");
    const file = join(folder, "reviewers", "acme", "acme.mjs");
    const whole = await readFile(file, "utf8");
    await writeFile(file, whole.replace(' || !markers.has("/acme-review")', ""));
    const tested = await ran(process.execPath, ["--test", "reviewers/acme/acme.test.mjs"]);
    expect(tested.code).toBe(1);
    expect(tested.all.replaceAll("\\", "")).toMatch(
      /acme, "half a text is never better than the whole": fetch: is content with the first \d+ characters of a review that finds something/,
    );
  });

  test("nothing is overwritten: with one file there, none is written", async () => {
    await manifest({});
    await mkdir(join(folder, "reviewers", "acme"), { recursive: true });
    await writeFile(join(folder, "reviewers", "acme", "fixtures.jsonl"), "mine\n");
    const refused = await cli("init", "reviewer", "acme");
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toContain(join("reviewers", "acme", "fixtures.jsonl"));
    expect(await readFile(join(folder, "reviewers", "acme", "fixtures.jsonl"), "utf8")).toBe("mine\n");
    await expect(readFile(join(folder, "reviewers", "acme", "acme.mjs"))).rejects.toThrow();
  });

  test.each(["../acme", "greptile", "-x"])("%j is refused as a name", async (name) => {
    await manifest({});
    const refused = await cli("init", "reviewer", "--", name);
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toContain("USAGE");
  });
});
