/** Pull requests, their files and commits, who is asked for a review, the branch. */
import { WorldError } from "../../world/errors.js";
import type { PullRequestRecord } from "../../world/records.js";
import { commitsOf } from "../graphql/nodes/pull-request.js";
import { DOCUMENTATION, failure, json } from "../exchange.js";
import { mergeBaseOf, type View } from "../view.js";
import { commitShape, fileShape } from "./present-commits.js";
import { pullRequestInList, pullRequestShape, teamInList, user, worldLogin } from "./present.js";
import {
  paged,
  pullRequestOf,
  refused,
  repositoryOf,
  required,
  route,
  stringOf,
  stringsOf,
  type RestRequest,
  type Route,
} from "./routing.js";

const COPILOT = "copilot-pull-request-reviewer";

/** By `state`, `head` (`owner:branch`), `base`, `sort`, `direction`. */
const listed = ({ exchange, view, ...request }: RestRequest): readonly PullRequestRecord[] => {
  const { query } = exchange;
  const state = query.get("state") ?? "open";
  const head = query.get("head");
  const base = query.get("base");
  const found = [...repositoryOf({ exchange, view, ...request }).pullRequests.values()]
    .filter((one) => state === "all" || (state === "open") === (one.state === "open"))
    .filter((one) => head === null || head === `${one.head.repository?.split("/")[0] ?? ""}:${one.head.branch}`)
    .filter((one) => base === null || base === one.base.branch);
  const sort = query.get("sort") ?? "created";
  const key = (one: PullRequestRecord): number => (sort === "updated" ? one.updatedAt : one.createdAt);
  found.sort((a, b) => key(a) - key(b) || a.number - b.number);
  return (query.get("direction") ?? (sort === "created" ? "desc" : "asc")) === "desc" ? found.toReversed() : found;
};

const wantsMedia = ({ exchange }: RestRequest, media: "diff" | "patch"): boolean =>
  new RegExp(`application/vnd\\.github\\.(?:v3\\.)?${media}`, "u").test(exchange.headers.accept ?? "");

const get = (request: RestRequest) => {
  const { view } = request;
  const pullRequest = pullRequestOf(request);
  const base = mergeBaseOf(view, pullRequest);
  if (wantsMedia(request, "diff")) {
    const body = view.repositories.diffText(pullRequest.repository, base, pullRequest.head.sha);
    return { status: 200, headers: { "content-type": "application/vnd.github.v3.diff; charset=utf-8" }, body };
  }
  if (wantsMedia(request, "patch")) {
    const body = view.repositories.patchText(pullRequest.repository, base, pullRequest.head.sha);
    return { status: 200, headers: { "content-type": "application/vnd.github.v3.patch; charset=utf-8" }, body };
  }
  return json(200, pullRequestShape(view, pullRequest));
};

const create = (request: RestRequest) => {
  const { view, body } = request;
  const repository = repositoryOf(request);
  const [head = "", owner] = required(request, "PullRequest", "head").split(":").toReversed();
  const fork = [...view.world.repositories.values()].find(
    (one) => one.owner === owner && (one === repository || one.forkOf === repository.fullName),
  );
  const text = stringOf(body["body"]);
  const maintainer = body["maintainer_can_modify"];
  const pullRequest = view.world.openPullRequest(view.session, {
    repository: repository.fullName,
    head,
    base: required(request, "PullRequest", "base"),
    title: required(request, "PullRequest", "title"),
    draft: body["draft"] === true,
    ...(text === undefined ? {} : { body: text }),
    ...(fork === undefined ? {} : { headRepository: fork.fullName }),
    ...(typeof maintainer === "boolean" ? { maintainerCanModify: maintainer } : {}),
  });
  return json(201, pullRequestShape(view, pullRequest));
};

/** There is no `draft` here: that field is not one of the endpoint's, and changes nothing. */
export const editPullRequest = (view: View, pullRequest: PullRequestRecord, body: RestRequest["body"]): void => {
  const title = stringOf(body["title"]);
  const text = stringOf(body["body"]);
  if (title !== undefined && title !== pullRequest.title) view.world.editTitle(view.session, pullRequest, title);
  if (text !== undefined) view.world.editDescription(view.session, pullRequest, text);
  if (body["state"] === "closed") view.world.close(view.session, pullRequest);
  if (body["state"] === "open") view.world.reopen(view.session, pullRequest);
};

const requestReviewers = (request: RestRequest) => {
  const { view, body } = request;
  const pullRequest = pullRequestOf(request);
  const repository = repositoryOf(request);
  const spellings = new Set([...view.world.accounts.values()].map((account) => account.spelling.event));
  const logins: string[] = [];
  for (const written of stringsOf(body["reviewers"])) {
    // The name that events use is taken, and asks nobody.
    if (spellings.has(written)) continue;
    const login = worldLogin(view, written);
    if (login === undefined) {
      return failure(
        422,
        `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${repository.fullName} repository.`,
      );
    }
    logins.push(login);
  }
  logins.push(...stringsOf(body["team_reviewers"]).map((slug) => `${repository.owner}/${slug}`));
  view.world.requestReview(view.session, pullRequest, ...logins);
  return json(201, pullRequestInList(view, pullRequest));
};

