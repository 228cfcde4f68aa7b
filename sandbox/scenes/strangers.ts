/**
 * A first run in a stranger's repository: a pull request from a fork, no config, five bots of which three are nobody's plugin, people who talked
 * about it for weeks, and an author who may do next to nothing there.
 */
import { BODIES, coderabbit, fill, greptile, inspect, wordingOf } from "../reviewers/index.js";
import type { Actor, IssueKind } from "../reviewers/index.js";
import type { RepositoryName } from "../world/index.js";
import type { DecisionKind } from "../../core/index.js";
import { DAY, HOUR, MINUTE } from "./clock.js";
import { drawProject } from "./project.js";
import { addBots, addPeople, addTokens, goLive, OWNER, pushCommit, stageOf, startSetting } from "./setting.js";
import type { Scene, SceneOptions } from "./setting.js";

const UNKNOWN_KINDS: readonly IssueKind[] = ["page-end", "sort-in-place"];

export const strangersScene = (options: SceneOptions): Scene => {
  const setting = startSetting(options);
  const { world, clock, random, seed } = setting;
  const { author, reviewer, maintainer, stranger, chatter, closing, late } = BODIES.people;
  const project = drawProject(random, { early: 4, late: 1, lingering: 0 });
  addBots(world);
  addPeople(world);
  const passers = [1, 2, 3].map((number) => fill(stranger, { number }));
  for (const login of passers) world.addUser(login);
  const repository: RepositoryName = `${OWNER}/${project.name}`;
  const fork: RepositoryName = `${author}/${project.name}`;
  world.addRepository(repository, { files: project.base.files, access: { [reviewer]: "write", [maintainer]: "maintain" } });
  world.addRepository(fork, { forkOf: repository });
  const tokens = addTokens(world, author);

  clock.pass(HOUR);
  const to = { repository: fork, branch: project.branch };
  for (const index of [0, 1]) pushCommit(world, author, to, project, index);
  const pullRequest = world.openPullRequest(author, {
    repository,
    headRepository: fork,
    head: project.branch,
    title: project.title,
    body: project.description,
    number: random.between(600, 1400),
  });
  const stage = stageOf(setting, pullRequest, project);
  const knownBots = [
    greptile(stage, { kinds: ["loop-bound", "open-handle"], check: true }),
    coderabbit(stage, { kinds: ["zero-default", "raw-path", "short-name"], suggests: ["zero-default"] }),
  ];
  const talkers = [reviewer, maintainer, ...passers, author];
  const remarks = [...random.shuffled(chatter), ...random.shuffled(chatter)];
  const talk = (count: number): void => {
    for (const said of remarks.splice(0, count)) {
      clock.pass(random.between(3, 60) * MINUTE);
      world.comment(random.pick(talkers), pullRequest, said);
    }
  };

  talk(8);
  const { preview, coverage, login: owl, review, thread } = BODIES.unknown;
  world.comment(preview.login, pullRequest, fill(preview.comment, { short: pullRequest.head.sha.slice(0, 7) }));
  world.comment(coverage.login, pullRequest, fill(coverage.comment));
  for (const bot of knownBots) {
    clock.pass(5 * MINUTE);
    bot.review();
  }
  talk(16);
  const found = world.git
    .changedFiles(repository, pullRequest.base.sha, pullRequest.head.sha)
    .flatMap(({ path }) => inspect(path, world.git.fileAt(repository, pullRequest.head.sha, path) ?? ""))
    .filter((issue) => UNKNOWN_KINDS.includes(issue.kind));
  world.review(owl, pullRequest, {
    state: "COMMENTED",
    body: fill(review, { count: found.length, s: found.length === 1 ? "" : "s" }),
    comments: found.map((issue) => ({
      path: issue.path,
      line: issue.line,
      body: fill(thread, wordingOf(issue) as { title: string; text: string }),
    })),
  });
  clock.pass(DAY);
  talk(14);
  clock.pass(HOUR);
  // A maintainer's last word: what was said before is over. One question came after it.
  world.comment(maintainer, pullRequest, closing);
  clock.pass(HOUR);
  world.comment(passers[0] ?? author, pullRequest, late);

  const truth = new Map<string, DecisionKind>();
  const actors: readonly Actor[] = knownBots;
  const stop = goLive(setting, actors);
  return { name: "strangers", seed, world, repository, pullRequest, author, tokens, project, actors, truth, stop };
};
