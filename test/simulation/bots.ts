/** Three reviewers, one for each way of asking, and Grace, a person: what they find and when they look. Flaws are lines `v7 <= 7`. */
import type { Plugin } from "../../core/index.js";
import type { PullRequestRecord, ThreadRecord } from "../../sandbox/world/records.js";
import { WorldError } from "../../sandbox/world/errors.js";
import type { World } from "../../sandbox/world/world.js";
import type { BotPlan, Flaw, Plan } from "./plan.js";
import { voiceOf } from "./voices.js";
import type { Voice } from "./voices.js";

export const reviewersOf = (plan: Plan): readonly Plugin[] =>
  plan.bots.map((bot) => voiceOf(plan, bot.name).plugin(plan.required && bot.present));

export const flawOf = (text: string): number | undefined => {
  const found = /\bv(\d+)\b/.exec(text);
  return found === null ? undefined : Number(found[1]);
};
export const flawed = (text: string, flaw: Flaw): boolean => new RegExp(`^v${flaw.number} <= `, "m").test(text);

/** What a bot really did, for the checks: kept by the bot itself, never read by the product. */
export interface BotFacts {
  readonly plan: BotPlan;
  readonly voice: Voice;
  /** Score by head of each review it completed. */
  readonly scores: Map<string, number>;
  readonly gaveUp: Set<string>;
  seen: boolean;
  /** Heads that it works on now. */
  readonly working: Set<string>;
}

export interface Cast {
  readonly bots: readonly BotFacts[];
  /** Runs an act of somebody's; what the world refuses is nothing. */
  act(act: () => void): void;
}

