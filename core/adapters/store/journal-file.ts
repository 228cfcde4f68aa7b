/** The journal on disk: one JSON document a line, a header first. Only whole lines count. */
import { open, readFile, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { ReviewloopError } from "../../errors.js";
import type { Entry, PullRequestRef } from "../../model.js";

export const VERSION = 1;

interface Header {
  readonly type: "journal";
  readonly version: number;
  readonly [more: string]: unknown;
}

export interface JournalContent {
  /** Fields and types that this version does not know are kept as they are. */
  readonly entries: readonly Entry[];
  /** Bytes up to the end of the last whole line; what follows was torn off by a crash. 0 = there is not even a header. */
  readonly whole: number;
}

const NEWLINE = 10;

const parsed = (line: Buffer): object | undefined => {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isHeader = (value: object): value is Header =>
  "type" in value && value.type === "journal" && "version" in value && typeof value.version === "number";
const isEntry = (value: object): value is Entry =>
  "type" in value && typeof value.type === "string" && "at" in value && typeof value.at === "number";

/** Pure: reads a journal's bytes. A torn last line is no damage; anything else that can't be read is `JOURNAL_DAMAGED`, with its line. */
export const readJournal = (file: string, bytes: Buffer): JournalContent => {
  const entries: Entry[] = [];
  let whole = 0;
  for (let from = 0, line = 1; from < bytes.length; line += 1) {
    const end = bytes.indexOf(NEWLINE, from);
    if (end < 0) break;
    const value = parsed(bytes.subarray(from, end));
    const damaged = (problem: string, newer = false): ReviewloopError =>
      new ReviewloopError("JOURNAL_DAMAGED", { file, problem: `line ${line} ${problem}`, newer });
    if (value === undefined) {
      // A power cut may leave a last line of the right length and the wrong bytes.
      if (end === bytes.length - 1) break;
      throw damaged("is not a JSON object");
    }
    if (line === 1) {
      if (!isHeader(value)) throw damaged("is not a journal's header");
      if (value.version > VERSION) throw damaged(`says version ${value.version}, and this program knows ${VERSION}`, true);
    } else {
      if (!isEntry(value)) throw damaged("is not an entry: it has no type or no time");
      entries.push(value);
    }
    from = end + 1;
    whole = from;
  }
  return { entries, whole };
};

/** The journal's content without touching it; empty where there is none. */
export const peekJournal = async (file: string): Promise<JournalContent> => {
  try {
    return readJournal(file, await readFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { entries: [], whole: 0 };
    throw error;
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  // A new file's name is on disk only when its folder is. Windows can't do this, and doesn't need it.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

export interface JournalFile {
  readonly entries: readonly Entry[];
  append(entry: Entry): Promise<void>;
  close(): Promise<void>;
}

/** Writes all of it at `position`, or nothing that counts. */
const writeWhole = async (handle: FileHandle, position: number, line: string): Promise<number> => {
  const bytes = Buffer.from(line);
  try {
    for (let written = 0; written < bytes.length;)
      written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
    await handle.sync();
  } catch (error) {
    // A full disk leaves half a line; the next one must not be glued to it.
    await handle.truncate(position).catch(() => {});
    throw error;
  }
  return position + bytes.length;
};

/**
 * Opens for appending; the caller holds the lease. Cuts a torn last line and writes the header of a new journal.
 * `allowed` is asked before each line and throws if the lease is lost; lines go out in the order of the calls.
 */
export const openJournal = async (file: string, ref: PullRequestRef, at: number, allowed: () => Promise<void>): Promise<JournalFile> => {
  const { entries: before, whole } = await peekJournal(file);
  const entries = [...before];
  const handle = await open(file, whole === 0 ? "w" : "r+", 0o600);
  let end = whole;
  try {
    await handle.truncate(whole);
    if (whole === 0) {
      end = await writeWhole(handle, 0, `${JSON.stringify({ type: "journal", version: VERSION, at, pullRequest: ref })}\n`);
      await syncFolder(dirname(file));
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const next = last.then(act, act);
    last = next;
    return next;
  };
  return {
    entries,
    append: (entry) =>
      inTurn(async () => {
        await allowed();
        end = await writeWhole(handle, end, `${JSON.stringify(entry)}\n`);
        entries.push(entry);
      }),
    close: () => inTurn(() => handle.close()),
  };
};
