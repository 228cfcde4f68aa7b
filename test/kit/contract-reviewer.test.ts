/** The contract of reviewers: every built-in one keeps it, and each planted fault is caught by the case that is meant for it. */
import { describe, expect, test } from "vitest";
import { defineReviewer } from "../../core/index.js";
import type { Asks, Blocker, BodyReading, Ctx, Inbox, Message, Phase, Phases, Plugin, Post, ReviewerSpec } from "../../core/index.js";
import { builtinPlugins } from "../../plugins/index.js";
import { reviewerContract } from "../../sandbox/kit/index.js";
import type { ReviewerSamples } from "../../sandbox/kit/index.js";
import { failing } from "./failing.js";
import { SAMPLES } from "./reviewer-samples.js";

const reviewers = Object.entries(builtinPlugins).filter(([, factory]) => factory.kind === "reviewer");

test("every built-in reviewer has samples", () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(reviewers.map(([name]) => name).toSorted());
});

describe.each(reviewers)("%s", (name, factory) => {
  const cases = reviewerContract(factory, SAMPLES[name] ?? { reviewed: "never" });
  test.each(cases.map((each) => [each.name, each.run] as const))("%s", (_case, run) => run());
});

const CLEAN = /^Acme grade: ([A-D])(?: for ([0-9a-f]{40}))?$/m;
const read = (post: Post): BodyReading => {
  if (post.body === "Acme is looking") return { findings: [], signal: { state: "running" } };
  const grade = CLEAN.exec(post.body);
  if (grade === null) return { findings: [], notAReview: post.source !== "review_comment" };
  return {
    covers: "full",
    signal: {
      state: "reviewed",
      verdict: grade[1] === "A" ? "approve" : "needs-attention",
      ...(grade[2] === undefined ? {} : { reviewedCommit: grade[2] }),
    },
    findings: [...post.body.matchAll(/^- (.+)$/gm)].map(([line, title = ""]) => ({ title, body: line, severity: "high" })),
  };
};
const SOUND = {
  name: "acme",
  owns: { logins: ["acme-review"], bot: true },
  request: { by: "comment", text: "@acme review" },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "10s", timeout: "10m", start: "3m" },
  body: read,
  satisfied: (signal) =>
    signal.verdict === "approve" ? [] : [{ code: "grade-low", by: "acme", detail: "acme does not give an A", lift: { who: "agent" } }],
} as const satisfies ReviewerSpec<Record<never, never>>;
type Spec = ReviewerSpec<Record<never, never>>;
const sound = defineReviewer(SOUND);
type Factory = typeof sound;

const ACME: ReviewerSamples = {
  reviewed: (head) => `Acme grade: A for ${head}`,
  running: () => "Acme is looking",
  findings: (head) => `Acme grade: C for ${head}\n\n- The timer is never cleared`,
};
/** Names no commit: only the time binds it. */
const TIMED: ReviewerSamples = { reviewed: () => "Acme grade: A" };

const spec = (change: Partial<Spec>): Factory => defineReviewer({ ...SOUND, ...change });

type Handle<P extends Phase> = (
  next: (...args: Phases[P]["args"]) => Promise<Phases[P]["out"]>,
  ctx: Ctx,
  ...args: Phases[P]["args"]
) => unknown;
/** The sound one with other handlers around its own; `next` calls the own one, with another context where given. */
const around = (handlers: {
  readonly fetch?: (next: (inbox: Inbox) => Promise<Inbox>, inbox: Inbox) => unknown;
  readonly check?: Handle<"check">;
  readonly rerequest?: (next: (asks: Asks, inbox: Inbox, ctx: Ctx) => Promise<Asks>, asks: Asks, inbox: Inbox, ctx: Ctx) => unknown;
}): Factory => {
  const make = (options: Parameters<Factory>[0]): Plugin => {
    const plugin = sound(options);
    const on = plugin.on as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
    const own = async <T>(phase: string, ...args: readonly unknown[]): Promise<T> => (await on[phase]?.(...args)) as T;
    return {
      ...plugin,
      on: {
        ...on,
        ...(handlers.fetch === undefined
          ? {}
          : { fetch: (inbox: Inbox, ctx: Ctx) => handlers.fetch?.((given) => own("fetch", given, ctx), inbox) }),
        ...(handlers.check === undefined
          ? {}
          : {
              check: (given: readonly Blocker[], inbox: Inbox, ctx: Ctx) =>
                handlers.check?.((...args) => own("check", ...args, ctx), ctx, given, inbox),
            }),
        ...(handlers.rerequest === undefined
          ? {}
          : {
              rerequest: (asks: Asks, inbox: Inbox, ctx: Ctx) =>
                handlers.rerequest?.((a, i, c) => own("rerequest", a, i, c), asks, inbox, ctx),
            }),
      } as unknown as Plugin["on"],
    };
  };
  return Object.assign(make, { ...sound, pluginName: "acme", kind: "reviewer" as const });
};

