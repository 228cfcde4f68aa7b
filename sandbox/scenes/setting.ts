/** What every scene starts with: a world with accounts, a repository and the first commit of a pull request. */
import type { DecisionKind } from "../../core/index.js";
import { BODIES } from "../reviewers/index.js";
import type { Actor, Pace, Stage } from "../reviewers/index.js";
import { createWorld, realWorldClock } from "../world/index.js";
import type { PullRequestRecord, RepositoryName, ThreadRecord, World, WorldClock } from "../world/index.js";
import { DAY, HOUR, sceneClock } from "./clock.js";
import type { SceneClock } from "./clock.js";
import type { Project } from "./project.js";
import { randomFrom } from "./random.js";
import type { Random } from "./random.js";

export interface SceneOptions {
  /** Names, files, order and counts come from it; 1 unless given. */
  readonly seed?: number;
  /** Real time unless given. */
  readonly clock?: WorldClock;
  /** A world without anything in it, and the clock that it runs on (a `sceneClock`, or all of the scene happens now); a new world unless given. */
  readonly world?: World;
  /** How long the actors take; some tens of milliseconds unless given. */
  readonly pace?: Pace;
}

/** A world with a pull request in the middle of its life, and actors that react to what happens from now on. */
export interface Scene {
  readonly name: string;
  readonly seed: number;
  readonly world: World;
  readonly repository: RepositoryName;
  readonly pullRequest: PullRequestRecord;
  /** Who opened it. */
  readonly author: string;
  /** Token by login; the author's signs in as the pull request's author. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly project: Project;
  readonly actors: readonly Actor[];
  /** What is right to decide on each open thread, by node id; known to tests only. */
  readonly truth: ReadonlyMap<string, DecisionKind>;
  /** Ends the actors. */
  stop(): void;
}

export interface Setting {
  readonly world: World;
  readonly clock: SceneClock;
  readonly random: Random;
  readonly seed: number;
  readonly pace: Pace;
}

export const PACE: Pace = { start: 20, work: 40 };

export const startSetting = (options: SceneOptions): Setting => {
  const given = options.clock ?? realWorldClock();
  const clock = "set" in given ? (given as SceneClock) : sceneClock(given);
  clock.set(clock.now() - 6 * DAY);
  const world = options.world ?? createWorld({ clock });
  const seed = options.seed ?? 1;
  return { world, clock, seed, random: randomFrom(seed), pace: options.pace ?? PACE };
};

/** Bots as the hosting service knows them. Copilot posts under a second spelling inline, and can be asked as people can. */
export const addBots = (world: World): void => {
  for (const { login, id } of [BODIES.greptile, BODIES.devin, BODIES.coderabbit]) world.addBot(login, { databaseId: id });
  const { login, id, inlineLogin } = BODIES.copilot;
  world.addBot(login, { databaseId: id, requestable: true, spelling: { inlineComment: inlineLogin, event: inlineLogin } });
  world.addBot(BODIES.ci.login);
  for (const bot of [BODIES.unknown.login, BODIES.unknown.coverage.login, BODIES.unknown.preview.login]) world.addBot(bot);
};

export const OWNER = "corner-works";

export const addPeople = (world: World): void => {
  const { author, reviewer, maintainer } = BODIES.people;
  for (const login of [author, reviewer, maintainer]) world.addUser(login);
  world.addOrganization(OWNER, [reviewer, maintainer]);
};

/** Everybody's token; none of them looks like a real one. */
export const addTokens = (world: World, author: string): Readonly<Record<string, string>> => {
  const tokens: Record<string, string> = {};
  for (const account of world.accounts.values()) {
    if (account.kind !== "user" && account.kind !== "bot") continue;
    const token = account.login === author ? "test-token" : `test-token-${account.login}`;
    world.addToken(token, account.login);
    tokens[account.login] = token;
  }
  return tokens;
};

/** Commits one more state of the project, as the author pushes it. */
export const pushCommit = (
  world: World,
  author: string,
  to: { readonly repository: RepositoryName; readonly branch: string },
  project: Project,
  index: number,
): void => {
  const commit = project.commits[index];
  if (commit === undefined) throw new Error(`The project has no commit ${index}.`);
  const before = index === 0 ? project.base.files : (project.commits[index - 1]?.files ?? {});
  const files: Record<string, string | null> = {};
  for (const [path, text] of Object.entries(commit.files)) if (before[path] !== text) files[path] = text;
  for (const path of Object.keys(before)) if (commit.files[path] === undefined) files[path] = null;
  world.commitAndPush(author, { ...to, files, message: commit.subject });
};

export const stageOf = (setting: Setting, pullRequest: PullRequestRecord, project: Project): Stage => ({
  world: setting.world,
  pullRequest,
  basePaths: Object.keys(project.base.files),
  pace: setting.pace,
});

/** The scene goes live: real time again, and the actors listen. */
export const goLive = (setting: Setting, actors: readonly Actor[]): (() => void) => {
  setting.clock.live();
  const ends = actors.map((actor) => actor.attach());
  return () => {
    for (const end of ends) end();
  };
};

export const openThreads = (pullRequest: PullRequestRecord): readonly ThreadRecord[] =>
  pullRequest.threads.filter((thread) => !thread.resolved);

export { DAY, HOUR };
