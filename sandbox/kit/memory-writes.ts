/**
 * Writes of the in-memory forge. What adds something is sent once, and a lost answer is thrown (an issue with a marker is looked for first); what sets a state is looked at, set
 * where it is not so yet, and looked at again, so that a lost answer is settled here. The adapter for GitHub does the same.
 */
import {
  markersIn,
  ReviewloopError,
  type Clock,
  type ForgeWrite,
  type PullRequest,
  type RefusalCode,
  type WriteOf,
  type WriteResult,
} from "../../core/index.js";
import { issueUrl, postUrl, pullRequestUrl } from "../world/addresses.js";
import { WorldError } from "../world/errors.js";
import type { PullRequestRecord, Session } from "../world/records.js";
import { refuseChange, refuseResolve } from "../world/rules.js";
import type { World } from "../world/world.js";
import { normalised } from "./snapshot.js";

export interface WriteContext {
  readonly world: World;
  readonly session: Session;
  readonly record: PullRequestRecord;
  readonly on: PullRequest;
  readonly clock: Clock | undefined;
  readonly signal: AbortSignal | undefined;
  /** Counts a request. */
  readonly sent: () => void;
}

type Adds = WriteOf<"reply" | "comment" | "review" | "open-issue" | "open-pull-request"> | Extract<WriteOf<"request">, { by: "comment" }>;
type Sets = WriteOf<"edit-comment" | "edit-description" | "resolve" | "minimise" | "mark-ready" | "mark-draft" | "cancel-request">;
type Asks = Extract<WriteOf<"request">, { by: "review-request" }>;

const BATCH = 20;
const ATTEMPTS = 3;
const LIMITED_ATTEMPTS = 6;
const LIMIT_WAIT = 60_000;

const CODES: Readonly<Record<WorldError["type"], RefusalCode>> = {
  FORBIDDEN: "forbidden",
  NOT_FOUND: "not-found",
  LOCKED: "locked",
  UNPROCESSABLE: "invalid",
  VALIDATION: "invalid",
  CONFLICT: "invalid",
  GONE: "not-found",
  UNAUTHORIZED: "forbidden",
};

const refused = (code: RefusalCode, detail: string): WriteResult => ({ state: "refused", code, detail });

/** GitHub's sentences decide where its types don't. */
export const refusalOf = (error: WorldError): WriteResult => {
  if (/pending review/i.test(error.message)) return refused("pending-review", error.message);
  if (/\b(?:locked|archived)\b/i.test(error.message)) return refused("locked", error.message);
  return refused(CODES[error.type], error.message);
};

const attempt = (act: () => WriteResult): WriteResult => {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof WorldError) return refusalOf(thrown);
    throw thrown;
  }
};

/** What happened to one request on its way: `limited` = the limit outlasted all patience. */
type Passage<T> =
  | { readonly fate: "answered"; readonly answer: T }
  | { readonly fate: "lost"; readonly problem: string }
  | { readonly fate: "limited" };

const passing = async <T>(context: WriteContext, act: (upTo?: number) => T): Promise<Passage<T>> => {
  const { world, clock, signal } = context;
  for (let tries = 1; ; tries += 1) {
    if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
    context.sent();
    const fate = world.faults.nextWrite();
    switch (fate.fate) {
      case "normal":
        return { fate: "answered", answer: act() };
      case "bad-gateway-before":
        return { fate: "lost", problem: "HTTP 502" };
      case "bad-gateway-after":
        act();
        return { fate: "lost", problem: "HTTP 502" };
      case "bad-gateway-midway":
        act(fate.applied);
        return { fate: "lost", problem: "HTTP 502" };
      case "lost-answer":
        act();
        return { fate: "lost", problem: "the connection was closed before the answer" };
      case "secondary-rate-limit":
        if (clock === undefined || tries === LIMITED_ATTEMPTS) return { fate: "limited" };
        await clock.sleep((fate.retryAfter ?? LIMIT_WAIT / 1000) * 1000, signal);
    }
  }
};
const TOO_OFTEN = refused("rate-limited", "You have exceeded a secondary rate limit");

// ---------------------------------------------------------------- what adds something

/** Our issue with the marker of this one. */
const issueThere = ({ world, session, record }: WriteContext, write: Adds): WriteResult | undefined => {
  if (write.kind !== "open-issue") return undefined;
  const repository = world.repository(record.repository);
  const keys = new Set(markersIn(write.body).map((mark) => mark.key));
  const there = [...repository.issues.values()].find(
    (each) => each.author === session.login && markersIn(each.body).some((mark) => keys.has(mark.key)),
  );
  return there === undefined ? undefined : { state: "done", found: true, id: there.id, url: issueUrl(world.state, repository, there) };
};

