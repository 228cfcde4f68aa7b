/** One iteration: worktree, gate, triage, fix, gate, push, reply, resolve, ask. */
import type { Engine } from "./engine.js";
import type { Asks, Blocker, Decided, Decision, Draft, Inbox, StopDetail, Thread, Wait, WorkItem, Write, WriteOf } from "./model.js";
import { peopleToAsk } from "./reading/people.js";
import { heldForPeople } from "./reading/strangers.js";
import { draftOf, repliesOf, resolveOf } from "./writing/replies.js";
import { advanceRun } from "./run.js";
import { dueOf, needsFix, needsTriage, wantsFix } from "./reading/standing.js";
import type { Due } from "./reading/standing.js";
import { together } from "./reading/roots.js";
import { goesInCircles } from "./stop.js";
import type { Did } from "./stop.js";
import type { Held } from "./wait.js";
import { commitAndPush } from "./changing/commits.js";
import { fixAll, greenTree } from "./changing/fixing.js";
import type { Fixing } from "./changing/fixing.js";
import { fixInducedIds } from "./changing/provenance.js";
import { prepare } from "./changing/worktree.js";
import type { Prepared } from "./changing/worktree.js";

export interface LoopOptions {
  /** Fetch, local reviews, check, report. */
  readonly reportOnly: boolean;
  /** One iteration up to its first write; what would be written is in the outcome. */
  readonly plan: boolean;
  /** Asked once, with everything that the iteration would write. */
  readonly permit: (writes: readonly Write[]) => Promise<boolean>;
  /** Asked before each step with what it writes, where the caller wants to confirm each; else always true. */
  readonly confirm: (writes: readonly Write[]) => Promise<boolean>;
}

/** For writes that are a step of their own. */
export const agreed = async (options: LoopOptions, writes: readonly Write[]): Promise<boolean> =>
  (await options.permit(writes)) && options.confirm(writes);

export const NOTHING: Did = { wrote: false, pushed: false, decided: false };

export type Checked = Held & { readonly waits: readonly Wait[] };

/** Asking brings the target nearer only if nothing but reviewers, checks and the loop is in the way. */
const askingHelps = (blockers: readonly Blocker[]): boolean =>
  blockers.every((blocker) => blocker.lift.who !== "person" && blocker.lift.who !== "agent");

/** Rule 5 holds whatever a plugin returns: who takes part, once per head, never while one is pending. */
export const lawfulAsks = (engine: Engine, asks: Asks, inbox: Inbox): readonly WriteOf<"request">[] =>
  asks.requests.filter((request) => {
    const party = inbox.parties.find((each) => each.reviewer === request.reviewer);
    const state = inbox.signals.find(
      (signal) => signal.reviewer === request.reviewer && (signal.head === undefined || signal.head === inbox.pullRequest.head.sha),
    )?.state;
    const asked = engine.run.asked.some(
      (each) => each.reviewer === request.reviewer && each.head === inbox.pullRequest.head.sha && each.state !== "planned",
    );
    return party?.awaited === true && !asked && state !== "running" && state !== "requested";
  });

/** Nobody's decision is a person's: for this run, and not in the journal as a decision. */
const leave = async (engine: Engine, thread: Thread, why: string, code: "not-fixed" | "undecided"): Promise<void> =>
  engine.append({ at: engine.now(), type: "left", thread: thread.id, contentHash: thread.contentHash, title: thread.title, why, code });

const record = async (engine: Engine, thread: Thread, decision: Decision): Promise<void> =>
  engine.append({
    at: engine.now(),
    type: "decision",
    thread: thread.id,
    contentHash: thread.contentHash,
    title: thread.title,
    ...(thread.reviewer === undefined ? {} : { reviewer: thread.reviewer }),
    decision,
  });

/** Counts what is new in this round; why the loop is to end, where our own fixes bring most of it. */
const noteFindings = async (engine: Engine, inbox: Inbox, undecided: readonly Thread[]): Promise<string | undefined> => {
  const fresh = undecided.filter((thread) => engine.run.found[thread.id] === undefined);
  if (fresh.length === 0) return undefined;
  const { git } = engine.ports;
  const fixInduced = git === undefined ? [] : await fixInducedIds(git, fresh, engine.run, inbox.pullRequest.head.sha);
  await engine.append({ at: engine.now(), type: "findings", threads: fresh.map((thread) => thread.id), fixInduced });
  return goesInCircles(engine.run);
};

