/** The root of mutations. Each is one action of the world, and its payload shows the result. */
import { MESSAGES, WorldError } from "../../world/errors.js";
import type { PullRequestRecord, Reaction, RepositoryRecord, ReviewRecord } from "../../world/records.js";
import { pendingOf, type ThreadInput } from "../../world/reviews.js";
import type { Classifier } from "../../world/conversation.js";
import { visibleRepository, type View } from "../view.js";
import type { Fields } from "./connection.js";
import { TypedError } from "./errors.js";
import { actor, teamOfId } from "./nodes/actors.js";
import { issueNode } from "./nodes/issue.js";
import { issueCommentNode } from "./nodes/posted.js";
import { pullRequestNode } from "./nodes/pull-request.js";
import { reviewCommentNode, reviewNode, threadNode } from "./nodes/reviews.js";

/** An input as the schema has checked it: which fields are there, and of which type, is known by then. */
interface Input {
  readonly clientMutationId?: string | null;
  readonly [name: string]: unknown;
}
type Mutation = (view: View, input: Input) => Fields;

const text = (input: Input, name: string): string => String(input[name]);
const textOrNone = (input: Input, name: string): string | undefined => (typeof input[name] === "string" ? input[name] : undefined);
const numberOrNone = (input: Input, name: string): number | undefined => (typeof input[name] === "number" ? input[name] : undefined);
const list = (input: Input, name: string): readonly unknown[] => (Array.isArray(input[name]) ? input[name] : []);
const texts = (input: Input, name: string): readonly string[] => list(input, name).map(String);

/** Same shape as `noNode`, for what the session may not see. */
const pullRequestOf = (view: View, id: string | undefined): PullRequestRecord => {
  const found = view.state.pullRequest(id ?? "");
  if (visibleRepository(view, found.repository) === undefined) throw new WorldError("NOT_FOUND", MESSAGES.noNode(found.id));
  return found;
};

const withPullRequest = (view: View, input: Input, act: (pullRequest: PullRequestRecord) => void): Fields => {
  const pullRequest = pullRequestOf(view, text(input, "pullRequestId"));
  act(pullRequest);
  return { pullRequest: () => pullRequestNode(view, pullRequest) };
};

const STATES = { APPROVE: "APPROVED", COMMENT: "COMMENTED", REQUEST_CHANGES: "CHANGES_REQUESTED" } as const;

const eventState = (event: unknown): (typeof STATES)[keyof typeof STATES] | undefined =>
  event === "APPROVE" || event === "COMMENT" || event === "REQUEST_CHANGES" ? STATES[event] : undefined;

const threadInput = (input: Input): ThreadInput => {
  const line = numberOrNone(input, "line");
  const startLine = numberOrNone(input, "startLine");
  return {
    path: text(input, "path"),
    body: text(input, "body"),
    side: input["side"] === "LEFT" ? "LEFT" : "RIGHT",
    ...(line === undefined || input["subjectType"] === "FILE" ? {} : { line }),
    ...(startLine === undefined ? {} : { startLine }),
  };
};

/** A review, or one's pending one of the pull request. */
const ownPending = (view: View, input: Input): ReviewRecord => {
  const id = textOrNone(input, "pullRequestReviewId");
  if (id !== undefined) return view.state.review(id);
  const found = pendingOf(pullRequestOf(view, textOrNone(input, "pullRequestId")), view.session.login);
  if (found === undefined) throw new WorldError("UNPROCESSABLE", "Could not find a pending review for this pull request.");
  return found;
};

const addReview: Mutation = (view, input) => {
  const pullRequest = pullRequestOf(view, text(input, "pullRequestId"));
  const body = textOrNone(input, "body");
  const commit = textOrNone(input, "commitOID");
  if (list(input, "comments").length > 0) throw new TypedError("UNPROCESSABLE", "`comments` is deprecated: use `threads`.");
  const review = view.world.review(view.session, pullRequest, {
    state: eventState(input["event"]) ?? "PENDING",
    comments: list(input, "threads").map((thread) => threadInput(thread as Input)),
    ...(body === undefined ? {} : { body }),
    ...(commit === undefined ? {} : { commit }),
  });
  return { pullRequestReview: () => reviewNode(view, review), reviewEdge: () => ({ cursor: "", node: reviewNode(view, review) }) };
};

