/** `reviewloop`: the core's public entry, and `run`, which joins built-in plugins, presets and the default adapters. */
import { dirname, join, relative, resolve, sep } from "node:path";
import {
  agentProcess,
  belongsTo,
  cloneAt,
  fileAt,
  defaultStateFolder,
  examine,
  fileStore,
  findToken,
  gitWorktree,
  githubForge,
  homeOf,
  hostFrom,
  parseReference,
  pullRequestFolder,
  shell,
  systemClock,
  systemEnvironment,
} from "./core/adapters/index.js";
import type { Environment, GithubHost } from "./core/adapters/index.js";
import { findConfig, findRoot, loadConfig } from "./core/config/load.js";
import { resolveConfig } from "./core/config/resolve.js";
import type { Resolved } from "./core/config/resolve.js";
import { ReviewloopError } from "./core/errors.js";
import type {
  AgentDefinition,
  AgentKind,
  Clock,
  Config,
  PlanDocument,
  Entry,
  Plugin,
  Ports,
  PullRequestRef,
  Report,
} from "./core/index.js";
import { findSecrets, redactor } from "./core/redact.js";
import { listReviewers } from "./core/reviewer/listing.js";
import type { ReviewersListing } from "./core/reviewer/listing.js";
import { cancelRequests, markDraft, markReady, replyTo, requestReviews, resolveThread } from "./core/acts.js";
import type { Acted, ReplyOrder } from "./core/acts.js";
import { doctorLines } from "./core/doctor.js";
import type { DoctorLine } from "./core/doctor.js";
import { lookAt } from "./core/look.js";
import type { Look } from "./core/look.js";
import { outsideThreads } from "./core/reading/outside.js";
import type { OutsideThread } from "./core/reading/outside.js";
import { waitForWork } from "./core/waiting.js";
import type { Waited } from "./core/waiting.js";
import { runLoop } from "./core/session.js";
import { shellWord } from "./core/shell-words.js";
import type { RunOptions } from "./core/session.js";
import { pluginMemory } from "./core/plugin-memory.js";
import { builtinAgents, builtinPlugins } from "./plugins/index.js";
import { declinedFrom, declineLedger } from "./plugins/tools/decline-ledger.js";
import type { Declined } from "./plugins/tools/decline-ledger.js";
import { builtinPresets } from "./presets/index.js";

export * from "./core/index.js";
export { describeConfig } from "./core/config/describe.js";
export { reportOfLook } from "./core/look.js";
export type { Look } from "./core/look.js";
export type { DoctorLine } from "./core/doctor.js";
export type { Acted, ReplyOrder } from "./core/acts.js";
export { findThread as findThreadIn } from "./core/reading/find-thread.js";
export type { OutsideThread } from "./core/reading/outside.js";
export type { Waited } from "./core/waiting.js";
export type { ReviewerLine, ReviewersListing } from "./core/reviewer/listing.js";
export type { Resolved } from "./core/config/resolve.js";

/** Everything that names the work: which pull request, from where, under which config. */
export interface Request {
  /** A URL, `#12`, `12`; absent = the pull request of the current branch. */
  readonly pullRequest?: string;
  /** Folder to start from; default: the current one. */
  readonly folder?: string;
  /** A config file, or a config; absent = the one at the top of the checkout. */
  readonly config?: string | Config;
  readonly preset?: string;
  /** Laid over the config: what a command line says. */
  readonly overrides?: Config;
  /** What a stopping rule of the target leaves behind becomes one issue. */
  readonly followUp?: "issue";
  /** Default: the process's. Chooses host and sign-in; no config can. */
  readonly environment?: Environment;
  readonly clock?: Clock;
}

export interface RunRequest
  extends Request, Pick<RunOptions, "park" | "reportOnly" | "yes" | "confirm" | "approve" | "trustHead" | "all" | "onProgress"> {
  readonly signal?: AbortSignal;
}

/** A request with everything found: where it goes, what is in force, the adapters. */
interface Opened {
  readonly ref: PullRequestRef;
  readonly resolved: Resolved;
  readonly ports: Ports;
  readonly outgoing: RunOptions["outgoing"];
  /** Neither a clone nor a config: looking and planning only. */
  readonly planOnly: boolean;
}

