/** What scripted reviewers and people stand on: one pull request of a world, and the time that they take. */
import type { Sha } from "../../core/index.js";
import { hunks, inDiff, WorldError } from "../world/index.js";
import type { PullRequestRecord, ThreadRecord, World } from "../world/index.js";
import { inspect } from "./inspect.js";
import type { Issue, IssueKind } from "./inspect.js";

export interface Pace {
  /** Milliseconds until somebody starts. */
  readonly start: number;
  /** Milliseconds from the start to the result. */
  readonly work: number;
}

export interface Stage {
  readonly world: World;
  readonly pullRequest: PullRequestRecord;
  /** Source files of the base branch, which a pull request may leave as they are. */
  readonly basePaths: readonly string[];
  readonly pace: Pace;
}

export interface Actor {
  readonly login: string;
  /** Listens to the world from now on; the result ends it, with all that it still had to do. */
  attach(): () => void;
}

export interface ScriptedReviewer extends Actor {
  /** Reviews the head at once, without waiting, and reports at most so many new points: for setting a scene. */
  review(most?: number): void;
}

/** Looks that only warn; an answer settles them, where a slip is settled by an edit alone. */
export const REMARKS: ReadonlySet<IssueKind> = new Set<IssueKind>(["guarded-access", "guarded-share", "short-name", "fixed-number"]);

/** Work for later, which ends with the actor. A refusal of the world (locked, closed, gone) ends that work silently, as it does for real bots. */
export class Agenda {
  readonly #world: World;
  readonly #login: string;
  readonly #open = new Set<() => void>();

  constructor(world: World, login: string) {
    this.#world = world;
    this.#login = login;
  }

  /** Does it later, and slower or never where a fault says so. */
  later(milliseconds: number, act: () => void): void {
    const { silent, delay } = this.#world.faults.reviewer(this.#login);
    if (silent) return;
    const cancel = this.#world.after(milliseconds + delay, () => {
      this.#open.delete(cancel);
      try {
        act();
      } catch (error) {
        if (!(error instanceof WorldError)) throw error;
      }
    });
    this.#open.add(cancel);
  }

  end(): void {
    for (const cancel of this.#open) cancel();
    this.#open.clear();
  }
}

/** Source files at a commit, as far as a reviewer reads them. */
const sourcesAt = ({ world, pullRequest, basePaths }: Stage, head: Sha): ReadonlyMap<string, string> => {
  const changed = world.git.changedFiles(pullRequest.repository, pullRequest.base.sha, head).map((file) => file.path);
  const found = new Map<string, string>();
  for (const path of [...new Set([...basePaths, ...changed])].filter((each) => /^src\/.*\.m?js$/.test(each)).sort()) {
    const text = world.git.fileAt(pullRequest.repository, head, path);
    if (text !== undefined) found.set(path, text);
  }
  return found;
};

/** All issues of these kinds at a commit, by path and line. */
export const issuesAt = (stage: Stage, head: Sha, kinds: readonly IssueKind[]): readonly Issue[] =>
  [...sourcesAt(stage, head)].flatMap(([path, text]) => inspect(path, text)).filter((issue) => kinds.includes(issue.kind));

/** Can a thread stand on these lines, that is: are they part of the diff? */
export const canAnchor = ({ world, pullRequest }: Stage, head: Sha, issue: Issue): boolean => {
  const { git } = world;
  const base = git.mergeBase(pullRequest.repository, pullRequest.base.sha, head);
  if (base === undefined) return false;
  const file = git.changedFiles(pullRequest.repository, base, head).find((each) => each.path === issue.path);
  if (file === undefined) return false;
  const all = hunks(
    git.fileAt(pullRequest.repository, base, file.was ?? file.path) ?? "",
    git.fileAt(pullRequest.repository, head, file.path) ?? "",
  );
  return inDiff(all, "RIGHT", issue.startLine) && inDiff(all, "RIGHT", issue.line);
};

export interface Reported {
  readonly issue: Issue;
  /** Absent for a point that stands in a body alone. */
  thread?: ThreadRecord;
  /** The reviewer has said that it is settled. */
  settled: boolean;
}

export interface Findings {
  /** To be reported now. */
  readonly fresh: readonly Issue[];
  /** Reported and still there, with no answer that would settle them. */
  readonly left: readonly Reported[];
  /** Reported, and repaired since. */
  readonly gone: readonly Reported[];
  /** How many are wrong at this head, reported or not. */
  readonly count: number;
}

/** What one reviewer has reported so far. It looks at the code anew each time. */
export class Notebook {
  readonly #stage: Stage;
  readonly #login: string;
  readonly #kinds: readonly IssueKind[];
  readonly reported = new Map<string, Reported>();

  constructor(stage: Stage, login: string, kinds: readonly IssueKind[]) {
    this.#stage = stage;
    this.#login = login;
    this.#kinds = kinds;
  }

  /** Somebody else spoke in the thread, or closed it. */
  answered(entry: Reported): boolean {
    const { thread } = entry;
    return thread !== undefined && (thread.resolved || thread.comments.slice(1).some((comment) => comment.author !== this.#login));
  }

  read(head: Sha): Findings {
    const present = new Map(issuesAt(this.#stage, head, this.#kinds).map((issue) => [issue.key, issue]));
    const fresh: Issue[] = [];
    const left: Reported[] = [];
    for (const [key, issue] of present) {
      const entry = this.reported.get(key);
      const remark = REMARKS.has(issue.kind);
      if (entry === undefined) fresh.push(issue);
      else if (remark && this.answered(entry)) continue;
      // A slip that somebody closed without repairing it is reported again.
      else if (!remark && entry.thread?.resolved === true) fresh.push(issue);
      else {
        const { thread } = entry;
        const now = { issue, settled: false, ...(thread === undefined ? {} : { thread }) };
        this.reported.set(key, now);
        left.push(now);
      }
    }
    const gone = [...this.reported].filter(([key]) => !present.has(key)).map(([, entry]) => entry);
    return { fresh, left, gone, count: fresh.length + left.length };
  }

  note(issue: Issue, thread?: ThreadRecord): Reported {
    const entry: Reported = { issue, settled: false, ...(thread === undefined ? {} : { thread }) };
    this.reported.set(issue.key, entry);
    return entry;
  }
}

/** Threads that one submitted review raised, in order. */
export const threadsOf = (pullRequest: PullRequestRecord, review: { readonly id: string }): readonly ThreadRecord[] =>
  pullRequest.threads.filter((thread) => thread.comments[0]?.review === review.id);

/** Is it a pull request that reviewers still look at? */
export const isLive = (pullRequest: PullRequestRecord): boolean => pullRequest.state === "open" && !pullRequest.locked;

/** A thread's range as the world takes it. */
export const rangeOf = (issue: Issue): { readonly line: number; readonly startLine?: number } => ({
  line: issue.line,
  ...(issue.startLine === issue.line ? {} : { startLine: issue.startLine }),
});

/** The commit that a reviewer of this head looks at: the one before it with the fault `review-for-old-head`. */
export const reviewedHead = ({ world, pullRequest }: Stage, login: string, head: Sha): Sha => {
  if (!world.faults.concerns("review-for-old-head", login)) return head;
  return world.git.commit(pullRequest.repository, head)?.parents[0] ?? head;
};

/** Has the reviewer no reviews left, by its script or by the fault `quota-review`? */
export const isSpent = ({ world }: Stage, login: string, runs: number, quota: number | undefined): boolean =>
  world.faults.concerns("quota-review", login) || (quota !== undefined && runs >= quota);

export const shortOf = (sha: Sha): string => sha.slice(0, 7);
