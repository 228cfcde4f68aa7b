/**
 * Runs the gates of the config on a tree and uses again what is still valid for it. In order, or neighbours at once (`together`);
 * the first that is not green ends the row.
 */
import pLimit from "p-limit";
import { definePlugin } from "../../core/index.js";
import type { Ctx, Evidence, ShellResult, Tree } from "../../core/index.js";

type Gate = Exclude<Ctx["settings"]["gate"], false | undefined>[number];

/** Gates that run at the same time share the machine. */
const AT_ONCE = 4;

const resultOf = (ran: ShellResult): Evidence["result"] => {
  if (!ran.started) return "failed";
  return !ran.timedOut && ran.exitCode === 0 ? "green" : "red";
};

const evidenceOf = (gate: Gate, tree: Tree, at: number, ran: ShellResult): Evidence => ({
  gate: gate.name,
  command: gate.run,
  tree,
  result: resultOf(ran),
  at,
  took: ran.took,
  excerpt: ran.timedOut ? `${ran.output}\n(ended after ${gate.timeout / 1000} s, its time-out)`.trimStart() : ran.output,
  ...(ran.exitCode === undefined ? {} : { exitCode: ran.exitCode }),
  ...(ran.logFile === undefined ? {} : { logFile: ran.logFile }),
  ...(gate.proof ? { proof: true } : {}),
});

/** Pure: neighbours that say `together` form a group; every other gate is a group of its own. */
export const groupsOf = (gates: readonly Gate[]): readonly (readonly Gate[])[] => {
  const groups: Gate[][] = [];
  for (const gate of gates) {
    const last = groups.at(-1);
    if (gate.together && last?.[0]?.together === true) last.push(gate);
    else groups.push([gate]);
  }
  return groups;
};

/**
 * Pure: the result of this command on this tree that still holds. A green one holds as long as the tree is the same; a red one within its
 * run, because a person may have mended the machine since.
 */
export const validFor = (gate: Gate, tree: Tree, run: Ctx["run"]): Evidence | undefined => {
  const found = run.evidence.findLast((each) => each.command === gate.run && each.tree === tree && each.result !== "failed");
  if (found === undefined || (found.result === "red" && found.at < run.startedAt)) return undefined;
  if (found.gate === gate.name && (found.proof ?? false) === gate.proof) return found;
  const { proof: _proof, ...rest } = found;
  return { ...rest, gate: gate.name, ...(gate.proof ? { proof: true } : {}) };
};

/** A name of its own for each gate and tree, whatever the command looks like. */
const logFileOf = (gate: Gate, tree: Tree): string =>
  `gates/${
    gate.name
      .replaceAll(/[^\w.-]+/g, "-")
      .replaceAll(/^[-.]+|-+$/g, "")
      .slice(0, 40) || "gate"
  }-${tree.slice(0, 12)}.log`;

export const commandGate = definePlugin({
  name: "command-gate",
  kind: "tool",
  on: {
    gate: async (evidence, tree, ctx) => {
      const { git } = ctx;
      if (!Array.isArray(ctx.settings.gate) || git === undefined) return evidence;
      const gates: readonly Gate[] = ctx.settings.gate;
      const found: Evidence[] = [...evidence];
      const one = async (gate: Gate): Promise<Evidence> => {
        const valid = validFor(gate, tree, ctx.run);
        if (valid !== undefined) return valid;
        ctx.log.info(`"${gate.name}" is running (${gates.indexOf(gate) + 1} of ${gates.length})`);
        const at = ctx.clock.now();
        const task = { command: gate.run, cwd: git.root, timeout: gate.timeout, logFile: logFileOf(gate, tree) };
        return evidenceOf(gate, tree, at, await ctx.shell.run(task, ctx.signal));
      };
      const limit = pLimit(AT_ONCE);
      for (const group of groupsOf(gates)) {
        const results = await Promise.all(group.map((gate) => limit(one, gate)));
        found.push(...results);
        if (results.some((each) => each.result !== "green")) break;
      }
      return found;
    },
  },
});
