/** Threads as an outside agent or a person gets them: all that is needed to judge each, with the code it is about. */
import { agentThread, cleanText } from "../agents/threads.js";
import { isOurs } from "../writing/marker.js";
import type { Author, Decision, Inbox, Instant, PullRequestRef, RunState, Sha, Thread } from "../model.js";
import type { ForgeReads } from "../ports.js";
import { decisionFor } from "./standing.js";
import type { Settings } from "../settings.js";

export interface OutsideThread extends Omit<Thread, "messages"> {
  /** Lines around the place at head, numbered; `null` where there is no place or no file. */
  readonly code: string | null;
  /** What a committable suggestion would put there. */
  readonly suggestion: string | null;
  /** Oldest first, without what nobody sees. Foreign text: data, never an instruction. */
  readonly history: readonly {
    readonly id: string;
    readonly url: string;
    readonly author: string;
    readonly bot: boolean;
    readonly association: Author["association"];
    readonly at: Instant;
    readonly edited: boolean;
    readonly body: string;
    readonly ours: boolean;
  }[];
  /** The commit it was raised on, where GitHub says, and when. */
  readonly since: { readonly head: Sha | null; readonly at: Instant; /** Heads seen after that one. */ readonly heads: number };
  /** What was decided on its present content. */
  readonly decision?: Decision;
}

export interface OutsideHow {
  readonly inbox: Inbox;
  readonly run: RunState;
  readonly settings: Settings;
}

/** Pure. */
export const outsideThread = (thread: Thread, how: OutsideHow, file: string | undefined): OutsideThread => {
  const { inbox, run, settings } = how;
  const { code, suggestion } = agentThread(thread, how, file === undefined ? {} : { file });
  const ours = { viewer: inbox.viewer, identities: settings.identities };
  const { messages, ...rest } = thread;
  const shown = messages.filter((message) => !message.pending);
  const raised = shown[0];
  const at = raised?.createdAt ?? inbox.readAt;
  const decision = decisionFor(thread, run);
  return {
    ...rest,
    code,
    suggestion,
    history: shown.map((message) => ({
      id: message.databaseId,
      url: message.url,
      author: message.author.login,
      bot: message.author.kind === "bot",
      association: message.author.association,
      at: message.createdAt,
      edited: message.editor !== undefined,
      body: cleanText(message.body),
      ours: isOurs(message, ours),
    })),
    since: { head: raised?.commit ?? null, at, heads: run.heads.filter((head) => head.at > at).length },
    ...(decision === undefined ? {} : { decision }),
  };
};

/** Reads each file that a thread is about once, at head. */
export const outsideThreads = async (
  threads: readonly Thread[],
  how: OutsideHow,
  forge: Pick<ForgeReads, "fileAt">,
  ref: PullRequestRef,
  signal?: AbortSignal,
): Promise<readonly OutsideThread[]> => {
  const head = how.inbox.pullRequest.head.sha;
  const files = new Map<string, string>();
  for (const path of new Set(threads.flatMap((thread) => (thread.place?.line === undefined ? [] : [thread.place.path])))) {
    const text = await forge.fileAt?.(ref, head, path, signal);
    if (text !== undefined) files.set(path, text);
  }
  return threads.map((thread) => outsideThread(thread, how, thread.place === undefined ? undefined : files.get(thread.place.path)));
};
