/** Writes that add something. They carry no key that GitHub would know, so a lost answer is never followed by a second try here. */
import type { PullRequest, WriteOf, WriteResult } from "../../model.js";
import { markersIn } from "../../writing/marker.js";
import { GithubFailure } from "./failure.js";
import { numberQuery } from "./mutations.js";
import { refusalOf, refused } from "./outcome.js";
import { normalised } from "./snapshot.js";
import type { WriteContext } from "./state-writes.js";
import type { RestCall } from "./transport.js";

interface Posted {
  readonly node_id?: string;
  readonly html_url?: string;
}

const at = (on: PullRequest) => ({ owner: on.ref.owner, repo: on.ref.name });

/** One REST post. A clear no is a result, a lost answer is thrown. */
const post = async (context: WriteContext, call: RestCall<Posted>): Promise<WriteResult> => {
  try {
    const { data } = await context.transport.restWrite(call, context.signal);
    // A connection lost after the status line leaves no body: it was done, its name is not known.
    const { node_id: id, html_url: url } = typeof data === "object" && data !== null ? data : ({} as Posted);
    return { state: "done", ...(id === undefined ? {} : { id }), ...(url === undefined ? {} : { url }) };
  } catch (thrown) {
    if (thrown instanceof GithubFailure) return refusalOf(thrown, context.subject);
    throw thrown;
  }
};

/** REST wants the number of the root comment; a node id is looked up. */
const commentNumber = async (context: WriteContext, comment: string): Promise<number | undefined> => {
  if (/^\d+$/.test(comment)) return Number(comment);
  const ask = async (field: "fullDatabaseId" | "databaseId") => {
    const { data } = await context.transport.query<{ node: { number?: string | number | null } | null }>(
      numberQuery(field),
      { id: comment },
      context.signal,
      { tolerate: (error) => error.type === "NOT_FOUND" },
    );
    const number = Number(data.node?.number ?? Number.NaN);
    return Number.isSafeInteger(number) ? number : undefined;
  };
  try {
    return await ask("fullDatabaseId");
  } catch (thrown) {
    if (thrown instanceof GithubFailure && thrown.kind === "undefined-field") return ask("databaseId");
    throw thrown;
  }
};

/**
 * Replies go through REST: there a draft review of this account makes them fail aloud, while GraphQL would hide them in
 * that draft. The address names the pull request, so a comment of another one is not found.
 */
export const reply = async (context: WriteContext, write: WriteOf<"reply">): Promise<WriteResult> => {
  const comment = await commentNumber(context, write.rootComment);
  if (comment === undefined) return refused("not-found", "the comment to answer is gone");
  return post(context, (client, request) =>
    client.rest.pulls.createReplyForReviewComment({
      ...at(context.on),
      pull_number: context.on.ref.number,
      comment_id: comment,
      body: write.body,
      request,
    }),
  );
};

export const comment = (context: WriteContext, body: string): Promise<WriteResult> =>
  post(context, (client, request) =>
    client.rest.issues.createComment({ ...at(context.on), issue_number: context.on.ref.number, body, request }),
  );

/** One COMMENT review, bound to the head that was reviewed. Without `event` it would stay a draft. */
export const review = (context: WriteContext, write: WriteOf<"review">): Promise<WriteResult> =>
  post(context, (client, request) =>
    client.rest.pulls.createReview({
      ...at(context.on),
      pull_number: context.on.ref.number,
      commit_id: write.preconditions.head ?? context.on.head.sha,
      event: "COMMENT",
      body: write.body,
      comments: write.comments.map(({ path, line, body }) => ({ path, line, body, side: "RIGHT" })),
      request,
    }),
  );

interface Listed extends Posted {
  readonly body?: string | null;
  readonly user?: { readonly login: string } | null;
  readonly created_at: string;
}

/** Pages of 100, newest first: an issue about a pull request is never older than it. */
const ISSUE_PAGES = 20;

/** Our issue with one of these keys, where it is there already. */
const issueThere = async (context: WriteContext, keys: ReadonlySet<string>): Promise<WriteResult | undefined> => {
  const { on, viewer, transport, signal } = context;
  const { login } = await viewer();
  for (let page = 1; page <= ISSUE_PAGES; page += 1) {
    const { data } = await transport.restRead<readonly Listed[]>(
      (client, request) =>
        client.rest.issues.listForRepo({ ...at(on), state: "all", sort: "created", direction: "desc", per_page: 100, page, request }),
      signal,
    );
    const found = data.find(
      ({ body, user }) => normalised(user?.login ?? "") === login && markersIn(body ?? "").some((mark) => keys.has(mark.key)),
    );
    if (found !== undefined) {
      const { node_id: id, html_url: url } = found;
      return { state: "done", found: true, ...(id === undefined ? {} : { id }), ...(url === undefined ? {} : { url }) };
    }
    const last = data.at(-1);
    if (data.length < 100 || last === undefined || Date.parse(last.created_at) < on.createdAt) return undefined;
  }
  return undefined;
};

/** No read of the pull request shows an issue: one with a marker is looked for, before it is sent and where no answer came. */
export const openIssue = async (context: WriteContext, write: WriteOf<"open-issue">): Promise<WriteResult> => {
  const keys = new Set(markersIn(write.body).map((mark) => mark.key));
  const send = (): Promise<WriteResult> =>
    post(context, (client, request) => client.rest.issues.create({ ...at(context.on), title: write.title, body: write.body, request }));
  if (keys.size === 0) return send();
  return (
    (await issueThere(context, keys)) ??
    send().catch(async (lost: unknown) => {
      const there = await issueThere(context, keys).catch(() => undefined);
      if (there === undefined) throw lost;
      return there;
    })
  );
};

/** Always a draft: making it ready is a person's act. */
export const openPullRequest = (context: WriteContext, write: WriteOf<"open-pull-request">): Promise<WriteResult> =>
  post(context, (client, request) =>
    client.rest.pulls.create({
      ...at(context.on),
      title: write.title,
      body: write.body,
      head: write.branch,
      base: write.base,
      draft: true,
      request,
    }),
  );
