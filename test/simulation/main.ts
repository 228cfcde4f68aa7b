/** `npm run simulate -- --seeds N [--from K] [--story]`. Exit 1 where a check failed or something that must occur never did. */
import { parseArgs } from "node:util";
import { STOPS } from "../../core/index.js";
import { FAULTS } from "../../sandbox/kit/index.js";
import { EFFECTS, OUTSIDE } from "./plan.js";
import { simulate } from "./simulate.js";
import { storyOf } from "./story.js";

/**
 * Not here: the in-memory ports have no pages, cursors, query costs, spellings and slow lines, and what reviewers post of their own accord is drawn
 * with the bots. `test/faults` has each of them, over HTTP.
 */
const ELSEWHERE = new Set(
  `slow-answer resource-limit page-size cursor-expires bad-gateway-midway older-server no-review-endpoint bot-spelling merge-state-waits
   late-branch-update head-repository-gone quota-review review-for-old-head`.split(/\s+/u),
);
/** Stops that nothing in these presets and this world leads to, each with its reason. */
export const UNREACHED: Readonly<Record<string, string>> = {
  "auth-failed": "the in-memory forge has no sign-in; the command line's tests have it",
  "poll-error": "a forge that stays away throws out of the pulse as poll-error only through the adapter",
  "ci-error": "no tool in the presets reports a failing CI service",
  skipped: "nothing in the presets needs a capability that this forge lacks",
};
const DECISIONS = ["actionable", "informational", "false-positive", "nitpick", "judgment"];
const WRITES = ["commented", "issue-opened", "minimised", "pushed", "ready", "replied", "resolved", "review-requested"];
const EXPECTED: readonly string[] = [
  ...WRITES.map((type) => `write:${type}`),
  ...FAULTS.filter((fault) => !ELSEWHERE.has(fault.name)).map((fault) => `fault:${fault.name}`),
  ...EFFECTS.map((effect) => `crash:${effect}`),
  ...OUTSIDE.map((kind) => `outside:${kind}`),
  ...STOPS.filter((stop) => UNREACHED[stop] === undefined).map((stop) => `stop:${stop}`),
  ...DECISIONS.map((kind) => `decision:${kind}`),
  ...["review-clean", "merge-ready", "open-for-review", "draft-to-ready"].map((target) => `met:${target}`),
  ...["greptile", "copilot", "devin"].map((reviewer) => `reviewed by:${reviewer}`),
  "stop:parked",
  "clock jump",
  "journal lost",
];
/** From this many seeds on each of these must have occurred. */
const ENOUGH = 10_000;

export const main = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "1" },
      story: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
    },
  });
  const [seeds, from] = [Number(values.seeds), Number(values.from)];
  if (!Number.isInteger(seeds) || !Number.isInteger(from) || seeds < 1) {
    process.stderr.write("usage: npm run simulate -- --seeds N [--from K] [--story]\n");
    return 3;
  }
  const counts = new Map<string, number>();
  const failed = new Map<string, number[]>();
  let told = 0;
  const began = process.cpuUsage();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { day, violations } = await simulate(seed);
    for (const [what, count] of day.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    for (const each of violations) failed.set(each.check, [...(failed.get(each.check) ?? []), seed]);
    if (values.story || (violations.length > 0 && told < 3)) {
      told += 1;
      process.stdout.write(`${storyOf(day, violations)}\n\n`);
    } else if (violations.length > 0 && values.all) {
      for (const each of violations) process.stdout.write(`seed ${seed}: rule ${each.rule}, ${each.check}: ${each.detail.slice(0, 200)}\n`);
    }
  }
  const took = process.cpuUsage(began);
  const width = Math.max(...[...counts.keys(), ...EXPECTED].map((what) => what.length));
  for (const what of [...new Set([...EXPECTED, ...counts.keys()])].toSorted())
    process.stdout.write(`${what.padEnd(width)}  ${counts.get(what) ?? 0}\n`);
  process.stdout.write(`${seeds} seeds in ${((took.user + took.system) / 1e6).toFixed(1)} s of processor time\n`);
  for (const [name, where] of failed)
    process.stdout.write(`FAILED ${name}: ${where.length} seeds, the first: ${[...new Set(where)].slice(0, 12).join(", ")}\n`);
  const missing = seeds < ENOUGH ? [] : EXPECTED.filter((what) => !counts.has(what));
  for (const what of missing) process.stdout.write(`NEVER OCCURRED ${what}\n`);
  return failed.size > 0 || missing.length > 0 ? 1 : 0;
};
