/** A run from lease to report: it always ends in one stop, or parked, and in one report. */
import { randomUUID } from "node:crypto";
import { Engine, describeError } from "./engine.js";
import type { EngineOptions } from "./engine.js";
import { ReviewloopError, messageOf } from "./errors.js";
import { advance } from "./loop.js";
import type { LoopOptions, Outcome } from "./loop.js";
import type { Blocker, Entry, Inbox, Report, StopDetail, Wait, Write } from "./model.js";
import type { Stopping } from "./plugin.js";
import type { Journal } from "./ports.js";
import type { Reporting } from "./phases.js";
import { applyPlan } from "./plan-file.js";
import type { PlanDocument } from "./plan-file.js";
import { harmlessBody } from "./writing/outgoing.js";
import { reportOf } from "./report.js";
import { foldRun, isOpen, unsettled } from "./run.js";
import { awaitChange } from "./wait.js";

export interface RunOptions extends EngineOptions {
  /** End at the first wait instead of sleeping on it. */
  readonly park?: boolean;
  readonly reportOnly?: boolean;
  /** One iteration up to its first write; nothing is sent. */
  readonly plan?: boolean;
  /** Carries out this plan, and nothing else. */
  readonly apply?: PlanDocument;
  /** Agreed beforehand: no question is asked. */
  readonly yes?: boolean;
  /** Asks before every step that writes, not once. */
  readonly confirm?: boolean;
  /** Asks a person; false or absent = no, which ends the run as `needs-approval`. Called once a run, before its first write (with `confirm`: before each step, with what it writes). */
  readonly approve?: (writes: readonly Write[], why: string) => Promise<boolean>;
}

/** More than this is told before it is done. */
const MANY_REPLIES = 20;
/** What a repository remembers once somebody said yes to a run without a config. */
const AGREED = "agreed";
const REPORT_WRITES = new Set<Write["kind"]>(["comment", "edit-comment", "command"]);

/** Decides whether writes need a yes: a first run in this repository, or many replies at once. */
const permission = (options: RunOptions, firstRun: boolean): ((writes: readonly Write[]) => Promise<boolean>) => {
  const { store, clock } = options.ports;
  let agreed = options.yes ?? false;
  // A refused first run is still a first run the next time.
  const remember = async (): Promise<void> => {
    if (firstRun) await store.remember(options.ref, AGREED, true, clock.now());
  };
  return async (writes) => {
    // Each step is asked for by itself then.
    if (options.confirm ?? false) return true;
    if (agreed) {
      await remember();
      return true;
    }
    const replies = writes.filter((write) => write.kind === "reply" || write.kind === "comment").length;
    const why = firstRun ? "the first run in this repository" : replies > MANY_REPLIES ? `${replies} replies at once` : undefined;
    if (why === undefined) return true;
    agreed = (await options.approve?.(writes, why)) ?? false;
    if (agreed) await remember();
    return agreed;
  };
};

/** With `confirm` each step is asked for, also where all was agreed to beforehand. */
const confirmation =
  (options: RunOptions, firstRun: boolean): ((writes: readonly Write[]) => Promise<boolean>) =>
  async (writes) => {
    if (!(options.confirm ?? false)) return true;
    const said = (await options.approve?.(writes, "a step that writes (--confirm)")) ?? false;
    if (said && firstRun) await options.ports.store.remember(options.ref, AGREED, true, options.ports.clock.now());
    return said;
  };

const begin = async (engine: Engine, inbox: Inbox): Promise<void> => {
  const { pullRequest } = inbox;
  const { sha } = pullRequest.head;
  const sent = unsettled(engine.run).flatMap((write) => (write.kind === "push" ? [write.to] : []));
  const goesOn =
    isOpen(engine.run) &&
    engine.run.target === engine.settings.target &&
    [...sent, ...engine.run.heads.map((head) => head.sha)].includes(sha);
  const at = engine.now();
  if (!goesOn)
    await engine.append({ at, type: "run", run: randomUUID(), target: engine.settings.target, base: pullRequest.base.sha, head: sha });
  await engine.append({ at, type: "head", head: sha });
};

const emptyJournal = (entries: readonly Entry[]): Journal => {
  const kept = [...entries];
  return {
    entries: kept,
    append: async (entry) => {
      kept.push(entry);
    },
    close: async () => undefined,
  };
};

interface Ended {
  readonly stop: StopDetail | undefined;
  readonly waits: readonly Wait[];
  readonly blockers: readonly Blocker[];
  readonly plan: readonly Write[];
  readonly stopping?: Stopping;
  readonly error?: Report["error"];
}

const stopFor = (thrown: unknown, aborted: boolean): StopDetail => {
  if (aborted) return { stop: "aborted", detail: "interrupted; run the same command again to go on" };
  if (ReviewloopError.is(thrown)) return { stop: thrown.stop, detail: thrown.message };
  return { stop: "failed", detail: messageOf(thrown) };
};

