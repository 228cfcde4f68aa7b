/** A bad day as data, drawn from a seed: who is there, what is wrong, what goes wrong, and when. */
import { randomFrom } from "../../sandbox/scenes/random.js";
import type { Random } from "../../sandbox/scenes/random.js";
import type { FaultName } from "../../sandbox/kit/index.js";

/** What is right to do about a flaw, and how the scripted agent goes about it. */
export const TRUTHS = [
  "fixes",
  "refutes",
  "explains",
  "nitpick",
  "judgment",
  "cannot-fix",
  "lies",
  "breaks-gate",
  "touches-protected",
  "nasty-reply",
  "silent",
] as const;
export type Truth = (typeof TRUTHS)[number];

export interface Flaw {
  readonly number: number;
  readonly path: string;
  readonly truth: Truth;
  /** Name of the bot that reports it, or a person's login. */
  readonly by: string;
}

export const BOTS = ["acme", "nova", "echo"] as const;
export type BotName = (typeof BOTS)[number];

export interface BotPlan {
  readonly name: BotName;
  readonly delay: number;
  /** Stands on the pull request when the first run begins. */
  readonly present: boolean;
  /** Says for its first head or for all heads that it has no quota left. */
  readonly quota: "none" | "first" | "always";
  /** Speaks up after an answer: acknowledges, insists once, opens the thread again. */
  readonly manner: "quiet" | "acknowledges" | "insists" | "reopens";
  /** Edits the first message of one of its threads in place, so long after the start. */
  readonly edits: number | undefined;
}

export const OUTSIDE = [
  "other-push",
  "author-push",
  "base-push",
  "base-conflict",
  "close",
  "lock",
  "draft",
  "pending-review",
  "queue",
  "merge",
  "person-thread",
  "person-comment",
  "stranger-thread",
  "copied-marker",
  "delete-comment",
  "unresolve",
  "rename-title",
  "person-trigger",
] as const;
export type OutsideKind = (typeof OUTSIDE)[number];
export interface Outside {
  readonly kind: OutsideKind;
  readonly at: number;
}

export const EFFECTS = ["append-before", "append-after", "forge-before", "forge-after", "git-before", "git-after"] as const;
export type Effect = (typeof EFFECTS)[number];
export interface Crash {
  readonly effect: Effect;
  /** The k-th of its kind in that process. */
  readonly number: number;
  /** Milliseconds until it is started again. */
  readonly pause: number;
  readonly loses: boolean;
}

export interface FaultPlan {
  readonly name: FaultName;
  readonly options: unknown;
}

export type Mode = "run" | "park" | "unapproved-first" | "plan-first" | "look-first" | "abort" | "two-at-once";

export interface Plan {
  readonly seed: number;
  readonly flaws: readonly Flaw[];
  readonly bots: readonly BotPlan[];
  /** Do the bots speak a plain grammar, or as Greptile, Copilot and Devin do? */
  readonly voices: "plain" | "vendors";
  readonly people: readonly ("answers" | "insists" | "away" | "resolves")[];
  /** Grace's words in the conversation, before the first run. */
  readonly asks: number;
  readonly gate: "command" | "off" | "none" | "flaky" | "red-at-first" | "red-for-good" | "missing";
  readonly gateTakes: number;
  readonly target: "review-clean" | "merge-ready" | "open-for-review" | "draft-to-ready";
  /** Of `draft-to-ready`: no further round after so many heads, and whether what is left becomes an issue. */
  readonly handover: { readonly rounds: number; readonly followUp: "issue" | false };
  readonly sync: "none" | "merge" | "rebase";
  readonly nitpicks: "answer" | "fix" | "leave";
  readonly peopleResolve: "leave" | "after-reply";
  readonly peopleWait: boolean;
  readonly settle: number;
  readonly limits: { readonly iterations?: number; readonly tokens?: number; readonly replies: number; readonly activeTime: number };
  readonly viewer: "author" | "maintainer" | "reader" | "bot";
  readonly pushAny: boolean;
  readonly draft: boolean;
  readonly required: boolean;
  readonly agent: "good" | "fails-once" | "fails" | "none";
  readonly ci: "none" | "green" | "red" | "slow";
  readonly outside: readonly Outside[];
  readonly faults: readonly FaultPlan[];
  /** One more fault: of those that change the world itself, or what it shows of it. */
  readonly odd: FaultName | undefined;
  readonly crashes: readonly Crash[];
  readonly jumps: readonly { readonly at: number; readonly by: number }[];
  readonly mode: Mode;
  readonly abortAt: number;
}

