/**
 * A draft until it is ready, then handed over: required reviewers done, zero open threads, checks green, mergeable. After so many
 * rounds, or a round of nothing but nitpicks, points of bots that are left stop holding it; red checks, conflicts and people do not.
 */
import {
  decisionFor,
  defineTarget,
  flipWrite,
  headSince,
  markerOf,
  mergeBlockers,
  mergeSettledAt,
  takenBack,
  threadBlockers,
} from "../../core/index.js";
import type { Blocker, Inbox, RunState, Stopping, StoppingRule, Thread, Write } from "../../core/index.js";

export interface DraftToReadyOptions {
  /** The loop marks it ready for review itself. */
  readonly flip: boolean;
  /** No further round after so many, counted by reviewed head. */
  readonly rounds: number;
  /** `issue`: what a stopping rule leaves behind becomes one issue. */
  readonly followUp: "issue" | false;
}

const by = "draft-to-ready";

/** Heads that a reviewer was asked about or spoke of: each is one round. An answer in a thread is a review without a body, and none. */
export const roundsOf = (inbox: Inbox, run: RunState): number => {
  const bots = (author: { readonly kind: string }): boolean => author.kind === "bot";
  const heads = [
    ...inbox.reviews.filter((review) => bots(review.message.author) && review.message.body.trim() !== "").map((review) => review.commit),
    ...inbox.reviewThreads
      .map((thread) => thread.messages[0])
      .flatMap((first) => (first !== undefined && bots(first.author) ? [first.commit] : [])),
    ...run.asked.filter((asked) => asked.state === "done").map((asked) => asked.head),
  ];
  return new Set(heads.filter((head) => head !== undefined)).size;
};

const isBots = (thread: Thread): boolean => thread.reviewer !== undefined || thread.author.kind === "bot";

/** Does a stopping rule apply? Pure. */
export const stoppingOf: StoppingRule = (inbox, blockers, { run, options }): Stopping | undefined => {
  const open = blockers.flatMap((blocker) => inbox.threads.find((thread) => thread.id === blocker.thread) ?? []).filter(isBots);
  const leftovers = open.map((thread) => thread.id);
  const most = Number(options["rounds"]);
  const rounds = roundsOf(inbox, run);
  if (rounds >= most) {
    const left = open.length === 0 ? "" : `, ${open.length === 1 ? "a point" : `${open.length} points`} of bots left`;
    return { rule: "round-cap", detail: `${Math.min(rounds, most)} of ${most} rounds are over${left}`, leftovers };
  }
  if (open.length === 0) return undefined;
  const nitpicks = open.every((thread) => decisionFor(thread, run)?.kind === "nitpick");
  const others = blockers.filter((blocker) => blocker.thread === undefined || !leftovers.includes(blocker.thread));
  // Running checks and asked reviewers hold it on their own; anything else that is left means that it is not otherwise ready.
  const passing = ({ code, lift }: Blocker): boolean =>
    code === "draft" || lift.act !== undefined || lift.who === "ci" || lift.who === "reviewer";
  const otherwiseReady = others.every(passing);
  return nitpicks && otherwiseReady
    ? { rule: "all-nitpick", detail: `nothing but ${open.length === 1 ? "a nitpick" : `${open.length} nitpicks`} is left`, leftovers }
    : undefined;
};

/** No round is left: whoever reviewed an older head is not asked for this one, and holds nothing. */
const isOver = (inbox: Inbox, run: RunState, most: number): boolean => roundsOf(inbox, run) >= most;

const draftBlocker = (inbox: Inbox, run: RunState, flip: boolean): Blocker => {
  const base = { code: "draft", by } as const;
  if (!flip) return { ...base, detail: "the pull request is a draft: reviewloop ready hands it over", lift: { who: "person" } };
  if (takenBack(inbox, run))
    return {
      ...base,
      detail: "it was taken back to draft and nothing was pushed since: reviewloop ready hands it over",
      lift: { who: "person" },
    };
  const act = flipWrite("mark-ready", run, inbox.pullRequest.head.sha, "the loop is done: a person's turn");
  return { ...base, detail: "the pull request is a draft", lift: { who: "loop", act } };
};

