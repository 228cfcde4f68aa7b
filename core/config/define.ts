/** The config as a person writes it, and the settings that come of it. `config-schema.json` describes the same keys. */
import type { AgentKind, Duration } from "../model.js";
import type { AgentDefinition, Plugin, PluginFactory } from "../plugin.js";

/** A plugin by name, by name with options, as an object, or left out (`false`, for conditions). */
export type PluginEntry =
  | string
  | readonly [name: string, options?: Readonly<Record<string, unknown>>]
  | Plugin
  | PluginFactory
  | false
  | null
  | undefined;
/** Makes an agent from options; `schema` is a JSON Schema of them. */
export interface AgentFactory {
  (options?: Readonly<Record<string, unknown>>): AgentDefinition;
  readonly schema?: object;
}
export type AgentEntry = string | readonly [name: string, options?: Readonly<Record<string, unknown>>] | AgentDefinition;

export interface GateEntry {
  readonly name?: string;
  readonly run: string;
  readonly timeout?: Duration;
  /** This gate is the focused proof of `open-for-review`. */
  readonly proof?: boolean;
  /** Runs at the same time as its neighbours in the list that say so too. */
  readonly together?: boolean;
}

/** Laid over a reviewer's plugin entry; naming one makes it required unless `required: false`. */
export interface ReviewerOptions {
  readonly required?: boolean;
  /** Must it review each new head? */
  readonly rerun?: boolean;
  readonly wait?: { readonly poll?: Duration; readonly timeout?: Duration; readonly start?: Duration };
  /** What a silent one does to the run. */
  readonly missing?: "stop" | "go-on";
  /** Further logins of the same reviewer (renamed apps). */
  readonly logins?: readonly string[];
  readonly [option: string]: unknown;
}

export interface Config {
  readonly $schema?: string;
  readonly extends?: string | Preset | readonly (string | Preset)[];
  readonly without?: readonly string[];
  readonly plugins?: readonly PluginEntry[];
  readonly target?: PluginEntry;
  readonly reviewers?: Readonly<Record<string, ReviewerOptions>>;
  readonly gate?: false | string | GateEntry | readonly (string | GateEntry)[];
  readonly sync?: "none" | "merge" | "rebase";
  readonly agent?: AgentEntry | false;
  readonly agents?: Readonly<Partial<Record<AgentKind, AgentEntry>>>;
  readonly people?: {
    readonly resolve?: "leave" | "after-reply";
    readonly wait?: boolean;
    readonly rerequest?: "once" | "never";
    readonly signature?: string | false;
  };
  readonly identities?: readonly string[];
  readonly nitpicks?: "fix" | "answer" | "leave";
  readonly markReadyFor?: readonly string[];
  readonly commit?: { readonly subject?: string; readonly style?: "one-per-iteration" | "kept" };
  readonly worktree?: { readonly setup?: string | false };
  readonly push?: "own" | "any";
  readonly trust?: { readonly logins?: readonly string[]; readonly everyone?: boolean; readonly protected?: readonly string[] };
  readonly wait?: { readonly poll?: Duration; readonly timeout?: Duration; readonly settle?: Duration; readonly pace?: Duration };
  readonly limits?: {
    readonly iterations?: number;
    readonly activeTime?: Duration;
    readonly repairs?: number;
    readonly handoffs?: number;
    readonly replies?: number;
    readonly tokens?: number;
    readonly money?: number;
  };
}

/** A named partial config. */
export interface Preset extends Config {
  readonly name: string;
}

/** A config may be a function: what is given to it. */
export interface ConfigInput {
  /** Does it run in a CI job? */
  readonly ci: boolean;
}
export type ConfigFunction = (input: ConfigInput) => Config | Promise<Config>;

/** Types a config; returns it as it is. */
export function defineConfig(config: Config): Config;
export function defineConfig(config: ConfigFunction): ConfigFunction;
export function defineConfig(config: Config | ConfigFunction): Config | ConfigFunction {
  return config;
}
/** Types a preset; returns it as it is. */
export const definePreset = (preset: Preset): Preset => preset;

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** Milliseconds of a duration, or undefined where the text is none. */
export const milliseconds = (text: string): number | undefined => {
  const found = DURATION.exec(text);
  return found === null ? undefined : Number(found[1]) * UNITS[found[2] as keyof typeof UNITS];
};
