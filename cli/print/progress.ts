/** Shows long work: a live line on a terminal, a line per event elsewhere. Always on stderr. */
import { createLogUpdate } from "log-update";
import type { Progress, Write, WriteResult } from "../../index.js";
import type { Output, Surroundings } from "../surroundings.js";
import { coloursFor, oneLine, plural, safe, seconds, sha } from "./text.js";
import type { Colours } from "./text.js";

export type Loudness = "quiet" | "normal" | "verbose";

const writeText = (write: Write): string => {
  switch (write.kind) {
    case "reply":
      return `replied (${write.decision}): ${write.why.replace(/^[\w-]+: /, "")}`;
    case "comment":
      return `answered ${plural(write.answers.length, "point")} in the conversation: ${write.why}`;
    case "resolve":
      return `resolved: ${write.why}`;
    case "request":
      return `asked ${write.reviewer} for a review (${write.by === "comment" ? "comment" : "review request"})`;
    case "push":
      return `pushed ${plural(write.commits.length, "commit")}, head is now ${sha(write.to)}`;
    case "minimise":
      return "hid an older trigger as outdated";
    case "mark-ready":
      return "marked ready for review";
    case "mark-draft":
      return "converted to draft";
    default:
      return `${write.kind}: ${write.why}`;
  }
};

const outcome = (result: WriteResult, colours: Colours): string => {
  if (result.state === "done") return result.found === true ? colours.dim(" (was already there)") : "";
  if (result.state === "planned") return colours.dim(" (planned)");
  return colours.yellow(` - not done: ${result.detail}`);
};

const DECISION_COLOUR = {
  actionable: "yellow",
  informational: "blue",
  "false-positive": "magenta",
  nitpick: "dim",
  judgment: "red",
} as const;

/** One event as a line; undefined = nothing to say at this loudness. */
export const lineOf = (event: Progress, colours: Colours, loudness: Loudness): string | undefined => {
  switch (event.type) {
    case "phase":
      return loudness === "verbose" || !["fetch", "check"].includes(event.phase)
        ? `${colours.bold(event.phase)}${event.detail === undefined ? "" : `  ${event.detail}`}`
        : undefined;
    case "read":
      return `  ${plural(event.threads, "thread")}, ${event.open} open, head ${sha(event.head)}`;
    case "decided":
      return `  ${colours.dim(`${event.index}/${event.of}`)} ${colours[DECISION_COLOUR[event.kind]](event.kind.padEnd(14))} ${event.title}`;
    case "fixed":
      return `  ${colours.green("fixed")} ${event.title}${event.summary === "" ? "" : colours.dim(` - ${event.summary}`)}`;
    case "gate":
      return `  gate ${event.gate}: ${event.result === "green" ? colours.green("green") : colours.red(event.result)}${event.took === undefined ? "" : colours.dim(` (${seconds(event.took)})`)}`;
    case "write":
      return `  ${event.result.state === "done" ? colours.green("✓") : colours.yellow("·")} ${writeText(event.write)}${outcome(event.result, colours)}`;
    case "waiting":
      return `${colours.cyan("wait")}  for ${event.for.join(", ")}, at most ${seconds(event.until - event.at)}`;
    case "note":
      return `  ${colours.dim(event.text)}`;
    case "span":
      return loudness === "verbose" ? colours.dim(`  (${event.plugin} in ${event.phase}: ${seconds(event.took)})`) : undefined;
    case "stop":
      return `${colours.bold("stop")}  ${event.stop}${event.detail === "" ? "" : `: ${event.detail}`}`;
  }
};

export interface ProgressPrinter {
  readonly on: (event: Progress) => void;
  readonly end: () => void;
}

/** What is going on right now, for the live line. */
const liveText = (event: Progress): string | undefined => {
  if (event.type === "phase") return `${event.phase}${event.detail === undefined ? "" : ` (${event.detail})`} …`;
  return event.type === "waiting" ? `waiting for ${event.for.join(", ")} …` : undefined;
};

export const progressPrinter = (surroundings: Surroundings, loudness: Loudness, log?: (line: string) => void): ProgressPrinter => {
  const output: Output = surroundings.stderr;
  const colours = coloursFor(output, surroundings.environment);
  const live =
    output.isTTY === true && loudness !== "quiet"
      ? createLogUpdate(output as NodeJS.WritableStream & Output, { showCursor: true })
      : undefined;
  const width = (output.columns ?? 120) - 2;
  let iteration = 0;
  return {
    on: (event) => {
      log?.(JSON.stringify(event));
      if (loudness === "quiet") return;
      const lines: string[] = [];
      if (event.type === "phase" && event.iteration > iteration) {
        iteration = event.iteration;
        lines.push("", colours.inverse(` iteration ${iteration} `));
      }
      const line = lineOf(event, colours, loudness);
      if (line !== undefined) lines.push(live === undefined ? safe(line) : oneLineKept(line, width));
      live?.clear();
      for (const each of lines) output.write(`${each}\n`);
      const now = liveText(event);
      if (now !== undefined) live?.(colours.dim(oneLine(now, width)));
    },
    end: () => live?.clear(),
  };
};

/** Colour codes are kept; only plain text is cut. */
const oneLineKept = (line: string, width: number): string => {
  const bare = line.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "");
  const indent = /^ */.exec(bare)?.[0] ?? "";
  return bare.length > width ? `${indent}${oneLine(bare, width - indent.length)}` : line;
};
