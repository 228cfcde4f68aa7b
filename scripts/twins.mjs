// Runs every broken twin through the simulation until a check finds it out: node scripts/twins.mjs [--json] [--only WORDS] [--story]
import { execFileSync } from "node:child_process";
import { createRequire, register } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
execFileSync(process.execPath, [compiler, "-p", join(home, "tsconfig.simulation.json"), "--noCheck"], { stdio: "inherit" });

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    story: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    seeds: { type: "string", default: "1500" },
  },
});
const root = pathToFileURL(join(home, ".cache", "simulation", "/")).href;
const { TWINS } = await import(`${root}test/simulation/twins.js`);
const { storyOf } = await import(`${root}test/simulation/story.js`);
const { CHECK_NAMES } = await import(`${root}test/simulation/simulate.js`);
register("./twins-hooks.mjs", import.meta.url, { data: { root, twins: TWINS.map(({ edits }, index) => ({ id: String(index), edits })) } });

const results = [];
for (const twin of TWINS.filter((each) => each.name.includes(values.only))) {
  const { simulate } = await import(`${root}test/simulation/simulate.js?twin=${TWINS.indexOf(twin)}`);
  let caught;
  const others = new Set();
  for (let seed = 1; seed <= Number(values.seeds) && caught === undefined; seed += 1) {
    const { day, violations } = await simulate(seed, twin.day);
    const found = violations.find((violation) => twin.caughtBy.includes(violation.check));
    for (const violation of violations) others.add(violation.check);
    if (found !== undefined) caught = { check: found.check, seed, detail: found.detail };
    if (values.story) process.stdout.write(`${storyOf(day, violations)}\n`);
  }
  results.push({ rule: twin.rule, name: twin.name, caughtBy: twin.caughtBy, caught: caught ?? null, others: [...others] });
  if (!values.json)
    process.stdout.write(
      `${caught === undefined ? "NOT CAUGHT" : "caught"}  rule ${twin.rule}: ${twin.name}: ${caught === undefined ? [...others].join(", ") : `${caught.check} at seed ${caught.seed}`}\n`,
    );
}
const unknown = results.flatMap((result) => result.caughtBy).filter((check) => !CHECK_NAMES.includes(check));
if (values.json) process.stdout.write(`${JSON.stringify({ results, unknown })}\n`);
process.exitCode = results.every((result) => result.caught !== null) && unknown.length === 0 ? 0 : 1;
