/** Snapshots, messages and runs by hand, for pure functions. */
import type { Author, Check, Inbox, Message, PullRequest, Review, ReviewThread, RunState, Signal, Snapshot } from "../../core/model.js";
import type { Ctx, Ours } from "../../core/ports.js";
import type { Plugin } from "../../core/plugin.js";
import { foldRun } from "../../core/run.js";
import { threadsOf } from "../../core/reading/threads.js";
import { partiesOf } from "../../core/reading/parties.js";
import { DEFAULTS } from "../loop/settings.js";

export const HEAD = "9a8b7c6d5e4f30211203456789abcdef76543210";
export const OLD = "1f2e3d4c5b6a79880123456789abcdef01234567";
/** Minutes after the start of a day. */
export const at = (minutes: number): number => Date.UTC(2026, 10, 3, 8) + minutes * 60_000;
/** When the head was seen, and when all is read. */
export const ARRIVED = at(60);
export const NOW = at(90);

export const alice: Author = { login: "alice", kind: "user", association: "MEMBER" };
export const stranger: Author = { login: "passer-by", kind: "user", association: "NONE" };
export const viewer: Author = { login: "loop-user", kind: "user", association: "CONTRIBUTOR" };
export const bot = (login: string): Author => ({ login, kind: "bot", association: "NONE" });
export const ours: Ours = { viewer: { login: "loop-user", kind: "user" }, identities: ["acme-agent"] };

let count = 0;
export const message = (author: Author, body: string, minutes: number, more: Partial<Message> = {}): Message => {
  count += 1;
  return {
    id: `M_${count}`,
    databaseId: String(1000 + count),
    author,
    body,
    createdAt: at(minutes),
    updatedAt: at(minutes),
    url: `https://github.test/acme/widgets/pull/7#m${count}`,
    minimised: false,
    pending: false,
    viewerCanMinimise: true,
    ...more,
  };
};

export const inline = (messages: readonly Message[], more: Partial<ReviewThread> = {}): ReviewThread => {
  count += 1;
  return {
    id: `T_${count}`,
    resolved: false,
    place: { path: "src/a.ts", line: 10, side: "RIGHT", subject: "line", outdated: false },
    messages,
    viewerCanResolve: true,
    viewerCanReply: true,
    ...more,
  };
};

export const review = (of: Message, more: Partial<Review> = {}): Review => ({
  message: of,
  state: "COMMENTED",
  commit: HEAD,
  submittedAt: of.createdAt,
  ...more,
});

export const check = (name: string, state: Check["state"], more: Partial<Check> = {}): Check => ({
  name,
  kind: "check-run",
  state,
  raw: state.toUpperCase(),
  required: false,
  head: HEAD,
  ...more,
});

const pullRequest: PullRequest = {
  ref: { host: "github.test", owner: "acme", name: "widgets", number: 7 },
  id: "PR_7",
  url: "https://github.test/acme/widgets/pull/7",
  title: "Retry budget",
  body: "",
  author: viewer,
  state: "open",
  draft: false,
  locked: false,
  archived: false,
  inMergeQueue: false,
  head: { sha: HEAD, branch: "topic" },
  base: { sha: OLD, branch: "main", cloneUrl: "https://github.test/acme/widgets.git" },
  fork: false,
  maintainerCanModify: true,
  viewerPermission: "write",
  mergeable: "MERGEABLE",
  mergeState: "CLEAN",
  requiresConversationResolution: false,
  requiredChecks: [],
  createdAt: at(0),
  updatedAt: NOW,
};

export const snapshot = (
  parts: Partial<Omit<Snapshot, "pullRequest">> & { readonly pullRequest?: Partial<PullRequest> } = {},
): Snapshot => ({
  readAt: NOW,
  viewer: ours.viewer,
  reviewThreads: [],
  reviews: [],
  comments: [],
  reactions: [],
  checks: [],
  requests: [],
  timeline: [],
  ...parts,
  pullRequest: { ...pullRequest, ...parts.pullRequest },
});

/** A run that began when the head arrived. */
export const run = (more: Partial<RunState> = {}): RunState => ({
  ...foldRun([{ at: ARRIVED, type: "run", run: "r1", target: "review-clean", base: OLD, head: HEAD }]),
  heads: [
    { sha: OLD, at: at(30) },
    { sha: HEAD, at: ARRIVED },
  ],
  ...more,
});

export interface Read {
  readonly inbox: Inbox;
  readonly ctx: Ctx<never>;
  readonly signal: Signal | undefined;
}

/** What core and this reviewer make of a snapshot. */
export const readWith = async (
  plugin: Plugin,
  of: Snapshot,
  options: { readonly run?: RunState; readonly now?: number; readonly markReadyFor?: readonly string[] } = {},
): Promise<Read> => {
  const state = options.run ?? run();
  const settings = { ...DEFAULTS, identities: ours.identities, markReadyFor: options.markReadyFor ?? [] };
  const facts = plugin.reviewer === undefined ? [] : [plugin.reviewer];
  const base: Inbox = {
    ...of,
    threads: threadsOf(of, { run: state, ours, trust: settings.trust }),
    signals: [],
    parties: partiesOf(of, facts, "everyone", new Set()),
    unknownBots: [],
    notes: [],
  };
  const ctx = {
    options: plugin.options,
    run: state,
    settings,
    inbox: base,
    dryRun: false,
    clock: { now: () => options.now ?? NOW, sleep: async () => undefined },
  } as unknown as Ctx<never>;
  const fetch = plugin.on.fetch;
  const inbox = typeof fetch === "function" ? await fetch(base, ctx) : base;
  return { inbox, ctx, signal: inbox.signals.find((each) => each.reviewer === plugin.name) };
};