const config = async (request: Request, folder: string, environment: Environment, belongs: boolean): Promise<Resolved> => {
  const file = typeof request.config === "string" ? request.config : undefined;
  const given = typeof request.config === "object" ? request.config : undefined;
  // A folder that belongs to another repository has nothing to say about this one.
  const loaded =
    given === undefined && (belongs || file !== undefined)
      ? await loadConfig(
          { folder, ...(file === undefined ? {} : { file }) },
          { ci: environment["CI"] !== undefined && environment["CI"] !== "" },
        )
      : undefined;
  return resolveConfig({
    builtIns: { plugins: builtinPlugins, presets: builtinPresets, agents: builtinAgents },
    ...(loaded === undefined ? {} : { loaded }),
    ...(given === undefined ? {} : { config: given }),
    ...(request.overrides === undefined ? {} : { overrides: request.overrides }),
    ...(request.preset === undefined ? {} : { preset: request.preset }),
    folder,
  });
};

/** What is in force in a folder, without a pull request. */
export const resolveHere = async (request: Request = {}): Promise<Resolved> => {
  const folder = resolve(request.folder ?? ".");
  return config(request, folder, request.environment ?? systemEnvironment(), true);
};

const reference = async (
  request: Request,
  host: GithubHost,
  folder: string,
  forgeFor: () => Promise<Ports["forge"]>,
): Promise<{ ref: PullRequestRef; checkout: string | undefined }> => {
  const clone = await cloneAt(folder);
  const home = clone === undefined ? undefined : homeOf(clone, host.host);
  if (request.pullRequest === undefined) {
    const number =
      home === undefined || clone?.branch === undefined ? undefined : await (await forgeFor()).pullRequestOf(home, clone.branch);
    if (home === undefined || number === undefined)
      throw new ReviewloopError("PULL_REQUEST_UNKNOWN", { ref: clone?.branch ?? "(no branch)" });
    return { ref: { ...home, number }, checkout: clone?.root };
  }
  const ref = parseReference(request.pullRequest, host, home);
  if (ref === undefined) throw new ReviewloopError("PULL_REQUEST_UNKNOWN", { ref: request.pullRequest });
  return { ref, checkout: clone !== undefined && belongsTo(clone, ref) ? clone.root : undefined };
};

/**
 * A config that differs from the base branch's runs somebody's code: on a fork's pull request it is not loaded without a word from the user.
 * Nothing is run to find out; only a config that differs from what the clone knows of the base costs a read.
 */
const refuseForeignConfig = async (ref: PullRequestRef, checkout: string, forge: Ports["forge"], signal: AbortSignal): Promise<void> => {
  const found = await findConfig(await findRoot(checkout));
  if (found === undefined) return;
  const path = relative(checkout, found.file).replaceAll(sep, "/");
  if ((await fileAt(checkout, "refs/remotes/origin/HEAD", path)) === found.content) return;
  const { pullRequest } = await forge.read(ref, signal);
  if (!pullRequest.fork || (await fileAt(checkout, pullRequest.base.sha, path)) === found.content) return;
  throw new ReviewloopError("CONFIG_UNTRUSTED", { file: path, base: pullRequest.base.branch });
};

/** Finds everything that a request leaves open. Throws usage, config and sign-in errors. */
const open = async (request: RunRequest, signal: AbortSignal): Promise<Opened> => {
  const environment = request.environment ?? systemEnvironment();
  const folder = resolve(request.folder ?? ".");
  const clock = request.clock ?? systemClock();
  const host = hostFrom(environment);
  const token = await findToken(host.host, environment);
  const redact = redactor([token]);
  const forgeWith = (pace: number): Ports["forge"] =>
    githubForge({ apiUrl: host.apiUrl, graphqlUrl: host.graphqlUrl, host: host.host, token, clock, pace });
  const { ref, checkout } = await reference(request, host, folder, async () => forgeWith(0));
  if (checkout !== undefined && request.config === undefined && request.trustHead !== true)
    await refuseForeignConfig(ref, checkout, forgeWith(0), signal);
  const resolved = await config(request, folder, environment, checkout !== undefined);
  const stateFolder = defaultStateFolder(environment);
  const own = pullRequestFolder(stateFolder, ref);
  const commands = shell({ environment, redact, clock, logFolder: join(own, "logs") });
  const elsewhere = checkout === undefined && request.config === undefined;
  // Touches nothing until it is opened, and a look never opens it.
  const git = elsewhere
    ? undefined
    : gitWorktree({
        stateFolder,
        ...(checkout === undefined ? {} : { checkout }),
        remoteUrl: `${host.webUrl}/${ref.owner}/${ref.name}.git`,
        token,
        clock,
        shell: commands,
        environment,
        redact,
        signal,
      });
  const agentOf = (definition: AgentDefinition) =>
    agentProcess(definition, {
      stateFolder: own,
      configFolder: resolved.file === undefined ? folder : dirname(resolve(folder, resolved.file)),
      clock,
      environment,
      redact,
      ...(git === undefined ? {} : { worktreeState: { save: () => git.tree(), restore: (tree: string) => git.checkout(tree) } }),
    });
  const roles = Object.entries(resolved.agents).map(([kind, definition]): [string, ReturnType<typeof agentOf>] => [
    kind,
    agentOf(definition),
  ]);
  const ports: Ports = {
    forge: forgeWith(resolved.settings.wait.pace),
    ...(git === undefined ? {} : { git }),
    shell: commands,
    ...(resolved.agent === undefined ? {} : { agent: agentOf(resolved.agent) }),
    agents: Object.fromEntries(roles) as Partial<Record<AgentKind, ReturnType<typeof agentOf>>>,
    clock,
    store: fileStore({ folder: stateFolder, clock, redact }),
  };
  const folders = [stateFolder, checkout, await findRoot(folder), environment["HOME"]].filter(
    (each): each is string => each !== undefined && each.length > 1,
  );
  return {
    ref,
    resolved,
    ports,
    outgoing: { folders, findSecrets: (text) => findSecrets(text, [token]).map((found) => found.kind) },
    planOnly: elsewhere,
  };
};

