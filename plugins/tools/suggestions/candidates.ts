/** Which suggestion of a thread may be applied, and where. Pure but for the text of the file, which is handed in. */
import { isOurs, isTrusted, matchesProtected, suggestionBlocks } from "../../../core/index.js";
import type { Inbox, Message, Settings, Thread } from "../../../core/index.js";
import { changes, fits, linesOf, type LineEdit } from "./text-edits.js";

export interface Candidate {
  readonly thread: Thread;
  readonly path: string;
  readonly edit: LineEdit;
  /** Somebody spoke after it: what is meant is no longer the suggestion alone. */
  readonly discussed: boolean;
  /** The lines already read so. */
  readonly already: boolean;
}

/** `why` is for a person, where there is a suggestion that can't be taken as it is. */
export type Reading = { readonly candidate: Candidate } | { readonly why: string } | undefined;

export interface Reads {
  readonly inbox: Pick<Inbox, "viewer">;
  readonly settings: Pick<Settings, "identities" | "trust">;
}

/** A known bot in its own thread, or somebody with write access. */
const mayCause = (message: Message, thread: Thread, reads: Reads): boolean => {
  const ours = { viewer: reads.inbox.viewer, identities: reads.settings.identities };
  if (message.pending || message.minimised || isOurs(message, ours)) return false;
  if (thread.reviewer !== undefined && message.author.kind === "bot" && message.author.login === thread.author.login) return true;
  return message.author.kind !== "bot" && isTrusted(message.author, ours, reads.settings.trust);
};

interface Found {
  readonly blocks: readonly (readonly string[])[];
  readonly discussed: boolean;
}

/** The newest message that suggests something counts: a person may correct a bot. */
const foundIn = (thread: Thread, reads: Reads): Found | undefined => {
  const ours = { viewer: reads.inbox.viewer, identities: reads.settings.identities };
  let discussed = false;
  for (const message of thread.messages.toReversed()) {
    if (isOurs(message, ours)) continue;
    const blocks = mayCause(message, thread, reads) ? suggestionBlocks(message.body) : [];
    if (blocks.length > 0) return { blocks: blocks.map((block) => block.lines), discussed };
    discussed = true;
  }
  return undefined;
};

const equalLines = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index]);

/** `file`: the text at head of the thread's path, undefined where there is no such file. */
export const readingOf = (thread: Thread, file: string | undefined, reads: Reads): Reading => {
  const { place } = thread;
  if (thread.source !== "inline" || place === undefined) return undefined;
  const found = foundIn(thread, reads);
  const [lines, ...others] = found?.blocks ?? [];
  if (found === undefined || lines === undefined) return undefined;
  if (place.outdated || place.line === undefined) return { why: "the lines that the suggestion is about were changed since" };
  if (place.subject === "file" || place.side === "LEFT") return { why: "the suggestion is not about lines of the new version" };
  if (file === undefined) return { why: `there is no file ${place.path} at the head` };
  if (matchesProtected(place.path, reads.settings.trust.protected)) return { why: `${place.path} is a protected path` };
  // Written back as UTF-8, other text would be destroyed.
  if (file.includes("\0") || file.includes("\u{fffd}")) return { why: `${place.path} is not UTF-8 text` };
  if (others.some((other) => !equalLines(other, lines))) return { why: "it offers several suggestions for the same lines" };
  const edit: LineEdit = { start: place.startLine ?? place.line, end: place.line, lines };
  const now = linesOf(file);
  if (!fits(now, edit)) return { why: "the file has no such lines" };
  return { candidate: { thread, path: place.path, edit, discussed: found.discussed, already: !changes(now, edit) } };
};
