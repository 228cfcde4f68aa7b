/** People's threads, without any reviewer bot: the shortest way through the whole loop. */
import { expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import { drive } from "./driving.js";

const shop = () =>
  scenario()
    .pullRequest({ author: "ada" })
    .user("grace")
    .file("src/a.ts", "one\ntwo\n", "one\n2\n")
    .commands({ "npm test": () => 0 });

test("a person's point is fixed, pushed, answered with the commit, and left open for her", async () => {
  const scene = shop()
    .thread({ by: "grace", path: "src/a.ts", line: 2, body: "Please write this as a word." })
    .agent({
      triage: triageEach(() => ({ kind: "actionable", why: "she is right" })),
      fix: async (task, worktree) => {
        worktree.write("src/a.ts", "one\nTWO\n");
        return fixEach(() => ({ summary: "wrote it as a word", files: ["src/a.ts"] }))(task, worktree);
      },
    })
    .build();
  const { report } = await drive(scene);
  expect(report.error).toBeUndefined();
  expect(report.stop).toBe("waiting-for-people");
  expect(report.pushes).toHaveLength(1);
  const thread = scene.threads[0];
  expect(thread?.resolved).toBe(false);
  expect(thread?.comments.at(-1)?.body).toContain(`Fixed in ${report.head.slice(0, 10)}: wrote it as a word`);
  expect(report.remaining).toMatchObject([{ code: "person-thread", name: "grace" }]);
});
