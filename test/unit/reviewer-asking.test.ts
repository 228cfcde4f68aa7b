import { describe, expect, test } from "vitest";
import type { Asks, Blocker, RunState, WriteOf } from "../../core/model.js";
import { markerOf, markersIn } from "../../core/writing/marker.js";
import { bugbot, coderabbit, copilot, devin, gemini, greptile, prReviewer, seer } from "../../plugins/reviewers/index.js";
import type { Plugin } from "../../core/plugin.js";
import { alice, ARRIVED, at, bot, check, HEAD, message, OLD, readWith, review, run, snapshot, viewer } from "./building.js";

const after = (ARRIVED - at(0)) / 60_000 + 5;
const app = bot("greptile-apps");
const required = { required: true };
const summary = (score: number, commit: string, minutes: number) =>
  message(app, `<h3>Greptile Summary</h3>\n\n<h3>Confidence Score: ${score}/5</h3>\n\n<sub>Last reviewed commit: ${commit}</sub>`, minutes);
type Parts = Parameters<typeof snapshot>[0];
type Options = Parameters<typeof readWith>[2];

const asksOf = async (plugin: Plugin, parts: Parts = {}, options: Options = {}): Promise<Asks> => {
  const { inbox, ctx } = await readWith(plugin, snapshot(parts), options);
  const handler = plugin.on.rerequest;
  const none: Asks = { requests: [], waits: [], tidy: [] };
  return typeof handler === "function" ? handler(none, inbox, ctx) : none;
};
const requestOf = async (plugin: Plugin, parts: Parts = {}, options: Options = {}): Promise<WriteOf<"request"> | undefined> =>
  (await asksOf(plugin, parts, options)).requests[0];
const asked = (reviewer: string, state: RunState["asked"][number]["state"], head = HEAD) =>
  run({ asked: [{ reviewer, head, at: at(after), state, by: "comment" }] });

describe("asking", () => {
  test("one comment: the trigger alone, and our marker as a hidden last line, for this head only", async () => {
    const request = await requestOf(greptile(required));
    expect(request).toMatchObject({
      kind: "request",
      key: `request:greptile:${HEAD}`,
      by: "comment",
      reviewer: "greptile",
      preconditions: { head: HEAD },
    });
    const lines = request?.by === "comment" ? request.body.split("\n") : [];
    expect(lines[0]).toBe("@greptile-apps review");
    expect(lines).toHaveLength(2);
    expect(markersIn(lines.join("\n"))).toEqual([{ key: `request:greptile:${HEAD}` }]);
    const other = await requestOf(greptile({ ...required, trigger: "@greptile review" }));
    expect(other?.by === "comment" && other.body.startsWith("@greptile review\n")).toBe(true);
  });

  test("Copilot by its own endpoint, with the login that works", async () =>
    expect(await requestOf(copilot(required))).toMatchObject({
      by: "review-request",
      login: "copilot-pull-request-reviewer",
      bot: true,
      endpoint: "copilot-code-review",
    }));

  const key = `request:greptile:${HEAD}`;
  test.each<readonly [string, Plugin, Parts, Options]>([
    ["takes no part: neither required nor seen", greptile(), {}, {}],
    ["reviewed this head", greptile(required), { comments: [summary(2, HEAD, after)] }, {}],
    ["rerun: false, and reviewed another", greptile({ ...required, rerun: false }), { comments: [summary(5, OLD, after)] }, {}],
    ["is running", greptile(required), { checks: [check("Greptile Review", "pending")] }, {}],
    ["was asked by a person just now", greptile(required), { comments: [message(alice, "@greptileai review", 89)] }, {}],
    ["was asked by us, says the journal", greptile(required), {}, { run: asked("greptile", "done") }],
    ["was asked, and the answer was lost", greptile(required), {}, { run: asked("greptile", "unknown") }],
    ["was asked in vain", greptile(required), {}, { run: asked("greptile", "dropped") }],
    [
      "was asked by us, says our marker",
      greptile(required),
      { comments: [message(viewer, `@greptile-apps review\n${markerOf({ key })}`, after), summary(3, OLD, after + 1)] },
      {},
    ],
    [
      "has a pending review request",
      copilot(required),
      { requests: [{ login: "copilot-pull-request-reviewer", kind: "bot", asCodeOwner: false }] },
      {},
    ],
    ["reviews no drafts", greptile(required), { pullRequest: { draft: true } }, {}],
    [
      "reviews no drafts, though it reviewed this one before it was taken back",
      greptile(required),
      { pullRequest: { draft: true }, comments: [summary(5, OLD, after)] },
      {},
    ],
    [
      "is out of quota",
      greptile(required),
      {
        comments: [message(app, "Greptile has paused reviews on this repository — it used its 50 free open-source review credits.", after)],
      },
      {},
    ],
    [
      "skipped it for good",
      greptile(required),
      { comments: [message(app, "<!-- greptile-status -->\nToo many files changed for review.", after)] },
      {},
    ],
    ["starts by push, and has time left", coderabbit(required), {}, { now: ARRIVED + 60_000 }],
    ["can't be asked at all", prReviewer(required), {}, {}],
    ["the pull request is closed", greptile(required), { pullRequest: { state: "closed" } }, {}],
  ])("not where it %s", async (_name, plugin, parts, options) => expect(await requestOf(plugin, parts, options)).toBeUndefined());

  test.each<readonly [string, Plugin, Parts, Options]>([
    ["seen here, though not required", greptile(), { comments: [summary(5, OLD, 20)] }, {}],
    ["asked for another head only", greptile(required), {}, { run: asked("greptile", "done", OLD) }],
    ["a stranger's trigger, long ago", greptile(required), { comments: [message(alice, "@greptileai review", 65)] }, {}],
    ["a copy of our marker by somebody else", greptile(required), { comments: [message(alice, `See\n${markerOf({ key })}`, after)] }, {}],
    [
      "failed, and never asked",
      greptile(required),
      { comments: [message(app, "Greptile encountered an error while reviewing this PR.", after)] },
      {},
    ],
    [
      "paused, and a comment starts it",
      coderabbit(required),
      {
        comments: [
          message(
            bot("coderabbitai"),
            "<!-- This is an auto-generated comment: review paused by coderabbit.ai -->\n## Reviews paused",
            after,
          ),
        ],
      },
      { now: ARRIVED + 60_000 },
    ],
    [
      "out of quota, and the time it named is over",
      coderabbit(required),
      {
        comments: [
          message(
            bot("coderabbitai"),
            "<!-- This is an auto-generated comment: rate limited by coderabbit.ai -->\n## Rate limit exceeded\nPlease wait **12 minutes** before requesting another review.",
            after,
          ),
        ],
      },
      {},
    ],
    ["no sign after the push", devin(required), {}, {}],
    ["a draft, for one that reviews drafts", copilot(required), { pullRequest: { draft: true } }, {}],
  ])("yes: %s", async (_name, plugin, parts, options) =>
    expect(await requestOf(plugin, parts, options)).toMatchObject({ kind: "request" }),
  );

  test("quota that still runs: not yet", async () => {
    const comments = [
      message(
        bot("coderabbitai"),
        "<!-- This is an auto-generated comment: rate limited by coderabbit.ai -->\nPlease wait **50 minutes** before requesting another review.",
        after,
      ),
    ];
    expect(await requestOf(coderabbit(required), { comments })).toBeUndefined();
  });

  test("Bugbot ignores triggers of apps: an app does not ask it", async () => {
    expect(await requestOf(bugbot(required))).toMatchObject({ by: "comment" });
    expect(await requestOf(bugbot(required), { viewer: { login: "loop-user", kind: "bot" } })).toBeUndefined();
  });
});

