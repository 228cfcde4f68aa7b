/** The first way of working through the built command line: sync, gates, commits, resolves; real git, real HTTP. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Report } from "../../core/index.js";
import { AGENT, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

let at: Place;
beforeEach(async () => {
  at = await place();
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const configured = async (extra: object = {}): Promise<string> => {
  const agent = await at.write("agent.mjs", AGENT);
  return at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "review-clean",
      gate: "node check.mjs",
      agent: ["command", { run: ["node", agent] }],
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
      ...extra,
    }),
  );
};
const run = async (extra: object = {}, ...flags: readonly string[]): Promise<{ report: Report; code: number; err: string }> => {
  const ran = await at.cli(["run", at.url, "--config", await configured(extra), "--yes", "--json", ...flags]);
  return { report: JSON.parse(ran.out) as Report, code: ran.code, err: ran.err };
};
const raise = (body = "Off by one."): void => void at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body });
/** Somebody else works on the base branch. */
const onMain = (files: Readonly<Record<string, string>>): string =>
  at.sandbox.world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files, message: "Meanwhile" });
const commit = (sha: string) => at.sandbox.world.git.commit("ada/shop", sha);
const parents = (sha: string): readonly string[] => commit(sha)?.parents ?? [];
const head = (): string => at.pullRequest.head.sha;
const file = (path: string): string | undefined => at.sandbox.world.git.fileAt("ada/shop", head(), path);

describe("sync", () => {
  test("none: the base is left alone", async () => {
    raise();
    onMain({ "src/b.js": "b\n" });
    const { report } = await run();
    expect(report.pushes).toHaveLength(1);
    expect(file("src/b.js")).toBeUndefined();
  });

  test("merge: the base comes in as a merge commit below the fix, after a green gate", async () => {
    raise();
    const before = head();
    const tip = onMain({ "src/b.js": "b\n" });
    const { report } = await run({}, "--sync", "merge");
    expect(report.error).toBeUndefined();
    expect(file("src/b.js")).toBe("b\n");
    expect(file("src/a.js")).toContain("i < n");
    const [merge = ""] = parents(head());
    expect(parents(merge)).toEqual([before, tip]);
    expect(at.sandbox.world.log.filter((event) => event.type === "pushed" && event.forced)).toEqual([]);
  });

  test("rebase: the commits are replayed, and the push replaces exactly the head that was read", async () => {
    raise();
    const before = head();
    const tip = onMain({ "src/b.js": "b\n" });
    const { report } = await run({}, "--sync", "rebase");
    expect(report.error).toBeUndefined();
    const [replayed = ""] = parents(head());
    expect(parents(replayed)).toEqual([tip]);
    expect(commit(replayed)?.message).toBe(commit(before)?.message);
    const pushes = at.sandbox.world.log.flatMap((event) =>
      event.type === "pushed" && event.actor === "ada" && event.branch === "topic" ? [event] : [],
    );
    expect(pushes.at(-1)).toMatchObject({ forced: true, before, after: head() });
  });

  test("rebase never overwrites what somebody pushed meanwhile", async () => {
    raise();
    onMain({ "src/b.js": "b\n" });
    // While the gate runs on the fix, somebody pushes to the same branch.
    const clone = await at.clone();
    const git = (...args: readonly string[]) => execa("git", ["-C", clone, ...args]);
    await git("checkout", "--quiet", "topic");
    await writeFile(join(clone, "src", "c.js"), "c\n");
    await git("add", ".");
    await git("commit", "--quiet", "-m", "Mine");
    const theirs = (await git("rev-parse", "HEAD")).stdout;
    const header = `http.extraHeader=Authorization: Basic ${Buffer.from(`x-access-token:${at.sandbox.tokenFor("ada")}`).toString("base64")}`;
    const gate = await at.write(
      "gate.mjs",
      `import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
if (readFileSync("src/a.js", "utf8").includes("i < n")) execFileSync("git", ["-C", ${JSON.stringify(clone)}, "-c", ${JSON.stringify(header)}, "push", "--quiet", "origin", "topic"]);
`,
    );
    const { report } = await run({ gate: `node ${gate}` }, "--sync", "rebase");
    expect(report.stop).toBe("superseded");
    expect(head()).toBe(theirs);
  });

  test.each(["merge", "rebase"])("%s: a conflict is a stop that names the files; nothing is pushed or written", async (policy) => {
    raise();
    onMain({ "src/a.js": "one\nmine\n" });
    const before = [head(), at.sandbox.world.log.length];
    const { report, code } = await run({}, "--sync", policy);
    expect(report).toMatchObject({ stop: "sync-conflict", detail: `${policy} with main conflicts in src/a.js` });
    expect(code).toBe(1);
    expect([head(), at.sandbox.world.log.length]).toEqual(before);
  });

  test("a red gate after the sync is pushed by nobody", async () => {
    raise();
    onMain({ "check.mjs": "console.error('no longer'); process.exit(1);\n" });
    const before = head();
    const { report } = await run({}, "--sync", "merge");
    expect(report.stop).toBe("gate-red");
    expect(head()).toBe(before);
  });
});

