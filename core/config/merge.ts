/** Lays configs over each other: presets from left to right, then the repository's own, then the command line. Pure. */
import type { ConfigFault } from "../errors.js";
import type { Plugin, PluginFactory, PluginKind } from "../plugin.js";
import type { Config, Preset, ReviewerOptions } from "./define.js";
import { nearest } from "./nearest.js";
import type { Layer } from "./settings.js";

const isPreset = (entry: unknown): entry is Preset => typeof entry === "object" && entry !== null && !Array.isArray(entry);

/** A layer and, below it, what it extends. A preset in a circle of presets is a fault. */
export const expand = (
  layer: Layer,
  presets: Readonly<Record<string, Preset>>,
  above: readonly string[] = [],
): { readonly layers: readonly Layer[]; readonly faults: readonly ConfigFault[] } => {
  const layers: Layer[] = [];
  const faults: ConfigFault[] = [];
  const given = layer.config.extends;
  if (given === undefined) return { layers: [layer], faults };
  const isList = Array.isArray(given);
  for (const [index, entry] of (isList ? (given as readonly (string | Preset)[]) : [given as string | Preset]).entries()) {
    const step = isList ? `extends[${index}]` : "extends";
    const at = layer.at === "" ? step : `${layer.at}.${step}`;
    const preset = typeof entry === "string" ? (Object.hasOwn(presets, entry) ? presets[entry] : undefined) : entry;
    if (!isPreset(preset)) {
      const near = typeof entry === "string" ? nearest(entry, Object.keys(presets)) : undefined;
      const problem = `there is no such preset; known are ${Object.keys(presets).join(", ")}`;
      faults.push({
        file: layer.file,
        path: at,
        value: entry,
        problem,
        ...(near === undefined ? {} : { nearest: near }),
      });
      continue;
    }
    if (above.includes(preset.name)) {
      faults.push({
        file: layer.file,
        path: at,
        value: preset.name,
        problem: `presets extend each other in a circle: ${[...above, preset.name].join(" > ")}`,
      });
      continue;
    }
    const builtIn = typeof entry === "string";
    const below = expand(
      {
        ...layer,
        from: `preset ${preset.name}`,
        file: builtIn ? `preset ${preset.name}` : layer.file,
        at: builtIn ? "" : at,
        config: preset,
      },
      presets,
      [...above, preset.name],
    );
    layers.push(...below.layers);
    faults.push(...below.faults);
  }
  return { layers: [...layers, layer], faults };
};

/** A plugin as it was asked for: found, but not yet made. */
export interface Candidate {
  readonly name: string;
  readonly kind: PluginKind;
  readonly source: { readonly factory: PluginFactory } | { readonly plugin: Plugin };
  /** As written beside the name; undefined where nothing was. */
  readonly options: Readonly<Record<string, unknown>> | undefined;
  readonly from: string;
  readonly file: string;
  readonly at: string;
  /** Whose entry of the same name this one replaced, nearest last. */
  readonly replaced: readonly string[];
}

/** What one layer says about plugins. */
export interface PluginLayer {
  readonly without: readonly string[];
  readonly plugins: readonly Candidate[];
  readonly from: string;
}

export interface Removed {
  readonly name: string;
  /** Who had listed it. */
  readonly from: string;
  /** Who took it out. */
  readonly by: string;
}

/** One of a known name replaces in place, a new one is appended; `without` first, so that a layer may put its own in its stead. */
export const mergePlugins = (
  layers: readonly PluginLayer[],
): { readonly plugins: readonly Candidate[]; readonly removed: readonly Removed[] } => {
  let plugins: readonly Candidate[] = [];
  const removed: Removed[] = [];
  for (const layer of layers) {
    const gone = new Set(layer.without);
    removed.push(...plugins.filter((one) => gone.has(one.name)).map((one) => ({ name: one.name, from: one.from, by: layer.from })));
    plugins = layer.plugins.reduce<readonly Candidate[]>(
      (list, next) => laid(list, next),
      plugins.filter((one) => !gone.has(one.name)),
    );
  }
  return { plugins, removed };
};

/** The list with this one in the place of its namesake, or at the end. */
export const laid = (plugins: readonly Candidate[], next: Candidate): readonly Candidate[] => {
  const index = plugins.findIndex((one) => one.name === next.name);
  const old = plugins[index];
  if (old === undefined) return [...plugins, next];
  return plugins.with(index, { ...next, replaced: [...old.replaced, old.from] });
};

/** Options of one reviewer, from all layers that name it. */
export interface Overlay {
  readonly name: string;
  readonly options: ReviewerOptions;
  readonly from: readonly string[];
  /** Of the last layer that names it. */
  readonly file: string;
  readonly at: string;
  /** The last map that is not empty names it: those names make the required set. */
  readonly named: boolean;
}

/** Merged by reviewer, then by option, `wait` once more by key. */
export const mergeReviewers = (layers: readonly Layer[]): readonly Overlay[] => {
  const overlays = new Map<string, Overlay>();
  const last = layers.findLast((layer) => Object.keys(layer.config.reviewers ?? {}).length > 0)?.config.reviewers;
  for (const layer of layers) {
    for (const [name, options] of Object.entries<ReviewerOptions | undefined>(layer.config.reviewers ?? {})) {
      if (options === undefined) continue;
      const before = overlays.get(name);
      overlays.set(name, {
        name,
        options: laidOver(before?.options ?? {}, options),
        from: [...(before?.from ?? []), layer.from],
        file: layer.file,
        at: layer.at,
        named: last?.[name] !== undefined,
      });
    }
  }
  return [...overlays.values()];
};

const defined = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>;

/** Reviewer options with others over them. */
export const laidOver = (below: ReviewerOptions, above: ReviewerOptions): ReviewerOptions => ({
  ...below,
  ...defined(above),
  ...(below.wait === undefined && above.wait === undefined ? {} : { wait: { ...below.wait, ...defined(above.wait ?? {}) } }),
});

/** The last layer that names a target, and where. */
export const lastTarget = (layers: readonly Layer[]): Layer | undefined => layers.findLast((layer) => isSet(layer.config.target));
const isSet = (entry: Config["target"]): boolean => entry !== undefined && entry !== null && entry !== false;
