/** Which presets, agents and reviewers there are, which agents are installed, and who reviewed here lately. */
import { resolve } from "node:path";
import { cloneAt, detectAgent, findToken, githubForge, homeOf, hostFrom, systemClock } from "../../core/adapters/index.js";
import type { Environment } from "../../core/adapters/index.js";
import { owns } from "../../core/reading/parties.js";
import { ReviewloopError } from "../../index.js";
import type { PluginFactory } from "../../index.js";
import { builtinAgents, builtinPlugins } from "../../plugins/index.js";
import { builtinPresets } from "../../presets/index.js";

/** Milliseconds; a server that answers later is not worth a question's wait. */
const PATIENCE = 20_000;

/** Names of the built-in presets, agents and reviewers. */
export const builtinNames = (): {
  readonly presets: readonly string[];
  readonly agents: readonly string[];
  readonly reviewers: readonly string[];
} => ({
  presets: Object.keys(builtinPresets),
  agents: Object.keys(builtinAgents),
  reviewers: Object.values(builtinPlugins).flatMap((factory) => (factory.kind === "reviewer" ? [factory.pluginName] : [])),
});

/** Built-in coding agents that answer when asked for their version. Calls no model. */
export const installedAgents = async (environment: Environment): Promise<readonly string[]> => {
  const known = Object.entries(builtinAgents).filter(([name]) => name !== "command");
  const found = await Promise.all(
    known.map(async ([name, factory]) => ({ name, ready: (await detectAgent(factory(), environment)).state === "ready" })),
  );
  return found.flatMap(({ name, ready: here }) => (here ? [name] : []));
};

/** Built-in reviewers that took part in the repository's 20 last updated pull requests. One request. Throws sign-in errors. */
export const seenReviewers = async (folder: string, environment: Environment): Promise<readonly string[]> => {
  const host = hostFrom(environment);
  const clone = await cloneAt(resolve(folder));
  const home = clone === undefined ? undefined : homeOf(clone, host.host);
  if (home === undefined) throw new ReviewloopError("USAGE", { problem: `This folder has no remote on ${host.host}.` });
  const token = await findToken(host.host, environment);
  const clock = systemClock();
  const forge = githubForge({ apiUrl: host.apiUrl, graphqlUrl: host.graphqlUrl, host: host.host, token, clock, pace: 0 });
  const authors = await forge.recent(home, AbortSignal.timeout(PATIENCE));
  return Object.values(builtinPlugins).flatMap((factory) => {
    const facts = (factory as PluginFactory<object>)().reviewer;
    return facts !== undefined && authors.some((author) => owns(facts, author)) ? [facts.name] : [];
  });
};
