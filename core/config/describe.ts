/** What `reviewloop config` prints, as data. */
import { bindPlugins } from "../hooks.js";
import { PHASE_NAMES } from "../phases.js";
import type { Phase } from "../phases.js";
import type { PluginKind } from "../plugin.js";
import type { AgentKind } from "../model.js";
import type { Resolved } from "./resolve.js";

export interface ConfigDescription {
  /** Absent where the repository has no config. */
  readonly file?: string;
  readonly target: string;
  /** In the words of the config (durations as written), each with who said so. `value` is absent where nothing is set. */
  readonly settings: readonly { readonly path: string; readonly value?: unknown; readonly from: string }[];
  /** In the order in which they run. */
  readonly plugins: readonly {
    readonly name: string;
    readonly kind: PluginKind;
    readonly options: Readonly<Record<string, unknown>>;
    readonly from: string;
    readonly replaced: readonly string[];
    readonly overlaid: readonly string[];
    /** For a reviewer: must it have reviewed? */
    readonly required?: boolean;
  }[];
  readonly removed: readonly { readonly name: string; readonly from: string; readonly by: string }[];
  /** Plugins with a handler for the phase, in the order in which they run. */
  readonly phases: readonly { readonly phase: Phase; readonly plugins: readonly string[] }[];
  readonly agents: readonly { readonly role: AgentKind | "agent"; readonly name: string; readonly from: string }[];
}

/** What is in force and where each entry came from. */
export const describeConfig = (resolved: Resolved): ConfigDescription => {
  const { settings, plugins, origins, values, agent, agents, file } = resolved;
  const hooks = bindPlugins(plugins, { now: () => 0 });
  const roles = [
    ...(agent === undefined ? [] : [["agent", agent] as const]),
    ...Object.entries(agents).map(([kind, one]) => [kind as AgentKind, one] as const),
  ];
  return {
    ...(file === undefined ? {} : { file }),
    target: settings.target,
    settings: Object.entries(values).map(([path, { value, from }]) => ({ path, ...(value === undefined ? {} : { value }), from })),
    plugins: plugins.map((plugin, index) => {
      const origin = origins.plugins[index];
      return {
        name: plugin.name,
        kind: plugin.kind,
        options: plugin.options,
        from: origin?.from ?? "",
        replaced: origin?.replaced ?? [],
        overlaid: origin?.overlaid ?? [],
        ...(plugin.reviewer === undefined ? {} : { required: plugin.reviewer.required }),
      };
    }),
    removed: origins.removed,
    phases: PHASE_NAMES.map((phase) => ({ phase, plugins: hooks.order(phase) })),
    agents: roles.map(([role, one]) => ({ role, name: one.name, from: origins.agents[role] ?? "" })),
  };
};
