/** From what a repository wrote to what is in force: settings, plugins in order, agents, and where each came from. */
import { basename } from "node:path";
import { messageOf, ReviewloopError } from "../errors.js";
import type { ConfigFault } from "../errors.js";
import type { AgentKind } from "../model.js";
import type { AgentDefinition, Plugin, PluginFactory, PluginKind } from "../plugin.js";
import { optionFaults, shapeFaults } from "./check.js";
import type { AgentEntry, AgentFactory, Config, Preset } from "./define.js";
import type { Settings } from "../settings.js";
import { agentOf, candidateOf } from "./entries.js";
import type { LoadedConfig } from "./load.js";
import { expand, laid, laidOver, lastTarget, mergePlugins, mergeReviewers } from "./merge.js";
import type { Candidate, Overlay, PluginLayer, Removed } from "./merge.js";
import { nearest } from "./nearest.js";
import { knownReviewers, laidOverFinished, overlayOptions, pathOfOverlay, withNamed } from "./reviewers.js";
import { gatesOf, settingsOf, settle } from "./settings.js";
import type { Layer, SettledValues, SettingPath } from "./settings.js";

/** What comes with this program. The core knows none of it by itself. */
export interface BuiltIns {
  readonly plugins: Readonly<Record<string, PluginFactory>>;
  readonly presets: Readonly<Record<string, Preset>>;
  readonly agents: Readonly<Record<string, AgentFactory>>;
}

export interface ResolveInput {
  readonly builtIns: BuiltIns;
  /** From `loadConfig`; absent where the repository has none. */
  readonly loaded?: LoadedConfig;
  /** A config that a program gives as it is (embedding). Takes the place of `loaded`. */
  readonly config?: Config;
  /** Laid over everything: the command line. */
  readonly overrides?: Config;
  /** Takes the place of the config's `extends` and `target`. */
  readonly preset?: string;
  /** Where import specifiers start from when there is no file. */
  readonly folder: string;
}

export interface PluginOrigin {
  readonly name: string;
  readonly kind: PluginKind;
  readonly from: string;
  /** Who had listed one of the same name before. */
  readonly replaced: readonly string[];
  /** Whose `reviewers` options lie over it. */
  readonly overlaid: readonly string[];
}

export interface Origins {
  readonly settings: Readonly<Record<SettingPath, string>>;
  readonly plugins: readonly PluginOrigin[];
  readonly removed: readonly Removed[];
  readonly agents: Readonly<Partial<Record<AgentKind | "agent", string>>>;
}

export interface Resolved {
  /** Frozen; durations in milliseconds. */
  readonly settings: Settings;
  /** In the order in which they run, options checked and defaulted. The target is one of them. */
  readonly plugins: readonly Plugin[];
  readonly agent?: AgentDefinition;
  readonly agents: Readonly<Partial<Record<AgentKind, AgentDefinition>>>;
  readonly origins: Origins;
  /** As settled, in the words of the config. */
  readonly values: SettledValues;
  readonly file?: string;
}

const AGENT_KINDS: readonly AgentKind[] = ["triage", "fix", "review", "verify", "describe"];
const NO_CONFIG: Config = { extends: "review-clean" };

const without = <T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Omit<T, K> => {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
};

const fail = (faults: readonly ConfigFault[]): void => {
  if (faults.length > 0) throw new ReviewloopError("CONFIG_INVALID", { faults });
};

/** The layers before their presets are put below them; last one wins. */
const ownLayers = (input: ResolveInput): readonly Layer[] => {
  const { loaded, config, preset, overrides, folder } = input;
  const given = config ?? (loaded?.config as Config | undefined);
  const file = config === undefined ? loaded?.file : undefined;
  const isKept = preset === undefined || typeof given !== "object" || given === null;
  const kept = isKept ? given : without(given, "extends", "target");
  const layers: Layer[] = [];
  const add = (from: string, one: Config | undefined, where = from): void => {
    if (one !== undefined)
      layers.push({ from, file: where, at: "", folder: file === undefined ? folder : (loaded?.folder ?? folder), config: one });
  };
  if (preset !== undefined) add("command line", { extends: preset });
  else if (given === undefined) add("no config", NO_CONFIG);
  add(file === undefined ? "config" : basename(file), kept, file);
  add("command line", overrides);
  return layers;
};

const shapesOf = async (layers: readonly Layer[]): Promise<readonly ConfigFault[]> => {
  const checked = await Promise.all(layers.map((layer) => shapeFaults(nameless(layer), layer.file, layer.at)));
  return checked.flat();
};

