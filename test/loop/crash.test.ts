/** Killed anywhere and started again: the same end, nothing twice. Every point between two effects is tried. */
import { describe, expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { acme, acmeBot } from "./acme.js";
import { drive } from "./driving.js";

const build = (): { scene: Scene; triggers: () => number } => {
  const scene = scenario()
    .pullRequest({ author: "ada" })
    .user("grace")
    .bot("acme-review")
    .file("src/a.ts", "one\n", "one\nx <= 1\ny <= 2\n")
    .thread({ by: "grace", path: "src/a.ts", line: 1, body: "Why one?" })
    .comment("grace", "Could you say in the description what this is for?")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach((thread) =>
        thread.isBot ? { kind: "actionable" } : { kind: "informational", reply: "Because it is the first." },
      ),
      fix: fixEach((thread, worktree) => {
        const variable = thread.title.startsWith("x") ? "x" : "y";
        worktree.write("src/a.ts", (worktree.read("src/a.ts") ?? "").replace(`${variable} <=`, `${variable} <`));
        return { summary: `${variable} compares with <`, files: ["src/a.ts"] };
      }),
    })
    .build();
  const bot = acmeBot(scene.world, scene.pullRequest, [
    { path: "src/a.ts", line: 2, body: "x is off by one.", stillIn: (text) => text.includes("x <=") },
    { path: "src/a.ts", line: 3, body: "y is off by one.", stillIn: (text) => text.includes("y <=") },
  ]);
  return { scene, triggers: bot.triggers };
};

/** What the world looks like to everybody: no ids, no times. */
const picture = ({ scene, triggers }: { scene: Scene; triggers: () => number }): object => ({
  threads: scene.pullRequest.threads.map((thread) => ({
    resolved: thread.resolved,
    by: thread.comments.map((comment) => comment.author),
    said: thread.comments.map((comment) => comment.body.replaceAll(/[0-9a-f]{10,}/g, "#").replaceAll(/<!--.*?-->/g, "")),
  })),
  conversation: scene.pullRequest.comments.map((comment) => comment.body.replaceAll(/[0-9a-f]{10,}/g, "#").replaceAll(/<!--.*?-->/g, "")),
  text: scene.world.git.fileAt(scene.pullRequest.repository, scene.pullRequest.head.sha, "src/a.ts"),
  pushes: scene.world.log.filter((event) => event.type === "pushed").length,
  triggers: triggers(),
});

const options = { reviewers: [acme()] };

const uninterrupted = async (): Promise<{ picture: object; appends: number; stop: unknown; writes: number }> => {
  const built = build();
  let appends = 0;
  built.scene.store.onAppend = () => {
    appends += 1;
  };
  const { report } = await drive(built.scene, options);
  const writes = built.scene.store.entries(built.scene.pullRequestRef).filter((entry) => entry.type === "intent").length;
  return { picture: picture(built), appends, stop: report.stop, writes };
};

describe("crashes", () => {
  test("at every entry of the journal, before and after it is on disk", { timeout: 120_000 }, async () => {
    const whole = await uninterrupted();
    expect(whole.stop).toBe("waiting-for-people");
    expect(whole.appends).toBeGreaterThan(25);
    for (let at = 1; at <= whole.appends; at += 1) {
      const built = build();
      let count = 0;
      built.scene.store.onAppend = () => {
        count += 1;
        if (count === at) {
          built.scene.store.crash();
          throw new Error("killed");
        }
      };
      await drive(built.scene, options);
      built.scene.store.onAppend = undefined;
      const { report } = await drive(built.scene, options);
      expect({ at, stop: report.stop, ...picture(built) }).toEqual({ at, stop: whole.stop, ...whole.picture });
    }
  });

  test("a lost answer of any write is settled by looking", { timeout: 120_000 }, async () => {
    const whole = await uninterrupted();
    for (let at = 1; at <= whole.writes; at += 1) {
      const built = build();
      built.scene.world.faults.set("lost-answer", { writes: [at] });
      const { report } = await drive(built.scene, options);
      expect({ at, stop: report.stop, ...picture(built) }).toEqual({ at, stop: whole.stop, ...whole.picture });
    }
  });

  test("a lost journal costs reads, never a second write", async () => {
    const built = build();
    await drive(built.scene, options);
    const before = picture(built);
    built.scene.store.lose();
    const { report } = await drive(built.scene, options);
    expect(report.stop).toBe("waiting-for-people");
    expect(picture(built)).toEqual(before);
  });
});
