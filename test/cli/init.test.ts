/** `init` in a clone of the sandbox's repository: what it finds, what it writes, and that the config is one. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { configText } from "../../cli/init/config.js";
import { testCommandIn } from "../../cli/init/survey.js";
import { builtinPresets } from "../../presets/index.js";
import { place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

let at: Place;
let clone: string;
beforeEach(async () => {
  at = await place();
  at.sandbox.world.addBot("copilot-pull-request-reviewer", { requestable: true });
  at.sandbox.world.review("copilot-pull-request-reviewer", at.pullRequest, { state: "COMMENTED", body: "## Pull request overview" });
  clone = await at.clone();
  await writeFile(join(clone, "package.json"), JSON.stringify({ scripts: { test: "node check.mjs" } }));
});
afterEach(() => at.close());

const config = async (): Promise<string> => readFile(join(clone, "reviewloop.config.yaml"), "utf8");

test(
  "what is found goes in, with comments; reviewloop takes it; the skill is placed; a second call overwrites nothing",
  { timeout: 60_000 },
  async () => {
    const ran = await at.cli(["init", "--yes", "--json"], { cwd: clone });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      files: [
        { file: "reviewloop.config.yaml", outcome: "written" },
        { file: ".agents/skills/reviewloop/SKILL.md", outcome: "written" },
        { file: ".claude/skills/reviewloop/SKILL.md", outcome: "written" },
      ],
    });
    const text = await config();
    expect(parse(text)).toEqual({ extends: "review-clean", gate: "npm test", agent: false });
    expect(text).toContain("Seen on recent pull requests: copilot.");
    const inForce = await at.cli(["config", "--json"], { cwd: clone });
    expect(inForce.code).toBe(0);
    expect(JSON.parse(inForce.out)).toMatchObject({ target: "review-clean" });
    const doctor = await at.cli(["doctor", "--json"], { cwd: clone });
    const { lines } = JSON.parse(doctor.out) as { readonly lines: readonly { readonly state: string }[] };
    expect(lines.filter((line) => line.state === "red")).toEqual([]);
    expect(doctor.code).toBe(0);
    const skill = await readFile(join(clone, ".claude/skills/reviewloop/SKILL.md"), "utf8");
    expect(skill).toMatch(/^---\nname: reviewloop\ndescription: .+\n/);

    await writeFile(join(clone, "reviewloop.config.yaml"), `${text}# mine\n`);
    const again = await at.cli(["init", "--yes", "--preset", "merge-ready"], { cwd: clone });
    expect(again.out).toMatch(/kept {5}reviewloop\.config\.yaml/);
    expect(await config()).toContain("# mine");
  },
);

test("flags decide; a name that does not exist is a usage error and writes nothing", { timeout: 60_000 }, async () => {
  const bad = await at.cli(["init", "--yes", "--preset", "nonesuch"], { cwd: clone });
  expect(bad).toMatchObject({ code: 3, err: expect.stringContaining("draft-to-ready") });
  await expect(config()).rejects.toThrow();
  const flags = [
    "--preset",
    "draft-to-ready",
    "--gate",
    "node check.mjs",
    "--agent",
    "claude",
    "--reviewer",
    "copilot",
    "greptile",
    "--no-skill",
  ];
  expect((await at.cli(["init", "--yes", ...flags], { cwd: clone })).code).toBe(0);
  expect(parse(await config())).toEqual({
    extends: "draft-to-ready",
    gate: "node check.mjs",
    agent: "claude",
    reviewers: { copilot: { required: true }, greptile: { required: true } },
  });
  expect((await at.cli(["config", "--json"], { cwd: clone })).code).toBe(0);
});

test.each(Object.keys(builtinPresets))("the config for %s is YAML, whatever the gate is called", (preset) => {
  for (const gate of ["npm test", "a: b # c", "true", "'quoted'", false, undefined] as const) {
    const text = configText({
      preset,
      presets: [preset],
      gate,
      agent: undefined,
      agentsHere: [],
      required: [],
      seen: undefined,
      workflows: [],
    });
    expect(parse(text)).toEqual({ extends: preset, agent: false, ...(gate === undefined ? {} : { gate }) });
  }
});

test("the test command is found by what lies there; npm's placeholder is none", async () => {
  expect(await testCommandIn(clone)).toBe("npm test");
  await writeFile(join(clone, "pnpm-lock.yaml"), "");
  expect(await testCommandIn(clone)).toBe("pnpm test");
  await writeFile(join(clone, "package.json"), JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }));
  expect(await testCommandIn(clone)).toBeUndefined();
  await writeFile(join(clone, "Cargo.toml"), "");
  expect(await testCommandIn(clone)).toBe("cargo test");
});
