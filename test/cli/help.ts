/** What the command line says of itself, without a process. */
import { Readable } from "node:stream";
import { commandLine } from "../../cli/program.js";
import type { Surroundings } from "../../cli/surroundings.js";

/** All that a call prints. */
export const said = async (...argv: readonly string[]): Promise<string> => {
  let text = "";
  const output = { write: (piece: string) => (text += piece) };
  const surroundings: Surroundings = {
    stdout: output,
    stderr: output,
    stdin: Readable.from([]),
    environment: {},
    folder: import.meta.dirname,
    onInterrupt: () => () => undefined,
  };
  await commandLine(argv, surroundings);
  return text;
};

const OTHER_BLOCKS = /^(?:Usage|Options|Arguments|Examples|Exit codes):/;

/** Names of the commands that a help text lists, under whatever heading. */
const listed = (help: string): readonly string[] =>
  help
    .split("\n\n")
    .filter((block) => /^[A-Z][\w ]+:\n/.test(block.trimStart()) && !OTHER_BLOCKS.test(block.trimStart()))
    .flatMap((block) => [...block.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name));

/** Every command with its help, those below another one too. */
export const commands = async (): Promise<ReadonlyMap<string, string>> => {
  const all = new Map<string, string>();
  for (const name of listed(await said("--help"))) {
    const help = await said(name, "--help");
    all.set(name, help);
    for (const inner of listed(help)) all.set(`${name} ${inner}`, await said(name, inner, "--help"));
  }
  return all;
};
