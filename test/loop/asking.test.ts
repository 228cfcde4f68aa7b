/** Asking, proven: what was asked stands there, what answers counts, what was dropped is told. Real plugins on a world in memory. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Plugin } from "../../core/index.js";
import { coderabbit } from "../../plugins/reviewers/coderabbit.js";
import { codex } from "../../plugins/reviewers/codex.js";
import { copilot } from "../../plugins/reviewers/copilot.js";
import { devin } from "../../plugins/reviewers/devin.js";
import { gemini } from "../../plugins/reviewers/gemini.js";
import { greptile } from "../../plugins/reviewers/greptile.js";
import { seer } from "../../plugins/reviewers/seer.js";
import { scenario } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import type { IssueCommentRecord } from "../../sandbox/world/records.js";
import { drive } from "./driving.js";

const COPILOT = "copilot-pull-request-reviewer";
const OVERVIEW = "<!-- ccr-overview-v2 -->\n\n### 🟢 Looks good\n\nFine.\n\n**Findings:** None\n";
const SECOND = 1000;

const bodies = readFileSync(new URL("../fixtures/reviewer-bodies.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { readonly id: string; readonly body: string });
/** What a bot really posted. */
const posted = (id: string): string => bodies.find((each) => each.id === id)?.body ?? "";

const shop = (): Scene =>
  scenario()
    .pullRequest({ author: "ada" })
    .file("src/a.ts", "one\n", "one\ntwo\n")
    .bot(COPILOT, { requestable: true })
    .bot("greptile-apps")
    .bot("coderabbitai")
    .bot("devin-ai-integration")
    .bot("chatgpt-codex-connector")
    .bot("gemini-code-assist")
    .build();

const asks = (scene: Scene): readonly string[] =>
  scene.world.log.flatMap((event) =>
    event.type === "review-requested"
      ? [event.login]
      : event.type === "commented" && event.actor === "ada"
        ? [event.body.split("\n")[0] ?? ""]
        : [],
  );
const overview = (scene: Scene): void =>
  void scene.world.review(COPILOT, scene.pullRequest, { state: "COMMENTED", commit: scene.pullRequest.head.sha, body: OVERVIEW });
const push = (scene: Scene): void =>
  void scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.ts": "b\n" }, message: "More" });
/** Copilot answers each request so much later. */
const answering = (scene: Scene, delay: number): void =>
  void scene.world.on("review-requested", (event) => {
    if (event.login !== COPILOT) return;
    if (delay === 0) overview(scene);
    else scene.world.after(delay, () => overview(scene));
  });

