/**
 * How the bots of a simulated day speak: in a plain grammar of their own, or as Greptile, Copilot and Devin do, read by the project's own
 * plugins. What they find, when they look and how they behave is the same.
 */
import { defineReviewer } from "../../core/index.js";
import type { Blocker, BodyReading, Plugin, Post, Signal } from "../../core/index.js";
import { copilot, devin, greptile } from "../../plugins/reviewers/index.js";
import { BODIES, fill } from "../../sandbox/reviewers/index.js";
import type { PullRequestRecord, ThreadRecord } from "../../sandbox/world/records.js";
import type { World } from "../../sandbox/world/world.js";
import type { BotName, Flaw, Plan } from "./plan.js";

/** One review as it is about to be posted. */
export interface Looked {
  readonly world: World;
  readonly pullRequest: PullRequestRecord;
  readonly head: string;
  readonly score: number;
  /** Not told before: each becomes a thread. */
  readonly fresh: readonly Flaw[];
  /** Told in the text alone. */
  readonly listed: readonly Flaw[];
  /** Told before, still there, its thread still open. */
  readonly standing: readonly { readonly flaw: Flaw; readonly thread: ThreadRecord }[];
  readonly lineOf: (flaw: Flaw) => number | undefined;
  readonly keep: (flaw: Flaw, thread: ThreadRecord) => void;
  /** The one comment that is edited in place, where the bot has one. */
  readonly sticky: { id?: string };
}

export interface Voice {
  readonly login: string;
  readonly plugin: (required: boolean) => Plugin;
  readonly asked: "comment" | "review-request" | "push";
  readonly trigger?: string;
  readonly reviewsDrafts: boolean;
  /** Does it give a score? */
  readonly scores: boolean;
  readonly listsOnly: (flaw: Flaw) => boolean;
  readonly post: (looked: Looked) => void;
  /** Undefined: it has no such notice. */
  readonly quota?: (looked: Pick<Looked, "world" | "pullRequest" | "head" | "sticky">) => void;
  /** What it says where it is content with an answer. */
  readonly acknowledgement?: string;
}

const never = (): boolean => false;
const even = (flaw: Flaw): boolean => flaw.number % 2 === 0;
const titleOf = (flaw: Flaw): string => `v${flaw.number} is off by one`;
const TEXT = "It must compare with <.";

const inPlace = ({ world, pullRequest, sticky }: Pick<Looked, "world" | "pullRequest" | "sticky">, login: string, body: string): void => {
  if (sticky.id === undefined) sticky.id = world.comment(login, pullRequest, body).id;
  else world.editComment(login, { id: sticky.id }, body);
};

/** A review whose comments come with it; its body is made once their numbers are known. */
const reviewed = (
  login: string,
  looked: Looked,
  bodyOf: (flaw: Flaw) => string,
  body: (threads: readonly ThreadRecord[]) => string,
): void => {
  const { world, pullRequest, head, fresh, lineOf, keep } = looked;
  const comments = fresh.map((flaw) => ({ path: flaw.path, line: lineOf(flaw) ?? 1, body: bodyOf(flaw) }));
  const review = world.review(login, pullRequest, { state: "PENDING", commit: head, comments });
  const threads = pullRequest.threads.filter((thread) => thread.comments[0]?.review === review.id);
  for (const [index, thread] of threads.entries()) {
    const flaw = fresh[index];
    if (flaw !== undefined) keep(flaw, thread);
  }
  world.submitReview(login, review, { state: "COMMENTED", body: body(threads) });
};

// ---------------------------------------------------------------- the plain grammar

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

const plain = (name: BotName): Voice => {
  const login = `${name}-review`;
  const say = (looked: Pick<Looked, "world" | "pullRequest" | "head" | "sticky">, body: string): void => {
    if (name === "acme") inPlace(looked, login, body);
    else looked.world.review(login, looked.pullRequest, { state: "COMMENTED", body, commit: looked.head });
  };
  return {
    login,
    plugin: (required) => FACTORIES[name]({ required }),
    asked: name === "acme" ? "comment" : name === "nova" ? "review-request" : "push",
    ...(name === "nova" ? {} : { trigger: name === "acme" ? "@acme review" : "@echo look" }),
    reviewsDrafts: name !== "acme",
    scores: true,
    listsOnly: name === "echo" ? even : never,
    post: (looked) => {
      const { world, pullRequest, fresh, listed, lineOf, keep, score, head } = looked;
      for (const flaw of fresh) {
        const line = lineOf(flaw);
        const body = `v${flaw.number} is off by one: it must compare with <.`;
        keep(flaw, world.addThread(login, pullRequest, { path: flaw.path, body, ...(line === undefined ? {} : { line }) }));
      }
      const points = listed.map((flaw) => `- [${flaw.path}] ${titleOf(flaw)}`).join("\n");
      say(looked, `${name} score ${score}/5 for ${head}${points === "" ? "" : `\n\n${points}`}`);
    },
    quota: (looked) => say(looked, `${name} has no quota left for ${looked.head}`),
    acknowledgement: "Acknowledged, thank you.",
  };
};

// ---------------------------------------------------------------- as the real ones speak

