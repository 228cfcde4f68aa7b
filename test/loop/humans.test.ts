/** People: asked again once, never dismissed, never hidden; and which of their posts are points. */
import { describe, expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { mergeReady } from "../../plugins/targets/merge-ready.js";
import { DEFAULTS, drive } from "./driving.js";

const shop = () =>
  scenario()
    .pullRequest({ author: "ada" })
    .user("grace")
    .file("src/a.ts", "one\ntwo\n", "one\n2\n")
    .commands({ "npm test": () => 0 })
    .agent({
      triage: triageEach((thread) =>
        /\?|Could/.test(thread.title)
          ? { kind: "informational", reply: "Two is what the docs say; one was considered." }
          : { kind: "actionable" },
      ),
      fix: fixEach((_thread, worktree) => {
        worktree.write("src/a.ts", "one\ntwo\n3\n");
        return { summary: "wrote it as a word", files: ["src/a.ts"] };
      }),
    });
const changes = (comments: readonly string[]) => ({
  state: "CHANGES_REQUESTED" as const,
  body: "",
  comments: comments.map((body) => ({ path: "src/a.ts", line: 2, body })),
});
const requested = (scene: Scene) => scene.world.log.flatMap((event) => (event.type === "review-requested" ? [event.login] : []));

describe("a review that requests changes", () => {
  test("its author is asked again, once per run, after every point is answered; the review is never dismissed", async () => {
    const scene = shop()
      .review("grace", changes(["Please write this as a word.", "Why two?"]))
      .build();
    const { report } = await drive(scene, { target: mergeReady() });
    expect(requested(scene)).toEqual(["grace"]);
    const order = scene.world.log.flatMap((event) => (["replied", "review-requested", "pushed"].includes(event.type) ? [event.type] : []));
    expect(order.slice(-4)).toEqual(["pushed", "replied", "replied", "review-requested"]);
    expect(scene.pullRequest.reviews.map((review) => review.state)).toEqual(["CHANGES_REQUESTED", "COMMENTED", "COMMENTED"]);
    expect(report.stop).toBe("waiting-for-people");
    expect(report.iterations.flatMap((line) => line.asked)).toMatchObject([{ reviewer: "@grace", state: "done" }]);
  });

  test("once per run, also where she requests changes again at once", async () => {
    const scene = shop()
      .review("grace", changes(["Please write this as a word."]))
      .build();
    let times = 0;
    scene.world.on("review-requested", () => {
      times += 1;
      if (times < 5) scene.world.review("grace", scene.pullRequest, changes([]));
    });
    const { report } = await drive(scene, { target: mergeReady() });
    expect(requested(scene)).toEqual(["grace"]);
    expect(report.stop).toBe("waiting-for-people");
  });

  test("not while one of the points waits for an answer", async () => {
    const scene = shop()
      .agent({
        triage: triageEach((thread) =>
          thread.title.includes("Why") ? { kind: "judgment", question: "?" } : { kind: "informational", reply: "So." },
        ),
      })
      .review("grace", changes(["Please write this as a word.", "Why two?"]))
      .build();
    await drive(scene, { target: mergeReady() });
    expect(requested(scene)).toEqual([]);
  });

  test("not where the config says never", async () => {
    const never = shop()
      .review("grace", changes(["Why two?"]))
      .build();
    await drive(never, { target: mergeReady(), settings: { people: { ...DEFAULTS.people, rerequest: "never" } } });
    expect(requested(never)).toEqual([]);
  });

  test("an approval since then is the newer opinion", async () => {
    const scene = shop()
      .review("grace", changes(["Why two?"]))
      .build();
    await scene.clock.advance(60_000);
    scene.world.review("grace", scene.pullRequest, { state: "APPROVED", body: "" });
    await drive(scene, { target: mergeReady() });
    expect(requested(scene)).toEqual([]);
  });
});

describe("threads of people", () => {
  test("cite the commit where something was changed, and say what was considered where nothing was; both stay open", async () => {
    const scene = shop()
      .thread({ by: "grace", path: "src/a.ts", line: 2, body: "Please write this as a word." })
      .thread({ by: "grace", path: "src/a.ts", line: 1, body: "Why two?" })
      .build();
    const { report } = await drive(scene);
    expect(scene.threads[0]?.comments.at(-1)?.body).toContain(`Fixed in ${report.head.slice(0, 10)}: wrote it as a word`);
    expect(scene.threads[1]?.comments.at(-1)?.body).toContain("one was considered");
    expect(scene.threads.map((thread) => thread.resolved)).toEqual([false, false]);
  });

  test("are resolved after the reply only where the config says so", async () => {
    const scene = shop().thread({ by: "grace", path: "src/a.ts", line: 1, body: "Why two?" }).build();
    const { report } = await drive(scene, { settings: { people: { ...DEFAULTS.people, resolve: "after-reply" } } });
    expect(report.stop).toBe("met");
    const order = scene.world.log.flatMap((event) => (["replied", "resolved"].includes(event.type) ? [event.type] : []));
    expect(order).toEqual(["replied", "resolved"]);
  });
});

describe("posts that are points", () => {
  test("a review body and a conversation comment that ask are open until answered; the answer quotes, is marked and is read back", async () => {
    const scene = shop()
      .review("grace", { state: "COMMENTED", body: "Could you say why two is right here?" })
      .comment("grace", "Could this be documented somewhere?")
      .build();
    const { report } = await drive(scene);
    const answers = scene.pullRequest.comments.filter((comment) => comment.author === "ada");
    expect(new Set(answers.map((comment) => comment.body.split("\n")[0]))).toEqual(
      new Set(["> Could this be documented somewhere?", "> Could you say why two is right here?"]),
    );
    expect(answers).toHaveLength(2);
    for (const answer of answers) expect(answer.body).toMatch(/\n<!-- reviewloop:1 \{.*"t":"(?:review|comment):\d+".*\} -->$/);
    expect(report.stop).toBe("met");
    // A second run finds both answered, by reading.
    await drive({ ...scene, ports: scene.portsFor("ada") } as Scene);
    expect(scene.pullRequest.comments.filter((comment) => comment.author === "ada")).toHaveLength(2);
  });

  test.each(["Thanks, this looks great!", "LGTM", "Rebased onto main.", ":tada:", "/retest"])("%j is none", async (body) => {
    const scene = shop().comment("grace", body).review("grace", { state: "APPROVED", body: "Nice work." }).build();
    const { report } = await drive(scene);
    expect(report).toMatchObject({ stop: "met", iterations: [] });
    expect(scene.pullRequest.comments).toHaveLength(1);
  });

  test("our own posts are none; the token's login without our marker is a person", async () => {
    const scene = shop()
      .user("ada-agent")
      .comment("ada-agent", "Should I also look at the other file?")
      .comment("ada", "Could somebody check the wording?")
      .build();
    const { report } = await drive(scene, { settings: { identities: ["ada-agent"] } });
    expect(report.iterations[0]?.decided.map((item) => item.title)).toEqual(["Could somebody check the wording?"]);
  });

  test("a heard one holds nothing and gets no answer; --all reopens it", async () => {
    const scene = shop().comment("grace", "Could you say why two is right?").build();
    await scene.clock.advance(60_000);
    scene.world.comment("ada", scene.pullRequest, "Done, see the last commit.");
    await scene.clock.advance(60_000);
    const { report } = await drive(scene);
    expect(report).toMatchObject({ stop: "met", iterations: [] });
    expect(report.notes.join()).toContain("1 older point was followed up before our first run");
    const { report: again } = await drive(scene, { all: true });
    expect(again.iterations[0]?.decided).toHaveLength(1);
  });
});
