/** Lays `reviewers: { name: options }` over the plugin of that name. */
import type { ConfigFault } from "../errors.js";
import { normalisedLogin } from "../writing/marker.js";
import type { Plugin, PluginFactory, ReviewerFacts } from "../plugin.js";
import { milliseconds } from "./define.js";
import type { ReviewerOptions } from "./define.js";
import type { Candidate, Overlay } from "./merge.js";
import { laidOver } from "./merge.js";
import { nearest } from "./nearest.js";

/** Naming a reviewer makes it required, unless it says otherwise itself. What only a lower layer named keeps its options alone. */
export const overlayOptions = ({ options, named }: Overlay): ReviewerOptions =>
  named ? { ...options, required: options.required ?? true } : options;

/** Names that `reviewers` may use: what is listed, and what is built in and can be asked or starts by itself. */
export const knownReviewers = (plugins: readonly Candidate[], known: Readonly<Record<string, PluginFactory>>): readonly string[] => {
  const builtIn = Object.values(known).filter((factory) => factory.kind === "reviewer" && factory.reviewer?.requestBy !== "none");
  const listed = plugins.filter((one) => one.kind === "reviewer");
  return [...new Set([...listed.map((one) => one.name), ...builtIn.map((factory) => factory.pluginName)])];
};

/** Adds the reviewers that are named and not listed, after the last listed one. */
export const withNamed = (
  plugins: readonly Candidate[],
  overlays: readonly Overlay[],
  known: Readonly<Record<string, PluginFactory>>,
): { readonly plugins: readonly Candidate[]; readonly faults: readonly ConfigFault[] } => {
  const names = knownReviewers(plugins, known);
  const faults: ConfigFault[] = [];
  const added: Candidate[] = [];
  for (const overlay of overlays) {
    const listed = plugins.find((one) => one.name === overlay.name);
    const factory = Object.hasOwn(known, overlay.name) ? known[overlay.name] : undefined;
    const path = pathOfOverlay(overlay);
    const kind = listed?.kind ?? factory?.kind;
    if (kind === undefined) {
      const near = nearest(overlay.name, names);
      const problem = `there is no such reviewer; known are ${names.join(", ")}`;
      faults.push({ file: overlay.file, path, problem, ...(near === undefined ? {} : { nearest: near }) });
    } else if (kind !== "reviewer") {
      faults.push({ file: overlay.file, path, problem: `${overlay.name} is a ${kind}, not a reviewer; known are ${names.join(", ")}` });
    } else if (listed === undefined && factory !== undefined) {
      const from = overlay.from.join(", ");
      added.push({ name: overlay.name, kind, source: { factory }, options: undefined, from, file: overlay.file, at: path, replaced: [] });
    }
  }
  const place = plugins.findLastIndex((one) => one.kind === "reviewer") + 1;
  return { plugins: plugins.toSpliced(place, 0, ...added), faults };
};

export const pathOfOverlay = (overlay: Overlay): string => {
  const within = /^[\w$]+$/.test(overlay.name) ? `reviewers.${overlay.name}` : `reviewers[${JSON.stringify(overlay.name)}]`;
  return overlay.at === "" ? within : `${overlay.at}.${within}`;
};

const inMilliseconds = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : (milliseconds(text) ?? otherwise);

/** For a finished plugin that nobody can make again: its facts and options with others over them. */
export const laidOverFinished = (plugin: Plugin, over: ReviewerOptions): Plugin => {
  const facts = plugin.reviewer as ReviewerFacts;
  const [first, ...others] = facts.identities;
  const further = (over.logins ?? []).map(normalisedLogin);
  return Object.freeze({
    ...plugin,
    options: Object.freeze(laidOver(plugin.options as ReviewerOptions, over)),
    reviewer: Object.freeze({
      ...facts,
      required: over.required ?? facts.required,
      rerun: over.rerun ?? facts.rerun,
      missing: over.missing ?? facts.missing,
      identities: first === undefined ? facts.identities : [{ ...first, logins: [...new Set([...first.logins, ...further])] }, ...others],
      wait: {
        poll: inMilliseconds(over.wait?.poll, facts.wait.poll),
        timeout: inMilliseconds(over.wait?.timeout, facts.wait.timeout),
        start: inMilliseconds(over.wait?.start, facts.wait.start),
      },
    }),
  });
};
