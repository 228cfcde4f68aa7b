/** Writes that set a state, each with how to look and how to tell that it took effect. */
import type { PullRequest, Viewer, WriteOf, WriteResult } from "../../model.js";
import type { Clock } from "../../ports.js";
import type { GraphqlError } from "./failure.js";
import { present } from "./gathered.js";
import {
  BATCH,
  bodyQuery,
  draftMutation,
  EDITS,
  editMutation,
  minimisedQuery,
  minimiseMutation,
  resolveMutation,
  STATE_QUERY,
  threadsQuery,
} from "./mutations.js";
import { refusalOf, refused } from "./outcome.js";
import type { Subject } from "./outcome.js";
import { settle } from "./settle.js";
import type { Outcome, Standing, StateChange } from "./settle.js";
import type { Answer, Transport } from "./transport.js";

export interface WriteContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly subject: Subject;
  readonly on: PullRequest;
  /** Whose token this is. */
  readonly viewer: () => Promise<Viewer>;
  readonly signal: AbortSignal | undefined;
}

type Aliased<T> = Readonly<Record<string, T | null | undefined>>;

const no = (result: WriteResult): { is: "refused"; result: WriteResult } => ({ is: "refused", result });
const GONE: Standing = no(refused("not-found", "it is gone"));
/** A valid id of another pull request would be changed without a word, so each is checked first. */
const FOREIGN: Standing = no(refused("rule", "it belongs to another pull request"));
const denied = (what: string): Standing => no(refused("forbidden", `this account may not ${what}`));

const ids = (values: readonly string[]): Record<string, string> => Object.fromEntries(values.map((id, i) => [`id${i}`, id]));

/** A node that is gone is told by an error at its own alias. */
const tolerate = (error: GraphqlError): boolean => error.type === "NOT_FOUND" && /^n\d+$/.test(String(error.path?.[0]));

const lookAt = async <T>(context: WriteContext, text: string, values: readonly string[]): Promise<readonly (T | null)[]> => {
  const { data } = await context.transport.query<Aliased<T>>(text, ids(values), context.signal, { tolerate });
  return values.map((_, i) => data[`n${i}`] ?? null);
};

/** An answer is a yes only where the field that the write sets says so. */
const outcomesOf = <T>(
  context: WriteContext,
  answer: Answer<Aliased<T> | null>,
  count: number,
  holds: (payload: T) => boolean,
): readonly Outcome[] =>
  Array.from({ length: count }, (_, i): Outcome => {
    const payload = answer.data?.[`m${i}`];
    if (payload !== null && payload !== undefined && holds(payload)) return { is: "done" };
    const errors = answer.errors.filter((error) => error.path === undefined || error.path[0] === `m${i}`);
    if (errors.length === 0) return { is: "unsure", detail: "the answer does not show the change" };
    const failure = context.transport.failure(errors);
    const clear = failure.kind !== "unavailable" && failure.kind !== "partial" && failure.kind !== "limited";
    return clear ? no(refusalOf(failure, context.subject)) : { is: "unsure", detail: failure.message };
  });

const settled = <W>(context: WriteContext, writes: readonly W[], change: Omit<StateChange<W>, "refuse">): Promise<readonly WriteResult[]> =>
  settle(writes, { ...change, refuse: (failure) => refusalOf(failure, context.subject) }, context.clock, context.signal);

const inBatches = async <W>(
  writes: readonly W[],
  act: (batch: readonly W[]) => Promise<readonly WriteResult[]>,
): Promise<readonly WriteResult[]> => {
  const results: WriteResult[] = [];
  for (let start = 0; start < writes.length; start += BATCH) results.push(...(await act(writes.slice(start, start + BATCH))));
  return results;
};

interface LookedThread {
  readonly id?: string;
  readonly isResolved: boolean;
  readonly viewerCanResolve: boolean;
  readonly pullRequest: { readonly id: string };
}

export const resolve = (context: WriteContext, writes: readonly WriteOf<"resolve">[]): Promise<readonly WriteResult[]> =>
  inBatches(writes, (batch) =>
    settled(context, batch, {
      id: (write) => write.thread,
      look: async (some) => {
        const found = await lookAt<LookedThread>(
          context,
          threadsQuery(some.length),
          some.map((write) => write.thread),
        );
        return found.map((thread): Standing => {
          if (thread?.id === undefined) return GONE;
          if (thread.pullRequest.id !== context.on.id) return FOREIGN;
          if (thread.isResolved) return { is: "so" };
          return thread.viewerCanResolve ? { is: "not-so" } : denied("resolve this thread");
        });
      },
      act: async (some) => {
        const variables = ids(some.map((write) => write.thread));
        const answer = await context.transport.mutate<Aliased<{ thread: { isResolved: boolean } | null }>>(
          resolveMutation(some.length),
          variables,
          context.signal,
        );
        return outcomesOf(context, answer, some.length, (payload) => payload.thread?.isResolved === true);
      },
    }),
  );

