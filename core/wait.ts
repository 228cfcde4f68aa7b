/** Waits as data, and the one cheap pulse that serves all of them. */
import type { Blocker, Inbox, PullRequestRef, Pulse, RunState, Signal, Wait } from "./model.js";
import type { ReviewerFacts, Stopping } from "./plugin.js";
import type { Clock, ForgeReads } from "./ports.js";
import type { Settings } from "./settings.js";

export interface Waiting {
  readonly inbox: Inbox;
  readonly run: RunState;
  readonly settings: Settings;
  readonly reviewers: readonly ReviewerFacts[];
}

export const headSince = (inbox: Inbox, run: RunState): number =>
  run.heads.find((head) => head.sha === inbox.pullRequest.head.sha)?.at ?? inbox.readAt;

const signalOf = (inbox: Inbox, reviewer: string): Signal | undefined => inbox.signals.find((signal) => signal.reviewer === reviewer);

const GAVE_UP = new Set<Signal["state"]>(["skipped", "limited", "paused"]);
/** It said that it will not review this head: waiting brings nothing. What it said of an older head says nothing of this one. */
const gaveUp = (signal: Signal | undefined, inbox: Inbox): signal is Signal =>
  signal !== undefined && GAVE_UP.has(signal.state) && (signal.head === undefined || signal.head === inbox.pullRequest.head.sha);

const forReviewer = (name: string, at: Waiting): Wait | undefined => {
  const { inbox, run, settings, reviewers } = at;
  const facts = reviewers.find((each) => each.name === name);
  if (facts === undefined) return undefined;
  const head = inbox.pullRequest.head.sha;
  const signal = signalOf(inbox, name);
  const required = inbox.parties.find((party) => party.reviewer === name)?.required ?? false;
  const asked = run.asked.find(
    (each) =>
      each.reviewer === name && each.head === head && each.state !== "refused" && each.state !== "dropped" && each.state !== "planned",
  );
  const started = signal?.state === "running" || signal?.state === "requested";
  // Whoever reviews no drafts could not start before the pull request was ready.
  const ready = facts.reviewsDrafts ? 0 : (inbox.timeline.findLast((event) => event.kind === "ready-for-review")?.at ?? 0);
  const since = asked?.at ?? Math.max(headSince(inbox, run), ready);
  if (asked === undefined && !started && facts.requestBy !== "push") return undefined;
  const wait = { for: "reviewer", name, head, since, poll: Math.min(facts.wait.poll, settings.wait.poll) } as const;
  // A reviewer that starts by push shows a sign soon, or is not coming.
  if (asked === undefined && !started) return { ...wait, until: since + facts.wait.start, then: required ? "stop" : "go-on" };
  return {
    ...wait,
    until: since + facts.wait.timeout,
    then: required ? "stop" : facts.missing,
    ...(signal?.lookAt === undefined ? {} : { lookAt: signal.lookAt }),
  };
};

const forPerson = (blocker: Blocker, at: Waiting): Wait | undefined => {
  const { inbox, settings, run } = at;
  const thread = inbox.threads.find((each) => each.id === blocker.thread);
  if (!settings.people.wait || blocker.code !== "person-thread" || thread === undefined || !thread.answered) return undefined;
  const since = Math.max(...thread.messages.map((message) => message.createdAt), run.startedAt);
  const who = blocker.lift.name === undefined ? {} : { name: blocker.lift.name };
  return {
    for: "person",
    ...who,
    head: inbox.pullRequest.head.sha,
    since,
    until: since + settings.limits.activeTime,
    then: "stop",
    poll: settings.wait.poll,
  };
};

const forChecks = (at: Waiting): Wait => {
  const since = headSince(at.inbox, at.run);
  const { poll, timeout } = at.settings.wait;
  return { for: "checks", head: at.inbox.pullRequest.head.sha, since, until: since + timeout, then: "stop", poll };
};

/** The wait that a blocker stands for; undefined where nothing was asked that could lift it. */
export const waitOf = (blocker: Blocker, at: Waiting): Wait | undefined => {
  switch (blocker.lift.who) {
    case "reviewer":
      return blocker.lift.name === undefined ? undefined : forReviewer(blocker.lift.name, at);
    case "person":
      return forPerson(blocker, at);
    case "ci":
      return forChecks(at);
    default:
      return undefined;
  }
};

export const sameWait = (a: Wait, b: Wait): boolean => a.for === b.for && a.name === b.name && a.head === b.head;

export const waitsOf = (blockers: readonly Blocker[], at: Waiting): readonly Wait[] => {
  const waits: Wait[] = [];
  for (const blocker of blockers) {
    const wait = waitOf(blocker, at);
    if (wait === undefined || waits.some((other) => sameWait(other, wait))) continue;
    waits.push(wait);
  }
  return waits;
};

export interface Held {
  /** A rule of the target's under which points that are left hold nothing. */
  readonly stopping?: Stopping;
  /** What still holds the target. */
  readonly blockers: readonly Blocker[];
  /** What the run went on without, as sentences for the report. */
  readonly passed: readonly string[];
  /** Waits that ran out and end the run. */
  readonly expired: readonly Wait[];
}

/** Who is not required and will not come holds nothing; the report says so. Whoever was asked and stays silent ends the run. */
export const holding = (blockers: readonly Blocker[], at: Waiting, now: number): Held => {
  const held: Blocker[] = [];
  const passed: string[] = [];
  const expired: Wait[] = [];
  for (const blocker of blockers) {
    const name = blocker.lift.name ?? "";
    const required = at.inbox.parties.find((party) => party.reviewer === name)?.required ?? false;
    const signal = signalOf(at.inbox, name);
    if (blocker.lift.who === "reviewer" && !required && gaveUp(signal, at.inbox)) {
      passed.push(
        `${name} did not review this head (${signal.state}${signal.reason === undefined ? "" : `: ${signal.reason}`}); went on without it`,
      );
      continue;
    }
    const wait = waitOf(blocker, at);
    if (wait !== undefined && wait.until <= now) {
      if (wait.then === "go-on") {
        passed.push(`${name} gave no sign within ${Math.round((wait.until - wait.since) / 1000)} s; went on without it`);
        continue;
      }
      if (!expired.some((other) => sameWait(other, wait))) expired.push(wait);
    }
    held.push(blocker);
  }
  return { blockers: held, passed: [...new Set(passed)], expired };
};

export type Woken = "changed" | "due";

/** Sleeps on the clock until the pulse differs from the one that was read, or the nearest wait is due. */
export const awaitChange = async (
  waits: readonly Wait[],
  from: Pulse,
  ports: { readonly forge: ForgeReads; readonly clock: Clock },
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<Woken> => {
  const now = ports.clock.now();
  const due = Math.min(...waits.flatMap(({ until, lookAt }) => (lookAt !== undefined && lookAt > now ? [until, lookAt] : [until])));
  const poll = Math.min(...waits.map((wait) => wait.poll));
  for (;;) {
    const left = due - ports.clock.now();
    if (left <= 0) return "due";
    await ports.clock.sleep(Math.max(1, Math.min(poll, left)), signal);
    const pulse = await ports.forge.pulse(ref, signal);
    if (pulse.digest !== from.digest || pulse.head !== from.head) return "changed";
  }
};