/** A preset is a config with a name. */
const nameless = (layer: Layer): unknown => {
  const { config } = layer;
  const isPreset = layer.from.startsWith("preset ") && typeof config === "object" && config !== null;
  return isPreset ? without(config as Preset, "name") : config;
};

interface Gathered {
  readonly layers: readonly PluginLayer[];
  readonly faults: readonly ConfigFault[];
}

const gather = async (layers: readonly Layer[], known: BuiltIns["plugins"]): Promise<Gathered> => {
  const faults: ConfigFault[] = [];
  const gathered: PluginLayer[] = [];
  for (const layer of layers) {
    const plugins: Candidate[] = [];
    for (const [index, entry] of (layer.config.plugins ?? []).entries()) {
      const path = within(layer, `plugins[${index}]`);
      const found = await candidateOf(entry, known, layer, path);
      if (found === undefined) continue;
      if ("fault" in found) faults.push(found.fault);
      else if (plugins.some((one) => one.name === found.value.name))
        faults.push({ file: layer.file, path, value: found.value.name, problem: "this plugin is listed twice here" });
      else plugins.push(found.value);
    }
    gathered.push({ without: layer.config.without ?? [], plugins, from: layer.from });
  }
  return { layers: gathered, faults };
};

const within = (layer: Layer, path: string): string => (layer.at === "" ? path : `${layer.at}.${path}`);

/** A name in `without` that nobody knows is a slip, not a wish. */
const slips = (layers: readonly Layer[], gathered: readonly PluginLayer[], known: BuiltIns["plugins"]): readonly ConfigFault[] => {
  const names = new Set([...Object.keys(known), ...gathered.flatMap((layer) => layer.plugins.map((plugin) => plugin.name))]);
  return layers.flatMap((layer) =>
    (layer.config.without ?? []).flatMap((name, index): readonly ConfigFault[] => {
      if (names.has(name)) return [];
      const near = nearest(name, names);
      const fault = { file: layer.file, path: within(layer, `without[${index}]`), value: name, problem: "there is no plugin of this name" };
      return [near === undefined ? fault : { ...fault, nearest: near }];
    }),
  );
};

const place = (plugins: readonly Candidate[], gate: Candidate): readonly Candidate[] => {
  if (plugins.some((one) => one.name === gate.name)) return laid(plugins, gate);
  const sync = plugins.findIndex((one) => one.name === "git-sync");
  const tool = plugins.findIndex((one) => one.kind === "tool");
  return plugins.toSpliced(sync >= 0 ? sync + 1 : tool >= 0 ? tool : plugins.length, 0, gate);
};

const GATE_TOOL = "command-gate";

/** The key `gate` is the tool `command-gate`, right after the sync. */
const withGate = (
  plugins: readonly Candidate[],
  layers: readonly Layer[],
  values: SettledValues,
  known: BuiltIns["plugins"],
): { readonly plugins: readonly Candidate[]; readonly faults: readonly ConfigFault[] } => {
  const { from, value } = values.gate;
  const gates = gatesOf(value);
  const layer = layers.findLast((one) => one.from === from);
  const listed = plugins.find((one) => one.name === GATE_TOOL);
  if (gates === undefined || gates === false || layer === undefined) {
    const faults =
      listed?.options === undefined
        ? []
        : [{ file: listed.file, path: listed.at, problem: 'write the key gate instead: gate: "npm test"' }];
    return { plugins: plugins.filter((one) => one !== listed), faults };
  }
  const at = within(layer, "gate");
  const twice = gates.find((gate, index) => gates.findIndex((one) => one.name === gate.name) !== index);
  if (twice !== undefined)
    return {
      plugins,
      faults: [{ file: layer.file, path: at, value: twice.name, problem: "two gates have this name; give one of them another" }],
    };
  const factory = known[GATE_TOOL];
  if (factory === undefined) return { plugins, faults: [] };
  const gate: Candidate = {
    name: GATE_TOOL,
    kind: "tool",
    source: { factory },
    options: undefined,
    from,
    file: layer.file,
    at,
    replaced: [],
  };
  return { plugins: place(plugins, gate), faults: [] };
};

interface Made {
  readonly plugins: readonly { readonly candidate: Candidate; readonly plugin: Plugin; readonly overlaid: readonly string[] }[];
  readonly faults: readonly ConfigFault[];
}