const traced = (item: Decided, run: Engine["run"]): Decided =>
  run.found[item.thread.id] === "fix-induced" && item.decision.provenance === undefined
    ? { ...item, decision: { ...item.decision, provenance: "fix-induced" } }
    : item;

/** All open, undecided threads at once. Decisions that need no change are journaled here; `actionable` is, once it is done. */
const triage = async (
  engine: Engine,
  inbox: Inbox,
): Promise<StopDetail | { readonly todo: readonly WorkItem[]; readonly decided: boolean }> => {
  const undecided = inbox.threads.filter((thread) => needsTriage(thread, engine.run));
  const before = inbox.threads.flatMap((thread): WorkItem[] => {
    const decision = needsFix(thread, engine.run, engine.settings);
    return decision === undefined ? [] : [{ thread, decision }];
  });
  if (undecided.length === 0) return { todo: before, decided: false };
  const circles = await noteFindings(engine, inbox, undecided);
  if (circles !== undefined) {
    for (const thread of undecided) await leave(engine, thread, `not judged any more: ${circles}`, "undecided");
    return { stop: "stalled", detail: circles };
  }
  engine.phase("triage", `${undecided.length} open and undecided`);
  const found = await engine.hooks.call("triage", engine.ctxFor(inbox), { undecided, decided: [] }, inbox);
  // Neither the journal nor a plan nor a log may hold it: such a decision was never made.
  const leaking = found.decided.filter(({ decision }) =>
    engine.holdsSecret([decision.why, decision.reply, decision.question, decision.evidence]),
  );
  const held = { ours: { viewer: inbox.viewer, identities: engine.settings.identities }, nitpicks: engine.settings.nitpicks };
  // Trust is what was read, whatever a plugin hands back.
  const read = new Map(undecided.map((thread) => [thread.id, thread]));
  const decided = found.decided
    .filter((item) => !leaking.includes(item))
    .map((item): Decided => {
      const thread = read.get(item.thread.id) ?? item.thread;
      return { thread, decision: heldForPeople(thread, item.decision, held) };
    });
  const joined = together({ ...found, decided }, leaking);
  const result = { ...joined, decided: joined.decided.map((item) => traced(item, engine.run)) };
  for (const { thread } of leaking) await leave(engine, thread, "the answer to it held something that looks like a secret", "undecided");
  for (const [index, { thread, decision }] of result.decided.entries()) {
    engine.emit({
      type: "decided",
      thread: thread.id,
      title: thread.title,
      kind: decision.kind,
      index: index + 1,
      of: result.decided.length,
    });
    if (!wantsFix(decision, engine.settings)) await record(engine, thread, decision);
  }
  const why = engine.settings.hasAgent ? "the agent gave no decision for it" : "nobody judged it: no agent is configured";
  for (const thread of result.undecided) await leave(engine, thread, why, "undecided");
  const fixes = result.decided.filter((item: Decided) => wantsFix(item.decision, engine.settings));
  return { todo: [...before, ...fixes], decided: result.decided.length > 0 };
};

const draftsFor = async (engine: Engine, dues: readonly Due[], run: Engine["run"], inbox: Inbox): Promise<readonly Draft[]> => {
  const drafts: Draft[] = [];
  for (const due of dues) {
    if (due.owes === "reply")
      drafts.push(await engine.hooks.call("reply", engine.ctxFor(inbox), draftOf(due, run, engine.settings), inbox));
  }
  return drafts;
};

const resolvesFor = async (engine: Engine, dues: readonly Due[], inbox: Inbox): Promise<readonly WriteOf<"resolve">[]> => {
  const writes: WriteOf<"resolve">[] = [];
  for (const { thread, decision, owes } of dues) {
    if (owes !== "resolve") continue;
    const answer = await engine.hooks.call("resolve", engine.ctxFor(inbox), thread, decision, inbox);
    if (answer !== "leave") writes.push(resolveOf(thread));
  }
  return writes;
};

export const asksFor = async (engine: Engine, inbox: Inbox): Promise<Asks> =>
  engine.hooks.call("rerequest", engine.ctxFor(inbox), { requests: [], waits: [], tidy: [] }, inbox);

