/** A patch that `git apply` takes, between two trees in memory. */
import type { FileChange } from "../../index.js";
import { hunksOfLines } from "../world/diff.js";
import { blobId, type FileEntry, type Files } from "../world/git-objects.js";
import { changedBetween } from "../world/memory-repositories.js";

const GONE = "000000";
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

const body = (path: string, was: string, old: FileEntry | undefined, now: FileEntry | undefined): readonly string[] => {
  const found = hunksOfLines(patchLines(old?.text ?? ""), patchLines(now?.text ?? ""));
  if (found.length === 0) return [];
  return [
    old === undefined ? "--- /dev/null" : `--- a/${was}`,
    now === undefined ? "+++ /dev/null" : `+++ b/${path}`,
    ...found.flatMap((hunk) => [`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines]),
  ];
};

export const patchBetween = (before: Files, after: Files): string =>
  fileChanges(before, after)
    .flatMap((change) => {
      const was = change.was ?? change.path;
      const old = before.get(was);
      const now = after.get(change.path);
      const ids = `index ${old === undefined ? "0".repeat(40) : blobId(old.text)}..${now === undefined ? "0".repeat(40) : blobId(now.text)}`;
      return [
        `diff --git a/${was} b/${change.path}`,
        ...(old === undefined && now !== undefined ? [`new file mode ${now.mode}`] : []),
        ...(now === undefined && old !== undefined ? [`deleted file mode ${old.mode}`] : []),
        ...(old !== undefined && now !== undefined && old.mode !== now.mode ? [`old mode ${old.mode}`, `new mode ${now.mode}`] : []),
        ...(change.was === undefined ? [] : ["similarity index 100%", `rename from ${was}`, `rename to ${change.path}`]),
        ...(old?.text === now?.text ? [] : [old !== undefined && now !== undefined && old.mode === now.mode ? `${ids} ${now.mode}` : ids]),
        ...body(change.path, was, old, now),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
