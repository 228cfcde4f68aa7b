/** Single acts for whoever drives the loop by hand: the same way out, the same rules, journal and lease as a run. */
import { Engine } from "./engine.js";
import type { EngineOptions } from "./engine.js";
import { ReviewloopError } from "./errors.js";
import { findThread } from "./reading/find-thread.js";
import { flipWrite } from "./writing/flip.js";
import { handOverOf, lifecycleOf } from "./lifecycle.js";
import type { Lifecycle } from "./lifecycle.js";
import type { Decision, DecisionKind, Draft, Inbox, RunState, Sha, Thread, Write, WriteResult } from "./model.js";
import { repliesOf, resolveOf } from "./writing/replies.js";
import { requestsFor } from "./writing/requesting.js";
import { unsettled } from "./run.js";
import { decisionFor, isPerson, tooManyReplies } from "./reading/standing.js";
import type { Settings } from "./settings.js";

/** What became of an order, and where the pull request stands after it. */
export interface Acted {
  readonly act: "reply" | "resolve" | "request" | "cancel" | "ready" | "draft";
  /** It is so now: by this call, or before it. */
  readonly done: boolean;
  /** One sentence: what was done, or why not. */
  readonly detail: string;
  readonly results: readonly {
    readonly what: string;
    readonly state: WriteResult["state"];
    readonly detail?: string;
    readonly url?: string;
  }[];
  readonly thread?: string;
  readonly head: Sha;
  /** Read after the act. */
  readonly standing: Lifecycle;
}

type Outcome = Pick<Acted, "done" | "detail" | "results" | "thread">;

type Checked = Awaited<ReturnType<Engine["check"]>>;

/** One check, and the state that it makes. */
export const standingWith = (engine: Engine, inbox: Inbox, { blockers, waits, stopping }: Checked): Lifecycle => {
  const { spoken } = engine.options;
  return lifecycleOf({
    inbox,
    blockers,
    waits,
    run: engine.run,
    settings: engine.settings,
    now: engine.now(),
    flips: engine.flips,
    ...(spoken === undefined ? {} : { spoken }),
    ...(stopping === undefined ? {} : { stopping }),
  });
};

export const standingOf = async (engine: Engine, inbox: Inbox): Promise<Lifecycle> =>
  standingWith(engine, inbox, await engine.check(inbox));

const acting = async (
  options: EngineOptions,
  act: Acted["act"],
  order: (engine: Engine, inbox: Inbox) => Promise<Outcome>,
): Promise<Acted> => {
  const { ports, ref } = options;
  const journal = await ports.store.open(ref);
  try {
    const engine = new Engine({ ...options, notesHeads: true }, journal);
    await ports.forge.viewer();
    let inbox = await engine.fetch();
    const unknown = unsettled(engine.run);
    await engine.outbox.settle(unknown, inbox);
    if (unknown.length > 0) inbox = await engine.fetch();
    const outcome = await order(engine, inbox);
    const after = outcome.results.some((result) => result.state === "done") ? await engine.fetch() : (engine.inbox ?? inbox);
    return { act, ...outcome, head: after.pullRequest.head.sha, standing: await standingOf(engine, after) };
  } finally {
    await journal.close();
  }
};

const lineOf = (write: Write, result: WriteResult): Acted["results"][number] => ({
  what: write.kind === "request" ? `request ${write.reviewer}` : write.kind,
  state: result.state,
  ...("detail" in result ? { detail: result.detail } : {}),
  ...("url" in result && result.url !== undefined ? { url: result.url } : {}),
});

const send = async (engine: Engine, writes: readonly Write[], inbox: Inbox, done: string): Promise<Outcome> => {
  const results: Acted["results"][number][] = [];
  for (const write of writes) {
    const [result] = await engine.outbox.send([write], inbox);
    results.push(lineOf(write, result ?? { state: "dropped", detail: "no answer for it" }));
  }
  const failed = results.filter((result) => result.state !== "done");
  return {
    done: failed.length === 0,
    detail: failed.length === 0 ? done : failed.map((result) => `${result.what}: ${result.detail ?? result.state}`).join("; "),
    results,
  };
};