describe("Copilot", () => {
  test.each([
    ["at once, so that its request is gone when we look", 0],
    ["later", 30 * SECOND],
  ])("is asked once, and answers %s", async (_how, delay) => {
    const scene = shop();
    answering(scene, delay);
    const { report } = await drive(scene, { reviewers: [copilot({ required: true })] });
    expect(report).toMatchObject({ stop: "met", reviewers: [{ state: "reviewed", asked: true }] });
    expect(asks(scene)).toEqual([COPILOT]);
  });

  test("without its endpoint it is asked by its login", async () => {
    const scene = shop();
    scene.world.faults.set("no-review-endpoint", {});
    answering(scene, 30 * SECOND);
    const { report } = await drive(scene, { reviewers: [copilot({ required: true })] });
    expect(report.stop).toBe("met");
    expect(asks(scene)).toEqual([COPILOT]);
  });

  test("a request that was dropped is a result with a hint: a person's turn, nothing is awaited, nothing is sent again", async () => {
    const scene = shop();
    scene.world.faults.set("review-request-dropped", {});
    const before = scene.clock.now();
    const { report, events } = await drive(scene, { reviewers: [copilot({ required: true })] });
    expect(report.stop).toBe("waiting-for-people");
    expect(report.remaining).toMatchObject([
      { code: "review-request-dropped", who: "person", what: expect.stringContaining("ask by hand") },
    ]);
    expect(report.notes).toContainEqual(expect.stringContaining(`did not register ${COPILOT}`));
    expect(events.filter((event) => event.type === "waiting")).toEqual([]);
    expect(scene.clock.now() - before).toBeLessThan(60 * SECOND);
    const writes = scene.world.log.length;
    expect((await drive(scene, { reviewers: [copilot({ required: true })] })).report.stop).toBe("waiting-for-people");
    expect(scene.world.log.length).toBe(writes);
  });

  test("a review that arrives although the request was dropped is a review", async () => {
    const scene = shop();
    scene.world.faults.set("review-request-dropped", {});
    await drive(scene, { reviewers: [copilot({ required: true })] });
    overview(scene);
    const { report } = await drive(scene, { reviewers: [copilot({ required: true })] });
    expect(report).toMatchObject({ stop: "met", remaining: [] });
  });

  test("the answer to the request is lost, and a review has come meanwhile: that verifies it, and nothing is sent twice", async () => {
    const scene = shop();
    scene.world.faults.set("lost-answer", { writes: [1] });
    answering(scene, 0);
    const { report } = await drive(scene, { reviewers: [copilot({ required: true })] });
    expect(report.stop).toBe("met");
    expect(asks(scene)).toEqual([COPILOT]);
  });

  test.each([
    [false, "met", [COPILOT]],
    [true, "met", [COPILOT, COPILOT]],
  ] as const)("rerun: %j after a push", async (rerun, stop, asked) => {
    const scene = shop();
    answering(scene, 30 * SECOND);
    const reviewers = [copilot({ required: true, rerun })];
    await drive(scene, { reviewers });
    push(scene);
    const { report } = await drive(scene, { reviewers });
    expect(report.stop).toBe(stop);
    expect(asks(scene)).toEqual(asked);
  });
});

/** A bot that is asked by a comment: its trigger, what shows that it has begun, and what it says when it is done. */
interface CommentBot {
  readonly plugin: Plugin;
  readonly trigger: string;
  readonly begins: (scene: Scene) => void;
  readonly ends: (scene: Scene) => void;
}
const head = (scene: Scene): string => scene.pullRequest.head.sha;
const CODEX = "chatgpt-codex-connector";
/** The last comment that asked for something. */
const request = (scene: Scene): IssueCommentRecord => {
  const made = scene.pullRequest.comments.findLast((comment) => /^[@/]/.test(comment.body));
  if (made === undefined) throw new Error("nobody was asked");
  return made;
};
const sticky = (state: string): string => `<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n${state}\n`;
const required = { required: true } as const;

