/** Reviews, inline comments and their replies. Resolved or not is told by GraphQL only. */
import type { ReviewCommentRecord, ReviewRecord } from "../../world/records.js";
import type { ThreadInput } from "../../world/reviews.js";
import { failure, json } from "../exchange.js";
import { visibleReviews } from "../view.js";
import { reactionOf, reactionShape, reviewCommentShape, reviewShape } from "./present-posts.js";
import {
  notFound,
  numberOf,
  paged,
  pullRequestOf,
  repositoryOf,
  required,
  route,
  stringOf,
  type RestRequest,
  type Route,
} from "./routing.js";

const STATES = { APPROVE: "APPROVED", COMMENT: "COMMENTED", REQUEST_CHANGES: "CHANGES_REQUESTED" } as const;
const stateOf = (event: unknown): (typeof STATES)[keyof typeof STATES] | undefined =>
  event === "APPROVE" || event === "COMMENT" || event === "REQUEST_CHANGES" ? STATES[event] : undefined;

const threadInput = (body: Readonly<Record<string, unknown>>): ThreadInput => {
  const line = numberOf(body["line"]);
  const startLine = numberOf(body["start_line"]);
  return {
    path: stringOf(body["path"]) ?? "",
    body: stringOf(body["body"]) ?? "",
    side: body["side"] === "LEFT" ? "LEFT" : "RIGHT",
    ...(line === undefined || body["subject_type"] === "file" ? {} : { line }),
    ...(startLine === undefined ? {} : { startLine }),
  };
};

const reviewOf = (request: RestRequest): ReviewRecord => {
  const found = visibleReviews(request.view, pullRequestOf(request)).find(
    (review) => String(review.databaseId) === request.params["review"],
  );
  if (found === undefined) throw notFound();
  return found;
};

/** All submitted inline comments, ascending by id. */
const commentsOf = (request: RestRequest): readonly ReviewCommentRecord[] => {
  const pullRequests = request.params["number"] === undefined ? [...repositoryOf(request).pullRequests.values()] : [pullRequestOf(request)];
  return pullRequests
    .flatMap((pullRequest) => pullRequest.threads.flatMap((thread) => thread.comments))
    .filter((comment) => comment.state === "SUBMITTED")
    .sort((a, b) => a.databaseId - b.databaseId);
};

/** `sort`, `direction` and `since` of lists of comments. */
const sorted = ({ exchange }: RestRequest, comments: readonly ReviewCommentRecord[]): readonly ReviewCommentRecord[] => {
  const { query } = exchange;
  const since = Date.parse(query.get("since") ?? "") || 0;
  const found = comments.filter((comment) => comment.updatedAt >= since);
  if (query.get("sort") === "updated") found.sort((a, b) => a.updatedAt - b.updatedAt);
  return query.get("direction") === "desc" ? found.toReversed() : found;
};

const commentOf = (request: RestRequest): ReviewCommentRecord => {
  const found = commentsOf(request).find((comment) => String(comment.databaseId) === request.params["comment"]);
  if (found === undefined) throw notFound();
  return found;
};

const createReview = (request: RestRequest) => {
  const { view, body } = request;
  const pullRequest = pullRequestOf(request);
  const text = stringOf(body["body"]);
  const commit = stringOf(body["commit_id"]);
  const comments = Array.isArray(body["comments"]) ? body["comments"] : [];
  const review = view.world.review(view.session, pullRequest, {
    state: stateOf(body["event"]) ?? "PENDING",
    comments: comments.map((comment) => threadInput(comment as Record<string, unknown>)),
    ...(text === undefined ? {} : { body: text }),
    ...(commit === undefined ? {} : { commit }),
  });
  return json(200, reviewShape(view, review));
};

const submit = (request: RestRequest) => {
  const { view, body } = request;
  const state = stateOf(body["event"]);
  const text = stringOf(body["body"]);
  if (state === undefined) return failure(422, "Unprocessable Entity", { errors: ["event is invalid"] });
  const draft = reviewOf(request);
  const review = view.world.submitReview(view.session, draft, { state, body: text ?? draft.body });
  return json(200, reviewShape(view, review));
};

