/** Greptile as the loop meets it: asked once, a result only when it is one, a fresh score, older triggers hidden. */
import { describe, expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import type { IssueCommentRecord } from "../../sandbox/world/records.js";
import { greptile } from "../../plugins/reviewers/greptile.js";
import { DEFAULTS, drive } from "./driving.js";

const BOT = "greptile-apps";
const point = (title: string) => `### Issue 1 of 1
src/a.ts:2
**${title}**

It runs once too often.
`;

const summary = (score: number, head: string, more: { readonly points?: string; readonly lead?: string } = {}) =>
  [
    "<h3>Greptile Summary</h3>",
    "",
    more.lead ?? "Counts to n.",
    "",
    `<h3>Confidence Score: ${score}/5</h3>`,
    "",
    ...(more.points === undefined
      ? []
      : ["<details><summary>Prompt To Fix All With AI</summary>", "", "`````markdown", more.points, "`````", "", "</details>", ""]),
    `<sub>Reviews (1): Last reviewed commit: ["Count"](https://github.test/ada/shop/commit/${head})</sub>`,
  ].join("\n");

const shop = (draft = false) =>
  scenario()
    .pullRequest({ author: "ada", draft })
    .user("grace")
    .bot(BOT)
    .file("src/a.ts", "one\ntwo\n", "one\nfor (i = 0; i <= n; i++)\n")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach((thread) =>
        thread.title.includes("Off by one") ? { kind: "actionable" } : { kind: "informational", reply: "It is meant so." },
      ),
      fix: fixEach((_thread, worktree) => {
        worktree.write("src/a.ts", (worktree.read("src/a.ts") ?? "").replace("<=", "<"));
        return { summary: "compares with < now", files: ["src/a.ts"] };
      }),
    });

/** Its summary so far, and what it does after each of our triggers. */
const bot = (
  scene: Scene,
  onTrigger: (step: {
    readonly edit: (body: string) => void;
    readonly head: string;
    readonly after: (ms: number, act: () => void) => void;
  }) => void,
  first: string | undefined = summary(3, scene.pullRequest.head.sha, { points: point("Off by one in the loop") }),
): { readonly summary: () => IssueCommentRecord | undefined } => {
  let comment = first === undefined ? undefined : scene.world.comment(BOT, scene.pullRequest, first);
  const edit = (body: string): void => {
    if (comment === undefined) comment = scene.world.comment(BOT, scene.pullRequest, body);
    else scene.world.editComment(BOT, comment, body);
  };
  scene.world.on("commented", (event) => {
    if (event.body.startsWith("@greptile") && event.actor !== BOT)
      onTrigger({ edit, head: scene.pullRequest.head.sha, after: (ms, act) => void scene.world.after(ms, act) });
  });
  return { summary: () => comment };
};
const check = (scene: Scene, status: "IN_PROGRESS" | "COMPLETED" = "IN_PROGRESS", name = "Greptile Review") =>
  scene.world.createCheck(BOT, {
    repository: scene.pullRequest.repository,
    head: scene.pullRequest.head.sha,
    name,
    status,
    ...(status === "COMPLETED" ? { conclusion: "SUCCESS" as const } : {}),
  });
const triggers = (scene: Scene) => scene.pullRequest.comments.filter((comment) => comment.body.startsWith("@greptile"));

describe("the trigger", () => {
  test("is a new comment with the mention of the config and our hidden marker, nothing else; once per push", async () => {
    const scene = shop().build();
    bot(scene, ({ edit, head, after }) => {
      const run = check(scene);
      after(60_000, () => {
        edit(summary(5, head));
        scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
      });
    });
    const { report } = await drive(scene, { reviewers: [greptile({ trigger: "@greptileai please look" })] });
    expect(report.stop).toBe("met");
    expect(triggers(scene)).toHaveLength(1);
    expect(triggers(scene)[0]?.body).toMatch(/^@greptileai please look\n<!-- reviewloop:1 \{[^\n]*\} -->$/);
    expect(report.reviewers).toMatchObject([{ reviewer: "greptile", score: "5/5", head: report.head }]);
  });

  test("is not sent while a run is in progress, whatever the case of its name", async () => {
    const scene = shop().build();
    const run = check(scene, "IN_PROGRESS", "greptile-apps / REVIEW");
    scene.world.after(120_000, () => {
      scene.world.comment(BOT, scene.pullRequest, summary(5, scene.pullRequest.head.sha));
      scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
    });
    const { report } = await drive(scene, { reviewers: [greptile()] });
    expect(report.stop).toBe("met");
    expect(triggers(scene)).toEqual([]);
  });
});