const COMMENT_BOTS: Readonly<Record<string, CommentBot>> = {
  "greptile by its check": {
    plugin: greptile(required),
    trigger: greptile().reviewer?.trigger ?? "",
    begins: (scene) =>
      void scene.world.createCheck("greptile-apps", {
        repository: "ada/shop",
        head: head(scene),
        name: "Greptile Review",
        status: "IN_PROGRESS",
      }),
    ends: (scene) => {
      scene.world.setCheck("greptile-apps", { repository: "ada/shop", head: head(scene), name: "Greptile Review", conclusion: "SUCCESS" });
      scene.world.comment(
        "greptile-apps",
        scene.pullRequest,
        `<h3>Greptile Summary</h3>\n\nFine.\n\n<h3>Confidence Score: 5/5</h3>\n\n<sub>Reviews (1): Last reviewed commit: [x](https://example.test/commit/${head(scene)})</sub>\n`,
      );
    },
  },
  "coderabbit by its acknowledgement": {
    plugin: coderabbit(required),
    trigger: "@coderabbitai review",
    begins: (scene) =>
      void scene.world.comment(
        "coderabbitai",
        scene.pullRequest,
        "<!-- This is an auto-generated reply by CodeRabbit -->\n<details>\n<summary>✅ Actions performed</summary>\n\nReview triggered.\n\n</details>",
      ),
    ends: (scene) =>
      void scene.world.comment(
        "coderabbitai",
        scene.pullRequest,
        sticky(
          `<!-- recent_review_start -->\n\nNo actionable comments were generated in the recent review. 🎉\n\nReviewing files that changed from the base of the PR and between ${scene.pullRequest.base.sha} and ${head(scene)}.\n\n<!-- recent_review_end -->`,
        ),
      ),
  },
  "coderabbit by its sticky comment": {
    plugin: coderabbit(required),
    trigger: "@coderabbitai review",
    begins: (scene) =>
      void scene.world.comment(
        "coderabbitai",
        scene.pullRequest,
        sticky(
          "<!-- This is an auto-generated comment: review in progress by coderabbit.ai -->\n\n> [!NOTE]\n> Currently processing new changes in this PR. This may take a few minutes, please wait...\n\n<!-- end of auto-generated comment: review in progress by coderabbit.ai -->",
        ),
      ),
    ends: (scene) => {
      const made = scene.pullRequest.comments.findLast((comment) => comment.author === "coderabbitai");
      if (made === undefined) throw new Error("there is no sticky comment");
      scene.world.editComment(
        "coderabbitai",
        made,
        sticky(
          `<!-- recent_review_start -->\n\nNo actionable comments were generated in the recent review. 🎉\n\nReviewing files that changed from the base of the PR and between ${scene.pullRequest.base.sha} and ${head(scene)}.\n\n<!-- recent_review_end -->`,
        ),
      );
    },
  },
  "devin by its first words": {
    plugin: devin(required),
    trigger: "/devin review",
    begins: (scene) => void scene.world.comment("devin-ai-integration", scene.pullRequest, "Starting Devin Review."),
    ends: (scene) =>
      void scene.world.review("devin-ai-integration", scene.pullRequest, {
        state: "COMMENTED",
        commit: head(scene),
        body: posted("devin-review-clean"),
      }),
  },
  "codex by its reactions alone": {
    plugin: codex(required),
    trigger: "@codex review",
    begins: (scene) => scene.world.react(CODEX, request(scene), "EYES"),
    ends: (scene) => {
      scene.world.unreact(CODEX, request(scene), "EYES");
      scene.world.react(CODEX, request(scene), "THUMBS_UP");
    },
  },
  "gemini by its eyes": {
    plugin: gemini(required),
    trigger: "/gemini review",
    begins: (scene) => scene.world.react("gemini-code-assist", request(scene), "EYES"),
    ends: (scene) =>
      void scene.world.review("gemini-code-assist", scene.pullRequest, {
        state: "COMMENTED",
        commit: head(scene),
        body: "## Code Review\n\nThis pull request adds a line. I have no feedback to provide.",
      }),
  },
  "greptile by its eyes": {
    plugin: greptile(required),
    trigger: greptile().reviewer?.trigger ?? "",
    begins: (scene) => scene.world.react("greptile-apps", request(scene), "EYES"),
    ends: (scene) => {
      scene.world.react("greptile-apps", request(scene), "THUMBS_UP");
      scene.world.comment(
        "greptile-apps",
        scene.pullRequest,
        `<h3>Greptile Summary</h3>\n\nFine.\n\n<h3>Confidence Score: 5/5</h3>\n\n<sub>Reviews (1): Last reviewed commit: [x](https://example.test/commit/${head(scene)})</sub>\n`,
      );
    },
  },
  "codex by its table": {
    plugin: codex(required),
    trigger: "@codex review",
    begins: (scene) =>
      void scene.world.comment(
        "chatgpt-codex-connector",
        scene.pullRequest,
        `<!-- codex-pull-request-review-summary -->\n### Codex Review\n\n| Review | Status | Commit |\n|---|---|---|\n| 🔍 Code Review | 🔄 **Running** | \`${head(scene).slice(0, 7)}\` |\n`,
      ),
    ends: (scene) =>
      void scene.world.comment(
        "chatgpt-codex-connector",
        scene.pullRequest,
        posted("codex-clean-comment").replace(/`[0-9a-f]{10}`/, `\`${head(scene).slice(0, 10)}\``),
      ),
  },
};

