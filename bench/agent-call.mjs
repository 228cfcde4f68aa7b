// What a call of an agent costs over and above the agent: the same command through the agent port, and started bare.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentProcess, systemClock } from "../dist/core/adapters/index.js";
import { ANSWER_SCHEMAS } from "../dist/core/index.js";
import { builtinAgents } from "../dist/plugins/index.js";
import { run, sum, timed } from "./process.mjs";

const ARGV = [process.execPath, fileURLToPath(new URL("agent.mjs", import.meta.url))];
const CALLS = 15;

const thread = (index) => ({
  id: `T${index}`,
  source: "inline",
  title: `Why line ${index}?`,
  severity: null,
  reviewer: "acme-review",
  author: "acme-review",
  association: "NONE",
  isBot: true,
  path: "src/a.ts",
  line: index + 1,
  startLine: null,
  outdated: false,
  code: Array.from({ length: 20 }, (_, line) => `${line + 1}\tline ${line + 1}`).join("\n"),
  suggestion: null,
  comments: Array.from({ length: 5 }, (_, reply) => ({
    author: reply % 2 === 0 ? "acme-review" : "ada",
    body: `Answer ${reply} about it.`,
    at: "2026-01-01T00:00:00Z",
    ours: false,
  })),
  why: null,
  root: null,
});

const taskOf = (threads, worktree) => ({
  protocol: 1,
  kind: "triage",
  pullRequest: { url: "https://github.com/ada/shop/pull/1", title: "Lines", body: "", author: "ada" },
  head: "a".repeat(40),
  base: "b".repeat(40),
  worktree,
  threads: Array.from({ length: threads }, (_, index) => thread(index)),
  rules: [],
  schema: ANSWER_SCHEMAS.triage,
});

export const agentCalls = async (threads) => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-bench-"));
  try {
    const environment = { PATH: process.env["PATH"] ?? "", HOME: folder };
    const definition = builtinAgents.command({ run: ARGV });
    const agent = agentProcess(definition, { stateFolder: folder, clock: systemClock(), environment });
    const task = taskOf(threads, folder);
    const input = `${JSON.stringify(task)}\n`;
    const file = join(folder, "input.json");
    writeFileSync(file, input);
    const env = { ...environment, REVIEWLOOP_INPUT: file, REVIEWLOOP_OUTPUT: join(folder, "output.json") };
    const ask = async () => {
      const result = await agent.ask(task);
      if (!result.ok) throw new Error(`The call with ${threads} threads failed: ${result.failure.detail}`);
    };
    const bare = () => run(ARGV, { cwd: folder, env, input });
    // What is compiled once a run (schemas, modules) is no cost of a call.
    await ask();
    await bare();
    const took = { asked: [], bare: [] };
    for (let call = 0; call < CALLS; call += 1) {
      took.bare.push(await timed(bare));
      took.asked.push(await timed(ask));
    }
    const total = (all) => sum(all.map(({ own, children }) => own + children));
    return { threads, times: total(took.asked) / total(took.bare), kibibytes: Math.round(input.length / 1024) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