const asGreptile = (): Voice => {
  const words = BODIES.greptile;
  const valuesOf = (flaw: Flaw, lineOf: Looked["lineOf"]) => ({
    title: titleOf(flaw),
    text: TEXT,
    path: flaw.path,
    lines: lineOf(flaw) ?? 1,
    badge: words.badge.high,
    badgeFile: words.badge.high.toLowerCase(),
    suggestion: "",
  });
  const trigger = "@greptile-apps review";
  return {
    login: words.login,
    plugin: (required) => greptile({ required }),
    asked: "comment",
    trigger,
    reviewsDrafts: false,
    scores: true,
    listsOnly: even,
    post: (looked) => {
      const { world, pullRequest, head, score, listed, lineOf } = looked;
      if (looked.fresh.length > 0)
        reviewed(
          words.login,
          looked,
          (flaw) => fill(words.thread, valuesOf(flaw, lineOf)),
          () => "",
        );
      const left = [...listed, ...looked.fresh, ...looked.standing.map(({ flaw }) => flaw)];
      const items = left.map((flaw, index) =>
        fill(words.promptItem, {
          position: index + 1,
          count: left.length,
          place: `${flaw.path}:${lineOf(flaw) ?? 1}`,
          ...valuesOf(flaw, lineOf),
        }),
      );
      const outside = listed.map((flaw, index) =>
        fill(words.outsideItem, { position: index + 1, link: `#L${lineOf(flaw) ?? 1}`, ...valuesOf(flaw, lineOf) }),
      );
      const body = fill(words.v1.summary, {
        lead: words.lead,
        score,
        verdict: words.verdicts[String(score) as keyof typeof words.verdicts],
        attention: words.noAttention,
        table: "",
        outside: outside.length === 0 ? "" : `${fill(words.outside, { count: outside.length, items: outside.join("\n") })}\n`,
        prompt:
          items.length === 0
            ? ""
            : `${fill(words.v1.prompt, { count: items.length, s: items.length === 1 ? "" : "s", items: items.join("\n") })}\n`,
        run: 1,
        subject: "Lines",
        commitUrl: `https://${world.host}/${pullRequest.repository}/commit/${head}`,
        id: pullRequest.databaseId,
      });
      inPlace(looked, words.login, body);
    },
    quota: ({ world, pullRequest, head }) =>
      void world.review(words.login, pullRequest, { state: "COMMENTED", body: words.quota, commit: head }),
  };
};

const asCopilot = (): Voice => {
  const words = BODIES.copilot;
  const picture = fill(words.picture, { severity: words.severity.medium, file: words.severity.medium.toLowerCase() });
  return {
    login: words.login,
    plugin: (required) => copilot({ required }),
    asked: "review-request",
    reviewsDrafts: true,
    scores: false,
    listsOnly: never,
    post: (looked) => {
      const textOf = (flaw: Flaw): string => fill(words.thread, { nit: "", text: `${titleOf(flaw)}: ${TEXT}`, suggestion: "" });
      reviewed(words.login, looked, textOf, (threads) => {
        const open = [
          ...looked.standing,
          ...threads.flatMap((thread, index) => {
            const flaw = looked.fresh[index];
            return flaw === undefined ? [] : [{ flaw, thread }];
          }),
        ];
        const items = open.map(({ flaw, thread }) =>
          fill(words.item, { picture, title: titleOf(flaw), id: thread.comments[0]?.databaseId ?? 0, fresh: "" }),
        );
        const state = open.length === 0 ? "clean" : "found";
        return fill(words.overview, {
          verdict: words.verdicts[state],
          lead: words.leads[state],
          findings: open.length === 0 ? "None" : `${open.length} ${picture}`,
          open: items.length === 0 ? "" : fill(words.openList, { count: items.length, items: items.join("\n") }),
          resolved: "",
          title: "Lines.",
          table: "",
        });
      });
    },
    quota: ({ world, pullRequest, head }) =>
      void world.review(words.login, pullRequest, { state: "COMMENTED", body: words.quota, commit: head }),
  };
};

const asDevin = (): Voice => {
  const words = BODIES.devin;
  return {
    login: words.login,
    plugin: (required) => devin({ required }),
    asked: "push",
    trigger: "/devin review",
    reviewsDrafts: false,
    scores: false,
    listsOnly: never,
    post: (looked) => {
      const badge = fill(words.badge, { repository: looked.pullRequest.repository, number: looked.pullRequest.number });
      const textOf = (flaw: Flaw): string =>
        fill(words.thread, {
          data: JSON.stringify({ id: `BUG_${flaw.number}`, file_path: flaw.path }),
          mark: words.mark.high,
          title: titleOf(flaw),
          text: TEXT,
          path: flaw.path,
          lines: looked.lineOf(flaw) ?? 1,
          suggestion: "",
          badge,
        });
      reviewed(words.login, looked, textOf, (threads) =>
        threads.length === 0
          ? fill(words.clean, { badge })
          : fill(words.found, { count: threads.length, fresh: "", s: threads.length === 1 ? "" : "s", hidden: "", badge }),
      );
    },
  };
};

const VENDORS: Readonly<Record<BotName, Voice>> = { acme: asGreptile(), nova: asCopilot(), echo: asDevin() };
const PLAIN: Readonly<Record<BotName, Voice>> = { acme: plain("acme"), nova: plain("nova"), echo: plain("echo") };

export const voiceOf = (plan: Pick<Plan, "voices">, name: BotName): Voice => (plan.voices === "vendors" ? VENDORS : PLAIN)[name];

/** All triggers there are, whoever speaks. */
export const TRIGGERS: readonly string[] = [...Object.values(PLAIN), ...Object.values(VENDORS)].flatMap(({ trigger }) => trigger ?? []);