describe.each(Object.entries(COMMENT_BOTS))("%s", (_name, bot) => {
  const triggered = (scene: Scene, act: () => void): void =>
    void scene.world.on("commented", (event) => {
      if (event.body.split("\n")[0] === bot.trigger) act();
    });

  test("asked by one comment, seen at work, and met by its result", async () => {
    const scene = shop();
    triggered(scene, () => {
      scene.world.after(20 * SECOND, () => bot.begins(scene));
      scene.world.after(120 * SECOND, () => bot.ends(scene));
    });
    const { report } = await drive(scene, { reviewers: [bot.plugin] });
    expect(report).toMatchObject({ stop: "met", remaining: [] });
    expect(asks(scene)).toEqual([bot.trigger]);
  });

  test("asked and silent is not the same as at work: each time-out names what it saw", async () => {
    const silent = shop();
    const nothing = (await drive(silent, { reviewers: [bot.plugin] })).report;
    expect([nothing.stop, nothing.remaining.map((item) => item.code)]).toEqual(["timed-out", ["review-requested"]]);
    expect(asks(silent)).toEqual([bot.trigger]);
    const begun = shop();
    triggered(begun, () => begun.world.after(20 * SECOND, () => bot.begins(begun)));
    const running = (await drive(begun, { reviewers: [bot.plugin] })).report;
    expect([running.stop, running.remaining.map((item) => item.code)]).toEqual(["timed-out", ["review-running"]]);
    expect(asks(begun)).toEqual([bot.trigger]);
  });
});

describe("a thumb up of Codex", () => {
  test.each([
    ["on a comment that asked for nothing", (scene: Scene) => scene.world.comment("ada", scene.pullRequest, "Done.")],
    ["on an older request", (scene: Scene) => scene.pullRequest.comments[0]],
  ])("%s says nothing about this head", async (_where, which) => {
    const scene = shop();
    scene.world.comment("ada", scene.pullRequest, "@codex review");
    scene.clock.jump(60 * SECOND);
    push(scene);
    scene.clock.jump(60 * SECOND);
    scene.world.on("commented", (event) => {
      if (!event.body.startsWith("@codex review\n<!--")) return;
      scene.world.after(SECOND, () => scene.world.react(CODEX, which(scene)?.id ?? "", "THUMBS_UP"));
    });
    const { report } = await drive(scene, { reviewers: [codex(required)] });
    expect([report.stop, report.remaining.map((item) => item.code)]).toEqual(["timed-out", ["review-requested"]]);
  });

  test("by a person is none, and one on the description holds for the head that it came after", async () => {
    const scene = shop();
    scene.world.on("commented", (event) => {
      if (!event.body.startsWith("@codex review\n<!--")) return;
      scene.world.after(30 * SECOND, () => scene.world.react("ada", request(scene), "THUMBS_UP"));
      scene.world.after(90 * SECOND, () => scene.world.react(CODEX, scene.pullRequest, "THUMBS_UP"));
    });
    const before = scene.clock.now();
    expect((await drive(scene, { reviewers: [codex(required)] })).report.stop).toBe("met");
    expect(scene.clock.now() - before).toBeGreaterThanOrEqual(90 * SECOND);
    scene.clock.jump(60 * SECOND);
    push(scene);
    const { report } = await drive(scene, { reviewers: [codex(required)] });
    expect([report.stop, report.remaining.map((item) => item.code)]).toEqual(["timed-out", ["review-requested"]]);
    expect(asks(scene)).toEqual(["@codex review", "@codex review"]);
  });

  test("is a sign that it takes part here, and does not outweigh what it finds", async () => {
    const scene = shop();
    scene.world.react(CODEX, scene.pullRequest, "THUMBS_UP");
    scene.clock.jump(60 * SECOND);
    scene.world.on("commented", (event) => {
      if (!event.body.startsWith("@codex review\n<!--")) return;
      scene.world.after(30 * SECOND, () =>
        scene.world.review(CODEX, scene.pullRequest, {
          state: "COMMENTED",
          commit: head(scene),
          body: `### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n\n**Reviewed commit:** \`${head(scene).slice(0, 10)}\``,
          comments: [
            {
              path: "src/a.ts",
              line: 2,
              body: "**<sub><sub>![P2 Badge](https://img.shields.io/badge/P2-yellow?style=flat)</sub></sub>  Two is one too many**",
            },
          ],
        }),
      );
    });
    const { report } = await drive(scene, { reviewers: [codex()] });
    expect(asks(scene)).toEqual(["@codex review"]);
    expect(report).toMatchObject({ reviewers: [{ reviewer: "codex", state: "reviewed", open: 1 }] });
    expect(report.stop).not.toBe("met");
  });
});

