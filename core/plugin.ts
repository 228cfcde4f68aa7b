/** What a plugin is, and the four ways to define one. */
import type {
  AgentKind,
  Blocker,
  DecisionKind,
  Duration,
  Inbox,
  Severity,
  Signal,
  SignalState,
  Check,
  Message,
  Reaction,
  Review,
  Sha,
  Instant,
  PullRequest,
  RunState,
  Asked,
} from "./model.js";
import type { Ctx } from "./ports.js";
import type { Handlers } from "./phases.js";

export type PluginKind = "reviewer" | "target" | "tool";

/** Whom a target asks, awaits and lets block. Everybody's threads count all the same. */
export type Awaits = "everyone" | "required" | "nobody";

/** A rule of the target's under which points that are left hold nothing any more. */
export interface Stopping {
  /** `round-cap`, `all-nitpick`. */
  readonly rule: string;
  /** One sentence: what applies, with the numbers. */
  readonly detail: string;
  /** Threads that stop being blockers; still listed. */
  readonly leftovers: readonly string[];
}
/** Pure: does such a rule apply, given what holds the target up? */
export type StoppingRule = (
  inbox: Inbox,
  blockers: readonly Blocker[],
  at: { readonly run: RunState; readonly options: Readonly<Record<string, unknown>> },
) => Stopping | undefined;

export interface Plugin {
  readonly name: string;
  readonly kind: PluginKind;
  readonly options: Readonly<Record<string, unknown>>;
  readonly on: Handlers<never>;
  /** For a target. */
  readonly awaits?: Awaits;
  /** For a target that stops although points are left. */
  readonly stopping?: StoppingRule;
  /** For a reviewer: who it is and how it is asked, as data. */
  readonly reviewer?: ReviewerFacts;
  /** What made it: lets a config check its options and lay others over them. */
  readonly factory?: PluginFactory<never>;
}

export interface PluginFactory<O extends object = never> {
  (options?: Partial<O>): Plugin;
  readonly pluginName: string;
  readonly kind: PluginKind;
  readonly schema: object;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly reviewer?: ReviewerFacts;
}

export interface PluginSpec<O extends object> {
  /** Kebab-case, equal to the file's name. */
  readonly name: string;
  readonly kind: PluginKind;
  /** JSON Schema of the options; `additionalProperties: false`. */
  readonly schema?: object;
  readonly defaults?: O;
  readonly on: Handlers<NoInfer<O>>;
}

export interface TargetSpec<O extends object> extends Omit<PluginSpec<O>, "kind"> {
  readonly awaits: Awaits;
  readonly stopping?: StoppingRule;
}

// ---------------------------------------------------------------- reviewers

/** Who posts for a reviewer. */
export interface Identity {
  /** Normalised: no `[bot]`, lower case, the whole login. Empty (with `bot: false` only): any account that may write here. */
  readonly logins: readonly string[];
  /** Must the account be a bot? With `false` a marker is required: people quote bots. */
  readonly bot: boolean;
  /** A body must match it to be this reviewer's (several reviewers under one login). */
  readonly marker?: RegExp;
  /** `databaseId`s of these accounts: some surfaces name the author of a reaction as a person. */
  readonly accounts?: readonly number[];
  /** A body that matches it is not this reviewer's. */
  readonly not?: RegExp;
}

export interface ReviewerFacts {
  readonly name: string;
  readonly identities: readonly Identity[];
  /** Pure: what one body says; for `reviewloop read-body`. */
  readonly read?: (post: Post) => BodyReading;
  /** Name of its check run or commit status. */
  readonly check?: RegExp;
  readonly requestBy: "comment" | "review-request" | "push" | "run" | "none";
  /** Text that starts it: must never leave in anything but a request. */
  readonly trigger?: string;
  /** It ignores triggers that bots write. */
  readonly peopleOnly?: true;
  readonly reviewsDrafts: boolean;
  readonly rerun: boolean;
  readonly required: boolean;
  readonly missing: "stop" | "go-on";
  /** Milliseconds: between two looks, from asking to giving up, from a push to its first sign. */
  readonly wait: { readonly poll: number; readonly timeout: number; readonly start: number };
}

/** One text of a reviewer's, wherever it stands. The same input as `reviewloop read-body` takes. */
export interface Post {
  readonly source: "issue_comment" | "review" | "review_comment" | "pr_body" | "check" | "reaction";
  /** Empty for a reaction. */
  readonly body: string;
  /** Normalised. */
  readonly login: string;
  readonly bot: boolean;
  readonly at: Instant;
  readonly url: string;
  /** Node id of what carries it. */
  readonly id: string;
  /** The commit GitHub binds it to (review, check). */
  readonly commit?: Sha;
  readonly check?: Check;
  readonly review?: Review;
  /** For a reaction: the request that it is to. */
  readonly message?: Message;
  readonly reaction?: Reaction;
}

