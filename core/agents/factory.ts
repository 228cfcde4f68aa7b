/** How a built-in agent is made from the options in a config. */
import type { AgentFactory } from "../config/define.js";
import type { AgentDefinition, AgentRun } from "../plugin.js";

export interface NamedAgentFactory extends AgentFactory {
  readonly agentName: string;
  /** JSON Schema of the options; `additionalProperties: false`. */
  readonly schema: object;
  readonly defaults: Readonly<Record<string, unknown>>;
}

export interface AgentFactorySpec<O extends object> {
  readonly name: string;
  readonly schema: object;
  readonly defaults: O;
  /** Gets options that fit the schema, defaults applied. */
  readonly define: (options: O) => Omit<AgentDefinition, "name" | "options">;
}

/** The options are checked against `schema` by the config; here only the defaults are laid below them. */
export const defineAgentFactory = <O extends object>(spec: AgentFactorySpec<O>): NamedAgentFactory => {
  const defaults = Object.freeze({ ...spec.defaults }) as Readonly<Record<string, unknown>>;
  const make = (options: Readonly<Record<string, unknown>> = {}): AgentDefinition => {
    const inForce = Object.freeze({ ...defaults, ...options });
    return Object.freeze({ name: spec.name, options: inForce, ...spec.define(inForce as unknown as O) });
  };
  return Object.assign(make, { agentName: spec.name, schema: spec.schema, defaults });
};

/** The prompt for a client that gets the answer's tool as a server (`AgentRun.submit`); without it the last message counts. */
export const submittingPrompt = (run: Pick<AgentRun, "prompt">): string =>
  `Hand your answer in by calling the tool submit_result, once, last; if it is refused, mend the answer and call again. Only where there is no such tool, your last message is the answer.\n\n${run.prompt}`;

/** Kinds in which an agent may change files. */
export const mayEdit = (kind: string): boolean => kind === "fix";

const AUTH = /\b40[13]\b|unauthori[sz]ed|forbidden|authenticat|api[ _-]?key|not logged in|log ?in|sign[ -]?in|credential/i;
const RATE = /\b(?:429|529)\b|rate.?limit|too many requests|overloaded|quota|usage limit/i;

/** What a client's own error message means. Never to be used on what a model wrote. */
export const clientFailure = (message: string): { readonly kind: "auth" | "rate" | "crash"; readonly detail: string } => {
  const detail = message.replaceAll(/\s+/g, " ").trim().slice(0, 400);
  // A rate limit is often told with a hint to sign in for more.
  return {
    kind: RATE.test(detail) ? "rate" : AUTH.test(detail) ? "auth" : "crash",
    detail: detail === "" ? "it failed without a message" : detail,
  };
};
