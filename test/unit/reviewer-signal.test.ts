import { describe, expect, test } from "vitest";
import type { Reaction, Signal, Snapshot } from "../../core/model.js";
import { markerOf } from "../../core/writing/marker.js";
import { codex, coderabbit, copilot, devin, greptile, prReviewer } from "../../plugins/reviewers/index.js";
import type { Plugin } from "../../core/plugin.js";
import {
  alice,
  ARRIVED,
  at,
  bot,
  check,
  HEAD,
  inline,
  message,
  OLD,
  readWith,
  review,
  run,
  snapshot,
  stranger,
  viewer,
} from "./building.js";

const after = (ARRIVED - at(0)) / 60_000 + 5;
const before = after - 10;
const app = bot("greptile-apps");
const summary = (score: number, commit: string | undefined, minutes: number) =>
  message(
    app,
    `<h3>Greptile Summary</h3>\n\n<h3>Confidence Score: ${score}/5</h3>\n\n<sub>${commit === undefined ? "" : `Last reviewed commit: ${commit}`}</sub>`,
    minutes,
  );
const signalOf = async (
  parts: Parameters<typeof snapshot>[0],
  plugin: Plugin = greptile(),
  options: Parameters<typeof readWith>[2] = {},
): Promise<Signal | undefined> => (await readWith(plugin, snapshot(parts), options)).signal;

describe("a reaction", () => {
  const trigger = (head: string, minutes: number) =>
    message(viewer, `@codex review\n${markerOf({ key: `request:codex:${head}` })}`, minutes);
  const reaction = (on: string, more: Partial<Reaction> = {}): Reaction => ({
    on,
    content: "+1",
    login: "chatgpt-codex-connector",
    bot: true,
    account: 199175422,
    at: at(after + 2),
    ...more,
  });
  const withReaction = async (more: Partial<Reaction> = {}): Promise<Signal | undefined> => {
    const asked = trigger(HEAD, after);
    return signalOf({ comments: [asked], reactions: [reaction(asked.id, more)] }, codex());
  };

  test("to our request is about the head that it names, whenever we saw it", async () => {
    expect(await withReaction()).toMatchObject({ state: "reviewed", head: HEAD, verdict: "approve" });
    const asked = trigger(HEAD, before);
    const lost = { run: run({ heads: [] }) };
    expect(await signalOf({ comments: [asked], reactions: [reaction(asked.id, { at: at(before) })] }, codex(), lost)).toMatchObject({
      state: "reviewed",
      head: HEAD,
    });
    const older = trigger(OLD, after);
    expect(await signalOf({ comments: [older], reactions: [reaction(older.id)] }, codex())).toMatchObject({ state: "reviewed", head: OLD });
  });

  test("to a stranger's copy of it is about the time of that copy", async () => {
    const copy = { ...trigger(HEAD, before), author: stranger };
    expect(await signalOf({ comments: [copy], reactions: [reaction(copy.id)] }, codex())).not.toMatchObject({
      head: HEAD,
      state: "reviewed",
    });
  });

  test.each([
    [{ content: "eyes" }, "running"],
    [{ content: "heart" }, "requested"],
    // A person may have any login but an app's with its ending; a surface that calls an app a person gives its number all the same.
    [{ bot: false, account: 7 }, "requested"],
    [{ bot: false }, "reviewed"],
    [{ login: "chatgpt-codex" }, "requested"],
    [{ on: "PR_7" }, "reviewed"],
    [{ on: "PR_7", at: at(before) }, "requested"],
  ] as const)("%j: %s", async (more, state) => {
    expect((await withReaction(more))?.state).toBe(state);
  });

  test("newer words go before it, and it before older ones", async () => {
    const asked = trigger(HEAD, after);
    const limit = (minutes: number) =>
      message(bot("chatgpt-codex-connector"), "You have reached your Codex usage limits for code reviews.", minutes);
    const state = async (minutes: number) =>
      (await signalOf({ comments: [asked, limit(minutes)], reactions: [reaction(asked.id)] }, codex()))?.state;
    expect([await state(after + 1), await state(after + 3)]).toEqual(["reviewed", "limited"]);
  });

  test("of Greptile tells that it works or failed, never how it went", async () => {
    const asked = message(viewer, `@greptile-apps review\n${markerOf({ key: `request:greptile:${HEAD}` })}`, after);
    const state = async (content: Reaction["content"]) =>
      (await signalOf({ comments: [asked], reactions: [reaction(asked.id, { content, login: "greptile-apps" })] }))?.state;
    expect([await state("eyes"), await state("confused"), await state("+1")]).toEqual(["running", "failed", "requested"]);
  });
});