/** The target with one more option, where it has such an option. */
const withFollowUp = (plugins: readonly Plugin[], followUp: Request["followUp"]): readonly Plugin[] => {
  if (followUp === undefined) return plugins;
  const target = plugins.find((plugin) => plugin.kind === "target");
  if (target === undefined || !Object.hasOwn(target.options, "followUp"))
    throw new ReviewloopError("USAGE", { problem: `The target ${target?.name ?? ""} leaves nothing behind: --follow-up has no use.` });
  return plugins.map((plugin) =>
    plugin === target ? Object.freeze({ ...target, options: Object.freeze({ ...target.options, followUp }) }) : plugin,
  );
};

/** What a command has to say to mean the same: a URL where one was given (there may be no clone), config and preset. */
const spokenIn = ({ pullRequest, config, preset }: RunRequest, ref: PullRequestRef): string =>
  [
    pullRequest?.includes("://") === true ? shellWord(pullRequest) : String(ref.number),
    ...(typeof config === "string" ? ["--config", shellWord(config)] : []),
    ...(preset === undefined ? [] : ["--preset", shellWord(preset)]),
  ].join(" ");

const optionsOf = (opened: Opened, request: RunRequest, signal: AbortSignal): RunOptions => ({
  ref: opened.ref,
  spoken: spokenIn(request, opened.ref),
  plugins: withFollowUp(opened.resolved.plugins, request.followUp),
  settings: opened.resolved.settings,
  ports: opened.ports,
  outgoing: opened.outgoing,
  signal,
  ...(request.park === undefined ? {} : { park: request.park }),
  ...(request.reportOnly === undefined ? {} : { reportOnly: request.reportOnly }),
  ...(request.yes === undefined ? {} : { yes: request.yes }),
  ...(request.confirm === undefined ? {} : { confirm: request.confirm }),
  ...(request.approve === undefined ? {} : { approve: request.approve }),
  ...(request.trustHead === undefined ? {} : { trustHead: request.trustHead }),
  ...(request.all === undefined ? {} : { all: request.all }),
  ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
});

const never = (): AbortSignal => new AbortController().signal;

/** What could keep a run from working here, one line each with what to do. What fails is told, not thrown. */
export const doctor = async (request: RunRequest = {}): Promise<readonly DoctorLine[]> =>
  doctorLines(
    await examine({
      environment: request.environment ?? systemEnvironment(),
      folder: resolve(request.folder ?? "."),
      clock: request.clock ?? systemClock(),
      trustHead: request.trustHead ?? false,
      config: () => resolveHere(request),
      inbox: async () => (await look(request)).inbox,
      ...(request.pullRequest === undefined ? {} : { pullRequest: request.pullRequest }),
    }),
  );

/**
 * Drives a pull request to the target of its config and tells how it ended. What happens inside the run is in the report;
 * thrown are only usage, config and sign-in errors (`ReviewloopError`).
 */
export const run = async (request: RunRequest): Promise<Report> => {
  const signal = request.signal ?? never();
  const opened = await open(request, signal);
  return runLoop({ ...optionsOf(opened, request, signal), ...(opened.planOnly ? { plan: true } : {}) });
};

/** One iteration without any write: what `run` would do, in order, is in `report.plan`. */
export const plan = async (request: RunRequest): Promise<Report> => {
  const signal = request.signal ?? never();
  return runLoop({ ...optionsOf(await open(request, signal), request, signal), plan: true });
};

