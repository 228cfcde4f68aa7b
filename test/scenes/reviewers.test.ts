import { describe, expect, it } from "vitest";
import { BODIES, coderabbit, copilot, devin, greptile, person, prReviewer } from "../../sandbox/reviewers/index.js";
import type { Actor, Stage } from "../../sandbox/reviewers/index.js";
import { addBots, addPeople } from "../../sandbox/scenes/setting.js";
import { virtualClock } from "../../sandbox/kit/virtual-clock.js";
import { createWorld } from "../../sandbox/world/index.js";

const author = BODIES.people.author;
const reviewer = BODIES.people.reviewer;
const PATH = "src/boxes.mjs";

const LOOP = (sign: string): string =>
  `/** Adds up. */\nexport function totalOfBoxes(boxes) {\n  let total = 0;\n  for (let index = 0; index ${sign} boxes.length; index += 1) {\n    total += boxes[index].size;\n  }\n  return total;\n}\n`;
const RETRIES = (sign: string): string =>
  `/** How often. */\nexport function boxRetries(options) {\n  const retries = options.retries ${sign} 3;\n  return retries;\n}\n`;
const SPREAD = `/** How far. */\nexport function boxSpread(boxes) {\n  const d2 = boxes.map((box) => box.size);\n  return Math.max(...d2);\n}\n`;
const WRONG = [LOOP("<="), RETRIES("||"), SPREAD].join("\n");
const RIGHT = [LOOP("<"), RETRIES("??"), SPREAD].join("\n");

/** A pull request that adds one file, and a file of the base that it leaves alone. */
const small = (options: { readonly draft?: boolean; readonly head?: string; readonly base?: string } = {}) => {
  const clock = virtualClock();
  const world = createWorld({ clock });
  addBots(world);
  addPeople(world);
  const repository = "corner-works/boxes" as const;
  const files = { "src/old.mjs": options.base ?? LOOP("<").replace("totalOfBoxes", "totalOfOld") };
  world.addRepository(repository, { files, access: { [author]: "write", [reviewer]: "write" } });
  const push = (text: string) => world.commitAndPush(author, { repository, branch: "topic", files: { [PATH]: text }, message: "Boxes" });
  push(options.head ?? WRONG);
  const pullRequest = world.openPullRequest(author, { repository, head: "topic", title: "Boxes", draft: options.draft ?? false });
  const stage: Stage = { world, pullRequest, basePaths: Object.keys(files), pace: { start: 1000, work: 5000 } };
  const live = <A extends Actor>(actor: A): A => {
    actor.attach();
    return actor;
  };
  const by = (login: string) => ({
    comments: pullRequest.comments.filter((comment) => comment.author === login).map((comment) => comment.body),
    reviews: pullRequest.reviews.filter((review) => review.author === login),
    threads: pullRequest.threads.filter((thread) => thread.comments[0]?.author === login),
  });
  return { clock, world, repository, pullRequest, stage, push, live, by };
};