describe("bound to a head", () => {
  test("by the commit that the body names, short or full", async () => {
    for (const commit of [HEAD, HEAD.slice(0, 7)]) {
      expect(await signalOf({ comments: [summary(5, commit, before)] })).toMatchObject({
        state: "reviewed",
        head: HEAD,
        score: { value: 5, max: 5 },
      });
    }
    expect(await signalOf({ comments: [summary(5, OLD.slice(0, 7), after)] })).toMatchObject({ state: "reviewed", head: OLD });
  });

  test("by GitHub's commit of a review, whenever it was posted", async () => {
    const words = "**Devin Review** found 0 new potential issues.\n\n<!-- devin-review-badge-begin -->\n<!-- devin-review-badge-end -->";
    const of = (commit: string, minutes: number) => ({
      reviews: [review(message(bot("devin-ai-integration"), words, minutes), { commit })],
    });
    expect(await signalOf(of(HEAD, before), devin())).toMatchObject({ state: "reviewed", head: HEAD });
    expect(await signalOf(of(OLD, after), devin())).toMatchObject({ state: "reviewed", head: OLD });
  });

  test("else by when we saw the head; what is older than all that we saw can't be bound", async () => {
    const plain = (minutes: number) => message(app, "<h3>Confidence Score: 5/5</h3>", minutes);
    expect(await signalOf({ comments: [plain(after)] })).toMatchObject({ state: "reviewed", head: HEAD });
    expect(await signalOf({ comments: [plain(before)] })).toMatchObject({ state: "reviewed", head: OLD });
    const unbound = await signalOf({ comments: [plain(10)] });
    expect(unbound).toMatchObject({ state: "reviewed" });
    expect(unbound).not.toHaveProperty("head");
  });

  test("a description counts only where the bot edited it last, and by the commit it names", async () => {
    const body = `Mine.\n<!-- greptile_comment -->\n${summary(5, HEAD, 0).body}\n<!-- /greptile_comment -->`;
    expect(await signalOf({ pullRequest: { body, bodyEditor: "greptile-apps" } })).toMatchObject({
      state: "reviewed",
      head: HEAD,
      score: { value: 5 },
    });
    expect(await signalOf({ pullRequest: { body, bodyEditor: "loop-user" } })).toMatchObject({ state: "absent" });
    expect(await signalOf({ pullRequest: { body } })).toMatchObject({ state: "absent" });
    const unnamed = body.replace(HEAD, "");
    expect(await signalOf({ pullRequest: { body: unnamed, bodyEditor: "greptile-apps" } })).not.toHaveProperty("head");
  });
});

describe("whose words", () => {
  const body = summary(5, HEAD, 0).body;
  test.each([
    ["a person who pastes the summary", stranger],
    ["a maintainer", alice],
    ["a user with the app's name", { ...stranger, login: "greptile-apps" }],
    ["another bot", bot("greptile-apps-fake")],
    ["a deleted account", { login: "ghost", kind: "ghost" as const, association: "NONE" as const }],
  ])("%s is not the reviewer", async (_name, author) =>
    expect(await signalOf({ comments: [message(author, body, after)] })).toMatchObject({ state: "absent" }),
  );

  test("a renamed app by config", async () =>
    expect(
      await signalOf({ comments: [message(bot("greptile-next"), body, after)] }, greptile({ logins: ["Greptile-Next[bot]"] })),
    ).toMatchObject({ state: "reviewed" }));

  test("pr-reviewer posts as anybody who may write here, or as us; a stranger's copy of its marker is nothing", async () => {
    const rows = ["Prior bot feedback", "Documentation", "Self-review signals", "Code review"]
      .map((gate) => `| ${gate} | ✅ |  |`)
      .join("\n");
    const report = `<!-- PR_REVIEWER_REPORT -->\n✅ Reviewed your changes — no issues found.\n\n<details>\n<summary>Review details</summary>\n\n<sup>Reviewed for commit \`${HEAD.slice(0, 7)}\`.</sup>\n\n| Gate | Status | Details |\n|---|---|---|\n${rows}\n\n</details>`;
    for (const author of [alice, viewer])
      expect(await signalOf({ comments: [message(author, report, after)] }, prReviewer())).toMatchObject({
        state: "reviewed",
        verdict: "approve",
        verdictRaw: "PASS",
      });
    expect(await signalOf({ comments: [message(stranger, report, after)] }, prReviewer())).toMatchObject({ state: "absent" });
  });
});

