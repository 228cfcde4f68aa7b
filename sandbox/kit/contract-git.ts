/** What the port `git` promises: a worktree of the pull request's head, trees as content, and a push to exactly the head that was expected. */
import type { Git, PullRequest, Sha, Tree, WriteOf } from "../../core/index.js";
import { brief, casesOf, must, mustThrow, sameJson, type ContractCase } from "./contract.js";

/** Files of the head and of the base, as a stand has to have them. */
export const GIT_FILES = { "src/a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n" } as const;

export interface GitStand {
  /** Not opened yet. */
  readonly git: Git;
  /** Its head and base have `GIT_FILES`; the head has one commit more. */
  readonly pullRequest: PullRequest;
  /** Somebody pushes these files to the head's branch. */
  publish(files: Readonly<Record<string, string>>): Promise<Sha>;
  /** The same on the base's branch. */
  publishBase(files: Readonly<Record<string, string>>): Promise<Sha>;
  /** Where the head's branch is now, asked of the remote itself. */
  remoteHead(): Promise<Sha>;
  close?(): Promise<void>;
}

/** Paths that lead out of the worktree, or into git's own folder. */
const OUTSIDE = [
  "../outside.txt",
  "/outside.txt",
  "src/../../outside.txt",
  "",
  ".git/config",
  "src/.git/hooks/pre-push",
  ".GIT/config",
  "src//a.txt",
  "./a.txt",
];