const stateOf = (inbox: Inbox): string | undefined => inbox.signals.find((signal) => signal.reviewer === "acme")?.state;
const changedRequest = (change: (request: Asks["requests"][number], ctx: Ctx) => Asks["requests"][number]) =>
  around({
    rerequest: async (next, asks, inbox, ctx) => {
      const own = await next(asks, inbox, ctx);
      return { ...own, requests: own.requests.map((request) => change(request, ctx)) };
    },
  });
/** Reads and asks as if some comments were not there. */
const blindTo = (unseen: (message: Message, inbox: Inbox) => boolean) => {
  const without = (inbox: Inbox): Inbox => ({ ...inbox, comments: inbox.comments.filter((message) => !unseen(message, inbox)) });
  return around({
    fetch: async (next, inbox) => ({ ...(await next(without(inbox))), comments: inbox.comments }),
    rerequest: (next, asks, inbox, ctx) => next(asks, without(inbox), ctx),
  });
};

let count = 0;
const FAULTS: readonly (readonly [what: string, factory: Factory, name: string, says: RegExp, samples?: ReviewerSamples])[] = [
  [
    "everybody's threads are its own",
    around({
      fetch: async (next, inbox) => {
        const own = await next(inbox);
        return {
          ...own,
          threads: own.threads.map((thread) => (thread.source === "inline" && thread.open ? { ...thread, reviewer: "acme" } : thread)),
        };
      },
    }),
    "claims its own threads and nobody else's",
    /claims the thread of bob/,
  ],
  [
    "its own threads are nobody's",
    around({
      fetch: async (next, inbox) => {
        const own = await next(inbox);
        return {
          ...own,
          threads: own.threads.map(({ reviewer, ...thread }) =>
            thread.source === "inline" || reviewer === undefined ? thread : { ...thread, reviewer },
          ),
        };
      },
    }),
    "claims its own threads and nobody else's",
    /does not claim acme-review's thread/,
  ],
  [
    "a person with the bot's login is the bot",
    around({
      fetch: async (next, inbox) => {
        const asBot = (message: Message): Message =>
          message.author.login === "acme-review" ? { ...message, author: { ...message.author, kind: "bot" } } : message;
        return { ...(await next({ ...inbox, comments: inbox.comments.map(asBot) })), comments: inbox.comments };
      },
    }),
    "takes no person for its bot",
    /takes a person of the same login/,
  ],
  [
    "never content",
    spec({ satisfied: () => [{ code: "never", by: "acme", detail: "never", lift: { who: "person" } }] }),
    "its review of the head satisfies",
    /is not content with it.*never/,
  ],
  [
    "content without a sign",
    around({ check: (next, _ctx, given, inbox) => (stateOf(inbox) === "absent" ? given : next(given, inbox)) }),
    "no sign of it blocks",
    /content without any review/,
  ],
  [
    "a review is a review, of whatever head",
    around({ check: (next, _ctx, given, inbox) => (stateOf(inbox) === "reviewed" ? given : next(given, inbox)) }),
    "a review of an older head never satisfies",
    /older head/,
    { reviewed: ACME.reviewed },
  ],
  [
    "content while it runs",
    around({ check: (next, _ctx, given, inbox) => (stateOf(inbox) === "running" ? given : next(given, inbox)) }),
    "while it runs nothing is satisfied, and nothing is asked",
    /content while a review runs/,
  ],
  [
    "asks while it runs",
    around({
      rerequest: (next, asks, inbox, ctx) => next(asks, stateOf(inbox) === "running" ? { ...inbox, signals: [] } : inbox, ctx),
    }),
    "while it runs nothing is satisfied, and nothing is asked",
    /asks while a review runs/,
  ],
  [
    "asks twice",
    around({
      rerequest: async (next, asks, inbox, ctx) => {
        const own = await next(asks, inbox, ctx);
        return { ...own, requests: [...own.requests, ...own.requests] };
      },
    }),
    "asks once for a head",
    /asks 2 times/,
  ],
  ["never asks", around({ rerequest: (_next, asks) => asks }), "asks once for a head", /does not ask/],
  [
    "asks again after a while",
    around({
      rerequest: async (next, asks, inbox, ctx) => {
        const late = ctx.run.asked.some((asked) => ctx.clock.now() - asked.at > 120_000);
        if (!late) return next(asks, inbox, ctx);
        return next(asks, { ...inbox, comments: [], signals: [] }, { ...ctx, run: { ...ctx.run, asked: [] } });
      },
    }),
    "asks once for a head",
    /once a while has passed/,
  ],
  [
    "a new key each time",
    changedRequest((request) => ({ ...request, key: `request:${(count += 1)}` })),
    "asks once for a head",
    /another key each time/,
  ],
  [
    "a request for whatever head",
    changedRequest((request) => ({ ...request, preconditions: {} })),
    "asks once for a head",
    /not bound to the head/,
  ],
  [
    "a request without our marker",
    changedRequest((request) => (request.by === "comment" ? { ...request, body: "@acme review" } : request)),
    "asks once for a head",
    /lacks the marker/,
  ],
  [
    "knows only its journal",
    blindTo((message, inbox) => message.author.login === inbox.viewer.login && message.body.includes("<!--")),
    "asks nothing again after a restart",
    /when the journal is lost/,
  ],
  [
    "does not see that a person asked",
    blindTo((message) => message.author.login === "bob"),
    "asks nothing while somebody's request is pending",
    /a person has just asked/,
  ],
  [
    "asks whether or not it takes part",
    around({
      rerequest: (next, asks, inbox, ctx) =>
        next(asks, { ...inbox, parties: inbox.parties.map((party) => ({ ...party, awaited: true })) }, ctx),
    }),
    "asks only where it brings something",
    /takes no part/,
  ],
  [
    "asks for drafts that it does not review",
    around({
      rerequest: (next, asks, inbox, ctx) =>
        next(asks, inbox.pullRequest.draft ? { ...inbox, signals: [], pullRequest: { ...inbox.pullRequest, draft: false } } : inbox, ctx),
    }),
    "asks only where it brings something",
    /asks for a draft/,
  ],
  [
    "asks for what it has reviewed",
    around({
      rerequest: (next, asks, inbox, ctx) => next(asks, stateOf(inbox) === "reviewed" ? { ...inbox, signals: [] } : inbox, ctx),
    }),
    "asks only where it brings something",
    /that it has reviewed/,
  ],
  [
    "reads a comment by the time it was made",
    around({
      fetch: async (next, inbox) => ({
        ...(await next({ ...inbox, comments: inbox.comments.map((message) => ({ ...message, updatedAt: message.createdAt })) })),
        comments: inbox.comments,
      }),
    }),
    "what it edits in place counts by the time of the edit",
    /edited in place/,
    TIMED,
  ],
  [
    "any kind word is an approval",
    spec({ body: (post) => (post.body === "LGTM" ? { findings: [], signal: { state: "reviewed", verdict: "approve" } } : read(post)) }),
    "no text without a review is an approval",
    /"LGTM" for an approval/,
  ],
  [
    "the first word of a review is a review",
    spec({
      body: (post) =>
        /^Acme gra?d?e?$/.test(post.body) ? { findings: [], signal: { state: "reviewed", verdict: "approve" } } : read(post),
    }),
    "half a text is never better than the whole",
    /takes the first \d+ characters/,
  ],
  [
    "no grade is a good grade",
    spec({
      body: (post) =>
        post.body.startsWith("Acme grade: ") && !CLEAN.test(post.body)
          ? { findings: [], signal: { state: "reviewed", verdict: "approve" } }
          : read(post),
    }),
    "half a text is never better than the whole",
    /is content with the first \d+ characters of a review that finds/,
  ],
  [
    "quotes are read",
    around({
      fetch: async (next, inbox) => {
        const unquoted = (message: Message): Message =>
          message.body.startsWith("> ")
            ? { ...message, body: message.body.replaceAll(/^> /gm, ""), author: { ...message.author, login: "acme-review", kind: "bot" } }
            : message;
        return { ...(await next({ ...inbox, comments: inbox.comments.map(unquoted) })), comments: inbox.comments };
      },
    }),
    "a person's quote is nothing",
    /takes a person's quote for a review/,
  ],
  [
    "reads the first page only",
    around({
      fetch: async (next, inbox) => ({ ...(await next({ ...inbox, comments: inbox.comments.slice(0, 100) })), comments: inbox.comments }),
    }),
    "more than a page of other things changes nothing",
    /loses its review among many/,
  ],
  [
    "finds nothing",
    spec({ body: (post) => ({ ...read(post), findings: [] }) }),
    "what it finds becomes open threads",
    /finds nothing in its sample/,
  ],
];

describe("a planted fault is caught by the case that is meant for it", () => {
  test("a sound reviewer passes, bound by commit or by time", async () => {
    expect(await failing(reviewerContract(sound, ACME))).toEqual({});
    expect(await failing(reviewerContract(sound, TIMED))).toEqual({});
  });

  const faults = FAULTS.map(([what, factory, name, says, samples = ACME]) => ({ what, factory, name, says, samples }));
  test.each(faults)("$what", async ({ factory, name, says, samples }) => {
    const found = await failing(reviewerContract(factory, samples));
    expect(Object.keys(found)).toEqual([name]);
    expect(found[name]).toMatch(says);
    expect(found[name]).not.toContain("\n");
  });

  test("each case has its fault", () => {
    const names = reviewerContract(sound, ACME).map(({ name }) => name);
    expect([...new Set(FAULTS.map(([, , name]) => name))].toSorted()).toEqual(names.toSorted());
  });
});
