/** What some faults do to the world itself: at once when they are switched on, at a read or write, or after an event. */
import { hunks, inDiff, linesOf } from "./diff.js";
import { WorldError } from "./errors.js";
import type { FaultName, Mischief } from "./faults.js";
import { nodeId } from "./ids.js";
import type { CheckRecord, Posted, PullRequestRecord, ThreadRecord } from "./records.js";
import type { RepositoryName } from "./repositories.js";
import type { ThreadInput } from "./reviews.js";
import { smallNumber } from "./state.js";
import type { World } from "./world.js";

const STRANGER = "somebody-elsewhere";
const ELSEWHERE: RepositoryName = `${STRANGER}/other-work`;

/** A refusal of the world (locked, closed, no permission) ends it silently. */
const attempt = (act: () => void): void => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
  }
};

const openPullRequests = (world: World): readonly PullRequestRecord[] =>
  [...world.repositories.values()]
    .filter((repository) => repository.fullName !== ELSEWHERE)
    .flatMap((repository) => [...repository.pullRequests.values()].filter((one) => one.state === "open"));

/** Who raises points here: whoever did last, else any bot, else one that comes for it. */
const raiserOf = (world: World, pullRequest: PullRequestRecord): string => {
  const last = pullRequest.threads.map((thread) => thread.comments[0]?.author).findLast((login) => login !== pullRequest.author);
  const bot = [...world.accounts.values()].find((account) => account.kind === "bot" && account.login !== "github-actions");
  const found = last ?? bot?.login;
  if (found !== undefined) return found;
  return world.addBot("passing-reviewer").login;
};

/** Somebody with write access who is not the author; the author where there is nobody else. */
const otherPerson = (world: World, pullRequest: PullRequestRecord): string => {
  const repository = world.repository(pullRequest.repository);
  const people = [...world.accounts.values()].filter((account) => account.kind === "user" && account.login !== pullRequest.author);
  return (
    people.find(({ login }) => ["admin", "maintain", "write"].includes(world.state.roleOf(repository, login)))?.login ?? pullRequest.author
  );
};

/** Every line of the diff that a thread can stand on. */
const spots = (world: World, pullRequest: PullRequestRecord, side: "LEFT" | "RIGHT"): readonly ThreadInput[] => {
  const { git } = world;
  const { repository, head } = pullRequest;
  const base = git.mergeBase(repository, pullRequest.base.sha, head.sha) ?? pullRequest.base.sha;
  return git.changedFiles(repository, base, head.sha).flatMap((file) => {
    const before = git.fileAt(repository, base, file.was ?? file.path) ?? "";
    const after = git.fileAt(repository, head.sha, file.path) ?? "";
    const all = hunks(before, after);
    const lines = linesOf(side === "LEFT" ? before : after).map((_, index) => index + 1);
    return lines.filter((line) => inDiff(all, side, line)).map((line) => ({ path: file.path, line, side, body: "" }));
  });
};

const raise = (world: World, pullRequest: PullRequestRecord, bodies: readonly string[]): readonly ThreadRecord[] => {
  const [spot] = spots(world, pullRequest, "RIGHT");
  if (spot === undefined) return [];
  const before = pullRequest.threads.length;
  attempt(
    () =>
      void world.review(raiserOf(world, pullRequest), pullRequest, {
        state: "COMMENTED",
        comments: bodies.map((body) => ({ ...spot, body })),
      }),
  );
  return pullRequest.threads.slice(before);
};

const manyThreads = (world: World, pullRequest: PullRequestRecord): void => {
  const count = world.faults.get("many-threads")?.threads ?? 0;
  const closed = Array.from({ length: count }, (_, index) => `An old point, number ${index + 1}.`);
  for (const thread of raise(world, pullRequest, [...closed, "The last point of many: is this line right?"]).slice(0, count))
    attempt(() => void world.resolve(pullRequest.author, thread));
};

const manyComments = (world: World, pullRequest: PullRequestRecord): void => {
  const thread = pullRequest.threads.findLast((one) => !one.resolved) ?? raise(world, pullRequest, ["A point with a long story."])[0];
  if (thread === undefined) return;
  const author = thread.comments[0]?.author ?? raiserOf(world, pullRequest);
  const count = world.faults.get("many-comments")?.comments ?? 0;
  for (let number = 1; number <= count; number += 1)
    attempt(
      () => void world.replyToThread(author, thread, number === count ? "And still: please look at it." : `More on it, part ${number}.`),
    );
};

