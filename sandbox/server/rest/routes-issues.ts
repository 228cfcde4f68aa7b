/** The conversation, the timeline, and pull requests seen as issues. */
import type { IssueCommentRecord, IssueRecord, PullRequestRecord, TimelineRecord } from "../../world/records.js";
import type { Instant } from "../../../core/index.js";
import { failure, json } from "../exchange.js";
import { commitsOf } from "../graphql/nodes/pull-request.js";
import { accountOf, time, visibleReviews, type View } from "../view.js";
import { gitCommitShape } from "./present-commits.js";
import { issueCommentShape, issueShape, reactionOf, reactionShape, reviewShape } from "./present-posts.js";
import { teamInList, user, userShape } from "./present.js";
import { notFound, paged, pullRequestOf, repositoryOf, required, route, stringOf, type RestRequest, type Route } from "./routing.js";
import { editPullRequest } from "./routes-pulls.js";

const EVENTS: Readonly<Record<TimelineRecord["kind"], string>> = {
  "review-requested": "review_requested",
  "review-request-removed": "review_request_removed",
  "review-dismissed": "review_dismissed",
  "ready-for-review": "ready_for_review",
  "convert-to-draft": "convert_to_draft",
  "force-pushed": "head_ref_force_pushed",
  closed: "closed",
  reopened: "reopened",
  merged: "merged",
  locked: "locked",
  unlocked: "unlocked",
  "added-to-merge-queue": "added_to_merge_queue",
  "removed-from-merge-queue": "removed_from_merge_queue",
  "comment-deleted": "comment_deleted",
  "renamed-title": "renamed",
};

type Shape = Readonly<Record<string, unknown>>;
interface Placed {
  readonly at: Instant;
  readonly shape: Shape;
}

/** On this surface some bots have another name. */
const eventUser = (view: View, login: string | undefined): Shape | null => {
  const account = accountOf(view, login);
  if (account === undefined) return null;
  return account.spelling.event === undefined ? userShape(view, account) : userShape(view, account, account.spelling.event);
};

const eventShape = (view: View, pullRequest: PullRequestRecord, event: TimelineRecord): Shape => {
  const asked = event.kind === "review-requested" || event.kind === "review-request-removed";
  return {
    id: event.databaseId,
    node_id: event.id,
    url: `${view.api}/repos/${pullRequest.repository}/issues/events/${event.databaseId}`,
    actor: eventUser(view, event.actor),
    event: EVENTS[event.kind],
    commit_id: event.after ?? null,
    commit_url: null,
    created_at: time(event.at),
    performed_via_github_app: null,
    ...(asked ? { review_requester: user(view, event.actor) } : {}),
    ...(asked && event.subject !== undefined
      ? event.subject.includes("/")
        ? { requested_team: teamInList(view, event.subject) }
        : { requested_reviewer: eventUser(view, event.subject) }
      : {}),
  };
};

/** A bot that can be asked for reviews has begun with one. */
const started = (view: View, pullRequest: PullRequestRecord): readonly Placed[] =>
  view.world.log.flatMap((event) => {
    if (event.type !== "review-started" || event.pullRequest.id !== pullRequest.id) return [];
    const account = accountOf(view, event.actor);
    if (account?.kind !== "bot" || !account.requestable) return [];
    const shape: Shape = {
      id: event.review.databaseId,
      node_id: `CWS_${event.review.id}`,
      url: `${view.api}/repos/${pullRequest.repository}/issues/events/${event.review.databaseId}`,
      actor: eventUser(view, event.actor),
      event: "copilot_work_started",
      commit_id: null,
      commit_url: null,
      created_at: time(event.at),
      performed_via_github_app: null,
    };
    return [{ at: event.at, shape }];
  });

const events = (view: View, pullRequest: PullRequestRecord): readonly Placed[] =>
  [
    ...pullRequest.timeline.map((event) => ({ at: event.at, shape: eventShape(view, pullRequest, event) })),
    ...started(view, pullRequest),
  ].sort((a, b) => a.at - b.at);

const timeline = (view: View, pullRequest: PullRequestRecord): readonly Placed[] =>
  [
    ...commitsOf(view, pullRequest).map((sha) => ({
      at: view.repositories.commit(pullRequest.repository, sha)?.committedAt ?? 0,
      shape: { event: "committed", ...gitCommitShape(view, pullRequest.repository, sha) },
    })),
    ...events(view, pullRequest),
    ...pullRequest.comments.map((comment) => ({
      at: comment.createdAt,
      shape: { event: "commented", actor: user(view, comment.author), ...issueCommentShape(view, comment) },
    })),
    ...visibleReviews(view, pullRequest)
      .filter((review) => review.state !== "PENDING")
      .map((review) => ({
        at: review.submittedAt ?? review.createdAt,
        shape: { event: "reviewed", ...reviewShape(view, review), state: review.state.toLowerCase() },
      })),
  ].sort((a, b) => a.at - b.at);

const issueOf = (request: RestRequest): IssueRecord | PullRequestRecord => {
  const repository = repositoryOf(request);
  const number = Number(request.params["number"]);
  const found = repository.issues.get(number) ?? repository.pullRequests.get(number);
  if (found === undefined) throw notFound();
  return found;
};

