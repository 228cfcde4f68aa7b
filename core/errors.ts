/** One error class, one catalogue. A heading per code stands in `docs/errors.md`; a test walks both. */
import type { Stop } from "./model.js";

interface Entry<D> {
  /** Exit code when it ends the call before any run; inside a run `stop` decides. */
  readonly exit: 3 | 4;
  /** The stop it causes inside a run. */
  readonly stop: Stop;
  readonly say: (data: D) => string;
  readonly fix: (data: D) => string;
}

const entry = <D>(exit: 3 | 4, stop: Stop, say: (data: D) => string, fix: (data: D) => string): Entry<D> => ({ exit, stop, say, fix });

export interface ConfigFault {
  readonly file: string;
  /** `plugins[2].minScore`; empty for the whole file. */
  readonly path: string;
  readonly value?: unknown;
  readonly problem: string;
  /** The nearest valid key or value. */
  readonly nearest?: string;
}

const faultLine = (fault: ConfigFault): string => {
  const where = fault.path === "" ? fault.file : `${fault.file}: ${fault.path}`;
  const value = fault.value === undefined ? "" : ` (is ${JSON.stringify(fault.value)})`;
  const nearest = fault.nearest === undefined ? "" : `; did you mean "${fault.nearest}"?`;
  return `${where}: ${fault.problem}${value}${nearest}`;
};

