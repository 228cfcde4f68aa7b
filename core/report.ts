/** Pure: what a run has to say at its end, however it ended. */
import type {
  Author,
  Blocker,
  Inbox,
  RemainingItem,
  Report,
  Review,
  ReviewerLine,
  RunState,
  StopDetail,
  Thread,
  Wait,
  Write,
} from "./model.js";
import type { Stopping } from "./plugin.js";
import { decisionFor, isConversation } from "./reading/standing.js";

export interface Reported {
  readonly run: RunState;
  readonly inbox: Inbox | undefined;
  readonly url: string;
  readonly number: number;
  readonly blockers: readonly Blocker[];
  readonly stop: StopDetail | undefined;
  readonly waits: readonly Wait[];
  readonly plan: readonly Write[];
  readonly notes: readonly string[];
  readonly now: number;
  readonly startedAt: number;
  readonly cost: { readonly requests: number; readonly points: number };
  readonly target: string;
  readonly gate: "none" | "off" | "on";
  /** Of a run that ended before: what holds now counts, whatever its stop was. */
  readonly live?: boolean;
  /** The stopping rule under which it was met: what it leaves behind is listed. */
  readonly stopping?: Stopping;
  readonly error?: Report["error"];
}

const remainingOf = (blocker: Blocker, inbox: Inbox | undefined, stop: StopDetail | undefined): RemainingItem => {
  // What two iterations could not close is no matter for a third.
  const stuck = stop?.stop === "stalled" && blocker.thread !== undefined;
  const thread = inbox?.threads.find((each) => each.id === blocker.thread);
  return {
    what: thread?.title ?? blocker.detail,
    code: blocker.code,
    who: stuck ? "person" : blocker.lift.who,
    ...(blocker.lift.name === undefined ? {} : { name: blocker.lift.name }),
    why: blocker.detail,
    ...(blocker.thread === undefined ? {} : { thread: blocker.thread }),
    ...(blocker.url === undefined ? {} : { url: blocker.url }),
  };
};

const leftOver = (reported: Reported): readonly RemainingItem[] =>
  (reported.inbox?.threads ?? [])
    .filter((thread) => reported.stopping?.leftovers.includes(thread.id) === true)
    .map((thread) => ({
      what: thread.title,
      code: "left-over",
      who: "person",
      why: `${thread.title}: ${reported.stopping?.detail ?? ""}`,
      thread: thread.id,
      url: thread.url,
    }));

const DECLINES = new Set(["false-positive", "informational"]);

/** Points of this run that stood in a body which no longer has them: a summary that was edited in place after the fix. */
const gone = (
  reviewer: string,
  threads: readonly Thread[],
  run: RunState,
): { readonly found: number; readonly fixed: number; readonly answered: number; readonly declined: number } => {
  const there = new Set(threads.map((thread) => thread.id));
  const is = (item: { readonly thread: string }): boolean => item.thread.startsWith(`summary:${reviewer}:`) && !there.has(item.thread);
  const count = (items: readonly { readonly thread: string }[]): number => new Set(items.filter(is).map((item) => item.thread)).size;
  const { iterations } = run;
  const fixed = iterations.flatMap((line) => line.fixed);
  const decided = iterations.flatMap((line) => line.decided);
  return {
    found: count([...fixed, ...decided]),
    fixed: count(fixed),
    answered: count(iterations.flatMap((line) => line.replied)),
    declined: count(decided.filter((item) => DECLINES.has(item.kind))),
  };
};

type Counts = Pick<ReviewerLine, "found" | "fixed" | "answered" | "declined" | "resolved" | "open">;
const countsOf = (threads: readonly Thread[], run: RunState): Counts => {
  const count = (test: (thread: Thread) => boolean): number => threads.filter(test).length;
  return {
    found: threads.length,
    fixed: count((thread) => run.fixes[thread.id]?.pushed ?? false),
    answered: count((thread) => thread.answered),
    declined: count((thread) => DECLINES.has(decisionFor(thread, run)?.kind ?? "")),
    resolved: count((thread) => thread.closed === "resolved"),
    open: count((thread) => thread.open),
  };
};