describe("Greptile", () => {
  const { login } = BODIES.greptile;
  const kinds = ["loop-bound"] as const;

  it("works on a new comment that mentions it, shows that it works, and edits its one summary", async () => {
    const { clock, world, pullRequest, stage, push, live, by } = small();
    const bot = live(greptile(stage, { kinds }));
    bot.review();
    expect(by(login).comments.join()).toMatch(/Confidence Score: 4\/5[\s\S]*Reviews \(1\)/);
    const head = push(RIGHT);
    await clock.advance(60_000);
    expect(by(login).comments.join()).toContain("Reviews (1)");

    const trigger = world.comment(author, pullRequest, "@greptileai review\n\n<!-- ours -->");
    world.comment(author, pullRequest, "@greptile again, while you are at it");
    await clock.advance(1500);
    expect(trigger.reactions.map((reaction) => reaction.content)).toEqual(["EYES"]);
    expect(world.checksOf(pullRequest.repository, head).map((check) => check.status)).toEqual(["IN_PROGRESS"]);
    expect(by(login).comments.join()).toContain("Reviews (1)");
    await clock.advance(60_000);
    expect(by(login).comments).toHaveLength(1);
    expect(by(login).comments[0]).toMatch(/Confidence Score: 5\/5[\s\S]*Reviews \(2\)/);
    expect(by(login).comments[0]).toContain(head);
    expect(world.checksOf(pullRequest.repository, head).map((check) => check.conclusion)).toEqual(["SUCCESS"]);
  });

  it.each([
    ["a quoted mention", "> @greptileai review"],
    ["another account that begins alike", "@greptileai-fan what do you think?"],
    ["a comment without it", "review please"],
  ])("does not start on %s", async (_, body) => {
    const { clock, world, pullRequest, stage, live, by } = small();
    live(greptile(stage, { kinds }));
    world.comment(author, pullRequest, body);
    await clock.advance(60_000);
    expect(by(login).comments).toEqual([]);
  });

  it("ignores an edited comment, and a draft until it is ready", async () => {
    const { clock, world, pullRequest, stage, live, by } = small({ draft: true });
    live(greptile(stage, { kinds }));
    const comment = world.comment(author, pullRequest, "review");
    world.editComment(author, comment, "@greptileai review");
    await clock.advance(60_000);
    expect(by(login).comments).toEqual([]);
    world.markReady(author, pullRequest);
    await clock.advance(60_000);
    expect(by(login).comments).toHaveLength(1);
    expect(by(login).threads).toHaveLength(1);
  });

  it("names in the summary alone what lies outside of the diff, until it is repaired", async () => {
    const { clock, world, pullRequest, repository, stage, live, by } = small({
      head: RIGHT,
      base: LOOP("<=").replace("totalOfBoxes", "totalOfOld"),
    });
    const bot = live(greptile(stage, { kinds, layout: "v2" }));
    bot.review();
    expect(by(login).threads).toEqual([]);
    expect(by(login).comments[0]).toMatch(/greptile_failed_comments[\s\S]*src\/old\.mjs[\s\S]*greptile_confidence_score:4/);
    const files = { "src/old.mjs": LOOP("<").replace("totalOfBoxes", "totalOfOld") };
    world.commitAndPush(author, { repository, branch: "topic", files, message: "Repair" });
    world.comment(author, pullRequest, "@greptileai");
    await clock.advance(60_000);
    expect(by(login).comments[0]).not.toContain("greptile_failed_comments");
    expect(by(login).comments[0]).toContain("greptile_confidence_score:5");
  });

  it("reports again what was closed without a repair", async () => {
    const { clock, world, pullRequest, stage, live, by } = small();
    const bot = live(greptile(stage, { kinds }));
    bot.review();
    const [thread] = by(login).threads;
    world.resolve(author, thread?.id ?? "");
    world.comment(author, pullRequest, "@greptileai review");
    await clock.advance(60_000);
    expect(by(login).threads.map((each) => each.resolved)).toEqual([true, false]);
  });

  it("says so when its reviews are used up, and can be silent or slow", async () => {
    const { clock, world, pullRequest, stage, live, by } = small();
    const bot = live(greptile(stage, { kinds, quota: 1 }));
    bot.review();
    world.comment(author, pullRequest, "@greptileai review");
    await clock.advance(60_000);
    expect(by(login).reviews.at(-1)?.body).toContain("review credits");
    expect(by(login).comments[0]).toContain("Reviews (1)");

    const other = small();
    other.live(greptile(other.stage, { kinds }));
    other.world.faults.set("slow-reviewer", { milliseconds: 100_000 });
    other.world.comment(author, other.pullRequest, "@greptileai review");
    await other.clock.advance(90_000);
    expect(other.by(login).comments).toEqual([]);
    await other.clock.advance(200_000);
    expect(other.by(login).comments).toHaveLength(1);
    other.world.faults.clear();
    other.world.faults.set("silent-reviewer");
    other.world.comment(author, other.pullRequest, "@greptileai review");
    await other.clock.advance(500_000);
    expect(other.by(login).comments[0]).toContain("Reviews (1)");
  });
});

