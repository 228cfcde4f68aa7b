/** What leaves at the end: one comment that is kept up to date, and plain words. */
import { describe, expect, test } from "vitest";
import { scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { STICKY } from "../../core/index.js";
import { plainWords } from "../../plugins/tools/plain-words.js";
import { stickyComment } from "../../plugins/tools/sticky-comment.js";
import picocolors from "picocolors";
import { tableText } from "../../cli/print/formats.js";
import { reportText } from "../../cli/print/report.js";
import { acme } from "./acme.js";
import { drive, TOOLS } from "./driving.js";

const shop = (reply = "Because two is right.") =>
  scenario()
    .pullRequest({ author: "ada" })
    .user("grace")
    .bot("acme-review")
    .file("src/a.ts", "one\ntwo\n", "one\n2\n")
    .thread({ by: "grace", path: "src/a.ts", line: 2, body: "Why 2 @acme review?" })
    .commands({ "npm test": () => 0 })
    .agent({ triage: triageEach(() => ({ kind: "informational", reply })) });
const sticky = [...TOOLS, stickyComment()];
const stickies = (scene: Scene) => scene.pullRequest.comments.filter((comment) => comment.body.includes(STICKY));
const raise = (scene: Scene, line: number) =>
  scene.world.addThread("grace", scene.pullRequest, { path: "src/a.ts", line, body: `Why line ${line}?` });

describe("the lines of reviewers", () => {
  test("people and bots that no plugin reads have one too: what they raised, what became of it, and their opinion", async () => {
    const scene = shop().user("linus").user("mallory").user("nina").bot("odd-bot").build();
    const { world, pullRequest } = scene;
    world.setAccess("ada/shop", "grace", "write");
    world.review("grace", pullRequest, { state: "CHANGES_REQUESTED", body: "Could you say what it counts?" });
    world.review("linus", pullRequest, { state: "APPROVED", body: "" });
    world.requestReview("ada", pullRequest, "mallory");
    world.addThread("odd-bot", pullRequest, { path: "src/a.ts", line: 1, body: "Is one right?" });
    world.review("ada", pullRequest, { state: "COMMENTED", body: "Thanks, looks good!" });
    // A comment after an opinion does not change it, and an answer in a thread, which makes an empty review, is no review.
    world.review("linus", pullRequest, { state: "COMMENTED", body: "Thanks, looks good!" });
    const done = world.addThread("odd-bot", pullRequest, { path: "src/a.ts", line: 2, body: "Is two right?" });
    world.replyToThread("nina", done, "It is.");
    world.resolve("ada", done);
    const { report } = await drive(scene, { tools: sticky });
    const zero = { found: 0, fixed: 0, answered: 0, declined: 0, resolved: 0, open: 0, required: false };
    expect(report.reviewers).toMatchObject([
      { ...zero, reviewer: "@grace", state: "requested", reason: "changes requested", found: 2, answered: 2, declined: 2, open: 1 },
      { ...zero, reviewer: "@linus", state: "reviewed", reason: "approved", head: pullRequest.head.sha },
      { ...zero, reviewer: "@mallory", state: "requested" },
      { ...zero, reviewer: "odd-bot", state: "absent", found: 2, answered: 1, declined: 1, resolved: 2 },
    ]);
    expect(reportText(report, picocolors.createColors(false))).toMatch(/^ {2}@linus +approved /m);
    expect(tableText(report)).toContain("| `@linus` | approved |");
    // In a comment a name is no call.
    expect(stickies(scene)[0]?.body).toMatch(/^\| @.*linus \| approved \|/m);
    expect(stickies(scene)[0]?.body).not.toContain("@linus");
  });
});

describe("sticky-comment", () => {
  test("is off by default: the report goes to the caller, and no comment is made", async () => {
    const scene = shop().build();
    await drive(scene);
    expect(scene.pullRequest.comments).toEqual([]);
  });

  test("is made once and edited in place by every later run", async () => {
    const scene = shop().build();
    await drive(scene, { tools: sticky });
    expect(stickies(scene)).toHaveLength(1);
    const [comment] = stickies(scene);
    expect(comment?.body.startsWith(`${STICKY}\n**review-clean: waiting-for-people**`)).toBe(true);
    expect(comment?.body).toContain("**Remaining (1)**");
    await scene.clock.advance(60_000);
    raise(scene, 1);
    await drive(scene, { tools: sticky });
    expect(stickies(scene)).toHaveLength(1);
    expect(comment?.body).toContain("**Remaining (2)**");
    expect(comment?.updatedAt).toBeGreaterThan(comment?.createdAt ?? 0);
  });

  test("is left alone where nothing is new", async () => {
    const scene = shop().build();
    await drive(scene, { tools: sticky });
    const before = scene.world.log.length;
    await drive(scene, { tools: sticky });
    expect(scene.world.log.slice(before).filter((event) => event.type === "edited" || event.type === "commented")).toEqual([]);
  });

  test("takes over the one that the account had before, and nobody else's copy of the mark", async () => {
    const scene = shop().build();
    const mine = scene.world.comment("ada", scene.pullRequest, `${STICKY}\nReport of an older tool: please wait?`);
    const theirs = scene.world.comment("grace", scene.pullRequest, `${STICKY}\nNice trick`);
    const { report } = await drive(scene, { tools: sticky });
    expect(theirs.body).toBe(`${STICKY}\nNice trick`);
    expect(mine.body).toContain("review-clean: waiting-for-people");
    expect(scene.pullRequest.comments).toHaveLength(2 + 1);
    expect(report.remaining.some((item) => item.why.includes("older tool"))).toBe(false);
  });

  test("never becomes a thread, with the tool or without it, and starts no bot", async () => {
    const scene = shop().build();
    await drive(scene, { tools: sticky, reviewers: [acme()] });
    expect(stickies(scene)[0]?.body).not.toMatch(/@acme review/);
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report.iterations).toEqual([]);
    expect(report.remaining).toHaveLength(1);
  });

  test("a look, a plan and a run that waits for a yes leave none", async () => {
    const scene = shop().build();
    await drive(scene, { tools: sticky, plan: true });
    await drive(scene, { tools: sticky, reportOnly: true });
    const asked: string[] = [];
    const refuse = async (_writes: readonly unknown[], why: string): Promise<boolean> => asked.push(why) < 0;
    const { report } = await drive(scene, { tools: sticky, yes: false, approve: refuse, settings: { configured: false } });
    expect(report.stop).toBe("needs-approval");
    expect(scene.pullRequest.comments).toEqual([]);
    expect(asked.splice(0)).toHaveLength(1);
    const clean = scenario()
      .pullRequest({ author: "ada" })
      .commands({ "npm test": () => 0 })
      .build();
    await drive(clean, { tools: sticky, yes: false, approve: refuse, settings: { configured: false } });
    // Its first write in this repository would be the comment: that, too, is asked for.
    expect(asked).toEqual(["the first run in this repository"]);
    expect(clean.pullRequest.comments).toEqual([]);
  });

  test("is written also when the run stops early", async () => {
    const scene = scenario()
      .pullRequest({ author: "ada" })
      .thread({ by: "grace", path: "src/main.ts", line: 1, body: "Why?" })
      .commands({ "npm test": () => ({ exitCode: 1, output: "red" }) })
      .agent({})
      .build();
    const { report } = await drive(scene, { tools: [...TOOLS.filter((tool) => tool.name !== "agent-fix"), stickyComment()] });
    expect(report.stop).toBe("gate-red");
    expect(stickies(scene)[0]?.body).toContain("review-clean: gate-red");
  });
});

