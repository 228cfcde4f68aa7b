/** A three-way merge of whole trees, file by file: enough to say what conflicts. */
import type { FileEntry, Files } from "./git-objects.js";

const same = (a: FileEntry | undefined, b: FileEntry | undefined): boolean => a?.text === b?.text && a?.mode === b?.mode;

export interface Merged {
  readonly files: Files;
  /** Paths that both sides changed, in different ways. */
  readonly conflicts: readonly string[];
}

export const mergeFiles = (base: Files, ours: Files, theirs: Files): Merged => {
  const files = new Map<string, FileEntry>();
  const conflicts: string[] = [];
  for (const path of [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].toSorted()) {
    const was = base.get(path);
    const left = ours.get(path);
    const right = theirs.get(path);
    const kept = same(left, right) || same(was, right) ? left : right;
    if (!same(left, right) && !same(was, right) && !same(was, left)) conflicts.push(path);
    if (kept !== undefined) files.set(path, kept);
  }
  return { files, conflicts };
};