const add = (context: WriteContext, write: Adds): WriteResult => {
  const { world, session, record, on } = context;
  const { state } = world;
  const posted = (made: Parameters<typeof postUrl>[1]): WriteResult => ({ state: "done", id: made.id, url: postUrl(state, made) });
  switch (write.kind) {
    case "reply": {
      const root = record.threads
        .flatMap((thread) => thread.comments)
        .find((each) => [String(each.databaseId), each.id].includes(write.rootComment));
      return root === undefined ? refused("not-found", "Not Found") : posted(world.replyToComment(session, root, write.body));
    }
    case "comment":
    case "request":
      return posted(world.comment(session, record, write.body));
    case "review":
      return posted(
        world.review(session, record, {
          state: "COMMENTED",
          body: write.body,
          comments: write.comments,
          commit: write.preconditions.head ?? on.head.sha,
        }),
      );
    case "open-issue": {
      const there = issueThere(context, write);
      if (there !== undefined) return there;
      const issue = world.openIssue(session, record.repository, write);
      return { state: "done", id: issue.id, url: issueUrl(state, world.repository(record.repository), issue) };
    }
    case "open-pull-request": {
      const { branch: head, base, title, body } = write;
      const opened = world.openPullRequest(session, { repository: record.repository, head, base, title, body, draft: true });
      return { state: "done", id: opened.id, url: pullRequestUrl(state, opened) };
    }
  }
};

export const addOne = async (context: WriteContext, write: Adds): Promise<WriteResult> => {
  const passage = await passing(context, () => attempt(() => add(context, write)));
  if (passage.fate === "answered") return passage.answer;
  if (passage.fate === "limited") return TOO_OFTEN;
  const there = issueThere(context, write);
  if (there !== undefined) return there;
  throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: write.kind, problem: passage.problem });
};

// ---------------------------------------------------------------- what asks somebody

const registered = (context: WriteContext, login: string): string | undefined =>
  context.record.requests.find((request) => normalised(request.login) === normalised(login))?.login;

const ask = (context: WriteContext, write: Asks): WriteResult => {
  const { world, session, record } = context;
  const login = [...world.accounts.keys()].find((each) => normalised(each) === normalised(write.login)) ?? write.login;
  const asked = (): number => record.timeline.filter((event) => event.kind === "review-requested" && event.subject === login).length;
  const before = asked();
  try {
    if (write.endpoint === undefined || world.faults.get("no-review-endpoint") !== undefined) world.requestReview(session, record, login);
    else world.requestBotReview(session, record, login);
  } catch (thrown) {
    if (!(thrown instanceof WorldError)) throw thrown;
    // One is pending already: that is what was asked for.
    if (thrown.type === "CONFLICT") return { state: "done", found: true };
    // The endpoint is hidden from accounts without write access.
    return thrown.type === "NOT_FOUND" ? refused("forbidden", "requesting a review needs write access") : refusalOf(thrown);
  }
  // A quick bot takes its request away at once: the timeline keeps it.
  if (registered(context, login) !== undefined || asked() > before) return { state: "done" };
  return { state: "dropped", detail: `GitHub accepted the request and did not register ${write.login}` };
};

export const askOne = async (context: WriteContext, write: Asks): Promise<WriteResult> => {
  if (write.endpoint === undefined && registered(context, write.login) !== undefined) return { state: "done", found: true };
  const passage = await passing(context, () => ask(context, write));
  if (passage.fate === "answered") return passage.answer;
  if (passage.fate === "limited") return TOO_OFTEN;
  throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: write.kind, problem: passage.problem });
};

// ---------------------------------------------------------------- what sets a state

type Standing =
  | { readonly is: "so"; readonly url?: string }
  | { readonly is: "not-so" }
  | { readonly is: "refused"; readonly result: WriteResult };
const GONE: Standing = { is: "refused", result: refused("not-found", "it is gone") };
const FOREIGN: Standing = { is: "refused", result: refused("rule", "it belongs to another pull request") };

const sameText = (a: string, b: string): boolean => a.replaceAll("\r\n", "\n").trimEnd() === b.replaceAll("\r\n", "\n").trimEnd();

const look = (context: WriteContext, write: Sets): Standing => {
  const { world, session, record } = context;
  const { state } = world;
  const so = (holds: boolean, url?: string): Standing => (holds ? { is: "so", ...(url === undefined ? {} : { url }) } : { is: "not-so" });
  const may = (error: WorldError | undefined, otherwise: Standing): Standing =>
    error === undefined || otherwise.is === "so" ? otherwise : { is: "refused", result: refused("forbidden", error.message) };
  switch (write.kind) {
    case "resolve": {
      const node = world.node(write.thread);
      if (node?.type !== "thread") return GONE;
      if (node.value.pullRequest !== record.id) return FOREIGN;
      return may(refuseResolve(state, session, record, "ResolveReviewThread"), so(node.value.resolved));
    }
    case "minimise":
    case "edit-comment": {
      const node = world.node(write.comment);
      if (node?.type !== "issue-comment" && node?.type !== "review-comment" && node?.type !== "review") return GONE;
      if (state.pullRequestOf(node.value) !== record) return FOREIGN;
      const holds = write.kind === "minimise" ? node.value.minimised !== undefined : sameText(node.value.body, write.body);
      const what = write.kind === "minimise" ? "MinimizeComment" : "UpdateIssueComment";
      return may(refuseChange(state, session, node.value, what), so(holds, postUrl(state, node.value)));
    }
    case "edit-description": {
      if (sameText(record.body, write.body)) return so(true, pullRequestUrl(state, record));
      if (sameText(record.body, write.was)) return { is: "not-so" };
      return { is: "refused", result: refused("stale", "the description was changed meanwhile") };
    }
    case "mark-ready":
    case "mark-draft":
      return so(record.draft === (write.kind === "mark-draft"), pullRequestUrl(state, record));
    case "cancel-request":
      return so(registered(context, write.login) === undefined);
  }
};