describe("one that gives no answer", () => {
  /** Greptile took part before the last push, and says nothing since. */
  const once = (): Scene => {
    const scene = shop();
    scene.world.comment(
      "greptile-apps",
      scene.pullRequest,
      `<h3>Greptile Summary</h3>\n\n<h3>Confidence Score: 5/5</h3>\n\n<sub>Last reviewed commit: ${head(scene)}</sub>\n`,
    );
    push(scene);
    return scene;
  };
  test.each([
    ["stop", {}, "timed-out"],
    ["go-on", {}, "met"],
    // A required one is never skipped.
    ["go-on", { required: true }, "timed-out"],
  ] as const)("missing: %s, %j", async (missing, more, stop) => {
    const scene = once();
    const { report } = await drive(scene, { reviewers: [greptile({ missing, ...more })] });
    expect(report.stop).toBe(stop);
    if (stop === "met")
      expect(report.notes).toContainEqual(expect.stringMatching(/^greptile gave no sign within \d+ s; went on without it$/));
    else expect(report.remaining).toMatchObject([{ code: "review-requested", name: "greptile" }]);
  });
  test("how long is the config's", async () => {
    const scene = once();
    const before = scene.clock.now();
    await drive(scene, { reviewers: [greptile({ wait: { timeout: "2m" } })] });
    expect(scene.clock.now() - before).toBeGreaterThanOrEqual(120 * SECOND);
    expect(scene.clock.now() - before).toBeLessThan(200 * SECOND);
  });
});

describe("one that starts by a push alone", () => {
  test.each([
    ["required", { required: true }, "timed-out"],
    ["seen before", {}, "met"],
  ] as const)("%s and silent: awaited for the time in which it starts, then told that nobody can call it", async (_which, more, stop) => {
    const scene = shop();
    scene.world.addBot("seer-by-sentry");
    scene.world.comment("seer-by-sentry", scene.pullRequest, "**Bug:** Off by one. <sub>Severity: HIGH | Confidence: 0.95</sub>");
    scene.clock.jump(60 * SECOND);
    push(scene);
    const before = scene.clock.now();
    const { report } = await drive(scene, { reviewers: [seer({ ...more, wait: { start: "4m" } })], settings: { identities: [] } });
    expect(report.stop).toBe(stop);
    expect(scene.clock.now() - before).toBeGreaterThanOrEqual(240 * SECOND);
    expect(scene.clock.now() - before).toBeLessThan(300 * SECOND);
    if (stop === "met") expect(report.notes).toContainEqual("seer gave no sign within 240 s; went on without it");
    else {
      expect(report.detail).toMatch(/^no answer from seer \(.*; it starts by a push and can't be called\)$/);
      expect(report.remaining).toMatchObject([{ code: "review-not-callable", who: "reviewer", name: "seer" }]);
    }
  });
});

describe("taking part", () => {
  const everyone = [greptile(), devin(), copilot(), coderabbit(), codex()];
  test("where none is installed nobody is asked, awaited or missed", async () => {
    const scene = shop();
    const { report, events } = await drive(scene, { reviewers: everyone });
    expect(report).toMatchObject({ stop: "met", remaining: [], reviewers: [], waits: [] });
    expect([asks(scene), events.filter((event) => event.type === "waiting")]).toEqual([[], []]);
  });
  test("who was seen on another pull request of the repository is asked here, and nobody else", async () => {
    const scene = shop();
    scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "other", files: { "src/c.ts": "c\n" }, message: "Other" });
    const other = scene.world.openPullRequest("ada", { repository: "ada/shop", head: "other", title: "Other" });
    scene.world.review(COPILOT, other, { state: "COMMENTED", body: OVERVIEW });
    answering(scene, 30 * SECOND);
    const { report } = await drive(scene, { reviewers: everyone });
    expect(report.stop).toBe("met");
    expect(asks(scene)).toEqual([COPILOT]);
  });
});
