/** The loop: straight-line code over the phases, up to the next wait or stop. */
import type { Engine } from "./engine.js";
import { agreed, asksFor, iterate, NOTHING, rerequest } from "./iteration.js";
import type { LoopOptions } from "./iteration.js";
import type { Blocker, Inbox, StopDetail, Wait, Write } from "./model.js";
import type { Stopping } from "./plugin.js";
import { dueOf, needsFix, needsTriage } from "./reading/standing.js";
import { capped, repeats, stopAtOnce, stopOf } from "./stop.js";
import type { Did } from "./stop.js";

export type { LoopOptions } from "./iteration.js";

export type Outcome =
  | {
      readonly stop: StopDetail;
      readonly inbox: Inbox;
      readonly blockers: readonly Blocker[];
      readonly plan?: readonly Write[];
      readonly stopping?: Stopping;
    }
  | { readonly waits: readonly Wait[]; readonly inbox: Inbox; readonly blockers: readonly Blocker[] };

/** Acts that the loop itself can do (a draft to flip, a description to refresh). */
const ownActs = (blockers: readonly Blocker[]): readonly Write[] | undefined =>
  blockers.length > 0 && blockers.every((blocker) => blocker.lift.who === "loop" && blocker.lift.act !== undefined)
    ? blockers.flatMap((blocker) => blocker.lift.act ?? [])
    : undefined;

/**
 * The flip that a reviewer of `markReadyFor` needs. It waits for what the loop, an agent, a reviewer or the checks have still to do, and not
 * for people: that reviewer's points are to be there when they look again.
 */
const flipForReview = (blockers: readonly Blocker[]): readonly Write[] | undefined => {
  const acts = blockers.flatMap((blocker) => (blocker.code === "review-draft" ? (blocker.lift.act ?? []) : []));
  const nothingElse = blockers.every((blocker) => blocker.lift.who === "person" || ["review-draft", "draft"].includes(blocker.code));
  return acts[0] !== undefined && nothingElse ? [acts[0]] : undefined;
};

const settling = (engine: Engine, inbox: Inbox): readonly Wait[] => {
  const { lastWriteAt } = engine.run;
  const { settle, poll } = engine.settings.wait;
  if (lastWriteAt === undefined || engine.now() - lastWriteAt >= settle) return [];
  return [
    {
      for: "anyone",
      head: inbox.pullRequest.head.sha,
      since: lastWriteAt,
      until: lastWriteAt + settle,
      then: "go-on",
      poll: Math.min(poll, settle),
    },
  ];
};

/** Is there anything that an iteration would do? A target may ask for evidence by a blocker `gate-missing`. */
const hasAgenda = (engine: Engine, inbox: Inbox, blockers: readonly Blocker[], left: ReadonlySet<string>): boolean => {
  const { run, settings } = engine;
  if (
    inbox.threads.some((thread) => !left.has(thread.id) && (needsTriage(thread, run) || needsFix(thread, run, settings) !== undefined)) ||
    dueOf(inbox, run, settings).some((due) => !left.has(due.thread.id))
  )
    return true;
  const gateWanted = blockers.some(
    (blocker) => blocker.code === "gate-missing" || (blocker.lift.who === "loop" && ["behind", "conflict"].includes(blocker.code)),
  );
  return gateWanted && engine.mayRunHead(inbox);
};

/** Whoever moves the head while a run goes on takes it over. */
const noteHead = async (engine: Engine, inbox: Inbox): Promise<StopDetail | undefined> => {
  const { sha } = inbox.pullRequest.head;
  const last = engine.run.heads.at(-1)?.sha;
  if (last === sha) return undefined;
  await engine.append({ at: engine.now(), type: "head", head: sha });
  return last !== undefined ? { stop: "superseded", detail: `somebody else pushed ${sha.slice(0, 10)}` } : undefined;
};

