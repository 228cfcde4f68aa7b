/** Shows long work: a live line on a terminal, a line per event elsewhere. Always on stderr. */
import { createLogUpdate } from "log-update";
import type { Progress, Wait, Write, WriteResult } from "../../index.js";
import type { Output, Surroundings } from "../surroundings.js";
import { coloursFor, oneLine, plural, safe, seconds, sha } from "./text.js";
import type { Colours } from "./text.js";

export type Loudness = "quiet" | "normal" | "verbose";

const writeText = (write: Write): string => {
  switch (write.kind) {
    case "reply":
      return `replied (${write.decision}): ${write.why.replace(/^[\w-]+: /, "")}`;
    case "comment":
      return write.answers.length === 0
        ? `commented: ${write.why}`
        : `answered ${plural(write.answers.length, "point")} in the conversation: ${write.why}`;
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

const clock = (at: number): string => new Date(at).toTimeString().slice(0, 8);

/** Whom we wait for, since when, until when. */
const waitText = ({ name, for: what, since, until }: Wait, now: number): string => {
  const whom = name ?? (what === "checks" ? "the checks" : what === "anyone" ? "things to settle" : "an answer");
  return `${whom}, since ${clock(since)}, until ${clock(until)} (${seconds(Math.max(0, until - now))} left)`;
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
      return `  gate ${event.gate}: ${event.result === "green" ? colours.green("green") : colours.red(event.result)}${event.reused === true ? colours.dim(" (still valid, not run again)") : event.took === undefined ? "" : colours.dim(` (${seconds(event.took)})`)}`;
    case "write":
      return `  ${event.result.state === "done" ? colours.green("✓") : colours.yellow("·")} ${event.index === undefined ? "" : `${colours.dim(`${event.index}/${event.of ?? 0}`)} `}${writeText(event.write)}${outcome(event.result, colours)}`;
    case "waiting":
      return event.waits === undefined
        ? `${colours.cyan("wait")}  for ${event.for.join(", ")}, at most ${seconds(event.until - event.at)}`
        : event.waits.map((wait) => `${colours.cyan("wait")}  for ${waitText(wait, event.at)}`).join("\n");
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

/** What is going on right now, for the live line; `now` moves while nothing else does. */
const liveText = (event: Progress, now: number): string | undefined => {
  const going = seconds(Math.max(0, now - event.at));
  if (event.type === "phase") return `${event.phase}${event.detail === undefined ? "" : ` (${event.detail})`} … ${going}`;
  if (event.type !== "waiting") return undefined;
  return event.waits === undefined
    ? `waiting for ${event.for.join(", ")} … ${going}`
    : `waiting for ${event.waits.map((wait) => waitText(wait, now)).join("; ")}`;
};

/** Foreign text in an event never reaches the terminal as more than text. */
const cleaned = (event: Progress): Progress =>
  JSON.parse(JSON.stringify(event), (_key, value: unknown) => (typeof value === "string" ? safe(value) : value)) as Progress;

/** Milliseconds between two renderings of the live line. */
const TICK = 1000;

export interface Ticker {
  readonly now: () => number;
  /** Calls until the result is called. */
  readonly every: (milliseconds: number, act: () => void) => () => void;
}

const ticking: Ticker = {
  now: Date.now,
  every: (milliseconds, act) => {
    const timer = setInterval(act, milliseconds);
    // It must not keep the process alive.
    timer.unref();
    return () => clearInterval(timer);
  },
};

export const progressPrinter = (
  surroundings: Surroundings,
  loudness: Loudness,
  log?: (line: string) => void,
  ticker: Ticker = ticking,
): ProgressPrinter => {
  const output: Output = surroundings.stderr;
  const colours = coloursFor(output, surroundings.environment);
  const live =
    output.isTTY === true && loudness !== "quiet"
      ? createLogUpdate(output as NodeJS.WritableStream & Output, { showCursor: true })
      : undefined;
  const width = (output.columns ?? 120) - 2;
  let iteration = 0;
  let current: Progress | undefined;
  const render = (): void => {
    const text = current === undefined ? undefined : liveText(current, ticker.now());
    if (text !== undefined) live?.(colours.dim(oneLine(text, width)));
  };
  const stop = live === undefined ? () => undefined : ticker.every(TICK, render);
  return {
    on: (given) => {
      log?.(JSON.stringify(given));
      if (loudness === "quiet") return;
      const event = cleaned(given);
      const lines: string[] = [];
      if (event.type === "phase" && event.iteration > iteration) {
        iteration = event.iteration;
        lines.push("", colours.inverse(` iteration ${iteration} `));
      }
      const line = lineOf(event, colours, loudness);
      if (line !== undefined) lines.push(...line.split("\n").map((each) => (live === undefined ? each : oneLineKept(each, width))));
      live?.clear();
      for (const each of lines) output.write(`${each}\n`);
      if (liveText(event, event.at) !== undefined) current = event;
      render();
    },
    end: () => {
      stop();
      current = undefined;
      live?.clear();
    },
  };
};

/** Colour codes are kept; only plain text is cut. */
const oneLineKept = (line: string, width: number): string => {
  const bare = line.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "");
  const indent = /^ */.exec(bare)?.[0] ?? "";
  return bare.length > width ? `${indent}${oneLine(bare, width - indent.length)}` : line;
};
