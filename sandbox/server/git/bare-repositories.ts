/**
 * The world's store of commits on bare git repositories, as `git http-backend` serves them.
 *
 * A fork shares the object folder of its parent, so each sees the other's commits. Commits never change, so what git says about
 * them is asked once; tips are kept in memory, and re-read after each push (`refresh`).
 */
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instant, Sha, Tree } from "../../../core/index.js";
import type { ChangedFile, Commit, Repositories, RepositoryName } from "../../world/repositories.js";
import { git, gitOrNone, GitError } from "./run-git.js";

const NOBODY: Commit["author"] = { name: "Sandbox", email: "sandbox@example.invalid" };

/** A tip that a push moved. */
export interface MovedBranch {
  readonly branch: string;
  readonly before: Sha | undefined;
  readonly after: Sha | undefined;
}

/** One file of a diff, with its hunks as GitHub's `patch` has them. */
export interface FileDiff extends ChangedFile {
  readonly blob: string;
  readonly additions: number;
  readonly deletions: number;
  /** Undefined for a binary file. */
  readonly patch: string | undefined;
}

export interface BareRepositories extends Repositories {
  readonly folder: string;
  /** Folder of a repository, or undefined; names are compared without case, as GitHub does. */
  folderOf(name: string): { readonly name: RepositoryName; readonly folder: string } | undefined;
  /** Reads the tips again and says which moved since they were last known. */
  refresh(name: RepositoryName): readonly MovedBranch[];
  /** Sets a ref that only git clients see, such as `refs/pull/7/head`. */
  publish(name: RepositoryName, ref: string, sha: Sha): void;
  diff(name: RepositoryName, from: Sha, to: Sha): readonly FileDiff[];
  diffText(name: RepositoryName, from: Sha, to: Sha): string;
  /** Blob id of a file. */
  blobOf(name: RepositoryName, sha: Sha, path: string): string;
  patchText(name: RepositoryName, from: Sha, to: Sha): string;
}

// A push to a pull request's own refs is never taken, and a refused branch comes back as GitHub's "pre-receive hook declined".
const PRE_RECEIVE = `#!/bin/sh
if [ -n "$SANDBOX_DECLINE" ]; then echo "$SANDBOX_DECLINE" >&2; exit 1; fi
`;

const CONFIG = `[http]
	receivepack = true
[gc]
	auto = 0
[receive]
	autogc = false
	hideRefs = refs/pull
[transfer]
	hideRefs = refs/sandbox
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`;

const STATUS: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  M: "modified",
  D: "removed",
  R: "renamed",
  T: "modified",
  C: "added",
};

const quotedPath = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;

const seconds = (at: Instant): number => Math.floor(at / 1000);

/** `a/x b/x` of each part of a diff, cut into files in git's order. */
const splitDiff = (text: string): readonly string[] => (text === "" ? [] : text.split(/^(?=diff --git )/mu));

const hunksOf = (part: string): string | undefined => {
  const at = part.search(/^@@ /mu);
  if (at >= 0) return part.slice(at).replace(/\n$/u, "");
  return undefined;
};

