/** `npm run simulate -- --seeds N [--from K] [--story]`. Exit 1 where a check failed or something that must occur never did. */
import { parseArgs } from "node:util";
import { EXPECTED, neverOccurred } from "./coverage.js";
import { simulate } from "./simulate.js";
import { storyOf } from "./story.js";

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
  const missing = neverOccurred(counts, seeds);
  for (const what of missing) process.stdout.write(`NEVER OCCURRED ${what}\n`);
  return failed.size > 0 || missing.length > 0 ? 1 : 0;
};
