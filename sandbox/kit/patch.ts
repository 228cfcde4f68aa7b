/** A patch that `git apply` takes, between two trees in memory. */
import type { FileChange } from "../../core/index.js";
import { hunksOfLines } from "../world/diff.js";
import { blobId, type FileEntry, type Files } from "../world/git-objects.js";
import { changedBetween } from "../world/memory-repositories.js";

const GONE = "000000";
const NOTHING = "0".repeat(40);
const isBinary = (text: string | undefined): boolean => text?.includes("\0") ?? false;

export const fileChanges = (before: Files, after: Files): readonly FileChange[] =>
  changedBetween(before, after).map((change) => {
    const old = before.get(change.was ?? change.path);
    const now = after.get(change.path);
    const retyped = old !== undefined && now !== undefined && (old.mode === "120000") !== (now.mode === "120000");
    return {
      path: change.path,
      ...(change.was === undefined ? {} : { was: change.was }),
      status: change.status === "removed" ? "deleted" : retyped ? "type-changed" : change.status,
      mode: now?.mode ?? GONE,
      modeBefore: old?.mode ?? GONE,
      binary: isBinary(old?.text) || isBinary(now?.text),
    };
  });

/** Lines as a patch shows them: a last one without line end carries git's remark. */
const patchLines = (text: string): readonly string[] => {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") return lines.slice(0, -1);
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ""}\n\\ No newline at end of file`];
};

const body = (path: string, old: FileEntry | undefined, now: FileEntry | undefined): readonly string[] => {
  const found = hunksOfLines(patchLines(old?.text ?? ""), patchLines(now?.text ?? ""));
  if (found.length === 0) return [];
  return [
    old === undefined ? "--- /dev/null" : `--- a/${path}`,
    now === undefined ? "+++ /dev/null" : `+++ b/${path}`,
    ...found.flatMap((hunk) => [`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines]),
  ];
};

/** Files that differ, each in its own right: a rename is a deletion and an addition. */
const differing = (before: Files, after: Files): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path)?.text !== after.get(path)?.text || before.get(path)?.mode !== after.get(path)?.mode)
    .toSorted();

export const patchBetween = (before: Files, after: Files): string =>
  differing(before, after)
    .flatMap((path) => {
      const old = before.get(path);
      const now = after.get(path);
      const ids = `index ${old === undefined ? NOTHING : blobId(old.text)}..${now === undefined ? NOTHING : blobId(now.text)}`;
      return [
        `diff --git a/${path} b/${path}`,
        ...(old === undefined && now !== undefined ? [`new file mode ${now.mode}`] : []),
        ...(now === undefined && old !== undefined ? [`deleted file mode ${old.mode}`] : []),
        ...(old !== undefined && now !== undefined && old.mode !== now.mode ? [`old mode ${old.mode}`, `new mode ${now.mode}`] : []),
        ...(old?.text === now?.text ? [] : [old !== undefined && old.mode === now?.mode ? `${ids} ${now.mode}` : ids]),
        ...body(path, old, now),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");

/** Says why a patch does not apply. */
export class PatchProblem extends Error {}

interface Part {
  readonly path: string;
  readonly mode: FileEntry["mode"] | undefined;
  readonly created: boolean;
  readonly deleted: boolean;
  readonly lines: readonly string[];
}

const partsOf = (patch: string): readonly Part[] =>
  patch
    .split(/^(?=diff --git )/m)
    .filter((text) => text !== "")
    .map((text) => {
      const path = /^diff --git a\/(.+) b\/\1$/m.exec(text)?.[1];
      if (path === undefined) throw new PatchProblem("a part of the patch names no file");
      const at = text.search(/^@@ /m);
      const header = at === -1 ? text : text.slice(0, at);
      return {
        path,
        mode: /^new (?:file )?mode (\d+)$/m.exec(header)?.[1] as FileEntry["mode"] | undefined,
        created: header.includes("\nnew file mode"),
        deleted: header.includes("\ndeleted file mode"),
        lines: at === -1 ? [] : text.slice(at).replace(/\n$/, "").split("\n"),
      };
    });

/** Hunks onto lines that carry their line ends; each line of context must be there, at its place. */
const patched = (path: string, text: string, lines: readonly string[]): string => {
  const old = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      out.push(...old.slice(at, start));
      at = start;
      continue;
    }
    const ended = lines[index + 1]?.startsWith("\\") === true ? "" : "\n";
    const said = `${line.slice(1)}${ended}`;
    if (line.startsWith(" ") || line.startsWith("-")) {
      if (old[at] !== said) throw new PatchProblem(`${path}:${at + 1} is not what the patch says`);
      at += 1;
    }
    if (line.startsWith(" ") || line.startsWith("+")) out.push(said);
  }
  return [...out, ...old.slice(at)].join("");
};

/** The files that come of applying a patch. Throws `PatchProblem` where it does not apply exactly. */
export const applyPatch = (files: Files, patch: string): Files => {
  const next = new Map(files);
  for (const part of partsOf(patch)) {
    const old = files.get(part.path);
    if ((old === undefined) !== part.created) throw new PatchProblem(`${part.path} ${part.created ? "is there already" : "is not there"}`);
    const text = patched(part.path, old?.text ?? "", part.lines);
    if (!part.deleted) next.set(part.path, { text, mode: part.mode ?? old?.mode ?? "100644" });
    else if (text === "") next.delete(part.path);
    else throw new PatchProblem(`${part.path} has more in it than the patch deletes`);
  }
  return next;
};
