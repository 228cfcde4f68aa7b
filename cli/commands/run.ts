/** `run` and `plan`. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { apply, exitOf, parsePlan, plan, planDocument, ReviewloopError, run } from "../../index.js";
import type { Report, RunRequest, Write } from "../../index.js";
import { isTerminal, questions } from "../ask.js";
import { on, requestOf, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { progressPrinter } from "../print/progress.js";
import { planText, reportText } from "../print/report.js";
import { coloursFor, widthOf } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";

const unreadable = (file: string, error: unknown): ReviewloopError =>
  new ReviewloopError("PLAN_INVALID", { problem: `${file}: ${error instanceof Error ? error.message : String(error)}` });

/** A person at a terminal is asked, and may leave by Ctrl-C; nobody else is. */
const asker = (flags: Flags, surroundings: Surroundings, interrupt: () => void): RunRequest["approve"] => {
  const { stderr } = surroundings;
  if (on(flags, "json") || !isTerminal(surroundings)) return undefined;
  const stepwise = on(flags, "confirm");
  let all = false;
  return async (writes: readonly Write[], why: string) => {
    if (all) return true;
    const colours = coloursFor(stderr, surroundings.environment);
    stderr.write(`${planText(writes, colours).join("\n")}\n\n`);
    const { ask, end } = questions(surroundings);
    try {
      const said = await ask(`This is ${why}. Do it? ${stepwise ? "[y/N, a: this and all that follow] " : "[y/N] "}`);
      if (said === undefined) interrupt();
      all = stepwise && said !== undefined && /^a(ll)?$/i.test(said);
      return all || (said !== undefined && /^y(es)?$/i.test(said));
    } finally {
      end();
    }
  };
};

const driven = async (
  flags: Flags,
  reference: string | undefined,
  surroundings: Surroundings,
  drive: (request: RunRequest) => Promise<Report>,
): Promise<number> => {
  const controller = new AbortController();
  const release = surroundings.onInterrupt(() => controller.abort());
  const logFile = text(flags, "log");
  let logged: Promise<unknown> = Promise.resolve();
  const log =
    logFile === undefined
      ? undefined
      : (line: string): void => {
          logged = logged.then(() => appendFile(resolve(surroundings.folder, logFile), `${line}\n`));
        };
  const loudness = on(flags, "quiet") ? "quiet" : on(flags, "verbose") ? "verbose" : "normal";
  const printer = progressPrinter(surroundings, loudness, log);
  try {
    const approve = asker(flags, surroundings, () => controller.abort());
    const report = await drive({
      ...requestOf(flags, reference, surroundings),
      signal: controller.signal,
      park: on(flags, "park"),
      reportOnly: on(flags, "reportOnly"),
      yes: on(flags, "yes"),
      confirm: on(flags, "confirm"),
      trustHead: on(flags, "trustHead"),
      all: on(flags, "all"),
      onProgress: printer.on,
      ...(approve === undefined ? {} : { approve }),
    });
    printer.end();
    await logged;
    surroundings.stdout.write(
      on(flags, "json")
        ? `${JSON.stringify(report)}\n`
        : reportText(report, coloursFor(surroundings.stdout, surroundings.environment), widthOf(surroundings.stdout)),
    );
    return exitOf(report.stop);
  } finally {
    printer.end();
    release();
  }
};

export const runCommand = (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> =>
  driven(flags, reference, surroundings, run);

export const planCommand = (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> =>
  driven(flags, reference, surroundings, async (request) => {
    const report = await plan(request);
    const out = text(flags, "out");
    // A run that broke off has no plan, and no file that says so.
    if (out !== undefined && report.error === undefined)
      await writeFile(resolve(surroundings.folder, out), `${JSON.stringify(planDocument(report), null, 1)}\n`, { mode: 0o600 });
    return report;
  });

export const applyCommand = async (flags: Flags, file: string, surroundings: Surroundings): Promise<number> => {
  const document = parsePlan(
    await readFile(resolve(surroundings.folder, file), "utf8").catch((error: unknown) => Promise.reject(unreadable(file, error))),
  );
  return driven(flags, undefined, surroundings, (request) => apply({ ...request, plan: document }));
};
