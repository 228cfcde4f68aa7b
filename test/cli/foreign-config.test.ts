/** Somebody else's branch in one's own checkout: its config is code, and is not run without a word. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PullRequestRecord } from "../../sandbox/index.js";
import { place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

let at: Place;
let clone: string;
let foreign: PullRequestRecord;
const trace = (): string => join(at.folder, "ran");
const config = (text: string): string =>
  `import { writeFileSync } from "node:fs";\n${text}\nexport default { extends: "review-clean", worktree: { setup: false } };\n`;

beforeEach(async () => {
  at = await place();
  const { world } = at.sandbox;
  world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files: { "reviewloop.config.mjs": config("") }, message: "Config" });
  world.addUser("mallory");
  world.addRepository("mallory/shop", { forkOf: "ada/shop" });
  world.commitAndPush("mallory", {
    repository: "mallory/shop",
    branch: "help",
    files: { "reviewloop.config.mjs": config(`writeFileSync(${JSON.stringify(trace())}, "yes");`) },
    message: "Help",
  });
  foreign = world.openPullRequest("mallory", { repository: "ada/shop", head: "help", headRepository: "mallory/shop", title: "Help" });
  clone = await at.clone();
});
afterEach(() => at.close());

const checkOut = async (): Promise<void> => {
  const header = `http.extraHeader=Authorization: Basic ${Buffer.from(`x-access-token:${at.sandbox.tokenFor("ada")}`).toString("base64")}`;
  await execa("git", ["-C", clone, "-c", header, "fetch", "--quiet", "origin", `refs/pull/${foreign.number}/head`]);
  await execa("git", ["-C", clone, "checkout", "--quiet", "--detach", "FETCH_HEAD"]);
};

test("on the fork's head: refused before it is loaded, with what to do; --trust-head is that word", async () => {
  await checkOut();
  for (const command of ["run", "status", "plan"]) {
    const ran = await at.cli([command, String(foreign.number), "--json"], { cwd: clone });
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: "CONFIG_UNTRUSTED" } });
    expect(ran.err).toContain("reviewloop.config.mjs is not the one of main");
  }
  expect(existsSync(trace())).toBe(false);
  await at.cli(["plan", String(foreign.number), "--trust-head", "--json"], { cwd: clone });
  expect(existsSync(trace())).toBe(true);
});

test("on the base branch's checkout, and on a branch of the repository itself, the config is one's own", async () => {
  expect(await at.cli(["status", String(foreign.number), "--json"], { cwd: clone })).toMatchObject({ code: 0 });
  await execa("git", ["-C", clone, "checkout", "--quiet", "-b", "mine"]);
  await execa("git", ["-C", clone, "commit", "--quiet", "--allow-empty", "-m", "Mine"]);
  await at.write(clone.slice(at.folder.length + 1) + "/reviewloop.config.mjs", config("// mine"));
  expect(await at.cli(["status", String(at.pullRequest.number), "--json"], { cwd: clone })).toMatchObject({ code: 0 });
});
