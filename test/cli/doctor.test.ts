/** `doctor` through the built command line: real git, a real clone, real HTTP. */
import { readFileSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DoctorLine } from "../../index.js";
import { place } from "./sandboxed.js";
import type { Place, Ran } from "./sandboxed.js";

let at: Place;
beforeEach(async () => {
  at = await place();
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const schema = JSON.parse(readFileSync(new URL("../../docs/schemas/doctor.json", import.meta.url), "utf8")) as object;
const validate = new Ajv({ strict: false }).compile(schema);

const linesOf = (ran: Ran): Readonly<Record<string, DoctorLine>> => {
  const found = JSON.parse(ran.out) as { readonly lines: readonly DoctorLine[] };
  expect(validate(found), JSON.stringify(validate.errors)).toBe(true);
  return Object.fromEntries(found.lines.map((line) => [line.check, line]));
};
const configIn = async (clone: string, config: object): Promise<void> =>
  writeFile(
    join(clone, "reviewloop.config.json"),
    JSON.stringify({ extends: "review-clean", gate: "node check.mjs", agent: ["command", { run: ["node", "agent.mjs"] }], ...config }),
  );
const doctor = (clone: string, ...more: readonly string[]) =>
  at.cli(["doctor", String(at.pullRequest.number), "--json", ...more], { cwd: clone });

test("all is well in a clone with a config: exit 0, and nothing was written", async () => {
  const clone = await at.clone();
  await configIn(clone, {});
  const before = at.sandbox.world.log.length;
  const ran = await doctor(clone);
  const lines = linesOf(ran);
  expect(Object.values(lines).filter((line) => line.state === "red")).toEqual([]);
  expect(ran.code).toBe(0);
  expect(Object.keys(lines)).toHaveLength(12);
  expect(at.sandbox.world.log.length).toBe(before);
  const text = await at.cli(["doctor", String(at.pullRequest.number)], { cwd: clone });
  expect(text.out).toMatch(/^ok {4}sign-in {5} {2}ada at /m);
});

test("red lines, each with its fix: hook, gate, reviewer, remote", async () => {
  const clone = await at.clone();
  await configIn(clone, {
    gate: "no-such-program --all",
    agent: ["command", { run: ["no-such-agent-here"] }],
    reviewers: { greptile: {} },
  });
  const hook = join(clone, ".git", "hooks", "pre-push");
  await mkdir(join(clone, ".git", "hooks"), { recursive: true });
  await writeFile(hook, "#!/bin/sh\nnode check.mjs\n");
  await chmod(hook, 0o755);
  const ran = await doctor(clone);
  const lines = linesOf(ran);
  expect(ran.code).toBe(1);
  expect(lines["gate"]).toMatchObject({ state: "red", says: '"no-such-program --all": no-such-program was not found' });
  expect(lines["hooks"]).toMatchObject({ state: "red" });
  expect(lines["hooks"]?.says).toContain("pre-push (node check.mjs)");
  expect(lines["reviewers"]).toMatchObject({ state: "red" });
  await configIn(clone, {});
  const covered = linesOf(await doctor(clone));
  expect(covered["hooks"]).toMatchObject({ state: "ok" });
  await execa("git", ["-C", clone, "remote", "set-url", "origin", `${at.sandbox.url}/ada/elsewhere.git`]);
  const url = await at.cli(["doctor", at.url, "--json"], { cwd: clone });
  expect(linesOf(url)["remote"]).toMatchObject({ state: "red" });
});

test("not signed in, no such pull request, a broken config: told, each in its line", async () => {
  const clone = await at.clone();
  await configIn(clone, {});
  const out = await at.cli(["doctor", at.url, "--json"], { cwd: clone, environment: { GH_TOKEN: "not-a-token" } });
  expect(linesOf(out)["sign-in"]).toMatchObject({ state: "red" });
  expect(linesOf(out)["sign-in"]?.fix).toContain("gh auth login");
  expect(linesOf(out)).not.toHaveProperty("pull-request");
  const none = await at.cli(["doctor", "999", "--json"], { cwd: clone });
  expect(linesOf(none)["pull-request"]).toMatchObject({ state: "red" });
  await configIn(clone, { gaet: "x" });
  const bad = await doctor(clone);
  expect(linesOf(bad)["config"]).toMatchObject({ state: "red" });
  expect(linesOf(bad)["config"]?.says).toContain('did you mean "gate"?');
});

test("somebody else's pull request, and the token of a job", async () => {
  const clone = await at.clone();
  await configIn(clone, {});
  const token = at.sandbox.tokenFor("grace");
  const ran = await at.cli(["doctor", at.url, "--json"], {
    cwd: clone,
    environment: { GH_TOKEN: "", GITHUB_TOKEN: token, GITHUB_ACTIONS: "true" },
  });
  const lines = linesOf(ran);
  expect(lines["permissions"]).toMatchObject({ state: "red" });
  expect(lines["permissions"]?.says).toContain("ada opened this pull request, not grace");
  expect(lines["workflows"]).toMatchObject({ state: "red" });
});

test("a head that conflicts with the base", async () => {
  const clone = await at.clone();
  await configIn(clone, {});
  at.sandbox.world.commitAndPush("grace", {
    repository: "ada/shop",
    branch: "main",
    files: { "src/a.js": "mine\n" },
    message: "Meanwhile",
  });
  const { head } = linesOf(await doctor(clone));
  expect(head).toMatchObject({ state: "red", fix: "Merge main into it and push." });
  expect(head?.says).toContain("conflicts with main");
});

test("an agent that is not installed, and commits without a name", async () => {
  const clone = await at.clone();
  await configIn(clone, { agent: "codex" });
  await execa("git", ["-C", clone, "config", "--unset", "user.name"]);
  const bin = join(at.folder, "bin");
  await mkdir(bin);
  for (const program of ["git", "node", "sh"])
    await symlink((await execa("sh", ["-c", `command -v ${program}`])).stdout, join(bin, program));
  const environment = { PATH: bin, GIT_COMMITTER_NAME: "", GIT_AUTHOR_NAME: "" };
  const lines = linesOf(await at.cli(["doctor", at.url, "--json"], { cwd: clone, environment }));
  expect(lines["agent"]).toMatchObject({ state: "red" });
  expect(lines["agent"]?.says).toContain("codex: not found");
  expect(lines["git"]).toMatchObject({ state: "red", says: "git knows no name and address for commits" });
});
