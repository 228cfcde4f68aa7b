/** A world's pull request as one account reads it: the same `Snapshot` that the adapter for GitHub makes of the same world. */
import { createHash } from "node:crypto";
import type {
  Author,
  Check,
  CheckState,
  Message,
  PullRequest,
  Pulse,
  Reaction,
  Review,
  ReviewThread,
  Snapshot,
  TimelineEvent,
  Viewer,
} from "../../core/index.js";
import { postUrl, pullRequestUrl, repositoryUrl } from "../world/addresses.js";
import { newestChecks, newestStatuses, protectionOf } from "../world/merge-state.js";
import type {
  CheckRecord,
  IssueCommentRecord,
  PullRequestRecord,
  ReactionRecord,
  ReviewCommentRecord,
  ReviewRecord,
  Session,
  StatusRecord,
  ThreadRecord,
  TimelineRecord,
} from "../world/records.js";
import { refuseChange, refuseComment, refuseResolve, viewerPermission } from "../world/rules.js";
import type { State } from "../world/state.js";
import type { World } from "../world/world.js";

/** One trailing `[bot]` stripped, lower case. */
export const normalised = (login: string): string => login.replace(/\[bot\]$/i, "").toLowerCase();

export const viewerOf = (world: World, session: Session): Viewer => ({
  login: normalised(session.login),
  kind: world.state.account(session.login).kind === "bot" ? "bot" : "user",
});

export const authorOf = (state: State, pullRequest: PullRequestRecord, login: string): Author => {
  const account = state.accounts.get(login);
  if (account === undefined || account.deleted) return { login: "ghost", kind: "ghost", association: "NONE" };
  return { login: normalised(login), kind: account.kind, association: state.associationOf(state.repositoryOf(pullRequest), login) };
};

/** Logins of actors in places without a kind: nobody once the account was deleted. */
const actorOf = (state: State, login: string): string | undefined => {
  const account = state.accounts.get(login);
  return account === undefined || account.deleted ? undefined : normalised(login);
};

const messageOf = (state: State, session: Session, posted: IssueCommentRecord | ReviewCommentRecord | ReviewRecord): Message => {
  const editor = posted.editor === undefined ? undefined : actorOf(state, posted.editor);
  return {
    id: posted.id,
    databaseId: String(posted.databaseId),
    author: authorOf(state, state.pullRequestOf(posted), posted.author),
    body: posted.body,
    createdAt: posted.createdAt,
    updatedAt: posted.updatedAt,
    ...(editor === undefined ? {} : { editor }),
    url: postUrl(state, posted),
    minimised: posted.minimised !== undefined,
    pending: posted.kind !== "issue-comment" && posted.state === "PENDING",
    ...(posted.kind === "review-comment" ? { commit: posted.originalCommit } : {}),
    ...(posted.kind === "review" && posted.commit !== null ? { commit: posted.commit } : {}),
    viewerCanMinimise: refuseChange(state, session, posted, "MinimizeComment") === undefined,
  };
};

/** What another account has not submitted yet is not there. */
const sees = (session: Session, posted: ReviewCommentRecord | ReviewRecord): boolean =>
  posted.state !== "PENDING" || posted.author === session.login;

const threadOf = (state: State, session: Session, pullRequest: PullRequestRecord, thread: ThreadRecord): ReviewThread | undefined => {
  const comments = thread.comments.filter((comment) => sees(session, comment));
  const root = comments[0];
  if (root === undefined) return undefined;
  return {
    id: thread.id,
    resolved: thread.resolved,
    place: {
      path: thread.path,
      ...(thread.line === null ? {} : { line: thread.line }),
      ...(thread.startLine === null ? {} : { startLine: thread.startLine }),
      ...(thread.originalLine === null ? {} : { originalLine: thread.originalLine }),
      side: thread.side,
      subject: thread.subject,
      outdated: thread.outdated,
    },
    messages: comments.map((comment) => messageOf(state, session, comment)),
    review: root.review,
    viewerCanResolve: !thread.resolved && refuseResolve(state, session, pullRequest, "ResolveReviewThread") === undefined,
    viewerCanReply: refuseComment(state, session, pullRequest) === undefined,
  };
};

