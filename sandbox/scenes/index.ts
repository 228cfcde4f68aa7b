/** Worlds with a pull request, by name and seed. */
import { demoScene } from "./demo.js";
import { everyoneScene } from "./everyone.js";
import type { Scene, SceneOptions } from "./setting.js";
import { strangersScene } from "./strangers.js";

interface SceneRow {
  readonly name: string;
  readonly about: string;
  readonly build: (options: SceneOptions) => Scene;
}

export const SCENES: readonly SceneRow[] = [
  {
    name: "demo",
    about: "three bots and a person, more than 100 threads, most of them resolved; ends at its target",
    build: (options) => demoScene("demo", options),
  },
  {
    name: "judgment",
    about: "the demo, and one thread that only a person can decide",
    build: (options) => demoScene("judgment", options, { judgment: true }),
  },
  {
    name: "draft",
    about: "the demo as a draft, which the bots don't review by themselves",
    build: (options) => demoScene("draft", options, { draft: true }),
  },
  {
    name: "quota",
    about: "the demo, with the reviews of one bot used up",
    build: (options) => demoScene("quota", options, { quota: true }),
  },
  {
    name: "strangers",
    about: "a fork's pull request in a repository without a config: five bots, unknown ones among them, and forty old comments",
    build: strangersScene,
  },
  {
    name: "everyone",
    about: "every reviewer on one pull request: some ask for changes, some refuse, some review nothing",
    build: everyoneScene,
  },
];

/** Builds a scene. Throws for a name that is not in `SCENES`. */
export const buildScene = (name: string, options: SceneOptions = {}): Scene => {
  const found = SCENES.find((scene) => scene.name === name);
  if (found === undefined) throw new Error(`There is no scene "${name}". There are: ${SCENES.map((scene) => scene.name).join(", ")}.`);
  return found.build(options);
};

export type { Scene, SceneOptions } from "./setting.js";
