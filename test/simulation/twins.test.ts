/** The simulation bites: each broken twin of product code is found out, by the check that is there for it, and the docs say so. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MANNERS } from "./checks.js";
import { TWINS } from "./twins.js";

const root = join(import.meta.dirname, "..", "..");
interface Found {
  readonly results: readonly { readonly rule: number; readonly name: string; readonly caught: { readonly check: string } | null }[];
  readonly unknown: readonly string[];
}

test("every broken twin is found out", { timeout: 240_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "scripts", "twins.mjs"), "--json"], { maxBuffer: 1e8 });
  const { results, unknown } = JSON.parse(stdout) as Found;
  expect(unknown).toEqual([]);
  expect(results.map((each) => each.name)).toEqual(TWINS.map((each) => each.name));
  expect(results.filter((each) => each.caught === null)).toEqual([]);
  const page = readFileSync(join(root, "docs", "simulation.md"), "utf8");
  for (const { rule, name, caught } of results) expect(page).toContain(`| ${rule} | ${name} | \`${caught?.check ?? ""}\` |`);
});

test("every rule that a day can break has a twin, and so have the manners", () => {
  expect([...new Set(TWINS.map((each) => each.rule))].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: MANNERS }, (_, index) => index + 1),
  );
});
