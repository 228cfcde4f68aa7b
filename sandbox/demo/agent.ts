/**
 * The demo's coding agent, as a command: one JSON document in (standard input, or the file in `REVIEWLOOP_INPUT`), one out (the file in
 * `REVIEWLOOP_OUTPUT`, or standard output). It is no model: it knows a dozen kinds of slips, reads the thread's text and the files, and nothing else.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { AgentTask, FixAnswer, TriageAnswer } from "../../core/index.js";
import { judge } from "./judge.js";
import { Worktree } from "./reading.js";
import { repair } from "./repair.js";

const triage = (task: AgentTask): TriageAnswer => {
  const worktree = new Worktree(task.worktree);
  return { decisions: task.threads.map((thread) => judge(thread, worktree)) };
};

const fix = (task: AgentTask): FixAnswer => {
  const worktree = new Worktree(task.worktree);
  const outcomes = task.threads.map((thread) => ({ thread: thread.id, outcome: repair(thread, worktree) }));
  return {
    changed: outcomes.flatMap(({ outcome }) => ("changed" in outcome ? [outcome.changed] : [])),
    unfixed: outcomes.flatMap(({ thread, outcome }) => ("why" in outcome ? [{ thread, why: outcome.why }] : [])),
  };
};

const answer = (task: AgentTask): TriageAnswer | FixAnswer => {
  if (task.kind === "triage") return triage(task);
  if (task.kind === "fix") return fix(task);
  throw new Error(`this agent does not know how to ${task.kind}`);
};

const input = process.env["REVIEWLOOP_INPUT"];
const output = process.env["REVIEWLOOP_OUTPUT"];
try {
  const said = `${JSON.stringify(answer(JSON.parse(readFileSync(input ?? 0, "utf8")) as AgentTask))}\n`;
  if (output === undefined) process.stdout.write(said);
  else writeFileSync(output, said);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