describe("tidying", () => {
  const trigger = (head: string, minutes: number, more: Parameters<typeof message>[3] = {}) =>
    message(viewer, `@greptile-apps review\n${markerOf({ key: `request:greptile:${head}` })}`, minutes, more);
  const ids = async (comments: readonly ReturnType<typeof message>[]) =>
    (await asksOf(greptile(required), { comments })).tidy.map(({ comment }) => comment);

  test("our older triggers, once this head is reviewed; never the latest, never a person's", async () => {
    const first = trigger("a".repeat(40), 1);
    const second = trigger(OLD, 40);
    const latest = trigger(HEAD, after);
    const person = message(alice, "@greptileai review", 2);
    expect(await ids([first, person, second, latest, summary(5, HEAD, after + 1)])).toEqual([first.id, second.id]);
    expect(await ids([first, person, second, latest])).toEqual([]);
    expect(
      await ids([{ ...first, minimised: true }, { ...second, viewerCanMinimise: false }, latest, summary(5, HEAD, after + 1)]),
    ).toEqual([]);
    expect(await ids([latest, summary(5, HEAD, after + 1)])).toEqual([]);
  });
});

describe("blockers", () => {
  const blockersOf = async (plugin: Plugin, parts: Parts = {}, options: Options = {}): Promise<readonly Blocker[]> => {
    const { inbox, ctx } = await readWith(plugin, snapshot(parts), options);
    const handler = plugin.on.check;
    return typeof handler === "function" ? handler([], inbox, ctx) : [];
  };
  const odd = review(message(bot("devin-ai-integration"), "## Something new\n\nHello.", after));
  const rated = message(app, "Greptile has paused reviews on this repository — it used its 50 free open-source review credits.", after);
  const broken = message(app, "Greptile encountered an error while reviewing this PR.", after);

  test.each<readonly [string, Plugin, Parts, Options, string | undefined, string | undefined]>([
    ["nothing where it takes no part", greptile(), {}, {}, undefined, undefined],
    ["a fresh 5/5", greptile(required), { comments: [summary(5, HEAD, after)] }, {}, undefined, undefined],
    ["a fresh 4/5", greptile(required), { comments: [summary(4, HEAD, after)] }, {}, "score-low", "person"],
    [
      "a fresh 4/5 that is enough",
      greptile({ ...required, minScore: 4 }),
      { comments: [summary(4, HEAD, after)] },
      {},
      undefined,
      undefined,
    ],
    ["a 5/5 of an older head", greptile(required), { comments: [summary(5, OLD, after)] }, {}, "review-stale", "reviewer"],
    [
      "a 5/5 that can't be bound",
      greptile(required),
      { comments: [{ ...summary(5, "", 10), body: "<h3>Confidence Score: 5/5</h3>" }] },
      {},
      "review-stale",
      "reviewer",
    ],
    [
      "rerun: false, a 2/5 of an older head",
      greptile({ ...required, rerun: false }),
      { comments: [summary(2, OLD, after)] },
      {},
      undefined,
      undefined,
    ],
    ["absent", greptile(required), {}, {}, "review-missing", "reviewer"],
    ["absent, and starts by a push alone", seer(required), {}, {}, "review-not-callable", "reviewer"],
    ["absent, starts by a push, and a person may call it", bugbot(required), {}, {}, "review-missing", "reviewer"],
    [
      "absent, starts by a push, and an app may not call it",
      bugbot(required),
      { viewer: { login: "loop-app", kind: "bot" } },
      {},
      "review-not-callable",
      "reviewer",
    ],
    ["refused to be asked", greptile(required), {}, { run: asked("greptile", "refused") }, "review-request-refused", "person"],
    ["asked, not registered", greptile(required), {}, { run: asked("greptile", "dropped") }, "review-request-dropped", "person"],
    ["asked", greptile(required), {}, { run: asked("greptile", "done") }, "review-requested", "reviewer"],
    ["running", greptile(required), { checks: [check("Greptile Review", "pending")] }, {}, "review-running", "reviewer"],
    ["out of quota", greptile(required), { comments: [rated] }, {}, "review-limited", "reviewer"],
    [
      "skipped",
      greptile(required),
      { comments: [message(app, "<!-- greptile-status -->\nToo many files changed for review.", after)] },
      {},
      "review-skipped",
      "reviewer",
    ],
    ["failed, not asked yet", greptile(required), { comments: [broken] }, {}, "review-failed", "reviewer"],
    [
      "failed after asking",
      greptile(required),
      { comments: [broken] },
      { run: run({ asked: [{ reviewer: "greptile", head: HEAD, at: at(after - 1), state: "done", by: "comment" }] }) },
      "review-failed",
      "person",
    ],
    [
      "unreadable",
      devin(required),
      { reviews: [odd] },
      { run: run({ asked: [{ reviewer: "devin", head: HEAD, at: at(after - 1), state: "done", by: "comment" }] }) },
      "review-unknown",
      "person",
    ],
    ["a draft", greptile(required), { pullRequest: { draft: true } }, {}, "review-draft", "person"],
  ])("%s", async (_name, plugin, parts, options, code, who) => {
    const blockers = await blockersOf(plugin, parts, options);
    expect(blockers.map((blocker) => [blocker.code, blocker.lift.who])).toEqual(code === undefined ? [] : [[code, who]]);
  });

  test("a draft that the config lets the loop flip for it carries the write", async () => {
    const [blocker] = await blockersOf(greptile(required), { pullRequest: { draft: true } }, { markReadyFor: ["greptile"] });
    expect(blocker).toMatchObject({
      code: "review-draft",
      lift: { who: "loop", act: { kind: "mark-ready", preconditions: { head: HEAD } } },
    });
  });

  test("what a reviewer that is not required skipped is the reviewer's: the run may go on without it", async () => {
    const [blocker] = await blockersOf(greptile(), { comments: [summary(5, OLD, 20)], pullRequest: { draft: true } });
    expect(blocker).toMatchObject({ code: "review-draft", lift: { who: "reviewer", name: "greptile" } });
  });
});

describe("options", () => {
  test("facts follow them; durations in milliseconds", () => {
    expect(greptile().reviewer).toMatchObject({
      requestBy: "comment",
      trigger: "@greptile-apps review",
      required: false,
      rerun: true,
      wait: { poll: 10_000, timeout: 600_000, start: 180_000 },
    });
    expect(
      greptile({ required: true, rerun: false, missing: "go-on", trigger: "@x go", wait: { timeout: "2m" }, logins: ["New[bot]"] })
        .reviewer,
    ).toMatchObject({
      required: true,
      rerun: false,
      missing: "go-on",
      trigger: "@x go",
      wait: { poll: 10_000, timeout: 120_000, start: 180_000 },
      identities: [{ logins: ["greptile-apps", "greptile-apps-staging", "new"] }],
    });
    expect(gemini.reviewer).toMatchObject({ name: "gemini", trigger: "/gemini review" });
  });
  test("the schema has the common ones and its own, and no others", () => {
    expect(greptile.schema).toMatchObject({
      additionalProperties: false,
      properties: { required: {}, rerun: {}, missing: {}, wait: {}, logins: {}, trigger: {}, minScore: {} },
    });
  });
});
