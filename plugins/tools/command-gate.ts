/** Runs the gates of the config on a tree, in order, and uses again what is still valid for it. The first red one ends the row. */
import { definePlugin } from "../../core/index.js";
import type { Ctx, Evidence, ShellResult, Tree } from "../../core/index.js";

type Gate = Exclude<Ctx["settings"]["gate"], false | undefined>[number];

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

export const commandGate = definePlugin({
  name: "command-gate",
  kind: "tool",
  on: {
    gate: async (evidence, tree, ctx) => {
      const { git } = ctx;
      if (!Array.isArray(ctx.settings.gate) || git === undefined) return evidence;
      const gates: readonly Gate[] = ctx.settings.gate;
      const found: Evidence[] = [...evidence];
      for (const gate of gates) {
        const valid = ctx.run.evidence.find(
          (each) => each.gate === gate.name && each.command === gate.run && each.tree === tree && each.result !== "failed",
        );
        const each =
          valid ??
          evidenceOf(
            gate,
            tree,
            ctx.clock.now(),
            await ctx.shell.run({ command: gate.run, cwd: git.root, timeout: gate.timeout }, ctx.signal),
          );
        found.push(each);
        if (each.result !== "green") break;
      }
      return found;
    },
  },
});
