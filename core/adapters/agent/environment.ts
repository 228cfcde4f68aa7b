/** What of our environment an agent may see: what any command sees, and what its definition names for its own sign-in. */
import { commandEnvironment, type Environment } from "../shell/environment.js";

/** Set by a coding agent for what it starts; they change how a client behaves that runs inside of it, so they stay out. */
export const SESSION_MARKERS: readonly string[] = [
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SSE_PORT",
  "CODEX_THREAD_ID",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "COPILOT_AGENT_SESSION_ID",
  "GEMINI_CLI",
  "OPENCODE",
  "OPENCODE_SESSION_ID",
];

/** Makes any Node program load foreign code first. */
const LOADERS: readonly string[] = ["NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"];
const KEPT_OUT: ReadonlySet<string> = new Set([...SESSION_MARKERS, ...LOADERS]);

/** A name that ends in `*` stands for all that begin so. Credentials of a forge or a registry stay out, whoever names them. */
export const agentEnvironment = (
  environment: Environment,
  names: readonly string[] = [],
  set: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const prefixes = names.filter((name) => name.length > 1 && name.endsWith("*")).map((name) => name.slice(0, -1));
  const begun = Object.keys(environment).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  const also = [...names, ...begun].filter((name) => !KEPT_OUT.has(name));
  return commandEnvironment(environment, { also, set: { NO_COLOR: "1", ...set } });
};

/** The markers of a surrounding agent session that are set, for the line that says so. */
export const nestedIn = (environment: Environment): readonly string[] => SESSION_MARKERS.filter((name) => (environment[name] ?? "") !== "");

export type { Environment };