const reviewOf = (state: State, session: Session, review: ReviewRecord): Review => ({
  message: messageOf(state, session, review),
  state: review.state,
  ...(review.commit === null ? {} : { commit: review.commit }),
  ...(review.submittedAt === undefined ? {} : { submittedAt: review.submittedAt }),
});

const CONCLUSIONS: Readonly<Record<NonNullable<CheckRecord["conclusion"]>, CheckState>> = {
  SUCCESS: "success",
  NEUTRAL: "neutral",
  SKIPPED: "skipped",
  FAILURE: "failure",
  TIMED_OUT: "failure",
  ACTION_REQUIRED: "failure",
  STARTUP_FAILURE: "failure",
  CANCELLED: "cancelled",
  STALE: "stale",
};
const STATUSES: Readonly<Record<StatusRecord["state"], CheckState>> = {
  SUCCESS: "success",
  PENDING: "pending",
  EXPECTED: "pending",
  FAILURE: "failure",
  ERROR: "failure",
};

/** What the server lists for a run that nobody has allowed yet. */
const heldRun = ({ state }: World, { repository, databaseId, head }: PullRequestRecord): Check => ({
  name: "CI",
  app: "github-actions",
  kind: "check-run",
  state: "failure",
  raw: "ACTION_REQUIRED",
  required: false,
  head: head.sha,
  url: `https://${state.host}/${repository}/actions/runs/${databaseId}`,
  summary: "It waits until a maintainer allows it to run.",
});

/** `null` where nothing was registered on the head. */
export const checksOf = (world: World, pullRequest: PullRequestRecord): readonly Check[] | null =>
  world.heldRuns(pullRequest)
    ? [heldRun(world, pullRequest)]
    : world.noChecksYet(pullRequest)
      ? null
      : checksAt(world, pullRequest.repository, pullRequest.head.sha, protectionOf(world.state, pullRequest)?.requiredChecks ?? []);

/** Of any commit. */
export const checksAt = (world: World, repository: string, head: string, required: readonly string[] = []): readonly Check[] | null => {
  const runs = newestChecks(world.checksOf(repository, head));
  const statuses = newestStatuses(world.statusesOf(repository, head));
  if (runs.length === 0 && statuses.length === 0) return null;
  return [
    ...runs.map((run): Check => {
      const summary = [run.title, run.summary].filter((text) => text !== undefined && text !== "").join("\n\n");
      return {
        name: run.name,
        app: run.app,
        kind: "check-run",
        state: run.status === "COMPLETED" && run.conclusion !== undefined ? CONCLUSIONS[run.conclusion] : "pending",
        raw: run.conclusion ?? run.status,
        required: required.includes(run.name),
        head,
        ...(run.startedAt === undefined ? {} : { startedAt: run.startedAt }),
        ...(run.completedAt === undefined ? {} : { completedAt: run.completedAt }),
        url: run.url,
        ...(summary === "" ? {} : { summary }),
      };
    }),
    ...statuses.map((status): Check => ({
      name: status.context,
      kind: "status",
      state: STATUSES[status.state],
      raw: status.state,
      required: required.includes(status.context),
      head,
      startedAt: status.createdAt,
      ...(status.url === undefined || status.url === "" ? {} : { url: status.url }),
      ...(status.description === undefined || status.description === "" ? {} : { summary: status.description }),
    })),
  ];
};

const EVENTS: Readonly<Partial<Record<TimelineRecord["kind"], TimelineEvent["kind"]>>> = {
  "review-requested": "review-requested",
  "review-request-removed": "review-request-removed",
  "ready-for-review": "ready-for-review",
  "convert-to-draft": "convert-to-draft",
  "force-pushed": "force-pushed",
};

const timelineOf = (state: State, pullRequest: PullRequestRecord): readonly TimelineEvent[] =>
  pullRequest.timeline.flatMap((event) => {
    const kind = EVENTS[event.kind];
    if (kind === undefined) return [];
    const actor = actorOf(state, event.actor);
    return [
      {
        kind,
        at: event.at,
        ...(actor === undefined ? {} : { actor }),
        ...(event.subject === undefined ? {} : { subject: normalised(event.subject) }),
        ...(event.before === undefined ? {} : { before: event.before }),
        ...(event.after === undefined ? {} : { after: event.after }),
      },
    ];
  });

