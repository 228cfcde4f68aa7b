// Git work of an iteration on a large repository: the worktree when it is new, and when the next head is opened in it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitWorktree, shell, systemClock } from "../dist/core/adapters/index.js";
import { timed } from "./process.mjs";

const IN_FOLDER = 100;

export const gitWork = async (files) => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-bench-"));
  try {
    const environment = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
    const git = (cwd, ...args) => execFileSync("git", args, { cwd, env: environment, encoding: "utf8" }).trim();
    writeFileSync(
      join(folder, ".gitconfig"),
      "[user]\n\tname = Ada\n\temail = ada@example.test\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n",
    );
    const remote = join(folder, "remote.git");
    const user = join(folder, "user");
    git(folder, "init", "--quiet", "--bare", remote);
    git(folder, "init", "--quiet", user);
    git(user, "remote", "add", "origin", remote);
    for (let index = 0; index < files; index += 1) {
      const below = join(user, `folder-${Math.floor(index / IN_FOLDER)}`);
      if (index % IN_FOLDER === 0) mkdirSync(below);
      writeFileSync(join(below, `file-${index % IN_FOLDER}.txt`), `file ${index}\n${"some words of it\n".repeat(20)}`);
    }
    const publish = (message) => {
      git(user, "add", "--all");
      git(user, "commit", "--quiet", "-m", message);
      const head = git(user, "rev-parse", "HEAD");
      git(user, "push", "--quiet", "origin", "HEAD:topic", "HEAD:refs/pull/1/head");
      return head;
    };
    publish("All of it");
    git(user, "push", "--quiet", "origin", "HEAD:main");
    const base = git(user, "rev-parse", "HEAD");
    const next = (text) => {
      writeFileSync(join(user, "folder-0", "file-0.txt"), text);
      return publish(text);
    };
    const pullRequest = (sha) => ({
      ref: { host: "github.example", owner: "ada", name: "shop", number: 1 },
      head: { sha, branch: "topic", repository: { owner: "ada", name: "shop", cloneUrl: remote } },
      base: { sha: base, branch: "main", cloneUrl: remote },
    });
    const worktree = () =>
      gitWorktree({
        stateFolder: join(folder, "state"),
        checkout: user,
        remoteUrl: remote,
        clock: systemClock(),
        shell: shell({ clock: systemClock(), environment }),
        environment,
      });
    const first = pullRequest(next("one\n"));
    const took = async (act) => {
      const { own, children } = await timed(act);
      return own + children;
    };
    const bareWorktree = async (name) => git(user, "worktree", "add", "--quiet", "--detach", join(folder, name));
    // Whoever comes first reads from a cold disk.
    await bareWorktree("warm");
    const bare = await took(() => bareWorktree("bare"));
    const opened = worktree();
    const open = await took(() => opened.open(first, false));
    writeFileSync(join(opened.root, "folder-1", "file-1.txt"), "edited\n");
    const snapshot = await took(() => opened.tree());
    const second = pullRequest(next("two\n"));
    const again = await took(() => opened.open(second, false));
    const third = pullRequest(next("three\n"));
    // A later run knows nothing of the first but what is on disk.
    const later = await took(() => worktree().open(third, false));
    return { files, first: open / bare, snapshot: snapshot / open, again: again / open, later: later / open };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
