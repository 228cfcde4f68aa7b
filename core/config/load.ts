/** Finds the config of a repository and loads it. Nothing of the repository runs before `loadConfig` (or `loadFile`) is called. */
import { readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { isBuiltin } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Jiti } from "jiti";
import type { CosmiconfigResult, Options } from "cosmiconfig";
import { messageOf, ReviewloopError } from "../errors.js";
import type { ConfigInput } from "./define.js";

/** In order: the first that is there is taken. */
export const CONFIG_FILES = [
  "reviewloop.config.ts",
  "reviewloop.config.mts",
  "reviewloop.config.js",
  "reviewloop.config.mjs",
  "reviewloop.config.json",
  "reviewloop.config.yaml",
] as const;
const SEARCH_PLACES: readonly string[] = [...CONFIG_FILES, "package.json"];
const PACKAGE_KEY = "reviewloop";

/** A config that was found, not yet run. */
export interface FoundConfig {
  /** Absolute path. */
  readonly file: string;
  /** The file as it is. */
  readonly content: string;
}

/** A config as it came out of its file, functions called, nothing checked. */
export interface LoadedConfig {
  readonly file: string;
  /** What import specifiers in it start from. */
  readonly folder: string;
  readonly config: unknown;
}

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && "code" in thrown ? thrown.code : undefined);
const unloadable = (file: string, problem: string, cause?: unknown): ReviewloopError =>
  new ReviewloopError("CONFIG_LOAD", { file, problem }, cause === undefined ? {} : { cause });

/** The top of the git checkout that holds `folder`, or `folder` itself where there is none. */
export const findRoot = async (folder: string): Promise<string> => {
  const start = resolve(folder);
  for (let at = start; ; at = dirname(at)) {
    // A linked worktree and a submodule have a file there.
    if (
      await stat(join(at, ".git")).then(
        () => true,
        () => false,
      )
    )
      return at;
    if (dirname(at) === at) return start;
  }
};

interface Explorer {
  search(from: string): Promise<CosmiconfigResult>;
}

/**
 * The explorer of cosmiconfig without its public constructor, which runs a `.config/config.js` (or `.cjs`, `.mjs`, `.ts`) of the current
 * directory and takes further search places from there.
 */
const explorer = async (options: Options & { readonly moduleName: string }): Promise<Explorer> => {
  const inside = (await import("cosmiconfig/dist/Explorer.js")) as unknown as { readonly Explorer: new (options: Options) => Explorer };
  return new inside.Explorer(options);
};

const parsePackage = (file: string, content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch (thrown) {
    throw unloadable(file, messageOf(thrown), thrown);
  }
};

/**
 * The config of the repository whose root is `root`, or undefined. Reads, runs nothing.
 *
 * Throws `CONFIG_EMPTY`, and `CONFIG_LOAD` for a file that is there and can't be read.
 */
export const findConfig = async (root: string): Promise<FoundConfig | undefined> => {
  // Loading is ours: what a loader throws is swallowed by the search when it looks like a missing file.
  const keep = (file: string, content: string): unknown =>
    basename(file) === "package.json" ? parsePackage(file, content) : { file, content };
  const search = await explorer({
    moduleName: PACKAGE_KEY,
    packageProp: PACKAGE_KEY,
    searchPlaces: [...SEARCH_PLACES],
    searchStrategy: "none",
    ignoreEmptySearchPlaces: false,
    cache: false,
    mergeImportArrays: false,
    mergeSearchPlaces: false,
    transform: (result) => result,
    loaders: Object.fromEntries([".ts", ".mts", ".js", ".mjs", ".json", ".yaml"].map((extension) => [extension, keep])),
  });
  const result = await search.search(root);
  const at = result === null ? SEARCH_PLACES.length : SEARCH_PLACES.indexOf(basename(result.filepath));
  const names = new Set(await readdir(root));
  const passed = SEARCH_PLACES.slice(0, at).find((place) => place !== "package.json" && names.has(place));
  if (passed !== undefined) throw unloadable(join(root, passed), "it is there and can't be read as a file");
  if (result === null) return undefined;
  if (result.isEmpty === true && basename(result.filepath) === "package.json") return undefined;
  if (result.isEmpty === true) throw new ReviewloopError("CONFIG_EMPTY", { file: result.filepath });
  return { file: result.filepath, content: await readFile(result.filepath, "utf8") };
};

/** The config file that a person named. Throws `CONFIG_NOT_FOUND`, `CONFIG_EMPTY`, `CONFIG_LOAD`. */
export const openConfig = async (file: string): Promise<FoundConfig> => {
  const path = resolve(file);
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") throw new ReviewloopError("CONFIG_NOT_FOUND", { file: path });
    throw unloadable(path, messageOf(thrown), thrown);
  }
  if (content.trim() === "") throw new ReviewloopError("CONFIG_EMPTY", { file: path });
  return { file: path, content };
};

/** A file of this running copy, compiled or not. */
const own = (path: string): string => {
  const here = fileURLToPath(import.meta.url);
  return join(resolve(dirname(here), "../.."), `${path}${extname(here)}`);
};
const ownModule = (path: string): Promise<unknown> => import(pathToFileURL(own(path)).href);