const some = <T>(random: Random, most: number, make: () => T): readonly T[] => Array.from({ length: random.between(0, most) }, make);

const faultOf = (random: Random): FaultPlan => {
  const kth = (): number[] => [random.between(1, 8), random.between(1, 14)];
  const field = (): string => random.pick(["reviewThreads", "reviews", "comments", "reviewRequests", "contexts", "threadComments"]);
  return random.pick<() => FaultPlan>([
    () => ({ name: "lost-answer", options: { writes: kth() } }),
    () => ({ name: "bad-gateway-before", options: { writes: kth() } }),
    () => ({ name: "bad-gateway-after", options: { writes: kth() } }),
    () => ({ name: "bad-gateway-read", options: { reads: [...kth(), ...kth()] } }),
    () => ({
      name: "secondary-rate-limit",
      options: { writes: kth(), ...(random.chance(0.5) ? {} : { retryAfter: random.between(1, 90) }) },
    }),
    () => ({ name: "primary-rate-limit", options: { reads: kth(), resetAfter: random.between(1, 3_600) * 1000 } }),
    () => ({ name: "null-connection", options: { field: field(), reads: [random.between(1, 20)] } }),
    () => ({ name: "null-node", options: { field: field(), reads: [random.between(1, 20)] } }),
    () => ({
      name: "partial-alias-failure",
      options: { positions: [random.between(1, 3)], type: random.pick(["FORBIDDEN", "NOT_FOUND"]) },
    }),
    () => ({ name: "review-request-dropped", options: {} }),
    () => ({ name: "resolve-without-effect", options: {} }),
    () => ({ name: "merge-state-unknown", options: { reads: random.between(1, 4) } }),
    () => ({ name: "no-checks-yet", options: { milliseconds: random.between(1, 60) * 1000 } }),
    () => ({ name: "slow-reviewer", options: { milliseconds: random.between(1, 900) * 1000 } }),
    () => ({ name: "silent-reviewer", options: random.chance(0.5) ? {} : { bot: random.pick(BOTS) } }),
  ])();
};

/** Their options are drawn from the seed, by the table that the sandbox has of them. */
export const ODD: readonly FaultName[] = [
  "token-cannot-resolve",
  "thread-appears",
  "head-moves",
  "reopens-resolved",
  "replies-after-resolve",
  "ready-wakes-reviewers",
  "merge-state-stale",
  "merge-state-sticky",
  "merge-queue",
  "required-check-missing",
  "duplicate-checks",
  "status-beside-check",
  "ghost-author",
  "foreign-thread",
  "many-threads",
  "many-comments",
  "odd-places",
  "request-hidden",
  "request-ends-early",
  "run-needs-approval",
  "pending-review",
  "same-second-edits",
];

/** Nothing goes wrong from outside: the same day without its faults and crashes must end in the same world. */
export const isQuiet = (plan: Plan): boolean => plan.outside.length === 0 && plan.jumps.length === 0 && plan.odd === undefined;