/** The inbox as it will be once the push has landed and the replies stand: what the plan is made of. */
const afterwards = (inbox: Inbox, replied: ReadonlySet<string>, push: WriteOf<"push"> | undefined): Inbox => ({
  ...inbox,
  threads: inbox.threads.map((thread) => (replied.has(thread.id) ? { ...thread, answered: true } : thread)),
  ...(push === undefined
    ? {}
    : {
        pullRequest: { ...inbox.pullRequest, head: { ...inbox.pullRequest.head, sha: push.to } },
        // What is said about the head before is said about an older one from now on.
        signals: inbox.signals.map((signal) =>
          signal.state === "running" || signal.state === "requested" ? { ...signal, state: "absent" as const } : signal,
        ),
      }),
});

const threadsIn = (writes: readonly Write[]): ReadonlySet<string> =>
  new Set(
    writes.flatMap((write) =>
      write.kind === "reply" ? [write.thread] : write.kind === "comment" ? write.answers.map((answer) => answer.thread) : [],
    ),
  );

interface Intended {
  readonly push: WriteOf<"push"> | undefined;
  readonly replies: readonly Write[];
  /** Everything in order, the later parts as far as they can be foreseen. */
  readonly plan: readonly Write[];
}

const intend = async (engine: Engine, inbox: Inbox, push: WriteOf<"push"> | undefined): Promise<Intended> => {
  const landed =
    push === undefined
      ? engine.run
      : [
          { at: engine.now(), type: "intent" as const, write: push },
          { at: engine.now(), type: "result" as const, key: push.key, result: { state: "done" as const } },
        ].reduce(advanceRun, engine.run);
  const dues = dueOf(inbox, landed, engine.settings);
  const drafts = await draftsFor(engine, dues, landed, inbox);
  const replies = repliesOf(drafts, {
    inbox,
    settings: engine.settings,
    rules: { triggers: engine.triggers, folders: engine.options.outgoing.folders },
  });
  const later = afterwards(inbox, threadsIn(replies), push);
  const resolves = await resolvesFor(engine, dueOf(later, landed, engine.settings), later);
  const asks = push === undefined ? [] : lawfulAsks(engine, await asksFor(engine, later), later);
  return { push, replies, plan: [...(push === undefined ? [] : [push]), ...replies, ...resolves, ...asks] };
};

/** Asks whom there is reason to ask, and hides older triggers whose result has come. */
export const rerequest = async (
  engine: Engine,
  inbox: Inbox,
  held: Checked,
  options: LoopOptions,
): Promise<{ readonly wrote: boolean; readonly waits: readonly Wait[]; readonly denied?: readonly Write[] }> => {
  const asks = await asksFor(engine, inbox);
  // From the journal, not from this pass: a run that was killed after its push still owes the question.
  const pushed = engine.run.pushes.includes(inbox.pullRequest.head.sha);
  const requests = pushed || askingHelps(held.blockers) ? lawfulAsks(engine, asks, inbox) : [];
  const people = peopleToAsk(inbox, engine.run, engine.settings);
  const writes: readonly Write[] = [...requests, ...people, ...asks.tidy];
  if (writes.length === 0) return { wrote: false, waits: asks.waits };
  if (options.plan || !(await agreed(options, writes))) return { wrote: false, waits: [], denied: writes };
  engine.phase("rerequest", [...requests, ...people].map((request) => request.reviewer).join(", "));
  return { wrote: await engine.send(writes, inbox), waits: asks.waits };
};

const isStop = (value: object): value is StopDetail => "stop" in value;

export interface Pass {
  readonly did: Did;
  readonly stop?: StopDetail;
  readonly plan?: readonly Write[];
}