const addThread: Mutation = (view, input) => {
  const pullRequest =
    textOrNone(input, "pullRequestId") === undefined
      ? view.state.pullRequest(view.state.review(text(input, "pullRequestReviewId")).pullRequest)
      : pullRequestOf(view, textOrNone(input, "pullRequestId"));
  const wanted = threadInput(input);
  if (wanted.line === undefined && input["subjectType"] !== "FILE")
    throw new TypedError("UNPROCESSABLE", "line is required for a thread on a line");
  try {
    const thread = view.world.addThread(view.session, pullRequest, wanted);
    return { thread: () => threadNode(view, thread) };
  } catch (error) {
    // GitHub says nothing where the line is not in the diff: no error, and no thread.
    if (error instanceof WorldError && (error.message === MESSAGES.lineNotInDiff || error.message === MESSAGES.pathNotInDiff))
      return { thread: null };
    throw error;
  }
};

/** Asks for reviews. Unless `union` is set the given ones replace all that were asked before. */
const request = (view: View, input: Input, logins: readonly string[]): Fields => ({
  // An edge of users: GitHub can't show a bot in it.
  requestedReviewersEdge: null,
  ...withPullRequest(view, input, (pullRequest) => {
    const before = pullRequest.requests.map((one) => one.login);
    view.world.requestReview(view.session, pullRequest, ...logins);
    if (input["union"] === true) return;
    const dropped = before.filter((login) => !logins.includes(login));
    if (dropped.length > 0) view.world.removeRequest(view.session, pullRequest, ...dropped);
  }),
});

const loginOf = (view: View, id: string, kind: "user" | "bot"): string => {
  const node = view.world.node(id);
  if (node?.type !== "account" || node.value.kind !== kind) {
    throw new WorldError("NOT_FOUND", `Could not resolve to ${kind === "bot" ? "Bot" : "User"} node with the global id of '${id}'.`);
  }
  return node.value.login;
};

const teamOf = (id: string): string => {
  const found = teamOfId(id);
  if (found !== undefined) return found;
  throw new WorldError("NOT_FOUND", `Could not resolve to Team node with the global id of '${id}'.`);
};

const minimise: Mutation = (view, input) => {
  const id = text(input, "subjectId");
  view.world.minimise(view.session, id, text(input, "classifier") as Classifier);
  return { minimizedComment: () => postedNode(view, id) };
};

const postedNode = (view: View, id: string): Fields => {
  const posted = view.state.posted(id);
  if (posted.kind === "review") return reviewNode(view, posted);
  return posted.kind === "issue-comment" ? issueCommentNode(view, posted) : reviewCommentNode(view, posted);
};

const reactableNode = (view: View, id: string): Fields => {
  const node = view.state.nodes.get(id);
  return node?.type === "pull-request" ? pullRequestNode(view, node.value) : postedNode(view, id);
};

const edited = (view: View, id: string, body: string): void => view.world.editComment(view.session, id, body);

const update: Mutation = (view, input) =>
  withPullRequest(view, input, (pullRequest) => {
    const title = textOrNone(input, "title");
    const body = textOrNone(input, "body");
    if (title !== undefined && title !== pullRequest.title) view.world.editTitle(view.session, pullRequest, title);
    if (body !== undefined) view.world.editDescription(view.session, pullRequest, body);
    if (input["state"] === "CLOSED") view.world.close(view.session, pullRequest);
    if (input["state"] === "OPEN") view.world.reopen(view.session, pullRequest);
  });

const repositoryOfId = (view: View, id: string): RepositoryRecord => {
  const repository = [...view.world.repositories.values()].find((one) => one.id === id);
  if (repository === undefined || visibleRepository(view, repository.fullName) === undefined) {
    throw new WorldError("NOT_FOUND", MESSAGES.noNode(id));
  }
  return repository;
};

