/** The built-in agents by the name that a config uses. */
import type { NamedAgentFactory } from "../../core/index.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { command } from "./command.js";
import { copilot } from "./copilot.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";

export const agentsByName: Readonly<Record<string, NamedAgentFactory>> = Object.freeze({
  command,
  claude,
  codex,
  copilot,
  gemini,
  opencode,
});
export { claude, codex, command, copilot, gemini, opencode };