const refused = (detail: string): Outcome => ({ done: false, detail, results: [] });
const already = (detail: string): Outcome => ({ done: true, detail, results: [] });

// ---------------------------------------------------------------- threads

/** Why an answer must not be posted; undefined = it may. Pure. */
export const mayNotReply = (thread: Thread, kind: DecisionKind, body: string, inbox: Inbox, settings: Settings): string | undefined => {
  if (body.trim() === "") return "the answer is empty";
  if (kind === "judgment") return undefined;
  if (!thread.canReply && thread.home !== "local") return "this account can't reply to it";
  if (tooManyReplies(thread, settings)) return `we answered ${thread.replies} times already; a person has to settle it`;
  const raisedOn = thread.messages[0]?.commit;
  if (kind === "actionable" && raisedOn === inbox.pullRequest.head.sha)
    return "actionable claims a fix, and nothing was pushed since it was raised: push first";
  return undefined;
};

/** Why a thread must not be resolved; undefined = it may. Pure: rules 6 to 8. */
export const mayNotResolve = (thread: Thread, run: RunState, settings: Settings): string | undefined => {
  if (thread.home !== "inline") return "only inline threads are resolved; a point in a body is closed by its answer";
  if (isPerson(thread) && settings.people.resolve === "leave")
    return `${thread.author.login} raised it, and a person's thread is left to its author (people.resolve: "after-reply" lets the loop close it)`;
  if (decisionFor(thread, run)?.kind === "judgment") return "it waits for a person's decision";
  if (!thread.answered) return "a thread is resolved only after its answer is visible: reviewloop reply first";
  return thread.canResolve ? undefined : "this account may not resolve it";
};

export interface ReplyOrder {
  /** Thread id, comment id or URL. */
  readonly thread: string;
  readonly body: string;
  /** Default: `informational`. */
  readonly decision?: DecisionKind;
}

/** Answers a thread. `judgment` posts nothing: it is recorded for a person. Throws `USAGE` for a thread that is not there, `LEASE_HELD`. */
export const replyTo = (options: EngineOptions, order: ReplyOrder): Promise<Acted> =>
  acting(options, "reply", async (engine, inbox) => {
    const thread = findThread(inbox.threads, order.thread);
    const kind = order.decision ?? "informational";
    const no = mayNotReply(thread, kind, order.body, inbox, engine.settings);
    if (no !== undefined) return { ...refused(no), thread: thread.id };
    const body = order.body.trim();
    const decision: Decision =
      kind === "judgment" ? { kind, why: body, reply: null, question: body } : { kind, why: body.split("\n")[0] ?? "", reply: body };
    const { id, contentHash, title, reviewer } = thread;
    const about = { thread: id, contentHash, title, ...(reviewer === undefined ? {} : { reviewer }) };
    const draft: Draft = await engine.hooks.call("reply", engine.ctxFor(inbox), { thread, decision, text: decision.reply }, inbox);
    await engine.append({ at: engine.now(), type: "decision", ...about, decision });
    const silent = thread.home === "local" || (kind === "nitpick" && engine.settings.nitpicks === "leave");
    if (kind === "judgment" || silent)
      return { ...already(silent ? "decided; nothing is posted" : "left open for a person, with this question"), thread: id };
    const rules = { triggers: engine.triggers, folders: engine.options.outgoing.folders };
    const writes = repliesOf([draft], { inbox, settings: engine.settings, rules });
    return { ...(await send(engine, writes, inbox, "answered")), thread: id };
  });

/** Resolves an answered inline thread of a reviewer. */
export const resolveThread = (options: EngineOptions, given: string): Promise<Acted> =>
  acting(options, "resolve", async (engine, inbox) => {
    const thread = findThread(inbox.threads, given);
    if (!thread.open) return { ...already(`it is closed (${thread.closed ?? "resolved"})`), thread: thread.id };
    const no = mayNotResolve(thread, engine.run, engine.settings);
    if (no !== undefined) return { ...refused(no), thread: thread.id };
    return { ...(await send(engine, [resolveOf(thread)], inbox, "resolved")), thread: thread.id };
  });

// ---------------------------------------------------------------- asking

