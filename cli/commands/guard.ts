/** `guard`: the hook of a coding agent before each tool call. Exit 0 lets the call through, exit 2 denies it with the reason on stderr. Loads next to nothing: agents wait for it. */
import { text as readAll } from "node:stream/consumers";
import { shellWord } from "../../core/shell-words.js";
import { useUp } from "../guard/armed.js";
import { guardedIn } from "../guard/commands.js";
import type { Surroundings } from "../surroundings.js";

type Data = Readonly<Record<string, unknown>>;
const data = (value: unknown): Data => (typeof value === "object" && value !== null ? (value as Data) : {});

/** `tool_input.command` with most agents, `toolArgs.command` with Copilot, whose arguments may be a text of JSON. A list is the words of one command. */
export const callIn = (input: string): { readonly command: string; readonly folder: string | undefined } | undefined => {
  const given = data(JSON.parse(input));
  const { tool_input: toolInput, toolArgs, cwd } = given;
  const args = typeof toolArgs === "string" ? data(JSON.parse(toolArgs)) : data(toolArgs);
  const command = data(toolInput)["command"] ?? args["command"];
  const line = Array.isArray(command) ? command.map((word) => shellWord(String(word))).join(" ") : command;
  return typeof line === "string" ? { command: line, folder: typeof cwd === "string" ? cwd : undefined } : undefined;
};

const reason = (act: string): string =>
  act === "gh pr create" || act === "gh pr new"
    ? "Open pull requests through the loop: run `reviewloop guard arm` as a step of its own, then `gh pr create --draft`."
    : act === "gh pr ready"
      ? "The hand-over is `reviewloop wait` or `reviewloop ready`: both refuse unless READY. For a bare `gh pr ready`, run `reviewloop guard arm` first, as a step of its own."
      : "Merging is a person's. Where a person said so, run `reviewloop guard arm` first, as a step of its own.";

const DENIED = 2;

export const guardCommand = async (surroundings: Surroundings): Promise<number> => {
  const input = await readAll(surroundings.stdin);
  const deny = (text: string): number => {
    surroundings.stderr.write(`reviewloop guard: ${text}\n`);
    return DENIED;
  };
  try {
    const call = input.trim() === "" ? undefined : callIn(input);
    const acts = call === undefined ? [] : guardedIn(call.command);
    const first = acts[0];
    if (call === undefined || first === undefined) return 0;
    if (acts.length > 1) return deny(`one act for each arming: this line has ${acts.join(", ")}.`);
    return (await useUp(call.folder ?? surroundings.folder)) ? 0 : deny(reason(first));
  } catch {
    // A guard that breaks must not stop everything else, and must not let through what it is for.
    return /\bgh\b[\s\S]*\bpr\b[\s\S]*\b(?:create|new|ready|merge)\b/.test(input) ? deny("the call can't be read, and mentions gh pr.") : 0;
  }
};
