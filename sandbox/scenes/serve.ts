/** A scene behind a real server: HTTP on loopback, real git repositories, real time. */
import { startSandbox } from "../server/start.js";
import type { Sandbox } from "../server/start.js";
import { realWorldClock } from "../world/index.js";
import type { FaultName, FaultOptions } from "../world/index.js";
import { sceneClock } from "./clock.js";
import { buildScene } from "./index.js";
import type { Scene, SceneOptions } from "./setting.js";

export interface ServeOptions extends Pick<SceneOptions, "seed" | "pace"> {
  /** A free one unless given. */
  readonly port?: number;
  /** Faults that are on from the start, with what each is set to (`faultOptions(name, seed)`). */
  readonly faults?: Partial<FaultOptions>;
}

export interface ServedScene {
  readonly scene: Scene;
  readonly sandbox: Sandbox;
  /** Web address of the pull request. */
  readonly pullRequestUrl: string;
  /** Of the repository that the pull request's branch is in. */
  readonly cloneUrl: string;
  /** Signs in as the pull request's author. */
  readonly token: string;
  close(): Promise<void>;
}

/** Builds a scene and serves it. Throws for a name that is no scene, or no fault. */
export const serveScene = async (name: string, options: ServeOptions = {}): Promise<ServedScene> => {
  const clock = sceneClock(realWorldClock());
  let built: Scene | undefined;
  const sandbox = await startSandbox({
    clock,
    ...(options.port === undefined ? {} : { port: options.port }),
    seed: (world) => {
      built = buildScene(name, {
        world,
        clock,
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...(options.pace === undefined ? {} : { pace: options.pace }),
      });
      for (const [fault, set] of Object.entries(options.faults ?? {})) world.faults.set(fault as FaultName, set);
    },
  });
  const scene = built;
  if (scene === undefined) {
    await sandbox.close();
    throw new Error("The sandbox started without its scene.");
  }
  return {
    scene,
    sandbox,
    pullRequestUrl: `${sandbox.url}/${scene.repository}/pull/${scene.pullRequest.number}`,
    cloneUrl: `${sandbox.url}/${scene.pullRequest.head.repository ?? scene.repository}.git`,
    token: scene.tokens[scene.author] ?? "",
    async close() {
      scene.stop();
      await sandbox.close();
    },
  };
};