/**
 * Carries out a plan that `plan` made, as it stands: while the head and the threads it names are as it knew them, and nothing else.
 * Else the report's stop is `refused`, with each reason, and nothing was written. Ends parked at the first wait.
 */
export const apply = async (request: RunRequest & { readonly plan: PlanDocument }): Promise<Report> => {
  const signal = request.signal ?? never();
  const { plan: document, ...rest } = request;
  const opened = await open({ pullRequest: document.url, ...rest }, signal);
  return runLoop({ ...optionsOf(opened, rest, signal), apply: document });
};

/** One read and one check: where the pull request stands, what is open, what to do next. Writes nothing. */
export const look = async (request: RunRequest): Promise<Look> => {
  const signal = request.signal ?? never();
  return lookAt(optionsOf(await open(request, signal), request, signal));
};

/** Who reviews this pull request: what each said about its head, what was asked, what is missing. Writes nothing, asks nobody. */
export const reviewers = async (request: RunRequest): Promise<{ readonly look: Look; readonly listing: ReviewersListing }> => {
  const signal = request.signal ?? never();
  const opened = await open(request, signal);
  const found = await lookAt(optionsOf(opened, request, signal));
  const facts = opened.resolved.plugins.flatMap((plugin) => (plugin.reviewer === undefined ? [] : [plugin.reviewer]));
  return { look: found, listing: listReviewers(found.inbox, found.run, facts, opened.resolved.settings) };
};

const opened = async (request: RunRequest): Promise<RunOptions> => {
  const signal = request.signal ?? never();
  return optionsOf(await open(request, signal), request, signal);
};

/** As `look`, and every thread with the code around its place at head, its history and the head it was raised on. */
export const threads = async (
  request: RunRequest & { readonly closed?: boolean },
): Promise<{ readonly look: Look; readonly threads: readonly OutsideThread[] }> => {
  const options = await opened(request);
  const found = await lookAt(options);
  const wanted = found.inbox.threads.filter((thread) => thread.open || (request.closed ?? false));
  const how = { inbox: found.inbox, run: found.run, settings: options.settings };
  return { look: found, threads: await outsideThreads(wanted, how, options.ports.forge, options.ref, options.signal) };
};

/** Answers one thread. Throws `USAGE` for a thread that is not there and `LEASE_HELD` while another run goes on. */
export const reply = async (request: RunRequest & ReplyOrder): Promise<Acted> => replyTo(await opened(request), request);

/** Resolves one answered thread of a reviewer; by thread id, comment id or URL. */
export const resolveOne = async (request: RunRequest & { readonly thread: string }): Promise<Acted> =>
  resolveThread(await opened(request), request.thread);

/** Asks for reviews: all awaited ones that are not done, or one by name, also again on the same head. */
export const requestReview = async (request: RunRequest & { readonly reviewer?: string; readonly cancel?: boolean }): Promise<Acted> => {
  const options = await opened(request);
  return request.cancel === true ? cancelRequests(options, request.reviewer) : requestReviews(options, request.reviewer);
};

/** Draft to ready for review, refused unless READY on a fresh read; with `undo` back to draft. */
export const ready = async (request: RunRequest & { readonly undo?: boolean }): Promise<Acted> => {
  const options = await opened(request);
  return request.undo === true ? markDraft(options) : markReady(options);
};

/** Blocks until there is something to do. `timeout` and `poll` in milliseconds. */
export const wait = async (request: RunRequest & { readonly timeout?: number; readonly poll?: number }): Promise<Waited> =>
  waitForWork({
    ...(await opened(request)),
    ...(request.timeout === undefined ? {} : { timeout: request.timeout }),
    ...(request.poll === undefined ? {} : { poll: request.poll }),
  });

/** What the journal of this pull request holds, oldest first. Reads the disk only. */
export const journal = async (request: RunRequest): Promise<readonly Entry[]> => {
  const options = await opened(request);
  return options.ports.store.peek(options.ref);
};

/** Points that were declined with a reason in this repository, oldest first. Reads the disk only. */
export const declined = async (request: RunRequest): Promise<readonly Declined[]> => {
  const { ports, ref } = await opened(request);
  return declinedFrom((await ports.store.recall(ref, pluginMemory(declineLedger.pluginName, "declined")))?.value);
};
export { DECLINED_FILE, formatDeclined, parseDeclined } from "./plugins/tools/decline-ledger.js";
export type { Declined } from "./plugins/tools/decline-ledger.js";
