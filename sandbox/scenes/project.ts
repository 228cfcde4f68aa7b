/**
 * The repository behind a scene: a base branch, and the commits of a pull request with slips that were repaired on the way and slips that
 * are still there. Everything is drawn from a seed; nothing in the files says where a slip is.
 */
import { BAITS, BAIT_NAMES, PLAIN, SLIPS, SLIP_NAMES, cappedDeadline, plainRemoval } from "./patterns.js";
import type { Names, Pattern, SlipName, Written } from "./patterns.js";
import type { Random } from "./random.js";
import { THEMES } from "./themes.js";

export type Files = Readonly<Record<string, string>>;

export interface ProjectCommit {
  readonly subject: string;
  /** All files of the tree at this commit. */
  readonly files: Files;
}

export interface Project {
  readonly name: string;
  readonly branch: string;
  readonly title: string;
  readonly description: string;
  readonly base: ProjectCommit;
  /** The first is what was opened, the last is the head. */
  readonly commits: readonly ProjectCommit[];
  /** The files of the head as they would be without a single slip, with a check for everything: what tests hold the outcome against. */
  readonly goal: Files;
}

export interface ProjectPlan {
  /** Entities whose module comes with the first commit. */
  readonly early: number;
  /** Entities whose module comes with the last commit. */
  readonly late: number;
  /** Slips of the early modules that nobody has repaired yet. */
  readonly lingering: number;
}

/** When a function is right: from that commit on (`0` = always, Infinity = not yet). */
interface Placed {
  readonly written: Written;
  readonly rightFrom: number;
}
interface Module {
  readonly names: Names;
  readonly from: number;
  readonly functions: readonly Placed[];
}

const CHECK_SCRIPT = `// node check.mjs: loads every module and runs every check. It exits with 1 and says what is wrong where something is.
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const faults = [];
for (const folder of ["src", "checks"]) {
  for (const file of (await readdir(new URL(\`\${folder}/\`, import.meta.url))).sort()) {
    const address = new URL(\`\${folder}/\${file}\`, import.meta.url);
    try {
      await import(address.href);
    } catch (error) {
      if (error instanceof SyntaxError) {
        // Only the syntax check of node itself says where.
        const found = spawnSync(process.execPath, ["--check", fileURLToPath(address)], { encoding: "utf8" });
        if (found.status !== 0) faults.push(found.stderr.trim().split("\\n").slice(0, 5).join("\\n"));
      } else {
        faults.push(\`\${folder}/\${file}: \${error.message}\`);
      }
    }
  }
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? "all checks pass" : \`\${faults.length} check\${faults.length === 1 ? "" : "s"} failed\`);
process.exitCode = faults.length === 0 ? 0 : 1;
`;

const moduleText = (functions: readonly string[], imports: readonly string[]): string =>
  `${[...(imports.length === 0 ? [] : [`import { ${imports.join(", ")} } from "node:fs/promises";`]), ...functions].join("\n\n")}\n`;

const checksText = (names: Names, checks: readonly string[]): string =>
  `${['import assert from "node:assert/strict";', `import * as it from "../src/${names.many}.mjs";`, "", ...checks].join("\n")}\n`;

const filesAt = (modules: readonly Module[], commit: number): Record<string, string> => {
  const files: Record<string, string> = {};
  const present = modules.filter((module) => module.from <= commit);
  for (const { names, functions } of present) {
    const isRight = (placed: Placed): boolean => placed.rightFrom <= commit;
    const imports = [...new Set(functions.flatMap((placed) => placed.written.imports ?? []))].sort();
    files[`src/${names.many}.mjs`] = moduleText(
      functions.map((placed) => (isRight(placed) ? placed.written.right : (placed.written.wrong ?? placed.written.right))),
      imports,
    );
    const checks = functions
      .filter((placed) => isRight(placed) || placed.written.name.endsWith("Deadline"))
      .map((placed) => placed.written.check);
    files[`checks/${names.many}.mjs`] = checksText(
      names,
      checks.filter((check) => check !== undefined),
    );
  }
  return files;
};

/** The slips that a late module always has, so that every kind of thread is in every scene. */
const LATE: readonly (readonly SlipName[])[] = [
  ["loop-bound", "open-handle", "sort-in-place", "zero-default", "missing-guard", "capacity-compare", "shared-defaults"],
  ["missing-await", "page-end", "empty-average", "raw-path", "swallowed-error", "inverted-filter", "open-handle"],
];