/** Goes to the next wait or stop and says which. */
export const advance = async (engine: Engine, options: LoopOptions, first?: Inbox): Promise<Outcome> => {
  let did: Did = NOTHING;
  let read = first;
  for (;;) {
    const inbox = read ?? (await engine.fetch());
    read = undefined;
    const superseded = await noteHead(engine, inbox);
    const held = await engine.check(inbox);
    const ended = (stop: StopDetail, plan?: readonly Write[]): Outcome => ({
      stop,
      inbox,
      blockers: held.blockers,
      ...(plan === undefined ? {} : { plan }),
      ...(held.stopping === undefined ? {} : { stopping: held.stopping }),
    });
    if (superseded !== undefined) return ended(superseded);
    const standing = {
      inbox,
      blockers: held.blockers,
      waits: held.waits,
      expired: held.expired,
      run: engine.run,
      settings: engine.settings,
      did,
    };
    const atOnce = stopAtOnce(standing);
    if (atOnce !== undefined) return ended(atOnce);

    // What a stopping rule leaves behind is for people: nobody judges it any more.
    const left = new Set(held.stopping?.leftovers);
    const unseen = inbox.threads.some((thread) => !left.has(thread.id) && needsTriage(thread, engine.run));
    const targetWithoutThreads = held.blockers.length === 0 && !unseen;
    if (targetWithoutThreads) {
      const waits = options.plan || options.reportOnly ? [] : settling(engine, inbox);
      if (waits.length > 0) return { waits, inbox, blockers: [] };
      const { tidy } = await asksFor(engine, inbox);
      if (tidy.length > 0 && !options.plan && !options.reportOnly && (await agreed(options, tidy)) && (await engine.send(tidy, inbox)))
        continue;
      const under = held.stopping === undefined ? "" : `; ${held.stopping.detail}`;
      return ended({ stop: "met", detail: `${engine.run.target} holds at ${inbox.pullRequest.head.sha.slice(0, 10)}${under}` });
    }
    if (options.reportOnly) return ended({ stop: "report-only", detail: `${held.blockers.length} left` });

    const busy = hasAgenda(engine, inbox, held.blockers, left);
    const acts = ownActs(held.blockers) ?? (busy ? undefined : flipForReview(held.blockers));
    if (acts !== undefined) {
      // The hand-over is made on a fresh read, with the settle window over.
      const still = options.plan || !acts.some((act) => act.kind === "mark-ready") ? [] : settling(engine, inbox);
      if (still.length > 0) return { waits: still, inbox, blockers: held.blockers };
      if (options.plan || !(await agreed(options, acts)))
        return ended({ stop: options.plan ? "report-only" : "needs-approval", detail: "the next act is in the plan" }, acts);
      const wrote = await engine.send(acts, inbox);
      if (!wrote) return ended({ stop: "no-progress", detail: "what the loop could lift itself was refused" });
      continue;
    }

    if (busy) {
      const repeated = repeats(inbox, engine.run);
      if (repeated.length > 0) {
        for (const { id, contentHash, title } of repeated)
          await engine.append({
            at: engine.now(),
            type: "left",
            thread: id,
            contentHash,
            title,
            why: "repeats a point that was answered",
            code: "undecided",
          });
        const last = await engine.check(inbox);
        const detail = `two iterations changed no code, and ${repeated.length === 1 ? "a point that was answered is" : "points that were answered are"} raised again`;
        return { stop: { stop: "stalled", detail }, inbox, blockers: last.blockers };
      }
      const cap = capped(engine.run, engine.settings);
      if (cap !== undefined) return ended(cap);
      await engine.append({
        at: engine.now(),
        type: "iteration",
        number: engine.run.iterations.length + 1,
        head: inbox.pullRequest.head.sha,
      });
      const pass = await iterate(engine, inbox, options);
      if (options.plan && pass.stop === undefined)
        return ended({ stop: "report-only", detail: `${pass.plan?.length ?? 0} writes planned` }, pass.plan ?? []);
      if (pass.stop !== undefined) {
        // Said with what is known now, not with what was known before the iteration.
        const now = engine.inbox ?? inbox;
        const last = await engine.check(now);
        return { stop: pass.stop, inbox: now, blockers: last.blockers, ...(pass.plan === undefined ? {} : { plan: pass.plan }) };
      }
      did = pass.did;
      if (did.wrote || did.decided) continue;
    }

    const asked = await rerequest(engine, inbox, held, options);
    if (asked.denied !== undefined)
      return ended(
        options.plan
          ? { stop: "report-only", detail: `${asked.denied.length} writes planned` }
          : { stop: "needs-approval", detail: `${asked.denied.length} writes wait for a yes` },
        asked.denied,
      );
    if (asked.wrote) {
      did = { ...NOTHING, wrote: true };
      continue;
    }
    const waits = [...held.waits, ...asked.waits];
    const now = await engine.check(inbox);
    const stop = stopOf({ ...standing, blockers: now.blockers, waits, run: engine.run, did });
    // Who must act is said with what is known now, not with what was known before the iteration.
    if (stop !== undefined) return { stop, inbox, blockers: now.blockers };
    if (waits.length > 0) {
      await engine.append({ at: engine.now(), type: "waits", waits });
      return { waits, inbox, blockers: held.blockers };
    }
    // A gate's evidence alone may be all that was missing.
    if (now.blockers.length === 0 && held.blockers.length > 0) continue;
    if (!did.wrote && !did.decided) return ended({ stop: "no-progress", detail: "nothing is left that the loop could do" });
    did = NOTHING;
  }
};
