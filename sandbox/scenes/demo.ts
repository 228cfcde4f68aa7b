/**
 * The demo's pull request: two rounds of review are over, a third one is open. Greptile, Devin, Copilot and a person take part; most of the more
 * than 100 threads are resolved, some since long, some are still open, and there is a point that has no thread at all.
 */
import type { DecisionKind } from "../../core/index.js";
import { BODIES, copilot, devin, fill, greptile, inspect, person, REMARKS, wordingOf, workflow } from "../reviewers/index.js";
import type { Issue, IssueKind, Stage } from "../reviewers/index.js";
import { functionsOf } from "../reviewers/source.js";
import type { PullRequestRecord, RepositoryName, ThreadRecord, World } from "../world/index.js";
import { HOUR, MINUTE } from "./clock.js";
import { drawProject } from "./project.js";
import { addBots, addPeople, addTokens, goLive, openThreads, OWNER, pushCommit, stageOf, startSetting, DAY } from "./setting.js";
import type { Scene, SceneOptions, Setting } from "./setting.js";

/** Who is good at what: nobody reports what another one reports. */
export const KINDS = {
  greptile: ["loop-bound", "missing-await", "open-handle", "short-timeout", "guarded-share"],
  devin: ["page-end", "shared-defaults", "sort-in-place", "empty-average", "fixed-number"],
  copilot: ["zero-default", "raw-path", "swallowed-error", "missing-guard", "guarded-access", "short-name"],
  person: ["inverted-filter", "capacity-compare"],
} as const satisfies Record<string, readonly IssueKind[]>;

const SUGGESTS = {
  greptile: ["open-handle"],
  devin: ["page-end"],
  copilot: ["zero-default", "raw-path", "swallowed-error"],
} as const satisfies Record<string, readonly IssueKind[]>;

const TRUTH: Partial<Record<IssueKind, DecisionKind>> = {
  "guarded-access": "false-positive",
  "guarded-share": "false-positive",
  "short-name": "nitpick",
  "fixed-number": "informational",
};

export interface DemoVariant {
  /** A maintainer asks what only a person can decide. */
  readonly judgment?: boolean;
  readonly draft?: boolean;
  /** Greptile's reviews are used up. */
  readonly quota?: boolean;
}

/** The issue that a thread was raised for, found by the words on it. */
const issueOf = (thread: ThreadRecord, issues: readonly Issue[]): Issue | undefined =>
  issues.find((issue) => issue.path === thread.path && (thread.comments[0]?.body ?? "").includes(wordingOf(issue).text));

/** What is wrong at the head, all kinds together. */
const issuesNow = ({ world }: Setting, pullRequest: PullRequestRecord): readonly Issue[] =>
  world.git
    .changedFiles(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha)
    .flatMap(({ path }) => inspect(path, world.git.fileAt(pullRequest.repository, pullRequest.head.sha, path) ?? ""));

/** The author comes back to the open threads: says what was repaired and what was not, and closes them (a person closes her own). */
const answerRound = (setting: Setting, pullRequest: PullRequestRecord, before: readonly Issue[], keep: ReadonlySet<string>): void => {
  const { world, clock, random } = setting;
  const { author, fixed, declined, keep: kept, thanks } = BODIES.people;
  const now = new Set(issuesNow(setting, pullRequest).map((issue) => issue.key));
  for (const thread of openThreads(pullRequest)) {
    const issue = issueOf(thread, before);
    if (issue === undefined || keep.has(thread.id)) continue;
    const repaired = !now.has(issue.key);
    if (!repaired && !REMARKS.has(issue.kind)) continue;
    const said = repaired ? random.pick(fixed) : random.pick(issue.kind === "short-name" ? kept : declined);
    clock.pass(2 * MINUTE);
    world.replyToThread(author, thread, fill(said, { short: pullRequest.head.sha.slice(0, 7) }));
    const raisedBy = thread.comments[0]?.author ?? author;
    if (world.accounts.get(raisedBy)?.kind === "user") {
      world.replyToThread(raisedBy, thread, thanks);
      world.resolve(raisedBy, thread);
    } else world.resolve(author, thread);
  }
};

const truthOf = (pullRequest: PullRequestRecord, issues: readonly Issue[], special: ReadonlyMap<string, DecisionKind>) => {
  const truth = new Map<string, DecisionKind>(special);
  for (const thread of openThreads(pullRequest)) {
    if (truth.has(thread.id)) continue;
    const issue = issueOf(thread, issues);
    if (issue === undefined) throw new Error(`Nobody knows what thread ${thread.id} is about.`);
    truth.set(thread.id, TRUTH[issue.kind] ?? "actionable");
  }
  return truth;
};