describe("newest beats older", () => {
  test("a notice after the result, a result after the notice", async () => {
    const limited = message(
      app,
      "Greptile has paused reviews on this repository — it used its 50 free open-source review credits.",
      after + 2,
    );
    expect(await signalOf({ comments: [summary(5, HEAD, after), limited] })).toMatchObject({ state: "limited", reason: "quota" });
    expect(await signalOf({ comments: [limited, summary(5, HEAD, after + 4)] })).toMatchObject({ state: "reviewed", score: { value: 5 } });
  });

  test("Greptile's score stands in a comment or in a review, by either of its logins; the newest one counts", async () => {
    const staging = (minutes: number) =>
      review(message(bot("greptile-apps-staging"), `**Confidence: 2/5**\n\n<sub>Last reviewed commit: ${HEAD}</sub>`, minutes));
    const score = async (minutes: number) =>
      (await signalOf({ comments: [summary(5, HEAD, after + 2)], reviews: [staging(minutes)] }))?.score?.value;
    expect([await score(after + 3), await score(after + 1)]).toEqual([2, 5]);
  });

  test("an answer to a mention and an empty review neither clear nor replace a result", async () => {
    const answer = message(app, "The review has completed; the diff is clean.", after + 3);
    const empty = review(message(app, "", after + 4));
    expect(await signalOf({ comments: [summary(4, HEAD, after), answer], reviews: [empty] })).toMatchObject({
      state: "reviewed",
      score: { value: 4 },
    });
  });

  test("an unreadable text of the reviewer's after its result is unknown", async () => {
    const odd = review(message(bot("devin-ai-integration"), "## Something new\n\nHello.", after + 1));
    const good = review(message(bot("devin-ai-integration"), "**Devin Review** found 0 new potential issues.", after));
    expect(await signalOf({ reviews: [good, odd] }, devin())).toMatchObject({ state: "unknown" });
  });

  test("a superseded report says nothing", async () => {
    const old =
      "> [!NOTE]\n> **This report is out of date.** Scroll down for the latest report.\n\n**Devin Review** found 0 new potential issues.";
    expect(await signalOf({ reviews: [review(message(bot("devin-ai-integration"), old, after))] }, devin())).toMatchObject({
      state: "absent",
    });
  });
});

describe("requested and running", () => {
  const key = `request:greptile:${HEAD}`;
  const trigger = message(viewer, `@greptile-apps review\n${markerOf({ key })}`, after);

  test("a pending review request", async () =>
    expect(
      await signalOf({ requests: [{ login: "copilot-pull-request-reviewer", kind: "bot", asCodeOwner: false }] }, copilot()),
    ).toMatchObject({ state: "requested", head: HEAD }));
  test("our trigger, without any journal", async () =>
    expect(await signalOf({ comments: [summary(4, OLD, before), trigger] })).toMatchObject({ state: "requested", head: HEAD }));
  test("a person's trigger, until it is older than the time-out", async () => {
    const theirs = message(alice, "@greptileai review", after);
    expect(await signalOf({ comments: [theirs] }, greptile(), { now: at(after + 2) })).toMatchObject({ state: "requested" });
    expect(await signalOf({ comments: [theirs] }, greptile(), { now: at(after + 60) })).toMatchObject({ state: "absent" });
  });
  test("asked again for a head that was reviewed: only a newer result answers", async () => {
    const again = { run: run({ asked: [{ reviewer: "greptile", head: HEAD, at: at(after + 3), state: "done", by: "comment" }] }) };
    const state = async (minutes: number) => (await signalOf({ comments: [summary(5, HEAD, minutes)] }, greptile(), again))?.state;
    expect([await state(after + 2), await state(after + 4)]).toEqual(["requested", "reviewed"]);
  });

  test("the journal alone", async () => {
    const asked = { reviewer: "greptile", head: HEAD, at: at(after), state: "done", by: "comment" } as const;
    expect(await signalOf({}, greptile(), { run: run({ asked: [asked] }) })).toMatchObject({ state: "requested" });
    expect(await signalOf({}, greptile(), { run: run({ asked: [{ ...asked, state: "dropped" }] }) })).toMatchObject({ state: "absent" });
    expect(await signalOf({ comments: [summary(5, HEAD, after + 1)] }, greptile(), { run: run({ asked: [asked] }) })).toMatchObject({
      state: "reviewed",
    });
  });
  test("a check in progress on the head, even beside a result that was just edited", async () =>
    expect(await signalOf({ comments: [summary(5, HEAD, after)], checks: [check("Greptile Review", "pending")] })).toMatchObject({
      state: "running",
    }));
  test("a green check alone is no result", async () =>
    expect(
      await signalOf({
        checks: [check("Greptile Review", "success", { completedAt: at(after), summary: "12 files reviewed, 0 comments added." })],
      }),
    ).toMatchObject({ state: "absent" }));
  test("a start that a result followed is over", async () => {
    const starts = message(bot("devin-ai-integration"), "Starting Devin Review.", after);
    const result = review(message(bot("devin-ai-integration"), "**Devin Review** found 1 potential issue.", after + 4));
    const thread = inline([message(bot("devin-ai-integration"), "🔴 **Off by one**", after + 4)], { review: result.message.id });
    expect(await signalOf({ comments: [starts] }, devin())).toMatchObject({ state: "running" });
    expect(await signalOf({ comments: [starts], reviews: [result], reviewThreads: [thread] }, devin())).toMatchObject({
      state: "reviewed",
      counts: { posted: 1 },
    });
  });
});

