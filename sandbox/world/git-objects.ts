/** Git's own object names, computed: equal content has the same id here as in a real repository. */
import { createHash } from "node:crypto";
import type { Sha, Tree } from "../../core/index.js";

export interface FileEntry {
  readonly text: string;
  readonly mode: "100644" | "100755" | "120000";
}
/** A whole tree, flat: path -> file. */
export type Files = ReadonlyMap<string, FileEntry>;

const object = (kind: "blob" | "tree" | "commit", content: Buffer): string =>
  createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex");

export const blobId = (text: string): string => object("blob", Buffer.from(text, "utf8"));

/** Tree id of flat files; git orders folders as if their names ended in a slash. */
export const treeId = (files: Files): Tree => {
  const here: { readonly name: string; readonly mode: string; readonly id: string; readonly sort: string }[] = [];
  const folders = new Map<string, Map<string, FileEntry>>();
  for (const [path, file] of files) {
    const slash = path.indexOf("/");
    if (slash === -1) here.push({ name: path, mode: file.mode, id: blobId(file.text), sort: path });
    else {
      const name = path.slice(0, slash);
      const folder = folders.get(name) ?? new Map<string, FileEntry>();
      folder.set(path.slice(slash + 1), file);
      folders.set(name, folder);
    }
  }
  for (const [name, folder] of folders) here.push({ name, mode: "40000", id: treeId(folder), sort: `${name}/` });
  here.sort((a, b) => Buffer.compare(Buffer.from(a.sort), Buffer.from(b.sort)));
  return object("tree", Buffer.concat(here.flatMap((each) => [Buffer.from(`${each.mode} ${each.name}\0`), Buffer.from(each.id, "hex")])));
};

export interface CommitText {
  readonly tree: Tree;
  readonly parents: readonly Sha[];
  readonly author: { readonly name: string; readonly email: string };
  /** Milliseconds; git keeps seconds. */
  readonly at: number;
  readonly message: string;
}

export const commitId = (commit: CommitText): Sha => {
  const who = `${commit.author.name} <${commit.author.email}> ${Math.floor(commit.at / 1000)} +0000`;
  const head = [`tree ${commit.tree}`, ...commit.parents.map((parent) => `parent ${parent}`), `author ${who}`, `committer ${who}`];
  const message = commit.message.endsWith("\n") ? commit.message : `${commit.message}\n`;
  return object("commit", Buffer.from(`${head.join("\n")}\n\n${message}`, "utf8"));
};
