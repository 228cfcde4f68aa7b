import { describe, expect, it } from "vitest";
import { buildScene, SCENES } from "../../sandbox/scenes/index.js";
import { virtualClock } from "../../sandbox/kit/virtual-clock.js";
import { BODIES } from "../../sandbox/reviewers/index.js";
import { rules } from "../../sandbox/world/index.js";

describe("scenes", () => {
  it.each(SCENES.map((scene) => scene.name))("%s has a pull request, a token for its author, and a time behind it", (name) => {
    const clock = virtualClock();
    const scene = buildScene(name, { seed: 3, clock });
    expect(scene.world.sessionOf(scene.tokens[scene.author] ?? "").login).toBe(scene.pullRequest.author);
    expect(scene.pullRequest.createdAt).toBeLessThan(clock.now());
    for (const comment of scene.pullRequest.comments) expect(comment.createdAt).toBeLessThanOrEqual(clock.now());
    expect(scene.world.now()).toBe(clock.now());
    scene.stop();
    expect(clock.pending).toBe(0);
  });

  it("tells the names that there are", () => {
    expect(() => buildScene("dmeo")).toThrow(/There are: demo, judgment/);
  });

  it("judgment: one thread more, which a person decides", () => {
    const [demo, judgment] = ["demo", "judgment"].map((name) => buildScene(name, { seed: 5, clock: virtualClock() }));
    const more = (judgment?.pullRequest.threads.length ?? 0) - (demo?.pullRequest.threads.length ?? 0);
    expect(more).toBe(1);
    expect([...(judgment?.truth.values() ?? [])].filter((kind) => kind === "judgment")).toHaveLength(1);
    demo?.stop();
    judgment?.stop();
  });

  it("draft: a draft", () => {
    const scene = buildScene("draft", { clock: virtualClock() });
    expect(scene.pullRequest.draft).toBe(true);
    scene.stop();
  });

  it("quota: Greptile has no review left", async () => {
    const clock = virtualClock();
    const scene = buildScene("quota", { clock });
    scene.world.comment(scene.author, scene.pullRequest, "@greptileai review");
    await clock.advance(10_000);
    expect(scene.pullRequest.reviews.at(-1)?.body).toContain("paused reviews");
    scene.stop();
  });

  it("strangers: a fork, forty comments, five bots, and an author who may not write there", () => {
    const scene = buildScene("strangers", { seed: 2, clock: virtualClock() });
    const { world, pullRequest, author } = scene;
    const posts = [...pullRequest.comments, ...pullRequest.reviews];
    const bots = new Set(posts.map((post) => post.author).filter((login) => world.accounts.get(login)?.kind === "bot"));
    expect(bots.size).toBe(5);
    expect(bots).toContain(BODIES.unknown.login);
    expect(pullRequest.comments.length).toBeGreaterThanOrEqual(40);
    expect(pullRequest.head.repository).not.toBe(pullRequest.repository);
    const session = world.sessionOf(scene.tokens[author] ?? "");
    expect(rules.hasWrite(world.state, session, world.repository(pullRequest.repository))).toBe(false);
    expect(pullRequest.threads.some((thread) => thread.comments[0]?.author === BODIES.unknown.login)).toBe(true);
    scene.stop();
  });
});