/** Draws a project. The same draws give the same files, byte for byte. */
export const drawProject = (random: Random, plan: ProjectPlan): Project => {
  const theme = random.pick(THEMES);
  const entities = random.shuffled(theme.entities).slice(0, plan.early + plan.late + 1);
  const fields = random.shuffled(theme.fields);
  const namesOf = (index: number): Names => {
    const [one, many] = entities[index] ?? ["item", "items"];
    return { one, many, field: fields[index % fields.length] ?? "size" };
  };

  const early = Array.from({ length: plan.early }, (_, index): Module => {
    const names = namesOf(index);
    const slips = random.shuffled(SLIP_NAMES).slice(0, random.between(8, 10));
    const baits = random.shuffled(BAIT_NAMES).slice(0, random.between(1, 2));
    const functions: Placed[] = [
      ...slips.map((slip) => ({ written: write(SLIPS[slip], names), rightFrom: random.between(1, 2) })),
      ...baits.map((bait) => ({ written: write(BAITS[bait], names), rightFrom: 0 })),
      { written: write(random.pick(PLAIN), names), rightFrom: 0 },
    ];
    return { names, from: 0, functions: random.shuffled(functions) };
  });
  // The slips that linger: the first capable function of so many modules.
  for (const [order, module] of random.shuffled(early).slice(0, plan.lingering).entries()) {
    const capable = module.functions.filter((placed) => placed.written.wrong !== undefined);
    const chosen = capable[order % capable.length];
    const functions = module.functions.map((placed) => (placed === chosen ? { ...placed, rightFrom: Number.POSITIVE_INFINITY } : placed));
    early.splice(early.indexOf(module), 1, { ...module, functions });
  }

  const hidden: readonly Pattern[] = random.shuffled([plainRemoval, cappedDeadline]);
  const late = Array.from({ length: plan.late }, (_, index): Module => {
    const names = namesOf(plan.early + index);
    const slips = LATE[index % LATE.length] ?? [];
    const baits =
      index % 2 === 0 ? (["guarded-access", "short-name", "fixed-number"] as const) : (["guarded-share", "short-name"] as const);
    const functions: Placed[] = [
      ...slips.map((slip) => ({ written: write(SLIPS[slip], names), rightFrom: Number.POSITIVE_INFINITY })),
      ...baits.map((bait) => ({ written: write(BAITS[bait], names), rightFrom: 0 })),
      ...PLAIN.map((pattern) => ({ written: write(pattern, names), rightFrom: 0 })),
    ];
    const first = hidden[0];
    if (index === 0 && first !== undefined) functions.push({ written: write(first, names), rightFrom: Number.POSITIVE_INFINITY });
    return { names, from: 2, functions: random.shuffled(functions) };
  });

  const old = namesOf(plan.early + plan.late);
  const oldModule: Module = {
    names: old,
    from: 0,
    functions: random.shuffled([
      { written: write(SLIPS["loop-bound"], old), rightFrom: Number.POSITIVE_INFINITY },
      ...PLAIN.map((pattern) => ({ written: write(pattern, old), rightFrom: 0 })),
      { written: write(SLIPS["page-end"], old), rightFrom: 0 },
    ]),
  };

  const always: Record<string, string> = {
    "README.md": `# ${theme.name}\n\n${theme.about}\n\nChecks: \`node check.mjs\`.\n`,
    "package.json": `${JSON.stringify({ name: theme.name, version: "1.0.0", private: true, type: "module", scripts: { test: "node check.mjs" } }, null, 2)}\n`,
    "check.mjs": CHECK_SCRIPT,
    ...filesAt([oldModule], 0),
  };
  const modules = [...early, ...late];
  const subjects = [theme.subject, "Address the first round of review", "Address the second round, and add the missing lists"];
  return {
    name: theme.name,
    branch: theme.branch,
    title: theme.subject,
    description: theme.description,
    base: { subject: "Start the project", files: always },
    goal: { ...always, ...filesAt([oldModule, ...modules], Number.POSITIVE_INFINITY) },
    commits: subjects.map((subject, commit) => ({ subject, files: { ...always, ...filesAt(modules, commit) } })),
  };
};

const write = (pattern: Pattern, names: Names): Written => pattern(names);
