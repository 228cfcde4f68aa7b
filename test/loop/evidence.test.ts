/** Gates and their evidence: bound to (tree, command), in order or at once, bounded, told. */
import { describe, expect, test } from "vitest";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { AgentScript, Scene } from "../../sandbox/kit/index.js";
import { openForReview } from "../../plugins/targets/open-for-review.js";
import type { AgentTask } from "../../core/index.js";
import type { Settings } from "../../core/settings.js";
import { DEFAULTS, drive } from "./driving.js";

type Gate = Exclude<Settings["gate"], false | undefined>[number];
const gate = (run: string, more: Partial<Gate> = {}): Gate => ({ name: run, run, timeout: 60_000, proof: false, together: false, ...more });

const shop = () =>
  scenario().pullRequest({ author: "ada" }).user("grace").file("src/a.ts", "one\ntwo\n", "one\nfor (i = 0; i <= n; i++)\n");

const agent: AgentScript = {
  triage: triageEach((thread) =>
    thread.title.includes("Why") ? { kind: "informational", reply: "Because n is the last one." } : { kind: "actionable" },
  ),
  fix: fixEach((_thread, worktree) => {
    worktree.write("src/a.ts", (worktree.read("src/a.ts") ?? "").replace("<=", "<").replace("BROKEN", "n"));
    return { summary: "mended", files: ["src/a.ts"] };
  }),
};
const asked = (scene: Scene): readonly AgentTask[] => (scene.ports.agent as unknown as { readonly calls: readonly AgentTask[] }).calls;
const runs = (scene: Scene): readonly string[] => scene.shell.calls.map((call) => call.command);
const why = { by: "grace", path: "src/a.ts", line: 2, body: "Why is it <= here?" };

describe("evidence", () => {
  test("replies without a push use the exact head's result again, in this run and in the next one", async () => {
    const scene = shop()
      .thread(why)
      .commands({ "npm test": () => 0 })
      .agent(agent)
      .build();
    const first = await drive(scene);
    expect(first.report.stop).toBe("waiting-for-people");
    expect(first.report.pushes).toEqual([]);
    await scene.clock.advance(60_000);
    scene.world.addThread("grace", scene.pullRequest, { ...why, line: 1, body: "Why one?" });
    const second = await drive(scene);
    expect(second.report.iterations).toHaveLength(1);
    expect(second.events.find((event) => event.type === "phase")).toMatchObject({ phase: "fetch", iteration: 0 });
    expect(runs(scene)).toEqual(["npm test"]);
    expect(second.report.iterations[0]?.gates).toMatchObject([{ gate: "npm test", result: "green", reused: true }]);
    expect(second.report.gates).toMatchObject([{ command: "npm test", result: "green" }]);
  });

  test("it is keyed by tree and command: another command runs, another name does not", async () => {
    const scene = shop()
      .thread(why)
      .commands({ "npm test": () => 0, "npm run lint": () => 0 })
      .agent(agent)
      .build();
    await drive(scene);
    const more = (line: number) => scene.world.addThread("grace", scene.pullRequest, { ...why, line, body: `Why ${line}?` });
    more(1);
    const renamed = await drive(scene, { settings: { gate: [gate("npm test", { name: "unit" })] } });
    expect(runs(scene)).toEqual(["npm test"]);
    expect(renamed.report.gates.map((each) => each.gate)).toEqual(["unit"]);
    more(2);
    await drive(scene, { settings: { gate: [gate("npm run lint")] } });
    expect(runs(scene)).toEqual(["npm test", "npm run lint"]);
  });

  test("a fix is another tree, so its gate runs; the same tree after the push is not gated again", async () => {
    const scene = shop()
      .thread({ ...why, body: "Use < here." })
      .commands({ "npm test": () => 0 })
      .agent(agent)
      .build();
    const { report } = await drive(scene);
    expect(runs(scene)).toEqual(["npm test", "npm test"]);
    expect(report.pushes).toHaveLength(1);
    scene.world.addThread("grace", scene.pullRequest, { ...why, line: 1 });
    await drive(scene);
    expect(runs(scene)).toHaveLength(2);
  });

  test("a red result of an earlier run is no excuse: the gate runs again", async () => {
    let mended = false;
    const scene = shop()
      .thread(why)
      .commands({ "npm test": () => (mended ? 0 : { exitCode: 1, output: "no database" }) })
      .agent({ ...agent, fix: fixEach(() => "nothing here is wrong") })
      .build();
    expect((await drive(scene)).report.stop).toBe("gate-red");
    mended = true;
    await scene.clock.advance(60_000);
    expect((await drive(scene)).report.stop).toBe("waiting-for-people");
  });
});

