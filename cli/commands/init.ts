/** `init`: looks at the repository, asks or takes flags, writes a commented config and the skill for agents. Overwrites nothing. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { ReviewloopError } from "../../index.js";
import { findRoot, loadConfig } from "../../core/config/load.js";
import { on, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { builtinNames, installedAgents, seenReviewers } from "../init/around.js";
import { configText } from "../init/config.js";
import { testCommandIn, workflowsIn } from "../init/survey.js";
import type { Surroundings } from "../surroundings.js";
import { print } from "./look.js";

const CONFIG = "reviewloop.config.yaml";
/** All agents that know skills read one of these. */
const SKILLS = [".agents/skills/reviewloop/SKILL.md", ".claude/skills/reviewloop/SKILL.md"] as const;
const SKILL = new URL("../../skills/reviewloop/SKILL.md", import.meta.url);

type Ask = (question: string, otherwise: string) => Promise<string>;

/** A person at a terminal is asked; else, and with `--yes`, what was found is taken. */
const asker = (flags: Flags, { stdin, stderr }: Surroundings): { readonly ask: Ask; readonly end: () => void } => {
  if (on(flags, "yes") || on(flags, "json") || stdin.isTTY !== true || stderr.isTTY !== true)
    return { ask: async (_question, otherwise) => otherwise, end: () => undefined };
  const lines = createInterface({ input: stdin, output: stderr as unknown as NodeJS.WritableStream });
  return {
    ask: async (question, otherwise) => {
      const said = (await lines.question(`${question} [${otherwise}] `)).trim();
      return said === "" ? otherwise : said;
    },
    end: () => lines.close(),
  };
};

const among = (given: string, known: readonly string[], what: string): string => {
  if (known.includes(given)) return given;
  throw new ReviewloopError("USAGE", { problem: `There is no ${what} "${given}". There are: ${known.join(", ")}.`, command: "init" });
};

const writeNew = async (file: string, content: string): Promise<"written" | "same" | "kept"> => {
  const before = await readFile(file, "utf8").catch(() => undefined);
  if (before !== undefined) return before === content ? "same" : "kept";
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { flag: "wx" });
  return "written";
};

const listOf = (flags: Flags, name: string): readonly string[] | undefined => {
  const given = flags[name];
  return Array.isArray(given) ? given.map(String) : undefined;
};

export const initCommand = async (flags: Flags, surroundings: Surroundings): Promise<number> => {
  const root = await findRoot(surroundings.folder);
  const names = builtinNames();
  const given = await loadConfig({ folder: surroundings.folder }, { ci: false });
  const files: { file: string; outcome: string }[] = [];
  const notes: string[] = [];
  if (given !== undefined) files.push({ file: relative(root, given.file), outcome: "kept" });
  else {
    const [gateFound, workflows, agentsHere] = await Promise.all([
      testCommandIn(root),
      workflowsIn(root),
      installedAgents(surroundings.environment),
    ]);
    const seen = await seenReviewers(surroundings.folder, surroundings.environment).catch((thrown: unknown) => {
      notes.push(`Recent pull requests were not looked at: ${ReviewloopError.is(thrown) ? thrown.message : String(thrown)}`);
      return undefined;
    });
    const { ask, end } = asker(flags, surroundings);
    try {
      const preset = among(
        text(flags, "preset") ?? (await ask(`Way of working (${names.presets.join(", ")})?`, "review-clean")),
        names.presets,
        "preset",
      );
      const gateSaid =
        text(flags, "gate") ?? (await ask("Gate: which command must be green before a push (false: none)?", gateFound ?? "none found"));
      const agentSaid = text(flags, "agent") ?? (await ask(`Coding agent (${agentsHere.join(", ") || "none found here"}; none)?`, "none"));
      const required =
        listOf(flags, "reviewer") ??
        (await ask(`Required reviewers (seen: ${(seen ?? []).join(", ") || "none"})?`, "none")).split(/[\s,]+/);
      const content = configText({
        preset,
        presets: names.presets,
        gate: gateSaid === "false" ? false : gateSaid === "none found" ? undefined : gateSaid,
        agent: agentSaid === "none" || agentSaid === "false" ? undefined : among(agentSaid, names.agents, "agent"),
        agentsHere,
        required: required.filter((name) => name !== "none" && name !== "").map((name) => among(name, names.reviewers, "reviewer")),
        seen,
        workflows,
      });
      files.push({ file: CONFIG, outcome: await writeNew(join(root, CONFIG), content) });
    } finally {
      end();
    }
  }
  if (flags["skill"] !== false) {
    const skill = await readFile(SKILL, "utf8");
    for (const file of SKILLS) files.push({ file, outcome: await writeNew(join(root, file), skill) });
  }
  print(surroundings, flags, { schemaVersion: 1, files, notes }, (colours) => [
    ...files.map(({ file, outcome }) => `${outcome === "written" ? colours.green("written") : colours.dim(outcome.padEnd(7))}  ${file}`),
    ...notes.map((note) => colours.dim(note)),
    "next:  reviewloop config, then reviewloop status",
  ]);
  return 0;
};