/** Threads first, then the push that takes their lines, their file or its name away. */
const oddPlaces = (world: World, pullRequest: PullRequestRecord): void => {
  const { repository, branch } = pullRequest.head;
  if (repository === null) return;
  const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join("");
  const names = ["edited", "deleted", "renamed"].map((name) => `odd/${name}.txt`);
  const to = { repository, branch };
  const who = pullRequest.author;
  world.commitAndPush(who, { ...to, files: Object.fromEntries(names.map((name) => [name, text])), message: "Files that won't stay" });
  const [left] = spots(world, pullRequest, "LEFT");
  const at = (path: string, line?: number): ThreadInput => ({ path, body: `About ${path}.`, ...(line === undefined ? {} : { line }) });
  const [edited = "", deleted = "", renamed = ""] = names;
  attempt(
    () =>
      void world.review(raiserOf(world, pullRequest), pullRequest, {
        state: "COMMENTED",
        comments: [
          at(edited, 4),
          at(deleted, 4),
          at(renamed, 4),
          at(edited),
          ...(left === undefined ? [] : [{ ...left, body: "Why was this removed?" }]),
        ],
      }),
  );
  const files = { [edited]: text.replace("line 4\n", "line four\n"), [deleted]: null, [renamed]: null, "odd/new-name.txt": text };
  world.commitAndPush(who, { ...to, files, message: "An edit, a deletion, a new name" });
};

const elsewhere = (world: World, pullRequest: PullRequestRecord): void => {
  if (world.accounts.has(STRANGER)) return;
  const raiser = raiserOf(world, pullRequest);
  world.addUser(STRANGER);
  world.addRepository(ELSEWHERE, { files: { "a.txt": "one\n" } });
  world.commitAndPush(STRANGER, { repository: ELSEWHERE, branch: "theirs", files: { "a.txt": "two\n" }, message: "Theirs" });
  const theirs = world.openPullRequest(STRANGER, { repository: ELSEWHERE, head: "theirs", title: "Somebody else's work" });
  world.review(raiser, theirs, { state: "COMMENTED", comments: [{ path: "a.txt", line: 1, body: "A point of another place." }] });
  world.state.foreignThread = theirs.threads[0];
};

/** An older failed run beside a green one. GitHub keeps both, in no order. */
const duplicate = (world: World, check: CheckRecord): void => {
  const options = world.faults.get("duplicate-checks");
  const { state } = world;
  const key = `${check.repository} ${check.head}`;
  const all = state.checks.get(key) ?? [];
  const twins = all.filter((other) => other.name === check.name && other.app === check.app);
  if (options === undefined || check.conclusion !== "SUCCESS" || twins.length > 1) return;
  const ids = state.mint("CR", "check", state.repository(check.repository));
  const suite = state.counters.next("suite");
  const older: CheckRecord = {
    ...check,
    ...ids,
    suite: { databaseId: suite, id: nodeId("CS", state.repository(check.repository).databaseId, suite) },
    conclusion: "FAILURE",
    createdAt: check.createdAt - 120_000,
    startedAt: check.createdAt - 110_000,
    completedAt: check.createdAt - 60_000,
  };
  const at = all.indexOf(check) + (options.newestFirst ? 1 : 0);
  state.checks.set(key, [...all.slice(0, at), older, ...all.slice(at)]);
  state.nodes.set(older.id, { type: "check", value: older });
};

const besideCheck = (world: World, check: CheckRecord): void => {
  const options = world.faults.get("status-beside-check");
  const there = world.statusesOf(check.repository, check.head).some((status) => status.context === check.name);
  if (options === undefined || there) return;
  const { repository, head, app, name } = check;
  attempt(() => void world.setStatus(app, { repository, head, context: name, state: options.state }));
};

const eachCheck = (act: (world: World, check: CheckRecord) => void) => (world: World, pullRequest: PullRequestRecord) => {
  for (const check of world.checksOf(pullRequest.repository, pullRequest.head.sha)) act(world, check);
};

/** Done to each open pull request when the fault is switched on. */
const AT_ONCE: Readonly<Partial<Record<FaultName, (world: World, pullRequest: PullRequestRecord) => void>>> = {
  "many-threads": manyThreads,
  "many-comments": manyComments,
  "odd-places": oddPlaces,
  "foreign-thread": elsewhere,
  "duplicate-checks": eachCheck(duplicate),
  "status-beside-check": eachCheck(besideCheck),
  "older-server": (_world, pullRequest) => {
    const comments = pullRequest.threads.flatMap((thread) => thread.comments);
    for (const posted of [...comments, ...pullRequest.comments, ...pullRequest.reviews])
      Object.assign(posted, { databaseId: smallNumber(posted.databaseId) });
  },
  "ghost-author": (world, pullRequest) => {
    const login = world.faults.get("ghost-author")?.login;
    const authors = pullRequest.threads.map((thread) => thread.comments[0]?.author ?? "");
    for (const one of login === undefined ? authors : [login])
      if (one !== pullRequest.author && world.accounts.has(one)) world.deleteAccount(one);
  },
  "head-repository-gone": (world, pullRequest) => {
    const { repository } = pullRequest.head;
    if (repository !== null && repository !== pullRequest.repository) world.deleteFork(repository);
    pullRequest.head = { ...pullRequest.head, repository: null };
  },
  "merge-queue": (world, pullRequest) => attempt(() => world.enqueue(otherPerson(world, pullRequest), pullRequest)),
  "pending-review": (world, pullRequest) => {
    const [spot] = spots(world, pullRequest, "RIGHT");
    const comments = spot === undefined ? [] : [{ ...spot, body: "A remark that is not ready yet." }];
    attempt(
      () => void world.review(world.faults.get("pending-review")?.login ?? pullRequest.author, pullRequest, { state: "PENDING", comments }),
    );
  },
  "required-check-missing": (world, pullRequest) => {
    const { repository, base } = pullRequest;
    const required = world.repository(repository).protections.get(base.branch)?.requiredChecks ?? [];
    const { name = "" } = world.faults.get("required-check-missing") ?? {};
    world.protect(repository, base.branch, { requiredChecks: [...new Set([...required, name])] });
  },
  "ready-wakes-reviewers": (world, pullRequest) => {
    const owner = otherPerson(world, pullRequest);
    const repository = world.repository(pullRequest.repository);
    if (owner !== pullRequest.author && repository.codeOwners.length === 0) repository.codeOwners = [owner];
  },
};

