/** Three reviewers, one for each way of asking, as plugins and as bots of the world; and Grace, a person. Flaws are lines `v7 <= 7`. */
import { defineReviewer } from "../../core/index.js";
import type { Blocker, BodyReading, Plugin, Post, Signal } from "../../core/index.js";
import type { PullRequestRecord, ThreadRecord } from "../../sandbox/world/records.js";
import { WorldError } from "../../sandbox/world/errors.js";
import type { World } from "../../sandbox/world/world.js";
import type { BotName, BotPlan, Flaw, Plan } from "./plan.js";

const SUMMARY = /^(\w+) score (\d)\/5 for ([0-9a-f]{40})$/m;
const POINT = /^- \[([\w./]+)\] (v\d+ .+)$/gm;

const read = (post: Post): BodyReading => {
  if (post.source === "review_comment") return { findings: [] };
  const quota = /^\w+ has no quota left for ([0-9a-f]{40})$/m.exec(post.body);
  if (quota !== null) return { findings: [], signal: { state: "limited", reason: "quota", reviewedCommit: quota[1] ?? "" } };
  const score = SUMMARY.exec(post.body);
  if (score === null) return { findings: [], notAReview: true };
  const findings = [...post.body.matchAll(POINT)].map((found) => ({
    title: found[2] ?? "",
    body: found[2] ?? "",
    severity: "medium" as const,
    path: found[1] ?? "",
    stableId: (found[2] ?? "").split(" ")[0] ?? "",
  }));
  return {
    findings,
    covers: "full",
    signal: { state: "reviewed", score: { value: Number(score[2]), max: 5 }, reviewedCommit: score[3] ?? "" },
  };
};
const satisfied = (signal: Signal): readonly Blocker[] =>
  signal.score?.value === 5
    ? []
    : [
        {
          code: "score-low",
          by: signal.reviewer,
          detail: `${signal.reviewer} gives ${signal.score?.value ?? "no score"}`,
          lift: { who: "agent" },
        },
      ];

const common = (name: BotName) =>
  ({
    name,
    owns: { logins: [`${name}-review`], bot: true },
    rerun: true,
    wait: { poll: "10s", timeout: "10m", start: "3m" },
    body: read,
    satisfied,
    acknowledges: (message: { readonly body: string }) => message.body.startsWith("Acknowledged"),
  }) as const;

const FACTORIES = {
  acme: defineReviewer({ ...common("acme"), request: { by: "comment", text: "@acme review", collapse: true }, reviewsDrafts: false }),
  nova: defineReviewer({ ...common("nova"), request: { by: "review-request", login: "nova-review", bot: true }, reviewsDrafts: true }),
  echo: defineReviewer({ ...common("echo"), request: { by: "push", otherwise: { text: "@echo look" } }, reviewsDrafts: true }),
};
export const reviewersOf = (plan: Plan): readonly Plugin[] =>
  plan.bots.map((bot) => FACTORIES[bot.name]({ required: plan.required && bot.present }));

export const TRIGGERS: Readonly<Partial<Record<BotName, string>>> = { acme: "@acme review", echo: "@echo look" };

export const flawOf = (text: string): number | undefined => {
  const found = /\bv(\d+)\b/.exec(text);
  return found === null ? undefined : Number(found[1]);
};
export const flawed = (text: string, flaw: Flaw): boolean => new RegExp(`^v${flaw.number} <= `, "m").test(text);

/** What a bot really did, for the checks: kept by the bot itself, never read by the product. */
export interface BotFacts {
  readonly plan: BotPlan;
  readonly login: string;
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
      login: `${bot.name}-review`,
      scores: new Map(),
      gaveUp: new Set(),
      seen: false,
      working: new Set(),
    };
    const { login } = facts;
    const mine = plan.flaws.filter((flaw) => flaw.by === bot.name);
    let summary: { readonly id: string } | undefined;
    let heads = 0;
    const say = (head: string, body: string): void => {
      facts.seen = true;
      if (bot.name === "acme") {
        if (summary === undefined) summary = world.comment(login, pullRequest, body);
        else world.editComment(login, summary, body);
      } else world.review(login, pullRequest, { state: "COMMENTED", body, commit: head });
    };
    const review = (head: string): void => {
      facts.working.delete(head);
      if (!live() || head !== pullRequest.head.sha) return;
      heads += 1;
      if (bot.quota === "always" || (bot.quota === "first" && heads === 2)) {
        say(head, `${bot.name} has no quota left for ${head}`);
        facts.gaveUp.add(head);
        return;
      }
      const wrong = mine.filter((flaw) => flawed(text(flaw.path), flaw));
      const inBody: Flaw[] = [];
      for (const flaw of wrong) {
        if (threads.has(flaw.number)) continue;
        const line = lineOf(flaw);
        const body = `v${flaw.number} is off by one: it must compare with <.`;
        if (bot.name === "echo" && flaw.number % 2 === 0) inBody.push(flaw);
        else
          threads.set(flaw.number, world.addThread(login, pullRequest, { path: flaw.path, body, ...(line === undefined ? {} : { line }) }));
      }
      const again = bot.name === "echo" ? wrong.filter((flaw) => flaw.number % 2 === 0) : inBody;
      // A point that was answered and resolved holds no score back: the bot lets itself be told.
      const bad = wrong.filter((flaw) => flaw.truth === "fixes" && threads.get(flaw.number)?.resolved !== true);
      const score = bad.length === 0 ? 5 : 2;
      const points = again.map((flaw) => `- [${flaw.path}] v${flaw.number} is off by one`).join("\n");
      say(head, `${bot.name} score ${score}/5 for ${head}${points === "" ? "" : `\n\n${points}`}`);
      facts.scores.set(head, score);
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
      if (event.type === "commented" && event.body.startsWith(TRIGGERS[bot.name] ?? "\u0000")) start();
      if (event.type === "review-requested" && event.login === login) start();
      if (event.type === "pushed" && event.pullRequest !== undefined && bot.name === "echo" && bot.present) start();
      if (event.type === "replied" && event.actor !== login && event.thread.comments[0]?.author === login) {
        const { thread } = event;
        const own = thread.comments.filter((comment) => comment.author === login).length;
        if (bot.manner === "acknowledges" && own < 3)
          later(4_000, () => void world.replyToThread(login, thread, "Acknowledged, thank you."));
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
