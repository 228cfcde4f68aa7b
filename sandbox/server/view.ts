/** What one request sees: the world through one session, and the addresses under which it came in. */
import type { Instant } from "../../core/index.js";
import type { World } from "../world/index.js";
import type {
  AccountRecord,
  PullRequestRecord,
  RepositoryRecord,
  ReviewCommentRecord,
  ReviewRecord,
  Session,
  ThreadRecord,
} from "../world/records.js";
import { refuseRead } from "../world/rules.js";
import type { State } from "../world/state.js";
import type { BareRepositories } from "./git/bare-repositories.js";

export interface View {
  readonly world: World;
  readonly state: State;
  readonly repositories: BareRepositories;
  readonly session: Session;
  /** Base of the web pages, without a slash at the end. */
  readonly web: string;
  /** Base of the REST paths. */
  readonly api: string;
}

/** GitHub's times: UTC, whole seconds. */
export const time = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
export const timeOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : time(at));

/** The account behind a login; undefined for a deleted one, whose posts stay without an author. */
export const accountOf = (view: View, login: string | undefined): AccountRecord | undefined => {
  const found = login === undefined ? undefined : view.world.accounts.get(login);
  return found === undefined || found.deleted ? undefined : found;
};

/** Can the session see this repository? GitHub denies what it hides. */
export const visibleRepository = (view: View, name: string): RepositoryRecord | undefined => {
  const wanted = name.toLowerCase();
  for (const repository of view.world.repositories.values()) {
    if (repository.fullName.toLowerCase() !== wanted) continue;
    return refuseRead(view.state, view.session, repository) === undefined ? repository : undefined;
  }
  return undefined;
};

// A pending review and all in it are seen by its author only.
export const visibleReviews = (view: View, pullRequest: PullRequestRecord): readonly ReviewRecord[] =>
  pullRequest.reviews.filter((review) => review.state !== "PENDING" || review.author === view.session.login);

export const visibleComments = (view: View, thread: ThreadRecord): readonly ReviewCommentRecord[] =>
  thread.comments.filter((comment) => comment.state === "SUBMITTED" || comment.author === view.session.login);

export const visibleThreads = (view: View, pullRequest: PullRequestRecord): readonly ThreadRecord[] =>
  view.state.shownThreads(pullRequest).filter((thread) => visibleComments(view, thread).length > 0);

export const pullRequestUrl = (view: View, pullRequest: PullRequestRecord): string =>
  `${view.web}/${pullRequest.repository}/pull/${pullRequest.number}`;

/** The world names its own pages with `https`; here they are where this server is. */
export const ownUrl = (view: View, url: string): string => {
  const own = `https://${view.world.host}/`;
  return url.startsWith(own) ? `${view.web}/${url.slice(own.length)}` : url;
};

/** When anything last happened. Not "now": an answer about something that did not change must not change. */
export const lastChange = (view: View): Instant => view.world.log.at(-1)?.at ?? 1_600_000_000_000;

/** Where the diff of a pull request starts. */
export const mergeBaseOf = (view: View, pullRequest: PullRequestRecord): string =>
  view.repositories.mergeBase(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha) ?? pullRequest.base.sha;

const escapeHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
/** Not GitHub's renderer: the text as one paragraph. */
export const html = (text: string): string => (text === "" ? "" : `<p dir="auto">${escapeHtml(text)}</p>`);
