/**
 * Points that were declined with a reason, kept per repository: raised again, they are answered from here, and counted. The reason is made
 * searchable by a line of its own. A committed `.reviewloop/declined.jsonl` counts too, as the base branch has it.
 */
import { definePlugin, decisionFor } from "../../core/index.js";
import type { Ctx, Decided, Decision, Draft, Inbox, Thread, Triage } from "../../core/index.js";

export interface Declined {
  /** What makes two points the same: the title without code, numbers and punctuation. */
  readonly point: string;
  readonly title: string;
  readonly why: string;
  readonly reply: string;
  /** Where it was answered first. */
  readonly url: string;
  /** How often it was raised. */
  readonly times: number;
  /** Threads that raised it here, newest last. */
  readonly threads: readonly string[];
  /** Files in which it was declined; absent: anywhere (a committed entry). */
  readonly paths?: readonly string[];
}

export interface DeclineLedgerOptions {
  /** Only a point in the same file is the same point; otherwise its words are enough. A committed entry counts everywhere. */
  readonly sameFile: boolean;
  /** End the answer with a line by which later reviews find it. */
  readonly searchable: boolean;
}

/** A cosmetic point that was left unanswered. */
interface Nit {
  readonly point: string;
  readonly thread: string;
}

export const DECLINED_FILE = ".reviewloop/declined.jsonl";
const MOST = 500;
const MOST_THREADS = 20;
const SHORTEST = 12;
const LINE = "Recording for future review passes:";

/** Undefined: too little is said to tell it from others. */
export const pointOf = (title: string): string | undefined => {
  const words = title
    .toLowerCase()
    .replaceAll(/`[^`]*`/g, " ")
    .replaceAll(/\d+/g, " ")
    .replaceAll(/[^\p{L}]+/gu, " ")
    .trim();
  return words.length < SHORTEST ? undefined : words;
};

const isText = (value: unknown): value is string => typeof value === "string";

const declinedIn = (value: unknown): Declined | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  const { title, why, reply, url, times, threads, point, paths } = value as Readonly<Record<string, unknown>>;
  if (!isText(title) || !isText(reply)) return undefined;
  const same = isText(point) ? point : pointOf(title);
  if (same === undefined) return undefined;
  return {
    point: same,
    title,
    why: isText(why) ? why : "declined before",
    reply,
    url: isText(url) ? url : "",
    times: typeof times === "number" ? times : 1,
    threads: Array.isArray(threads) ? threads.filter(isText) : [],
    ...(Array.isArray(paths) ? { paths: paths.filter(isText) } : {}),
  };
};

/** One JSON object a line; a line that is none is passed over. */
export const parseDeclined = (text: string): readonly Declined[] =>
  text.split("\n").flatMap((line) => {
    try {
      return declinedIn(JSON.parse(line)) ?? [];
    } catch {
      return [];
    }
  });

/** As it is committed: without what is of this machine only. */
export const formatDeclined = (ledger: readonly Declined[]): string =>
  ledger.map(({ title, why, reply, url, times }) => `${JSON.stringify({ title, why, reply, url, times })}\n`).join("");

export const declinedFrom = (value: unknown): readonly Declined[] =>
  Array.isArray(value) ? value.flatMap((each: unknown) => declinedIn(each) ?? []) : [];

const nitsFrom = (value: unknown): readonly Nit[] =>
  Array.isArray(value)
    ? value.flatMap((each: unknown): readonly Nit[] => {
        const { point, thread } = (typeof each === "object" && each !== null ? each : {}) as Readonly<Record<string, unknown>>;
        return isText(point) && isText(thread) ? [{ point, thread }] : [];
      })
    : [];

const isBots = (thread: Thread): boolean => thread.reviewer !== undefined || thread.author.kind === "bot";

/** The ledger after what this read shows: each visible answer of a declined point once. Pure. */
export const recorded = (ledger: readonly Declined[], inbox: Inbox, run: Ctx["run"]): readonly Declined[] => {
  const entries = new Map(ledger.map((entry) => [entry.point, entry]));
  for (const thread of inbox.threads) {
    const decision = decisionFor(thread, run);
    const point = pointOf(thread.title);
    if (!isBots(thread) || !thread.answered || decision?.kind !== "false-positive" || decision.reply === null || point === undefined)
      continue;
    const entry = entries.get(point);
    if (entry?.threads.includes(thread.id) === true) continue;
    entries.delete(point);
    const path = thread.place === undefined ? [] : [thread.place.path];
    entries.set(
      point,
      entry === undefined
        ? {
            point,
            title: thread.title,
            why: decision.why,
            reply: decision.reply,
            url: thread.url,
            times: 1,
            threads: [thread.id],
            paths: path,
          }
        : {
            ...entry,
            times: entry.times + 1,
            threads: [...entry.threads, thread.id].slice(-MOST_THREADS),
            paths: [...new Set([...(entry.paths ?? []), ...path])].slice(-MOST_THREADS),
          },
    );
  }
  return [...entries.values()].slice(-MOST);
};

const nitsOf = (before: readonly Nit[], inbox: Inbox, run: Ctx["run"]): readonly Nit[] => {
  const fresh = inbox.threads.flatMap((thread): readonly Nit[] => {
    const point = pointOf(thread.title);
    const nit = isBots(thread) && decisionFor(thread, run)?.kind === "nitpick";
    return nit && point !== undefined && !before.some((each) => each.thread === thread.id) ? [{ point, thread: thread.id }] : [];
  });
  return [...before, ...fresh].slice(-MOST);
};

/** What is known decides; undefined: it is a new point. Pure. */
export const decidedBefore = (thread: Thread, ledger: readonly Declined[], nits: readonly Nit[]): Decision | undefined => {
  const point = isBots(thread) ? pointOf(thread.title) : undefined;
  if (point === undefined) return undefined;
  const entry = ledger.find((each) => each.point === point);
  if (entry !== undefined) {
    const where = entry.url === "" ? "" : `\n\nAnswered before: ${entry.url}`;
    // The same answer, not the note about the answer before it.
    const reply = entry.reply.split("\n\nAnswered before: ")[0] ?? entry.reply;
    return { kind: "false-positive", why: `declined before (${entry.times} x): ${entry.why}`, reply: `${reply}${where}` };
  }
  return nits.some((nit) => nit.point === point && nit.thread !== thread.id)
    ? {
        kind: "false-positive",
        why: "the same cosmetic point again",
        reply: "This cosmetic point came up before. The style here is settled, so it stays as it is.",
      }
    : undefined;
};

/** Entries that speak about this thread's file. Pure. */
export const near = (thread: Thread, ledger: readonly Declined[]): readonly Declined[] =>
  ledger.filter(({ paths }) => paths === undefined || (thread.place !== undefined && paths.includes(thread.place.path)));

const committed = async (inbox: Inbox, ctx: Ctx): Promise<readonly Declined[]> => {
  const { base, ref } = inbox.pullRequest;
  const text =
    (await ctx.git?.show(base.sha, DECLINED_FILE).catch(() => undefined)) ??
    (await ctx.forge.fileAt?.(ref, base.sha, DECLINED_FILE, ctx.signal));
  return text === undefined ? [] : parseDeclined(text);
};

/** The answer with a line that is found again. Pure. */
export const searchable = (draft: Draft): Draft => {
  const { thread, decision, text } = draft;
  if (decision.kind !== "false-positive" || text === null || !isBots(thread) || text.includes(LINE)) return draft;
  const title = thread.title
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.!?]+$/, "");
  return { ...draft, text: `${text}\n\n${LINE} don't ask us to address "${title}".` };
};

