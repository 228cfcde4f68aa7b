/** `reviewloop/testing`: ports in memory over a world, time without waiting, short scenes. No test runner is imported. */
export { virtualClock, VIRTUAL_START, type VirtualClock } from "./virtual-clock.js";
export { memoryForge, type MemoryForgeOptions } from "./memory-forge.js";
export { memoryGit, type MemoryGit, type MemoryGitOptions, type Worktree } from "./memory-git.js";
export { memoryShell, type MemoryShell, type ScriptedCommand, type ShellAnswer } from "./memory-shell.js";
export { memoryStore, type MemoryStore } from "./memory-store.js";
export {
  fixEach,
  scriptedAgent,
  triageEach,
  type AgentCost,
  type AgentScript,
  type ScriptedAgent,
  type ScriptedAnswer,
} from "./scripted-agent.js";
export { scenario, type Scenario, type ScenarioPullRequest, type Scene } from "./scenario.js";
export { runScene, type SceneRun } from "./run-scene.js";
export type { ContractCase } from "./contract.js";
export { CONTRACT_TOKEN, pluginContract, type PluginContractOptions } from "./contract-plugin.js";
export { reviewerContract, type ReviewerContractOptions, type ReviewerSamples } from "./contract-reviewer.js";
export type { Sample, SamplePost } from "./contract-bot.js";
export { targetContract, type Situation, type TargetContractOptions, type TargetTable } from "./contract-target.js";
export { agentContract, type AgentContractOptions } from "./contract-agent.js";
export { portContract, type AgentStand, type ShellStand, type StoreStand } from "./contract-ports.js";
export { forgeWorld, type ForgeStand } from "./contract-forge.js";
export { GIT_FILES, type GitStand } from "./contract-git.js";
export { normalised, pulseOf, snapshotOf } from "./snapshot.js";
export { createWorld, World, type WorldOptions } from "../world/world.js";
export { WorldError, type WorldErrorType } from "../world/errors.js";
export { FAULTS, Faults, faultOptions, type FaultName, type FaultOptions } from "../world/faults.js";
export { memoryRepositories } from "../world/memory-repositories.js";
export type { WorldEvent, WorldEventOf, WorldEventType } from "../world/events.js";
export type { Repositories, RepositoryName } from "../world/repositories.js";
export type { WorldClock } from "../world/clock.js";
