/** Holds a config against `config-schema.json`, and options against a plugin's own schema. All faults at once. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Ajv, AnySchemaObject, ErrorObject, ValidateFunction } from "ajv";
import type { ConfigFault } from "../errors.js";
import { messageOf } from "../errors.js";
import { nearest } from "./nearest.js";

type Data = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

/** Absolute path of the schema that is shipped with this copy. */
export const schemaFile = (): string => createRequire(import.meta.url).resolve("reviewloop/config-schema.json");

// Compiling takes longer than all checks of a process, and needs the schema only once.
let shape: Promise<ValidateFunction> | undefined;
const compileShape = async (): Promise<ValidateFunction> => {
  const { Ajv } = await import("ajv");
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  // The message an editor shows for the same fault.
  ajv.addVocabulary(["errorMessage"]);
  return ajv.compile(JSON.parse(await readFile(schemaFile(), "utf8")) as AnySchemaObject);
};

/** `/plugins/2/minScore` as `plugins[2].minScore`. */
export const pathOf = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => joinPath(path, /^\d+$/.test(part) ? Number(part) : part), "");

/** A path and one step below it. */
export const joinPath = (path: string, step: string | number): string => {
  if (typeof step === "number") return `${path}[${step}]`;
  if (!/^[\w$]+$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path === "" ? step : `${path}.${step}`;
};

const quoted = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(", ");

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  string: "a text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  null: "null",
};

const typesOf = (types: unknown): string =>
  [types]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(" or ");

interface Fault {
  readonly pointer: string;
  readonly key?: string;
  readonly value?: unknown;
  readonly problem: string;
  readonly nearest?: string | undefined;
}

const faultOf = (error: ErrorObject): Fault | undefined => {
  const parent = (error.parentSchema ?? {}) as { readonly errorMessage?: string; readonly properties?: Data };
  const params = error.params as Readonly<Record<string, unknown>>;
  const here = { pointer: error.instancePath, value: error.data };
  // The "if" around a "then" says the same with the message of the whole.
  if (error.schemaPath.includes("/then/")) return undefined;
  switch (error.keyword) {
    case "additionalProperties": {
      const key = String(params["additionalProperty"]);
      return {
        pointer: error.instancePath,
        key,
        value: (error.data as Data)[key],
        problem: "unknown key",
        nearest: nearest(key, Object.keys(parent.properties ?? {})),
      };
    }
    case "required":
      return { pointer: error.instancePath, key: String(params["missingProperty"]), problem: "is missing" };
    case "enum": {
      const allowed = params["allowedValues"] as readonly unknown[];
      const near =
        typeof error.data === "string"
          ? nearest(
              error.data,
              allowed.filter((value) => typeof value === "string"),
            )
          : undefined;
      return { ...here, problem: `must be one of ${quoted(allowed)}`, nearest: near };
    }
    case "type":
      return { ...here, problem: parent.errorMessage ?? `must be ${typesOf(params["type"])}` };
    default:
      return { ...here, problem: parent.errorMessage ?? error.message ?? `fails "${error.keyword}"` };
  }
};

const collect = (errors: readonly ErrorObject[] | null | undefined, file: string, base: string): readonly ConfigFault[] => {
  const faults = new Map<string, ConfigFault>();
  for (const error of errors ?? []) {
    const fault = faultOf(error);
    if (fault === undefined) continue;
    const within = pathOf(fault.pointer);
    const at = within === "" || base === "" || within.startsWith("[") ? `${base}${within}` : `${base}.${within}`;
    const path = fault.key === undefined ? at : joinPath(at, fault.key);
    // Two keywords of one schema may say the same about one value.
    const key = `${path} ${fault.problem}`;
    if (!faults.has(key)) {
      faults.set(key, {
        file,
        path,
        problem: fault.problem,
        ...(fault.value === undefined ? {} : { value: fault.value }),
        ...(fault.nearest === undefined ? {} : { nearest: fault.nearest }),
      });
    }
  }
  return [...faults.values()];
};

/** What code may say and JSON can't (plugin, agent and preset objects, factories, conditions), as the name that stands for it. */
const standIn = (entry: unknown): unknown => {
  if (typeof entry === "function") return "factory";
  if (isObject(entry) && typeof entry["name"] === "string") return entry["name"] === "" ? "unnamed" : entry["name"];
  return entry === undefined || entry === "" || entry === 0 ? false : entry;
};

const listOf = (value: unknown, each: (entry: unknown) => unknown): unknown => (Array.isArray(value) ? value.map(each) : value);
const values = (value: unknown, each: (entry: unknown) => unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([key, entry]) => (entry === undefined ? [] : [[key, each(entry)]])))
    : value;

/** The config as the JSON that the schema describes. */
const asData = (config: Data): Data => {
  const data: Record<string, unknown> = { ...config };
  const replace = (key: string, by: (value: unknown) => unknown): void => {
    if (data[key] !== undefined) data[key] = by(data[key]);
  };
  replace("plugins", (value) => listOf(value, standIn));
  replace("target", (value) => (value === false ? value : standIn(value)));
  replace("extends", (value) => (Array.isArray(value) ? value.map(standIn) : standIn(value)));
  replace("agent", standIn);
  replace("agents", (value) => values(value, standIn));
  replace("reviewers", (value) => values(value, (options) => options));
  return data;
};

const RETIRED = new Set(["required_reviewers", "requiredReviewers", "required-reviewers"]);

const migration = (listed: unknown): string => {
  const names = Array.isArray(listed) && listed.every((name) => typeof name === "string") && listed.length > 0 ? listed : ["greptile"];
  return `a list of reviewers is no longer read: write reviewers: { ${names.map((name) => `${JSON.stringify(name)}: {}`).join(", ")} }`;
};

const retired = (fault: ConfigFault): ConfigFault => {
  const isList = fault.path === "reviewers" && Array.isArray(fault.value);
  if (!isList && !RETIRED.has(fault.path.replace(/^\["(.*)"\]$/, "$1"))) return fault;
  return { file: fault.file, path: fault.path, value: fault.value, problem: migration(fault.value), nearest: "reviewers" };
};

/** Faults in the shape of a config or a preset. `at` is where it stands in its file, empty for the whole. */
export const shapeFaults = async (config: unknown, file: string, at = ""): Promise<readonly ConfigFault[]> => {
  if (!isObject(config)) {
    const what = Array.isArray(config) ? "a list" : `a ${typeof config}`;
    return [{ file, path: at, problem: `a config is an object of keys, not ${what}` }];
  }
  shape ??= compileShape();
  const validate = await shape;
  return validate(asData(config)) ? [] : collect(validate.errors, file, at).map(retired);
};

// A stranger's schema: its own style is its own affair. Nothing of it is kept by its id, which two may share.
let plugins: Promise<Ajv> | undefined;
const forPlugins = async (): Promise<Ajv> => {
  const { Ajv } = await import("ajv");
  return new Ajv({ allErrors: true, verbose: true, strict: false, logger: false, addUsedSchema: false });
};

/** Faults of options, by the schema of the plugin that they are for. */
export const optionFaults = async (schema: object, options: unknown, file: string, at: string): Promise<readonly ConfigFault[]> => {
  plugins ??= forPlugins();
  const ajv = await plugins;
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(schema as AnySchemaObject);
  } catch (thrown) {
    return [{ file, path: at, problem: `the plugin's own schema can't be used: ${messageOf(thrown)}` }];
  }
  return validate(options) ? [] : collect(validate.errors, file, at);
};