export const castOf = (plan: Plan, world: World, pullRequest: PullRequestRecord, act: Cast["act"]): Cast => {
  const text = (path: string): string =>
    world.git.fileAt(pullRequest.head.repository ?? pullRequest.repository, pullRequest.head.sha, path) ?? "";
  const later = (milliseconds: number, what: () => void): void => void world.after(milliseconds, () => act(what));
  const live = (): boolean => pullRequest.state === "open" && !pullRequest.locked;
  const threads = new Map<number, ThreadRecord>();
  const lineOf = (flaw: Flaw): number | undefined => {
    const at = text(flaw.path)
      .split("\n")
      .findIndex((line) => line.startsWith(`v${flaw.number} <= `));
    return at === -1 ? undefined : at + 1;
  };

  const bots = plan.bots.map((bot): BotFacts => {
    const facts: BotFacts = {
      plan: bot,
      voice: voiceOf(plan, bot.name),
      scores: new Map(),
      gaveUp: new Set(),
      seen: false,
      working: new Set(),
    };
    const { voice } = facts;
    const { login } = voice;
    const mine = plan.flaws.filter((flaw) => flaw.by === bot.name);
    const sticky: { id?: string } = {};
    let heads = 0;
    const review = (head: string): void => {
      facts.working.delete(head);
      if (!live() || head !== pullRequest.head.sha) return;
      heads += 1;
      if (voice.quota !== undefined && (bot.quota === "always" || (bot.quota === "first" && heads === 2))) {
        facts.seen = true;
        voice.quota({ world, pullRequest, head, sticky });
        facts.gaveUp.add(head);
        return;
      }
      const wrong = mine.filter((flaw) => flawed(text(flaw.path), flaw));
      const fresh = wrong.filter((flaw) => !threads.has(flaw.number) && !voice.listsOnly(flaw));
      const standing = wrong.flatMap((flaw) => {
        const thread = threads.get(flaw.number);
        return thread === undefined || thread.resolved ? [] : [{ flaw, thread }];
      });
      // A point that was answered and resolved holds no score back: the bot lets itself be told.
      const bad = wrong.filter((flaw) => flaw.truth === "fixes" && threads.get(flaw.number)?.resolved !== true);
      const score = bad.length === 0 ? 5 : 2;
      facts.seen = true;
      const keep = (flaw: Flaw, thread: ThreadRecord): void => void threads.set(flaw.number, thread);
      voice.post({ world, pullRequest, head, score, fresh, listed: wrong.filter(voice.listsOnly), standing, lineOf, keep, sticky });
      facts.scores.set(head, voice.scores ? score : 5);
    };
    const start = (): void => {
      const head = pullRequest.head.sha;
      const { silent, delay } = world.faults.reviewer(login);
      if (silent || facts.working.has(head)) return;
      facts.working.add(head);
      later(bot.delay + delay, () => review(head));
    };
    if (bot.present) act(() => review(pullRequest.head.sha));
    world.subscribe((event) => {
      if (event.type === "commented" && voice.trigger !== undefined && event.body.startsWith(voice.trigger)) start();
      if (event.type === "review-requested" && event.login === login) start();
      if (event.type === "pushed" && event.pullRequest !== undefined && voice.asked === "push" && bot.present) start();
      if (event.type === "replied" && event.actor !== login && event.thread.comments[0]?.author === login) {
        const { thread } = event;
        const own = thread.comments.filter((comment) => comment.author === login).length;
        const { acknowledgement } = voice;
        if (bot.manner === "acknowledges" && own < 3 && acknowledgement !== undefined)
          later(4_000, () => void world.replyToThread(login, thread, acknowledgement));
        if (bot.manner === "insists" && own === 1)
          later(9_000, () => void world.replyToThread(login, thread, `I still think that this is wrong, ${thread.comments[0]?.body}`));
      }
      if (event.type === "resolved" && event.actor !== login && bot.manner === "reopens" && event.thread.comments[0]?.author === login) {
        const { thread } = event;
        if (thread.comments.filter((comment) => comment.author === login).length === 1)
          later(6_000, () => {
            world.replyToThread(login, thread, `Not yet: ${thread.comments[0]?.body ?? ""}`);
            world.unresolve(login, thread);
          });
      }
    });
    if (bot.edits !== undefined)
      later(bot.edits, () => {
        const flaw = mine.find((each) => threads.has(each.number));
        const root = flaw === undefined ? undefined : threads.get(flaw.number)?.comments[0];
        if (root !== undefined) world.editComment(login, root, `${root.body} Both bounds, in fact.`);
      });
    return facts;
  });

  grace(plan, world, pullRequest, { act, later, lineOf });
  return { bots, act };
};

interface Around {
  readonly act: Cast["act"];
  readonly later: (milliseconds: number, what: () => void) => void;
  readonly lineOf: (flaw: Flaw) => number | undefined;
}

const grace = (plan: Plan, world: World, pullRequest: PullRequestRecord, { act, later, lineOf }: Around): void => {
  for (const flaw of plan.flaws.filter((each) => each.by === "grace")) {
    const line = lineOf(flaw);
    act(
      () =>
        void world.addThread("grace", pullRequest, {
          path: flaw.path,
          body: `Should v${flaw.number} not compare with <?`,
          ...(line === undefined ? {} : { line }),
        }),
    );
  }
  for (let index = 0; index < plan.asks; index += 1)
    act(() => void world.comment("grace", pullRequest, index === 0 ? "Could you say what this is for?" : "Why is there no test for it?"));
  const manner = plan.people[0];
  world.on("replied", (event) => {
    const { thread } = event;
    if (event.actor === "grace" || thread.comments[0]?.author !== "grace") return;
    const own = thread.comments.filter((comment) => comment.author === "grace").length;
    if (manner === "resolves") later(50_000, () => void world.resolve("grace", thread));
    if (manner === "answers" && own < 2) later(20_000, () => void world.replyToThread("grace", thread, "Thanks, that is clear."));
    if (manner === "insists" && own < 6)
      later(15_000, () => void world.replyToThread("grace", thread, `I don't agree. ${thread.comments[0]?.body ?? ""}`));
  });
};

export const refusedByWorld = (thrown: unknown): boolean => thrown instanceof WorldError;
