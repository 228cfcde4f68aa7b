import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { CONFIG_FILES, findConfig, findRoot, importFrom, loadConfig } from "../../core/config/load.js";
import { ReviewloopError } from "../../core/errors.js";
import { checkoutWith, errorOf, fixture, folderWith } from "./support.js";

const local = { ci: false };
const load = async (name: string): Promise<unknown> => (await loadConfig({ folder: await fixture(name) }, local))?.config;

describe("the root", () => {
  it("is the top of the checkout, from wherever in it one stands", async () => {
    const root = await checkoutWith({ "packages/app/package.json": "{}" });
    expect(await findRoot(join(root, "packages/app"))).toBe(root);
  });

  it("is the top of a linked worktree, where .git is a file", async () => {
    const root = await folderWith({ ".git": "gitdir: elsewhere", "src/a.ts": "" });
    expect(await findRoot(join(root, "src"))).toBe(root);
  });

  it("is the folder itself outside of any checkout", async () => {
    const folder = await folderWith({});
    expect(await findRoot(folder)).toBe(folder);
  });
});

describe("finding", () => {
  it.each(CONFIG_FILES)("takes %s at the root and nothing below or above it", async (name) => {
    const root = await checkoutWith({ [name]: "anything", "app/reviewloop.config.json": "{}", "app/package.json": "{}" });
    expect(await findConfig(root)).toEqual({ file: join(root, name), content: "anything" });
    expect(await findConfig(await checkoutWith({ "app/reviewloop.config.json": "{}" }))).toBeUndefined();
  });

  it("takes the reviewloop key of package.json last", async () => {
    const root = await checkoutWith({ "package.json": '{ "reviewloop": { "target": "review-clean" } }' });
    expect((await loadConfig({ folder: root }, local))?.config).toEqual({ target: "review-clean" });
    await writeFile(join(root, "reviewloop.config.json"), '{ "target": "merge-ready" }');
    expect((await loadConfig({ folder: root }, local))?.config).toEqual({ target: "merge-ready" });
  });

  it("takes a package.json without the key, or an empty one, for none", async () => {
    expect(await findConfig(await checkoutWith({ "package.json": "{}" }))).toBeUndefined();
    expect(await findConfig(await checkoutWith({ "package.json": "" }))).toBeUndefined();
  });

  it("does not take an rc file, a home config or a .config folder", async () => {
    const root = await checkoutWith({ ".reviewlooprc": "target: x", ".config/reviewlooprc.json": "{}", ".config/config.json": "{}" });
    expect(await findConfig(root)).toBeUndefined();
  });

  it("says that a file is there and can't be read, instead of none", async () => {
    const root = await checkoutWith({});
    await mkdir(join(root, "reviewloop.config.ts"));
    const error = await errorOf(findConfig(root));
    expect(error.code).toBe("CONFIG_LOAD");
    expect(error.message).toContain(join(root, "reviewloop.config.ts"));
  });

  it("says so when --config names nothing", async () => {
    const folder = await folderWith({});
    const error = await errorOf(loadConfig({ folder, file: "other.config.ts" }, local));
    expect(error).toMatchObject({ code: "CONFIG_NOT_FOUND", exit: 3, data: { file: join(folder, "other.config.ts") } });
  });

  it("takes any file that --config names, from the folder one stands in", async () => {
    const folder = await folderWith({ "ci/loop.yml": "target: review-clean\nwait: { poll: 5s }\n" });
    expect(await loadConfig({ folder: join(folder, "ci"), file: "loop.yml" }, local)).toEqual({
      file: join(folder, "ci/loop.yml"),
      folder: join(folder, "ci"),
      config: { target: "review-clean", wait: { poll: "5s" } },
    });
  });

  it("refuses a kind of file that it does not know", async () => {
    const folder = await folderWith({ "loop.toml": "target = 1" });
    expect((await errorOf(loadConfig({ folder, file: "loop.toml" }, local))).code).toBe("CONFIG_LOAD");
  });

  it("runs nothing", async () => {
    const root = await checkoutWith({ "reviewloop.config.mjs": 'throw new Error("ran");' });
    await expect(findConfig(root)).resolves.toMatchObject({ file: join(root, "reviewloop.config.mjs") });
  });

  it("never runs .config/config.* of the current directory, nor takes search places from there", async () => {
    const folder = await folderWith({
      ".config/config.cjs": 'require("node:fs").writeFileSync("ran.txt", "ran"); module.exports = { searchPlaces: ["other.json"] };',
      "other.json": '{ "target": "stolen" }',
      "package.json": '{ "cosmiconfig": { "searchPlaces": ["other.json"] } }',
    });
    const script = [
      `import { createJiti } from ${JSON.stringify(import.meta.resolve("jiti"))};`,
      `const jiti = createJiti(${JSON.stringify(fileURLToPath(import.meta.url))}, { fsCache: false });`,
      `const { findConfig } = await jiti.import("../../core/config/load.ts");`,
      "console.log(String(await findConfig(process.cwd())));",
    ].join("\n");
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(stdout.trim()).toBe("undefined");
    expect(await readdir(folder)).not.toContain("ran.txt");
  });
});

