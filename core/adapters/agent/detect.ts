/** Is an agent there, and can it do what it is asked for? One line each, with what to do; never by a call that costs. */
import { execa } from "execa";
import type { AgentKind } from "../../model.js";
import type { AgentDefinition } from "../../plugin.js";
import { agentEnvironment, nestedIn, type Environment } from "./environment.js";

export interface Detected {
  readonly agent: string;
  readonly state: "ready" | "missing" | "broken" | "unchecked";
  readonly version?: string;
  /** Kinds it was wanted for and can't do. */
  readonly lacks: readonly AgentKind[];
  /** As far as it can be known without a call that costs; absent: not known. */
  readonly signedIn?: boolean;
  /** Markers of a surrounding agent session; they are kept from it. */
  readonly nested: readonly string[];
  /** One line for a person. */
  readonly line: string;
}

/** What asking for the version gave. */
export interface VersionAnswer {
  readonly started: boolean;
  readonly exitCode: number | undefined;
  readonly output: string;
}

const VERSION = /\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?/;

/** What is known of the sign-in: a variable that is one, or what the client says itself. */
export type SignIn = { readonly by: string } | { readonly status: readonly string[]; readonly exitCode: number | undefined } | undefined;

const signInNote = (definition: AgentDefinition, signIn: SignIn): readonly string[] => {
  if (definition.signIn === undefined) return [];
  if (signIn === undefined) return ["whether it is signed in shows at its first call"];
  if ("by" in signIn) return [`signed in by ${signIn.by}`];
  return signIn.exitCode === 0 ? ["signed in"] : [`not signed in, says ${signIn.status.join(" ")}; a provider of your own needs none`];
};

/** Pure: the line of one agent. */
export const detectedFrom = (
  definition: AgentDefinition,
  answer: VersionAnswer | undefined,
  wanted: readonly AgentKind[],
  nested: readonly string[],
  signIn?: SignIn,
): Detected => {
  const { name } = definition;
  const lacks = definition.kinds === undefined ? [] : wanted.filter((kind) => definition.kinds?.includes(kind) === false);
  const install = definition.install ?? `Install ${name} and put it on PATH.`;
  const base = { agent: name, lacks, nested } as const;
  if (answer === undefined) return { ...base, state: "unchecked", line: `${name}: not checked; it has no version command.` };
  if (!answer.started) return { ...base, state: "missing", line: `${name}: not found. ${install}` };
  if (answer.exitCode !== 0)
    return { ...base, state: "broken", line: `${name}: its version command ended with ${answer.exitCode ?? "no exit code"}. ${install}` };
  const version = VERSION.exec(answer.output)?.[0];
  const notes = [
    ...signInNote(definition, signIn),
    ...(lacks.length === 0 ? [] : [`can't do ${lacks.join(", ")}: name another agent for that under agents`]),
    ...(nested.length === 0 ? [] : [`started inside of another agent's session (${nested.join(", ")}); that is kept from it`]),
  ];
  return {
    ...base,
    state: "ready",
    ...(signIn === undefined ? {} : { signedIn: "by" in signIn || signIn.exitCode === 0 }),
    ...(version === undefined ? {} : { version }),
    line: `${name}${version === undefined ? "" : ` ${version}`}: ready${notes.length === 0 ? "" : `; ${notes.join("; ")}`}.`,
  };
};

/** Milliseconds; a version command that takes longer is broken. A real limit on a real process, outside of any run. */
const PATIENCE = 15_000;

export const detectAgent = async (
  definition: AgentDefinition,
  environment: Environment,
  wanted: readonly AgentKind[] = ["triage", "fix"],
  signal?: AbortSignal,
): Promise<Detected> => {
  const nested = nestedIn(environment);
  const env = agentEnvironment(environment, definition.environment);
  const run = async ([file = "", ...rest]: readonly string[]) =>
    execa(file, rest, {
      env,
      extendEnv: false,
      reject: false,
      stdin: "ignore",
      timeout: PATIENCE,
      ...(signal === undefined ? {} : { cancelSignal: signal }),
      maxBuffer: 64 * 1024,
    });
  if (definition.detect?.[0] === undefined) return detectedFrom(definition, undefined, wanted, nested);
  const result = await run(definition.detect);
  const started = !(result.failed && (result.code === "ENOENT" || result.code === "EACCES"));
  const answer = { started, exitCode: result.exitCode, output: result.stdout };
  const { keys = [], status } = definition.signIn ?? {};
  const key = keys.find((name) => (env[name] ?? "") !== "");
  if (key !== undefined) return detectedFrom(definition, answer, wanted, nested, { by: key });
  if (status === undefined || result.exitCode !== 0) return detectedFrom(definition, answer, wanted, nested);
  return detectedFrom(definition, answer, wanted, nested, { status, exitCode: (await run(status)).exitCode });
};
