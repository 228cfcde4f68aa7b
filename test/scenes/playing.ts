import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentTask, Config, FixAnswer, Progress, TriageAnswer } from "../../index.js";
import { resolveConfig } from "../../core/config/resolve.js";
import { runLoop } from "../../core/session.js";
import { builtinAgents, builtinPlugins } from "../../plugins/index.js";
import { builtinPresets } from "../../presets/index.js";
import { judge } from "../../sandbox/demo/judge.js";
import { Worktree } from "../../sandbox/demo/reading.js";
import { repair } from "../../sandbox/demo/repair.js";
import { memoryForge, memoryGit, memoryStore, virtualClock } from "../../sandbox/kit/index.js";
import type { MemoryGit } from "../../sandbox/kit/index.js";
import { buildScene } from "../../sandbox/scenes/index.js";
import { gate } from "./driver.js";

/** A real folder with the worktree's files, and what was changed there put back. */
const onDisk = <T>(git: MemoryGit, act: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-loop-"));
  try {
    for (const path of git.worktree.paths()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), git.worktree.read(path) ?? "");
    }
    const result = act(folder);
    const after = new Worktree(folder);
    for (const path of git.worktree.paths()) {
      const text = after.read(path);
      if (text !== undefined && text !== git.worktree.read(path)) git.worktree.write(path, text);
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The whole loop on a scene: the engine and the built-in plugins, ports in memory, the demo's agent. */
export const play = async (name: string, seed: number, config: Config = {}, options: { readonly reportOnly?: boolean } = {}) => {
  const clock = virtualClock();
  const scene = buildScene(name, { seed, clock, pace: { start: 1_000, work: 4_000 } });
  const session = scene.world.sessionOf("test-token");
  const git = memoryGit(scene.world, session);
  const forge = memoryForge(scene.world, session, { clock });
  const answer = (task: AgentTask): TriageAnswer | FixAnswer =>
    onDisk(git, (folder) => {
      const worktree = new Worktree(folder);
      if (task.kind === "triage") return { decisions: task.threads.map((thread) => judge(thread, worktree)) };
      const outcomes = task.threads.map((thread) => ({ thread: thread.id, outcome: repair(thread, worktree) }));
      return {
        changed: outcomes.flatMap(({ outcome }) => ("changed" in outcome ? [outcome.changed] : [])),
        unfixed: outcomes.flatMap(({ thread, outcome }) => ("why" in outcome ? [{ thread, why: outcome.why }] : [])),
      };
    });
  const resolved = await resolveConfig({
    builtIns: { plugins: builtinPlugins, presets: builtinPresets, agents: builtinAgents },
    config: {
      extends: "review-clean",
      gate: "node check.mjs",
      agent: ["command", { run: ["true"] }],
      people: { wait: true },
      wait: { poll: "1s", settle: "1s", pace: "0ms" },
      ...config,
    },
    folder: ".",
  });
  const events: Progress[] = [];
  const [owner = "", repository = ""] = scene.repository.split("/");
  const report = await runLoop({
    ref: { host: scene.world.host, owner, name: repository, number: scene.pullRequest.number },
    plugins: resolved.plugins,
    settings: resolved.settings,
    ports: {
      forge,
      git,
      shell: {
        run: async () => {
          const { green, output } = onDisk(git, gate);
          return { started: true, exitCode: green ? 0 : 1, timedOut: false, output, took: 100 };
        },
      },
      agent: { name: "demo", ask: async (task) => ({ ok: true, answer: answer(task), took: 10 }) },
      clock,
      store: memoryStore(),
    },
    signal: new AbortController().signal,
    yes: true,
    ...options,
    outgoing: { folders: ["/nowhere/at/all"], findSecrets: () => [] },
    onProgress: (event: Progress) => void events.push(event),
  });
  scene.stop();
  return { report, scene, events };
};
