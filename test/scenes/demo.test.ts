import { describe, expect, it } from "vitest";
import { buildScene } from "../../sandbox/scenes/index.js";
import { virtualClock } from "../../sandbox/kit/virtual-clock.js";
import { checkout, gate, meetsGoal, open, pass, score, triage } from "./driver.js";

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

describe("the demo's pull request", () => {
  it.each(SEEDS)("seed %i: a long history, most of it closed, and a green gate", (seed) => {
    const scene = buildScene("demo", { seed, clock: virtualClock() });
    const { threads, comments } = scene.pullRequest;
    const openAt = threads.flatMap((thread, index) => (thread.resolved ? [] : [index]));
    expect(threads.length).toBeGreaterThan(100);
    expect(openAt.length).toBeGreaterThanOrEqual(15);
    expect(openAt.length).toBeLessThan(threads.length / 2);
    expect(openAt.some((index) => index < 100) && openAt.some((index) => index >= 100)).toBe(true);
    expect(new Set(scene.truth.values())).toEqual(new Set(["actionable", "false-positive", "informational", "nitpick"]));
    expect(Number(score(scene))).toBeLessThan(5);
    expect(comments.at(-1)?.body).toMatch(/\?$/);
    const made = checkout(scene);
    expect(gate(made.folder)).toMatchObject({ green: true });
    made.remove();
    scene.stop();
  });

  it("is the same for the same seed, and another one for another", () => {
    const shape = (seed: number) => {
      const scene = buildScene("demo", { seed, clock: virtualClock() });
      scene.stop();
      return scene.pullRequest.threads.map((thread) => [thread.path, thread.line, thread.comments.map((comment) => comment.body)]);
    };
    expect(shape(7)).toEqual(shape(7));
    expect(shape(7)).not.toEqual(shape(8));
  });
});

describe("the demo's agent", () => {
  it.each(SEEDS)("seed %i: judges every open thread rightly, and what it does ends all of them", async (seed) => {
    const clock = virtualClock();
    const scene = buildScene("demo", { seed, clock });
    const made = checkout(scene);
    const judged = triage(scene, made.folder);
    made.remove();
    for (const [id, kind] of scene.truth) expect([id, judged.get(id)]).toEqual([id, kind]);

    expect(meetsGoal(scene).green).toBe(false);
    const rounds = [];
    while (open(scene).length > 0 && rounds.length < 6) rounds.push(await pass(scene, clock));
    expect(open(scene).map((thread) => thread.comments.map((comment) => comment.body))).toEqual([]);
    expect(score(scene)).toBe("5");
    expect(rounds.length).toBeGreaterThanOrEqual(2);
    expect(rounds.flatMap((round) => round.unfixed)).toEqual([]);
    // One red gate in all, and the repair that it leads to is right.
    expect(rounds.flatMap((round) => round.gates).filter((green) => !green)).toHaveLength(1);
    expect(rounds.every((round) => round.gates.at(-1) === true)).toBe(true);
    expect(meetsGoal(scene)).toMatchObject({ green: true });
    scene.stop();
  });
});
