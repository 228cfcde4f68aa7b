/** What one whole iteration asks of GitHub, counted where it is answered: no change of ours makes it dearer unseen. */
import { expect, test } from "vitest";
import type { Report } from "../../core/index.js";
import { AGENT, place } from "./sandboxed.js";

const THREADS = 10;

test(
  "an iteration on 10 threads: one request per answer, 12 for all else, and the report counts them all",
  { timeout: 60_000 },
  async () => {
    const at = await place();
    try {
      const { world } = at.sandbox;
      world.addBot("acme-review");
      for (let index = 0; index < THREADS; index += 1)
        world.addThread("acme-review", at.pullRequest, { path: "src/a.js", line: 2, body: `Why number ${index}?` });
      const agent = await at.write("agent.mjs", AGENT);
      const config = await at.write(
        "reviewloop.json",
        JSON.stringify({
          extends: "review-clean",
          gate: false,
          agent: ["command", { run: ["node", agent] }],
          trust: { logins: ["acme-review"] },
          worktree: { setup: false },
          wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
        }),
      );
      const report = JSON.parse((await at.cli(["run", at.url, "--config", config, "--yes", "--json"])).out) as Report;
      expect(report.stop).toBe("met");
      expect(at.pullRequest.threads.every(({ resolved }) => resolved)).toBe(true);
      const asked = at.sandbox.requests.filter(({ service }) => service !== "git");
      const points = asked.filter(({ service }) => service === "graphql").reduce((sum, { cost }) => sum + cost, 0);
      expect({ answers: asked.filter(({ path }) => path.endsWith("/replies")).length, all: asked.length, points }).toEqual({
        answers: THREADS,
        all: THREADS + 12,
        points: 14,
      });
      expect(report.cost).toEqual({ requests: asked.length, points });
    } finally {
      await at.close();
    }
  },
);
