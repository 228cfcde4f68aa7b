/** One seed: the day, its checks, and the same day without its mishaps, which must end in the same world. */
import { CHECKS, violationsOf } from "./checks.js";
import type { Violation } from "./checks.js";
import { live } from "./day.js";
import type { Day } from "./facts.js";
import { isQuiet, planOf } from "./plan.js";
import type { Plan } from "./plan.js";

export interface Simulated {
  readonly seed: number;
  readonly day: Day;
  readonly violations: readonly Violation[];
}

/** What everybody sees at the end: no ids, no times, no commit ids. */
const lastingOf = (day: Day): string => {
  const said = (body: string): string =>
    body
      .replaceAll(/<!--[\s\S]*?-->/g, "")
      .replaceAll(/[0-9a-f]{10,40}/g, "#")
      .trim();
  const { pullRequest, world } = day;
  return JSON.stringify(
    {
      threads: pullRequest.threads.map((thread) => ({
        resolved: thread.resolved,
        said: thread.comments.map((comment) => `${comment.author}: ${said(comment.body)}`).toSorted(),
      })),
      conversation: pullRequest.comments.map((comment) => `${comment.author}: ${said(comment.body)}`).toSorted(),
      files: ["src/a.ts", "src/b.ts", "lib/c.ts"].map((path) => world.git.fileAt(pullRequest.repository, pullRequest.head.sha, path)),
    },
    null,
    1,
  );
};

/** Faults that leave the world another one, whoever drives it. */
const LASTING = new Set([
  "silent-reviewer",
  "slow-reviewer",
  "review-request-dropped",
  "resolve-without-effect",
  "partial-alias-failure",
  "secondary-rate-limit",
  "primary-rate-limit",
  "null-connection",
  "null-node",
  "bad-gateway-read",
]);

/** Does the disturbance leave the outcome to the product alone? */
const comparable = (plan: Plan): boolean =>
  isQuiet(plan) &&
  plan.crashes.length > 0 &&
  plan.mode === "run" &&
  !plan.crashes.some((crash) => crash.loses || crash.pause > 600_000) &&
  !plan.faults.some((fault) => LASTING.has(fault.name)) &&
  plan.bots.every((bot) => bot.quota === "none" && bot.edits === undefined && bot.manner === "quiet") &&
  plan.people.every((person) => person === "away") &&
  plan.ci === "none" &&
  plan.limits.iterations === undefined &&
  plan.limits.tokens === undefined &&
  plan.agent === "good" &&
  plan.gate !== "flaky";

export const SAME_END = "killed-and-started-again-ends-the-same";
export const CHECK_NAMES: readonly string[] = [...CHECKS.map((each) => each.name), SAME_END];

export const simulate = async (seed: number, laid: Partial<Plan> = {}): Promise<Simulated> => {
  const plan = { ...planOf(seed), ...laid };
  const day = await live(plan);
  const violations = [...violationsOf(day)];
  if (comparable(plan) && day.facts.some((fact) => fact.is === "killed")) {
    const calm = await live({ ...plan, crashes: [], faults: [] });
    if (calm.stop !== day.stop)
      violations.push({ check: SAME_END, rule: 9, detail: `ended as ${day.stop}, without a crash as ${calm.stop}` });
    else if (lastingOf(calm) !== lastingOf(day))
      violations.push({ check: SAME_END, rule: 9, detail: `another world: ${firstDifference(lastingOf(calm), lastingOf(day))}` });
  }
  return { seed, day, violations };
};

const firstDifference = (one: string, other: string): string => {
  const [left, right] = [one.split("\n"), other.split("\n")];
  const at = left.findIndex((line, index) => line !== right[index]);
  return `without a crash ${left[at]?.trim() ?? "(nothing)"}, with it ${right[at]?.trim() ?? "(nothing)"}`;
};