const pullRequestOf = (world: World, session: Session, record: PullRequestRecord): PullRequest => {
  const { state } = world;
  const repository = state.repositoryOf(record);
  const rules = protectionOf(state, record);
  const merge = world.mergeView(record);
  const editor = record.bodyEditor === undefined ? undefined : actorOf(state, record.bodyEditor);
  const headRepository = record.head.repository === null ? undefined : state.repositories.get(record.head.repository);
  return {
    ref: { host: state.host, owner: repository.owner, name: repository.name, number: record.number },
    id: record.id,
    url: pullRequestUrl(state, record),
    title: record.title,
    body: record.body,
    ...(editor === undefined ? {} : { bodyEditor: editor }),
    author: authorOf(state, record, record.author),
    state: record.state,
    draft: record.draft,
    locked: record.locked,
    archived: repository.archived,
    inMergeQueue: record.inMergeQueue,
    head: {
      sha: record.head.sha,
      branch: record.head.branch,
      ...(headRepository === undefined
        ? {}
        : {
            repository: {
              owner: headRepository.owner,
              name: headRepository.name,
              cloneUrl: `${repositoryUrl(state, headRepository)}.git`,
            },
          }),
    },
    base: { sha: record.base.sha, branch: record.base.branch, cloneUrl: `${repositoryUrl(state, repository)}.git` },
    fork: record.head.repository !== record.repository,
    maintainerCanModify: record.maintainerCanModify,
    viewerPermission: viewerPermission(state, session, repository),
    mergeable: merge.mergeable,
    mergeState: merge.mergeState,
    ...(merge.reviewDecision === undefined ? {} : { reviewDecision: merge.reviewDecision }),
    requiresConversationResolution: rules?.requiresConversationResolution ?? false,
    requiredChecks: rules?.requiredChecks ?? [],
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
};

const CONTENTS: Readonly<Record<ReactionRecord["content"], Reaction["content"]>> = {
  THUMBS_UP: "+1",
  THUMBS_DOWN: "-1",
  LAUGH: "laugh",
  CONFUSED: "confused",
  HEART: "heart",
  HOORAY: "hooray",
  ROCKET: "rocket",
  EYES: "eyes",
};

/** Times are whole seconds; within one the order is a fixed one. */
const byTime = (a: Reaction, b: Reaction): number => {
  const [one, other] = [a, b].map(({ on, content, login }) => `${on} ${content} ${login}`) as [string, string];
  return a.at - b.at || (one < other ? -1 : 1);
};

/** To the description and to comments; of accounts that are still there. */
const reactionsOf = (state: State, record: PullRequestRecord): readonly Reaction[] =>
  [record, ...record.comments]
    .flatMap(({ id, reactions }) =>
      reactions.flatMap(({ by, content, at }): readonly Reaction[] => {
        const account = state.accounts.get(by);
        if (account === undefined || account.deleted) return [];
        return [
          { on: id, content: CONTENTS[content], login: normalised(by), bot: account.kind === "bot", account: account.databaseId, at },
        ];
      }),
    )
    .toSorted(byTime);

export const snapshotOf = (world: World, session: Session, record: PullRequestRecord): Snapshot => {
  const { state } = world;
  return {
    readAt: state.clock.now(),
    viewer: viewerOf(world, session),
    pullRequest: pullRequestOf(world, session, record),
    reviewThreads: record.threads.flatMap((thread) => threadOf(state, session, record, thread) ?? []),
    reviews: record.reviews.filter((review) => sees(session, review)).map((review) => reviewOf(state, session, review)),
    comments: record.comments.map((comment) => messageOf(state, session, comment)),
    reactions: reactionsOf(state, record),
    checks: checksOf(world, record),
    requests: state.shownRequests(record).map((request) => ({
      login: normalised(request.login),
      kind: request.kind,
      asCodeOwner: request.asCodeOwner,
    })),
    timeline: timelineOf(state, record),
  };
};

/** All that may move, in one digest; the time of the read is not in it. */
export const pulseOf = (snapshot: Snapshot): Pulse => {
  const { head, draft, state } = snapshot.pullRequest;
  const digest = createHash("sha256")
    .update(JSON.stringify({ ...snapshot, readAt: 0 }))
    .digest("hex");
  return { head: head.sha, draft, state, digest };
};
