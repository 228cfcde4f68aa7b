/** What the tests of the agent's tools and of `suggestions` share: threads, an inbox, a context over files in memory. */
import { foldRun } from "../../core/index.js";
import type {
  Agent,
  AgentKind,
  AgentResult,
  AgentTask,
  Author,
  Ctx,
  Handlers,
  Inbox,
  Message,
  Place,
  Plugin,
  Settings,
  Thread,
  Triage,
  Work,
  WorkItem,
  Decision,
} from "../../core/index.js";

export const HEAD = "a".repeat(40);
export const PERSON: Author = { login: "kim", kind: "user", association: "MEMBER" };
export const STRANGER: Author = { login: "passer-by", kind: "user", association: "NONE" };
export const BOT: Author = { login: "acme-review", kind: "bot", association: "NONE" };
export const OTHER_BOT: Author = { login: "other-review", kind: "bot", association: "NONE" };

let count = 0;
export const message = (body: string, author: Author = BOT, over: Partial<Message> = {}): Message => {
  count += 1;
  return {
    id: `message-${count}`,
    databaseId: String(count),
    author,
    body,
    createdAt: 1_900_000_000_000 + count,
    updatedAt: 1_900_000_000_000 + count,
    url: "",
    minimised: false,
    pending: false,
    viewerCanMinimise: false,
    ...over,
  };
};

export const place = (path: string, line: number | undefined, startLine?: number, over: Partial<Place> = {}): Place => ({
  path,
  ...(line === undefined ? {} : { line }),
  ...(startLine === undefined ? {} : { startLine }),
  side: "RIGHT",
  subject: "line",
  outdated: false,
  ...over,
});

export const thread = (id: string, messages: readonly Message[], over: Partial<Thread> = {}): Thread => {
  const author = messages[0]?.author ?? BOT;
  return {
    id,
    source: "inline",
    home: "inline",
    author,
    ...(author.kind === "bot" ? { reviewer: author.login.replace("-review", "") } : {}),
    title: `Point ${id}`,
    severity: "medium",
    messages,
    url: `https://github.test/o/r/pull/1#${id}`,
    carrier: id,
    contentHash: `hash-${id}`,
    open: true,
    answered: false,
    replies: 0,
    trust: author.association === "NONE" && author.kind !== "bot" ? "stranger" : "trusted",
    canReply: true,
    canResolve: true,
    ...over,
  };
};

export const inboxOf = (threads: readonly Thread[]): Inbox => ({
  readAt: 1_900_000_000_000,
  viewer: { login: "kim-agent", kind: "user" },
  pullRequest: {
    ref: { host: "github.test", owner: "o", name: "r", number: 1 },
    id: "PR",
    url: "https://github.test/o/r/pull/1",
    title: "A change",
    body: "Why it is made.",
    author: PERSON,
    state: "open",
    draft: false,
    locked: false,
    archived: false,
    inMergeQueue: false,
    head: { sha: HEAD, branch: "change" },
    base: { sha: "b".repeat(40), branch: "main", cloneUrl: "https://github.test/o/r.git" },
    fork: false,
    maintainerCanModify: true,
    viewerPermission: "write",
    mergeable: "MERGEABLE",
    mergeState: "CLEAN",
    requiresConversationResolution: false,
    requiredChecks: [],
    createdAt: 0,
    updatedAt: 0,
  },
  reviewThreads: [],
  reviews: [],
  comments: [],
  reactions: [],
  checks: null,
  requests: [],
  timeline: [],
  threads,
  signals: [],
  parties: [],
  unknownBots: [],
  notes: [],
});

export interface Situation {
  /** Text by path: at head, and in the worktree unless `worktree` says otherwise. */
  readonly files?: Readonly<Record<string, string>>;
  readonly worktree?: Readonly<Record<string, string>>;
  readonly agent?: (task: AgentTask) => AgentResult;
  readonly settings?: Partial<Settings>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly refuses?: string;
  readonly noGit?: boolean;
}

export interface Stage {
  readonly ctx: Ctx<never>;
  readonly asked: AgentTask[];
  readonly warnings: string[];
  readonly edits: Record<string, string | null>;
}

const unused = (): never => {
  throw new Error("this test needs no such port");
};

export const stageOf = (plugin: Plugin, inbox: Inbox, situation: Situation = {}): Stage => {
  const asked: AgentTask[] = [];
  const warnings: string[] = [];
  const edits: Record<string, string | null> = {};
  const { files = {}, agent } = situation;
  const worktree: Record<string, string | null> = { ...(situation.worktree ?? files) };
  const port: Agent | undefined =
    agent === undefined
      ? undefined
      : {
          name: "fake",
          ask: async (task) => {
            asked.push(task);
            return agent(task);
          },
        };
  const ctx = {
    options: { ...plugin.options, ...situation.options },
    run: foldRun([]),
    settings: {
      identities: [],
      nitpicks: "answer",
      trust: { logins: [], everyone: false, protected: [".github/**"] },
      ...situation.settings,
    },
    inbox,
    dryRun: false,
    forge: {},
    ...(situation.noGit === true
      ? {}
      : {
          git: {
            root: "/worktree",
            head: unused,
            tree: unused,
            treeOf: unused,
            changes: unused,
            patch: unused,
            remoteHead: unused,
            read: async (path: string) => worktree[path] ?? undefined,
            show: async (revision: string, path: string) => (revision === HEAD ? files[path] : undefined),
            edit: async (path: string, content: string | null) => {
              if (situation.refuses !== undefined) throw new Error(situation.refuses);
              worktree[path] = content;
              edits[path] = content;
            },
          },
        }),
    shell: { run: unused },
    agent: (_kind: AgentKind) => port,
    clock: { now: () => 0, sleep: unused },
    signal: new AbortController().signal,
    log: { info: () => {}, warn: (text: string) => warnings.push(text), debug: () => {} },
    note: unused,
  };
  return { ctx: ctx as unknown as Ctx<never>, asked, warnings, edits };
};

const handler = <P extends "triage" | "fix">(plugin: Plugin, phase: P): Extract<Handlers<never>[P], (...args: never[]) => unknown> => {
  const found = plugin.on[phase];
  if (typeof found !== "function") throw new Error(`${plugin.name} has no plain handler for ${phase}`);
  return found as never;
};

export const triageBy = async (
  plugin: Plugin,
  threads: readonly Thread[],
  situation: Situation = {},
): Promise<Stage & { readonly triage: Triage }> => {
  const inbox = inboxOf(threads);
  const stage = stageOf(plugin, inbox, situation);
  const triage = await handler(plugin, "triage")({ undecided: threads, decided: [] }, inbox, stage.ctx);
  return { ...stage, triage };
};

export const todo = (thread: Thread, decision: Partial<Decision> = {}): WorkItem => ({
  thread,
  decision: { kind: "actionable", why: "it holds", reply: null, ...decision },
});

export const fixBy = async (
  plugin: Plugin,
  items: readonly WorkItem[],
  situation: Situation = {},
): Promise<Stage & { readonly work: Work }> => {
  const inbox = inboxOf(items.map((item) => item.thread));
  const stage = stageOf(plugin, inbox, situation);
  const work = await handler(plugin, "fix")({ todo: items, done: [], reasons: {} }, inbox, stage.ctx);
  return { ...stage, work };
};
