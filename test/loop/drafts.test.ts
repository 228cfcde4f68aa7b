/** Drafts, and the reviewers that never look at one: the flip, and what Devin hides. */
import { expect, test } from "vitest";
import { scenario } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { devin } from "../../plugins/reviewers/devin.js";
import { greptile } from "../../plugins/reviewers/greptile.js";
import { mergeReady } from "../../plugins/targets/merge-ready.js";
import { drive } from "./driving.js";

const DEVIN = "devin-ai-integration";

const draft = () =>
  scenario()
    .pullRequest({ author: "ada", draft: true })
    .user("grace")
    .bot(DEVIN)
    .bot("greptile-apps")
    .file("src/a.ts", "one\n", "one\ntwo\n")
    .commands({ "npm test": () => 0 });

/** Starts by itself when the pull request becomes ready, as the real one does. */
const lives = (
  scene: Scene,
  body = "## ✅ Devin Review: No Issues Found\n\nDevin Review analyzed this PR and found no potential bugs to report.",
): void => {
  scene.world.on("ready", () => {
    scene.world.after(30_000, () =>
      scene.world.review(DEVIN, scene.pullRequest, { state: "COMMENTED", commit: scene.pullRequest.head.sha, body }),
    );
  });
};
const hidden = (count: number): string =>
  `**Devin Review** found 0 new potential issues.\n\n[View ${count} additional findings in Devin Review.](https://app.devin.ai/review/ada/shop/pull/1)`;

test("a draft never gets Devin's review: without markReadyFor it stays a draft, and a person is told", async () => {
  const scene = draft().build();
  lives(scene);
  const { report } = await drive(scene, { reviewers: [devin({ required: true })] });
  expect(scene.pullRequest.draft).toBe(true);
  expect(report.remaining).toMatchObject([{ code: "review-draft", who: "person" }]);
  expect(report.stop).toBe("waiting-for-people");
});

test("markReadyFor flips it and says so; then Devin's review is awaited", async () => {
  const scene = draft().build();
  lives(scene);
  const { report } = await drive(scene, { reviewers: [devin({ required: true })], settings: { markReadyFor: ["devin"] } });
  expect(scene.pullRequest.draft).toBe(false);
  expect(report.stop).toBe("met");
  expect(report.notes).toContain("The draft was marked ready for review: devin reviews no drafts");
});

test("another reviewer that skips drafts, the target's own wish and a person's open thread don't hold the flip", async () => {
  const scene = draft().thread({ by: "grace", path: "src/a.ts", line: 2, body: "Why two?" }).build();
  lives(scene);
  const { report } = await drive(scene, {
    reviewers: [greptile({ required: true }), devin({ required: true })],
    target: mergeReady(),
    settings: { markReadyFor: ["devin"], hasAgent: false },
  });
  expect(scene.pullRequest.draft).toBe(false);
  expect(report.reviewers.find((line) => line.reviewer === "devin")?.state).toBe("reviewed");
});

test("a reviewer that takes no part is no reason for a flip", async () => {
  const scene = draft().build();
  const { report } = await drive(scene, { reviewers: [devin()], target: mergeReady(), settings: { markReadyFor: ["devin"] } });
  expect(scene.pullRequest.draft).toBe(true);
  expect(report.remaining.map((item) => item.code)).toContain("draft");
});

test("flags that Devin hides are told in one line and are no threads", async () => {
  const scene = draft().build();
  lives(scene, hidden(3));
  const { report } = await drive(scene, { reviewers: [devin({ required: true })], settings: { markReadyFor: ["devin"] } });
  expect(report.stop).toBe("met");
  expect(report.notes).toContain("3 Devin flags not visible via API (see the Devin dashboard)");
  expect(report.reviewers).toMatchObject([{ reviewer: "devin", found: 0, open: 0, hidden: 3 }]);
});

test("Devin is asked by a push, never by a comment of ours", async () => {
  const scene = scenario()
    .pullRequest({ author: "ada" })
    .bot(DEVIN)
    .file("src/a.ts", "one\n", "one\ntwo\n")
    .commands({ "npm test": () => 0 })
    .build();
  scene.world.review(DEVIN, scene.pullRequest, { state: "COMMENTED", commit: scene.pullRequest.head.sha, body: hidden(0) });
  await scene.clock.advance(60_000);
  scene.world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.ts": "b\n" }, message: "More" });
  scene.world.after(60_000, () =>
    scene.world.review(DEVIN, scene.pullRequest, { state: "COMMENTED", commit: scene.pullRequest.head.sha, body: hidden(0) }),
  );
  const { report } = await drive(scene, { reviewers: [devin()] });
  expect(report.stop).toBe("met");
  expect(scene.pullRequest.comments).toEqual([]);
});