describe("Devin Review", () => {
  const { login } = BODIES.devin;
  const kinds = ["loop-bound"] as const;

  it("starts by itself on a push, and answers where its point was repaired", async () => {
    const { clock, stage, push, live, by } = small();
    live(devin(stage, { kinds })).review();
    expect(by(login).reviews.at(-1)?.body).toContain("found 1 potential issue.");
    push(RIGHT);
    await clock.advance(2000);
    expect(by(login).comments).toEqual([BODIES.devin.starting, BODIES.devin.starting]);
    await clock.advance(60_000);
    expect(by(login).reviews.at(-1)?.body).toContain("No Issues Found");
    const [thread] = by(login).threads;
    expect(thread?.comments.at(-1)?.body).toMatch(/^✅ \*\*Resolved\*\*/);
    expect(thread?.resolved).toBe(false);
  });

  it("reviews the newest of two pushes only", async () => {
    const { clock, stage, push, live, by } = small();
    live(devin(stage, { kinds }));
    push(RIGHT);
    await clock.advance(3000);
    const head = push(WRONG);
    await clock.advance(60_000);
    expect(by(login).reviews.map((review) => review.commit)).toEqual([head]);
  });

  it("leaves drafts alone, comes when they are ready, and on its command", async () => {
    const { clock, world, pullRequest, stage, push, live, by } = small({ draft: true });
    live(devin(stage, { kinds, hidden: 2 }));
    push(`${WRONG}\n`);
    await clock.advance(60_000);
    expect(by(login).comments).toEqual([]);
    world.markReady(author, pullRequest);
    await clock.advance(60_000);
    expect(by(login).reviews.at(-1)?.body).toContain("View 2 additional findings in Devin Review.");
    world.comment(author, pullRequest, "/devin review");
    await clock.advance(60_000);
    expect(by(login).reviews).toHaveLength(2);
  });
});

