/** Drives a scene through the real loop with plugins of one's own, on the scene's ports. */
import { runLoop, settingsFor, type Config, type LoopRunOptions, type Plugin, type Report } from "../../core/index.js";
import type { Scene } from "./scenario.js";

export interface SceneRun extends Partial<Omit<LoopRunOptions, "plugins" | "settings">> {
  /** In order, as in a config; one of them is the target. */
  readonly plugins: readonly Plugin[];
  /** Settings over the defaults (its plugins are not looked at). */
  readonly config?: Config;
}

/** The report of a run; time passes on the scene's clock. Agreed beforehand (`yes`) unless told otherwise. */
export const runScene = async (scene: Scene, { plugins, config = {}, ...options }: SceneRun): Promise<Report> => {
  const ports = options.ports ?? scene.ports;
  const target = plugins.find((plugin) => plugin.kind === "target")?.name;
  return runLoop({
    ref: scene.pullRequestRef,
    signal: new AbortController().signal,
    outgoing: { folders: [], findSecrets: () => [] },
    yes: true,
    ...options,
    plugins,
    ports,
    settings: settingsFor(
      { worktree: { setup: false }, ...config },
      { hasAgent: ports.agent !== undefined, ...(target === undefined ? {} : { target }) },
    ),
  });
};