/** A loader in which `reviewloop` is this running copy, so that a config needs no local install and gets no second one. */
const jitiFor = async (file: string): Promise<Jiti> => {
  const { createJiti } = await import("jiti");
  const virtualModules = { reviewloop: await ownModule("index"), "reviewloop/plugins": await ownModule("plugins/index") };
  // Seldom wanted in a config, so not loaded beforehand.
  const alias = {
    "reviewloop/presets": dirname(own("presets/index")),
    "reviewloop/adapters": own("core/adapters/index"),
    "reviewloop/testing": own("sandbox/kit/index"),
    "reviewloop/sandbox": own("sandbox/index"),
  };
  // Without interop a missing default export shows; with it named exports would pass for a config.
  return createJiti(file, { fsCache: false, moduleCache: false, interopDefault: false, virtualModules, alias });
};

const NATIVE = new Set([".js", ".mjs", ".cjs"]);
const misses = (thrown: unknown, name: string): boolean =>
  codeOf(thrown) === "ERR_MODULE_NOT_FOUND" && messageOf(thrown).includes(`'${name}'`);

/** A module's namespace. TypeScript goes through jiti, JavaScript through Node itself. */
const importModule = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  if (NATIVE.has(extname(file))) {
    const url = pathToFileURL(file);
    // A changed file is a new module: a long-running process sees the config of today.
    url.searchParams.set("changed", String((await stat(file)).mtimeMs));
    try {
      return (await import(url.href)) as Readonly<Record<string, unknown>>;
    } catch (thrown) {
      // Linking failed, so nothing ran: with no local install the running copy stands in.
      if (!misses(thrown, PACKAGE_KEY)) throw thrown;
    }
  }
  return (await jitiFor(file)).import(pathToFileURL(file).href);
};

/** The default export, or undefined where there is none. */
const defaultOf = (namespace: Readonly<Record<string, unknown>>): { readonly value: unknown } | undefined => {
  if (!("default" in namespace)) return undefined;
  const value = namespace["default"];
  // CommonJS that was compiled from ESM.
  if (typeof value === "object" && value !== null && "__esModule" in value)
    return "default" in value ? { value: value.default } : undefined;
  return { value };
};

const parseData = async (found: FoundConfig): Promise<unknown> => {
  if (basename(found.file) === "package.json") {
    const content = parsePackage(found.file, found.content) as Readonly<Record<string, unknown>> | null;
    const value = content?.[PACKAGE_KEY];
    if (value === undefined) throw new ReviewloopError("CONFIG_EMPTY", { file: found.file });
    return value;
  }
  if (extname(found.file) === ".json") return JSON.parse(found.content);
  const { parse } = await import("yaml");
  return parse(found.content, { logLevel: "error" });
};

const DATA = new Set([".json", ".yaml", ".yml"]);
const CODE = new Set([".ts", ".mts", ".cts", ...NATIVE]);

/** Runs or parses a config that was found. Throws `CONFIG_LOAD`, `CONFIG_NO_DEFAULT`, `CONFIG_EMPTY`. */
export const loadFile = async (found: FoundConfig, input: ConfigInput): Promise<LoadedConfig> => {
  const { file } = found;
  const extension = extname(file);
  const done = (config: unknown): LoadedConfig => {
    if (config === null || config === undefined) throw new ReviewloopError("CONFIG_EMPTY", { file });
    return { file, folder: dirname(file), config };
  };
  try {
    if (DATA.has(extension)) return done(await parseData(found));
    if (!CODE.has(extension)) throw unloadable(file, `a config ends in ${[...CODE, ...DATA].join(", ")}`);
    const exported = defaultOf(await importModule(file));
    if (exported === undefined) throw new ReviewloopError("CONFIG_NO_DEFAULT", { file });
    const config = typeof exported.value === "function" ? await (exported.value as (given: ConfigInput) => unknown)(input) : exported.value;
    return done(config);
  } catch (thrown) {
    if (ReviewloopError.is(thrown)) throw thrown;
    throw unloadable(file, messageOf(thrown), thrown);
  }
};

/**
 * Finds and loads in one go: `file` (from `--config`) if given, else what lies at the top of the checkout that holds `folder`.
 * Undefined where there is no config. Throws `CONFIG_NOT_FOUND`, `CONFIG_EMPTY`, `CONFIG_LOAD`, `CONFIG_NO_DEFAULT`.
 */
export const loadConfig = async (
  where: { readonly folder: string; readonly file?: string },
  input: ConfigInput,
): Promise<LoadedConfig | undefined> => {
  const found =
    where.file === undefined ? await findConfig(await findRoot(where.folder)) : await openConfig(resolve(where.folder, where.file));
  return found === undefined ? undefined : loadFile(found, input);
};

/**
 * The default export of a module that a config names, or undefined where the specifier leads nowhere.
 * Throws `CONFIG_LOAD` when the module is there and fails.
 */
export const importFrom = async (
  specifier: string,
  folder: string,
): Promise<{ readonly file: string; readonly value: unknown } | undefined> => {
  if (isBuiltin(specifier)) return undefined;
  const { createJiti } = await import("jiti");
  const address = createJiti(join(folder, "reviewloop.config.ts"), { fsCache: false }).esmResolve(specifier, { try: true });
  if (address === undefined || !address.startsWith("file:")) return undefined;
  const file = fileURLToPath(address);
  try {
    const exported = defaultOf(await importModule(file));
    if (exported === undefined) throw new ReviewloopError("CONFIG_NO_DEFAULT", { file });
    return { file, value: exported.value };
  } catch (thrown) {
    if (ReviewloopError.is(thrown)) throw thrown;
    throw unloadable(file, messageOf(thrown), thrown);
  }
};
