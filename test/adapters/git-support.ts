/** A remote on disk, a user's clone of it, a pull request on it, and our worktree: real git throughout. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PullRequest, WriteOf } from "../../core/model.js";
import type { Clock, Git, Shell } from "../../core/ports.js";
import { gitWorktree, type GitWorktreeOptions } from "../../core/adapters/git/git.js";

export const clock: Clock = { now: () => 1_750_000_000_000, sleep: async () => {} };

export interface World {
  readonly folder: string;
  readonly remote: string;
  readonly user: string;
  readonly state: string;
  readonly environment: Record<string, string>;
  /** Git as the user runs it, in a folder; the output without its last line end. */
  readonly git: (folder: string, ...args: string[]) => string;
  write(folder: string, files: Readonly<Record<string, string | Buffer>>): void;
  /** Commits all in the author's clone and pushes it as the pull request's head. */
  publish(files: Readonly<Record<string, string | Buffer | null>>, message?: string): string;
  /** The same on the base branch. */
  publishBase(files: Readonly<Record<string, string | Buffer | null>>, message?: string): string;
  readonly author: string;
  pullRequest(over?: Partial<PullRequest>): PullRequest;
  open(options?: Partial<GitWorktreeOptions>): Promise<Git>;
  worktree(options?: Partial<GitWorktreeOptions>): Git;
  remove(): void;
}

export const noShell: Shell = {
  run: async () => {
    throw new Error("no set-up was expected");
  },
};

/** A script that leaves a trace when it is run. */
export const trap = (file: string, trace: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ran >> ${trace}\ncat\n`);
  chmodSync(file, 0o755);
};

export const world = (first: Readonly<Record<string, string | Buffer>> = { "a.txt": "one\n", "dir/b.txt": "two\n" }): World => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reviewloop-git-")));
  const home = join(folder, "home");
  mkdirSync(home);
  const environment: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (where: string, ...args: string[]): string =>
    execFileSync("git", args, {
      cwd: where,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 1 << 28,
    }).replace(/\n$/, "");
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Author\n\temail = author@example.invalid\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n",
  );
  const remote = join(folder, "remote.git");
  git(folder, "init", "--quiet", "--bare", remote);
  const author = join(folder, "author");
  git(folder, "clone", "--quiet", remote, author);
  const write: World["write"] = (where, files) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(where, path)), { recursive: true });
      writeFileSync(join(where, path), content);
    }
  };
  const commit = (branch: string, files: Readonly<Record<string, string | Buffer | null>>, message: string): string => {
    git(author, "checkout", "--quiet", branch);
    for (const [path, content] of Object.entries(files)) {
      if (content === null) rmSync(join(author, path), { recursive: true });
      else write(author, { [path]: content });
    }
    git(author, "add", "--all");
    git(author, "commit", "--quiet", "--allow-empty", "-m", message);
    git(author, "push", "--quiet", "origin", branch);
    return git(author, "rev-parse", "HEAD");
  };
  write(author, first);
  git(author, "add", "--all");
  git(author, "commit", "--quiet", "-m", "first");
  git(author, "push", "--quiet", "origin", "main");
  git(author, "branch", "feature");
  const user = join(folder, "user");
  git(folder, "clone", "--quiet", remote, user);
  const publish = (files: Readonly<Record<string, string | Buffer | null>>, message = "change"): string => {
    const sha = commit("feature", files, message);
    git(remote, "update-ref", "refs/pull/7/head", sha);
    return sha;
  };
  publish({ "feature.txt": "new\n" }, "feature");

  const pullRequest = (over: Partial<PullRequest> = {}): PullRequest => ({
    ref: { host: "github.example", owner: "Acme", name: "app", number: 7 },
    id: "PR_7",
    url: "https://github.example/acme/app/pull/7",
    title: "A change",
    body: "",
    author: { login: "author", kind: "user", association: "OWNER" },
    state: "open",
    draft: false,
    locked: false,
    archived: false,
    inMergeQueue: false,
    head: {
      sha: git(remote, "rev-parse", "refs/pull/7/head"),
      branch: "feature",
      repository: { owner: "acme", name: "app", cloneUrl: remote },
    },
    base: { sha: git(remote, "rev-parse", "refs/heads/main"), branch: "main", cloneUrl: remote },
    fork: false,
    maintainerCanModify: false,
    viewerPermission: "write",
    mergeable: "MERGEABLE",
    mergeState: "CLEAN",
    requiresConversationResolution: false,
    requiredChecks: [],
    createdAt: 0,
    updatedAt: 0,
    ...over,
  });
  const state = join(folder, "state");
  const worktree: World["worktree"] = (options = {}) =>
    gitWorktree({ stateFolder: state, checkout: user, remoteUrl: remote, clock, shell: noShell, environment, ...options });
  return {
    folder,
    remote,
    user,
    author,
    state,
    environment,
    git,
    write,
    publish,
    publishBase: (files, message = "base") => commit("main", files, message),
    pullRequest,
    worktree,
    async open(options) {
      const made = worktree(options);
      await made.open(pullRequest(), false);
      return made;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** Everything of the user's that must not change: refs, config, index, checkout, stray files in the git folder. */
export const fingerprint = ({ git, user }: World): Record<string, string> => ({
  refs: git(user, "for-each-ref", "--format=%(refname) %(objectname)"),
  head: readFileSync(join(user, ".git/HEAD"), "utf8"),
  config: readFileSync(join(user, ".git/config"), "utf8"),
  index: readFileSync(join(user, ".git/index")).toString("base64"),
  status: git(user, "--no-optional-locks", "status", "--porcelain"),
  fetchHead: String(existsSync(join(user, ".git/FETCH_HEAD"))),
  hooks: git(user, "rev-parse", "--git-path", "hooks"),
});

export const pushOf = async (git: Git, to: string, over: Partial<WriteOf<"push">> = {}): Promise<WriteOf<"push">> => ({
  kind: "push",
  key: `push:${to}`,
  preconditions: {},
  why: "test",
  commits: [to],
  to,
  tree: await git.treeOf(to),
  expected: await git.remoteHead(),
  branch: "feature",
  force: false,
  ...over,
});
