// Measures and writes docs/benchmarks.md: npm run bench. One file a measurement; this one puts them in order and on the page.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { agentCalls } from "./agent-call.mjs";
import { iterating, reading } from "./counts.mjs";
import { gitWork } from "./git-work.mjs";
import { iteration } from "./iteration.mjs";
import { childTime } from "./process.mjs";
import { startUp } from "./start-up.mjs";

const times = (number) => `${number.toFixed(1)}x`;
const percent = (number) => `${Math.round(number * 100)}%`;
const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
const said = async (what, act) => {
  const began = performance.now();
  const found = await act();
  process.stderr.write(`${what} (${Math.round((performance.now() - began) / 1000)} s)\n`);
  return found;
};
const each = async (what, numbers, act) => {
  const found = [];
  for (const number of numbers) found.push(await said(`${what}: ${number}`, () => act(number)));
  return found;
};

const page = async () => {
  const gh = spawnSync("gh", ["--version"], { encoding: "utf8" });
  if (gh.status !== 0)
    throw new Error("The benchmarks compare with GitHub's own gh, which is not on PATH: install it (apt-get install gh), then run again.");
  const client = /version (\S+)/u.exec(gh.stdout)?.[1] ?? "";
  childTime();

  const reads = await each("reading, threads", [10, 100, 1000], reading);
  const iterations = await each("one iteration, threads", [10, 100], iterating);
  // The large one takes long, and varies less.
  const costs = await each("processor and memory, threads", [100, 1000], (threads) => iteration(threads, threads > 100 ? 1 : 3));
  const start = await said("start-up", startUp);
  const calls = await each("agent calls, threads", [1, 10, 100], agentCalls);
  const git = await said("git work", () => gitWork(20_000));

  const counts = (rows) =>
    table(
      ["threads", "requests", "GraphQL points", "recipe: requests", "recipe: points"],
      rows.map(({ threads, ours, recipe }) => [threads, ours.requests, ours.points, recipe.requests, recipe.points]),
    );
  return `# Benchmarks

\`npm run bench\` writes this page. Requests and points are counts, made by the sandbox that answers them; all else are multiples of
something measured in the same run, in processor time, on Node ${process.version} with gh ${client}. Every pull request here has
review threads of five messages each.

The recipe is \`bench/recipe.sh\`: what one types without this program, \`gh api\` and \`gh pr view\` lines, run by the real gh.

## One complete read

\`reviewloop status\`, and the recipe's threads, reviews, comments and checks.

${counts(reads)}

The recipe takes what it gets: it holds no totals against what it read, follows no pages within a thread, and is told nothing of
permissions, files or check runs beyond the roll-up.

## One whole iteration

All threads are a bot's; each is answered and resolved, and all is read again to see that nothing is open. Nothing is pushed.

${counts(iterations)}

The difference is what is read before a write and after it: that the thread is as it was decided on, and that the answer stands there.

## Processor and memory of an iteration

A process that runs that iteration, agent not included, as multiples of one that only parses the same answers; both with the start of Node.

${table(
  ["threads", "answers, KiB", "processor time", "peak memory", "peak memory, MiB"],
  costs.map((row) => [row.threads, row.kibibytes, times(row.processor), times(row.memory), Math.round(row.mebibytes)]),
)}

## Start-up

${table(
  ["command", "multiple of `node -e 0`"],
  [
    ["`reviewloop --help`", times(start.help)],
    ["`reviewloop status` (10 threads)", times(start.status)],
    ["`gh --version`", times(start.version)],
    ["`gh pr view --json` (reviews, comments, checks; no threads)", times(start.view)],
  ],
)}

## A call of an agent

An agent of a few lines of Node, asked to triage through the agent port (folder and files of the call, environment, process and its
end, check of the answer), as multiples of the same command started bare with the same document. A real agent takes minutes.

${table(
  ["threads", "document, KiB", "multiple of the bare command"],
  calls.map((row) => [row.threads, row.kibibytes, times(row.times)]),
)}

## Git work on a repository of ${git.files.toLocaleString("en")} files

${table(
  ["step", "processor time"],
  [
    ["first iteration: the worktree is made", `${times(git.first)} a bare \`git worktree add\``],
    ["next iteration: the next head in the same worktree", `${percent(git.again)} of the first`],
    ["a later run: the next head in the worktree of the run before", `${percent(git.later)} of the first`],
    ["the tree of the files as they lie there, one of them edited", `${percent(git.snapshot)} of the first`],
  ],
)}
`;
};

try {
  writeFileSync(fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url)), await page());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