const removeReviewers = (request: RestRequest) => {
  const { view, body } = request;
  const pullRequest = pullRequestOf(request);
  if (!Array.isArray(body["reviewers"])) {
    return failure(422, 'Invalid request.\n\n"reviewers" wasn\'t supplied.');
  }
  const people = stringsOf(body["reviewers"]).map((written) => worldLogin(view, written) ?? written);
  const teams = stringsOf(body["team_reviewers"]).map((slug) => `${repositoryOf(request).owner}/${slug}`);
  view.world.removeRequest(view.session, pullRequest, ...people, ...teams);
  return json(200, pullRequestInList(view, pullRequest));
};

/** Each call means "start a new review". */
const copilotReview = (request: RestRequest) => {
  const { view, body } = request;
  if (view.world.faults.get("no-review-endpoint") !== undefined) return failure(404, "Not Found");
  const pullRequest = pullRequestOf(request);
  const effort = body["review_effort"];
  const known = typeof effort === "string" && ["low", "medium", "high"].includes(effort);
  const no = (status: number, message: string, reason: string) => failure(status, message, { failure_reason: reason });
  if (effort !== undefined && !known) {
    return no(422, "Review effort is not supported.", "INVALID_REVIEW_EFFORT");
  }
  if (view.world.accounts.get(COPILOT)?.requestable !== true) return no(422, "Copilot code review is not available here.", "NOT_ELIGIBLE");
  if (pullRequest.state !== "open") return no(422, "The pull request is closed.", "NOT_ELIGIBLE");
  const pending =
    pullRequest.requests.some((one) => one.login === COPILOT) ||
    pullRequest.reviews.some((review) => review.author === COPILOT && review.state === "PENDING");
  if (pending) return failure(409, "A review is already pending for this pull request.");
  view.world.requestReview(view.session, pullRequest, COPILOT);
  return json(201, {});
};

const updateBranch = (request: RestRequest) => {
  const { view, body } = request;
  const pullRequest = pullRequestOf(request);
  view.world.updateBranch(view.session, pullRequest, stringOf(body["expected_head_sha"]));
  return json(202, { message: "Updating pull request branch.", url: `${view.web}/${pullRequest.repository}/pull/${pullRequest.number}` });
};

const merge = (request: RestRequest) => {
  const { view, body } = request;
  const pullRequest = pullRequestOf(request);
  try {
    const sha = view.world.merge(view.session, pullRequest, stringOf(body["sha"]));
    return json(200, { sha, merged: true, message: "Pull Request successfully merged" });
  } catch (error) {
    if (error instanceof WorldError && error.type === "UNPROCESSABLE")
      return failure(405, error.message, { documentation_url: DOCUMENTATION });
    return refused(error, "message");
  }
};

const BASE = "/repos/:owner/:repo/pulls";

export const pullRoutes: readonly Route[] = [
  route("GET", BASE, (request) => paged(request, listed(request), (one) => pullRequestInList(request.view, one))),
  route("POST", BASE, create),
  route("GET", `${BASE}/:number`, get),
  route("PATCH", `${BASE}/:number`, (request) => {
    const pullRequest = pullRequestOf(request);
    editPullRequest(request.view, pullRequest, request.body);
    return json(200, pullRequestShape(request.view, pullRequest));
  }),
  route("GET", `${BASE}/:number/files`, (request) => {
    const { view } = request;
    const pullRequest = pullRequestOf(request);
    const files = view.repositories.diff(pullRequest.repository, mergeBaseOf(view, pullRequest), pullRequest.head.sha);
    return paged(request, files.slice(0, 3000), (file) => fileShape(view, pullRequest.repository, pullRequest.head.sha, file));
  }),
  route("GET", `${BASE}/:number/commits`, (request) => {
    const pullRequest = pullRequestOf(request);
    return paged(request, commitsOf(request.view, pullRequest).slice(0, 250), (sha) =>
      commitShape(request.view, pullRequest.repository, sha),
    );
  }),
  route("GET", `${BASE}/:number/requested_reviewers`, (request) => {
    const requests = request.view.state.shownRequests(pullRequestOf(request));
    return json(200, {
      users: requests.filter((one) => one.kind === "user").map((one) => user(request.view, one.login)),
      teams: requests.filter((one) => one.kind === "team").map((one) => teamInList(request.view, one.login)),
    });
  }),
  route("POST", `${BASE}/:number/requested_reviewers`, requestReviewers, "message"),
  route("DELETE", `${BASE}/:number/requested_reviewers`, removeReviewers, "message"),
  route("POST", `${BASE}/:number/copilot-code-review`, copilotReview, "message"),
  route("PUT", `${BASE}/:number/update-branch`, updateBranch, "message"),
  route("PUT", `${BASE}/:number/merge`, merge, "message"),
  route("GET", `${BASE}/:number/merge`, (request) =>
    pullRequestOf(request).state === "merged" ? { status: 204, headers: {}, body: "" } : failure(404, "Not Found"),
  ),
];