interface LookedPost {
  readonly __typename: string;
  readonly id?: string;
  readonly url: string;
  readonly isMinimized?: boolean;
  readonly viewerCanMinimize?: boolean;
  readonly body?: string;
  readonly viewerCanUpdate?: boolean;
  readonly pullRequest?: { readonly id: string };
  readonly conversation?: { readonly id: string } | null;
}
const isOn = (post: LookedPost, on: PullRequest): boolean => (post.pullRequest ?? post.conversation)?.id === on.id;

export const minimise = (context: WriteContext, writes: readonly WriteOf<"minimise">[]): Promise<readonly WriteResult[]> =>
  inBatches(writes, (batch) =>
    settled(context, batch, {
      id: (write) => write.comment,
      look: async (some) => {
        const found = await lookAt<LookedPost>(
          context,
          minimisedQuery(some.length),
          some.map((write) => write.comment),
        );
        return found.map((post): Standing => {
          if (post?.id === undefined) return GONE;
          if (!isOn(post, context.on)) return FOREIGN;
          if (post.isMinimized === true) return { is: "so", url: post.url };
          return post.viewerCanMinimize === true ? { is: "not-so", url: post.url } : denied("hide this comment");
        });
      },
      act: async (some) => {
        const variables = ids(some.map((write) => write.comment));
        const answer = await context.transport.mutate<Aliased<{ minimizedComment: { isMinimized: boolean } | null }>>(
          minimiseMutation(some.length),
          variables,
          context.signal,
        );
        return outcomesOf(context, answer, some.length, (payload) => payload.minimizedComment?.isMinimized === true);
      },
    }),
  );

/** GitHub may change line ends and the end of a text. */
const sameText = (a: string, b: string): boolean => {
  const plain = (text: string): string => text.replaceAll("\r\n", "\n").trimEnd();
  return plain(a) === plain(b);
};

type Edited = Aliased<{ readonly edited: { readonly body: string } | null }>;

const edit = async (context: WriteContext, type: string, id: string, body: string): Promise<readonly Outcome[]> => {
  const change = EDITS[type];
  if (change === undefined) return [no(refused("unsupported", `a ${type} can't be edited`))];
  const answer = await context.transport.mutate<Edited>(editMutation(change), { id0: id, body }, context.signal);
  return outcomesOf(context, answer, 1, (payload) => payload.edited !== null && sameText(payload.edited.body, body));
};

export const editComment = async (context: WriteContext, write: WriteOf<"edit-comment">): Promise<readonly WriteResult[]> => {
  let type = "";
  return settled(context, [write], {
    id: () => write.comment,
    look: async () => {
      const [post] = await lookAt<LookedPost>(context, bodyQuery(), [write.comment]);
      if (post?.id === undefined) return [GONE];
      if (!isOn(post, context.on)) return [FOREIGN];
      type = post.__typename;
      if (sameText(post.body ?? "", write.body)) return [{ is: "so", url: post.url }];
      return [post.viewerCanUpdate === true ? { is: "not-so", url: post.url } : denied("edit this comment")];
    },
    act: () => edit(context, type, write.comment, write.body),
  });
};

interface State {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly isDraft: boolean;
}

const stateNow = async (context: WriteContext): Promise<State> => {
  const { owner, name, number } = context.on.ref;
  const { data } = await context.transport.query<{ repository: { pullRequest: State | null } | null }>(
    STATE_QUERY,
    { owner, name, number },
    context.signal,
  );
  return present(present(data.repository, "repository").pullRequest, "pull request");
};

export const editDescription = (context: WriteContext, write: WriteOf<"edit-description">): Promise<readonly WriteResult[]> =>
  settled(context, [write], {
    id: () => context.on.id,
    look: async () => {
      const { body, url } = await stateNow(context);
      if (sameText(body, write.body)) return [{ is: "so", url }];
      return [sameText(body, write.was) ? { is: "not-so", url } : no(refused("stale", "the description was changed meanwhile"))];
    },
    act: () => edit(context, "PullRequest", context.on.id, write.body),
  });

export const markDraft = (context: WriteContext, write: WriteOf<"mark-ready"> | WriteOf<"mark-draft">): Promise<readonly WriteResult[]> => {
  const wanted = write.kind === "mark-draft";
  return settled(context, [write], {
    id: () => context.on.id,
    look: async () => {
      const { isDraft, url } = await stateNow(context);
      return [{ is: isDraft === wanted ? "so" : "not-so", url }];
    },
    act: async () => {
      const answer = await context.transport.mutate<Aliased<{ pullRequest: { isDraft: boolean } | null }>>(
        draftMutation(write.kind),
        { id0: context.on.id },
        context.signal,
      );
      return outcomesOf(context, answer, 1, (payload) => payload.pullRequest?.isDraft === wanted);
    },
  });
};

export { settled };
