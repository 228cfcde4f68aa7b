// Compiles the simulation and what it drives, then runs it: npm run simulate -- --seeds N [--from K]
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.simulation.json"), "--noCheck"], { stdio: "inherit" });
const { main } = await import("../.cache/simulation/test/simulation/main.js");
process.exitCode = await main(process.argv.slice(2));
