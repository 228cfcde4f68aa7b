import { expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";

const scene = () =>
  scenario()
    .file("src/a.ts", "one\ntwo\n", "one\n2\n")
    .thread({ by: "acme-review[bot]", path: "src/a.ts", line: 2, body: "Why 2?" })
    .commands({ "npm test": (worktree) => (worktree.read("src/a.ts")?.includes("three") === true ? 0 : 1) })
    .agent({
      triage: triageEach(() => ({ kind: "actionable", why: "It is so." })),
      fix: fixEach((thread, worktree) => {
        worktree.write(thread.path ?? "", "one\nthree\n");
        return { summary: "Three it is.", files: [thread.path ?? ""] };
      }),
    })
    .build();

test("a scene can be read, fixed, pushed and answered through its ports", async () => {
  const { ports, pullRequestRef, git, threads } = scene();
  const before = await ports.forge.read(pullRequestRef);
  expect(before.reviewThreads[0]?.messages[0]?.author).toEqual({ login: "acme-review", kind: "bot", association: "NONE" });
  await git.open(before.pullRequest, undefined);
  expect(await ports.shell.run({ command: "npm test", cwd: git.root, timeout: 1000 })).toMatchObject({ exitCode: 1 });
  git.worktree.write("src/a.ts", "one\nthree\n");
  const tree = await git.tree();
  expect(await git.changes(await git.treeOf(before.pullRequest.head.sha), tree)).toMatchObject([{ path: "src/a.ts", status: "modified" }]);
  const to = await git.commit(tree, before.pullRequest.head.sha, { subject: "Three" });
  const pushed = await git.write(
    {
      kind: "push",
      key: "p",
      commits: [to],
      to,
      tree,
      expected: before.pullRequest.head.sha,
      branch: "topic",
      force: false,
      preconditions: {},
      why: "",
    },
    before.pullRequest,
  );
  expect(pushed).toEqual({ state: "done", id: to });
  const after = await ports.forge.read(pullRequestRef);
  expect(after.pullRequest.head.sha).toBe(to);
  expect(after.reviewThreads[0]?.place).toMatchObject({ outdated: true, originalLine: 2 });
  expect(after.reviewThreads[0]?.place.line).toBeUndefined();
  const root = threads[0]?.comments[0];
  const replied = await ports.forge.write(
    [
      {
        kind: "reply",
        key: "r",
        thread: threads[0]?.id ?? "",
        rootComment: String(root?.databaseId),
        body: "Done.",
        decision: "actionable",
        preconditions: {},
        why: "",
      },
    ],
    after.pullRequest,
  );
  expect(replied).toMatchObject([{ state: "done" }]);
  const resolved = await ports.forge.write(
    [{ kind: "resolve", key: "x", thread: threads[0]?.id ?? "", preconditions: {}, why: "" }],
    after.pullRequest,
  );
  expect(resolved).toMatchObject([{ state: "done" }]);
  const last = await ports.forge.read(pullRequestRef);
  expect(last.reviewThreads[0]).toMatchObject({ resolved: true, messages: [{ body: "Why 2?" }, { body: "Done." }] });
});
