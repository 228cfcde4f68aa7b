/** The ports' implementations for real machines. Only the command line, tests and embedders choose among them. */
export { githubForge } from "./forge-github/index.js";
export type { GithubForgeOptions } from "./forge-github/index.js";