describe("Copilot", () => {
  const { login } = BODIES.copilot;
  const kinds = ["zero-default", "short-name"] as const;

  it("reviews on request only, and its overview names its threads", async () => {
    const { clock, world, pullRequest, stage, push, live, by } = small();
    live(copilot(stage, { kinds, suggests: ["zero-default"] }));
    push(`${WRONG}\n`);
    world.comment(author, pullRequest, "@copilot review");
    await clock.advance(60_000);
    expect(by(login).reviews).toEqual([]);
    world.requestReview(author, pullRequest, login);
    await clock.advance(60_000);
    expect(pullRequest.requests).toEqual([]);
    const ids = by(login).threads.map((thread) => thread.comments[0]?.databaseId);
    const body = by(login).reviews.at(-1)?.body ?? "";
    expect([...body.matchAll(/#discussion_r(\d+)/g)].map((match) => Number(match[1]))).toEqual(ids);
    expect(by(login).threads[0]?.comments[0]?.body).toContain("```suggestion\n  const retries = options.retries ?? 3;\n```");
    expect(by(login).threads[1]?.comments[0]?.body).toMatch(/^\[nitpick\]/);
  });

  it("resolves what was repaired, and does not repeat a remark that was answered", async () => {
    const { clock, world, pullRequest, stage, push, live, by } = small();
    live(copilot(stage, { kinds })).review();
    const [slip, remark] = by(login).threads;
    world.replyToThread(author, remark?.id ?? "", "I keep it.");
    push(RIGHT);
    world.requestReview(author, pullRequest, login);
    await clock.advance(60_000);
    expect(slip).toMatchObject({ resolved: true, resolvedBy: login });
    expect(by(login).threads).toHaveLength(2);
    expect(by(login).reviews.at(-1)?.body).toMatch(/Approval recommended[\s\S]*Resolved since last review \(1\)/);
  });

  it("says so when the quota is used up", async () => {
    const { clock, world, pullRequest, stage, live, by } = small();
    live(copilot(stage, { kinds, quota: 0 }));
    world.requestReview(author, pullRequest, login);
    await clock.advance(60_000);
    expect(by(login).reviews.map((review) => review.body)).toEqual([BODIES.copilot.quota]);
  });
});

describe("CodeRabbit", () => {
  const { login } = BODIES.coderabbit;
  const kinds = ["zero-default", "short-name"] as const;

  it("edits one comment from working to done, sets a status, and closes what was repaired", async () => {
    const { clock, world, repository, stage, push, live, by } = small();
    live(coderabbit(stage, { kinds, suggests: ["zero-default"] })).review();
    expect(by(login).reviews.at(-1)?.body).toMatch(/Actionable comments posted: 1\*\*[\s\S]*Nitpick comments \(1\)[\s\S]*boxSpread/);
    expect(by(login).threads).toHaveLength(1);
    const head = push(RIGHT);
    await clock.advance(2000);
    expect(by(login).comments.join()).toContain("Currently processing");
    expect(world.statusesOf(repository, head).map((status) => status.state)).toEqual(["PENDING"]);
    await clock.advance(60_000);
    expect(by(login).comments).toHaveLength(1);
    expect(by(login).comments[0]).toContain("No actionable comments");
    expect(world.statusesOf(repository, head).map((status) => status.state)).toEqual(["PENDING", "SUCCESS"]);
    expect(by(login).threads[0]).toMatchObject({ resolved: true });
    expect(by(login).threads[0]?.comments[0]?.body).toContain("Addressed in commit");
  });

  it("says that it skips a draft, and that its limit is reached", async () => {
    const { clock, stage, push, live, by } = small({ draft: true });
    live(coderabbit(stage, { kinds }));
    push(`${WRONG}\n`);
    await clock.advance(60_000);
    expect(by(login).comments.join()).toContain("Draft detected");
    const other = small();
    other.live(coderabbit(other.stage, { kinds, quota: 0 }));
    other.world.comment(author, other.pullRequest, "@coderabbitai review");
    await other.clock.advance(60_000);
    expect(other.by(login).comments.join()).toContain("Next review available in");
  });
});

describe("pr-reviewer", () => {
  it("rewrites one report, and points to its threads", async () => {
    const { clock, stage, push, live, by, world, repository } = small();
    world.addUser(BODIES["pr-reviewer"].login);
    world.setAccess(repository, BODIES["pr-reviewer"].login, "write");
    const { login } = live(prReviewer(stage, { kinds: ["loop-bound"] }));
    push(`${WRONG}\n`);
    await clock.advance(60_000);
    expect(by(login).comments.join()).toContain("**1 error** need attention");
    expect(by(login).reviews[0]?.body).toContain("1 finding(s) inline");
    const head = push(RIGHT);
    await clock.advance(60_000);
    expect(by(login).comments).toHaveLength(1);
    expect(by(login).comments[0]).toContain("no issues found");
    expect(by(login).comments[0]).toContain(head.slice(0, 7));
  });
});

describe("a person", () => {
  const kinds = ["loop-bound"] as const;

  it("comes back after an answer, and closes her thread once the code is right", async () => {
    const { clock, world, stage, push, live, by } = small();
    live(person(stage, { login: reviewer, kinds })).review();
    const [thread] = by(reviewer).threads;
    world.replyToThread(author, thread?.id ?? "", "Done.");
    await clock.advance(60_000);
    expect(thread?.resolved).toBe(false);
    expect(thread?.comments.at(-1)?.body).toContain("still does the same");
    push(RIGHT);
    await clock.advance(60_000);
    expect(thread?.resolved).toBe(false);
    world.replyToThread(author, thread?.id ?? "", "Now.");
    await clock.advance(60_000);
    expect(thread).toMatchObject({ resolved: true, resolvedBy: reviewer });
  });

  it("takes any answer to a question, but none of a bot, and may be away", async () => {
    const { clock, world, pullRequest, stage, live } = small();
    const ines = live(person(stage, { login: reviewer, kinds: [], asks: ["short-name"] }));
    const thread = ines.ask("Why `{{variable}}`?");
    world.replyToThread(BODIES.devin.login, thread?.id ?? "", "I wonder, too.");
    await clock.advance(60_000);
    expect(thread?.resolved).toBe(false);
    world.replyToThread(author, thread?.id ?? "", "It is short.");
    await clock.advance(60_000);
    expect(thread?.resolved).toBe(true);
    expect(pullRequest.comments).toEqual([]);
    const other = small();
    const away = other.live(person(other.stage, { login: reviewer, kinds, away: true }));
    away.review();
    other.world.replyToThread(author, other.by(reviewer).threads[0]?.id ?? "", "Done.");
    await other.clock.advance(600_000);
    expect(other.by(reviewer).threads[0]?.resolved).toBe(false);
  });
});

describe("any of them", () => {
  it("goes quiet on a closed or locked pull request, and once it is stopped", async () => {
    const { clock, world, pullRequest, stage, push, by } = small();
    const end = devin(stage, { kinds: ["loop-bound"] }).attach();
    push(`${WRONG}\n`);
    world.close(author, pullRequest);
    await clock.advance(60_000);
    expect(by(BODIES.devin.login).reviews).toEqual([]);
    world.reopen(author, pullRequest);
    push(`${WRONG}\n\n`);
    end();
    await clock.advance(60_000);
    expect(by(BODIES.devin.login).reviews).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