const create: Mutation = (view, input) => {
  const repository = repositoryOfId(view, text(input, "repositoryId"));
  const [head = "", owner] = text(input, "headRefName").split(":").toReversed();
  const fork = [...view.world.repositories.values()].find(
    (one) => one.owner === owner && (one.forkOf === repository.fullName || one === repository),
  );
  const body = textOrNone(input, "body");
  const pullRequest = view.world.openPullRequest(view.session, {
    repository: repository.fullName,
    head,
    base: text(input, "baseRefName"),
    title: text(input, "title"),
    draft: input["draft"] === true,
    ...(body === undefined ? {} : { body }),
    ...(fork === undefined ? {} : { headRepository: fork.fullName }),
  });
  return { pullRequest: () => pullRequestNode(view, pullRequest) };
};

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  resolveReviewThread: (view, input) => {
    const thread = view.world.resolve(view.session, text(input, "threadId"));
    return { thread: () => threadNode(view, thread) };
  },
  unresolveReviewThread: (view, input) => {
    const thread = view.world.unresolve(view.session, text(input, "threadId"));
    return { thread: () => threadNode(view, thread) };
  },
  addPullRequestReviewThreadReply: (view, input) => {
    const comment = view.world.replyToThread(view.session, text(input, "pullRequestReviewThreadId"), text(input, "body"));
    return { comment: () => reviewCommentNode(view, comment) };
  },
  addPullRequestReviewThread: addThread,
  addPullRequestReview: addReview,
  updatePullRequestReview: (view, input) => {
    edited(view, text(input, "pullRequestReviewId"), text(input, "body"));
    return { pullRequestReview: () => postedNode(view, text(input, "pullRequestReviewId")) };
  },
  submitPullRequestReview: (view, input) => {
    const body = textOrNone(input, "body");
    const state = eventState(input["event"]);
    if (state === undefined) throw new TypedError("UNPROCESSABLE", "A pending review can't be dismissed.");
    const draft = ownPending(view, input);
    const review = view.world.submitReview(view.session, draft, { state, body: body ?? draft.body });
    return { pullRequestReview: () => reviewNode(view, review) };
  },
  deletePullRequestReview: (view, input) => {
    const review = view.state.review(text(input, "pullRequestReviewId"));
    const fields = reviewNode(view, review);
    view.world.deletePendingReview(view.session, review);
    return { pullRequestReview: fields };
  },
  dismissPullRequestReview: (view, input) => {
    const review = view.state.review(text(input, "pullRequestReviewId"));
    view.world.dismissReview(view.session, review);
    return { pullRequestReview: () => reviewNode(view, review) };
  },
  updatePullRequestReviewComment: (view, input) => {
    edited(view, text(input, "pullRequestReviewCommentId"), text(input, "body"));
    return { pullRequestReviewComment: () => postedNode(view, text(input, "pullRequestReviewCommentId")) };
  },
  deletePullRequestReviewComment: (view, input) => {
    const comment = view.state.reviewComment(text(input, "id"));
    const review = view.state.review(comment.review);
    view.world.deleteComment(view.session, comment);
    return { pullRequestReview: () => reviewNode(view, review), pullRequestReviewComment: null };
  },
  minimizeComment: minimise,
  unminimizeComment: (view, input) => {
    view.world.unminimise(view.session, text(input, "subjectId"));
    return { unminimizedComment: () => postedNode(view, text(input, "subjectId")) };
  },
  requestReviews: (view, input) =>
    request(view, input, [
      ...texts(input, "userIds").map((id) => loginOf(view, id, "user")),
      ...texts(input, "botIds").map((id) => loginOf(view, id, "bot")),
      ...texts(input, "teamIds").map(teamOf),
    ]),
  requestReviewsByLogin: (view, input) =>
    request(view, input, [
      ...texts(input, "userLogins"),
      ...texts(input, "botLogins").map((login) => login.replace(/\[bot\]$/u, "")),
      ...texts(input, "teamSlugs"),
    ]),
  markPullRequestReadyForReview: (view, input) => withPullRequest(view, input, (one) => view.world.markReady(view.session, one)),
  convertPullRequestToDraft: (view, input) => withPullRequest(view, input, (one) => view.world.markDraft(view.session, one)),
  updatePullRequest: update,
  updatePullRequestBranch: (view, input) =>
    withPullRequest(view, input, (one) => view.world.updateBranch(view.session, one, textOrNone(input, "expectedHeadOid"))),
  enqueuePullRequest: (view, input) => {
    const pullRequest = pullRequestOf(view, text(input, "pullRequestId"));
    view.world.enqueue(view.session, pullRequest);
    return { mergeQueueEntry: () => pullRequestNode(view, pullRequest)["mergeQueueEntry"] };
  },
  dequeuePullRequest: (view, input) => {
    const pullRequest = pullRequestOf(view, text(input, "id"));
    view.world.dequeue(view.session, pullRequest);
    return { mergeQueueEntry: null };
  },
  addComment: (view, input) => {
    const comment = view.world.comment(view.session, text(input, "subjectId"), text(input, "body"));
    const pullRequest = view.state.pullRequest(comment.pullRequest);
    return {
      subject: () => pullRequestNode(view, pullRequest),
      commentEdge: () => ({ cursor: "", node: issueCommentNode(view, comment) }),
      timelineEdge: null,
    };
  },
  updateIssueComment: (view, input) => {
    edited(view, text(input, "id"), text(input, "body"));
    return { issueComment: () => postedNode(view, text(input, "id")) };
  },
  deleteIssueComment: (view, input) => {
    view.world.deleteComment(view.session, text(input, "id"));
    return {};
  },
  closePullRequest: (view, input) => withPullRequest(view, input, (one) => view.world.close(view.session, one)),
  reopenPullRequest: (view, input) => withPullRequest(view, input, (one) => view.world.reopen(view.session, one)),
  createPullRequest: create,
  mergePullRequest: (view, input) =>
    withPullRequest(view, input, (one) => void view.world.merge(view.session, one, textOrNone(input, "expectedHeadOid"))),
  createIssue: (view, input) => {
    const repository = repositoryOfId(view, text(input, "repositoryId"));
    const issue = view.world.openIssue(view.session, repository.fullName, {
      title: text(input, "title"),
      body: textOrNone(input, "body") ?? "",
    });
    return { issue: () => issueNode(view, repository, issue) };
  },
  lockLockable: (view, input) => {
    const pullRequest = pullRequestOf(view, text(input, "lockableId"));
    view.world.lock(view.session, pullRequest);
    return { lockedRecord: () => pullRequestNode(view, pullRequest) };
  },
  unlockLockable: (view, input) => {
    const pullRequest = pullRequestOf(view, text(input, "lockableId"));
    view.world.unlock(view.session, pullRequest);
    return { unlockedRecord: () => pullRequestNode(view, pullRequest) };
  },
  addReaction: (view, input) => {
    view.world.react(view.session, text(input, "subjectId"), text(input, "content") as Reaction);
    return { subject: () => reactableNode(view, text(input, "subjectId")), reaction: null, reactionGroups: null };
  },
  removeReaction: (view, input) => {
    view.world.unreact(view.session, text(input, "subjectId"), text(input, "content") as Reaction);
    return { subject: () => reactableNode(view, text(input, "subjectId")), reaction: null, reactionGroups: null };
  },
};

/** `onField` is called before each mutation of the request, with its place from 1; what it throws becomes that field's error. */
export const mutations = (view: View, onField: (position: number) => void): Fields => {
  let position = 0;
  return Object.fromEntries(
    Object.entries(MUTATIONS).map(([name, mutation]) => [
      name,
      ({ input }: { readonly input: Input }): Fields => {
        position += 1;
        onField(position);
        return { clientMutationId: input.clientMutationId ?? null, actor: () => actor(view, view.session.login), ...mutation(view, input) };
      },
    ]),
  );
};