const make = async (
  candidate: Candidate,
  overlay: Overlay | undefined,
): Promise<{ plugin: Plugin } | { faults: readonly ConfigFault[] }> => {
  const { source, file, at } = candidate;
  const over = overlay === undefined ? undefined : overlayOptions(overlay);
  const factory = "factory" in source ? source.factory : source.plugin.factory;
  const given = candidate.options ?? ("plugin" in source ? source.plugin.options : {});
  if (factory === undefined) {
    const { plugin } = source as { readonly plugin: Plugin };
    return { plugin: over === undefined ? plugin : laidOverFinished(plugin, over) };
  }
  // First what the entry says by itself, so that each fault is reported where it was written.
  const own = await optionFaults(factory.schema, given, file, at);
  const laidOptions = over === undefined ? given : laidOver(given, over);
  const both =
    over === undefined || own.length > 0
      ? []
      : await optionFaults(factory.schema, laidOptions, overlay?.file ?? file, pathOfOverlay(overlay as Overlay));
  const faults = [...own, ...both];
  if (faults.length > 0) return { faults };
  if (over === undefined && "plugin" in source && candidate.options === undefined) return { plugin: source.plugin };
  try {
    return { plugin: (factory as PluginFactory<Record<string, unknown>>)(laidOptions) };
  } catch (thrown) {
    return { faults: [{ file, path: at, problem: messageOf(thrown) }] };
  }
};

const makeAll = async (candidates: readonly Candidate[], overlays: readonly Overlay[], known: BuiltIns["plugins"]): Promise<Made> => {
  const plugins: { candidate: Candidate; plugin: Plugin; overlaid: readonly string[] }[] = [];
  const faults: ConfigFault[] = [];
  for (const candidate of candidates) {
    const overlay = candidate.kind === "reviewer" ? overlays.find((one) => one.name === candidate.name) : undefined;
    const made = await make(candidate, overlay);
    if ("faults" in made) {
      faults.push(...made.faults);
      continue;
    }
    if (overlay !== undefined && made.plugin.reviewer?.requestBy === "none" && made.plugin.reviewer.required) {
      const names = knownReviewers(
        candidates.filter((one) => one !== candidate),
        known,
      );
      const problem = `${candidate.name} can't be asked for a review, so it can't be required (required: false lists it); known are ${names.join(", ")}`;
      faults.push({ file: overlay.file, path: pathOfOverlay(overlay), problem });
    }
    plugins.push({ candidate, plugin: made.plugin, overlaid: overlay?.from ?? [] });
  }
  return { plugins, faults };
};

/** Names in `markReadyFor` are reviewers that are in force. */
const markReadyFaults = (layers: readonly Layer[], plugins: readonly Candidate[]): readonly ConfigFault[] => {
  const names = plugins.filter((one) => one.kind === "reviewer").map((one) => one.name);
  return layers.flatMap((layer) =>
    (layer.config.markReadyFor ?? []).flatMap((name, index): readonly ConfigFault[] => {
      if (names.includes(name)) return [];
      const near = nearest(name, names);
      const fault = {
        file: layer.file,
        path: within(layer, `markReadyFor[${index}]`),
        value: name,
        problem: `this reviewer is not in the plugins; there are ${names.join(", ")}`,
      };
      return [near === undefined ? fault : { ...fault, nearest: near }];
    }),
  );
};

interface Agents {
  readonly agent?: AgentDefinition;
  readonly agents: Partial<Record<AgentKind, AgentDefinition>>;
  readonly origins: Partial<Record<AgentKind | "agent", string>>;
  readonly faults: readonly ConfigFault[];
}

const agentsOf = async (layers: readonly Layer[], known: BuiltIns["agents"]): Promise<Agents> => {
  const faults: ConfigFault[] = [];
  const origins: Partial<Record<AgentKind | "agent", string>> = {};
  const find = async (
    role: AgentKind | "agent",
    path: string,
    read: (config: Config) => AgentEntry | false | undefined,
  ): Promise<AgentDefinition | undefined> => {
    const layer = layers.findLast((one) => read(one.config) !== undefined);
    if (layer === undefined) return undefined;
    origins[role] = layer.from;
    const found = await agentOf(read(layer.config), known, layer, within(layer, path));
    if (found === undefined) return undefined;
    if ("value" in found) return found.value;
    faults.push(...("faults" in found ? found.faults : [found.fault]));
    return undefined;
  };
  const agent = await find("agent", "agent", (config) => config.agent);
  const agents: Partial<Record<AgentKind, AgentDefinition>> = {};
  for (const kind of AGENT_KINDS) {
    const one = await find(kind, `agents.${kind}`, (config) => config.agents?.[kind]);
    if (one !== undefined) agents[kind] = one;
  }
  return { ...(agent === undefined ? {} : { agent }), agents, origins, faults };
};

