// The loop inside a program of one's own: no command line, no config file. Prints what is left and for whom.
import { defineTarget, run, threadBlockers } from "reviewloop";

// A target of one's own: only what is severe has to be gone.
const severeClean = defineTarget({
  name: "severe-clean",
  awaits: "nobody",
  on: {
    check: (blockers, inbox, ctx) => [
      ...blockers,
      ...threadBlockers(inbox, ctx.run, ctx.settings, "severe-clean").filter((blocker) => {
        const thread = inbox.threads.find((each) => each.id === blocker.thread);
        return thread?.severity === "critical" || thread?.severity === "high";
      }),
    ],
  },
});

const [, , pullRequest = "", agent = ""] = process.argv;

const report = await run({
  pullRequest,
  config: {
    extends: "review-clean",
    target: severeClean,
    gate: "node check.mjs",
    agent: ["command", { run: [process.execPath, agent] }],
    worktree: { setup: false },
    wait: { poll: "20ms", settle: "50ms", pace: "1ms" },
  },
  yes: true,
  onProgress: (event) => {
    if (event.type === "fixed") console.error(`fixed: ${event.title}`);
  },
});

console.log(
  JSON.stringify({
    stop: report.stop,
    fixed: report.iterations.flatMap((line) => line.fixed.map((fix) => fix.title)),
    remaining: report.remaining,
  }),
);
process.exitCode = report.stop === "met" ? 0 : 1;
