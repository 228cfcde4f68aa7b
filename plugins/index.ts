/** Every built-in plugin and agent: by export for a config in code, by name for one in data. */
import type { AgentFactory, PluginFactory } from "../index.js";
import { command } from "./agents/command.js";

export { command };

const byName = (factories: readonly PluginFactory[]): Readonly<Record<string, PluginFactory>> =>
  Object.freeze(Object.fromEntries(factories.map((factory) => [factory.pluginName, factory])));

/** By the name that a config uses. */
export const builtinPlugins: Readonly<Record<string, PluginFactory>> = byName([]);

/** By the name that a config uses. */
export const builtinAgents: Readonly<Record<string, AgentFactory>> = Object.freeze({ command });
