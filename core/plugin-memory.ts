/** What a plugin keeps of a repository, over all its pull requests. */
import type { RepositoryRef } from "./model.js";
import type { Ctx, Ports } from "./ports.js";

/** Under which key the store keeps it. */
export const pluginMemory = (plugin: string, key: string): string => `plugin:${plugin}:${key}`;

/** A dry run remembers nothing. */
export const memoryOf = (
  plugin: string,
  { store, clock }: Pick<Ports, "store" | "clock">,
  ref: RepositoryRef,
  dryRun: boolean,
): NonNullable<Ctx["repository"]> => ({
  recall: async (key) => (await store.recall(ref, pluginMemory(plugin, key)))?.value,
  remember: async (key, value) => {
    if (!dryRun) await store.remember(ref, pluginMemory(plugin, key), value, clock.now());
  },
});
