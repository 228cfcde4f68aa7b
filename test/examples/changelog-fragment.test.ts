/** The example of a rule of one's own, as its reader would run it. */
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
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
