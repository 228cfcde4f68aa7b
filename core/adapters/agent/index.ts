/**
 * The port `agent` over processes: a definition (plain data) says how a client is started and where its answer is; everything
 * that makes it trustworthy is here and the same for all: the folder of the call, the environment, the limits, the check of the
 * answer, the one time that it is asked again.
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ReviewloopError } from "../../errors.js";
import type { AnswerLimits } from "../../agents/answers.js";
import type { AgentKind } from "../../model.js";
import type { AgentDefinition, AgentRun } from "../../plugin.js";
import type { Agent, AgentFailure, AgentResult, AgentTask, Clock } from "../../ports.js";
import { runCall, type Ended } from "./call.js";
import { agentEnvironment, nestedIn, type Environment } from "./environment.js";
import { judgeAnswer } from "./judge.js";
import { agentPrompt } from "./prompt.js";
import { submitCommand } from "./submit-command.js";

export interface AgentProcessOptions {
  /** Where the agent works when the task names no folder of its own. */
  readonly worktree?: string;
  /** Folder of the config: what relative paths of a `command` are meant from. */
  readonly configFolder?: string;
  /** Folders of calls are made below it; never inside of a worktree. */
  readonly stateFolder: string;
  readonly clock: Clock;
  /** The environment of this program; what an agent gets of it is an allowlist. */
  readonly environment: Environment;
  /** Milliseconds by kind; defaults: triage 10 min, fix 30 min, review 20 min, verify 10 min, describe 5 min. */
  readonly timeouts?: Readonly<Partial<Record<AgentKind, number>>>;
  /** Takes secrets out of a text before it gets into a failure. */
  readonly redact?: (text: string) => string;
  /** Bytes of an answer; default 16 MiB. */
  readonly most?: number;
  /** Milliseconds that its processes get to end by themselves; default 5,000. */
  readonly grace?: number;
  readonly limits?: AnswerLimits;
  /** The state of the worktree, so that a failed `fix` leaves nothing behind and a second try starts from the same files. */
  readonly worktreeState?: { save(): Promise<string>; restore(saved: string): Promise<void> };
}

const MINUTE = 60_000;
export const AGENT_TIMEOUTS: Readonly<Record<AgentKind, number>> = {
  triage: 10 * MINUTE,
  fix: 30 * MINUTE,
  review: 20 * MINUTE,
  verify: 10 * MINUTE,
  describe: 5 * MINUTE,
};
const MOST = 16 * 1024 * 1024;
/** Folders of failed calls that are kept for a look by hand. */
const FOLDERS_KEPT = 5;

/** The file an agent wrote its answer to, if it is a plain file of a bearable size: a pipe would never end. */
const outputOf = async (path: string, most: number): Promise<string | undefined> => {
  try {
    const found = await lstat(path);
    return found.isFile() && found.size <= most ? await readFile(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
};

/** The first of these paths that is there, whatever it is. */
const firstOf = async (folder: string, paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths)
    if (
      await lstat(join(folder, path)).then(
        () => true,
        () => false,
      )
    )
      return path;
  return undefined;
};

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? "";

const minutes = (milliseconds: number): string =>
  milliseconds >= MINUTE ? `${Math.round(milliseconds / MINUTE)} min` : `${Math.round(milliseconds / 100) / 10} s`;

const NOT_STARTED = "it could not be started";
/** Failures that a surrounding session may be the cause of: no network, another sign-in, a sandbox. */
const heldBack: ReadonlySet<AgentFailure["kind"]> = new Set(["crash", "auth", "timeout"]);

type Tried = { readonly value: unknown } | { readonly failure: AgentFailure };
interface Attempt {
  readonly tried: Tried;
  readonly problems: readonly string[];
  readonly tokens?: number;
  readonly money?: number;
}

const failureOf = (ended: Ended, wall: number, most: number, install: string | undefined): AgentFailure | undefined => {
  switch (ended.how) {
    case "timeout":
      return { kind: "timeout", detail: `it was still at work after ${minutes(wall)} and was ended` };
    case "aborted":
      throw new ReviewloopError("ABORTED", {});
    case "too-much":
      return { kind: "limit", detail: `it wrote more than ${Math.round(most / 1024)} KiB and was ended` };
    case "not-started":
      return { kind: "crash", detail: `${NOT_STARTED}: ${lastLine(ended.stderr)}${install === undefined ? "" : `. ${install}`}` };
    default:
      return undefined;
  }
};

const pruned = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).sort();
  for (const name of names.slice(0, Math.max(0, names.length - FOLDERS_KEPT)))
    await rm(join(folder, name), { recursive: true, force: true });
};

/**
 * An agent that is a process.
 *
 * `ask` never throws for what the agent does: a failure is part of the result; it rejects with `ABORTED` when its signal fires.
 * Asked a second time, in a fresh process and with the problems named, only after an answer that can't be used; never after a
 * refused sign-in, a rate limit or a time-out.
 */
