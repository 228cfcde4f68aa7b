/** Reading what git has stored. No call here looks at the worktree, so nothing in it (its attributes, say) changes an answer. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sha, Tree } from "../../model.js";
import type { FileChange } from "../../ports.js";
import { fieldsOf, gitFailed, lineOf, objectId, type Place, type RunGit } from "./command.js";
import { textOf } from "./files.js";

const STATUS: Readonly<Record<string, FileChange["status"]>> = {
  A: "added",
  C: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type-changed",
};

/** Pure: the output of `git diff-tree -r -z --raw --numstat`. First all raw records, then all counts. */
export const parseChanges = (output: Buffer): readonly FileChange[] => {
  const fields = fieldsOf(output).map((field) => field.toString("utf8"));
  const changes: FileChange[] = [];
  const binary = new Set<string>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at] ?? "";
    if (field.startsWith(":")) {
      const [modeBefore = "", mode = "", , , letters = ""] = field.slice(1).split(" ");
      const letter = letters.charAt(0);
      const two = letter === "R" || letter === "C";
      const first = fields[at + 1] ?? "";
      const path = two ? (fields[at + 2] ?? "") : first;
      const status = STATUS[letter] ?? "modified";
      changes.push({ path, ...(letter === "R" ? { was: first } : {}), status, mode, modeBefore, binary: false });
      at += two ? 3 : 2;
      continue;
    }
    // "added TAB deleted TAB path", or for a rename an empty path and two more fields; "-" counts mean binary.
    const [added = "", , ...rest] = field.split("\t");
    const path = rest.join("\t");
    const renamed = path === "";
    if (added === "-") binary.add(renamed ? (fields[at + 2] ?? "") : path);
    at += renamed ? 3 : 1;
  }
  return changes.map((change) => (binary.has(change.path) ? { ...change, binary: true } : change));
};

const DIFF = ["-r", "--full-index", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--no-color", "--no-relative"];

export interface Objects {
  has(revision: Sha): Promise<boolean>;
  treeOf(revision: Sha | Tree): Promise<Tree>;
  show(revision: Sha | Tree, path: string): Promise<string | undefined>;
  changes(from: Sha | Tree, to: Sha | Tree): Promise<readonly FileChange[]>;
  patch(from: Sha | Tree, to: Sha | Tree): Promise<string>;
  /** The tree that comes of applying a patch to one; throws where it doesn't apply cleanly. */
  apply(onto: Sha | Tree, patch: string): Promise<Tree>;
  isAncestor(older: Sha, newer: Sha): Promise<boolean>;
}

/** `folder`: ours alone, for the one file and the scratch index that this needs. */
export const objectsOf = (run: RunGit, place: Place, folder: string, signal: AbortSignal | undefined): Objects => {
  const isThere = async (name: string): Promise<boolean> =>
    (await run(place, { args: ["cat-file", "-e", name], answers: [0, 1, 128], signal })).code === 0;
  const treeOf = async (revision: Sha | Tree): Promise<Tree> =>
    objectId(
      lineOf(await run(place, { args: ["rev-parse", "--verify", "--quiet", "--end-of-options", `${objectId(revision)}^{tree}`], signal })),
    );
  return {
    has: (revision) => isThere(`${objectId(revision)}^{commit}`),
    treeOf,
    async show(revision, path) {
      const listed = await run(place, { args: ["ls-tree", "-z", "--full-tree", objectId(revision), "--", path], signal });
      const found = /^100\d{3} blob ([0-9a-f]+)\t/.exec(listed.stdout.toString("utf8"));
      // One entry and that very path: `dir/` would list what is in it.
      if (found?.[1] === undefined || listed.stdout.toString("utf8") !== `${found[0]}${path}\0`) return undefined;
      return textOf((await run(place, { args: ["cat-file", "blob", found[1]], signal })).stdout);
    },
    async changes(from, to) {
      const args = ["diff-tree", "-z", "--raw", "--numstat", "--find-renames", ...DIFF, objectId(from), objectId(to)];
      return parseChanges((await run(place, { args, signal })).stdout);
    },
    async patch(from, to) {
      const args = [
        "diff-tree",
        "-p",
        "--binary",
        "--no-renames",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        ...DIFF,
        objectId(from),
        objectId(to),
      ];
      const text = textOf((await run(place, { args, signal })).stdout);
      if (text !== undefined) return text;
      // Some file is text in another encoding; as a JSON string it would be torn. Everything binary is plain ASCII.
      const attributes = join(folder, "binary.attributes");
      await writeFile(attributes, "* -diff\n");
      return (await run(place, { args, config: [["core.attributesFile", attributes]], signal })).stdout.toString("latin1");
    },
    async apply(onto, patch) {
      const scratch = { ...place, index: join(folder, "scratch.index") };
      await run(scratch, { args: ["read-tree", objectId(onto)], signal });
      if (patch !== "") await run(scratch, { args: ["apply", "--cached", "--whitespace=nowarn", "-"], input: patch, signal });
      return objectId(lineOf(await run(scratch, { args: ["write-tree"], signal })));
    },
    async isAncestor(older, newer) {
      const { code } = await run(place, {
        args: ["merge-base", "--is-ancestor", objectId(older), objectId(newer)],
        answers: [0, 1],
        signal,
      });
      return code === 0;
    },
  };
};

export const missing = (revision: Sha, why: string): Error => gitFailed("fetch", `commit ${revision} can't be had: ${why}`);
