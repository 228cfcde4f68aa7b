/** One commit for each unit of a pass, where the config keeps them. */
import { describe, expect, test } from "vitest";
import { parsePlan, planDocument } from "../../core/index.js";
import type { WriteOf } from "../../core/index.js";
import { fixEach, scenario, triageEach } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { acme } from "./acme.js";
import { drive } from "./driving.js";
import { DEFAULTS } from "./settings.js";

const NAMES = ["a", "b", "c"] as const;
const path = (name: string): string => `src/${name}.ts`;

interface How {
  readonly broken?: readonly string[];
  readonly also?: (name: string) => readonly string[];
  readonly root?: (name: string) => string | undefined;
  readonly summary?: (name: string) => string;
  /** What mends the red gate, where it is. */
  readonly repair?: { readonly path: string; readonly text: string };
}
const scene = (how: How = {}): Scene => {
  const also = how.also ?? (() => []);
  const made = scenario().pullRequest({ author: "ada" }).bot("acme-review");
  for (const name of NAMES) {
    made.file(path(name), "one\n", "one\ntwo\n");
    made.thread({ by: "acme-review[bot]", path: path(name), line: 2, body: `Wrong in ${name}.` });
  }
  const nameOf = (at: string | null): string => NAMES.find((each) => path(each) === at) ?? "";
  return made
    .commands({
      "npm test": (worktree) =>
        NAMES.some((name) => (worktree.read(path(name)) ?? "").includes("BROKEN")) && worktree.read("src/repair.ts") === undefined
          ? { exitCode: 1, output: "BROKEN" }
          : 0,
    })
    .agent({
      triage: triageEach((thread) => {
        const root = how.root?.(nameOf(thread.path));
        return { kind: "actionable", ...(root === undefined ? {} : { root }) };
      }),
      fix: fixEach((thread, worktree) => {
        if (thread.source === "gate") {
          if (how.repair === undefined) return "no idea how";
          worktree.write(how.repair.path, how.repair.text);
          return { summary: "declares it", files: [how.repair.path] };
        }
        const name = nameOf(thread.path);
        worktree.write(path(name), how.broken?.includes(name) === true ? "one\nBROKEN\n" : "one\nmended\n");
        for (const other of also(name)) worktree.write(other, `${worktree.read(other) ?? ""}${name}\n`);
        return { summary: how.summary?.(name) ?? `mended ${name}`, files: [path(name), ...also(name)] };
      }),
    })
    .build();
};
const SETTINGS = {
  commit: { ...DEFAULTS.commit, style: "kept" as const },
  limits: { ...DEFAULTS.limits, iterations: 2, repairs: 1 },
};
const run = (at: Scene) => drive(at, { reviewers: [acme()], park: true, settings: SETTINGS });

/** First lines of what the branch has gained, oldest first, each with the files that it changes. */
const gained = (at: Scene, start: string): readonly (readonly [string, ...string[]])[] => {
  const { git } = at.world;
  const { repository, head } = at.pullRequest;
  const lines: (readonly [string, ...string[]])[] = [];
  for (let sha: string | undefined = head.sha; sha !== undefined && sha !== start;) {
    const commit = git.commit(repository, sha);
    const parent: string | undefined = commit?.parents[0];
    if (commit === undefined || parent === undefined) break;
    const all = [...NAMES.map(path), "src/shared.ts", "src/repair.ts"];
    const changed = all.filter((file) => git.fileAt(repository, sha ?? "", file) !== git.fileAt(repository, parent, file));
    lines.unshift([commit.message.split("\n")[0] ?? "", ...changed]);
    sha = parent;
  }
  return lines;
};

