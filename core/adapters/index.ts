/** The ports' implementations for real machines. Only the command line, tests and embedders choose among them. */
export { githubForge } from "./forge-github/index.js";
export type { GithubForgeOptions } from "./forge-github/index.js";
export { systemClock } from "./clock/system.js";
export { shell, type ShellOptions } from "./shell/shell.js";
export { commandEnvironment, type Environment, type EnvironmentOptions } from "./shell/environment.js";
export { endAllNow, endOnExit, endProcessTree, MARK, type EndOptions } from "./shell/process-tree.js";
export { fileStore, type FileStoreOptions } from "./store/store.js";
export { defaultStateFolder, pullRequestFolder, repositoryFolder } from "./store/folder.js";
export { thisHost, type HostInformation } from "./store/lease.js";
export { gitWorktree, type GitWorktreeOptions } from "./git/git.js";
export { belongsTo, cloneAt, fileAt, homeOf, repositoryOf, type Clone } from "./git/clone.js";
export { hooksOf, hookTextsOf, type Hook } from "./git/hooks.js";
export { examine, type ExaminedRequest } from "./doctor.js";
export * from "./agent/index.js";
export { findToken } from "./shell/gh-token.js";
export { hostFrom, parseReference, type GithubHost } from "./forge-github/host.js";
export { systemEnvironment } from "./environment.js";