describe("several gates", () => {
  const three = [gate("lint"), gate("types"), gate("unit")];

  test("in order; the first that is red ends the row", async () => {
    const scene = shop()
      .thread(why)
      .commands({ lint: () => 0, types: () => ({ exitCode: 2, output: "TS2304" }), unit: () => 0 })
      .agent({ ...agent, fix: fixEach(() => "no idea") })
      .build();
    const { report } = await drive(scene, { settings: { gate: three } });
    expect(runs(scene)).toEqual(["lint", "types"]);
    expect(report).toMatchObject({ stop: "gate-red", detail: '"types" is red' });
    expect(report.gates.map((each) => [each.gate, each.result])).toEqual([
      ["lint", "green"],
      ["types", "red"],
    ]);
  });

  test("at once where they say so, and all of them end before the next begins", async () => {
    const log: string[] = [];
    const slow =
      (name: string, took: number, exitCode = 0) =>
      () => {
        log.push(`${name} begins`);
        scene.clock.after(took, () => log.push(`${name} ends`));
        return { exitCode, took };
      };
    const scene = shop()
      .thread(why)
      .commands({ lint: slow("lint", 30_000), types: slow("types", 10_000, 1), unit: slow("unit", 1000), e2e: slow("e2e", 1000) })
      .agent({ ...agent, fix: fixEach(() => "no idea") })
      .build();
    const together = [gate("lint", { together: true }), gate("types", { together: true }), gate("unit")];
    const { report } = await drive(scene, { settings: { gate: together } });
    expect(log).toEqual(["lint begins", "types begins", "types ends", "lint ends"]);
    // Both results are kept, though one is red; what comes after the group never ran.
    expect(report.gates.map((each) => [each.gate, each.result])).toEqual([
      ["lint", "green"],
      ["types", "red"],
    ]);
    expect(runs(scene)).not.toContain("unit");
  });

  test("never more than four at once", async () => {
    let now = 0;
    let most = 0;
    const names = ["a", "b", "c", "d", "e", "f"];
    const scene = shop()
      .thread(why)
      .commands(
        Object.fromEntries(
          names.map((name) => [
            name,
            () => {
              now += 1;
              most = Math.max(most, now);
              scene.clock.after(1000, () => {
                now -= 1;
              });
              return { exitCode: 0, took: 1000 };
            },
          ]),
        ),
      )
      .agent(agent)
      .build();
    await drive(scene, { settings: { gate: names.map((name) => gate(name, { together: true })) } });
    expect(most).toBe(4);
  });

  test("a time-out ends a gate as red, and its last lines say so", async () => {
    const scene = shop()
      .thread(why)
      .commands({ unit: () => ({ took: 90_000, output: "still going" }) })
      .agent({ ...agent, fix: fixEach(() => "no idea") })
      .build();
    const { report } = await drive(scene, { settings: { gate: [gate("unit")] } });
    expect(report.stop).toBe("gate-red");
    expect(report.gates[0]).toMatchObject({ result: "red", took: 60_000, excerpt: "still going\n(ended after 60 s, its time-out)" });
  });

  test("each gate and tree has a log file of its own", async () => {
    const scene = shop()
      .thread({ ...why, body: "Use < here." })
      .commands({ "npm run lint -- --fix": () => 0, unit: () => 0 })
      .agent(agent)
      .build();
    await drive(scene, { settings: { gate: [gate("npm run lint -- --fix"), gate("unit")] } });
    const files = scene.shell.calls.map((call) => call.logFile ?? "");
    expect(new Set(files).size).toBe(4);
    expect(files[0]).toMatch(/^gates\/npm-run-lint------fix-[0-9a-f]{12}\.log$/);
  });

  test("one that can't start is failed, not red: nothing is repaired, and what ran beside it is kept", async () => {
    const scene = shop()
      .thread(why)
      .commands({ lint: () => 0, unit: () => ({ started: false, output: "unit: not found" }) })
      .agent(agent)
      .build();
    const together = [gate("lint", { together: true }), gate("unit", { together: true })];
    const { report } = await drive(scene, { settings: { gate: together } });
    expect(report).toMatchObject({ stop: "failed", error: { code: "COMMAND_NOT_STARTED" } });
    expect(asked(scene)).toEqual([]);
    expect(report.gates.map((each) => each.result)).toEqual(["green", "failed"]);
  });
});

