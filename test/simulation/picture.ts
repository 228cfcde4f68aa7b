/** Does the target hold? Judged from the world's records alone, by other means than the product's. */
import type { PullRequestRecord } from "../../sandbox/world/records.js";
import type { World } from "../../sandbox/world/world.js";
import { flawOf } from "./bots.js";
import type { BotFacts } from "./bots.js";
import type { Picture } from "./facts.js";
import type { Plan } from "./plan.js";

export interface Scenery {
  readonly plan: Plan;
  readonly world: World;
  readonly pullRequest: PullRequestRecord;
  readonly viewer: string;
  readonly bots: readonly BotFacts[];
  readonly greenTrees: ReadonlySet<string>;
  /** Points in bodies that a recorded decision closed without a word. */
  readonly recorded: ReadonlySet<string>;
}

const isOurPost = (scenery: Scenery, post: { readonly author: string; readonly body: string }): boolean =>
  post.author === scenery.viewer && post.body.includes("<!-- reviewloop:1 ");

const botsUnmet = (scenery: Scenery, staleHolds = true): readonly string[] => {
  const { plan, pullRequest, bots, world } = scenery;
  const head = pullRequest.head.sha;
  return bots.flatMap((bot) => {
    const required = plan.required && bot.plan.present;
    if (!required && !bot.seen) return [];
    if (!required && (bot.gaveUp.has(head) || (bot.voice.asked === "push" && bot.scores.get(head) === undefined))) return [];
    if (!required && pullRequest.draft && !bot.voice.reviewsDrafts) return [];
    const score = bot.scores.get(head);
    // A completed review that its bot took back by editing is told by what it says now.
    const said =
      pullRequest.comments.some((post) => post.author === bot.voice.login && post.body.includes(head)) ||
      pullRequest.reviews.some((review) => review.author === bot.voice.login && review.commit === head);
    // Where no round is left, whoever reviewed an older head is not asked again.
    if (!staleHolds && score === undefined && bot.scores.size > 0) return [];
    if (score === undefined || !said) return [`${bot.voice.login} has not reviewed ${head.slice(0, 7)}`];
    return score === 5 ? [] : [`${bot.voice.login} gives ${score}`, ...(world.now() < 0 ? ["never"] : [])];
  });
};

const pointsUnmet = (scenery: Scenery): readonly string[] => {
  const { pullRequest, recorded } = scenery;
  const answered = (thread: string): boolean =>
    recorded.has(thread) ||
    pullRequest.comments.some((comment) => isOurPost(scenery, comment) && comment.body.includes(`"t":${JSON.stringify(thread)}`));
  const asked = pullRequest.comments.filter(
    (comment) => comment.author === "grace" && comment.body.includes("?") && !comment.body.includes("reviewloop:"),
  );
  return asked.filter((comment) => !answered(`comment:${comment.databaseId}`)).map((comment) => `nobody answered: ${comment.body}`);
};

const visibleThreads = ({ pullRequest }: Scenery) =>
  pullRequest.threads.filter((thread) => thread.comments.some((comment) => comment.state === "SUBMITTED"));

/** Is no round left? Heads are counted from what was pushed. */
const roundsSpent = ({ plan, world }: Scenery): boolean => {
  const heads = new Set(world.log.flatMap((event) => (event.type === "pushed" && event.pullRequest !== undefined ? [event.after] : [])));
  return heads.size + 1 >= plan.handover.rounds;
};

/** Has a rule of the target ended the rounds, so that points of bots are no longer waited for? */
const roundsOver = (scenery: Scenery): boolean => {
  const { plan, pullRequest } = scenery;
  if (roundsSpent(scenery)) return true;
  const open = pullRequest.threads.filter((thread) => !thread.resolved && thread.comments[0]?.author !== "grace");
  const truth = (body: string): string | undefined => plan.flaws.find((flaw) => flaw.number === flawOf(body))?.truth;
  return open.every((thread) => truth(thread.comments[0]?.body ?? "") === "nitpick");
};

const handoverUnmet = (scenery: Scenery): readonly string[] => {
  const { pullRequest, world } = scenery;
  const isPerson = (thread: { readonly comments: readonly { readonly author: string }[] }): boolean =>
    ["grace", "mallory"].includes(thread.comments[0]?.author ?? "");
  const threads = visibleThreads(scenery).filter((thread) => !thread.resolved && (isPerson(thread) || !roundsOver(scenery)));
  const runs = world.checksOf(pullRequest.repository, pullRequest.head.sha).toSorted((one, other) => one.createdAt - other.createdAt);
  // Of several runs of a check the newest tells.
  const checks = [...new Map(runs.map((check) => [check.name, check])).values()].filter((check) => check.conclusion === "FAILURE");
  return [
    ...threads.map((thread) => `open: ${thread.comments[0]?.body ?? thread.id}`),
    ...pointsUnmet(scenery),
    ...(scenery.plan.required ? botsUnmet(scenery, !roundsSpent(scenery)) : []),
    ...checks.map((check) => `red: ${check.name}`),
    ...(["DIRTY", "BEHIND"].includes(world.settledMergeView(pullRequest).mergeState) ? ["it can't be merged"] : []),
  ];
};

export const pictureOf = (scenery: Scenery): Picture => {
  const { plan, pullRequest, world, greenTrees } = scenery;
  const unmet: string[] = [];
  const notReady = plan.target === "draft-to-ready" ? handoverUnmet(scenery) : ["this target hands nothing over"];
  if (plan.target === "draft-to-ready") unmet.push(...notReady);
  else if (plan.target !== "open-for-review") {
    for (const thread of visibleThreads(scenery)) if (!thread.resolved) unmet.push(`open: ${thread.comments[0]?.body ?? thread.id}`);
    unmet.push(...pointsUnmet(scenery), ...botsUnmet(scenery));
  } else if (plan.gate !== "off") {
    const tree = world.git.commit(pullRequest.repository, pullRequest.head.sha)?.tree ?? "";
    if (!greenTrees.has(tree)) unmet.push("no green gate on the head's tree");
  }
  if (plan.target !== "review-clean") {
    if (pullRequest.draft) unmet.push("a draft");
    if (plan.target === "merge-ready" && ["DIRTY", "BEHIND", "BLOCKED"].includes(world.settledMergeView(pullRequest).mergeState))
      unmet.push("it can't be merged");
  }
  if (pullRequest.state !== "open" || pullRequest.locked) unmet.push("closed or locked");
  const unanswered = new Set(
    visibleThreads(scenery)
      .filter((thread) => {
        const spoken = thread.comments.filter(
          (comment) => comment.state === "SUBMITTED" && !(comment.body.startsWith("Acknowledged") && comment.author.endsWith("-review")),
        );
        const last = spoken.at(-1);
        return last === undefined || !isOurPost(scenery, last);
      })
      .map((thread) => thread.id),
  );
  return { head: pullRequest.head.sha, unmet, notReady, unanswered };
};
