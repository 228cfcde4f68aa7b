/** Threads as an agent gets them: what people and bots wrote, cleaned, with the code that it is about. */
import type { PullRequest, Sha, Thread } from "../model.js";
import type { AgentTask, AgentThread, Ctx, GitReads, Ours } from "../ports.js";
import { isOurs } from "../writing/marker.js";
import { suggestionBlocks } from "../changing/suggestion-blocks.js";

// Soft hyphen, zero-width and joining signs, directional marks and overrides, fillers, variation selectors, the byte order mark,
// tag characters, annotation signs: nobody sees them, a model reads them.
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu;
/** Control characters but for the tabulator and the end of a line. */
const CONTROL = /[^\P{Cc}\t\n]/gu;

const visible = (text: string): string => text.replace(/\r\n?|\u{2028}|\u{2029}/gu, "\n");

/**
 * Removes HTML comments: GitHub shows none of them. One that never closes hides the rest where it begins a line, and is plain
 * text elsewhere. Linear: each search goes on where the last one ended.
 */
export const withoutHtmlComments = (text: string): string => {
  let out = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf("<!--", at);
    if (open === -1) return out + text.slice(at);
    out += text.slice(at, open);
    const close = text.indexOf("-->", open + 4);
    if (close === -1) {
      const lineStart = text.lastIndexOf("\n", open - 1) + 1;
      return /^ {0,3}$/.test(text.slice(lineStart, open)) ? out : out + text.slice(open);
    }
    at = close + 3;
  }
};

/** A comment's text without what nobody sees. */
export const cleanText = (text: string): string =>
  withoutHtmlComments(visible(text).replace(INVISIBLE, "").replace(CONTROL, ""))
    .replace(/\n{4,}/g, "\n\n\n")
    .trim();

/** Code keeps all that is in it; what nobody sees is written out, so that nobody is fooled by it. */
export const cleanCode = (text: string): string => {
  const written = (sign: string): string => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
  return text.replace(INVISIBLE, written).replace(CONTROL, (sign) => (sign === "\r" ? "" : written(sign)));
};

/** Texts of others in these threads that an agent gets without something that stood in them: as they stood, by message id. */
export const strippedTexts = (threads: readonly Thread[], ours: Ours): Readonly<Record<string, string>> =>
  Object.fromEntries(
    threads
      .flatMap((thread) => thread.messages)
      .filter((message) => {
        if (message.pending || isOurs(message, ours)) return false;
        const text = visible(message.body);
        return withoutHtmlComments(text.replace(INVISIBLE, "").replace(CONTROL, "")) !== text;
      })
      .map((message) => [message.id, message.body]),
  );