const OPINION: Readonly<Partial<Record<Review["state"], string>>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes requested",
  DISMISSED: "dismissed",
};

/** An account, with its kind: an app may share its name with a person. */
type Who = Pick<Author, "login" | "kind">;
const sameAs =
  ({ login, kind }: Who) =>
  (other: { readonly login: string; readonly kind: string }): boolean =>
    other.login === login && (other.kind === "bot") === (kind === "bot");

/** Whose words no plugin reads: people, and bots that nobody knows. */
const isUnclaimed = (thread: Thread): boolean => thread.reviewer === undefined && isConversation(thread);

/** Reviews of people; the empty one that GitHub makes for each reply is none. */
const humanReviews = (inbox: Inbox): readonly Review[] =>
  inbox.reviews.filter(({ message, state }) => {
    if (message.author.kind !== "user" || message.author.login === inbox.viewer.login || state === "PENDING") return false;
    return state !== "COMMENTED" || message.body.trim() !== "" || inbox.reviewThreads.some((thread) => thread.review === message.id);
  });

const otherLine = (who: Who, inbox: Inbox, run: RunState): ReviewerLine => {
  const same = sameAs(who);
  const reviewer = who.kind === "bot" ? who.login : `@${who.login}`;
  const theirs = humanReviews(inbox).filter((review) => same(review.message.author));
  // A comment after an opinion does not change it.
  const last = theirs.findLast((review) => review.state !== "COMMENTED") ?? theirs.at(-1);
  const opinion = last === undefined ? undefined : OPINION[last.state];
  return {
    reviewer,
    state: inbox.requests.some(same) ? "requested" : last === undefined ? "absent" : "reviewed",
    required: false,
    ...countsOf(
      inbox.threads.filter((thread) => isUnclaimed(thread) && same(thread.author)),
      run,
    ),
    hidden: 0,
    ...(last?.commit === undefined ? {} : { head: last.commit }),
    asked: run.asked.some((asked) => asked.reviewer === reviewer && asked.head === inbox.pullRequest.head.sha),
    ...(opinion === undefined ? {} : { reason: opinion }),
  };
};

/** One line for each person (`@login`) who raised something, reviewed or is asked, and for each bot that no plugin reads and that raised something. */
const otherLines = (inbox: Inbox, run: RunState): readonly ReviewerLine[] => {
  const all: readonly Who[] = [
    ...humanReviews(inbox).map((review) => review.message.author),
    ...inbox.requests.flatMap((request) => (request.kind === "user" ? [{ login: request.login, kind: "user" as const }] : [])),
    ...inbox.threads.filter(isUnclaimed).map((thread) => thread.author),
  ];
  const each = all.filter((who, index) => all.findIndex(sameAs(who)) === index);
  return each.map((who) => otherLine(who, inbox, run)).toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
};

/** How it stands, for a table: a person's opinion says more than that there is one. */
export const standingOfLine = (line: Pick<ReviewerLine, "reviewer" | "state" | "reason">): string =>
  line.reviewer.startsWith("@") && line.state === "reviewed" ? (line.reason ?? "commented") : line.state;

