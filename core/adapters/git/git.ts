/** The `Git` port: one detached worktree of the pull request's head, and one outward act, the push. */
import { copyFile, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ReviewloopError } from "../../errors.js";
import type { PullRequest, Sha, Synced, Tree, WriteOf, WriteResult } from "../../model.js";
import type { Clock, Git, Shell } from "../../ports.js";
import { redactor, type Redact } from "../../redact.js";
import type { Environment } from "../shell/environment.js";
import { pullRequestFolder, repositoryFolder } from "../store/folder.js";
import { createGit, gitFailed, guarded, objectId, type Place } from "./command.js";
import { identityIn, messageOf, writeCommit, type Identity } from "./commit.js";
import { editFile, readText } from "./files.js";
import { missing, objectsOf, type Objects } from "./objects.js";
import { readPush } from "./push.js";
import { remoteOf, signIn, troubleError, type Remote } from "./remote.js";
import { prepare } from "./setup.js";
import { checkoutTree, snapshotTree, type SnapshotOptions } from "./snapshot.js";
import { mergeBase, rebaseOnto, type SyncContext } from "./sync.js";
import { addWorktree, knownWorktree, locateClone, privateClone, restoreLink, usableClone, type Worktree } from "./worktree.js";

export interface GitWorktreeOptions {
  /** See `defaultStateFolder`. */
  readonly stateFolder: string;
  /** A clone of the user's that has a matching remote. Its checkout, index, branches and config are never touched. */
  readonly checkout?: string;
  /** Address of the base repository. */
  readonly remoteUrl: string;
  /** Signs in at the origin of `remoteUrl` and nowhere else. Without it git's own helpers do. */
  readonly token?: string;
  readonly clock: Clock;
  /** Runs `worktree.setup`. */
  readonly shell: Shell;
  readonly environment?: Environment;
  readonly redact?: Redact;
  /** Ends every call of git. */
  readonly signal?: AbortSignal;
  /** Milliseconds for `worktree.setup`; default 20 minutes. */
  readonly setupTimeout?: number;
}

/** What `open` has made; everything else needs it. */
interface Opened {
  readonly worktree: Worktree;
  readonly pullRequest: PullRequest;
  readonly folder: string;
  readonly objects: Objects;
  readonly remote: Remote;
  /** Objects and refs only. */
  readonly bare: Place;
  readonly snapshot: SnapshotOptions;
}

/** After a push whose answer was lost, the server may still be at work on it. */
const LOOK_AGAIN: readonly number[] = [1000, 3000, 6000];
const PUSH_TIMEOUT = 600_000;