describe("a broken config is an error with its file, never a missing config", () => {
  it.each([
    ["syntax-error", "CONFIG_LOAD", /:3:/],
    ["syntax-error-js", "CONFIG_LOAD", /./],
    ["syntax-error-json", "CONFIG_LOAD", /JSON/],
    ["syntax-error-yaml", "CONFIG_LOAD", /line/],
    ["twice-yaml", "CONFIG_LOAD", /unique/],
    ["throws-enoent", "CONFIG_LOAD", /ENOENT.*not-there\.txt/],
    ["throws-enoent-js", "CONFIG_LOAD", /ENOENT.*not-there\.txt/],
    ["function-throws", "CONFIG_LOAD", /no luck today/],
    ["no-default", "CONFIG_NO_DEFAULT", /no default export/],
    ["no-default-js", "CONFIG_NO_DEFAULT", /no default export/],
    ["exports-nothing", "CONFIG_EMPTY", /is empty/],
    ["empty", "CONFIG_EMPTY", /is empty/],
    ["empty-json", "CONFIG_EMPTY", /is empty/],
    ["empty-yaml", "CONFIG_EMPTY", /is empty/],
    ["missing-import", "CONFIG_LOAD", /\.\/rules\.js/],
    ["missing-package", "CONFIG_LOAD", /a-package-that-nobody-installed/],
    ["missing-package-js", "CONFIG_LOAD", /a-package-that-nobody-installed/],
    ["broken-package", "CONFIG_LOAD", /JSON/],
  ])("%s: %s", async (name, code, text) => {
    const folder = await fixture(name);
    const error = await errorOf(loadConfig({ folder }, local));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(text);
    const [file] = (await readdir(folder)).filter((entry) => entry.startsWith("reviewloop.config") || entry === "package.json");
    expect(error.data).toMatchObject({ file: join(folder, file ?? "") });
  });
});

describe("loading", () => {
  it("runs TypeScript with helpers, enums and top-level await, without a compiler in the repository", async () => {
    const folder = await fixture("code");
    const expected = { extends: "review-clean", push: "any", gate: "npm test", identities: ["our-agent"], nitpicks: "leave" };
    expect((await loadConfig({ folder }, local))?.config).toEqual(expected);
    expect((await loadConfig({ folder }, { ci: true }))?.config).toMatchObject({ nitpicks: "fix" });
  });

  it("runs an asynchronous function from CommonJS", async () => {
    expect(await load("code-js")).toEqual({ target: "review-clean", nitpicks: "leave" });
  });

  it("takes the default export of CommonJS that was compiled from ESM", async () => {
    const folder = await folderWith({
      "package.json": "{}",
      "reviewloop.config.js":
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = { target: "review-clean" };',
    });
    expect((await loadConfig({ folder }, local))?.config).toEqual({ target: "review-clean" });
  });

  it("works in a read-only checkout and leaves no file", async () => {
    const folder = await fixture("code");
    const before = (await readdir(folder)).sort();
    await chmod(folder, 0o555);
    try {
      await expect(loadConfig({ folder }, local)).resolves.toMatchObject({ config: { push: "any" } });
      expect((await readdir(folder)).sort()).toEqual(before);
    } finally {
      await chmod(folder, 0o755);
    }
  });

  it.each(["no-local-install", "no-local-install-js"])("finds this copy where none is installed: %s", async (name) => {
    expect(await load(name)).toMatchObject({ extends: "review-clean" });
  });

  it.each(["ts", "mjs"])("gives a config this very copy, not a second one: .%s", async (extension) => {
    const folder = await folderWith({
      [`reviewloop.config.${extension}`]: 'import { ReviewloopError } from "reviewloop"; export default { ReviewloopError };',
    });
    expect((await loadConfig({ folder }, local))?.config).toEqual({ ReviewloopError });
  });

  it("takes this copy's presets and plugins by their public names", async () => {
    const folder = await folderWith({
      "reviewloop.config.ts": [
        'import { reviewClean } from "reviewloop/presets/review-clean";',
        'import { builtinPlugins } from "reviewloop/plugins";',
        "export default { extends: reviewClean, without: Object.keys(builtinPlugins).slice(0, 0) };",
      ].join("\n"),
    });
    expect((await loadConfig({ folder }, local))?.config).toMatchObject({ extends: { name: "review-clean" }, without: [] });
  });

  it("reads a changed file anew", async () => {
    const folder = await folderWith({ "reviewloop.config.mjs": 'export default { target: "review-clean" };' });
    const file = join(folder, "reviewloop.config.mjs");
    await loadConfig({ folder }, local);
    await writeFile(file, 'export default { target: "merge-ready" };');
    await utimes(file, new Date(0), new Date(1_000_000));
    expect((await loadConfig({ folder }, local))?.config).toEqual({ target: "merge-ready" });
  });

  it("keeps an error of its own that a config throws", async () => {
    const folder = await folderWith({
      "reviewloop.config.ts": 'import { ReviewloopError } from "reviewloop"; throw new ReviewloopError("TARGET_MISSING", {});',
    });
    const error = await errorOf(loadConfig({ folder }, local));
    expect(ReviewloopError.is(error)).toBe(true);
    expect(error.code).toBe("TARGET_MISSING");
  });
});

describe("a module that a config names", () => {
  it("is found from the folder of the config, as a path or as a package", async () => {
    const folder = await folderWith({
      "a.mjs": "export default 1;",
      "node_modules/moon/package.json": '{ "name": "moon", "type": "module", "exports": { "import": "./main.js" } }',
      "node_modules/moon/main.js": "export default 2;",
    });
    expect(await importFrom("./a.mjs", folder)).toEqual({ file: join(folder, "a.mjs"), value: 1 });
    expect((await importFrom("moon", folder))?.value).toBe(2);
  });

  it("is undefined where there is none, and no built-in of Node", async () => {
    const folder = await folderWith({});
    expect(await importFrom("./nothing.mjs", folder)).toBeUndefined();
    expect(await importFrom("greptil", folder)).toBeUndefined();
    expect(await importFrom("http", folder)).toBeUndefined();
    await rm(folder, { recursive: true });
  });
});
