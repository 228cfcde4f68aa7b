/** The import rules of the house, read from the import statements themselves. */
import { readFileSync, readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const below = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("node_modules"))
    .map((file) => join(folder, file));
const files = ["index.ts", ...["core", "plugins", "presets", "cli", "sandbox", "examples"].flatMap(below)];

interface Import {
  readonly file: string;
  /** Path from the root for a relative import, else the specifier. */
  readonly to: string;
  readonly external: boolean;
  readonly typeOnly: boolean;
  /** Loaded when it is called for. */
  readonly lazy: boolean;
}

const STATEMENT = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^;'"()]*?\sfrom\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;

const importsOf = (file: string): readonly Import[] => {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(STATEMENT)].map((found) => {
    const specifier = found[2] ?? found[3] ?? "";
    const external = !specifier.startsWith(".");
    const to = external ? specifier : relative(root, normalize(join(root, dirname(file), specifier))).replace(/\.js$/, ".ts");
    return { file, to, external, typeOnly: found[1] !== undefined, lazy: found[3] !== undefined };
  });
};

const all = files.flatMap(importsOf);
const inside = (folder: string) => (each: Import) => each.file.startsWith(`${folder}/`);
const shown = (imports: readonly Import[]): readonly string[] => imports.map((each) => `${each.file} -> ${each.to}`);
const packageOf = (specifier: string): string =>
  specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : (specifier.split("/")[0] ?? "");

test("every import is seen", () => {
  expect(files.length).toBeGreaterThan(60);
  expect(all.length).toBeGreaterThan(files.length);
});