export const agentProcess = (definition: AgentDefinition, options: AgentProcessOptions): Agent => {
  const redact = options.redact ?? ((text: string) => text);
  const most = options.most ?? MOST;
  const calls = join(options.stateFolder, "agents", definition.name);
  const around = nestedIn(options.environment);
  const nested =
    around.length === 0
      ? ""
      : `; reviewloop runs inside of another agent's session (${around.join(", ")}): if that holds ${definition.name} back, start reviewloop outside of it`;
  /** A program that is not there: nothing in a run changes that, so it is not looked for again. */
  let absent: AgentResult | undefined;

  const attempt = async (task: AgentTask, signal: AbortSignal | undefined): Promise<Attempt> => {
    const wall = options.timeouts?.[task.kind] ?? AGENT_TIMEOUTS[task.kind];
    // Begins with the time, so that the oldest folder sorts first.
    const folder = join(calls, `${String(options.clock.now()).padStart(15, "0")}-${task.kind}-${randomBytes(4).toString("hex")}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const document = `${JSON.stringify(task, null, 1)}\n`;
    const run: AgentRun = {
      kind: task.kind,
      folder,
      input: join(folder, "input.json"),
      output: join(folder, "output.json"),
      schema: join(folder, "schema.json"),
      worktree: task.worktree !== "" ? task.worktree : (options.worktree ?? folder),
      prompt: agentPrompt(task, randomBytes(12).toString("hex")),
      document,
      ...(options.configFolder === undefined ? {} : { configFolder: options.configFolder }),
      answerSchema: task.schema,
      submit: submitCommand(join(folder, "input.json"), join(folder, "output.json")),
    };
    await writeFile(run.input, document, { mode: 0o600 });
    await writeFile(run.schema, JSON.stringify(task.schema), { mode: 0o600 });
    const unsafe = await firstOf(run.worktree, definition.refuses ?? []);
    if (unsafe !== undefined) {
      await rm(folder, { recursive: true, force: true });
      const detail = `the head brings ${unsafe}, which ${definition.name} runs whatever it is told, so it was not started: name another agent for this pull request`;
      return { tried: { failure: { kind: "crash", detail } }, problems: [] };
    }
    const command = definition.command(run);
    for (const [name, text] of Object.entries(command.files ?? {})) await writeFile(join(folder, basename(name)), text, { mode: 0o600 });
    const ended = await runCall(
      {
        argv: command.argv,
        cwd: run.worktree,
        environment: agentEnvironment(options.environment, definition.environment, {
          ...command.env,
          REVIEWLOOP_INPUT: run.input,
          REVIEWLOOP_OUTPUT: run.output,
          REVIEWLOOP_SCHEMA: run.schema,
        }),
        stdin: command.stdin,
        wall,
        most,
        grace: options.grace ?? 5000,
      },
      options.clock,
      signal,
    );
    const output = await outputOf(run.output, most);
    const tried = triedOf(ended, output, wall);
    const problems = "value" in tried ? judgeAnswer(task, tried.value, options.limits) : [];
    if ("value" in tried && problems.length === 0) await rm(folder, { recursive: true, force: true });
    else await pruned(calls);
    return { tried, problems, ...definition.usage?.(ended.stdout, output) };
  };

  const triedOf = (ended: Ended, output: string | undefined, wall: number): Tried => {
    const failure = failureOf(ended, wall, most, definition.install);
    if (failure !== undefined) return { failure };
    const found = definition.answer({ stdout: ended.stdout, exitCode: ended.exitCode, output, stderr: ended.stderr });
    if ("value" in found) return found;
    const said = lastLine(ended.stderr);
    return {
      failure: {
        ...found.failure,
        detail: found.failure.kind !== "crash" || !/\p{L}/u.test(said) ? found.failure.detail : `${found.failure.detail} (${said})`,
      },
    };
  };

  const ask = async (task: AgentTask, signal?: AbortSignal): Promise<AgentResult> => {
    const began = options.clock.now();
    const saved = task.kind === "fix" ? await options.worktreeState?.save() : undefined;
    const restore = async (): Promise<void> => {
      if (saved !== undefined) await options.worktreeState?.restore(saved);
    };
    const attemptOrRestore = async (asked: AgentTask): Promise<Attempt> => {
      try {
        return await attempt(asked, signal);
      } catch (error) {
        await restore();
        throw error;
      }
    };
    const first = await attemptOrRestore(task);
    const again = "value" in first.tried ? first.problems.length > 0 : first.tried.failure.kind === "no-answer";
    let last = first;
    if (again && signal?.aborted !== true) {
      await restore();
      const problems = "value" in first.tried ? first.problems : [`there was no answer: ${first.tried.failure.kind}`];
      last = await attemptOrRestore({ ...task, problems });
    }
    const used = last === first ? [first] : [first, last];
    const total = (pick: (one: Attempt) => number | undefined): number | undefined => {
      const known = used.flatMap((one) => pick(one) ?? []);
      return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
    };
    const tokens = total((one) => one.tokens);
    const money = total((one) => one.money);
    const spent = {
      took: options.clock.now() - began,
      ...(tokens === undefined ? {} : { tokens }),
      ...(money === undefined ? {} : { money }),
    };
    if ("value" in last.tried && last.problems.length === 0) return { ok: true, answer: last.tried.value, ...spent };
    await restore();
    const failure: AgentFailure =
      "value" in last.tried ? { kind: "bad-answer", detail: last.problems.slice(0, 5).join("; ") } : last.tried.failure;
    const detail = redact(`${failure.detail}${heldBack.has(failure.kind) ? nested : ""}`);
    return { ok: false, failure: { kind: failure.kind, detail }, ...spent };
  };

  return {
    name: definition.name,
    async ask(task, signal) {
      if (definition.kinds !== undefined && !definition.kinds.includes(task.kind))
        return {
          ok: false,
          failure: { kind: "crash", detail: `${definition.name} can't do ${task.kind}: name another agent for that under agents` },
          took: 0,
        };
      if (absent !== undefined) return { ...absent, took: 0 };
      const result = await ask(task, signal);
      if (!result.ok && result.failure.detail.startsWith(NOT_STARTED)) absent = result;
      return result;
    },
  };
};

export { agentEnvironment, nestedIn, SESSION_MARKERS, type Environment } from "./environment.js";
export { agentPrompt } from "./prompt.js";
export { judgeAnswer } from "./judge.js";
export { detectAgent, type Detected } from "./detect.js";