/** One issue for the pull request, ever; its key says so. Where no answer came it is asked for again: the forge looks for its marker first. */
const followUp = (inbox: Inbox, run: RunState, stopping: Stopping): Blocker | undefined => {
  const key = `follow-up:${inbox.pullRequest.ref.number}`;
  const result = run.writes[key]?.result;
  if (result !== undefined && !(result.state === "dropped" && result.unanswered === true)) return undefined;
  const { url, ref, title } = inbox.pullRequest;
  const points = inbox.threads.filter((thread) => stopping.leftovers.includes(thread.id));
  const lines = points.map(
    (thread) =>
      `- [ ] ${thread.title.replaceAll(/\s+/g, " ").replaceAll("@", "")} (${thread.reviewer ?? thread.author.login}): ${thread.url}`,
  );
  const act: Write = {
    kind: "open-issue",
    key,
    preconditions: {},
    title: `Points left over from #${ref.number}: ${title}`.slice(0, 200),
    body: [`Left open when ${url} was handed over (${stopping.detail}).`, "", ...lines, "", markerOf({ key })].join("\n"),
    why: `${points.length} points are left over`,
  };
  return { code: "follow-up", by, detail: "what is left over becomes an issue", lift: { who: "loop", act } };
};

/** What people decide once it is theirs: not this target's to hold. */
const THEIRS: ReadonlySet<string> = new Set(["review-required", "merge-blocked"]);

export const draftToReady = defineTarget<DraftToReadyOptions>({
  name: by,
  awaits: "required",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      flip: { type: "boolean", description: "The loop marks it ready for review itself, at READY.", default: true },
      rounds: { type: "integer", minimum: 1, description: "No further round after so many, counted by reviewed head.", default: 6 },
      followUp: { enum: ["issue", false], description: "What a stopping rule leaves behind becomes one issue.", default: false },
    },
  },
  defaults: { flip: true, rounds: 6, followUp: false },
  stopping: stoppingOf,
  on: {
    rerequest: {
      order: "post",
      run: (asks, inbox, { run, options }) => {
        if (!isOver(inbox, run, options.rounds)) return asks;
        const reviewed = (name: string): boolean => inbox.signals.some((signal) => signal.reviewer === name && signal.state === "reviewed");
        return { ...asks, requests: asks.requests.filter((request) => !reviewed(request.reviewer)) };
      },
    },
    check: (blockers, inbox, ctx) => {
      const { run, settings, options } = ctx;
      const over = isOver(inbox, run, options.rounds);
      const merge = mergeBlockers(
        inbox,
        headSince(inbox, run),
        ctx.clock.now(),
        settings.sync,
        mergeSettledAt(inbox, run, settings.wait.settle),
      );
      const all = [
        ...blockers.filter((blocker) => !(over && blocker.code === "review-stale")),
        ...threadBlockers(inbox, run, settings, by),
        ...merge.filter((blocker) => inbox.pullRequest.draft || !THEIRS.has(blocker.code)),
      ];
      const stopping = stoppingOf(inbox, all, { run, options: { ...options } });
      const holds = all.some((blocker) => blocker.thread === undefined || stopping?.leftovers.includes(blocker.thread) !== true);
      if (holds) return all;
      // The last thing: only what nothing else holds is handed over.
      if (inbox.pullRequest.draft) return [...all, draftBlocker(inbox, run, options.flip)];
      // The rounds may be over with nothing left: that is no matter for an issue.
      const left = stopping !== undefined && stopping.leftovers.length > 0;
      const issue = left && options.followUp === "issue" ? followUp(inbox, run, stopping) : undefined;
      return issue === undefined ? all : [...all, issue];
    },
  },
});