test("the core knows no vendor, no preset, no command line, no sandbox", () => {
  expect(
    shown(
      all.filter(inside("core")).filter((each) => /^(plugins|presets|cli|sandbox|examples|test)\//.test(each.to) || each.to === "index.ts"),
    ),
  ).toEqual([]);
});

test("inside the core, imports point inward", () => {
  const order = ["core/model.ts", "core/ports.ts", "core/phases.ts", "core/plugin.ts", "core/hooks.ts", "core/loop.ts"];
  const outward = all.filter((each) => {
    const [from, to] = [order.indexOf(each.file), order.indexOf(each.to)];
    return from >= 0 && to > from && !each.typeOnly;
  });
  expect(shown(outward)).toEqual([]);
  expect(importsOf("core/model.ts")).toEqual([]);
});

test("plugins import the core's public entry, and never another plugin", () => {
  const wrong = all.filter(inside("plugins")).filter((each) => {
    // The lists of what there is.
    if (each.external || /^plugins\/(\w+\/)?index\.ts$/.test(each.file)) return false;
    const [, kind, name] = each.file.split("/");
    const own = `plugins/${kind}/${(name ?? "").replace(/\.ts$/, "")}`;
    return each.to !== "core/index.ts" && !each.to.startsWith(`${own}/`) && each.to !== `${own}.ts`;
  });
  expect(shown(wrong)).toEqual([]);
});

test("presets import plugins and the core's public entry", () => {
  expect(
    shown(
      all
        .filter(inside("presets"))
        .filter((each) => !each.external && each.to !== "core/index.ts" && !/^(plugins|presets)\//.test(each.to)),
    ),
  ).toEqual([]);
});

test("nothing imports the command line but itself, and the sandbox is imported by demo and sandbox only", () => {
  expect(shown(all.filter((each) => each.to.startsWith("cli/") && !each.file.startsWith("cli/")))).toEqual([]);
  const users = all.filter((each) => /^(core|plugins|presets|cli)\//.test(each.file) && each.to.startsWith("sandbox/"));
  expect(shown(users.filter((each) => !/^cli\/(demo|sandbox)(\/|\.ts)/.test(each.file)))).toEqual([]);
});

test("adapters import ports, their neighbours in the core and their own package", () => {
  const wrong = all.filter(inside("core/adapters")).filter((each) => !each.external && !each.to.startsWith("core/"));
  expect(shown(wrong)).toEqual([]);
  const users = all.filter((each) => /^core\/(?!adapters\/)/.test(each.file) && each.to.startsWith("core/adapters/"));
  expect(shown(users)).toEqual([]);
});

test("the sandbox stands on the core's public entry", () => {
  expect(
    shown(all.filter(inside("sandbox")).filter((each) => !each.external && !each.to.startsWith("sandbox/") && each.to !== "core/index.ts")),
  ).toEqual([]);
});

test("examples import the package by its name", () => {
  expect(shown(all.filter(inside("examples")).filter((each) => !each.external && !each.to.startsWith("examples/")))).toEqual([]);
});

test("each package is imported where it belongs", () => {
  const homes: Readonly<Record<string, RegExp>> = {
    tapable: /^core\/hooks\.ts$/,
    "@octokit/rest": /^core\/adapters\/forge-github\//,
    "@octokit/graphql": /^core\/adapters\/forge-github\//,
    "@octokit/request": /^core\/adapters\/forge-github\//,
    "@octokit/core": /^core\/adapters\/forge-github\//,
    "p-retry": /^core\/adapters\/forge-github\//,
    execa: /^(core\/adapters\/(git|shell|agent)\/|sandbox\/|cli\/(demo|sandbox))/,
    cosmiconfig: /^core\/config\/load\.ts$/,
    jiti: /^core\/config\/load\.ts$/,
    "@modelcontextprotocol/server": /^(cli\/mcp\/|core\/adapters\/agent\/submit-server)/,
    commander: /^cli\//,
    graphql: /^sandbox\/server\//,
  };
  const wrong = all.filter((each) => each.external && !(homes[packageOf(each.to)]?.test(each.file) ?? true));
  expect(shown(wrong)).toEqual([]);
});

test("the process is touched by the command line and by adapters only", () => {
  const wrong = files.filter(
    (file) =>
      /^(core|plugins|presets)\//.test(file) &&
      !file.startsWith("core/adapters/") &&
      /(?<![\w.])process\.(env|exit|cwd|argv|std|on|kill|pid)/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

test("no file is longer than one mind can hold", () => {
  const long = files.filter((file) => readFileSync(join(root, file), "utf8").split("\n").length > 400);
  // The words of the design as types: one table, kept in one place. The formatter gives each field its line.
  expect(long.filter((file) => file !== "core/model.ts")).toEqual([]);
});

test("no two packages do the same, and each one is in use", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  const used = new Set(
    all
      .filter((each) => each.external && !each.to.startsWith("node:") && !builtinModules.includes(each.to))
      .map((each) => packageOf(each.to)),
  );
  // Pinned so that no version that needs a newer Node is drawn in by another package.
  const pinned = ["@octokit/core", "@octokit/request"];
  expect(Object.keys(manifest.dependencies).filter((name) => !used.has(name) && !pinned.includes(name))).toEqual([]);
  expect([...used].filter((name) => name !== "reviewloop" && manifest.dependencies[name] === undefined)).toEqual([]);
});

/** What is loaded with a file: files and packages. */
const loadedBy = (file: string): { readonly seen: ReadonlySet<string>; readonly packages: ReadonlySet<string> } => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (at: string): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const each of all.filter((one) => one.file === at && !one.typeOnly && !one.lazy)) {
      if (!each.external) visit(each.to);
      else if (!each.to.startsWith("node:")) packages.add(packageOf(each.to));
    }
  };
  visit(file);
  return { seen, packages };
};

test("--help loads the command line and its argument parser, nothing else", () => {
  const { seen, packages } = loadedBy("cli/main.ts");
  expect([...packages]).toEqual(["commander"]);
  expect([...seen].filter((file) => !file.startsWith("cli/"))).toEqual([]);
});

test("the guard, for which an agent waits before each command, loads next to nothing", () => {
  const { seen, packages } = loadedBy("cli/commands/guard.ts");
  expect([...packages]).toEqual([]);
  expect([...seen].filter((file) => !/^(cli\/(commands\/guard|guard\/|surroundings)|core\/shell-words)/.test(file))).toEqual([]);
});

test("the protocol of the MCP servers is loaded by these programs alone", () => {
  const users = all.filter((each) => packageOf(each.to).startsWith("@modelcontextprotocol/"));
  expect([...new Set(users.map((each) => each.file))].sort()).toEqual(["cli/mcp/server.ts", "core/adapters/agent/submit-server.ts"]);
  const loaders = files.filter((file) => loadedBy(file).packages.has("@modelcontextprotocol/server"));
  expect([...loaders].sort()).toEqual(["cli/commands/mcp.ts", "cli/mcp/server.ts", "core/adapters/agent/submit-server.ts"]);
});
