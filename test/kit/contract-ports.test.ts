/** The contracts of the ports: the ones in memory and the real adapters keep the same. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentProcess, fileStore, githubForge, shell, systemClock } from "../../core/adapters/index.js";
import { redactor } from "../../core/redact.js";
import { command } from "../../plugins/agents/command.js";
import { startSandbox } from "../../sandbox/index.js";
import { forgeWorld, GIT_FILES, portContract, virtualClock } from "../../sandbox/kit/index.js";
import type { AgentStand, ContractCase, ForgeStand, GitStand, ShellStand, StoreStand } from "../../sandbox/kit/index.js";
import { world as repositories } from "../adapters/git-support.js";
import { memoryForgeStand, memoryGitStand, memoryShellStand, memoryStoreStand, scriptedAgentStand } from "./stands.js";

const temporary = (): { readonly folder: string; close(): Promise<void> } => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-contract-"));
  return { folder, close: async () => rmSync(folder, { recursive: true, force: true }) };
};

const githubStand = async (): Promise<ForgeStand> => {
  const clock = virtualClock();
  const sandbox = await startSandbox({ clock });
  const { world } = sandbox;
  const pullRequest = forgeWorld(world);
  const secret = sandbox.tokenFor("ada");
  return {
    forge: githubForge({ ...sandbox, host: world.host, token: secret, clock, pace: 0 }),
    ref: { host: world.host, owner: "ada", name: "shop", number: pullRequest.number },
    world,
    pullRequest,
    secret,
    close: async () => {
      await sandbox.close();
      expect(sandbox.unknownRequests).toEqual([]);
    },
  };
};

const realGitStand = async (): Promise<GitStand> => {
  const on = repositories(GIT_FILES);
  return {
    git: on.worktree(),
    pullRequest: on.pullRequest(),
    publish: async (files) => on.publish(files),
    publishBase: async (files) => on.publishBase(files),
    remoteHead: async () => on.git(on.remote, "rev-parse", "refs/heads/feature"),
    close: async () => on.remove(),
  };
};

const realShellStand = async (): Promise<ShellStand> => {
  const { folder, close } = temporary();
  const environment = { PATH: process.env["PATH"], HOME: folder };
  return {
    shell: shell({ environment, redact: redactor([]), grace: 200 }),
    cwd: folder,
    commands: { succeed: "echo fine", fail: "echo broken >&2; exit 3", missing: "no-such-program-anywhere", slow: "sleep 300" },
    close,
  };
};

const fileStoreStand = async (): Promise<StoreStand> => {
  const { folder, close } = temporary();
  const at = () => fileStore({ folder, clock: systemClock() });
  return { store: at(), again: at, close };
};

const AGENT = `
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const decisions = task.threads.map((t) => ({ thread: t.id, kind: "informational", why: "read it", reply: "So it is.", root: null, question: null }));
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify({ decisions }));
`;
const commandAgentStand = async (): Promise<AgentStand> => {
  const { folder, close } = temporary();
  const program = join(folder, "agent.mjs");
  writeFileSync(program, AGENT);
  const agent = agentProcess(command({ run: [process.execPath, program] }), {
    stateFolder: join(folder, "state"),
    clock: systemClock(),
    environment: { PATH: process.env["PATH"], HOME: folder },
  });
  return { agent, worktree: folder, close };
};

const PORTS: readonly (readonly [what: string, cases: readonly ContractCase[]])[] = [
  ["forge in memory", portContract.forge("memoryForge", memoryForgeStand)],
  ["forge over HTTP", portContract.forge("githubForge", githubStand)],
  ["git in memory", portContract.git("memoryGit", memoryGitStand)],
  ["git itself", portContract.git("gitWorktree", realGitStand)],
  ["shell in memory", portContract.shell("memoryShell", memoryShellStand)],
  ["shell itself", portContract.shell("shell", realShellStand)],
  ["virtual clock", portContract.clock("virtualClock", async () => ({ clock: virtualClock() }))],
  ["the machine's clock", portContract.clock("systemClock", async () => ({ clock: systemClock() }))],
  ["store in memory", portContract.store("memoryStore", memoryStoreStand)],
  ["store on disk", portContract.store("fileStore", fileStoreStand)],
  ["scripted agent", portContract.agent("scriptedAgent", scriptedAgentStand)],
  ["agent as a process", portContract.agent("agentProcess", commandAgentStand)],
];

describe.each(PORTS)("%s", (_what, cases) => {
  test.each(cases.map(({ name, run }) => [name, run] as const))("%s", (_name, run) => run());
});
