/** Pure: from decided threads to the texts that answer them, and from texts to writes. */
import { markerOf } from "./marker.js";
import type { Draft, Inbox, RunState, Thread, Write, WriteOf } from "../model.js";
import { harmless } from "./outgoing.js";
import type { OutgoingRules } from "./outgoing.js";
import { fixFor, isPerson, resolveKey, wantsFix } from "../reading/standing.js";
import type { Due } from "../reading/standing.js";
import type { Settings } from "../settings.js";

/** Long enough to be found, short enough to read; GitHub links it. */
export const shortSha = (sha: string): string => sha.slice(0, 10);

/** The core's own text: what was done, citing the commit, or what was considered. */
export const draftOf = (due: Due, run: RunState, settings: Settings): Draft => {
  const { thread, decision } = due;
  const fix = wantsFix(decision, settings) ? fixFor(thread, run) : undefined;
  if (fix === undefined) return { thread, decision, text: decision.reply };
  const summary = fix.summary.trim();
  const text = summary === "" ? `Fixed in ${shortSha(fix.commit)}.` : `Fixed in ${shortSha(fix.commit)}: ${summary}`;
  return { thread, decision, commit: fix.commit, summary, text };
};

/** A key for each answer: another content, another answer; the same content, the same one. */
const replyKey = (thread: Thread): string => `reply:${thread.id}:${thread.contentHash}:${thread.replies}`;

const quote = (thread: Thread): string => {
  const at =
    thread.place === undefined ? "" : ` (\`${thread.place.path}${thread.place.line === undefined ? "" : `:${thread.place.line}`}\`)`;
  return `> ${thread.title.replaceAll(/\s+/g, " ")}${at}`;
};

const signed = (text: string, person: boolean, settings: Settings): string =>
  person && settings.people.signature !== false ? `${text}\n\n<sub>${settings.people.signature}</sub>` : text;

export interface Composing {
  readonly inbox: Inbox;
  readonly settings: Settings;
  readonly rules: Pick<OutgoingRules, "triggers" | "folders">;
}

const inlineReply = (draft: Draft, text: string, { settings, rules }: Composing): WriteOf<"reply"> | undefined => {
  const { thread, decision } = draft;
  const root = thread.messages[0];
  if (root === undefined) return undefined;
  const key = replyKey(thread);
  const marker = markerOf({ key, thread: thread.id, contentHash: thread.contentHash, decision: decision.kind });
  return {
    kind: "reply",
    key,
    thread: thread.id,
    rootComment: root.databaseId,
    decision: decision.kind,
    body: `${signed(harmless(text, rules), isPerson(thread), settings)}\n\n${marker}`,
    preconditions: { contentHash: thread.contentHash },
    why: `${decision.kind}: ${thread.title}`,
  };
};

/** Points of one body are answered together, in one comment that quotes each. */
const commentFor = (drafts: readonly (Draft & { readonly text: string })[], { settings, rules }: Composing): WriteOf<"comment"> => {
  const parts = drafts.map((draft) => `${harmless(quote(draft.thread), rules)}\n\n${harmless(draft.text, rules)}`);
  const key = `comment:${drafts.map((draft) => replyKey(draft.thread)).join("+")}`;
  const markers = drafts.map((draft) =>
    markerOf({ key, thread: draft.thread.id, contentHash: draft.thread.contentHash, decision: draft.decision.kind }),
  );
  const person = drafts.some((draft) => isPerson(draft.thread));
  return {
    kind: "comment",
    key,
    body: `${signed(parts.join("\n\n"), person, settings)}\n\n${markers.join("\n")}`,
    answers: drafts.map((draft) => ({ thread: draft.thread.id, contentHash: draft.thread.contentHash, decision: draft.decision.kind })),
    preconditions: {},
    why: drafts.map((draft) => draft.thread.title).join("; "),
  };
};

/** Replies on the threads themselves first, then one comment for each body that raised points without a thread. */
export const repliesOf = (drafts: readonly Draft[], composing: Composing): readonly Write[] => {
  const spoken = drafts.filter((draft): draft is Draft & { readonly text: string } => draft.text !== null && draft.text.trim() !== "");
  const inline = spoken
    .filter((draft) => draft.thread.home === "inline")
    .flatMap((draft) => inlineReply(draft, draft.text, composing) ?? []);
  const byCarrier = new Map<string, (typeof spoken)[number][]>();
  for (const draft of spoken) {
    if (draft.thread.home === "conversation") byCarrier.set(draft.thread.carrier, [...(byCarrier.get(draft.thread.carrier) ?? []), draft]);
  }
  return [...inline, ...[...byCarrier.values()].map((group) => commentFor(group, composing))];
};

export const resolveOf = (thread: Thread): WriteOf<"resolve"> => ({
  kind: "resolve",
  key: resolveKey(thread),
  thread: thread.id,
  preconditions: { contentHash: thread.contentHash },
  why: thread.title,
});
