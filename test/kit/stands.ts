/** The ports in memory, as the port contracts want them. */
import {
  createWorld,
  forgeWorld,
  GIT_FILES,
  memoryForge,
  memoryShell,
  memoryStore,
  scenario,
  scriptedAgent,
  triageEach,
  virtualClock,
} from "../../sandbox/kit/index.js";
import type { AgentStand, ForgeStand, GitStand, ShellStand, StoreStand } from "../../sandbox/kit/index.js";

export const memoryForgeStand = async (): Promise<ForgeStand> => {
  const clock = virtualClock();
  const world = createWorld({ clock });
  const pullRequest = forgeWorld(world);
  const ref = { host: world.host, owner: "ada", name: "shop", number: pullRequest.number };
  return { forge: memoryForge(world, "ada", { clock }), ref, world, pullRequest };
};

export const memoryGitStand = async (): Promise<GitStand> => {
  const made = scenario();
  for (const [path, text] of Object.entries(GIT_FILES)) made.file(path, text, text);
  const scene = made.file("src/feature.txt", null, "new\n").build();
  const push = (branch: string) => async (files: Readonly<Record<string, string>>) =>
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch, files, message: "A push" });
  return {
    git: scene.git,
    pullRequest: (await scene.ports.forge.read(scene.pullRequestRef)).pullRequest,
    publish: push("topic"),
    publishBase: push("main"),
    remoteHead: async () => scene.pullRequest.head.sha,
  };
};

export const memoryShellStand = async (): Promise<ShellStand> => {
  const scene = scenario().build();
  const commands = { succeed: "succeed", fail: "fail", missing: "missing", slow: "slow" };
  const script = {
    succeed: () => ({ exitCode: 0, output: "fine", took: 5 }),
    fail: () => ({ exitCode: 3, output: "broken" }),
    missing: () => ({ started: false }),
    slow: () => ({ exitCode: 0, took: 300_000 }),
  };
  return { shell: memoryShell(script, { git: scene.git, clock: scene.clock }), cwd: scene.git.root, commands };
};

export const memoryStoreStand = async (): Promise<StoreStand> => {
  const store = memoryStore();
  return { store, again: () => store };
};

export const scriptedAgentStand = async (): Promise<AgentStand> => {
  const scene = scenario().build();
  const triage = triageEach(() => ({ kind: "informational" as const, reply: "So it is." }));
  return { agent: scriptedAgent({ triage }, { git: scene.git, clock: scene.clock }), worktree: scene.git.root };
};