describe("plain-words", () => {
  const said = (scene: Scene): string => scene.threads[0]?.comments.at(-1)?.body.split("\n")[0] ?? "";
  const wordy = "Great catch! It is worth noting that two is right here. Let me know if you have any questions.";

  test("takes filler, praise and boilerplate out of a reply", async () => {
    const scene = shop(wordy).build();
    await drive(scene, { tools: [...TOOLS, plainWords()] });
    expect(said(scene)).toBe("Two is right here.");
    const as = shop(wordy).build();
    await drive(as);
    expect(said(as)).toContain("Great catch!");
  });

  test("or hands it to a command of the user's, on its standard input", async () => {
    const inputs: (string | undefined)[] = [];
    const scene = shop(wordy)
      .commands({
        "npx unslop": (_worktree, task) => {
          inputs.push(task.input);
          return { exitCode: 0, output: "Two it is.\n" };
        },
      })
      .build();
    await drive(scene, { tools: [...TOOLS, plainWords({ run: "npx unslop" })] });
    expect(inputs).toEqual(["Two is right here.\n"]);
    expect(said(scene)).toBe("Two it is.");
  });

  test.each([
    ["it fails", { exitCode: 1, output: "no" }],
    ["it is not there", { started: false }],
    ["it prints nothing", { exitCode: 0, output: "  \n" }],
    ["it loses code", { exitCode: 0, output: "Two is right." }],
  ])("where %s, the reply goes out without it", async (_why, answer) => {
    const scene = shop("`two()` is right here.")
      .commands({ "npx unslop": () => answer })
      .build();
    const { report } = await drive(scene, { tools: [...TOOLS, plainWords({ run: "npx unslop" })] });
    expect(said(scene)).toBe("`two()` is right here.");
    expect(report.notes.join()).toContain("gave no usable text");
  });

  test("keeps the report and the sticky comment plain", async () => {
    const scene = shop()
      .agent({ triage: triageEach(() => ({ kind: "judgment", why: "x", question: "Great point! Is speed worth it?" })) })
      .build();
    const { report } = await drive(scene, { tools: [...TOOLS, plainWords(), stickyComment()] });
    expect(report.remaining[0]?.why).toContain("Is speed worth it?");
    expect(report.remaining[0]?.why).not.toContain("Great point");
    expect(stickies(scene)[0]?.body).not.toContain("Great point");
    expect(stickies(scene)[0]?.body).toContain(STICKY);
  });
});
