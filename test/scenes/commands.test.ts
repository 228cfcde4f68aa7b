/** The built commands `demo` and `sandbox`, as a user starts them. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Report } from "../../index.js";
import { FAULTS, faultOptions } from "../../sandbox/world/index.js";
import { takeAnswers, tellingInto } from "../sandbox/answers/watch.js";
import { fitsSchema } from "../cli/documents.js";

const MAIN = new URL("../../dist/cli/main.js", import.meta.url).pathname;
const run = promisify(execFile);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "reviewloop-commands-"));
  for (const name of ["tmp", "home"]) mkdirSync(join(folder, name));
});
afterEach(() => void takeAnswers(join(folder, "answers")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A fresh machine: no sign-in, no git identity, a home of its own; and settings that lead elsewhere. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: join(folder, "home"),
  TMPDIR: join(folder, "tmp"),
  GIT_CONFIG_NOSYSTEM: "1",
  GH_HOST: "nowhere.invalid",
  GITHUB_TOKEN: "test-token-of-somebody-else",
  ...tellingInto(join(folder, "answers")),
});

const call = async (...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: environment(), cwd: folder });
    const said = { stdout: "", stderr: "" };
    child.stdout.on("data", (part: Buffer) => (said.stdout += part.toString("utf8")));
    child.stderr.on("data", (part: Buffer) => (said.stderr += part.toString("utf8")));
    child.once("error", reject);
    child.once("close", (code) => {
      fitsSchema(args, said.stdout);
      resolve({ code: code ?? -1, ...said });
    });
  });

describe("demo", () => {
  it("drives its pull request to the target, prints the report alone, and leaves nothing behind", async () => {
    const { code, stdout, stderr } = await call("demo", "--json");
    expect([code, stderr.split("\n").slice(-6)]).toEqual([0, stderr.split("\n").slice(-6)]);
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ schemaVersion: 1, stop: "met", target: "review-clean", remaining: [] });
    expect(report.iterations.length).toBeGreaterThanOrEqual(2);
    const [first] = report.iterations;
    expect(new Set(first?.decided.map((each) => each.kind))).toEqual(new Set(["actionable", "false-positive", "informational", "nitpick"]));
    expect(first?.gates.map((gate) => gate.result)).toContain("red");
    expect(first?.asked.map((each) => each.reviewer)).toContain("greptile");
    expect(report.reviewers.find((line) => line.reviewer === "greptile")?.score).toMatch(/^5\/5/);
    // The config is shown as it was written, and the run is live.
    expect(stderr).toContain('"gate": "node check.mjs"');
    expect(stderr.indexOf("triage")).toBeLessThan(stderr.indexOf("push"));
    // Nor does it name a log file that is gone by then.
    expect(report.gates.length).toBeGreaterThan(2);
    expect(report.gates.filter((gate) => gate.logFile !== undefined)).toEqual([]);
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
    expect(readdirSync(join(folder, "home"))).toEqual([]);
    expect(takeAnswers(join(folder, "answers"))).toBeGreaterThan(20);
  }, 120_000);

  it("everyone: sixteen reviewers over HTTP, each read, those asked that have to be", async () => {
    const { code, stdout, stderr } = await call("demo", "--scene", "everyone", "--json");
    expect([code, stderr.split("\n").slice(-6)]).toEqual([0, stderr.split("\n").slice(-6)]);
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ stop: "met", remaining: [] });
    expect(report.reviewers.filter((line) => !line.reviewer.startsWith("@"))).toHaveLength(16);
    expect(report.reviewers.filter((line) => line.asked).map((line) => line.reviewer)).toEqual(["greptile", "copilot", "codex"]);
  }, 120_000);

  it("judgment: ends with what a person must decide, and exit code 1", async () => {
    const { code, stdout } = await call("demo", "--scene", "judgment", "--seed", "4", "--json");
    expect(code).toBe(1);
    const report = JSON.parse(stdout) as Report;
    expect(report.stop).toBe("waiting-for-people");
    expect(report.remaining).toMatchObject([{ code: "judgment", who: "person" }]);
    expect(report.remaining[0]?.why).toContain("Which of the two do we want?");
  }, 120_000);

  it("says which scenes there are", async () => {
    const { code, stderr } = await call("demo", "--scene", "dmeo");
    expect(code).toBe(3);
    expect(stderr).toContain("demo, judgment");
  });
});

describe("sandbox", () => {
  it("lists scenes and faults, and knows no others", async () => {
    const { code, stdout } = await call("sandbox", "--list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/Scenes\n {2}demo .*[\s\S]*strangers/);
    for (const { name, what, about } of FAULTS) {
      expect(stdout).toContain(`Faults: ${about}\n`);
      expect(stdout.split("\n").filter((line) => line.trim().startsWith(`${name} `) && line.endsWith(what))).toHaveLength(1);
    }
    expect(await call("sandbox", "--fault", "rain")).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("--list") });
    expect(await call("sandbox", "--fault", "silent-reveiwer")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no fault "silent-reveiwer"; did you mean "silent-reviewer"?'),
    });
  });

  it("serves until it is interrupted, and every line that it prints works", async () => {
    const child = spawn(process.execPath, [MAIN, "sandbox", "--seed", "3", "--fault", "silent-reviewer", "merge-state-unknown:7"], {
      env: environment(),
      cwd: folder,
    });
    try {
      const said = await new Promise<string>((resolve) => {
        let text = "";
        child.stdout.on("data", (part: Buffer) => {
          text += part.toString("utf8");
          if (text.includes("Ctrl-C")) resolve(text);
        });
      });
      expect(said).toContain(`Faults  silent-reviewer, merge-state-unknown ${JSON.stringify(faultOptions("merge-state-unknown", 7))}`);
      const lines = said.split("\n").map((line) => line.trim());
      const shell = async (line: string): Promise<string> =>
        (await run("sh", ["-c", line], { env: environment(), cwd: folder, maxBuffer: 1 << 26 })).stdout;

      for (const line of lines.filter((each) => each.startsWith("curl "))) {
        const answer = JSON.parse(await shell(line)) as { number?: number; data?: unknown };
        expect(answer.number !== undefined || answer.data !== undefined).toBe(true);
      }
      const clone = lines.find((line) => line.startsWith("git clone")) ?? "";
      await shell(`${clone} cloned`);
      expect(existsSync(join(folder, "cloned/check.mjs"))).toBe(true);
      // What `gh` does with its line: its settings name a socket, behind which it takes the sandbox for github.com.
      const settings = /GH_CONFIG_DIR=(\S+)/.exec(said)?.[1] ?? "";
      const socketPath = join(settings, "../gh.sock");
      const login = await new Promise<string>((resolve, reject) => {
        const headers = { host: "api.github.com", authorization: "token test-token", "user-agent": "test" };
        request({ socketPath, path: "/user", headers }, (response) => {
          let text = "";
          response.on("data", (part: Buffer) => (text += part.toString("utf8")));
          response.on("end", () => resolve(text));
        })
          .on("error", reject)
          .end();
      });
      expect(JSON.parse(login)).toMatchObject({ login: "marlow-dev", html_url: "https://github.com/marlow-dev" });
    } finally {
      const ended = new Promise((resolve) => {
        child.once("close", resolve);
      });
      child.kill("SIGINT");
      expect(await ended).toBe(0);
    }
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  }, 60_000);
});