const LONGEST_BODY = 12_000;
const LONGEST_LINE = 400;
const MOST_COMMENTS = 40;
const AROUND = 12;
const MOST_LINES = 120;

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n[${text.length - most} more characters left out]`;

/** The lines around a place, each with its number; `>` stands before those of the place itself. */
export const codeAround = (file: string, line: number, startLine: number = line): string | null => {
  const lines = file.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (line < 1 || startLine < 1 || startLine > line || line > lines.length) return null;
  const from = Math.max(1, startLine - AROUND);
  const to = Math.min(lines.length, line + AROUND, from + MOST_LINES);
  const width = String(to).length;
  return lines
    .slice(from - 1, to)
    .map((text, index) => {
      const number = from + index;
      const mark = number >= startLine && number <= line ? ">" : " ";
      const shown = cleanCode(text);
      const cut = shown.length > LONGEST_LINE ? `${shown.slice(0, LONGEST_LINE)} [...]` : shown;
      return `${mark} ${String(number).padStart(width)} ${cut}`;
    })
    .join("\n");
};

const suggestionOf = (thread: Thread): string | null => {
  const blocks = thread.messages.flatMap((message) => (message.pending ? [] : suggestionBlocks(message.body)));
  if (blocks.length === 0) return null;
  const texts = blocks.map((block) => (block.lines.length === 0 ? "(delete these lines)" : cleanCode(block.lines.join("\n"))));
  return shortened(texts.join("\n--- or, in a later block ---\n"), LONGEST_BODY);
};

/** The `## Context` section of a description, cleaned: why the change is as it is. Undefined where there is none. */
export const contextNote = (body: string): string | undefined => {
  const lines = cleanText(body).split("\n");
  const start = lines.findIndex((line) => /^ {0,3}## +context\s*:?\s*#*\s*$/i.test(line));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => /^ {0,3}#{1,2} /.test(line));
  return lines
    .slice(start, length === -1 ? undefined : start + 1 + length)
    .join("\n")
    .trim();
};

/** A long description is cut, its note of context is not: it comes first then. */
const description = (body: string): string => {
  const whole = cleanText(body);
  const note = contextNote(body);
  if (whole.length <= LONGEST_BODY || note === undefined || whole.indexOf(note) + note.length <= LONGEST_BODY)
    return shortened(whole, LONGEST_BODY);
  const kept = shortened(note, LONGEST_BODY);
  return kept.length >= LONGEST_BODY ? kept : `${kept}\n\n${shortened(whole, LONGEST_BODY - kept.length)}`;
};

/** The pull request as an agent gets it: its author may be a stranger, so title and description are cleaned like any comment. */
export const agentPullRequest = (pullRequest: PullRequest): AgentTask["pullRequest"] => ({
  url: pullRequest.url,
  title: cleanText(pullRequest.title),
  body: description(pullRequest.body),
  author: pullRequest.author.login,
});

type Reads = Pick<Ctx<unknown>, "inbox" | "run" | "settings">;

const whyOf = (thread: Thread, reads: Reads): string | null => {
  const before = reads.run.decisions[thread.id];
  if (before === undefined || before.contentHash === thread.contentHash) return null;
  return `Decided before, on what stood here then, as ${before.decision.kind}: ${before.decision.why}`;
};

export interface AgentThreadHow {
  /** For `fix` and `verify`: why it was decided so. */
  readonly why?: string;
  readonly root?: string;
  /** Text of a file at head; undefined where there is none. */
  readonly file?: string;
}

/** Pure: one thread as an agent gets it. */
export const agentThread = (thread: Thread, reads: Reads, how: AgentThreadHow = {}): AgentThread => {
  const ours = { viewer: reads.inbox.viewer, identities: reads.settings.identities };
  const { place } = thread;
  const messages = thread.messages.filter((message) => !message.pending);
  // The first says what it is about, the last ones where it stands.
  const kept = messages.length <= MOST_COMMENTS ? messages : [...messages.slice(0, 1), ...messages.slice(1 - MOST_COMMENTS)];
  const line = place?.outdated === true || place?.subject === "file" ? undefined : place?.line;
  const atHead = line !== undefined && place?.side === "RIGHT" && how.file !== undefined;
  return {
    id: thread.id,
    source: thread.source,
    title: cleanText(thread.title),
    severity: thread.severity,
    reviewer: thread.reviewer ?? null,
    author: thread.author.login,
    association: thread.author.association,
    isBot: thread.author.kind === "bot",
    path: place?.path ?? null,
    line: line ?? null,
    startLine: line === undefined ? null : (place?.startLine ?? null),
    outdated: place?.outdated ?? false,
    code: atHead && line !== undefined && how.file !== undefined ? codeAround(how.file, line, place?.startLine) : null,
    suggestion: suggestionOf(thread),
    comments: kept.map((message) => ({
      author: message.author.login,
      body: shortened(cleanText(message.body), LONGEST_BODY),
      at: new Date(message.createdAt).toISOString(),
      ours: isOurs(message, ours),
    })),
    why: how.why ?? whyOf(thread, reads),
    root: how.root ?? null,
  };
};

/** Reads each file at head once, and builds the threads. `why` and `roots` come by thread id. */
export const agentThreads = async (
  threads: readonly Thread[],
  ctx: Reads & { readonly git?: Pick<GitReads, "show"> },
  why: Readonly<Record<string, string>> = {},
  roots: Readonly<Record<string, string | undefined>> = {},
): Promise<readonly AgentThread[]> => {
  const head: Sha = ctx.inbox.pullRequest.head.sha;
  const paths = new Set(threads.flatMap((thread) => (thread.place === undefined ? [] : [thread.place.path])));
  const files = new Map<string, string>();
  for (const path of paths) {
    const text = await ctx.git?.show(head, path).catch(() => undefined);
    if (text !== undefined) files.set(path, text);
  }
  return threads.map((thread) => {
    const file = thread.place === undefined ? undefined : files.get(thread.place.path);
    const [reason, root] = [why[thread.id], roots[thread.id]];
    return agentThread(thread, ctx, {
      ...(reason === undefined ? {} : { why: reason }),
      ...(root === undefined ? {} : { root }),
      ...(file === undefined ? {} : { file }),
    });
  });
};