/** A point that a body makes. */
export interface Finding {
  readonly title: string;
  readonly body: string;
  readonly severity: Severity;
  readonly severityRaw?: string;
  readonly path?: string;
  readonly line?: number;
  readonly endLine?: number;
  /** The bot's own id for the point, equal wherever it repeats it. */
  readonly stableId?: string;
  /** Section it stands in ("outside diff", "nitpicks", "suppressed"). */
  readonly where?: string;
}

/** What one body says. */
export interface BodyReading {
  /** A notice, an acknowledgement, another product of the same login: never a result, never a finding. */
  readonly notAReview?: boolean;
  readonly signal?: {
    readonly state: SignalState;
    readonly score?: { readonly value: number; readonly max: number };
    readonly verdict?: "approve" | "needs-attention";
    readonly verdictRaw?: string;
    readonly counts?: Signal["counts"];
    readonly reason?: string;
    /** Milliseconds. */
    readonly retryAfter?: number;
    /** Full or short id that the body names. */
    readonly reviewedCommit?: string;
  };
  readonly findings: readonly Finding[];
  /** The whole text is one point: it may raise something, and no grammar tells what. */
  readonly point?: Finding;
  /** The body says that a later one replaces it. */
  readonly superseded?: boolean;
  /** `full`: a report of all that is open on its head, so that points of older bodies which it lacks are gone. */
  readonly covers?: "full" | "new";
}

/** All that a reviewer left on the pull request, each body already read; newest last. */
export interface Posts {
  readonly all: readonly { readonly post: Post; readonly reading: BodyReading }[];
  readonly checks: readonly Check[];
  readonly head: Sha;
  /** When we saw this head arrive. */
  readonly headSince: Instant;
  readonly pullRequest: PullRequest;
  /** Our request for this head, where one was made. */
  readonly asked?: Asked;
  readonly pendingRequest: boolean;
  readonly inbox: Inbox;
}

export type RequestHow<O> =
  | {
      readonly by: "comment";
      /** The trigger: only the mention and the word. */
      readonly text: string | ((ctx: Ctx<O>) => string);
      /** Older triggers of ours are hidden as OUTDATED once the result is there. */
      readonly collapse?: boolean;
      /** Does this text mention the bot as a trigger does (older prose triggers included)? */
      readonly mentions?: RegExp;
      /** How its name stands in prose: what an agents' account wrote about it counts as an older trigger. */
      readonly handle?: RegExp;
    }
  | { readonly by: "review-request"; readonly login: string; readonly bot: boolean; readonly endpoint?: "copilot-code-review" }
  | {
      readonly by: "push";
      /** A comment that starts it where a push does not: it is paused, was skipped as a draft, failed, or gave no sign. */
      readonly otherwise?: {
        readonly text: string;
        readonly mentions?: RegExp;
        /** It ignores triggers that bots write. */ readonly peopleOnly?: boolean;
      };
    }
  | { readonly by: "run" }
  | { readonly by: "none" };

export interface ReviewerSpec<O extends object> {
  readonly name: string;
  readonly schema?: object;
  readonly defaults?: O;
  /** Who posts for it; where that is a matter of the config, a function of the options. */
  readonly owns: Identity | readonly Identity[] | ((options: Readonly<Partial<NoInfer<O>>>) => readonly Identity[]);
  readonly check?: RegExp;
  readonly request: RequestHow<NoInfer<O>>;
  readonly reviewsDrafts: boolean;
  readonly rerun: boolean;
  readonly missing?: "stop" | "go-on";
  readonly wait: { readonly poll: Duration; readonly timeout: Duration; readonly start: Duration };
  /** Pure: what one body says. Bodies are untrusted text of up to 64 KiB; linear time. */
  readonly body: (post: Post) => BodyReading;
  /** Pure: the reviewer's signal for the head, where the standard combination (newest result bound to the head) is not enough. */
  readonly signal?: (standard: Signal, posts: Posts, ctx: Ctx<NoInfer<O>>) => Signal;
  /** Further blockers of a fresh, reviewed signal (a score too low). The state itself is judged by the core. */
  readonly satisfied?: (signal: Signal, ctx: Ctx<NoInfer<O>>) => readonly Blocker[];
  /**
   * What its reactions to the description or to a request say, where it speaks by them: `running` = it has seen the request, `reviewed` = it
   * is done and has nothing to say. One that is older than the head, or stands on an older request, says nothing about the head.
   */
  readonly reactions?: Readonly<Partial<Record<Reaction["content"], "running" | "reviewed" | "failed">>>;
  /** A message of the bot's that only acknowledges ("Addressed in ..."): does not re-open an answered thread. */
  readonly acknowledges?: (message: Message) => boolean;
  /** The part of a body that carries its meaning; cosmetic edits outside of it don't make a new body. */
  readonly essence?: (body: string) => string;
  readonly notes?: (posts: Posts) => readonly string[];
  /**
   * The sentence about findings that it counts as hidden and shows nowhere that an API reaches: with it they are told in the report and hold
   * nothing. Without it, what `counts` names is held against what was read, hidden ones too; a shortfall is no review.
   */
  readonly hidden?: (count: number) => string;
}