/** One iteration: worktree, gate, triage, fix, gate, push, reply, resolve, ask. */
export const iterate = async (engine: Engine, first: Inbox, options: LoopOptions): Promise<Pass> => {
  const { git } = engine.ports;
  let inbox = first;
  let prepared: Prepared | undefined;
  const mayPush = engine.cannotPush(inbox) === undefined;
  if (git !== undefined) {
    const ready = await prepare(engine, git, inbox);
    if (isStop(ready)) return { did: NOTHING, stop: ready };
    prepared = ready;
    if (engine.mayRunHead(inbox) && Array.isArray(engine.settings.gate)) {
      const green = await greenTree(engine, git, inbox, ready.tree);
      if (isStop(green)) return { did: NOTHING, stop: green };
      prepared = { ...ready, tree: green.tree };
      // A gate takes its time: judge what is said now, not what was said before it.
      const now = await engine.fetch();
      if (now.pullRequest.head.sha !== inbox.pullRequest.head.sha)
        return { did: NOTHING, stop: { stop: "superseded", detail: "somebody else pushed while the gate ran" } };
      inbox = now;
    }
  }

  const triaged = await triage(engine, inbox);
  if (isStop(triaged)) return { did: NOTHING, stop: triaged };
  const { todo, decided } = triaged;
  let fixing: Fixing | undefined;
  if (git !== undefined && prepared !== undefined && mayPush) {
    const done = await fixAll(engine, git, inbox, todo, prepared.tree);
    if (isStop(done)) return { did: { ...NOTHING, decided }, stop: done };
    fixing = done;
    for (const item of done.work.todo) {
      const why = done.work.reasons[item.thread.id] ?? "it was not fixed";
      // Somebody who looked at the fix wants a person to decide: that is a decision, and stays one.
      if (item.decision.kind === "judgment") await record(engine, item.thread, item.decision);
      else await leave(engine, item.thread, why, "not-fixed");
    }
    for (const item of done.work.done) await record(engine, item.thread, item.decision);
  } else {
    for (const item of todo)
      await leave(engine, item.thread, `it can't be fixed here: ${engine.cannotPush(inbox) ?? "there is no worktree"}`, "not-fixed");
  }

  const push = prepared === undefined || fixing === undefined ? undefined : await commitAndPush(engine, prepared, inbox, fixing);
  const intended = await intend(engine, inbox, push);
  if (options.plan) return { did: { ...NOTHING, decided }, plan: intended.plan };
  const denied = (writes: readonly Write[], did: Did): Pass => ({
    did,
    plan: writes,
    stop: { stop: "needs-approval", detail: `${writes.length} write${writes.length === 1 ? " waits" : "s wait"} for a yes` },
  });
  if (intended.plan.length > 0 && !(await options.permit(intended.plan))) return denied(intended.plan, { ...NOTHING, decided });

  let pushed = false;
  if (push !== undefined) {
    if (!(await options.confirm([push]))) return denied(intended.plan, { ...NOTHING, decided });
    engine.phase("push", `${push.commits.length} commit${push.commits.length === 1 ? "" : "s"}`);
    const [result] = await engine.outbox.send([push], inbox);
    if (result?.state !== "done") {
      const moved = result?.state === "refused" && result.code === "head-moved";
      const detail = result !== undefined && "detail" in result ? result.detail : "the push was not done";
      return { did: NOTHING, stop: { stop: moved ? "superseded" : "refused", detail } };
    }
    pushed = true;
    inbox = await engine.fetch();
    if (inbox.pullRequest.head.sha !== push.to)
      return { did: { ...NOTHING, wrote: true, pushed }, stop: { stop: "superseded", detail: "somebody else pushed right after us" } };
  }

  let wrote = pushed;
  if (intended.replies.length > 0) {
    if (!(await options.confirm(intended.replies)))
      return denied(
        intended.plan.filter((write) => write !== push),
        { wrote, pushed, decided },
      );
    engine.phase("reply", `${intended.replies.length}`);
    wrote = (await engine.send(intended.replies, inbox)) || wrote;
    // Read back: only a reply that everybody can see counts.
    inbox = await engine.fetch();
  }
  const resolves = await resolvesFor(engine, dueOf(inbox, engine.run, engine.settings), inbox);
  if (resolves.length > 0) {
    if (!(await options.confirm(resolves))) return denied(resolves, { wrote, pushed, decided });
    engine.phase("resolve", `${resolves.length}`);
    wrote = (await engine.send(resolves, inbox)) || wrote;
  }
  if (pushed) {
    const held = await engine.check(inbox);
    const asked = await rerequest(engine, inbox, held, options);
    if (asked.denied !== undefined) return denied(asked.denied, { wrote, pushed, decided });
    wrote = asked.wrote || wrote;
  }
  return { did: { wrote, pushed, decided } };
};
