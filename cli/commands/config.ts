/** `config`: what is in force, and where each entry came from. */
import { describeConfig, resolveHere } from "../../index.js";
import type { Surroundings } from "../surroundings.js";
import { on, requestOf } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor } from "../print/text.js";

const from = (entry: { readonly from: string; readonly replaced: readonly string[]; readonly overlaid: readonly string[] }): string =>
  [
    `from ${entry.from}`,
    ...(entry.replaced.length > 0 ? [`instead of ${entry.replaced.join(", ")}`] : []),
    ...(entry.overlaid.length > 0 ? [`with reviewers of ${entry.overlaid.join(", ")}`] : []),
  ].join(", ");

export const configCommand = async (flags: Flags, _reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const found = describeConfig(await resolveHere(requestOf(flags, undefined, surroundings)));
  if (on(flags, "json")) {
    surroundings.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...found })}\n`);
    return 0;
  }
  const colours = coloursFor(surroundings.stdout, surroundings.environment);
  const lines = [
    `${colours.bold("file")}    ${found.file ?? "none: preset review-clean, no agent, no gate"}`,
    `${colours.bold("target")}  ${found.target}`,
    ...(found.agents.length === 0
      ? [`${colours.bold("agent")}   none`]
      : found.agents.map((agent) => `${colours.bold(agent.role.padEnd(7))} ${agent.name} ${colours.dim(agent.from)}`)),
    "",
    colours.bold("plugins, in order"),
    ...found.plugins.map(
      (plugin) =>
        `  ${plugin.name.padEnd(18)} ${plugin.kind.padEnd(9)} ${plugin.required === true ? "required  " : ""}${colours.dim(from(plugin))}`,
    ),
    ...found.removed.map((plugin) => colours.dim(`  without ${plugin.name} (${plugin.by})`)),
    "",
    colours.bold("phases"),
    ...found.phases.map(({ phase, plugins }) => `  ${phase.padEnd(10)} ${plugins.length === 0 ? colours.dim("-") : plugins.join(", ")}`),
    "",
    colours.bold("settings"),
    ...found.settings.map(
      ({ path, value, from: origin }) =>
        `  ${path.padEnd(20)} ${value === undefined ? "none" : JSON.stringify(value)}  ${colours.dim(origin)}`,
    ),
  ];
  surroundings.stdout.write(`${lines.join("\n")}\n`);
  return 0;
};