/** Options that every reviewer has beside its own. */
export interface CommonReviewerOptions {
  readonly required?: boolean;
  readonly rerun?: boolean;
  readonly missing?: "stop" | "go-on";
  readonly wait?: { readonly poll?: Duration; readonly timeout?: Duration; readonly start?: Duration };
  readonly logins?: readonly string[];
}

// ---------------------------------------------------------------- agents

export interface AgentRun {
  readonly kind: string;
  /** Folder of this call: `input.json`, `output.json`, `schema.json`. */
  readonly folder: string;
  readonly input: string;
  readonly output: string;
  readonly schema: string;
  readonly worktree: string;
  /** Instructions and data for a model: what a coding client gets on its standard input. */
  readonly prompt: string;
  /** The task as one JSON document: what a `command` gets on its standard input. */
  readonly document: string;
  /** Folder of the config that names the agent: what its relative paths are meant from. The worktree is somebody else's code. */
  readonly configFolder?: string;
  /** The schema itself, for a client that takes it as an argument. */
  readonly answerSchema: object;
  /**
   * For a client without a flag for a schema: command line of an MCP server (standard streams) with the one tool `submit_result`, which takes
   * the answer, refuses what can't be used with the reasons, and writes a good one to `output`.
   */
  readonly submit: readonly string[];
}

/** A coding agent as data: how it is started and how its answer is found. */
export interface AgentDefinition {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Prints its version, at no cost: `["claude", "--version"]`. */
  readonly detect?: readonly string[];
  /**
   * Whether it is signed in, as far as that can be known at no cost: a command whose exit code says so, and variables that are a sign-in by
   * themselves.
   */
  readonly signIn?: { readonly status?: readonly string[]; readonly keys: readonly string[] };
  /** Names of environment variables that may reach it beside the common ones: its own sign-in and settings. Never a GitHub token. */
  readonly environment?: readonly string[];
  /** Kinds that it can do; all of them where absent. */
  readonly kinds?: readonly AgentKind[];
  /**
   * Paths in the worktree that this client runs whatever it is told: with one of them there, it is not started. For what no flag keeps out.
   */
  readonly refuses?: readonly string[];
  /** What to do where it is missing, as one sentence. */
  readonly install?: string;
  readonly command: (run: AgentRun) => {
    readonly argv: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin: string;
    /** Written into `folder` before the start, by name: settings for a client that takes them from a file only. */
    readonly files?: Readonly<Record<string, string>>;
  };
  readonly answer: (out: {
    readonly stdout: string;
    readonly exitCode: number | undefined;
    readonly output: string | undefined;
    /** The last of standard error: for the client's own error messages only. */
    readonly stderr: string;
  }) =>
    | { readonly value: unknown }
    | { readonly failure: { readonly kind: "auth" | "rate" | "limit" | "crash" | "no-answer"; readonly detail: string } };
  readonly usage?: (stdout: string, output?: string) => { readonly tokens?: number; readonly money?: number };
}

const freeze = <T extends object>(value: T): Readonly<T> => Object.freeze(value);

const factoryOf = <O extends object>(spec: PluginSpec<O>, extra: Pick<Plugin, "awaits" | "stopping"> = {}): PluginFactory<O> => {
  const defaults = freeze({ ...spec.defaults }) as Readonly<Record<string, unknown>>;
  const make = (options: Partial<O> = {}): Plugin =>
    freeze({
      name: spec.name,
      kind: spec.kind,
      options: freeze({ ...defaults, ...options }),
      on: spec.on,
      factory,
      ...extra,
    });
  const factory: PluginFactory<O> = Object.assign(make, {
    pluginName: spec.name,
    kind: spec.kind,
    schema: spec.schema ?? { type: "object", additionalProperties: false },
    defaults,
  });
  return factory;
};

/** Defines a tool (or, without sugar, any plugin). Options arrive in `ctx.options`. */
export const definePlugin = <O extends object = Record<never, never>>(spec: PluginSpec<O>): PluginFactory<O> => factoryOf(spec);

/** Defines a target: what must hold. Exactly one is in force in a run. */
export const defineTarget = <O extends object = Record<never, never>>(spec: TargetSpec<O>): PluginFactory<O> =>
  factoryOf({ ...spec, kind: "target" }, { awaits: spec.awaits, ...(spec.stopping === undefined ? {} : { stopping: spec.stopping }) });

/** Types an agent definition; returns it frozen. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => freeze(definition);

export type { DecisionKind };