/** By somebody else, or, where only the author may (a fork), by the author from another machine. */
const pushByTheWay = (world: World, pullRequest: PullRequestRecord): void => {
  const { repository, branch, sha } = pullRequest.head;
  if (repository === null) return;
  for (const login of [otherPerson(world, pullRequest), pullRequest.author]) {
    const files = { [`from-${login}.txt`]: `on top of ${sha}\n` };
    if (pullRequest.head.sha === sha) attempt(() => void world.commitAndPush(login, { repository, branch, files, message: "By the way" }));
  }
};

const later = (world: World, name: FaultName, act: () => void): void => {
  const { milliseconds } = world.faults.get(name) as { readonly milliseconds: number };
  world.after(milliseconds, () => attempt(act));
};

/** What whoever raised a thread does after somebody else closed it: each of them once. */
const afterResolve = (world: World): void => {
  const done = new Set<string>();
  const once = (
    name: "reopens-resolved" | "replies-after-resolve",
    thread: ThreadRecord,
    actor: string,
    act: (author: string) => void,
  ): void => {
    const author = thread.comments[0]?.author;
    if (!world.faults.on(name) || author === undefined || author === actor || done.has(`${name} ${thread.id}`)) return;
    done.add(`${name} ${thread.id}`);
    later(world, name, () => act(author));
  };
  world.on("resolved", ({ thread, actor }) => {
    once("reopens-resolved", thread, actor, (author) => void world.unresolve(author, thread));
    once(
      "replies-after-resolve",
      thread,
      actor,
      (author) => void world.replyToThread(author, thread, "One more word: this still goes wrong for an empty list."),
    );
  });
};

/** A bot writes a part of it first, and the whole within the same second: no time tells of the second step. */
const inTwoSteps = (world: World, posted: Pick<Posted, "author" | "body">): void => {
  const options = world.faults.get("same-second-edits");
  if (options === undefined || world.accounts.get(posted.author)?.kind !== "bot") return;
  const whole = posted.body;
  const part = `${whole.slice(0, Math.ceil(whole.length / 2))} ...`;
  posted.body = part;
  world.after(options.milliseconds, () => {
    if (posted.body === part) posted.body = whole;
  });
};

/** Binds a world's faults to the world. */
export const attachMischief = (world: World): void => {
  const mischief: Mischief = {
    switchedOn(name) {
      const act = AT_ONCE[name];
      if (act !== undefined) for (const pullRequest of openPullRequests(world)) act(world, pullRequest);
    },
    strikes(name) {
      for (const pullRequest of openPullRequests(world)) {
        if (name === "thread-appears") raise(world, pullRequest, ["One more point, seen late."]);
        else pushByTheWay(world, pullRequest);
      }
    },
  };
  world.faults.attach(mischief);
  afterResolve(world);
  world.on("check-changed", ({ check }) => {
    if (world.faults.on("duplicate-checks")) duplicate(world, check);
    if (world.faults.on("status-beside-check")) besideCheck(world, check);
  });
  world.on("commented", ({ comment }) => inTwoSteps(world, comment));
  world.on("edited", ({ subject }) => inTwoSteps(world, subject));
  world.on("reviewed", ({ review }) => inTwoSteps(world, review));
  world.on("ready", ({ pullRequest }) => {
    if (world.faults.on("ready-wakes-reviewers"))
      later(world, "ready-wakes-reviewers", () => void raise(world, pullRequest, ["Now that it is ready: is this line right?"]));
  });
  world.on("review-requested", ({ pullRequest, login }) => {
    if (!world.faults.concerns("request-ends-early", login)) return;
    later(world, "request-ends-early", () => {
      const at = pullRequest.requests.findIndex((request) => request.login === login);
      if (at !== -1) pullRequest.requests.splice(at, 1);
    });
  });
};