/** Asks all awaited reviewers that are not done; with a name that one, also again on the same head, never while one is pending. */
export const requestReviews = (options: EngineOptions, reviewer?: string): Promise<Acted> =>
  acting(options, "request", async (engine, inbox) => {
    const asked = await requestsFor(engine, inbox, reviewer);
    if ("refused" in asked) return refused(asked.refused);
    if (asked.requests.length === 0) return already(asked.why);
    const names = asked.requests.map((request) => request.reviewer).join(", ");
    return send(engine, asked.requests, inbox, `asked ${names}`);
  });

/** Takes pending review requests back: of one reviewer, or of all that this loop knows. */
export const cancelRequests = (options: EngineOptions, reviewer?: string): Promise<Acted> =>
  acting(options, "cancel", async (engine, inbox) => {
    const known = engine.reviewers.filter((facts) => reviewer === undefined || facts.name === reviewer);
    if (known.length === 0) throw new ReviewloopError("USAGE", { problem: `There is no reviewer "${reviewer}".`, command: "request" });
    const mine = inbox.requests.flatMap((request) => {
      const facts = known.find((each) => each.identities.some((identity) => identity.logins.includes(request.login)));
      return facts === undefined ? [] : [{ request, facts }];
    });
    if (mine.length === 0) return already("no review request is pending");
    const count = Object.keys(engine.run.writes).length;
    const writes = mine.map(({ request, facts }): Write => ({
      kind: "cancel-request",
      key: `cancel-request:${request.login}:${inbox.pullRequest.head.sha}:${count}`,
      preconditions: {},
      login: request.login,
      bot: request.kind === "bot",
      why: `the request to ${facts.name} is taken back`,
    }));
    return send(engine, writes, inbox, `taken back: ${mine.map(({ facts }) => facts.name).join(", ")}`);
  });

// ---------------------------------------------------------------- the flip

/** Draft to ready for review: refused unless READY on a fresh read with the settle window over. */
export const markReady = (options: EngineOptions): Promise<Acted> =>
  acting(options, "ready", async (engine, first) => {
    let inbox = first;
    let standing = await standingOf(engine, inbox);
    const { lastWriteAt } = engine.run;
    const left = lastWriteAt === undefined ? 0 : lastWriteAt + engine.settings.wait.settle - engine.now();
    if (standing.state === "READY" && inbox.pullRequest.draft) {
      if (left > 0) await engine.ports.clock.sleep(left, engine.options.signal);
      // GitHub's first word on merging may be stale: two reads have to agree.
      const before = inbox.pullRequest;
      inbox = await engine.fetch();
      standing = await standingOf(engine, inbox);
      if (inbox.pullRequest.head.sha !== before.head.sha || inbox.pullRequest.base.sha !== before.base.sha)
        return refused("head or base moved meanwhile; read again");
    }
    if (standing.state !== "READY") return refused(`${standing.state}: ${standing.why}. Next: ${standing.next}`);
    const { draft, head } = inbox.pullRequest;
    const flip = draft
      ? await send(
          engine,
          [flipWrite("mark-ready", engine.run, head.sha, "the loop is done: a person's turn")],
          inbox,
          "marked ready for review",
        )
      : already("it is ready for review already");
    if (!flip.done) return flip;
    // What the target still wants done by the loop itself: an issue for what is left over; also where an earlier call broke off before it.
    const after = draft ? await engine.fetch() : inbox;
    const more = handOverOf((await engine.check(after)).blockers);
    if (more.length === 0) return flip;
    const opened = await send(engine, more, after, "opened an issue for what is left over");
    return { done: opened.done, detail: `${flip.detail}; ${opened.detail}`, results: [...flip.results, ...opened.results] };
  });

/** Ready back to draft: the agent's turn again. */
export const markDraft = (options: EngineOptions): Promise<Acted> =>
  acting(options, "draft", async (engine, inbox) => {
    if (inbox.pullRequest.draft) return already("it is a draft already");
    const write = flipWrite("mark-draft", engine.run, inbox.pullRequest.head.sha, "taken back for more work");
    return send(engine, [write], inbox, "a draft again");
  });
