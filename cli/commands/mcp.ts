/** `mcp`: the verbs as tools of a Model Context Protocol server, on standard input and output. */
import { requestOf } from "../flags.js";
import type { Flags } from "../flags.js";
import { serve } from "../mcp/server.js";
import { INSTRUCTIONS, toolsFor } from "../mcp/tools.js";
import type { Surroundings } from "../surroundings.js";

export const mcpCommand = async (flags: Flags, surroundings: Surroundings, version: string): Promise<number> => {
  const tools = toolsFor(requestOf(flags, undefined, surroundings));
  await serve(surroundings, tools, { name: "reviewloop", version, instructions: INSTRUCTIONS });
  return 0;
};
