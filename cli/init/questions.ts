/** What `init` asks: with what was found as the answer that Enter gives, again where an answer fits nothing. */
import { ReviewloopError } from "../../index.js";
import type { Colours } from "../print/text.js";
import type { Chosen } from "./config.js";

/** Undefined: the person left. */
export type Ask = (question: string) => Promise<string | undefined>;

export interface Found {
  readonly presets: readonly string[];
  readonly agents: readonly string[];
  readonly reviewers: readonly string[];
  /** Test command of the repository. */
  readonly gate: string | undefined;
  readonly agentsHere: readonly string[];
  readonly seen: readonly string[] | undefined;
  readonly workflows: readonly string[];
}

/** As flags give them; what is given is not asked. */
export interface Given {
  readonly preset?: string;
  readonly gate?: string;
  readonly agent?: string;
  readonly reviewers?: readonly string[];
}

type Answers = Pick<Chosen, "preset" | "gate" | "agent" | "required">;

const none = (said: string): boolean => said === "" || said === "none";

const fault = (problem: string): ReviewloopError => new ReviewloopError("USAGE", { problem, command: "init" });

const among = (said: string, known: readonly string[], what: string): string => {
  if (known.includes(said)) return said;
  throw fault(`There is no ${what} "${said}". There are: ${known.join(", ")}.`);
};

const listOf = (names: readonly string[], otherwise: string): string => (names.length === 0 ? otherwise : names.join(", "));

interface Question<T> {
  readonly title: string;
  /** What can be answered. */
  readonly hint: string;
  /** What Enter answers. */
  readonly otherwise: string;
  /** Throws `USAGE` for an answer that fits nothing. */
  readonly read: (said: string) => T;
}

const questionsFor = (found: Found) => ({
  preset: {
    title: "Way of working",
    hint: found.presets.join(", "),
    otherwise: "review-clean",
    read: (said) => among(said, found.presets, "preset"),
  } satisfies Question<string>,
  gate: {
    title: "Gate",
    hint: "the command that must be green before a push; false: push without; none: push nothing",
    otherwise: found.gate ?? "none",
    read: (said) => (said === "false" ? false : none(said) ? undefined : said),
  } satisfies Question<Answers["gate"]>,
  agent: {
    title: "Coding agent",
    hint: `who judges and mends (found here: ${listOf(found.agentsHere, "none")}); none: you, or whoever drives the loop`,
    otherwise: "none",
    read: (said) => (none(said) || said === "false" ? undefined : among(said, found.agents, "agent")),
  } satisfies Question<Answers["agent"]>,
  required: {
    title: "Required reviewers",
    hint: `whose review must be there (seen on recent pull requests: ${listOf(found.seen ?? [], "none")}); none: as the way of working has it`,
    otherwise: "none",
    read: (said) =>
      said
        .split(/[\s,]+/)
        .filter((name) => !none(name))
        .map((name) => among(name, found.reviewers, "reviewer")),
  } satisfies Question<Answers["required"]>,
});

/** Asks until an answer fits. Undefined: the person left. */
const asked = async <T>(
  question: Question<T>,
  ask: Ask,
  tell: (line: string) => void,
  colours: Colours,
): Promise<{ readonly answer: T } | undefined> => {
  tell(`\n${colours.bold(question.title)}  ${colours.dim(question.hint)}`);
  for (;;) {
    const said = await ask(`[${question.otherwise}] `);
    if (said === undefined) return undefined;
    try {
      return { answer: question.read(said === "" ? question.otherwise : said) };
    } catch (thrown) {
      if (!ReviewloopError.is(thrown)) throw thrown;
      tell(colours.yellow(thrown.message));
    }
  }
};

export interface Terminal {
  readonly ask: Ask;
  readonly tell: (line: string) => void;
  readonly colours: Colours;
}

/** Flags first, then the person at the terminal, else what was found. Undefined: the person left. Throws `USAGE` for a flag that fits nothing. */
export const answersFrom = async (found: Found, given: Given, terminal: Terminal | undefined): Promise<Answers | undefined> => {
  const about = questionsFor(found);
  const settle = async <T>(question: Question<T>, flag: string | undefined): Promise<{ readonly answer: T } | undefined> =>
    flag !== undefined || terminal === undefined
      ? { answer: question.read(flag ?? question.otherwise) }
      : asked(question, terminal.ask, terminal.tell, terminal.colours);
  // What a flag says wrong is said before anything is asked.
  for (const [question, flag] of [
    [about.preset, given.preset],
    [about.agent, given.agent],
    [about.required, given.reviewers?.join(" ")],
  ] as const)
    if (flag !== undefined) question.read(flag);
  const preset = await settle(about.preset, given.preset);
  const gate = preset && (await settle<Answers["gate"]>(about.gate, given.gate));
  const agent = gate && (await settle<Answers["agent"]>(about.agent, given.agent));
  const required = agent && (await settle<Answers["required"]>(about.required, given.reviewers?.join(" ")));
  return preset && gate && agent && required
    ? { preset: preset.answer, gate: gate.answer, agent: agent.answer, required: required.answer }
    : undefined;
};