const commentOf = (request: RestRequest): IssueCommentRecord => {
  for (const pullRequest of repositoryOf(request).pullRequests.values()) {
    const found = pullRequest.comments.find((comment) => String(comment.databaseId) === request.params["comment"]);
    if (found !== undefined) return found;
  }
  throw notFound();
};

/** Ascending by id. */
const commentsOf = (request: RestRequest): readonly IssueCommentRecord[] => {
  const found = issueOf(request);
  const since = Date.parse(request.exchange.query.get("since") ?? "") || 0;
  return "repository" in found ? found.comments.filter((comment) => comment.updatedAt >= since) : [];
};

/** To a comment, or to a pull request's description. */
const react = (request: RestRequest, subject: IssueCommentRecord | PullRequestRecord) => {
  const { view, body } = request;
  const content = reactionOf(stringOf(body["content"]));
  if (content === undefined)
    return failure(422, "Validation Failed", { errors: [{ resource: "Reaction", code: "invalid", field: "content" }] });
  view.world.react(view.session, subject, content);
  const made = subject.reactions.find((one) => one.by === view.session.login && one.content === content);
  return json(201, made === undefined ? {} : reactionShape(view, subject, made));
};

const editIssue = (request: RestRequest) => {
  const found = issueOf(request);
  if (!("repository" in found)) return failure(422, "Validation Failed");
  editPullRequest(request.view, found, request.body);
  return json(200, issueShape(request.view, repositoryOf(request), found));
};

const createIssue = (request: RestRequest) => {
  const { view, body } = request;
  const repository = repositoryOf(request);
  const issue = view.world.openIssue(view.session, repository.fullName, {
    title: required(request, "Issue", "title"),
    body: stringOf(body["body"]) ?? "",
  });
  const shape = issueShape(view, repository, issue);
  return json(201, shape, { location: String(shape["url"]) });
};

const ISSUES = "/repos/:owner/:repo/issues";
const COMMENT = `${ISSUES}/comments/:comment`;

export const issueRoutes: readonly Route[] = [
  route("GET", COMMENT, (request) => json(200, issueCommentShape(request.view, commentOf(request)))),
  route("PATCH", COMMENT, (request) => {
    const comment = commentOf(request);
    request.view.world.editComment(request.view.session, comment, required(request, "IssueComment", "body"));
    return json(200, issueCommentShape(request.view, comment));
  }),
  route("DELETE", COMMENT, (request) => {
    request.view.world.deleteComment(request.view.session, commentOf(request));
    return { status: 204, headers: {}, body: "" };
  }),
  route("POST", `${COMMENT}/reactions`, (request) => react(request, commentOf(request))),
  route("GET", `${COMMENT}/reactions`, (request) => {
    const comment = commentOf(request);
    return paged(request, comment.reactions, (one) => reactionShape(request.view, comment, one));
  }),
  route("POST", `${ISSUES}/:number/reactions`, (request) => react(request, pullRequestOf(request))),
  route("GET", `${ISSUES}/:number/reactions`, (request) => {
    const pullRequest = pullRequestOf(request);
    return paged(request, pullRequest.reactions, (one) => reactionShape(request.view, pullRequest, one));
  }),
  route("GET", ISSUES, (request) => {
    const repository = repositoryOf(request);
    const all = [...repository.issues.values(), ...repository.pullRequests.values()].sort((a, b) => b.number - a.number);
    return paged(request, all, (one) => issueShape(request.view, repository, one));
  }),
  route("POST", ISSUES, createIssue),
  route("GET", `${ISSUES}/:number`, (request) => json(200, issueShape(request.view, repositoryOf(request), issueOf(request)))),
  route("PATCH", `${ISSUES}/:number`, editIssue),
  route("GET", `${ISSUES}/:number/comments`, (request) =>
    paged(request, commentsOf(request), (comment) => issueCommentShape(request.view, comment)),
  ),
  route("POST", `${ISSUES}/:number/comments`, (request) => {
    const { view } = request;
    const text = required(request, "IssueComment", "body");
    const shape = issueCommentShape(view, view.world.comment(view.session, pullRequestOf(request), text));
    return json(201, shape, { location: String(shape["url"]) });
  }),
  route("GET", `${ISSUES}/:number/timeline`, (request) =>
    paged(request, timeline(request.view, pullRequestOf(request)), (one) => one.shape),
  ),
  route("GET", `${ISSUES}/:number/events`, (request) => paged(request, events(request.view, pullRequestOf(request)), (one) => one.shape)),
  route("PUT", `${ISSUES}/:number/lock`, (request) => {
    request.view.world.lock(request.view.session, pullRequestOf(request));
    return { status: 204, headers: {}, body: "" };
  }),
  route("DELETE", `${ISSUES}/:number/lock`, (request) => {
    request.view.world.unlock(request.view.session, pullRequestOf(request));
    return { status: 204, headers: {}, body: "" };
  }),
  route("GET", `${ISSUES}/:number/labels`, (request) => {
    issueOf(request);
    return json(200, []);
  }),
];