export const bareRepositories = (folder: string): BareRepositories => {
  mkdirSync(folder, { recursive: true });
  const known = new Map<string, { readonly name: RepositoryName; readonly folder: string; readonly objects: string }>();
  const tips = new Map<RepositoryName, Map<string, Sha>>();
  const facts = new Map<string, unknown>();

  const of = (name: string): { readonly name: RepositoryName; readonly folder: string; readonly objects: string } => {
    const found = known.get(name.toLowerCase());
    if (found === undefined) throw new Error(`No repository ${name}`);
    return found;
  };
  /** What git says about commits is asked once a network: it cannot change. */
  const once = <T>(name: RepositoryName, question: string, ask: (folder: string) => T): T => {
    const { folder: where, objects } = of(name);
    const key = `${objects}\0${question}`;
    if (!facts.has(key)) facts.set(key, ask(where));
    return facts.get(key) as T;
  };
  const tipsOf = (name: RepositoryName): Map<string, Sha> => {
    const found = tips.get(of(name).name);
    if (found === undefined) throw new Error(`No repository ${name}`);
    return found;
  };
  const readTips = (where: string): Map<string, Sha> => {
    const lines = git(where, ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]).split("\n");
    return new Map(lines.filter((line) => line !== "").map((line) => [line.slice(41), line.slice(0, 40)]));
  };
  const importCommit = (
    name: RepositoryName,
    parents: readonly Sha[],
    tree: string,
    message: string,
    at: Instant,
    author: Commit["author"],
  ): Sha => {
    const who = `${author.name} <${author.email}> ${seconds(at)} +0000`;
    const text = message.endsWith("\n") ? message : `${message}\n`;
    // Without `from` a commit has no parent, whatever the scratch ref points at.
    const [first, ...others] = parents;
    const stream = [
      "feature done\ncommit refs/sandbox/scratch\nmark :1\n",
      `author ${who}\ncommitter ${who}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      first === undefined ? "" : `from ${first}\n`,
      ...others.map((parent) => `merge ${parent}\n`),
      tree,
      "\nget-mark :1\ndone\n",
    ].join("");
    return git(of(name).folder, ["fast-import", "--quiet", "--force"], { input: stream }).trim();
  };

  const repositories: BareRepositories = {
    folder,
    create(name, { forkOf, defaultBranch = "main" } = {}) {
      if (known.has(name.toLowerCase())) throw new Error(`There is a repository ${name} already.`);
      const where = join(folder, `${name}.git`);
      mkdirSync(where, { recursive: true });
      const parent = forkOf === undefined ? undefined : of(forkOf);
      git(where, ["init", "--quiet", "--bare", "--template=", "-b", defaultBranch, where]);
      appendFileSync(join(where, "config"), CONFIG);
      mkdirSync(join(where, "hooks"), { recursive: true });
      writeFileSync(join(where, "hooks", "pre-receive"), PRE_RECEIVE, { mode: 0o755 });
      const objects = parent?.objects ?? join(where, "objects");
      if (parent !== undefined) {
        rmSync(join(where, "objects"), { recursive: true });
        symlinkSync(parent.objects, join(where, "objects"));
      }
      known.set(name.toLowerCase(), { name, folder: where, objects });
      tips.set(name, new Map());
      if (parent === undefined) return;
      for (const [branch, sha] of tipsOf(parent.name)) repositories.move(name, branch, undefined, sha);
    },
    folderOf: (name) => known.get(name.toLowerCase()),
    refresh(name) {
      const { name: exact, folder: where } = of(name);
      const before = tipsOf(exact);
      const after = readTips(where);
      tips.set(exact, after);
      return [...new Set([...before.keys(), ...after.keys()])]
        .map((branch) => ({ branch, before: before.get(branch), after: after.get(branch) }))
        .filter((one) => one.before !== one.after);
    },
    publish(name, ref, sha) {
      git(of(name).folder, ["update-ref", ref, sha]);
    },
    head: (name, branch) => tipsOf(name).get(branch),
    branches: (name) => [...tipsOf(name).keys()].sort(),
    commit(name, sha) {
      if (!/^[0-9a-f]{40}$/u.test(sha)) return undefined;
      const key = `${of(name).objects}\0commit ${sha}`;
      const cached = facts.get(key);
      if (cached !== undefined) return cached as Commit;
      const text = gitOrNone(of(name).folder, ["show", "-s", "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%ct%x00%B", sha], [128]);
      if (text === undefined) return undefined;
      const [id = "", tree = "", parents = "", author = "", email = "", at = "0", ...message] = text.split("\0");
      const commit: Commit = {
        sha: id,
        tree,
        parents: parents === "" ? [] : parents.split(" "),
        message: message.join("\0").replace(/\n+$/u, ""),
        author: { name: author, email },
        committedAt: Number(at) * 1000,
      };
      facts.set(key, commit);
      return commit;
    },
    treeOf(name, sha): Tree {
      return once(name, `tree ${sha}`, (where) => git(where, ["rev-parse", "--verify", `${sha}^{tree}`]).trim());
    },
    fileAt: (name, sha, path) =>
      once(name, `file ${sha} ${path}`, (where) => gitOrNone(where, ["cat-file", "blob", `${sha}:${path}`], [128])),
    changedFiles: (name, from, to) =>
      once(name, `changed ${from} ${to}`, (where) => {
        const parts = git(where, ["diff-tree", "-r", "-M", "-z", "--name-status", from, to]).split("\0");
        const files: ChangedFile[] = [];
        for (let at = 0; at + 1 < parts.length;) {
          const letter = (parts[at] ?? "").slice(0, 1);
          const status = STATUS[letter] ?? "modified";
          const path = parts[at + 1] ?? "";
          const second = letter === "R" || letter === "C" ? parts[at + 2] : undefined;
          files.push(second === undefined ? { path, status } : { path: second, was: path, status });
          at += second === undefined ? 2 : 3;
        }
        return files.sort((a, b) => (a.path < b.path ? -1 : 1));
      }),
    mergeBase: (name, a, b) => once(name, `base ${a} ${b}`, (where) => gitOrNone(where, ["merge-base", a, b], [1])?.trim()),
    commitsBetween: (name, from, to) =>
      once(name, `between ${from} ${to}`, (where) =>
        git(where, ["rev-list", "--reverse", "--topo-order", `${from}..${to}`])
          .split("\n")
          .filter((line) => line !== ""),
      ),
    conflicts: (name, base, head) =>
      once(name, `conflicts ${base} ${head}`, (where) => {
        try {
          git(where, ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories", base, head]);
          return [];
        } catch (error) {
          if (!(error instanceof GitError) || error.code !== 1) throw error;
          return error.stdout
            .split("\0")
            .slice(1)
            .filter((path) => path !== "");
        }
      }),
    write(name, parent, changes, message, at, author = NOBODY) {
      const paths = Object.keys(changes);
      const modes = new Map<string, string>();
      if (parent !== undefined && paths.length > 0) {
        for (const line of git(of(name).folder, ["ls-tree", "-z", parent, "--", ...paths]).split("\0")) {
          const [mode = "", , , ...rest] = line.split(/[ \t]/u);
          if (rest.length > 0) modes.set(rest.join(" "), mode);
        }
      }
      const lines = Object.entries(changes).map(([path, text]) =>
        text === null
          ? `D ${quotedPath(path)}\n`
          : `M ${modes.get(path) ?? "100644"} inline ${quotedPath(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      );
      return importCommit(name, parent === undefined ? [] : [parent], lines.join(""), message, at, author);
    },
    merge(name, base, head, message, at) {
      const tree = git(of(name).folder, ["merge-tree", "--write-tree", "--no-messages", base, head]).trim();
      return importCommit(name, [base, head], `M 040000 ${tree} ""\n`, message, at, NOBODY);
    },
    move(name, branch, expected, to) {
      const tip = tipsOf(name);
      if (tip.get(branch) !== expected) return false;
      const ref = `refs/heads/${branch}`;
      const none = "0".repeat(40);
      // Git compares as well: a push may have moved the branch a moment ago.
      const args = to === undefined ? ["update-ref", "-d", ref, expected ?? none] : ["update-ref", ref, to, expected ?? none];
      if (gitOrNone(of(name).folder, args, [1, 128]) === undefined) return false;
      if (to === undefined) tip.delete(branch);
      else tip.set(branch, to);
      return true;
    },
    diff: (name, from, to) =>
      once(name, `diff ${from} ${to}`, (where) => {
        const files = repositories.changedFiles(name, from, to);
        if (files.length === 0) return [];
        const raw = git(where, ["diff-tree", "-r", "-M", "-z", "--raw", "--no-abbrev", from, to]).split("\0");
        const blobs = new Map<string, string>();
        for (let at = 0; at + 1 < raw.length;) {
          const [, , , blob = "", status = ""] = (raw[at] ?? "").split(" ");
          const renamed = status.startsWith("R") || status.startsWith("C");
          blobs.set(raw[at + (renamed ? 2 : 1)] ?? "", blob);
          at += renamed ? 3 : 2;
        }
        const counts = new Map<string, readonly [number, number]>();
        const numbers = git(where, ["diff-tree", "-r", "-M", "-z", "--numstat", from, to]).split("\0");
        for (let at = 0; at + 1 < numbers.length;) {
          const [added = "0", removed = "0", path = ""] = (numbers[at] ?? "").split("\t");
          const name = path === "" ? (numbers[at + 2] ?? "") : path;
          counts.set(name, [Number(added) || 0, Number(removed) || 0]);
          at += path === "" ? 3 : 1;
        }
        return files.map((file): FileDiff => {
          const paths = file.was === undefined ? [file.path] : [file.was, file.path];
          const [part = ""] = splitDiff(git(where, ["diff-tree", "-r", "-M", "-p", from, to, "--", ...paths]));
          const [additions = 0, deletions = 0] = counts.get(file.path) ?? [];
          return { ...file, blob: blobs.get(file.path) ?? "", additions, deletions, patch: hunksOf(part) };
        });
      }),
    diffText: (name, from, to) => once(name, `text ${from} ${to}`, (where) => git(where, ["diff-tree", "-r", "-M", "-p", from, to])),
    blobOf: (name, sha, path) =>
      once(name, `blob ${sha} ${path}`, (where) => git(where, ["rev-parse", "--verify", `${sha}:${path}`]).trim()),
    patchText: (name, from, to) => once(name, `mail ${from} ${to}`, (where) => git(where, ["format-patch", "--stdout", `${from}..${to}`])),
  };
  // A folder that is used again keeps nothing: the world starts empty too.
  if (existsSync(join(folder, "HEAD"))) throw new Error(`${folder} is a git repository`);
  return repositories;
};