describe("a red first gate", () => {
  const broken = () =>
    scenario()
      .pullRequest({ author: "ada" })
      .user("grace")
      .file("src/a.ts", "one\ntwo\n", "one\nfor (i = 0; i <= BROKEN; i++)\n")
      .thread(why);
  const unit = (worktree: { read(path: string): string | undefined }) =>
    (worktree.read("src/a.ts") ?? "").includes("BROKEN") ? { exitCode: 1, output: "BROKEN is not defined" } : 0;

  test("goes to fix alone, before any comment is judged, and is pushed when it is green", async () => {
    const scene = broken()
      .commands({ "npm test": (worktree) => unit(worktree) })
      .agent(agent)
      .build();
    const { report } = await drive(scene);
    expect(asked(scene).map((task) => [task.kind, task.threads.map((thread) => thread.source)])).toEqual([
      ["fix", ["gate"]],
      ["triage", ["inline"]],
    ]);
    expect(asked(scene)[0]?.threads[0]?.comments[0]?.body).toContain("BROKEN is not defined");
    expect(report.pushes).toHaveLength(1);
    expect(report.stop).toBe("waiting-for-people");
  });

  test("is repaired limits.repairs times at most; then gate-red, and no comment was touched", async () => {
    let attempts = 0;
    const scene = broken()
      .commands({ "npm test": () => ({ exitCode: 1, output: "BROKEN is not defined" }) })
      .agent({
        ...agent,
        fix: fixEach((_thread, worktree) => {
          attempts += 1;
          worktree.write("src/a.ts", `try ${attempts}\n`);
          return { summary: "tried", files: ["src/a.ts"] };
        }),
      })
      .build();
    const before = scene.world.log.length;
    const { report } = await drive(scene, { settings: { limits: { ...DEFAULTS.limits, repairs: 2 } } });
    expect(attempts).toBe(2);
    expect(report.stop).toBe("gate-red");
    expect(asked(scene).every((task) => task.kind === "fix")).toBe(true);
    expect(scene.world.log.length).toBe(before);
  });
});

describe("open-for-review", () => {
  test("a green gate at the exact head is proof; where one is marked, that one is", async () => {
    const scene = shop()
      .commands({ quick: () => 0, slow: () => 0 })
      .build();
    const { report } = await drive(scene, { target: openForReview(), settings: { gate: [gate("quick", { proof: true }), gate("slow")] } });
    expect(report.stop).toBe("met");
    expect(runs(scene)).toEqual(["quick", "slow"]);
    const red = shop()
      .commands({ quick: () => 0, slow: () => ({ exitCode: 1 }) })
      .build();
    const second = await drive(red, { target: openForReview(), settings: { gate: [gate("quick", { proof: true }), gate("slow")] } });
    expect(second.report.stop).toBe("gate-red");
    // The marked one is green at this head, and that is what the target asks for.
    const third = await drive(red, { target: openForReview(), settings: { gate: [gate("quick", { proof: true }), gate("slow")] } });
    expect(third.report).toMatchObject({ stop: "met", iterations: [] });
  });

  test("a push without a gate proves nothing, and a draft is not open for review", async () => {
    const scene = shop().build();
    const none = await drive(scene, { target: openForReview(), settings: { gate: undefined } });
    expect(none.report.remaining).toMatchObject([{ code: "proof-missing", who: "person" }]);
    const draft = scenario()
      .pullRequest({ author: "ada", draft: true })
      .commands({ "npm test": () => 0 })
      .build();
    const held = await drive(draft, { target: openForReview() });
    expect(held.report.remaining.map((item) => item.code)).toContain("draft");
  });
});