describe("gates", () => {
  test("the whole output is in a log file under the state folder, the last lines in the report", async () => {
    raise();
    const { report } = await run({
      gate: [{ name: "loud", run: "node -e 'for (let i = 0; i < 900; i++) console.log(i); process.exitCode = 3'" }],
    });
    expect(report.stop).toBe("gate-red");
    const [gate] = report.gates;
    expect(gate).toMatchObject({ gate: "loud", result: "red", exitCode: 3 });
    expect(gate?.excerpt.split("\n").at(-1)).toBe("899");
    expect(gate?.logFile?.startsWith(`${at.folder}/state/reviewloop/`)).toBe(true);
    expect((await readFile(gate?.logFile ?? "", "utf8")).trimEnd().split("\n")).toHaveLength(900);
    const text = await at.cli(["run", at.url, "--config", `${at.folder}/reviewloop.json`, "--yes"]);
    expect(text.out).toContain(gate?.logFile ?? "-");
    expect(text.out).toMatch(/\n {8}898\n {8}899\n/);
  });

  test("at once: both end, both have their log", async () => {
    raise();
    const { report } = await run({
      gate: [
        { name: "a", run: "echo from a", together: true },
        { name: "b", run: "echo from b; exit 1", together: true },
        { name: "c", run: "echo never" },
      ],
    });
    expect(report.gates.map((gate) => gate.gate)).not.toContain("c");
    expect(report.gates.slice(0, 2).map((gate) => [gate.gate, gate.result, gate.excerpt])).toEqual([
      ["a", "green", "from a"],
      ["b", "red", "from b"],
    ]);
  });

  test("a time-out, and one that can't start", async () => {
    raise();
    const slow = await run({ gate: { run: "node -e 'setTimeout(() => {}, 60000)'", timeout: "300ms" } });
    expect(slow.report.stop).toBe("gate-red");
    expect(slow.report.gates[0]?.excerpt).toContain("its time-out");
    const none = await run({ gate: "no-such-program-here" });
    expect(none).toMatchObject({ code: 4, report: { stop: "failed", error: { code: "COMMAND_NOT_STARTED" } } });
  });
});

describe("sign-in", () => {
  test("no token at all, and no gh that has one: found before the config is read, with the command that fixes it", async () => {
    const bin = join(at.folder, "bin");
    await mkdir(bin);
    for (const program of ["git", "node", "sh"])
      await symlink((await execa("sh", ["-c", `command -v ${program}`])).stdout, join(bin, program));
    const bad = await at.write("bad.json", "{");
    const ran = await at.cli(["run", at.url, "--config", bad, "--json"], { environment: { GH_TOKEN: "", PATH: bin } });
    expect(ran.code).toBe(4);
    const { error } = JSON.parse(ran.out) as { readonly error: { readonly code: string; readonly hint: string } };
    expect(error.code).toBe("GITHUB_SIGN_IN");
    expect(error.hint).toContain("gh auth login --hostname");
    expect(at.sandbox.requests).toEqual([]);
  });
});

describe("commits", () => {
  test("name the iteration as the document does, or as the config does", async () => {
    raise();
    await run();
    expect(commit(head())?.message.split("\n")[0]).toBe("Address review feedback (review-loop iteration 1)");
  });

  test("a subject of one's own", async () => {
    raise();
    await run({ commit: { subject: "fix: review, round {iteration}" } });
    expect(commit(head())?.message.split("\n")[0]).toBe("fix: review, round 1");
  });
});

describe("resolve", () => {
  const bots = (count: number): void => {
    const { world } = at.sandbox;
    for (let number = 0; number < count; number += 1)
      world.addThread("devin-ai-integration", at.pullRequest, { path: "src/a.js", line: 2, body: `**🚩 Point ${number}?**\n\nIs it so?` });
  };
  const asksAll = `import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify({ decisions: task.threads.map((t) => ({ thread: t.id, kind: "false-positive", why: "no", reply: "It is meant so.", root: null, question: null })) }));
`;
  const answering = async (): Promise<Report> => {
    const agent = await at.write("answering.mjs", asksAll);
    // It has said what it had to say: nobody waits for another review of it.
    const devin = { required: false, missing: "go-on", wait: { start: "1ms", timeout: "1ms" } };
    return (await run({ agent: ["command", { run: ["node", agent] }], reviewers: { devin } })).report;
  };

  beforeEach(() => {
    at.sandbox.world.addBot("devin-ai-integration");
  });

  test("45 threads in three requests of at most 20 aliases, each asserted", async () => {
    bots(45);
    const report = await answering();
    expect(report.reviewers.find((line) => line.reviewer === "devin")).toMatchObject({ found: 45, resolved: 45, open: 0 });
    expect(at.pullRequest.threads.every((thread) => thread.resolved)).toBe(true);
    expect(at.sandbox.requests.filter((request) => request.service === "graphql" && request.write)).toHaveLength(3);
  });

  test("an alias that fails is read again, and its thread is still open: the next iteration tries once more, and says what is left", async () => {
    bots(3);
    at.sandbox.world.faults.set("partial-alias-failure", { positions: [1] });
    const report = await answering();
    expect(at.pullRequest.threads.map((thread) => thread.resolved)).toEqual([false, true, true]);
    expect(report.reviewers.find((line) => line.reviewer === "devin")).toMatchObject({ resolved: 2, open: 1 });
    expect(report.iterations[0]?.resolved).toHaveLength(2);
    expect(report.iterations.slice(1).flatMap((line) => line.resolved)).toEqual([]);
    expect(report.stop).toBe("stalled");
    expect(report.notes.join("\n")).toContain("resolve was not done");
  });
});
