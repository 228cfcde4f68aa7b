/** Files of the worktree by path: never outside of it, never through a link, never git's own. */
import { constants } from "node:fs";
import { lstat, mkdir, open, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gitFailed } from "./command.js";

/** What some file system would take for `.git`: other case, trailing dots and blanks, the short name, a stream, invisible characters. */
const isGitsOwn = (component: string): boolean => {
  const visible = component
    .normalize("NFKC")
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/g, "")
    .toLowerCase();
  const plain = visible.split(":")[0]?.replace(/[. ]+$/, "") ?? "";
  return plain === ".git" || /^git~\d+$/.test(plain);
};

/** Components of a path that may be used, or why not. Paths are git's: relative, with `/`. */
export const componentsOf = (path: string): readonly string[] | string => {
  if (path === "" || path.includes("\0")) return "it is empty or holds a NUL";
  const parts = path.split("/");
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "it is absolute";
  if (path.includes("\\") && process.platform === "win32") return "it holds a backslash";
  if (parts.some((part) => part === "" || part === "." || part === "..")) return "it leaves the worktree or is not in plain form";
  if (parts.some(isGitsOwn)) return "it belongs to git";
  return parts;
};

type Kind = "file" | "link" | "folder" | "other" | "nothing";

const kindAt = async (path: string): Promise<Kind> => {
  try {
    const found = await lstat(path);
    if (found.isFile()) return "file";
    if (found.isSymbolicLink()) return "link";
    return found.isDirectory() ? "folder" : "other";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "nothing";
    throw error;
  }
};

const refused = (path: string, why: string): Error => gitFailed("edit", `${JSON.stringify(path)} is refused: ${why}`);

/** Strict UTF-8 with its byte order mark and line ends; undefined for bytes that are no text (a lossy copy must not be written back). */
export const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** A regular file's text; undefined where there is none, where it is a link, and where a link is on the way. */
export const readText = async (root: string, path: string): Promise<string | undefined> => {
  const parts = componentsOf(path);
  if (typeof parts === "string") return undefined;
  for (let depth = 1; depth < parts.length; depth += 1)
    if ((await kindAt(join(root, ...parts.slice(0, depth)))) !== "folder") return undefined;
  const file = join(root, ...parts);
  if ((await kindAt(file)) !== "file") return undefined;
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return textOf(await handle.readFile());
  } finally {
    await handle.close();
  }
};

/** Writes or (`null`) deletes a file. Keeps an executable bit. */
export const editFile = async (root: string, path: string, content: string | null): Promise<void> => {
  const parts = componentsOf(path);
  if (typeof parts === "string") throw refused(path, parts);
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = join(root, ...parts.slice(0, depth));
    const kind = await kindAt(folder);
    if (kind === "nothing") {
      if (content === null) return;
      await mkdir(folder);
    } else if (kind !== "folder") throw refused(path, kind === "link" ? "a symbolic link is on the way" : "a file is on the way");
  }
  const file = join(root, ...parts);
  const kind = await kindAt(file);
  if (kind !== "file" && kind !== "nothing") throw refused(path, kind === "link" ? "it is a symbolic link" : "it is not a file");
  if (content === null) {
    await rm(file, { force: true });
    // Git has no empty folders.
    for (let folder = dirname(file); folder !== root; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        return;
      }
    }
    return;
  }
  const mode = kind === "file" ? (await lstat(file)).mode & 0o777 : 0o666;
  // A new file, not new content in the old one: package stores hard-link their files into a worktree.
  await rm(file, { force: true });
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), mode);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
};

/** Removes whatever keeps this path from being written, without following a link: the first thing on the way that is no folder, else the path itself. */
export const clearPath = async (root: string, path: string): Promise<void> => {
  const parts = path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const here = join(root, ...parts.slice(0, depth));
    const kind = await kindAt(here);
    if (kind === "nothing") return;
    if (kind !== "folder" || depth === parts.length) {
      await rm(here, { recursive: true, force: true });
      return;
    }
  }
};