const drive = async (
  engine: Engine,
  options: RunOptions,
  asking: Pick<LoopOptions, "permit" | "confirm">,
  inbox: Inbox | undefined,
): Promise<Ended> => {
  const loop = { reportOnly: options.reportOnly ?? false, plan: options.plan ?? false, ...asking };
  let first = inbox;
  for (;;) {
    const began = engine.now();
    const outcome: Outcome = await advance(engine, loop, first);
    first = undefined;
    await engine.append({ at: engine.now(), type: "active", took: engine.now() - began });
    if ("stop" in outcome)
      return {
        stop: outcome.stop,
        waits: [],
        blockers: outcome.blockers,
        plan: outcome.plan ?? [],
        ...(outcome.stopping === undefined ? {} : { stopping: outcome.stopping }),
      };
    const { waits, blockers } = outcome;
    if (options.park ?? false) return { stop: undefined, waits, blockers, plan: [] };
    engine.emit({
      type: "waiting",
      for: waits.map((wait) => wait.name ?? wait.for),
      since: Math.min(...waits.map((wait) => wait.since)),
      until: Math.min(...waits.map((wait) => wait.until)),
      waits,
    });
    if (engine.pulse === undefined) throw new ReviewloopError("INTERNAL", { problem: "waiting without a read" });
    await awaitChange(waits, engine.pulse, engine.ports, options.ref, options.signal);
  }
};

/** Report handlers may leave a comment or run a command of the config; printing is the caller's. */
const tell = async (
  engine: Engine,
  report: Report,
  inbox: Inbox | undefined,
  permit: (writes: readonly Write[]) => Promise<boolean>,
): Promise<Report> => {
  if (inbox === undefined) return report;
  engine.phase("report");
  const told: Reporting = await engine.hooks.call("report", engine.ctxFor(inbox), { report, writes: [] });
  const rules = { triggers: engine.triggers, folders: engine.options.outgoing.folders };
  const writes = told.writes
    .filter((write) => REPORT_WRITES.has(write.kind))
    .map((write) => ("body" in write ? { ...write, body: harmlessBody(write.body, rules) } : write));
  if (writes.length > 0 && (await permit(writes))) await engine.send(writes, inbox);
  return told.report;
};

/**
 * Drives one pull request to the target. Never throws for what happens inside the run: that is in the report.
 * Throws before the run for usage and config faults only.
 */
export const runLoop = async (options: RunOptions): Promise<Report> => {
  const { ports, ref } = options;
  const startedAt = ports.clock.now();
  const looking = (options.plan ?? false) || (options.reportOnly ?? false);
  let journal: Journal | undefined;
  let engine: Engine | undefined;
  let ended: Ended;
  let asking: Pick<LoopOptions, "permit" | "confirm"> = { permit: async () => false, confirm: async () => false };
  try {
    // A look needs no lease: it leaves no trace.
    const firstRun = !options.settings.configured && (await ports.store.recall(ref, AGREED)) === undefined;
    journal = looking ? emptyJournal(await ports.store.peek(ref)) : await ports.store.open(ref);
    engine = new Engine({ ...options, dryRun: looking }, journal);
    await ports.forge.viewer();
    const inbox = await engine.fetch();
    await begin(engine, inbox);
    const unknown = looking ? [] : unsettled(engine.run);
    await engine.outbox.settle(unknown, inbox);
    asking = { permit: permission(options, firstRun), confirm: confirmation(options, firstRun) };
    ended =
      options.apply !== undefined
        ? await applyPlan(engine, options.apply, inbox)
        : await drive(engine, options, asking, unknown.length === 0 ? inbox : undefined);
  } catch (thrown) {
    const stop = stopFor(thrown, options.signal.aborted);
    ended = { stop, waits: [], blockers: [], plan: [], ...(stop.stop === "aborted" ? {} : { error: describeError(thrown) }) };
  }
  const finish = (report: Pick<Parameters<typeof reportOf>[0], "run">): Report =>
    reportOf({
      ...report,
      inbox: engine?.inbox,
      url: `https://${ref.host}/${ref.owner}/${ref.name}/pull/${ref.number}`,
      number: ref.number,
      ...ended,
      notes: [...(engine?.notes ?? [])],
      now: ports.clock.now(),
      startedAt,
      cost: ports.forge.cost,
      target: options.settings.target,
      gate: options.settings.gate === false ? "off" : options.settings.gate === undefined ? "none" : "on",
    });
  let report = finish({ run: engine?.run ?? EMPTY_RUN });
  if (engine !== undefined) {
    try {
      const silent = looking || options.signal.aborted || ended.stop?.stop === "needs-approval";
      const mayTell = async (writes: readonly Write[]): Promise<boolean> => (await asking.permit(writes)) && asking.confirm(writes);
      report = await tell(engine, report, engine.inbox, silent ? async () => false : mayTell);
      if (ended.stop !== undefined)
        await engine.append({ at: ports.clock.now(), type: "stop", stop: ended.stop.stop, detail: ended.stop.detail });
      engine.emit({ type: "stop", stop: ended.stop?.stop ?? "parked", detail: ended.stop?.detail ?? "" });
    } catch (thrown) {
      report = { ...report, notes: [...report.notes, `The end of the run was not kept: ${messageOf(thrown)}`] };
    }
  }
  await ports.git?.close().catch(() => undefined);
  await journal?.close().catch(() => undefined);
  return report;
};

const EMPTY_RUN = foldRun([]);
