import { describe, expect, it } from "vitest";
import { score } from "./driver.js";
import { play } from "./playing.js";

describe("the loop on the demo's pull request", () => {
  it.each([1, 2, 3])("seed %i ends at its target, after a red gate and more than one iteration", async (seed) => {
    const { report, scene } = await play("demo", seed);
    expect([report.stop, report.detail, report.remaining]).toEqual(["met", report.detail, []]);
    expect(report.iterations.length).toBeGreaterThanOrEqual(2);
    expect(report.iterations.flatMap((line) => line.gates).filter((result) => result.result === "red")).toHaveLength(1);
    expect(scene.pullRequest.threads.filter((thread) => !thread.resolved)).toEqual([]);
    expect(score(scene)).toBe("5");
  });
});

describe("the loop on other scenes", () => {
  it("judgment: all but one thread is done, and that one is left for a person", async () => {
    const { report, scene } = await play("judgment", 1);
    expect([report.stop, report.detail]).toEqual(["waiting-for-people", report.detail]);
    expect(report.remaining).toHaveLength(1);
    expect(report.remaining[0]).toMatchObject({ who: "person" });
    expect(scene.pullRequest.threads.filter((thread) => !thread.resolved)).toHaveLength(1);
    expect(score(scene)).toBe("5");
  });
});
