/** `config`: what is in force, and where each entry came from. */
import { ordersOf, resolveHere } from "../../index.js";
import type { Surroundings } from "../surroundings.js";
import { on, requestOf } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor } from "../print/text.js";

export const configCommand = async (flags: Flags, _reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const resolved = await resolveHere(requestOf(flags, undefined, surroundings));
  const { settings, origins } = resolved;
  const phases = ordersOf(resolved.plugins);
  const json = {
    schemaVersion: 1,
    ...(resolved.file === undefined ? {} : { file: resolved.file }),
    target: settings.target,
    settings,
    plugins: origins.plugins,
    removed: origins.removed,
    phases,
    agent: resolved.agent?.name ?? null,
    origins: origins.settings,
  };
  if (on(flags, "json")) {
    surroundings.stdout.write(`${JSON.stringify(json)}\n`);
    return 0;
  }
  const colours = coloursFor(surroundings.stdout, surroundings.environment);
  const lines = [
    `${colours.bold("file")}    ${resolved.file ?? "none: preset review-clean, no agent, no gate"}`,
    `${colours.bold("target")}  ${settings.target}`,
    `${colours.bold("agent")}   ${resolved.agent?.name ?? "none"}`,
    "",
    colours.bold("plugins, in order"),
    ...origins.plugins.map(
      (plugin) =>
        `  ${plugin.name.padEnd(18)} ${plugin.kind.padEnd(9)} ${colours.dim(`from ${plugin.from}${plugin.replaced.length > 0 ? `, instead of ${plugin.replaced.join(", ")}` : ""}${plugin.overlaid.length > 0 ? `, with reviewers of ${plugin.overlaid.join(", ")}` : ""}`)}`,
    ),
    ...origins.removed.map((plugin) => colours.dim(`  without ${plugin.name}`)),
    "",
    colours.bold("phases"),
    ...Object.entries(phases).map(([phase, names]) => `  ${phase.padEnd(10)} ${names.length === 0 ? colours.dim("-") : names.join(", ")}`),
    "",
    colours.bold("settings"),
    ...Object.entries(resolved.values).map(
      ([path, value]) => `  ${path.padEnd(20)} ${JSON.stringify(value.value) ?? "none"}  ${colours.dim(value.from)}`,
    ),
  ];
  surroundings.stdout.write(`${lines.join("\n")}\n`);
  return 0;
};