export const CATALOGUE = {
  USAGE: entry<{ problem: string; command?: string }>(
    3,
    "failed",
    (d) => d.problem,
    (d) => `See reviewloop ${d.command ?? ""} --help.`.replace("  ", " "),
  ),
  CONFIG_NOT_FOUND: entry<{ file: string }>(
    3,
    "failed",
    (d) => `There is no config file ${d.file}.`,
    () => "Check the path after --config.",
  ),
  CONFIG_LOAD: entry<{ file: string; problem: string }>(
    3,
    "failed",
    (d) => `${d.file} can't be loaded: ${d.problem}`,
    () => "Mend the file, then run reviewloop config.",
  ),
  CONFIG_UNTRUSTED: entry<{ file: string; base: string }>(
    3,
    "failed",
    (d) => `${d.file} is not the one of ${d.base}, and the pull request comes from a fork: a config runs its code.`,
    () => "Read the difference, then give --trust-head; or start from a checkout of the base branch.",
  ),
  CONFIG_EMPTY: entry<{ file: string }>(
    3,
    "failed",
    (d) => `${d.file} is empty.`,
    () => "Export a config from it, or delete it to use the preset review-clean.",
  ),
  CONFIG_NO_DEFAULT: entry<{ file: string }>(
    3,
    "failed",
    (d) => `${d.file} has no default export.`,
    () => "Write: export default defineConfig({ ... }).",
  ),
  CONFIG_INVALID: entry<{ faults: readonly ConfigFault[] }>(
    3,
    "failed",
    (d) => d.faults.map(faultLine).join("\n"),
    () => "Mend each line above; reviewloop config prints what is in force.",
  ),
  PLAN_INVALID: entry<{ problem: string }>(
    3,
    "failed",
    (d) => `The plan can't be read: ${d.problem}`,
    () => "Make it anew: reviewloop plan 123 --out plan.json.",
  ),
  PRESET_UNKNOWN: entry<{ name: string; known: readonly string[] }>(
    3,
    "failed",
    (d) => `There is no preset "${d.name}".`,
    (d) => `Use one of: ${d.known.join(", ")}.`,
  ),
  PLUGIN_INVALID: entry<{ plugin: string; problem: string }>(
    3,
    "failed",
    (d) => `Plugin "${d.plugin}" is not a plugin: ${d.problem}`,
    () => "Build it with definePlugin, defineReviewer or defineTarget.",
  ),
  PLUGIN_FAILED: entry<{ plugin: string; phase: string; problem: string }>(
    4,
    "failed",
    (d) => `Plugin "${d.plugin}" failed in ${d.phase}: ${d.problem}`,
    (d) => `Mend the plugin, or leave it out with without: ["${d.plugin}"].`,
  ),
  PLUGIN_RETURNED: entry<{ plugin: string; phase: string; problem: string }>(
    4,
    "failed",
    (d) => `Plugin "${d.plugin}" returned ${d.problem} from ${d.phase}.`,
    () => "A refine handler returns the value it was given, changed or not.",
  ),
  TARGET_MISSING: entry<Record<string, never>>(
    3,
    "failed",
    () => "No target is configured.",
    () => 'Set target: "review-clean", or extend a preset.',
  ),
  TARGET_TWICE: entry<{ names: readonly string[] }>(
    3,
    "failed",
    (d) => `More than one target is configured: ${d.names.join(", ")}.`,
    () => "Keep one.",
  ),
  PULL_REQUEST_UNKNOWN: entry<{ ref: string }>(
    3,
    "failed",
    (d) => `"${d.ref}" does not name a pull request.`,
    () => "Give a URL, #12, 12, or stand on a branch that has one.",
  ),
  PULL_REQUEST_NOT_FOUND: entry<{ ref: string }>(
    4,
    "failed",
    (d) => `There is no pull request ${d.ref}, or this account can't see it.`,
    () => "Check the address, and gh auth status for the account in use.",
  ),
  GITHUB_SIGN_IN: entry<{ host: string; problem: string }>(
    4,
    "auth-failed",
    (d) => `Not signed in to ${d.host}: ${d.problem}`,
    (d) => `Run gh auth login --hostname ${d.host}, or set GH_TOKEN.`,
  ),
  GITHUB_DENIED: entry<{ what: string; problem: string }>(
    4,
    "refused",
    (d) => `GitHub refused ${d.what}: ${d.problem}`,
    () => "Use an account or a token that may do this; docs/errors.md lists the permissions.",
  ),
  GITHUB_RATE_LIMITED: entry<{ until: string }>(
    4,
    "poll-error",
    (d) => `GitHub's rate limit is used up until ${d.until}.`,
    () => "Run again after that time; nothing is lost.",
  ),
  GITHUB_UNAVAILABLE: entry<{ what: string; problem: string }>(
    4,
    "poll-error",
    (d) => `GitHub did not answer ${d.what}: ${d.problem}`,
    () => "Run again; what was done is in the journal.",
  ),
  GITHUB_ANSWER: entry<{ what: string; problem: string }>(
    4,
    "failed",
    (d) => `GitHub's answer to ${d.what} can't be used: ${d.problem}`,
    () => "Report it with --log and the version of the server.",
  ),
  READ_INCOMPLETE: entry<{ what: string; problem: string }>(
    4,
    "incomplete-read",
    (d) => `The read of ${d.what} is not complete: ${d.problem}`,
    () => "Nothing was written. Run again.",
  ),
  GIT_FAILED: entry<{ command: string; problem: string }>(
    4,
    "failed",
    (d) => `git ${d.command} failed: ${d.problem}`,
    () => "Run reviewloop doctor.",
  ),
  WORKTREE_SETUP: entry<{ command: string; problem: string }>(
    4,
    "failed",
    (d) => `The worktree's set-up "${d.command}" failed: ${d.problem}`,
    () => "Set worktree.setup to a command that prepares a fresh checkout, or false.",
  ),
  COMMAND_NOT_STARTED: entry<{ command: string; problem: string }>(
    4,
    "failed",
    (d) => `"${d.command}" could not be started: ${d.problem}`,
    () => "Check that the program is installed and on PATH.",
  ),
  LEASE_HELD: entry<{ holder: string }>(
    4,
    "refused",
    (d) => `Another reviewloop works on this pull request: ${d.holder}.`,
    () => "Wait for it, or end it.",
  ),
  JOURNAL_DAMAGED: entry<{ file: string; problem: string; newer?: boolean }>(
    4,
    "failed",
    (d) => `The journal ${d.file} can't be read: ${d.problem}`,
    (d) =>
      d.newer === true
        ? "A newer reviewloop wrote it: use that version or a later one. Nothing was changed."
        : "Move the file away; losing it costs reads, never a second write.",
  ),
  ABORTED: entry<Record<string, never>>(
    4,
    "aborted",
    () => "Interrupted.",
    () => "Run the same command again to go on.",
  ),
  INTERNAL: entry<{ problem: string }>(
    4,
    "failed",
    (d) => `This should not have happened: ${d.problem}`,
    () => "Please report it with --log.",
  ),
} as const;

export type ErrorCode = keyof typeof CATALOGUE;
export type ErrorData<C extends ErrorCode> = Parameters<(typeof CATALOGUE)[C]["say"]>[0];

const BRAND = Symbol.for("reviewloop.error");

/** Branded with a registered symbol: a config may load a second copy of this package. */
export class ReviewloopError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly data: ErrorData<C>;
  readonly hint: string;
  readonly exit: 3 | 4;
  readonly stop: Stop;
  readonly [BRAND] = true;

  constructor(code: C, data: ErrorData<C>, options?: { cause?: unknown; hint?: string }) {
    const found = CATALOGUE[code] as unknown as Entry<ErrorData<C>>;
    super(found.say(data), options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ReviewloopError";
    this.code = code;
    this.data = data;
    this.hint = options?.hint ?? found.fix(data);
    this.exit = found.exit;
    this.stop = found.stop;
  }

  static is(value: unknown): value is ReviewloopError {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** One line about anything that was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
