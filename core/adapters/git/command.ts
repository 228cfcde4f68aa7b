/**
 * Every git call of ours goes through here. None runs anything of the fetched head.
 *
 * - Where: `GIT_DIR` and `GIT_WORK_TREE` are explicit, so a replaced `.git` in the worktree is never looked at.
 * - Programs that a worktree's `.gitattributes` can select (filters, merge drivers, text conversion, external diff) exist only if the
 *   user's own config defines them; they are switched off or replaced for our calls, whatever the file selects.
 * - Hooks, fsmonitor, pagers, editors, prompts, automatic maintenance and recursion into submodules are off.
 * - In-process conversions (line ends, `ident`, `working-tree-encoding`) stay on: they run no program, and a tree must be the one
 *   that git itself would make.
 *
 * Not covered: what the user's own system and global config run by themselves (`core.sshCommand`, `credential.helper`, proxies). They are the
 * user's, not the head's, so `GIT_CONFIG_NOSYSTEM` stays unset: company proxies and certificates live there. Git LFS is a filter:
 * with filters off both ways the worktree holds its pointer files, and they keep their tree ids.
 */
import { execa } from "execa";
import { ReviewloopError } from "../../errors.js";
import type { Redact } from "../../redact.js";
import { commandEnvironment, namesIn, type Environment } from "../shell/environment.js";

/** Where a call works. Without `workTree` it sees objects only. */
export interface Place {
  readonly gitDir: string;
  readonly workTree?: string;
  readonly index?: string;
}

export interface GitCall {
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  readonly config?: readonly (readonly [key: string, value: string])[];
  /** Exit codes that are answers; every other one throws. Default: 0. `"any"`: the caller judges. */
  readonly answers?: readonly number[] | "any";
  /** Milliseconds; default ten minutes. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface GitOutput {
  readonly code: number;
  readonly stdout: Buffer;
  /** Redacted. */
  readonly stderr: string;
}

export type RunGit = (place: Place, call: GitCall) => Promise<GitOutput>;