export const planOf = (seed: number): Plan => {
  const random = randomFrom(seed);
  const wild = random.chance(0.6);
  const bots = BOTS.filter(() => random.chance(0.6)).map((name): BotPlan => ({
    name,
    delay: random.pick([5, 900, 8_000, 30_000, 30_000, 120_000, wild ? 400_000 : 60_000]),
    present: random.chance(0.9),
    quota: random.pick(["none", "none", "none", "none", "first", "always"]),
    manner: random.pick(["quiet", "quiet", "acknowledges", "insists", "reopens"]),
    edits: wild && random.chance(0.2) ? random.between(1, 300) * 1000 : undefined,
  }));
  const reporters = [...bots.filter((bot) => bot.present).map((bot) => bot.name as string), ...(random.chance(0.35) ? ["grace"] : [])];
  const simple = random.chance(0.3);
  const truth = (): Truth =>
    simple ? random.pick(["fixes", "refutes", "explains"]) : random.pick(["fixes", "fixes", "fixes", "refutes", ...TRUTHS]);
  const flaws =
    reporters.length === 0
      ? []
      : Array.from({ length: random.pick([1, 1, 2, 3, 4, 6, random.chance(0.06) ? 24 : 5]) }, (_, index): Flaw => ({
          number: index + 1,
          path: random.pick(["src/a.ts", "src/b.ts", "lib/c.ts"]),
          truth: truth(),
          by: random.pick(reporters),
        }));
  const crashy = random.chance(0.5);
  const plan: Plan = {
    seed,
    flaws,
    bots,
    people: reporters.includes("grace") ? [random.pick(["answers", "insists", "away", "resolves"])] : [],
    asks: random.chance(0.25) ? random.between(1, 2) : 0,
    gate: random.chance(0.7) ? "command" : random.pick(["off", "none", "flaky", "red-at-first", "red-at-first", "red-for-good", "missing"]),
    gateTakes: random.pick([0, 0, 1_000, 40_000]),
    target: random.pick(["review-clean", "review-clean", "review-clean", "merge-ready", "open-for-review"]),
    sync: random.pick(["none", "none", "merge", "rebase"]),
    nitpicks: random.pick(["answer", "answer", "fix", "leave"]),
    peopleResolve: random.pick(["leave", "leave", "after-reply"]),
    peopleWait: random.chance(0.25),
    settle: random.pick([0, 5_000, 30_000]),
    limits: {
      replies: 3,
      activeTime: 8 * 3_600_000,
      ...(random.chance(0.1) ? { iterations: random.between(1, 3) } : {}),
      ...(random.chance(0.06) ? { tokens: random.between(1, 300) } : {}),
    },
    viewer: random.pick(["author", "author", "author", "author", "maintainer", "bot", wild ? "reader" : "author"]),
    pushAny: random.chance(0.5),
    draft: random.chance(0.12),
    required: random.chance(0.3),
    agent: random.pick(["good", "good", "good", "good", "good", "fails-once", wild ? "fails" : "good", wild ? "none" : "good"]),
    ci: random.pick(["none", "none", "green", "red", "slow"]),
    outside: wild ? some(random, 3, () => ({ kind: random.pick(OUTSIDE), at: random.between(0, 400) * 500 })) : [],
    faults: random.chance(0.6) ? some(random, 3, () => faultOf(random)) : [],
    crashes: crashy
      ? some(random, 3, () => ({
          effect: random.pick([...EFFECTS, "append-before", "append-after", "forge-before", "forge-after"]),
          number: random.between(1, random.pick([2, 6, 14, 40])),
          pause: random.pick([0, 2_000, 45_000, 600_000, wild ? 2 * 86_400_000 : 1_000]),
          loses: random.chance(0.12),
        }))
      : [],
    jumps: wild
      ? some(random, 2, () => ({
          at: random.between(1, 400) * 1000,
          by: random.pick([5_000, 3_600_000, 30 * 3_600_000, -4_000, -3_600_000]),
        }))
      : [],
    mode: random.pick([
      "run",
      "run",
      "run",
      "run",
      "run",
      "park",
      "park",
      "unapproved-first",
      "plan-first",
      "look-first",
      wild ? "abort" : "run",
      "two-at-once",
    ]),
    abortAt: 5_000 + random.between(0, random.pick([20, 200])) * 350,
    handover: { rounds: 6, followUp: false },
    voices: "plain",
    odd: undefined,
  };
  const voices = random.pick<Plan["voices"]>(["plain", "vendors"]);
  const odd = random.chance(0.2) ? random.pick(ODD) : undefined;
  if (!random.chance(0.2)) return { ...plan, voices, odd };
  const handover = { rounds: random.pick([2, 3, 6]), followUp: random.pick<"issue" | false>(["issue", false]) };
  return {
    ...plan,
    voices,
    odd,
    target: "draft-to-ready",
    handover,
    draft: random.chance(0.85),
    nitpicks: random.pick(["leave", "leave", "answer"]),
  };
};

/** A day on which nothing happens; a test lays over it what it is about. */
export const stillDay = (laid: Partial<Plan> = {}): Plan => ({
  seed: 0,
  flaws: [],
  bots: [],
  voices: "plain",
  odd: undefined,
  people: [],
  asks: 0,
  gate: "command",
  gateTakes: 0,
  target: "review-clean",
  handover: { rounds: 6, followUp: false },
  sync: "none",
  nitpicks: "answer",
  peopleResolve: "leave",
  peopleWait: false,
  settle: 0,
  limits: { replies: 3, activeTime: 8 * 3_600_000 },
  viewer: "author",
  pushAny: true,
  draft: false,
  required: false,
  agent: "good",
  ci: "none",
  outside: [],
  faults: [],
  crashes: [],
  jumps: [],
  mode: "run",
  abortAt: 0,
  ...laid,
});
