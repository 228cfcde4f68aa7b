/**
 * Every reviewer on one pull request: five with their whole life cycle, the others from their texts, bots that refuse and bots that review
 * nothing among them. All have looked at the head once; what they found is still open.
 */
import {
  BODIES,
  coderabbit,
  copilot,
  devin,
  greptile,
  OTHERS,
  otherReviewer,
  prReviewer,
  wordingOf,
  workflow,
} from "../reviewers/index.js";
import type { Actor, IssueKind, ScriptedReviewer } from "../reviewers/index.js";
import { issuesAt } from "../reviewers/stage.js";
import type { RepositoryName } from "../world/index.js";
import type { DecisionKind } from "../../core/index.js";
import { HOUR, MINUTE } from "./clock.js";
import { drawProject } from "./project.js";
import { addBots, addPeople, addTokens, goLive, openThreads, OWNER, pushCommit, stageOf, startSetting } from "./setting.js";
import type { Scene, SceneOptions } from "./setting.js";

const KINDS: Readonly<Record<string, readonly IssueKind[]>> = {
  greptile: ["loop-bound", "missing-await", "open-handle", "guarded-share"],
  devin: ["page-end", "shared-defaults", "fixed-number"],
  copilot: ["zero-default", "raw-path"],
  coderabbit: ["swallowed-error", "short-name"],
  "pr-reviewer": ["missing-guard"],
  bugbot: ["sort-in-place"],
  codex: ["empty-average"],
  cubic: ["short-timeout"],
  macroscope: ["capacity-compare"],
  seer: ["inverted-filter"],
};

const TRUTH: Partial<Record<IssueKind, DecisionKind>> = {
  "guarded-share": "false-positive",
  "short-name": "nitpick",
  "fixed-number": "informational",
};

export const everyoneScene = (options: SceneOptions): Scene => {
  const setting = startSetting(options);
  const { world, clock, random, seed } = setting;
  const { author, reviewer, maintainer } = BODIES.people;
  const project = drawProject(random, { early: random.between(7, 8), late: 2, lingering: random.between(2, 4) });
  addBots(world);
  for (const { login } of OTHERS) if (!world.accounts.has(login)) world.addBot(login);
  addPeople(world);
  const agentAccount = BODIES["pr-reviewer"].login;
  world.addUser(agentAccount);
  const repository: RepositoryName = `${OWNER}/${project.name}`;
  world.addRepository(repository, {
    files: project.base.files,
    access: { [author]: "write", [reviewer]: "write", [maintainer]: "maintain", [agentAccount]: "write" },
  });
  const tokens = addTokens(world, author);

  clock.pass(HOUR);
  const to = { repository, branch: project.branch };
  for (const index of project.commits.keys()) pushCommit(world, author, to, project, index);
  const pullRequest = world.openPullRequest(author, {
    repository,
    head: project.branch,
    title: project.title,
    body: project.description,
    number: random.between(12, 480),
  });
  const stage = stageOf(setting, pullRequest, project);
  const kindsOf = (name: string): readonly IssueKind[] => KINDS[name] ?? [];
  const bots: readonly ScriptedReviewer[] = [
    greptile(stage, {
      kinds: kindsOf("greptile"),
      suggests: ["open-handle"],
      layout: random.chance(0.5) ? "v1" : "v2",
      check: random.chance(0.5),
    }),
    devin(stage, { kinds: kindsOf("devin"), suggests: ["page-end"], check: random.chance(0.5) }),
    copilot(stage, { kinds: kindsOf("copilot"), suggests: ["zero-default"] }),
    coderabbit(stage, { kinds: kindsOf("coderabbit") }),
    prReviewer(stage, { kinds: kindsOf("pr-reviewer") }),
    ...OTHERS.map((words) => otherReviewer(stage, words, kindsOf(words.name))),
  ];
  const ci = workflow(stage);
  ci.run();
  for (const bot of random.shuffled(bots)) {
    clock.pass(5 * MINUTE);
    if (bot.login === BODIES.copilot.login) world.requestReview(author, pullRequest, bot.login);
    bot.review();
  }
  clock.pass(HOUR);

  const issues = issuesAt(stage, pullRequest.head.sha, Object.values(KINDS).flat());
  const truth = new Map<string, DecisionKind>();
  for (const thread of openThreads(pullRequest)) {
    const issue = issues.find((each) => each.path === thread.path && (thread.comments[0]?.body ?? "").includes(wordingOf(each).text));
    if (issue !== undefined) truth.set(thread.id, TRUTH[issue.kind] ?? "actionable");
  }
  const actors: readonly Actor[] = [...bots, ci];
  const stop = goLive(setting, actors);
  return { name: "everyone", seed, world, repository, pullRequest, author, tokens, project, actors, truth, stop };
};
