// A process to be measured: `run URL [FILE]` runs the loop (and keeps all answers in FILE), `parse FILE` only parses what such a run was
// answered. Prints its processor time (milliseconds) and its peak of memory (KiB).
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [, , act, subject, file] = process.argv;
let found = {};

if (act === "parse") {
  for (const answer of JSON.parse(readFileSync(subject, "utf8"))) {
    try {
      JSON.parse(answer);
    } catch {
      // Not all that GitHub answers is JSON.
    }
  }
} else {
  const answers = [];
  if (file !== undefined) {
    const { fetch } = globalThis;
    globalThis.fetch = async (...args) => {
      const response = await fetch(...args);
      answers.push(await response.clone().text());
      return response;
    };
  }
  const { run } = await import("../dist/index.js");
  const report = await run({
    pullRequest: subject,
    config: {
      extends: "review-clean",
      agent: ["command", { run: [process.execPath, fileURLToPath(new URL("agent.mjs", import.meta.url))] }],
      gate: false,
      trust: { logins: ["acme-review"] },
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    },
    yes: true,
  });
  found = { stop: report.stop, iterations: report.iterations.length, cost: report.cost };
  if (file !== undefined) writeFileSync(file, JSON.stringify(answers));
}

const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ ...found, processor: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS }));
