/** `init`: looks at the repository, asks or takes flags, writes a commented config and the skill for agents. Overwrites nothing. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { ReviewloopError } from "../../index.js";
import { findRoot, loadConfig } from "../../core/config/load.js";
import { isTerminal, questions } from "../ask.js";
import { on, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { builtinNames, installedAgents, seenReviewers } from "../init/around.js";
import { configText } from "../init/config.js";
import { answersFrom } from "../init/questions.js";
import type { Found, Given } from "../init/questions.js";
import { testCommandIn, workflowsIn } from "../init/survey.js";
import { coloursFor } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { print } from "./look.js";

const CONFIG = "reviewloop.config.yaml";
/** All agents that know skills read one of these. */
const SKILLS = [".agents/skills/reviewloop/SKILL.md", ".claude/skills/reviewloop/SKILL.md"] as const;
/** In the package, as it is shipped. */
const SKILL = join(dirname(createRequire(import.meta.url).resolve("reviewloop/package.json")), "skills", "reviewloop", "SKILL.md");

const writeNew = async (file: string, content: string): Promise<"written" | "same" | "kept"> => {
  const before = await readFile(file, "utf8").catch(() => undefined);
  if (before !== undefined) return before === content ? "same" : "kept";
  await mkdir(dirname(file), { recursive: true });
  // Exclusive: a file that came meanwhile is not overwritten either.
  await writeFile(file, content, { flag: "wx" });
  return "written";
};

const givenIn = (flags: Flags): Given => {
  const [preset, gate, agent] = [text(flags, "preset"), text(flags, "gate"), text(flags, "agent")];
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(gate === undefined ? {} : { gate }),
    ...(agent === undefined ? {} : { agent }),
    ...(Array.isArray(flags["reviewer"]) ? { reviewers: flags["reviewer"].map(String) } : {}),
  };
};

const look = async (root: string, { folder, environment }: Surroundings, notes: string[]): Promise<Found> => {
  const [gate, workflows, agentsHere] = await Promise.all([testCommandIn(root), workflowsIn(root), installedAgents(environment)]);
  const seen = await seenReviewers(folder, environment).catch((thrown: unknown) => {
    notes.push(`Recent pull requests were not looked at: ${ReviewloopError.is(thrown) ? thrown.message : String(thrown)}`);
    return undefined;
  });
  return { ...builtinNames(), gate, workflows, agentsHere, seen };
};

/** The config's text; undefined: the person left. A person at a terminal is asked what no flag says; else, and with `--yes`, what was found is taken. */
const chosen = async (flags: Flags, surroundings: Surroundings, found: Found): Promise<string | undefined> => {
  const { stderr, environment } = surroundings;
  const at = on(flags, "yes") || on(flags, "json") || !isTerminal(surroundings) ? undefined : questions(surroundings);
  const terminal = at && { ask: at.ask, tell: (line: string) => void stderr.write(`${line}\n`), colours: coloursFor(stderr, environment) };
  try {
    const answers = await answersFrom(found, givenIn(flags), terminal);
    const { presets, agentsHere, seen, workflows } = found;
    return answers && configText({ ...answers, presets, agentsHere, seen, workflows });
  } finally {
    at?.end();
  }
};

export const initCommand = async (flags: Flags, surroundings: Surroundings): Promise<number> => {
  const root = await findRoot(surroundings.folder);
  const there = await loadConfig({ folder: surroundings.folder }, { ci: false });
  const files: { file: string; outcome: string }[] = [];
  const notes: string[] = [];
  if (there === undefined) {
    const content = await chosen(flags, surroundings, await look(root, surroundings, notes));
    if (content === undefined) {
      surroundings.stderr.write("interrupted: nothing was written\n");
      return 130;
    }
    files.push({ file: CONFIG, outcome: await writeNew(join(root, CONFIG), content) });
  } else {
    const file = relative(root, there.file);
    files.push({ file, outcome: "kept" });
    notes.push(`${file} is the config here and was not changed; without it, init writes a new one.`);
  }
  if (flags["skill"] !== false) {
    const skill = await readFile(SKILL, "utf8");
    for (const file of SKILLS) files.push({ file, outcome: await writeNew(join(root, file), skill) });
  }
  print(surroundings, flags, { schemaVersion: 1, files, notes }, (colours) => [
    ...files.map(({ file, outcome }) => `${(outcome === "written" ? colours.green : colours.dim)(outcome.padEnd(7))}  ${file}`),
    ...notes.map((note) => colours.dim(note)),
    "next:  reviewloop doctor, then reviewloop status",
  ]);
  return 0;
};
