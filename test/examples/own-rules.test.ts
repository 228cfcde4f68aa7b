/** The examples of what is one's own, as their reader would run them. */
import { copyFile, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Report } from "../../index.js";
import { place } from "../cli/sandboxed.js";

const root = join(import.meta.dirname, "..", "..");

test("changelog-fragment: holds the pull request until the fragment is on the branch", { timeout: 60_000 }, async () => {
  const at = await place();
  try {
    const folder = join(at.folder, "own");
    await mkdir(join(folder, "node_modules"), { recursive: true });
    await symlink(root, join(folder, "node_modules", "reviewloop"), "dir");
    await copyFile(join(root, "examples/changelog-fragment/changelog-fragment.ts"), join(folder, "changelog-fragment.ts"));
    await at.write(
      "own/reviewloop.config.ts",
      `import { changelogFragment } from "./changelog-fragment.js";\nexport default { extends: "review-clean", plugins: [changelogFragment()] };\n`,
    );
    const status = async (): Promise<unknown> =>
      JSON.parse((await at.cli(["status", at.url, "--config", "reviewloop.config.ts", "--json"], { cwd: folder })).out);
    expect(await status()).toMatchObject({
      state: "BLOCKED",
      blockers: [{ code: "no-fragment", detail: "there is no changelog fragment changelog.d/topic.md" }],
    });
    at.sandbox.world.commitAndPush("ada", {
      repository: "ada/shop",
      branch: "topic",
      files: { "changelog.d/topic.md": "Counts.\n" },
      message: "Fragment",
    });
    expect(await status()).toMatchObject({ blockers: [] });
  } finally {
    await at.close();
  }
});

test("issue-tracker: trouble of the loop itself is filed once, its words as they are", { timeout: 60_000 }, async () => {
  const at = await place();
  try {
    const { world } = at.sandbox;
    world.addBot("copilot-pull-request-reviewer", { requestable: true });
    world.faults.set("review-request-dropped");
    const folder = join(at.folder, "own");
    await mkdir(join(folder, "node_modules"), { recursive: true });
    await symlink(root, join(folder, "node_modules", "reviewloop"), "dir");
    await copyFile(join(root, "examples/issue-tracker/loop-trouble.ts"), join(folder, "loop-trouble.ts"));
    const track = await at.write("own/track", `#!/bin/sh\nfor word in "$@"; do echo "$word"; done >> "${at.folder}/filed"\n`);
    await at.write(
      "own/reviewloop.config.ts",
      `import { loopTrouble } from "./loop-trouble.js";
export default {
  extends: "review-clean",
  reviewers: { copilot: {} },
  gate: false,
  wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
  plugins: [loopTrouble({ command: [${JSON.stringify(track)}, "file", "it's; one $(word)"] })],
};
`,
    );
    const run = () => at.cli(["run", at.url, "--config", "reviewloop.config.ts", "--yes", "--json"], { cwd: folder });
    const first = await run();
    expect(JSON.parse(first.out)).toMatchObject({ stop: "waiting-for-people", remaining: [{ code: "review-request-dropped" }] });
    const second = JSON.parse((await run()).out) as Report;
    expect(second.notes.join()).not.toContain("not kept");
    expect((await readFile(join(at.folder, "filed"), "utf8")).split("\n")).toEqual([
      "file",
      "it's; one $(word)",
      "reviewers",
      `the request to copilot was not registered; ask by hand (${at.url})`,
      "",
    ]);
  } finally {
    await at.close();
  }
});