const createComment = (request: RestRequest) => {
  const { view, body } = request;
  const pullRequest = pullRequestOf(request);
  const text = required(request, "PullRequestReviewComment", "body");
  const target = numberOf(body["in_reply_to"]);
  if (target !== undefined) {
    const root = commentsOf(request).find((comment) => comment.databaseId === target);
    if (root === undefined) throw notFound();
    return json(201, reviewCommentShape(view, view.world.replyToComment(view.session, root, text)));
  }
  required(request, "PullRequestReviewComment", "path");
  const commit = required(request, "PullRequestReviewComment", "commit_id");
  const thread = view.world.addThread(view.session, pullRequest, { ...threadInput(body), commit });
  const [comment] = thread.comments;
  if (comment === undefined) throw notFound();
  const shape = reviewCommentShape(view, comment);
  return json(201, shape, { location: String(shape["url"]) });
};

const reply = (request: RestRequest) => {
  const { view } = request;
  const comment = view.world.replyToComment(view.session, commentOf(request), required(request, "PullRequestReviewComment", "body"));
  const shape = reviewCommentShape(view, comment);
  return json(201, shape, { location: String(shape["url"]) });
};

const react = (request: RestRequest) => {
  const { view, body } = request;
  const content = reactionOf(stringOf(body["content"]));
  const comment = commentOf(request);
  if (content === undefined)
    return failure(422, "Validation Failed", { errors: [{ resource: "Reaction", code: "invalid", field: "content" }] });
  view.world.react(view.session, comment, content);
  const made = comment.reactions.find((one) => one.by === view.session.login && one.content === content);
  return json(201, made === undefined ? {} : reactionShape(view, comment, made));
};

const PULL = "/repos/:owner/:repo/pulls/:number";
const COMMENT = "/repos/:owner/:repo/pulls/comments/:comment";

export const reviewRoutes: readonly Route[] = [
  // Before `/pulls/:number/...`, which would take `comments` for a number.
  route("GET", "/repos/:owner/:repo/pulls/comments", (request) =>
    paged(request, sorted(request, commentsOf(request)), (comment) => reviewCommentShape(request.view, comment)),
  ),
  route("GET", COMMENT, (request) => json(200, reviewCommentShape(request.view, commentOf(request)))),
  route("PATCH", COMMENT, (request) => {
    const comment = commentOf(request);
    request.view.world.editComment(request.view.session, comment, required(request, "PullRequestReviewComment", "body"));
    return json(200, reviewCommentShape(request.view, comment));
  }),
  route("DELETE", COMMENT, (request) => {
    request.view.world.deleteComment(request.view.session, commentOf(request));
    return { status: 204, headers: {}, body: "" };
  }),
  route("POST", `${COMMENT}/reactions`, react),
  route("GET", `${COMMENT}/reactions`, (request) => {
    const comment = commentOf(request);
    return paged(request, comment.reactions, (one) => reactionShape(request.view, comment, one));
  }),
  route("GET", `${PULL}/comments`, (request) =>
    paged(request, sorted(request, commentsOf(request)), (comment) => reviewCommentShape(request.view, comment)),
  ),
  route("POST", `${PULL}/comments`, createComment),
  route("POST", `${PULL}/comments/:comment/replies`, reply),
  route("GET", `${PULL}/reviews`, (request) =>
    paged(request, visibleReviews(request.view, pullRequestOf(request)), (review) => reviewShape(request.view, review)),
  ),
  route("POST", `${PULL}/reviews`, createReview, "strings"),
  route("GET", `${PULL}/reviews/:review`, (request) => json(200, reviewShape(request.view, reviewOf(request)))),
  route(
    "PUT",
    `${PULL}/reviews/:review`,
    (request) => {
      const review = reviewOf(request);
      request.view.world.editComment(request.view.session, review, required(request, "PullRequestReview", "body"));
      return json(200, reviewShape(request.view, review));
    },
    "strings",
  ),
  route(
    "DELETE",
    `${PULL}/reviews/:review`,
    (request) => {
      const review = reviewOf(request);
      const shape = reviewShape(request.view, review);
      request.view.world.deletePendingReview(request.view.session, review);
      return json(200, shape);
    },
    "strings",
  ),
  route("POST", `${PULL}/reviews/:review/events`, submit, "strings"),
  route(
    "PUT",
    `${PULL}/reviews/:review/dismissals`,
    (request) => {
      const review = reviewOf(request);
      required(request, "PullRequestReview", "message");
      request.view.world.dismissReview(request.view.session, review);
      return json(200, reviewShape(request.view, review));
    },
    "strings",
  ),
  route("GET", `${PULL}/reviews/:review/comments`, (request) => {
    const review = reviewOf(request);
    const comments = pullRequestOf(request).threads.flatMap((thread) => thread.comments.filter((comment) => comment.review === review.id));
    return paged(request, comments, (comment) => reviewCommentShape(request.view, comment));
  }),
];