const known = (thread: Thread, ledger: readonly Declined[], ctx: Ctx<DeclineLedgerOptions>): readonly Declined[] =>
  ctx.options.sameFile ? near(thread, ledger) : ledger;

const DECLINED = "declined";
const NITS = "nits";

export const declineLedger = definePlugin<DeclineLedgerOptions>({
  name: "decline-ledger",
  kind: "tool",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: { sameFile: { type: "boolean" }, searchable: { type: "boolean" } },
  },
  defaults: { sameFile: false, searchable: true },
  on: {
    fetch: async (inbox, ctx) => {
      const before = declinedFrom(await ctx.repository?.recall(DECLINED));
      const now = recorded(before, inbox, ctx.run);
      if (JSON.stringify(now) !== JSON.stringify(before)) await ctx.repository?.remember(DECLINED, now);
      const nits = nitsFrom(await ctx.repository?.recall(NITS));
      const more = nitsOf(nits, inbox, ctx.run);
      if (more.length !== nits.length) await ctx.repository?.remember(NITS, more);
      const again = inbox.threads.filter(
        (thread) =>
          thread.open &&
          !thread.answered &&
          decisionFor(thread, ctx.run) === undefined &&
          decidedBefore(thread, known(thread, now, ctx), []) !== undefined,
      );
      const notes = again.map((thread) => `Declined before: ${thread.title} (${thread.url})`);
      return notes.length === 0 ? inbox : { ...inbox, notes: [...inbox.notes, ...notes] };
    },
    triage: async (triage: Triage, inbox, ctx) => {
      if (triage.undecided.length === 0) return triage;
      const ledger = [...declinedFrom(await ctx.repository?.recall(DECLINED)), ...(await committed(inbox, ctx))];
      // A nitpick that is fixed or answered as it comes is no settled style.
      const nits = ctx.settings.nitpicks === "leave" ? nitsFrom(await ctx.repository?.recall(NITS)) : [];
      const decided: Decided[] = [];
      const undecided: Thread[] = [];
      for (const thread of triage.undecided) {
        const decision = decidedBefore(thread, known(thread, ledger, ctx), nits);
        if (decision === undefined) undecided.push(thread);
        else decided.push({ thread, decision });
      }
      return { undecided, decided: [...triage.decided, ...decided] };
    },
    reply: { order: "post", run: (draft, _inbox, ctx) => (ctx.options.searchable ? searchable(draft) : draft) },
  },
});
