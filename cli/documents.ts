/** What commands print as JSON, and what the MCP server answers with: one document each. Pure. */
import { findThreadIn, NO_PULL_REQUEST, ReviewloopError } from "../index.js";
import type { Acted, Look, OutsideThread, Waited } from "../index.js";

export interface ReviewerState {
  readonly reviewer: string;
  readonly state: string;
  readonly required: boolean;
}

/** Who takes part, with the state of each: the `name=state` line. */
export const reviewerStates = (found: Look): readonly ReviewerState[] =>
  found.inbox.parties
    .filter((party) => party.seen || party.required)
    .map((party) => ({
      reviewer: party.reviewer,
      state: found.inbox.signals.find((signal) => signal.reviewer === party.reviewer)?.state ?? "absent",
      required: party.required,
    }));

export const statusDocument = (found: Look) => {
  const { pullRequest } = found.inbox;
  return {
    schemaVersion: 1,
    state: found.state,
    why: found.why,
    next: found.next,
    ...(found.stopping === undefined ? {} : { stopping: found.stopping }),
    pullRequest: { url: pullRequest.url, number: pullRequest.ref.number, title: pullRequest.title, draft: pullRequest.draft },
    head: pullRequest.head.sha,
    threads: { total: found.inbox.threads.length, open: found.inbox.threads.filter((thread) => thread.open).length },
    reviewers: reviewerStates(found),
    blockers: found.blockers.map(({ code, by, detail, lift, thread, url }) => ({
      code,
      by,
      detail,
      who: lift.who,
      ...(lift.name === undefined ? {} : { name: lift.name }),
      ...(thread === undefined ? {} : { thread }),
      ...(url === undefined ? {} : { url }),
    })),
    waits: found.waits,
    notes: found.notes,
  };
};

export const threadsDocument = (found: Look, threads: readonly OutsideThread[]) => ({
  schemaVersion: 1,
  head: found.inbox.pullRequest.head.sha,
  base: found.inbox.pullRequest.base.sha,
  /** Its `## Context` note, where there is one, says what is deliberate. */
  description: found.inbox.pullRequest.body,
  total: found.inbox.threads.length,
  threads,
});

export const ofReviewer = (threads: readonly OutsideThread[], reviewer: string | undefined): readonly OutsideThread[] =>
  threads.filter((thread) => reviewer === undefined || thread.reviewer === reviewer);

/** Who was asked for this head, when, and what became of it. Throws `USAGE` for a reviewer that is not known. */
export const requestsDocument = (found: Look, name?: string) => {
  const { parties, signals, requests, pullRequest } = found.inbox;
  if (name !== undefined && !parties.some((party) => party.reviewer === name)) {
    const known = parties.map((party) => party.reviewer).join(", ");
    throw new ReviewloopError("USAGE", { problem: `There is no reviewer "${name}". There are: ${known}.`, command: "request" });
  }
  const head = pullRequest.head.sha;
  const rows = parties
    .filter((party) => (name === undefined ? party.awaited || party.seen : party.reviewer === name))
    .map((party) => {
      const asked = found.run.asked.findLast((each) => each.reviewer === party.reviewer && each.head === head);
      return {
        reviewer: party.reviewer,
        required: party.required,
        awaited: party.awaited,
        state: signals.find((signal) => signal.reviewer === party.reviewer)?.state ?? "absent",
        ...(asked === undefined ? {} : { asked: { at: new Date(asked.at).toISOString(), by: asked.by, outcome: asked.state } }),
      };
    });
  return { schemaVersion: 1, head, reviewers: rows, requests };
};

const brief = ({ state, why, next }: { readonly state: string; readonly why: string; readonly next: string }) => ({ state, why, next });

export const actedDocument = (acted: Acted) => ({ schemaVersion: 1, ...acted, standing: brief(acted.standing) });

export const waitedDocument = (waited: Waited) => ({
  schemaVersion: 1,
  ...brief(waited),
  ...(waited.stopping === undefined ? {} : { stopping: waited.stopping }),
  timedOut: waited.timedOut,
  flipped: waited.flipped,
  ...(waited.handOver === undefined ? {} : { handOver: waited.handOver }),
  head: waited.head,
  took: waited.took,
});

export const noPullRequestDocument = { schemaVersion: 1, ...brief(NO_PULL_REQUEST) } as const;

/** The current branch has no pull request: a state of its own, not an error. */
export const isNoPullRequest = (thrown: unknown, reference: string | undefined): boolean =>
  reference === undefined && ReviewloopError.is(thrown) && thrown.code === "PULL_REQUEST_UNKNOWN";

/** The nearest blocker: what it is, the evidence, when it was read, what lifts it. */
export const whyNotReadyDocument = (found: Look) => {
  const { nearest } = found;
  return {
    schemaVersion: 1,
    question: "not-ready",
    ...brief(found),
    ...(nearest === undefined
      ? {}
      : {
          blocker: { code: nearest.code, by: nearest.by, detail: nearest.detail },
          lift: { who: nearest.lift.who, ...(nearest.lift.name === undefined ? {} : { name: nearest.lift.name }), how: found.next },
          ...(nearest.url === undefined ? {} : { evidence: nearest.url }),
          ...(nearest.thread === undefined ? {} : { thread: nearest.thread }),
        }),
    others: found.blockers.filter((blocker) => blocker !== nearest).map((blocker) => blocker.detail),
    head: found.inbox.pullRequest.head.sha,
    readAt: new Date(found.readAt).toISOString(),
  };
};

export const whyStoppedDocument = (found: Look) => ({
  schemaVersion: 1,
  question: "stopped",
  ...(found.stopped === undefined
    ? { stop: null, detail: found.run.id === "" ? "there was no run here" : "the last run is parked or was killed: call run again" }
    : { stop: found.stopped.stop, detail: found.stopped.detail, at: new Date(found.stopped.at).toISOString() }),
  now: brief(found),
  readAt: new Date(found.readAt).toISOString(),
});

/** Of a thread that is named by id, comment id or URL; `threads` are all of them. Throws `USAGE` where none, or more than one, is meant. */
export const whyThreadDocument = (found: Look, threads: readonly OutsideThread[], given: string) => {
  const { id } = findThreadIn(found.inbox.threads, given);
  const thread = threads.find((each) => each.id === id);
  if (thread === undefined) throw new ReviewloopError("INTERNAL", { problem: `the thread ${id} was not prepared` });
  const blocker = found.blockers.find((each) => each.thread === thread.id);
  const left = found.run.left[thread.id];
  const fix = found.run.fixes[thread.id];
  return {
    schemaVersion: 1,
    question: "thread",
    thread: thread.id,
    title: thread.title,
    url: thread.url,
    open: thread.open,
    ...(thread.closed === undefined ? {} : { closed: thread.closed }),
    answered: thread.answered,
    why: blocker?.detail ?? (thread.open ? "open, and holds nothing here" : `closed: ${thread.closed ?? "resolved"}`),
    ...(blocker === undefined
      ? {}
      : { lift: { who: blocker.lift.who, ...(blocker.lift.name === undefined ? {} : { name: blocker.lift.name }) } }),
    ...(thread.decision === undefined ? {} : { decision: thread.decision }),
    ...(fix === undefined ? {} : { fix: { commit: fix.commit, pushed: fix.pushed, summary: fix.summary } }),
    ...(left === undefined ? {} : { left: left.why }),
    since: thread.since,
    readAt: new Date(found.readAt).toISOString(),
  };
};