describe("a result", () => {
  const after = async (act: Parameters<typeof bot>[1], scene = shop().build(), options = {}) => {
    bot(scene, act);
    const settings = { wait: { ...DEFAULTS.wait, settle: 1000 } };
    return { ...(await drive(scene, { reviewers: [greptile(options)], settings })), scene };
  };

  test("needs the check to have ended: a summary that was edited before is not read", async () => {
    const scene = shop().build();
    const { report } = await after(({ edit, head, after: later }) => {
      const run = check(scene);
      later(10_000, () => edit(summary(2, head)));
      later(50_000, () => {
        edit(summary(5, head));
        scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
      });
    }, scene);
    expect(report.stop).toBe("met");
    expect(report.reviewers[0]?.score).toBe("5/5");
  });

  test("needs a summary newer than the trigger: a check that ended beside an unchanged one is none, and times out", async () => {
    const scene = shop().build();
    const { report } = await after(({ after: later }) => {
      const run = check(scene);
      later(10_000, () => scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" }));
    }, scene);
    expect(report.stop).toBe("timed-out");
    expect(report.reviewers[0]?.score).toBeUndefined();
  });

  test("without any check run it is the newer summary with a score, after three looks", async () => {
    let edited = 0;
    const scene = shop().build();
    const { report, events } = await after(({ edit, head, after: later }) => {
      later(2_000, () => {
        edited = scene.clock.now();
        edit(summary(5, head));
      });
    }, scene);
    expect(report.stop).toBe("met");
    const asked = triggers(scene)[0]?.createdAt ?? 0;
    const read = events.filter((event) => event.type === "read").map((event) => event.at);
    // The first look after the edit believes nothing yet; the one that is due by time alone does.
    expect(edited - asked).toBeLessThan(10_000);
    expect(read.some((at) => at >= edited && at < asked + 30_000)).toBe(true);
    expect(report.endedAt).toBeGreaterThanOrEqual(asked + 30_000);
    expect(report.endedAt).toBeLessThan(asked + 120_000);
  });

  test("a summary without a score and without a check run is none", async () => {
    const { report } = await after(({ edit, head, after: later }) => {
      later(5_000, () => edit(summary(5, head).replace(/<h3>Confidence.*\n/, "")));
    });
    expect(report.stop).toBe("timed-out");
  });

  test("is bound to the head that its footer names: a 5/5 of an older commit never counts", async () => {
    const scene = shop().build();
    const old = scene.pullRequest.head.sha;
    const { report } = await after(({ edit, after: later }) => {
      const run = check(scene);
      later(10_000, () => {
        edit(summary(5, old));
        scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
      });
    }, scene);
    expect(report.stop).not.toBe("met");
  });
});

describe("the score", () => {
  test("less than 5/5 holds review-clean, and is told", async () => {
    const scene = shop().build();
    bot(scene, ({ edit, head, after }) => {
      const run = check(scene);
      after(10_000, () => {
        edit(summary(4, head));
        scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
      });
    });
    const { report } = await drive(scene, { reviewers: [greptile()] });
    expect(report.remaining).toMatchObject([{ code: "score-low" }]);
    expect(report.reviewers[0]?.score).toBe("4/5");
  });

  const described = (scene: Scene, text: string, editor = BOT): void =>
    scene.world.editDescription(editor, scene.pullRequest, `What it is for.\n\n${text}`);
  const block = (text: string) => `<!-- greptile_comment -->\n${text}\n<!-- /greptile_comment -->`;

  test.each([
    [
      "inside its markers, by its own hand, naming the head",
      (scene: Scene) => described(scene, block(summary(5, scene.pullRequest.head.sha))),
      "met",
    ],
    ["outside of its markers", (scene: Scene) => described(scene, summary(5, scene.pullRequest.head.sha)), "timed-out"],
    ["by somebody else's hand", (scene: Scene) => described(scene, block(summary(5, scene.pullRequest.head.sha)), "ada"), "timed-out"],
    [
      "naming another commit",
      (scene: Scene) => described(scene, block(summary(5, "0123456789012345678901234567890123456789"))),
      "timed-out",
    ],
    ["not naming a commit", (scene: Scene) => described(scene, block(summary(5, "").replace(/\["Count.*\)/, "none"))), "timed-out"],
  ] as const)("in the description: %s", async (_how, act, stop) => {
    const scene = shop().build();
    scene.world.setAccess("ada/shop", BOT, "write");
    act(scene);
    const { report } = await drive(scene, { reviewers: [greptile({ required: true })] });
    expect(report.stop).toBe(stop);
  });

  test("a summary comment goes before the description", async () => {
    const scene = shop().build();
    const head = scene.pullRequest.head.sha;
    scene.world.setAccess("ada/shop", BOT, "write");
    scene.world.comment(BOT, scene.pullRequest, summary(3, head));
    await scene.clock.advance(60_000);
    described(scene, block(summary(5, head)));
    const { report } = await drive(scene, { reviewers: [greptile()] });
    expect(report.reviewers[0]?.score).toBe("3/5");
    expect(report.stop).not.toBe("met");
  });
});

describe("points of the summary", () => {
  test("each item of the prompt to fix all is open until it is fixed or answered, though no thread stands for it", async () => {
    const scene = shop().build();
    bot(
      scene,
      ({ edit, head, after }) => {
        const run = check(scene);
        after(10_000, () => {
          edit(summary(5, head));
          scene.world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
        });
      },
      summary(5, scene.pullRequest.head.sha, { points: point("Off by one in the loop") }),
    );
    const { report } = await drive(scene, { reviewers: [greptile()] });
    expect(report.stop).toBe("met");
    expect(report.pushes).toHaveLength(1);
    const answer = scene.pullRequest.comments.find((comment) => comment.body.includes("Fixed in"));
    expect(answer?.body).toContain("> Off by one in the loop (`src/a.ts:2`)");
    // The summary no longer has it; the report still tells what became of it.
    expect(report.reviewers).toMatchObject([{ reviewer: "greptile", found: 1, fixed: 1, answered: 1, open: 0 }]);
  });

  test("one that is answered stays answered when the summary is edited around it, and opens again when its words change", async () => {
    const scene = shop().build();
    const head = scene.pullRequest.head.sha;
    const at = bot(scene, () => {}, summary(5, head, { points: point("A name that says nothing") }));
    const first = await drive(scene, { reviewers: [greptile()] });
    expect(first.report.stop).toBe("met");
    const answers = () => scene.pullRequest.comments.filter((comment) => comment.body.includes("It is meant so.")).length;
    expect(answers()).toBe(1);
    const comment = at.summary();
    if (comment === undefined) throw new Error("no summary");
    await scene.clock.advance(60_000);
    scene.world.editComment(BOT, comment, summary(5, head, { points: point("A name that says nothing"), lead: "Other words." }));
    await drive(scene, { reviewers: [greptile()] });
    expect(answers()).toBe(1);
    await scene.clock.advance(60_000);
    const changed = point("A name that says nothing").replace("once too often", "twice too often");
    scene.world.editComment(BOT, comment, summary(5, head, { points: changed }));
    await drive(scene, { reviewers: [greptile()] });
    expect(answers()).toBe(2);
  });
});

describe("older triggers", () => {
  test("are hidden as outdated after the result: by marker and in prose of agents' accounts, never the latest, never a person's", async () => {
    const scene = shop().user("ada-agent").build();
    const { world, pullRequest } = scene;
    const say = (login: string, body: string) => world.comment(login, pullRequest, body);
    const byAgent = say("ada-agent", "I worked through all of it, @greptile-apps, so please have another look.");
    const exact = say("ada-agent", "@greptile-apps review");
    const quoted = say("ada-agent", "> @greptile-apps review\n\nSee above.");
    const byPerson = say("grace", "@greptile-apps review");
    const byOwner = say("ada", "@greptileai review this please");
    await scene.clock.advance(600_000);
    let hiddenAtResult = -1;
    bot(scene, ({ edit, head, after }) => {
      const run = check(scene);
      after(20_000, () => {
        hiddenAtResult = pullRequest.comments.filter((comment) => comment.minimised !== undefined).length;
        edit(summary(5, head));
        world.updateCheck(BOT, run, { conclusion: "SUCCESS" });
      });
    });
    const { report } = await drive(scene, { reviewers: [greptile()], settings: { identities: ["ada-agent"] } });
    expect(report.stop).toBe("met");
    expect(hiddenAtResult).toBe(0);
    expect([byAgent, exact].map((comment) => comment.minimised)).toEqual(["outdated", "outdated"]);
    expect([quoted, byPerson, byOwner].map((comment) => comment.minimised)).toEqual([undefined, undefined, undefined]);
    const latest = triggers(scene)
      .filter((comment) => comment.body.includes("reviewloop:1"))
      .at(-1);
    expect(latest?.minimised).toBeUndefined();
    // Nobody else's was even tried.
    expect(report.notes.filter((note) => note.includes("minimise"))).toEqual([]);
    // Hidden, never deleted.
    expect(pullRequest.comments).toEqual(expect.arrayContaining([byAgent, exact]));
  });
});
