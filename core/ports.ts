/** The interfaces to everything outside: `forge`, `git`, `shell`, `agent`, `clock`, `store`. Plugins get the read-only halves. */
import type {
  AgentKind,
  Check,
  CommitPlan,
  DecisionKind,
  Entry,
  Instant,
  PullRequest,
  PullRequestRef,
  Pulse,
  RepositoryRef,
  RunState,
  Sha,
  Snapshot,
  Synced,
  Thread,
  Tree,
  Viewer,
  Wait,
  Write,
  WriteKind,
  WriteOf,
  WriteResult,
  Author,
  Inbox,
  Decision,
} from "./model.js";
import type { Settings } from "./settings.js";

/** What a forge can tell. Every read is complete or throws `READ_INCOMPLETE`. */
export interface ForgeReads {
  /** Which writes exist here. The core asks this, never which adapter it has. */
  readonly can: ReadonlySet<WriteKind>;
  /** Requests and points used so far. */
  readonly cost: { readonly requests: number; readonly points: number };
  viewer(): Promise<Viewer>;
  /** Everything about one pull request, at one moment. */
  read(ref: PullRequestRef, signal?: AbortSignal): Promise<Snapshot>;
  /** One cheap request. */
  pulse(ref: PullRequestRef, signal?: AbortSignal): Promise<Pulse>;
  /** Who posted, reviewed or was requested on the 20 last updated pull requests, and which apps ran checks. One request. */
  recent(repository: RepositoryRef, signal?: AbortSignal): Promise<readonly Author[]>;
  /** Number of the newest open pull request whose head is this branch. */
  pullRequestOf(repository: RepositoryRef, branch: string, signal?: AbortSignal): Promise<number | undefined>;
  /** The newest run of each check of any commit; `null`: none registered. Absent: this forge knows the head's only. */
  checksAt?(repository: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<readonly Check[] | null>;
  /** A file of a commit as text; undefined where there is none, or none that is text. */
  fileAt?(repository: RepositoryRef, sha: Sha, path: string, signal?: AbortSignal): Promise<string | undefined>;
}

export interface Forge extends ForgeReads {
  /**
   * The outward act. All writes of one call have the same kind; the result has one entry each, in order.
   * A refusal is a result. A throw means that the fate of the whole call is unknown (or that nothing was sent, for a sign-in error).
   */
  write(writes: readonly ForgeWrite[], on: PullRequest, signal?: AbortSignal): Promise<readonly WriteResult[]>;
}
export type ForgeWrite = Exclude<Write, WriteOf<"push"> | WriteOf<"command">>;

export interface FileChange {
  readonly path: string;
  /** The path before, for a rename. */
  readonly was?: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "type-changed";
  /** Git's file mode after the change: `100644`, `100755`, `120000` (link), `160000` (submodule), `000000` (gone). */
  readonly mode: string;
  readonly modeBefore: string;
  readonly binary: boolean;
}

/** Our own linked worktree of the pull request's head, never the user's checkout. */
export interface GitReads {
  /** Folder of the worktree. */
  readonly root: string;
  /** What the worktree was checked out at; moves with our own draft commits. */
  head(): Promise<Sha>;
  /** Hash of everything in the worktree, untracked files included, ignored ones not. */
  tree(): Promise<Tree>;
  treeOf(revision: Sha | Tree): Promise<Tree>;
  /** A file of the worktree as text (UTF-8, line ends kept); undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** A file of a revision. */
  show(revision: Sha | Tree, path: string): Promise<string | undefined>;
  changes(from: Tree, to: Tree): Promise<readonly FileChange[]>;
  /** A binary patch from one tree to the other. */
  patch(from: Tree, to: Tree): Promise<string>;
  /** The branch's tip on the remote, read from the remote. */
  remoteHead(): Promise<Sha>;
}

/** What a `fix` handler may do: change files of our worktree. Nothing leaves the machine by it. */
export interface Edits {
  /** `null` deletes. Refuses a path outside the worktree and one through a symbolic link. */
  edit(path: string, content: string | null): Promise<void>;
  /** Merges the base into the worktree or rebases onto it; local only. Conflicts are in the answer, and the worktree is as before. */
  sync(policy: "merge" | "rebase", base: Sha): Promise<Synced>;
}

export interface Git extends GitReads, Edits {
  /** Prepares the worktree at this head, reusing an older one; runs `setup` once per lock file. Throws `GIT_FAILED`, `WORKTREE_SETUP`. */
  open(pullRequest: PullRequest, setup: string | false | undefined, signal?: AbortSignal): Promise<void>;
  /** Makes the worktree exactly this revision or tree; ignored files stay. */
  checkout(revision: Sha | Tree): Promise<void>;
  /** The tree that comes of applying a patch of `patch` to a revision; the worktree is not touched. Throws `GIT_FAILED` where it doesn't apply. */
  apply?(onto: Sha | Tree, patch: string): Promise<Tree>;
  /** A local draft commit of exactly this tree on top of `parent`, with the user's identity, no hook run. */
  commit(tree: Tree, parent: Sha, plan: CommitPlan): Promise<Sha>;
  write(push: WriteOf<"push">, on: PullRequest, signal?: AbortSignal): Promise<WriteResult>;
  /** Ends the use of the worktree; the folder may be kept for the next run. */
  close(): Promise<void>;
}

export interface ShellTask {
  /** A command line, given to the shell; it comes from the config only. */
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Gets the whole output. A relative path lies in the adapter's log folder; without such a folder there is no file. */
  readonly logFile?: string;
  /** Given on standard input, which is empty otherwise. */
  readonly input?: string;
}

export interface ShellResult {
  /** False: the program could not be started (`127`, `126`, or no shell). */
  readonly started: boolean;
  readonly exitCode?: number;
  readonly timedOut: boolean;
  /** The last lines of both streams, redacted. */
  readonly output: string;
  /** Of a task with `input`: the end of standard output alone. */
  readonly stdout?: string;
  readonly took: number;
  readonly logFile?: string;
}

export interface Shell {
  run(task: ShellTask, signal?: AbortSignal): Promise<ShellResult>;
}

/** A thread as an agent gets it: data, cleaned of invisible characters and HTML comments. */
export interface AgentThread {
  readonly id: string;
  readonly source: Thread["source"];
  readonly title: string;
  readonly severity: Thread["severity"];
  readonly reviewer: string | null;
  readonly author: string;
  readonly association: Author["association"];
  readonly isBot: boolean;
  readonly path: string | null;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly outdated: boolean;
  /** The lines around the place at head, each with its number. */
  readonly code: string | null;
  readonly suggestion: string | null;
  readonly comments: readonly { readonly author: string; readonly body: string; readonly at: string; readonly ours: boolean }[];
  /** For `fix`: why it was decided so. For `verify`: what was decided or changed. Else what was decided on an earlier state of the thread. */
  readonly why: string | null;
  /** For `fix` and `verify`: threads with the same root make the same point. */
  readonly root: string | null;
}

export interface AgentTask {
  readonly protocol: 1;
  readonly kind: AgentKind;
  readonly pullRequest: { readonly url: string; readonly title: string; readonly body: string; readonly author: string };
  readonly head: Sha;
  readonly base: Sha;
  /** Folder to work in; for `triage` only to read. */
  readonly worktree: string;
  readonly threads: readonly AgentThread[];
  readonly rules: readonly string[];
  /** JSON Schema of the answer: object root, every property required, no additional ones. */
  readonly schema: object;
  /** Only when asked again: what was wrong with the first answer. */
  readonly problems?: readonly string[];
}

export interface TriageAnswer {
  readonly decisions: readonly {
    readonly thread: string;
    readonly kind: DecisionKind;
    readonly why: string;
    readonly reply: string | null;
    readonly root: string | null;
    readonly question: string | null;
  }[];
}
export interface FixAnswer {
  readonly changed: readonly { readonly thread: string; readonly summary: string; readonly files: readonly string[] }[];
  readonly unfixed: readonly { readonly thread: string; readonly why: string }[];
}

export type AgentFailure = {
  readonly kind: "timeout" | "auth" | "rate" | "limit" | "crash" | "no-answer" | "bad-answer";
  readonly detail: string;
};
export type AgentResult = ({ readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly failure: AgentFailure }) & {
  readonly took: number;
  readonly tokens?: number;
  readonly money?: number;
};

export interface Agent {
  readonly name: string;
  /** One call, one JSON document in, one out; the answer fits `task.schema`, names every thread once and invents none, or it is a failure. */
  ask(task: AgentTask, signal?: AbortSignal): Promise<AgentResult>;
}

export interface Clock {
  now(): Instant;
  /** Rejects with `ABORTED` when the signal fires. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface Journal {
  readonly entries: readonly Entry[];
  /** On disk (fsync) when it resolves. */
  append(entry: Entry): Promise<void>;
  /** Gives the lease back. */
  close(): Promise<void>;
}

export interface Store {
  /** Takes the lease; throws `LEASE_HELD`. */
  open(ref: PullRequestRef): Promise<Journal>;
  /** Without the lease, for reading commands. */
  peek(ref: PullRequestRef): Promise<readonly Entry[]>;
  /** Kept per repository, over all its pull requests: a few facts that save requests or questions. */
  remember(repository: RepositoryRef, key: string, value: unknown, at: Instant): Promise<void>;
  recall(repository: RepositoryRef, key: string): Promise<{ readonly value: unknown; readonly at: Instant } | undefined>;
}

export interface Ports {
  readonly forge: Forge;
  /** Absent where no worktree can be had (then there is no fix and no push). */
  readonly git?: Git;
  readonly shell: Shell;
  readonly agent?: Agent;
  /** Agents by role, where they differ from `agent`. */
  readonly agents?: Readonly<Partial<Record<AgentKind, Agent>>>;
  readonly clock: Clock;
  readonly store: Store;
}

/** What a run tells while it goes on. The command line prints it; an embedder may ignore it. */
export type Progress = { readonly at: Instant } & (
  | { readonly type: "phase"; readonly phase: string; readonly iteration: number; readonly detail?: string }
  | { readonly type: "read"; readonly threads: number; readonly open: number; readonly head: Sha }
  | {
      readonly type: "decided";
      readonly thread: string;
      readonly title: string;
      readonly kind: DecisionKind;
      readonly index: number;
      readonly of: number;
    }
  | { readonly type: "fixed"; readonly thread: string; readonly title: string; readonly summary: string }
  | {
      readonly type: "gate";
      readonly gate: string;
      readonly result: "green" | "red" | "failed";
      readonly took?: number;
      readonly reused?: true;
    }
  | {
      readonly type: "write";
      readonly write: Write;
      readonly result: WriteResult;
      /** Which of how many of this step; absent for one alone. */
      readonly index?: number;
      readonly of?: number;
    }
  | {
      readonly type: "waiting";
      readonly for: readonly string[];
      readonly since: Instant;
      readonly until: Instant;
      /** Each one: for whom, since when, until when. */
      readonly waits?: readonly Wait[];
    }
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "span"; readonly phase: string; readonly plugin: string; readonly took: number }
  | { readonly type: "stop"; readonly stop: string; readonly detail: string }
);