/** The contract of the port `git`, as cases for any test runner. `open` makes a fresh stand for each. */
export const gitContract = (name: string, open: () => Promise<GitStand>): readonly ContractCase[] => {
  const on = (act: (stand: GitStand, git: Git) => Promise<void>) => async (): Promise<void> => {
    const stand = await open();
    try {
      await stand.git.open(stand.pullRequest, false);
      await act(stand, stand.git);
    } finally {
      await stand.git.close();
      await stand.close?.();
    }
  };
  const commitOf = async (git: Git, text: string, parent: Sha): Promise<{ readonly commit: Sha; readonly tree: Tree }> => {
    await git.edit("src/a.txt", text);
    const tree = await git.tree();
    return { tree, commit: await git.commit(tree, parent, { subject: "A change", body: "Why." }) };
  };
  const pushOf = (to: Sha, tree: Tree, expected: Sha, branch: string): WriteOf<"push"> => ({
    kind: "push",
    key: `push:${to}`,
    preconditions: {},
    why: "the contract",
    commits: [to],
    to,
    tree,
    expected,
    branch,
    force: false,
  });

  return casesOf(name, {
    "opens at the head with its files": on(async ({ pullRequest }, git) => {
      const head = pullRequest.head.sha;
      must((await git.head()) === head, "head", "is another commit than the pull request's head");
      must((await git.tree()) === (await git.treeOf(head)), "tree", "of a fresh worktree is not the head's");
      for (const [path, text] of Object.entries(GIT_FILES)) {
        must((await git.read(path)) === text, "read", `gives ${brief(await git.read(path))} for ${path}`);
        must((await git.show(head, path)) === text, "show", `gives ${brief(await git.show(head, path))} for ${path}`);
      }
      must((await git.read("no/such.txt")) === undefined, "read", "gives something for a file that is not there");
      must((await git.show(head, "no/such.txt")) === undefined, "show", "gives something for a file that is not there");
      must((await git.remoteHead()) === head, "remoteHead", "is not where the branch is");
    }),
    "a tree is content": on(async (_stand, git) => {
      const before = await git.tree();
      await git.edit("src/a.txt", "other\n");
      const changed = await git.tree();
      must(changed !== before, "tree", "does not see an edit");
      await git.edit("new/untracked.txt", "new\n");
      must((await git.tree()) !== changed, "tree", "does not see a file that git does not know yet");
      await git.edit("new/untracked.txt", null);
      await git.edit("src/a.txt", GIT_FILES["src/a.txt"]);
      must((await git.tree()) === before, "tree", "differs though the content is as before");
    }),
    "an edit is exact": on(async (_stand, git) => {
      for (const text of ["a\r\nb\r\n", "no end", "\ufeffmark\n", "ünï 🎉\n", "", "a\rb\n", "\t \n\n\n"]) {
        await git.edit("src/c.txt", text);
        must((await git.read("src/c.txt")) === text, "edit", `writes ${brief(await git.read("src/c.txt"))} where ${brief(text)} was given`);
        must((await git.show(await git.tree(), "src/c.txt")) === text, "show", `changes ${brief(text)} on its way into a tree`);
      }
      await git.edit("src/c.txt", null);
      must((await git.read("src/c.txt")) === undefined, "edit", "leaves a deleted file there");
    }),
    "an edit stays inside": on(async (_stand, git) => {
      const before = await git.tree();
      for (const path of OUTSIDE) await mustThrow("GIT_FAILED", `edit of ${brief(path)}`, () => git.edit(path, "out\n"));
      must((await git.tree()) === before, "edit", "has written although it refused");
    }),
    "names what changed, and its patch makes it again": on(async ({ pullRequest }, git) => {
      const from = await git.tree();
      await git.edit("src/a.txt", "one\n2\nthree\n");
      await git.edit("src/new.txt", "new\n");
      await git.edit("src/b.txt", null);
      const to = await git.tree();
      const changes = (await git.changes(from, to)).map((change) => `${change.status} ${change.path}`).toSorted();
      must(sameJson(changes, ["added src/new.txt", "deleted src/b.txt", "modified src/a.txt"]), "changes", `are ${brief(changes)}`);
      must((await git.changes(to, to)).length === 0, "changes", "between equal trees are some");
      const made = await git.apply?.(pullRequest.head.sha, await git.patch(from, to));
      must(made === undefined || made === to, "apply", "makes another tree of the patch");
    }),
    "commits exactly the tree that it is given": on(async ({ pullRequest }, git) => {
      await git.edit("src/a.txt", "first\n");
      const tree = await git.tree();
      await git.edit("src/leftover.txt", "left over\n");
      const commit = await git.commit(tree, pullRequest.head.sha, { subject: "A change" });
      must((await git.treeOf(commit)) === tree, "commit", "has another tree than the one it was given");
      must((await git.show(commit, "src/leftover.txt")) === undefined, "commit", "has taken in a file that was not in the tree");
      must((await git.head()) === commit, "head", "is not the commit that was just made");
      must((await git.remoteHead()) === pullRequest.head.sha, "commit", "has left the machine");
    }),
    "a checkout makes the worktree exactly that": on(async ({ pullRequest }, git) => {
      const { commit } = await commitOf(git, "changed\n", pullRequest.head.sha);
      await git.edit("src/stray.txt", "stray\n");
      await git.edit("src/b.txt", null);
      await git.checkout(pullRequest.head.sha);
      must((await git.tree()) === (await git.treeOf(pullRequest.head.sha)), "checkout", "leaves something behind, or something out");
      must((await git.head()) === pullRequest.head.sha, "head", "is not what was checked out");
      await git.checkout(commit);
      must((await git.read("src/a.txt")) === "changed\n", "checkout", "of our own commit does not bring its files");
    }),
    "a push lands, once": on(async ({ pullRequest, remoteHead }, git) => {
      const { commit, tree } = await commitOf(git, "pushed\n", pullRequest.head.sha);
      const push = pushOf(commit, tree, pullRequest.head.sha, pullRequest.head.branch);
      const first = await git.write(push, pullRequest);
      must(first.state === "done", "write", `of a push gives ${brief(first)}`);
      must((await remoteHead()) === commit, "write", "says done, and the branch is elsewhere");
      must((await git.remoteHead()) === commit, "remoteHead", "does not see our push");
      const second = await git.write(push, pullRequest);
      must(second.state === "done", "write", `of a push that has landed gives ${brief(second)}`);
    }),
    "a push is refused when the head has moved": on(async ({ pullRequest, publish, remoteHead }, git) => {
      const { commit, tree } = await commitOf(git, "ours\n", pullRequest.head.sha);
      const theirs = await publish({ "src/theirs.txt": "theirs\n" });
      const result = await git.write(pushOf(commit, tree, pullRequest.head.sha, pullRequest.head.branch), pullRequest);
      must(result.state === "refused" && result.code === "head-moved", "write", `over somebody else's push gives ${brief(result)}`);
      must((await remoteHead()) === theirs, "write", "has replaced somebody else's push");
    }),
    "a push goes on from what it replaces": on(async ({ pullRequest, remoteHead }, git) => {
      const { commit, tree } = await commitOf(git, "aside\n", pullRequest.base.sha);
      const aside = await git.write(pushOf(commit, tree, pullRequest.head.sha, pullRequest.head.branch), pullRequest);
      must(aside.state === "refused", "write", `of a commit beside the branch gives ${brief(aside)}`);
      const other = await git.treeOf(pullRequest.head.sha);
      const mislabelled = await git.write(pushOf(commit, other, pullRequest.head.sha, pullRequest.head.branch), pullRequest);
      must(mislabelled.state === "refused", "write", `of a commit with another tree than it says gives ${brief(mislabelled)}`);
      must((await remoteHead()) === pullRequest.head.sha, "write", "has moved the branch although it refused");
    }),
    "a sync brings the base in": on(async ({ pullRequest, publishBase, remoteHead }, git) => {
      const baseSha = await publishBase({ "src/base.txt": "base\n" });
      const synced = await git.sync("merge", baseSha);
      must((synced.conflicts ?? []).length === 0, "sync", `finds conflicts: ${brief(synced.conflicts)}`);
      must((await git.read("src/base.txt")) === "base\n", "sync", "does not bring the base's files");
      must(synced.head === (await git.head()) && synced.head !== pullRequest.head.sha, "sync", "says another head than the worktree has");
      must((await remoteHead()) === pullRequest.head.sha, "sync", "has left the machine");
    }),
    "a sync that conflicts leaves all as it was": on(async ({ pullRequest, publish, publishBase }, git) => {
      const head = await publish({ "src/a.txt": "theirs\n" });
      await git.open({ ...pullRequest, head: { ...pullRequest.head, sha: head } }, false);
      const baseSha = await publishBase({ "src/a.txt": "base's\n" });
      for (const policy of ["merge", "rebase"] as const) {
        const before = await git.tree();
        const synced = await git.sync(policy, baseSha);
        must(sameJson(synced.conflicts, ["src/a.txt"]), "sync", `by ${policy} names ${brief(synced.conflicts)} where src/a.txt conflicts`);
        must(
          (await git.tree()) === before && (await git.head()) === head,
          "sync",
          `by ${policy} has changed the worktree although it conflicts`,
        );
      }
    }),
    "is of no use when it is closed": on(async (_stand, git) => {
      await git.close();
      await mustThrow("GIT_FAILED", "tree", () => git.tree());
      await mustThrow("GIT_FAILED", "edit", () => git.edit("src/a.txt", "late\n"));
    }),
  });
};
