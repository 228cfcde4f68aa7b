/** Pure: where every open thread stands, what that holds up, and what the loop owes. */
import type { Blocker, Decision, Inbox, RunState, Thread } from "../model.js";
import type { Settings } from "../settings.js";

/** The decision that is valid for what the thread says now. */
export const decisionFor = (thread: Thread, run: RunState): Decision | undefined => {
  const found = run.decisions[thread.id];
  return found?.contentHash === thread.contentHash ? found.decision : undefined;
};

/** The fix of what the thread says now, once it is on the remote. */
export const fixFor = (thread: Thread, run: RunState): RunState["fixes"][string] | undefined => {
  const found = run.fixes[thread.id];
  return found?.contentHash === thread.contentHash && found.pushed ? found : undefined;
};

/** Why it was left undone in this run. */
export const leftFor = (thread: Thread, run: RunState): RunState["left"][string] | undefined => {
  const found = run.left[thread.id];
  return found?.contentHash === thread.contentHash ? found : undefined;
};

export const isPerson = (thread: Thread): boolean =>
  thread.reviewer === undefined && thread.author.kind !== "bot" && isConversation(thread);
/** A gate and a check are no one's words. */
export const isConversation = (thread: Thread): boolean => thread.source !== "gate" && thread.source !== "check";

/** Open, not answered, and no valid decision: triage has to see it. */
export const needsTriage = (thread: Thread, run: RunState): boolean =>
  thread.open && !thread.answered && isConversation(thread) && decisionFor(thread, run) === undefined && leftFor(thread, run) === undefined;

/** Will this decision be carried out by a change (a nitpick only where the config says so)? */
export const wantsFix = (decision: Decision, settings: Pick<Settings, "nitpicks">): boolean =>
  decision.kind === "actionable" || (decision.kind === "nitpick" && settings.nitpicks === "fix");

/** Decided to be changed, and neither done nor left undone in this run. */
export const needsFix = (thread: Thread, run: RunState, settings: Settings): Decision | undefined => {
  const decision = thread.open && !thread.answered && isConversation(thread) ? decisionFor(thread, run) : undefined;
  return decision !== undefined && wantsFix(decision, settings) && fixFor(thread, run) === undefined && leftFor(thread, run) === undefined
    ? decision
    : undefined;
};

/** Never more than this many replies of ours in one thread: from then on a person decides. */
export const tooManyReplies = (thread: Thread, settings: Settings): boolean => thread.replies >= settings.limits.replies;

/** What the thread is owed now: an answer, to be resolved, or nothing. */
export type Due = { readonly thread: Thread; readonly decision: Decision; readonly owes: "reply" | "resolve" };

const replyDue = (thread: Thread, decision: Decision, run: RunState, settings: Settings): boolean => {
  if (thread.answered || !thread.canReply || tooManyReplies(thread, settings)) return false;
  if (decision.kind === "judgment") return false;
  if (wantsFix(decision, settings)) return fixFor(thread, run) !== undefined;
  if (decision.kind === "nitpick" && settings.nitpicks === "leave") return false;
  return decision.reply !== null;
};

/** One key for each state of a conversation: what was closed and opened again is not closed again. */
export const resolveKey = (thread: Thread): string => `resolve:${thread.id}:${thread.contentHash}:${thread.replies}`;
const wasResolved = (thread: Thread, run: RunState): boolean => run.writes[resolveKey(thread)]?.result?.state === "done";

/** Level-triggered: the same question after a crash gets the same answer. */
export const dueOf = (inbox: Inbox, run: RunState, settings: Settings): readonly Due[] =>
  inbox.threads.flatMap((thread): readonly Due[] => {
    if (!thread.open || !isConversation(thread) || thread.home === "local") return [];
    const decision = decisionFor(thread, run) ?? answeredAs(thread);
    if (decision === undefined) return [];
    if (replyDue(thread, decision, run, settings)) return [{ thread, decision, owes: "reply" }];
    const mayResolve =
      thread.home === "inline" && thread.answered && decision.kind !== "judgment" && thread.canResolve && !wasResolved(thread, run);
    if (mayResolve && (!isPerson(thread) || settings.people.resolve === "after-reply")) return [{ thread, decision, owes: "resolve" }];
    return [];
  });

/** A lost journal: our visible answer still says that the point was dealt with. */
const answeredAs = (thread: Thread): Decision | undefined =>
  thread.answered ? { kind: "informational", why: "answered earlier", reply: null } : undefined;

const place = (thread: Thread): string => {
  if (thread.place === undefined) return "";
  const line = thread.place.line ?? thread.place.originalLine;
  return ` (${thread.place.path}${line === undefined ? "" : `:${line}`})`;
};

const describe = (thread: Thread): string => `${thread.title}${place(thread)}`;

const lift = (
  thread: Thread,
  run: RunState,
  settings: Settings,
): { code: string; who: Blocker["lift"]["who"]; why: string; name?: string } => {
  const decision = decisionFor(thread, run);
  const person = isPerson(thread);
  const left = leftFor(thread, run);
  if (tooManyReplies(thread, settings) && !thread.answered)
    return { code: "judgment", who: "person", why: `we answered ${thread.replies} times; a person has to settle it` };
  if (thread.answered && person)
    return { code: "person-thread", who: "person", name: thread.author.login, why: `answered; ${thread.author.login} closes it` };
  if (decision?.kind === "judgment") return { code: "judgment", who: "person", why: decision.question ?? decision.why };
  if (left !== undefined) return { code: left.code, who: "person", why: left.why };
  if (thread.answered) {
    if (wasResolved(thread, run)) return { code: "reopened", who: "person", why: "answered and resolved, and then opened again" };
    return thread.canResolve
      ? { code: "unresolved", who: "loop", why: "answered, not resolved yet" }
      : { code: "cannot-resolve", who: "person", why: "answered; this account may not resolve it, somebody with write access has to" };
  }
  if (!thread.canReply) return { code: "cannot-reply", who: "person", why: "this account can't reply to it" };
  if (decision?.kind === "nitpick" && settings.nitpicks === "leave")
    return { code: "nitpick", who: "person", why: "nitpicks are left alone (nitpicks: leave)" };
  if (decision === undefined) {
    return settings.hasAgent
      ? { code: "undecided", who: "agent", why: "not judged yet" }
      : { code: "undecided", who: "person", why: "nobody judged it: no agent is configured" };
  }
  if (wantsFix(decision, settings) && fixFor(thread, run) === undefined) return { code: "not-fixed", who: "agent", why: decision.why };
  return { code: "unanswered", who: "loop", why: "decided, not answered yet" };
};

/** One blocker for each thread that is open: what targets that want zero open threads add. */
export const threadBlockers = (inbox: Inbox, run: RunState, settings: Settings, by: string): readonly Blocker[] =>
  inbox.threads
    .filter((thread) => thread.open && isConversation(thread))
    .map((thread) => {
      const { code, who, why, name } = lift(thread, run, settings);
      return {
        code,
        by,
        detail: `${describe(thread)}: ${why}`,
        lift: { who, ...(name === undefined ? {} : { name }) },
        thread: thread.id,
        url: thread.url,
      };
    });