describe("commit.style: kept", () => {
  test("each point is a commit of its own, cited in its reply; the last one holds the gated tree; one push", async () => {
    const at = scene();
    const start = at.pullRequest.head.sha;
    const { report } = await run(at);
    expect(gained(at, start)).toEqual([
      ["mended a", path("a")],
      ["mended b", path("b")],
      ["mended c", path("c")],
    ]);
    expect(report.pushes).toEqual([at.pullRequest.head.sha]);
    const cited = report.iterations[0]?.fixed.map((line) => line.commit) ?? [];
    expect(new Set(cited).size).toBe(3);
    for (const [index, thread] of at.pullRequest.threads.entries()) {
      expect(thread.comments[1]?.body).toContain(`Fixed in ${cited[index]?.slice(0, 10)}`);
      expect(thread.resolved).toBe(true);
    }
  });

  test("the default is one for all", async () => {
    const at = scene();
    const start = at.pullRequest.head.sha;
    await drive(at, { reviewers: [acme()], park: true });
    expect(gained(at, start)).toEqual([["Address review feedback (review-loop iteration 1)", ...NAMES.map(path)]]);
  });

  test.each([
    ["the same file", { also: (name: string) => (name === "c" ? [] : ["src/shared.ts"]) }],
    ["one root", { root: (name: string) => (name === "c" ? undefined : "same") }],
  ])("points of %s are one commit", async (_what, how: How) => {
    const at = scene(how);
    const start = at.pullRequest.head.sha;
    await run(at);
    const commits = gained(at, start);
    expect(commits.map(([subject]) => subject)).toEqual(["mended a", "mended c"]);
    expect(commits[0]?.slice(1, 3)).toEqual([path("a"), path("b")]);
  });

  test("the guilty one of a red gate is in none of them, and its thread says why", async () => {
    const at = scene({ broken: ["b"] });
    const start = at.pullRequest.head.sha;
    const { report } = await run(at);
    expect(gained(at, start).map(([subject]) => subject)).toEqual(["mended a", "mended c"]);
    expect(report.iterations[0]?.notFixed.map((line) => line.why)).toEqual(["its change was taken out: the gate is red with it"]);
    expect(at.pullRequest.threads.map((thread) => thread.resolved)).toEqual([true, false, true]);
  });

  test("what mends the gate has a commit of its own", async () => {
    const at = scene({ broken: ["b"], repair: { path: "src/repair.ts", text: "declared\n" } });
    const start = at.pullRequest.head.sha;
    await run(at);
    expect(gained(at, start).map(([, ...files]) => files)).toEqual([[path("a")], [path("b")], [path("c")], ["src/repair.ts"]]);
  });

  test("what an agent says about its change closes no issue and mentions nobody in a message", async () => {
    const at = scene({ summary: (name) => `Fixes #12 for @grace in ${name}. And more of it, fixes #13.` });
    await run(at);
    const { message } = at.world.git.commit(at.pullRequest.repository, at.pullRequest.head.sha) ?? { message: "" };
    expect(message).toContain("in c");
    expect(message).not.toMatch(/fixes #1|@/i);
  });

  test("killed between its commits: the next run has all of it once", async () => {
    const at = scene();
    const start = at.pullRequest.head.sha;
    let commits = 0;
    const git = Object.create(at.ports.git ?? {}) as NonNullable<Scene["ports"]["git"]>;
    Object.assign(git, {
      commit: async (...args: Parameters<typeof git.commit>) => {
        commits += 1;
        if (commits === 2) throw new Error("killed");
        return at.git.commit(...args);
      },
    });
    const first = await drive(at, { reviewers: [acme()], park: true, settings: SETTINGS, ports: { ...at.ports, git } });
    expect(first.report.stop).toBe("failed");
    expect(at.pullRequest.head.sha).toBe(start);
    await run(at);
    expect(gained(at, start).map(([subject]) => subject)).toEqual(["mended a", "mended b", "mended c"]);
    expect(at.pullRequest.threads.map((thread) => thread.comments.length)).toEqual([2, 2, 2]);
  });

  test("a plan carries each of them, and apply makes each of them again", async () => {
    const at = scene();
    const start = at.pullRequest.head.sha;
    const { report } = await drive(at, { reviewers: [acme()], plan: true, settings: SETTINGS });
    const plan = parsePlan(JSON.stringify(planDocument(report)));
    const push = plan.writes.find((write): write is WriteOf<"push"> => write.kind === "push");
    expect(push?.made?.map((commit) => commit.subject)).toEqual(["mended a", "mended b", "mended c"]);
    expect(push?.made?.map((commit) => commit.parent)).toEqual([start, ...(push?.commits.slice(0, 2) ?? [])]);
    await at.clock.sleep(5000);
    const apply = async (document: typeof plan) => {
      const ports = { ...at.portsFor("ada"), store: at.store };
      return (await drive(at, { reviewers: [acme()], apply: document, ports, settings: SETTINGS })).report;
    };
    // One commit left out, or another tree in the middle: nothing at all is done.
    const [, second] = push?.made ?? [];
    const without = {
      ...plan,
      writes: plan.writes.map((write) => (write === push ? { ...push, made: push.made?.slice(1) ?? [] } : write)),
    };
    const other = parsePlan(JSON.stringify(plan).replace(second?.tree ?? "-", "1".repeat(40)));
    const before = at.world.log.length;
    for (const bad of [without, other]) expect((await apply(bad)).stop).toBe("refused");
    expect(at.world.log.length).toBe(before);
    const applied = await apply(plan);
    expect(applied.error).toBeUndefined();
    expect(gained(at, start).map(([subject]) => subject)).toEqual(["mended a", "mended b", "mended c"]);
    expect(at.world.git.treeOf(at.pullRequest.repository, at.pullRequest.head.sha)).toBe(push?.tree);
    const bodies = at.pullRequest.threads.map((thread) => thread.comments.at(-1)?.body ?? "").join("\n");
    for (const old of push?.commits ?? []) expect(bodies).not.toContain(old.slice(0, 10));
    expect(new Set(bodies.match(/Fixed in [0-9a-f]{10}/g)).size).toBe(3);
    const after = at.world.log.length;
    await apply(plan);
    expect(at.world.log.length).toBe(after);
  });
});