const set = (context: WriteContext, write: Sets): void => {
  const { world, session, record } = context;
  switch (write.kind) {
    case "resolve":
      return void world.resolve(session, write.thread);
    case "minimise":
      return world.minimise(session, write.comment, write.classifier);
    case "edit-comment":
      return world.editComment(session, write.comment, write.body);
    case "edit-description":
      return world.editDescription(session, record, write.body);
    case "mark-ready":
      return world.markReady(session, record);
    case "mark-draft":
      return world.markDraft(session, record);
    case "cancel-request":
      return world.removeRequest(session, record, registered(context, write.login) ?? write.login);
  }
};

const idOf = (context: WriteContext, write: Sets): string =>
  write.kind === "resolve" ? write.thread : write.kind === "minimise" || write.kind === "edit-comment" ? write.comment : context.on.id;

/** One after the other, as aliases of one mutation are: a failing one stops no other. Undefined = nothing said against it. */
const setAll = (context: WriteContext, writes: readonly Sets[], upTo = Infinity): readonly (WriteResult | undefined)[] =>
  writes.slice(0, upTo).map((write, index) => {
    const batched = write.kind === "resolve" || write.kind === "minimise";
    const failing = batched ? context.world.faults.alias(index + 1) : undefined;
    try {
      if (failing === "FORBIDDEN") throw new WorldError("FORBIDDEN", "Resource not accessible by integration");
      if (failing === "NOT_FOUND") throw new WorldError("NOT_FOUND", "Could not resolve to a node");
      set(context, write);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof WorldError) return refusalOf(thrown);
      throw thrown;
    }
  });

const settle = async (context: WriteContext, writes: readonly Sets[]): Promise<readonly WriteResult[]> => {
  const results = new Map<Sets, WriteResult>();
  const sent = new Set<Sets>();
  let problem = "no reason given";
  const left = (): readonly Sets[] => writes.filter((write) => !results.has(write));
  const lookAtAll = (): void => {
    for (const write of left()) {
      const standing = look(context, write);
      if (standing.is === "refused") results.set(write, standing.result);
      if (standing.is !== "so") continue;
      const url = standing.url === undefined ? {} : { url: standing.url };
      results.set(write, { state: "done", id: idOf(context, write), ...url, ...(sent.has(write) ? {} : { found: true }) });
    }
  };
  lookAtAll();
  for (let tries = 1; left().length > 0 && tries <= ATTEMPTS; tries += 1) {
    const acting = left();
    for (const write of acting) sent.add(write);
    const passage = await passing(context, (upTo) => setAll(context, acting, upTo));
    if (passage.fate === "limited") for (const write of acting) results.set(write, TOO_OFTEN);
    if (passage.fate === "lost") {
      problem = passage.problem;
      if (tries === ATTEMPTS) throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: acting[0]?.kind ?? "write", problem });
    }
    if (passage.fate === "answered") {
      for (const [index, write] of acting.entries()) {
        const said = passage.answer[index];
        if (said !== undefined) results.set(write, said);
        else if (look(context, write).is === "so") results.set(write, { state: "done", id: idOf(context, write) });
        else problem = "the answer does not show the change";
      }
    }
    if (left().length === 0) break;
    await context.clock?.sleep(1000 * tries, context.signal);
    lookAtAll();
  }
  return writes.map((write) => results.get(write) ?? refused("invalid", `GitHub answered, yet nothing changed: ${problem}`));
};

/** All of one kind. Resolves and hides travel in batches, the others alone. */
export const setStates = async (context: WriteContext, writes: readonly Sets[]): Promise<readonly WriteResult[]> => {
  const size = writes[0]?.kind === "resolve" || writes[0]?.kind === "minimise" ? BATCH : 1;
  const results: WriteResult[] = [];
  for (let start = 0; start < writes.length; start += size) results.push(...(await settle(context, writes.slice(start, start + size))));
  return results;
};

export const isSetting = (write: ForgeWrite): write is Sets =>
  ["edit-comment", "edit-description", "resolve", "minimise", "mark-ready", "mark-draft", "cancel-request"].includes(write.kind);
export const isAsking = (write: ForgeWrite): write is Asks => write.kind === "request" && write.by === "review-request";
export type { Adds };
