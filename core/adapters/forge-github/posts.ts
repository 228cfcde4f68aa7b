/** Writes that add something. They carry no key that GitHub would know, so a lost answer is never followed by a second try here. */
import type { PullRequest, WriteOf, WriteResult } from "../../model.js";
import { GithubFailure } from "./failure.js";
import { numberQuery } from "./mutations.js";
import { refusalOf, refused } from "./outcome.js";
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

export const openIssue = (context: WriteContext, write: WriteOf<"open-issue">): Promise<WriteResult> =>
  post(context, (client, request) => client.rest.issues.create({ ...at(context.on), title: write.title, body: write.body, request }));

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