describe("rerun: false", () => {
  const old: Parameters<typeof snapshot>[0] = { comments: [summary(5, OLD, before)] };
  test("its review of any head is one; score and verdict don't outlive their head", async () => {
    const kept = await signalOf(old, greptile({ rerun: false }));
    expect(kept).toMatchObject({ state: "reviewed", head: OLD });
    expect(kept).not.toHaveProperty("score");
    expect(kept).not.toHaveProperty("verdict");
  });
});

describe("what lasts, and drafts", () => {
  const sticky = (state: string, text: string, minutes: number) =>
    message(
      bot("coderabbitai"),
      `<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n<!-- This is an auto-generated comment: ${state} by coderabbit.ai -->\n\n> [!NOTE]\n> ${text}`,
      minutes,
    );
  test("paused holds for later heads, a skipped draft does not", async () => {
    expect(await signalOf({ comments: [sticky("review paused", "## Reviews paused", before)] }, coderabbit())).toMatchObject({
      state: "paused",
      head: HEAD,
    });
    expect(await signalOf({ comments: [sticky("skip review", "Draft detected.", before)] }, coderabbit())).toMatchObject({
      state: "skipped",
      head: OLD,
    });
  });
  test("a draft that a reviewer without drafts left alone is skipped", async () => {
    expect(await signalOf({ pullRequest: { draft: true } })).toMatchObject({ state: "skipped", reason: "draft", head: HEAD });
    expect(await signalOf({ pullRequest: { draft: true }, comments: [summary(5, HEAD, after)] })).toMatchObject({ state: "reviewed" });
  });
});

describe("Codex' table of runs", () => {
  const table = message(
    bot("chatgpt-codex-connector"),
    `<!-- codex-pull-request-review-summary -->\n\n## Codex Review Summary\n\n| Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n| 📝 **Code Review** | ✅ **Completed** | \`${HEAD.slice(0, 7)}\` | PR opened |`,
    after,
  );
  const wrapper = review(
    message(
      bot("chatgpt-codex-connector"),
      `### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n**Reviewed commit:** \`${HEAD.slice(0, 10)}\``,
      after - 1,
    ),
  );
  const of = (parts: Partial<Snapshot>, now: number) => signalOf({ comments: [table], ...parts }, codex(), { now });
  test("the end of a run is a result only with a review, or once nothing followed", async () => {
    expect(await of({}, at(after) + 18_000)).toMatchObject({ state: "running", lookAt: at(after) + 60_000 });
    expect(await of({ reviews: [wrapper] }, at(after) + 18_000)).toMatchObject({ state: "reviewed", head: HEAD });
    expect(await of({}, at(after) + 120_000)).toMatchObject({ state: "reviewed", head: HEAD });
  });
});

test("inline comments alone are no result", async () =>
  expect(
    await signalOf({
      reviewThreads: [inline([message(app, '<img alt="P1" src="x"> **Leaks**', after)])],
      reviews: [review(message(app, "", after))],
    }),
  ).toMatchObject({ state: "absent" }));