/** A thread on the first function of a late module that nobody has a remark on. */
const askMaintainer = (world: World, stage: Stage, by: string): ThreadRecord => {
  const { pullRequest } = stage;
  const files = world.git.changedFiles(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha).map((file) => file.path);
  for (const path of files.filter((each) => each.startsWith("src/")).toReversed()) {
    const found = functionsOf(world.git.fileAt(pullRequest.repository, pullRequest.head.sha, path) ?? "").find((each) =>
      each.name.includes("With"),
    );
    if (found === undefined) continue;
    const list = path.replace(/^src\/|\.mjs$/g, "");
    const body = fill(BODIES.people.judgment, { function: found.name, list });
    return world.addThread(by, pullRequest, { path, line: found.start + 1, body });
  }
  throw new Error("There is no function to ask about.");
};

export const demoScene = (name: string, options: SceneOptions, variant: DemoVariant = {}): Scene => {
  const setting = startSetting(options);
  const { world, clock, random, seed } = setting;
  const { author, reviewer, maintainer, question, conversation } = BODIES.people;
  const project = drawProject(random, { early: random.between(10, 11), late: 2, lingering: random.between(2, 4) });
  addBots(world);
  addPeople(world);
  const repository: RepositoryName = `${OWNER}/${project.name}`;
  world.addRepository(repository, {
    files: project.base.files,
    access: { [author]: "write", [reviewer]: "write", [maintainer]: "maintain" },
  });
  const tokens = addTokens(world, author);

  clock.pass(HOUR);
  const to = { repository, branch: project.branch };
  pushCommit(world, author, to, project, 0);
  const pullRequest = world.openPullRequest(author, {
    repository,
    head: project.branch,
    title: project.title,
    body: project.description,
    number: random.between(12, 480),
  });
  const stage = stageOf(setting, pullRequest, project);
  const bots = {
    greptile: greptile(stage, {
      kinds: KINDS.greptile,
      suggests: SUGGESTS.greptile,
      layout: random.chance(0.5) ? "v1" : "v2",
      check: random.chance(0.7),
      ...(variant.quota === true ? { quota: 3 } : {}),
    }),
    devin: devin(stage, { kinds: KINDS.devin, suggests: SUGGESTS.devin, check: random.chance(0.5) }),
    copilot: copilot(stage, { kinds: KINDS.copilot, suggests: SUGGESTS.copilot }),
  };
  // A person takes longer than a bot.
  const pace = { start: stage.pace.start * 5, work: stage.pace.work * 10 };
  const ines = person({ ...stage, pace }, { login: reviewer, kinds: KINDS.person, asks: ["fixed-number"] });
  const ci = workflow(stage);
  const order = random.shuffled([bots.greptile, bots.devin, bots.copilot]);

  // The first round. Her question comes first and is still open today.
  const special = new Map<string, DecisionKind>();
  ci.run();
  clock.pass(3 * MINUTE);
  const asked = ines.ask(question);
  if (asked !== undefined) special.set(asked.id, "informational");
  for (const bot of order) {
    clock.pass(6 * MINUTE);
    bot.review();
  }
  clock.pass(2 * HOUR);
  ines.review();
  const keep = new Set(special.keys());
  let known = issuesNow(setting, pullRequest);

  for (const round of [1, 2]) {
    clock.pass(DAY);
    pushCommit(world, author, to, project, round);
    ci.run();
    clock.pass(10 * MINUTE);
    answerRound(setting, pullRequest, known, keep);
    known = [...known, ...issuesNow(setting, pullRequest)];
    // In the last round the bots don't see everything at once: what they miss comes with their next review.
    const most = round === 2 ? 4 : undefined;
    for (const bot of order) {
      clock.pass(7 * MINUTE);
      if (bot === bots.copilot) world.requestReview(author, pullRequest, bot.login);
      bot.review(bot === bots.copilot ? undefined : most);
    }
  }
  clock.pass(3 * HOUR);
  ines.review();
  if (variant.judgment === true) special.set(askMaintainer(world, stage, maintainer).id, "judgment");
  clock.pass(HOUR);
  const lastly = world.comment(reviewer, pullRequest, random.pick(conversation));
  special.set(lastly.id, "informational");

  if (variant.draft === true) world.markDraft(author, pullRequest);

  const actors = [bots.greptile, bots.devin, bots.copilot, ines, ci];
  const truth = truthOf(pullRequest, known, special);
  const stop = goLive(setting, actors);
  return { name, seed, world, repository, pullRequest, author, tokens, project, actors, truth, stop };
};