export interface Log {
  info(text: string): void;
  warn(text: string): void;
  debug(text: string): void;
}

/** The frozen last argument of every handler. */
export interface Ctx<O = unknown> {
  /** The plugin's own, defaults applied. */
  readonly options: O;
  readonly run: RunState;
  readonly settings: Settings;
  /** The pull request as last read; undefined in the first `sync` and `gate` only where nothing was read yet. */
  readonly inbox: Inbox;
  readonly dryRun: boolean;
  readonly forge: ForgeReads;
  readonly git?: GitReads & Edits;
  readonly shell: Shell;
  /** The agent for a role; undefined where none is configured, for `verify` where none is named for it. Calls are counted and journaled. */
  agent(kind: AgentKind): Agent | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Kept per plugin and pull request; read back from `ctx.run.notes[plugin]`. */
  note(key: string, value: unknown): Promise<void>;
  /** Kept per plugin and repository, over all its pull requests. A dry run remembers nothing. */
  readonly repository?: {
    recall(key: string): Promise<unknown>;
    remember(key: string, value: unknown): Promise<void>;
  };
}

/** Whose words are ours: the token's account together with our marker, or an account that only agents use. */
export interface Ours {
  readonly viewer: Viewer;
  readonly identities: readonly string[];
}
export type { Decision };