/** What holds for each call, whatever the user's, the repository's or the head's settings say. */
const FIXED: readonly (readonly [string, string])[] = [
  ["core.hooksPath", process.platform === "win32" ? "NUL" : "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.splitIndex", "false"],
  ["core.sparseCheckout", "false"],
  ["core.trustctime", "true"],
  ["core.checkStat", "default"],
  ["core.safecrlf", "false"],
  ["core.askPass", ""],
  ["credential.interactive", "false"],
  ["protocol.ext.allow", "never"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["push.recurseSubmodules", "no"],
  ["diff.ignoreSubmodules", "all"],
  ["fetch.prune", "false"],
  ["fetch.pruneTags", "false"],
  ["fetch.writeCommitGraph", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["push.gpgSign", "false"],
  ["push.pushOption", ""],
  ["commit.gpgSign", "false"],
  ["user.useConfigOnly", "true"],
  ["rerere.enabled", "false"],
  ["i18n.commitEncoding", "UTF-8"],
  ["i18n.logOutputEncoding", "UTF-8"],
  ["color.ui", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
];

/** Of the user's environment, beside what every command gets: how git reaches a server and who commits. */
const GIT_NAMES: readonly string[] = namesIn(`
  SSH_AUTH_SOCK SSH_AGENT_PID GIT_SSH_COMMAND GIT_SSH GIT_SSH_VARIANT GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_CERT GIT_SSL_KEY
  GIT_SSL_NO_VERIFY GIT_PROXY_SSL_CAINFO GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_EXEC_PATH GIT_AUTHOR_NAME
  GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
`);

const gitEnvironment = (source: Environment): Record<string, string> => {
  const environment = commandEnvironment(source, {
    also: GIT_NAMES,
    set: {
      LC_ALL: "C",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "",
      SSH_ASKPASS: "",
      GCM_INTERACTIVE: "never",
      GIT_PAGER: "cat",
      GIT_EDITOR: "true",
      GIT_SEQUENCE_EDITOR: "true",
      GIT_LITERAL_PATHSPECS: "1",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
      GIT_ADVICE: "0",
    },
  });
  // Their language would beat LC_ALL in git's messages, which we read.
  delete environment["LANGUAGE"];
  return environment;
};

const configured = (pairs: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Record<string, string>;

const LONGEST_PROBLEM = 2000;

/** Git's words: without progress and advice, short enough for a report. */
export const wordsOf = (stderr: string): string => {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  return lines.join("\n").slice(-LONGEST_PROBLEM);
};

/** The full id of an object, or an error: what starts like an option never reaches git. */
export const objectId = (text: string): string => {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw new ReviewloopError("GIT_FAILED", { command: "rev-parse", problem: `${JSON.stringify(text)} is not a full object id` });
};

export const gitFailed = (command: string, problem: string, hint?: string): ReviewloopError =>
  new ReviewloopError("GIT_FAILED", { command, problem }, hint === undefined ? {} : { hint });

export const createGit = (source: Environment, redact: Redact): RunGit => {
  const environment = gitEnvironment(source);
  return async (place, call) => {
    const name = call.args.find((word) => !word.startsWith("-")) ?? "";
    if (call.signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
    const result = await execa("git", ["--no-pager", ...call.args], {
      cwd: place.workTree ?? place.gitDir,
      extendEnv: false,
      env: {
        ...environment,
        GIT_DIR: place.gitDir,
        ...(place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree }),
        ...(place.index === undefined ? {} : { GIT_INDEX_FILE: place.index }),
        ...configured([...FIXED, ...(call.config ?? [])]),
        ...call.environment,
      },
      ...(call.input === undefined ? { stdin: "ignore" as const } : { input: call.input }),
      encoding: "buffer",
      stripFinalNewline: false,
      maxBuffer: 1024 ** 3,
      reject: false,
      timeout: call.timeout ?? 600_000,
      forceKillAfterDelay: 5000,
      ...(call.signal === undefined ? {} : { cancelSignal: call.signal }),
    });
    if (result.isCanceled) throw new ReviewloopError("ABORTED", {});
    const stderr = redact(Buffer.from(result.stderr).toString("utf8"));
    if (result.code === "ENOENT" && result.exitCode === undefined)
      throw new ReviewloopError("COMMAND_NOT_STARTED", { command: "git", problem: "it is not on PATH, or the folder of the work is gone" });
    if (result.timedOut) throw gitFailed(name, "it took too long and was ended");
    const code = result.exitCode ?? -1;
    const { answers = [0] } = call;
    if (answers !== "any" && !answers.includes(code)) throw gitFailed(name, wordsOf(stderr) || `it ended with exit code ${code}`);
    return { code, stdout: Buffer.from(result.stdout), stderr };
  };
};

/** The output as one line of text. */
export const lineOf = (output: GitOutput): string => output.stdout.toString("utf8").replace(/\r?\n$/, "");

/** NUL-separated fields as bytes: names of files need not be text. */
export const fieldsOf = (bytes: Buffer): readonly Buffer[] => {
  const fields: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0, from);
    fields.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    from = end < 0 ? bytes.length : end + 1;
  }
  return fields;
};

/**
 * The same `run` with every program neutralised that an attribute could select. For all calls that see a worktree: even `write-tree`
 * filters files. Made anew for each use: the head's code (a gate) may have added a program to the repository's config.
 */
export const guarded = async (run: RunGit, place: Place, signal: AbortSignal | undefined): Promise<RunGit> => {
  const output = await run(place, { args: ["config", "--list", "--name-only", "-z"], signal });
  const filters = new Set<string>();
  const merges = new Set<string>();
  for (const key of output.stdout.toString("utf8").split("\0")) {
    const found = /^(filter|merge)\.(.+)\.(clean|smudge|process|required|driver)$/s.exec(key);
    if (found?.[2] === undefined) continue;
    if (found[1] === "filter") filters.add(found[2]);
    else if (found[3] === "driver") merges.add(found[2]);
  }
  const config: readonly (readonly [string, string])[] = [
    ...[...filters].flatMap((name): (readonly [string, string])[] => [
      [`filter.${name}.clean`, ""],
      [`filter.${name}.smudge`, ""],
      [`filter.${name}.process`, ""],
      [`filter.${name}.required`, "false"],
    ]),
    // An empty driver would be an error; git's own text merge in its place is what an unknown driver means anyway.
    ...[...merges].map((name): readonly [string, string] => [`merge.${name}.driver`, "git merge-file --marker-size=%L %A %O %B"]),
  ];
  return (where, call) => run(where, { ...call, config: [...config, ...(call.config ?? [])] });
};