const lineOf = (reviewer: string, inbox: Inbox, run: RunState): ReviewerLine | undefined => {
  const party = inbox.parties.find((each) => each.reviewer === reviewer);
  const signal = inbox.signals.find((each) => each.reviewer === reviewer);
  const threads = inbox.threads.filter((thread) => thread.reviewer === reviewer);
  const takesPart = party?.seen === true || party?.required === true || threads.length > 0;
  if (!takesPart) return undefined;
  const past = gone(reviewer, threads, run);
  const counts = countsOf(threads, run);
  return {
    reviewer,
    state: signal?.state ?? "absent",
    required: party?.required ?? false,
    ...counts,
    found: counts.found + past.found,
    fixed: counts.fixed + past.fixed,
    answered: counts.answered + past.answered,
    declined: counts.declined + past.declined,
    hidden: signal?.counts?.hidden ?? 0,
    ...(signal?.score === undefined ? {} : { score: `${signal.score.value}/${signal.score.max}` }),
    ...(signal?.head === undefined ? {} : { head: signal.head }),
    asked: run.asked.some((asked) => asked.reviewer === reviewer && asked.head === inbox.pullRequest.head.sha),
    ...(signal?.reason === undefined ? {} : { reason: signal.reason }),
  };
};

/** What the fixes themselves brought, where they brought anything. */
const inducedNote = (run: RunState): readonly string[] => {
  const rounds = run.iterations.flatMap(({ number, findings }) => (findings === undefined ? [] : [{ number, ...findings }]));
  const induced = rounds.filter((round) => round.fixInduced > 0);
  const each = induced.map(({ number, found, fixInduced }) => `${fixInduced} of ${found} in iteration ${number}`).join(", ");
  return induced.length === 0 ? [] : [`New findings on lines that our own fixes wrote (fix-induced): ${each}`];
};

const standingNotes = (reported: Reported): readonly string[] => {
  const { inbox, gate } = reported;
  const heard = inbox?.threads.filter((thread) => thread.closed === "heard").length ?? 0;
  const flips = Object.values(reported.run.writes).filter(
    ({ write, result, at }) => write.kind === "mark-ready" && result?.state === "done" && at >= reported.run.startedAt,
  );
  return [
    ...flips.map(({ write }) => `The draft was marked ready for review: ${write.why}`),
    ...inducedNote(reported.run),
    ...reported.notes,
    ...(inbox?.notes ?? []),
    ...(heard === 0
      ? []
      : [`${heard} older point${heard === 1 ? " was" : "s were"} followed up before our first run and hold nothing (--all reopens)`]),
    ...(inbox === undefined || inbox.unknownBots.length === 0
      ? []
      : [`Bots that no reviewer plugin reads, never triggered: ${inbox.unknownBots.join(", ")}`]),
    ...(gate === "off" ? ["Pushes go out without a gate (gate: false)"] : []),
  ];
};

export const reportOf = (reported: Reported): Report => {
  const { inbox, run, stop } = reported;
  const head = inbox?.pullRequest.head.sha ?? run.heads.at(-1)?.sha ?? "";
  return {
    schemaVersion: 1,
    target: reported.target,
    stop: stop?.stop ?? null,
    detail: stop?.detail ?? (run.id === "" ? "no run yet" : "parked"),
    pullRequest: {
      url: inbox?.pullRequest.url ?? reported.url,
      number: reported.number,
      title: inbox?.pullRequest.title ?? "",
      draft: inbox?.pullRequest.draft ?? false,
    },
    head,
    startedAt: reported.startedAt,
    endedAt: reported.now,
    reviewers:
      inbox === undefined ? [] : [...inbox.parties.flatMap((party) => lineOf(party.reviewer, inbox, run) ?? []), ...otherLines(inbox, run)],
    iterations: run.iterations,
    gates: run.evidence.filter((evidence) =>
      run.iterations.some((line) => line.gates.some((gate) => gate.tree === evidence.tree && gate.gate === evidence.gate)),
    ),
    pushes: run.pushes,
    waits: reported.waits,
    remaining: [
      ...(stop?.stop === "met" && reported.live !== true ? [] : reported.blockers.map((blocker) => remainingOf(blocker, inbox, stop))),
      ...leftOver(reported),
    ],
    notes: [...new Set(standingNotes(reported))],
    plan: reported.plan,
    cost: reported.cost,
    ...(reported.error === undefined ? {} : { error: reported.error }),
  };
};