/** Throws `GIT_FAILED`, `WORKTREE_SETUP`, `GITHUB_SIGN_IN`, `GITHUB_DENIED`, `GITHUB_UNAVAILABLE`, `COMMAND_NOT_STARTED`, `ABORTED`. */
export const gitWorktree = (options: GitWorktreeOptions): Git => {
  const { stateFolder, checkout, remoteUrl, clock, shell, environment = process.env, setupTimeout = 1_200_000 } = options;
  const redact = options.redact ?? redactor(options.token === undefined ? [] : [options.token]);
  if (options.token !== undefined && /[\r\n\0]/.test(options.token)) throw gitFailed("credential", "the token holds a line end");
  const token = options.token === undefined ? undefined : { value: options.token, remoteUrl };
  const run = createGit(environment, redact);

  let opened: Opened | undefined;
  let head: Sha | undefined;
  /** What was put into the worktree last. */
  let base: Tree | undefined;
  let identity: Identity | undefined;

  const need = (): Opened => {
    if (opened === undefined) throw gitFailed("worktree", "it is not open");
    return opened;
  };
  const headUrl = (pullRequest: PullRequest): string | undefined => (pullRequest.fork ? pullRequest.head.repository?.cloneUrl : remoteUrl);

  const identify = async (bare: Place): Promise<Identity> => {
    // In the user's clone, because it may have a name of its own for this project.
    if (identity !== undefined) return identity;
    const clone = checkout === undefined ? undefined : await locateClone(run, checkout, options.signal);
    identity = await identityIn(run, clone === undefined ? bare : { gitDir: clone }, options.signal);
    return identity;
  };

  /** Gets the commits that are not here yet, by the narrowest request that the server grants. */
  const ensure = async (objects: Objects, remote: Remote, pullRequest: PullRequest): Promise<void> => {
    const { head: wanted, base: onto, ref } = pullRequest;
    const fork = headUrl(pullRequest);
    const from = async (sha: Sha, tries: readonly (readonly [url: string, ref: string])[]): Promise<void> => {
      if (await objects.has(sha)) return;
      for (const [url, name] of tries) {
        if (!(await remote.fetch(url, [name]))) continue;
        if (await objects.has(sha)) return;
      }
      throw missing(sha, `${tries.map(([, name]) => name).join(", ")} don't lead to it`);
    };
    await from(wanted.sha, [
      [remoteUrl, `refs/pull/${ref.number}/head`],
      [remoteUrl, objectId(wanted.sha)],
      ...(fork === undefined ? [] : [[fork, `refs/heads/${wanted.branch}`] as const]),
    ]);
    await from(onto.sha, [
      [remoteUrl, objectId(onto.sha)],
      [remoteUrl, `refs/heads/${onto.branch}`],
    ]);
  };

  /** The worktree's ordinary index, for the git of an agent, a gate or a person: the state of HEAD. */
  const refreshIndex = async ({ worktree, snapshot, bare }: Opened): Promise<void> => {
    const safe = await guarded(run, snapshot.place, options.signal);
    const index = join(worktree.gitDir, "index");
    await copyFile(snapshot.place.index, index);
    await safe({ ...bare, index, workTree: worktree.root }, { args: ["read-tree", "-m", objectId(head ?? "")], signal: options.signal });
  };

  const moveHead = async ({ bare }: Opened, to: Sha): Promise<void> => {
    // `--no-deref`: should something have put HEAD onto a branch, that branch stays where it is.
    await run(bare, { args: ["update-ref", "--no-deref", "-m", "reviewloop", "HEAD", objectId(to)], signal: options.signal });
    head = to;
  };

  const checkOut = async (state: Opened, revision: Sha | Tree): Promise<void> => {
    const { snapshot, objects, worktree } = state;
    const tree = await objects.treeOf(revision);
    await checkoutTree(snapshot, base, tree);
    base = tree;
    if (revision !== tree) await moveHead(state, revision);
    await restoreLink(worktree);
    await refreshIndex(state);
  };

  const keepRefs = async ({ bare, pullRequest, worktree, folder }: Opened): Promise<void> => {
    // In the private clone other pull requests profit from them: git tells the server what is here already.
    const shared = worktree.gitDir.startsWith(join(folder, ".."));
    const prefix = shared ? `refs/reviewloop/${pullRequest.ref.number}` : "refs/worktree/reviewloop";
    const lines = [`update ${prefix}/head ${pullRequest.head.sha}`, `update ${prefix}/base ${pullRequest.base.sha}`];
    await run(bare, { args: ["update-ref", "--stdin"], input: `${lines.join("\n")}\n`, signal: options.signal });
  };

  const pushTo = async (state: Opened, url: string, push: WriteOf<"push">, signal: AbortSignal | undefined): Promise<WriteResult> => {
    const { remote, bare } = state;
    const refuse = (code: Extract<WriteResult, { state: "refused" }>["code"], detail: string): WriteResult => ({
      state: "refused",
      code,
      detail: redact(detail),
    });
    const moved = (now: Sha | undefined): WriteResult =>
      refuse(
        "head-moved",
        now === undefined ? `the branch ${push.branch} is gone` : `the branch ${push.branch} is at ${now}, not at ${push.expected}`,
      );
    const ref = `refs/heads/${push.branch}`;
    const output = await run(bare, {
      args: [
        "push",
        "--porcelain",
        "--no-verify",
        "--no-follow-tags",
        `--force-with-lease=${ref}:${push.expected}`,
        "--",
        url,
        `${push.to}:${ref}`,
      ],
      ...signIn(url, token),
      answers: "any",
      timeout: PUSH_TIMEOUT,
      signal,
    });
    const reading = readPush(output.code, output.stdout.toString("utf8"), output.stderr);
    if (reading.kind === "sign-in") throw troubleError("push", url, output.stderr);
    if (reading.kind === "refused" && reading.code !== "head-moved") return refuse(reading.code, reading.words);
    // Whatever git said, the remote head is the proof.
    let now = await remote.tip(url, push.branch);
    for (const wait of LOOK_AGAIN) {
      if (now !== push.expected || reading.kind === "refused") break;
      await clock.sleep(wait, signal);
      now = await remote.tip(url, push.branch);
    }
    if (now === push.to) return { state: "done", id: push.to };
    if (reading.kind === "refused") return now === push.expected ? refuse("forbidden", reading.words) : moved(now);
    if (now !== push.expected) return moved(now);
    if (reading.kind === "accepted") throw gitFailed("push", `the push of ${push.to} was accepted, but ${push.branch} is still at ${now}`);
    throw troubleOrUnknown(url, output.stderr, reading.words);
  };

  const git: Git = {
    get root() {
      return need().worktree.root;
    },
    async open(pullRequest, setup, signal = options.signal) {
      await mkdir(stateFolder, { recursive: true, mode: 0o700 });
      const state = await realpath(stateFolder);
      const folder = pullRequestFolder(state, pullRequest.ref);
      await mkdir(folder, { recursive: true, mode: 0o700 });

      const known = await knownWorktree(folder);
      const clone = known !== undefined || checkout === undefined ? undefined : await usableClone(run, checkout, signal);
      const common =
        known === undefined
          ? (clone ?? (await privateClone(run, join(repositoryFolder(state, pullRequest.ref), "repository.git"), signal)))
          : known.gitDir;
      const fetching: Place = { gitDir: common, index: join(folder, "none.index") };
      const objects = objectsOf(run, fetching, folder, signal);
      const remote = remoteOf({ run, place: fetching, clock, token, signal });
      await ensure(objects, remote, pullRequest);

      const worktree = known ?? (await addWorktree(run, common, folder, pullRequest.head.sha, signal));
      const bare: Place = { gitDir: worktree.gitDir, index: join(folder, "none.index") };
      const place = { gitDir: worktree.gitDir, workTree: worktree.root, index: join(folder, "index") };
      const now: Opened = {
        worktree,
        pullRequest,
        folder,
        bare,
        objects: objectsOf(run, bare, folder, options.signal),
        remote: remoteOf({ run, place: bare, clock, token, signal: options.signal }),
        snapshot: { run, place, signal: options.signal },
      };
      if (opened?.worktree.root !== worktree.root) base = undefined;
      await checkOut(now, pullRequest.head.sha);
      opened = now;
      await keepRefs(now);
      // An install may leave tracked files changed; the head is what counts.
      if (await prepare({ shell, root: worktree.root, folder, setup, timeout: setupTimeout, signal }))
        await checkOut(now, pullRequest.head.sha);
    },
    async head() {
      need();
      return objectId(head ?? "");
    },
    async tree() {
      const { snapshot, worktree } = need();
      await restoreLink(worktree);
      return snapshotTree(snapshot, base ?? (await git.treeOf(objectId(head ?? ""))));
    },
    treeOf: async (revision) => need().objects.treeOf(revision),
    read: async (path) => readText(need().worktree.root, path),
    show: async (revision, path) => need().objects.show(revision, path),
    changes: async (from, to) => need().objects.changes(from, to),
    patch: async (from, to) => need().objects.patch(from, to),
    apply: async (onto, patch) => need().objects.apply(onto, patch),
    async remoteHead() {
      const { remote, pullRequest } = need();
      const url = headUrl(pullRequest);
      const found = url === undefined ? undefined : await remote.tip(url, pullRequest.head.branch);
      if (found === undefined) throw gitFailed("ls-remote", `the branch ${pullRequest.head.branch} is not on the remote`);
      return found;
    },
    edit: async (path, content) => editFile(need().worktree.root, path, content),
    async checkout(revision) {
      await checkOut(need(), objectId(revision));
    },
    async commit(tree, parent, plan) {
      const state = need();
      const person = await identify(state.bare);
      const message = messageOf(plan);
      const made = await writeCommit(
        run,
        state.bare,
        { tree, parents: [parent], message, identity: person, now: clock.now() },
        options.signal,
      );
      await moveHead(state, made);
      await refreshIndex(state);
      return made;
    },
    async sync(policy, onto): Promise<Synced> {
      const state = need();
      const { objects, remote, pullRequest, snapshot, bare } = state;
      const from = objectId(head ?? "");
      if (!(await objects.has(onto)) && !(await remote.fetch(remoteUrl, [objectId(onto)])))
        await remote.fetch(remoteUrl, [`refs/heads/${pullRequest.base.branch}`]);
      if (!(await objects.has(onto))) throw missing(onto, `the base branch ${pullRequest.base.branch} doesn't lead to it`);
      const context: SyncContext = {
        run: await guarded(run, snapshot.place, options.signal),
        place: { ...snapshot.place, index: join(state.folder, "none.index") },
        identity: await identify(bare),
        now: clock.now(),
        signal: options.signal,
      };
      const message = `Merge branch '${pullRequest.base.branch}' into ${pullRequest.head.branch}\n`;
      const outcome = policy === "merge" ? await mergeBase(context, from, onto, message) : await rebaseOnto(context, from, onto);
      if ("conflicts" in outcome) return { policy, base: onto, head: from, conflicts: outcome.conflicts };
      if (outcome.head !== from) await checkOut(state, outcome.head);
      return { policy, base: onto, head: outcome.head };
    },
    async write(push, on, signal = options.signal) {
      const state = need();
      const { objects, remote } = state;
      const url = headUrl(on);
      const refuse = (code: Extract<WriteResult, { state: "refused" }>["code"], detail: string): WriteResult => ({
        state: "refused",
        code,
        detail,
      });
      if (url === undefined) return refuse("not-found", "the repository of the head is gone");
      if (!/^[^\s:?*[\\^~\p{Cc}]+$/u.test(push.branch) || push.branch.includes(".."))
        return refuse("invalid", `${JSON.stringify(push.branch)} is no branch`);
      if (!(await objects.has(push.to))) return refuse("invalid", `commit ${push.to} is not here`);
      if ((await objects.treeOf(push.to)) !== push.tree) return refuse("invalid", `commit ${push.to} doesn't hold the tree ${push.tree}`);
      const now = await remote.tip(url, push.branch);
      if (now === push.to) return { state: "done", id: push.to, found: true };
      if (now !== push.expected)
        return refuse(
          "head-moved",
          now === undefined ? `the branch ${push.branch} is gone` : `the branch ${push.branch} is at ${now}, not at ${push.expected}`,
        );
      // The lease alone would let any history through; without `force` only a descendant may take the place.
      if (!push.force && !((await objects.has(push.expected)) && (await objects.isAncestor(push.expected, push.to))))
        return refuse("invalid", `commit ${push.to} doesn't follow ${push.expected}, and no force push was asked for`);
      return pushTo(state, url, push, signal);
    },
    async close() {
      opened = undefined;
    },
  };
  return git;
};

const troubleOrUnknown = (url: string, stderr: string, words: string): ReviewloopError => {
  const known = troubleError("push", url, stderr);
  return known.code === "GIT_FAILED" ? new ReviewloopError("GITHUB_UNAVAILABLE", { what: "git push", problem: words }) : known;
};
