/** From an entry of a config to the plugin or agent that it means. Made things are not yet made here; nothing is thrown away. */
import { messageOf } from "../errors.js";
import type { ConfigFault } from "../errors.js";
import { PHASE_NAMES } from "../phases.js";
import type { AgentDefinition, Plugin, PluginFactory } from "../plugin.js";
import type { AgentEntry, AgentFactory, PluginEntry } from "./define.js";
import { optionFaults } from "./check.js";
import { importFrom } from "./load.js";
import type { Candidate } from "./merge.js";
import { nearest } from "./nearest.js";
import type { Layer } from "./settings.js";

type Data = Readonly<Record<string, unknown>>;
/** A value, or why there is none. */
export type Found<T> = { readonly value: T } | { readonly fault: ConfigFault };

const isObject = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);
const KINDS = ["reviewer", "target", "tool"];
const AWAITS = ["everyone", "required", "nobody"];

const handlerProblem = (phase: string, handler: unknown): string | undefined => {
  if (!PHASE_NAMES.some((name) => name === phase)) {
    const near = nearest(phase, PHASE_NAMES);
    return `there is no phase "${phase}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
  }
  if (handler === undefined || typeof handler === "function") return undefined;
  if (isObject(handler) && typeof handler["run"] === "function" && (handler["order"] === "pre" || handler["order"] === "post"))
    return undefined;
  return `its handler for ${phase} is neither a function nor { order: "pre" | "post", run }`;
};

/** Why this is no plugin, or undefined. */
export const pluginProblem = (value: unknown): string | undefined => {
  if (!isObject(value)) return `it is ${value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`}`;
  if (typeof value["name"] !== "string" || value["name"] === "") return "it has no name";
  if (!KINDS.includes(String(value["kind"]))) return `its kind is ${JSON.stringify(value["kind"])}, not one of ${KINDS.join(", ")}`;
  if (!isObject(value["options"])) return "its options are no object";
  if (!isObject(value["on"])) return "it has no handlers (on)";
  if (value["kind"] === "target" && !AWAITS.includes(String(value["awaits"])))
    return `as a target it says whom it awaits: ${AWAITS.join(", ")}`;
  if (value["kind"] === "reviewer" && !isObject(value["reviewer"])) return "as a reviewer it has no facts; build it with defineReviewer";
  for (const [phase, handler] of Object.entries(value["on"])) {
    const problem = handlerProblem(phase, handler);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const isFactory = (value: unknown): value is PluginFactory => typeof value === "function" && "pluginName" in value && "kind" in value;

/** A built-in by name, else the default export of the module that the name leads to from the config's folder. */
const lookUp = async <T>(
  name: string,
  known: Readonly<Record<string, T>>,
  what: "plugin" | "agent",
  layer: Layer,
  path: string,
): Promise<Found<unknown>> => {
  if (Object.hasOwn(known, name)) return { value: known[name] };
  const fault = (problem: string, near?: string): Found<unknown> => ({
    fault: { file: layer.file, path, value: name, problem, ...(near === undefined ? {} : { nearest: near }) },
  });
  try {
    const module = await importFrom(name, layer.folder);
    if (module !== undefined) return { value: module.value };
  } catch (thrown) {
    return fault(messageOf(thrown));
  }
  const list = Object.keys(known);
  const isPath = name.startsWith(".") || name.startsWith("/");
  return isPath
    ? fault(`no module is there, seen from ${layer.folder}`)
    : fault(
        `there is no such ${what}, and no module of this name from ${layer.folder}; built in are ${list.join(", ")}`,
        nearest(name, list),
      );
};

/** The plugin that an entry means. Undefined for a falsy one. */
export const candidateOf = async (
  entry: PluginEntry,
  known: Readonly<Record<string, PluginFactory>>,
  layer: Layer,
  path: string,
): Promise<Found<Candidate> | undefined> => {
  if (entry === undefined || entry === null || entry === false || entry === "") return undefined;
  const named = typeof entry === "string" ? [entry] : Array.isArray(entry) ? (entry as readonly [string, Data?]) : undefined;
  const found = named === undefined ? { value: entry as unknown } : await lookUp(named[0], known, "plugin", layer, path);
  if ("fault" in found) return found;
  const options = named?.[1] as Data | undefined;
  const where = { from: layer.from, file: layer.file, at: path, options, replaced: [] };
  if (isFactory(found.value)) {
    const factory = found.value;
    return { value: { ...where, name: factory.pluginName, kind: factory.kind, source: { factory } } };
  }
  const problem = pluginProblem(found.value);
  if (problem !== undefined)
    return {
      fault: { file: layer.file, path, problem: `this is not a plugin: ${problem}`, ...(named === undefined ? {} : { value: named[0] }) },
    };
  const plugin = found.value as Plugin;
  if (options === undefined) return { value: { ...where, name: plugin.name, kind: plugin.kind, source: { plugin } } };
  if (plugin.factory !== undefined)
    return { value: { ...where, name: plugin.name, kind: plugin.kind, source: { factory: plugin.factory } } };
  return {
    fault: { file: layer.file, path: `${path}[1]`, problem: `${plugin.name} is exported as a finished plugin, which takes no options` },
  };
};

/** The agent that an entry means, made. Undefined for `false`. */
export const agentOf = async (
  entry: AgentEntry | false | undefined,
  known: Readonly<Record<string, AgentFactory>>,
  layer: Layer,
  path: string,
): Promise<Found<AgentDefinition> | { readonly faults: readonly ConfigFault[] } | undefined> => {
  if (entry === undefined || entry === false) return undefined;
  const named = typeof entry === "string" ? [entry] : Array.isArray(entry) ? (entry as readonly [string, Data?]) : undefined;
  const found = named === undefined ? { value: entry as unknown } : await lookUp(named[0], known, "agent", layer, path);
  if ("fault" in found) return found;
  const fault = (problem: string, value?: unknown): Found<AgentDefinition> => ({
    fault: { file: layer.file, path, problem, ...(value === undefined ? {} : { value }) },
  });
  const options = (named?.[1] ?? {}) as Data;
  let made: unknown = found.value;
  if (typeof made === "function") {
    const factory = made as AgentFactory;
    const faults = factory.schema === undefined ? [] : await optionFaults(factory.schema, options, layer.file, path);
    if (faults.length > 0) return { faults };
    try {
      made = factory(options);
    } catch (thrown) {
      return fault(messageOf(thrown));
    }
  } else if (Object.keys(options).length > 0) return fault("this agent is exported as a finished one, which takes no options", named?.[0]);
  if (!isObject(made) || typeof made["name"] !== "string" || typeof made["command"] !== "function" || typeof made["answer"] !== "function")
    return fault("this is not an agent: build it with defineAgent", named?.[0]);
  return { value: made as unknown as AgentDefinition };
};