/** The target of the last layer that names one, put at the end of the list. */
const withTarget = async (
  plugins: readonly Candidate[],
  layers: readonly Layer[],
  known: BuiltIns["plugins"],
): Promise<{ readonly plugins: readonly Candidate[]; readonly faults: readonly ConfigFault[] }> => {
  const layer = lastTarget(layers);
  if (layer === undefined) return { plugins, faults: [] };
  const path = within(layer, "target");
  const found = await candidateOf(layer.config.target, known, layer, path);
  if (found === undefined) return { plugins, faults: [] };
  if ("fault" in found) return { plugins, faults: [found.fault] };
  const { value: target } = found;
  if (target.kind === "target") return { plugins: laid(plugins, target), faults: [] };
  const targets = Object.values(known)
    .filter((factory) => factory.kind === "target")
    .map((factory) => factory.pluginName);
  const problem = `${target.name} is a ${target.kind}, not a target; built in are ${targets.join(", ")}`;
  return { plugins, faults: [{ file: layer.file, path, problem }] };
};

/**
 * What is in force.
 *
 * Throws `CONFIG_INVALID` with every fault of the config at once; `PRESET_UNKNOWN` for the preset of the command line;
 * `TARGET_MISSING` and `TARGET_TWICE`; `CONFIG_LOAD` is for `loadConfig`.
 */
export const resolveConfig = async (input: ResolveInput): Promise<Resolved> => {
  const { builtIns, preset } = input;
  if (preset !== undefined && !Object.hasOwn(builtIns.presets, preset))
    throw new ReviewloopError("PRESET_UNKNOWN", { name: preset, known: Object.keys(builtIns.presets) });

  const own = ownLayers(input);
  // A wrong shape would only cause further, misleading faults below.
  fail(await shapesOf(own));
  const expanded = own.map((layer) => expand(layer, builtIns.presets));
  const layers = expanded.flatMap((one) => one.layers);
  const presetFaults = expanded.flatMap((one) => one.faults);
  fail(presetFaults.length > 0 ? presetFaults : await shapesOf(layers.filter((layer) => !own.includes(layer))));

  const values = settle(layers);
  const gathered = await gather(layers, builtIns.plugins);
  const merged = mergePlugins(gathered.layers);
  const overlays = mergeReviewers(layers);
  const named = withNamed(merged.plugins, overlays, builtIns.plugins);
  const gated = withGate(named.plugins, layers, values, builtIns.plugins);
  const aimed = await withTarget(gated.plugins, layers, builtIns.plugins);
  const made = await makeAll(aimed.plugins, overlays, builtIns.plugins);
  const agents = await agentsOf(layers, builtIns.agents);
  fail([
    ...gathered.faults,
    ...slips(layers, gathered.layers, builtIns.plugins),
    ...named.faults,
    ...gated.faults,
    ...aimed.faults,
    ...made.faults,
    ...markReadyFaults(layers, aimed.plugins),
    ...agents.faults,
  ]);

  const targets = made.plugins.filter((one) => one.plugin.kind === "target").map((one) => one.plugin.name);
  const [target, ...furtherTargets] = targets;
  if (target === undefined) throw new ReviewloopError("TARGET_MISSING", {});
  if (furtherTargets.length > 0) throw new ReviewloopError("TARGET_TWICE", { names: targets });

  const configured = input.loaded !== undefined || input.config !== undefined;
  const file = input.config === undefined ? input.loaded?.file : undefined;
  return Object.freeze({
    settings: settingsOf(values, { target, hasAgent: agents.agent !== undefined || Object.keys(agents.agents).length > 0, configured }),
    plugins: Object.freeze(made.plugins.map((one) => one.plugin)),
    ...(agents.agent === undefined ? {} : { agent: agents.agent }),
    agents: Object.freeze(agents.agents),
    origins: {
      settings: Object.fromEntries(Object.entries(values).map(([path, settled]) => [path, settled.from])) as Record<SettingPath, string>,
      plugins: made.plugins.map(({ candidate, overlaid }) => ({
        name: candidate.name,
        kind: candidate.kind,
        from: candidate.from,
        replaced: candidate.replaced,
        overlaid,
      })),
      removed: merged.removed,
      agents: agents.origins,
    },
    values,
    ...(file === undefined ? {} : { file }),
  });
};
