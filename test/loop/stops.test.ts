/** Stops that keep the loop from going in circles, and those that tell what was not said. */
import { describe, expect, test } from "vitest";
import { scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { greptile } from "../../plugins/reviewers/greptile.js";
import { acme, acmeBot } from "./acme.js";
import { DEFAULTS, drive } from "./driving.js";

const shop = () =>
  scenario()
    .pullRequest({ author: "ada" })
    .user("grace")
    .bot("acme-review")
    .file("src/a.ts", "one\ntwo\n", "one\ntwo <= 2\n")
    .commands({ "npm test": () => 0 })
    .agent({ triage: triageEach(() => ({ kind: "false-positive", reply: "It is meant so." })) });
const clean = (scene: Scene) => acmeBot(scene.world, scene.pullRequest, []);
const raise = (scene: Scene, body: string, line = 2) =>
  scene.world.addThread("acme-review", scene.pullRequest, { path: "src/a.ts", line, body });
const answers = (scene: Scene): number =>
  scene.pullRequest.threads.flatMap((thread) => thread.comments).filter((comment) => comment.body.includes("It is meant so.")).length;

describe("stall", () => {
  test("a reviewer that keeps raising an answered point ends the run after two iterations without a change of code", async () => {
    const scene = shop().build();
    clean(scene);
    raise(scene, "Off by one here.");
    let times = 0;
    scene.world.on("resolved", () => {
      times += 1;
      if (times < 9) raise(scene, "Off by one here.");
    });
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report.stop).toBe("stalled");
    expect(report.iterations).toHaveLength(2);
    expect(answers(scene)).toBe(2);
    expect(report.remaining).toMatchObject([{ who: "person" }]);
    expect(report.remaining[0]?.why).toContain("repeats a point that was answered");
  });

  test("an answered point that stays open ends it too, and is listed for a person", async () => {
    const scene = shop().build();
    clean(scene);
    raise(scene, "Off by one here.");
    scene.world.faults.set("resolve-without-effect", {});
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report).toMatchObject({ stop: "stalled", remaining: [{ code: "unresolved", who: "person" }] });
    expect([report.iterations.length, answers(scene)]).toEqual([2, 1]);
  });

  test("something new goes on, whatever was answered before", async () => {
    const scene = shop().build();
    clean(scene);
    raise(scene, "Off by one here.");
    let count = 0;
    scene.world.on("resolved", () => {
      count += 1;
      if (count < 4) raise(scene, `Point number ${count} is another one.`);
    });
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report.stop).toBe("met");
    expect(report.iterations).toHaveLength(4);
  });

  test("a thread that is opened again after we resolved it is left to a person, not resolved for ever", async () => {
    const scene = shop().build();
    clean(scene);
    raise(scene, "Off by one here.");
    let times = 0;
    scene.world.on("resolved", (event) => {
      times += 1;
      if (times < 9) scene.world.after(10_000, () => scene.world.unresolve("acme-review", event.thread));
    });
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report.stop).toBe("waiting-for-people");
    expect(report.remaining).toMatchObject([{ code: "reopened", who: "person" }]);
    expect(answers(scene)).toBe(1);
    expect(scene.world.log.filter((event) => event.type === "resolved")).toHaveLength(1);
  });
});

describe("timeout", () => {
  test("nothing is counted that the reviewer did not say", async () => {
    const scene = shop().build();
    raise(scene, "Off by one here.");
    scene.world.comment("acme-review", scene.pullRequest, `Acme score 5/5 for ${"0".repeat(40)}`);
    const { report } = await drive(scene, { reviewers: [acme()] });
    expect(report.stop).toBe("timed-out");
    expect(report.detail).toContain("acme");
    expect(report.remaining).toMatchObject([{ who: "reviewer", name: "acme" }]);
    expect(report.reviewers[0]).not.toHaveProperty("score");
  });

  test("Greptile: a look every ten seconds, for ten minutes, unless the config says otherwise", async () => {
    for (const [options, seconds, apart] of [
      [{}, 600, 10],
      [{ wait: { poll: "30s", timeout: "5m" } }, 300, 30],
    ] as const) {
      const scene = shop().bot("greptile-apps").build();
      scene.world.comment(
        "greptile-apps",
        scene.pullRequest,
        `<h3>Confidence Score: 5/5</h3>\n\n<sub>Last reviewed commit: ${"0".repeat(40)}</sub>`,
      );
      let asked = 0;
      scene.world.on("commented", () => (asked = scene.clock.now()));
      const looks: number[] = [];
      const { forge } = scene.ports;
      const counting: typeof forge = {
        ...forge,
        pulse: async (...given) => {
          looks.push(scene.clock.now());
          return forge.pulse(...given);
        },
      };
      const settings = { wait: { ...DEFAULTS.wait, poll: 60_000 } };
      const { report } = await drive(scene, { reviewers: [greptile(options)], settings, ports: { ...scene.ports, forge: counting } });
      expect(report.stop).toBe("timed-out");
      expect(Math.round((report.endedAt - asked) / 1000)).toBe(seconds);
      const gaps = [...new Set(looks)].slice(-8).map((at, index, all) => (at - (all[index - 1] ?? at)) / 1000);
      expect(gaps.slice(1)).toEqual(Array.from({ length: 7 }, () => apart));
    }
  });

  test("after the time of the config", async () => {
    const scene = shop().build();
    scene.world.comment("acme-review", scene.pullRequest, `Acme score 5/5 for ${"0".repeat(40)}`);
    const { report } = await drive(scene, { reviewers: [acme({ wait: { timeout: "25m" } })] });
    expect(report.stop).toBe("timed-out");
    expect(report.endedAt - report.startedAt).toBeGreaterThanOrEqual(25 * 60_000);
    expect(report.endedAt - report.startedAt).toBeLessThan(26 * 60_000);
  });
});

describe("max-iterations", () => {
  const endless = (): Scene => {
    const scene = shop().build();
    clean(scene);
    raise(scene, "Point number 0.");
    let count = 0;
    scene.world.on("resolved", () => {
      count += 1;
      if (count < 12) raise(scene, `Point number ${count} is another one.`);
    });
    return scene;
  };

  test("there is no cap by default", async () => {
    const { report } = await drive(endless(), { reviewers: [acme()] });
    expect(report.stop).toBe("met");
    expect(report.iterations).toHaveLength(12);
  });

  test("with one, no further iteration begins, and what is open is listed", async () => {
    const { report } = await drive(endless(), { reviewers: [acme()], settings: { limits: { ...DEFAULTS.limits, iterations: 3 } } });
    expect(report.stop).toBe("max-iterations");
    expect(report.iterations).toHaveLength(3);
    expect(report.remaining).toMatchObject([{ code: "undecided" }]);
  });
});
