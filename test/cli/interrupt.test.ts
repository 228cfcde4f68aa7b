/** Ctrl-C through the built command line: once, twice, and what becomes of the processes that it started. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Report } from "../../core/index.js";
import { fitsSchema } from "./documents.js";
import { AGENT, BIN, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

let at: Place;
beforeEach(async () => {
  at = await place();
  at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Off by one." });
});
afterEach(async () => {
  await at.close();
});

/** Answers each question, changes nothing. */
const ANSWERING = `
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const decisions = task.threads.map((t) => ({ thread: t.id, kind: "informational", why: "read it", reply: "It is the first one of the list.", root: null, question: null }));
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify({ decisions }));
`;

/** A gate that hangs until a file says otherwise, with a child of its own. */
const hanging = (stubborn: boolean): string => `
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
const here = (name) => new URL(name, import.meta.url);
if (!existsSync(here("go"))) {
  ${stubborn ? 'process.on("SIGTERM", () => {});' : ""}
  const child = spawn(process.execPath, ["-e", '${stubborn ? 'process.on("SIGTERM", () => {});' : ""} setInterval(() => {}, 1000)'], { stdio: "ignore" });
  writeFileSync(here("pids"), process.pid + " " + child.pid);
  setInterval(() => {}, 1000);
}
`;

const started = async (stubborn: boolean) => {
  const agent = await at.write("agent.mjs", AGENT);
  const gate = await at.write("gate.mjs", hanging(stubborn));
  const config = await at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "review-clean",
      gate: `${process.execPath} ${gate}`,
      agent: ["command", { run: ["node", agent] }],
      worktree: { setup: false },
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    }),
  );
  const clone = await at.clone();
  const start = () =>
    execa(process.execPath, [BIN, "run", at.url, "--config", config, "--yes", "--json"], {
      cwd: clone,
      env: at.environment,
      extendEnv: false,
      reject: false,
      stdin: "ignore",
    });
  const child = start();
  const file = join(at.folder, "pids");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8").includes(" "), { timeout: 20_000, interval: 20 }).toBe(true);
  const pids = readFileSync(file, "utf8").split(" ").map(Number);
  return { child, pids, start };
};

/** The printed report, which must fit its schema. */
const reportIn = (out: string): Report => {
  fitsSchema(["run", "--json"], out);
  return JSON.parse(out) as Report;
};

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s*[ZX]/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "");
  } catch {
    return false;
  }
};
const gone = async (pids: readonly number[]): Promise<void> =>
  expect.poll(() => pids.filter(alive), { timeout: 15_000, interval: 20 }).toEqual([]);

test("once: a report, exit 130, nothing left running; the next call goes on", { timeout: 60_000 }, async () => {
  const { child, pids, start } = await started(false);
  child.kill("SIGINT");
  const ended = await child;
  expect({ code: ended.exitCode, stop: reportIn(ended.stdout).stop }).toEqual({ code: 130, stop: "aborted" });
  await gone(pids);
  await at.write("go", "");
  const again = await start();
  expect(reportIn(again.stdout).stop).toBe("waiting-for-people");
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(2);
});

test("twice: it stops now, whatever the gate does; the next call goes on", { timeout: 60_000 }, async () => {
  const { child, pids, start } = await started(true);
  child.kill("SIGINT");
  child.kill("SIGINT");
  const again = setInterval(() => void child.kill("SIGINT"), 50);
  const ended = await child;
  clearInterval(again);
  expect(ended.signal === "SIGINT" || ended.exitCode === 130).toBe(true);
  await gone(pids);
  await at.write("go", "");
  const next = await start();
  expect(reportIn(next.stdout).stop).toBe("waiting-for-people");
});

test("during a write: it is finished and recorded; what comes after it is left to the next call", { timeout: 60_000 }, async () => {
  let kill: (() => void) | undefined;
  const here = await place({
    onWrite: ({ stage }) => {
      // Not answered yet: only who waits for the answer can record it.
      if (stage !== "received") return;
      kill?.();
      kill = undefined;
    },
  });
  try {
    for (const line of [1, 2])
      here.sandbox.world.addThread("grace", here.pullRequest, { path: "src/a.js", line, body: `Why line ${line}?` });
    const agent = await here.write("agent.mjs", ANSWERING);
    const config = await here.write(
      "reviewloop.json",
      JSON.stringify({ extends: "review-clean", agent: ["command", { run: ["node", agent] }], wait: { pace: "1ms", settle: "1ms" } }),
    );
    const clone = await here.clone();
    const start = (...words: string[]) =>
      execa(process.execPath, [BIN, ...words, "--config", config, "--json"], {
        cwd: clone,
        env: here.environment,
        extendEnv: false,
        reject: false,
        stdin: "ignore",
      });
    const child = start("run", here.url, "--yes");
    kill = () => void child.kill("SIGINT");
    const ended = await child;
    kill = undefined;
    expect({ code: ended.exitCode, stop: reportIn(ended.stdout).stop }).toEqual({ code: 130, stop: "aborted" });
    const answers = (): readonly number[] => here.pullRequest.threads.map((thread) => thread.comments.length - 1);
    expect(answers().reduce((sum, each) => sum + each, 0)).toBe(1);
    const journal = JSON.parse((await start("journal", here.url)).stdout) as {
      readonly entries: readonly { readonly type: string; readonly result?: { readonly state: string } }[];
    };
    expect(journal.entries.filter((entry) => entry.type === "intent")).toHaveLength(1);
    expect(journal.entries.filter((entry) => entry.type === "result").map((entry) => entry.result?.state)).toEqual(["done"]);
    expect(reportIn((await start("run", here.url, "--yes")).stdout).stop).toBe("waiting-for-people");
    expect(answers()).toEqual([1, 1]);
  } finally {
    await here.close();
  }
});
