import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock, Shell } from "../../core/ports.js";
import { redactor } from "../../core/redact.js";
import { systemClock } from "../../core/adapters/clock/system.js";
import { commandEnvironment } from "../../core/adapters/shell/environment.js";
import { cleaner, tail } from "../../core/adapters/shell/output.js";
import { descendantsOf, MARK, processTable } from "../../core/adapters/shell/process-tree.js";
import { shell, type ShellOptions } from "../../core/adapters/shell/shell.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reviewloop-shell-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const environment = { PATH: process.env["PATH"], HOME: "/home/nobody" };
const shellOf = (options: Partial<ShellOptions> = {}): Shell =>
  shell({ environment, redact: redactor(["test-token"]), grace: 200, ...options });
const HOUR = 3_600_000;

/** A clock whose first sleep, the command's time-out, ends when the test says so. */
const handClock = (): { clock: Clock; ring: () => void } => {
  let ring = (): void => {};
  const bell = new Promise<void>((resolve) => {
    ring = resolve;
  });
  const real = systemClock();
  return {
    clock: { now: () => 0, sleep: (milliseconds, signal) => (milliseconds === HOUR ? bell : real.sleep(milliseconds, signal)) },
    ring,
  };
};

/** Resolves once the file is there; the processes under test write it when they are ready. */
const appears = async (file: string): Promise<string> => {
  for (;;) {
    if (existsSync(file) && readFileSync(file, "utf8").endsWith("\n")) return readFileSync(file, "utf8").trim();
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const isAlive = (pid: number): boolean => processTable().some((record) => record.pid === pid);

describe("a command", () => {
  it.each([
    ["exit 0", { started: true, exitCode: 0 }],
    ["exit 3", { started: true, exitCode: 3 }],
    ["kill -9 $$", { started: true, exitCode: 137 }],
    ["no-such-program-anywhere", { started: false, exitCode: 127 }],
    ["./not-executable", { started: false, exitCode: 126 }],
  ])("%s gives %j", async (command, expected) => {
    writeFileSync(join(folder, "not-executable"), "x");
    expect(await shellOf().run({ command, cwd: folder, timeout: HOUR })).toMatchObject({ timedOut: false, ...expected });
  });

  it("in a folder that is gone was not started", async () => {
    const result = await shellOf().run({ command: "true", cwd: join(folder, "gone"), timeout: HOUR });
    expect(result).toMatchObject({ started: false, timedOut: false });
    expect(result.output).not.toBe("");
  });

  it("runs in its folder, gets no input, and both streams are kept, clean of colours", async () => {
    const result = await shellOf().run({
      command: "pwd; cat; printf '\\033[31mred\\033[0m\\n' >&2; printf 'no end'",
      cwd: folder,
      timeout: HOUR,
    });
    expect(result.output.split("\n").sort()).toEqual([folder, "no end", "red"].sort());
    expect(result.exitCode).toBe(0);
  });

  it("leaves a log that holds everything but secrets, and an output of its last lines", async () => {
    const logFile = join(folder, "logs/gate.log");
    const result = await shellOf().run({
      command: `i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; echo test-token; printf 'test-'; printf 'token\\n'`,
      cwd: folder,
      timeout: HOUR,
      logFile,
    });
    const lines = result.output.split("\n");
    expect(lines).toHaveLength(300);
    expect(lines.slice(-3)).toEqual(["line 1999", "[hidden]", "[hidden]"]);
    expect(readFileSync(logFile, "utf8")).toMatch(/^line 0\n[^]*line 1999\n\[hidden\]\n\[hidden\]\n$/);
    expect(statSync(logFile).mode & 0o077).toBe(0);
    expect(result.logFile).toBe(logFile);
  });

  it("sees the allowed part of our environment only", async () => {
    const full = {
      ...environment,
      GH_TOKEN: "t1",
      GITHUB_TOKEN: "t2",
      NPM_TOKEN: "t3",
      NODE_AUTH_TOKEN: "t4",
      AWS_SECRET_ACCESS_KEY: "t5",
      ANTHROPIC_API_KEY: "t6",
      SSH_AUTH_SOCK: "t7",
      REVIEWLOOP_GIT_TOKEN: "t8",
      CLAUDECODE: "1",
      LANG: "C.UTF-8",
      LC_TIME: "C",
      HTTPS_PROXY: "http://proxy",
      CI: "true",
      TERM: "xterm",
      OWN: "yes",
    };
    const { output } = await shellOf({ environment: full, also: ["OWN", "GH_TOKEN", "npm_config__authToken"] }).run({
      command: "env",
      cwd: folder,
      timeout: HOUR,
    });
    const seen = Object.fromEntries(
      output.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(Object.values(seen).some((value) => /^t\d$/.test(value))).toBe(false);
    const names = Object.keys(seen).filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name));
    expect(names.sort()).toEqual(["CI", "HOME", "HTTPS_PROXY", "LANG", "LC_TIME", "OWN", "PATH", MARK, "TERM"].sort());
    expect(seen["TERM"]).toBe("dumb");
  });

  it("is found on Windows by names of any case", () => {
    expect(commandEnvironment({ Path: "p", gh_token: "t", systemroot: "c" }, { platform: "win32" })).toEqual({
      Path: "p",
      systemroot: "c",
      TERM: "dumb",
    });
    expect(commandEnvironment({ Path: "p" }, { platform: "linux" })).toEqual({ TERM: "dumb" });
  });
});

describe("the end of a command", () => {
  /** Starts children of every kind: in the group, in a session of its own, one that ignores SIGTERM, one whose parent is gone, one without our mark. */
  const family = (): string => {
    writeFileSync(
      join(folder, "family.sh"),
      `#!/bin/sh
sh -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 1000 & wait; done' &
setsid sh -c 'echo $$ > session; exec sleep 1001' &
( setsid sh -c 'trap "" TERM HUP; echo $$ > orphan; while :; do sleep 1002 & wait; done' & )
sh -c 'echo $$ > plain; exec sleep 1003' &
( env -i /bin/sh -c 'echo $$ > bare; exec sleep 1005' & )
`,
    );
    chmodSync(join(folder, "family.sh"), 0o755);
    return "./family.sh";
  };
  const NAMES = ["stubborn", "session", "orphan", "plain", "bare"];
  const pids = async (): Promise<number[]> => Promise.all(NAMES.map(async (name) => Number(await appears(join(folder, name)))));

  it.each(["abort", "time-out"])("by %s ends everything it has started", async (how) => {
    const { clock, ring } = handClock();
    const controller = new AbortController();
    const running = shellOf({ clock }).run(
      { command: `${family()}; echo ready; wait; sleep 1004`, cwd: folder, timeout: HOUR },
      controller.signal,
    );
    const started = await pids();
    expect(started.every(isAlive)).toBe(true);
    if (how === "abort") {
      controller.abort();
      await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    } else {
      ring();
      const result = await running;
      expect(result).toMatchObject({ timedOut: true, started: true, output: "ready" });
      expect(result.exitCode).toBeUndefined();
    }
    expect(started.filter(isAlive)).toEqual([]);
  });

  it("of its own accord ends what it left running, and is not held up by it", async () => {
    const running = shellOf().run({
      command: `${family()}; while ! [ -s orphan ] || ! [ -s session ] || ! [ -s stubborn ] || ! [ -s plain ] || ! [ -s bare ]; do :; done; echo done`,
      cwd: folder,
      timeout: HOUR,
    });
    const started = await pids();
    expect(await running).toMatchObject({ exitCode: 0, output: "done", timedOut: false });
    expect(started.filter(isAlive)).toEqual([]);
  });

  it("gives it time to clean up", async () => {
    const controller = new AbortController();
    const running = shellOf({ grace: 10_000 }).run(
      { command: `trap 'echo tidy > tidy; exit' TERM; echo ready > ready; while :; do sleep 0.01; done`, cwd: folder, timeout: HOUR },
      controller.signal,
    );
    await appears(join(folder, "ready"));
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    expect(readFileSync(join(folder, "tidy"), "utf8")).toBe("tidy\n");
  });

  it("that was told beforehand starts nothing", async () => {
    await expect(shellOf().run({ command: "touch started", cwd: folder, timeout: HOUR }, AbortSignal.abort())).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(existsSync(join(folder, "started"))).toBe(false);
  });
});

describe("a process table", () => {
  it("knows this process and its parent", () => {
    const table = processTable();
    expect(table.find((record) => record.pid === process.pid)).toMatchObject({ parent: process.ppid });
    expect(descendantsOf(process.ppid, table).map((record) => record.pid)).toContain(process.pid);
  });

  it("gives descendants at any depth, and doesn't run in circles", () => {
    const record = (pid: number, parent: number) => ({ pid, parent, group: 1, started: "" });
    const table = [record(2, 1), record(3, 2), record(4, 3), record(9, 8), record(8, 9), record(5, 5)];
    expect(descendantsOf(1, table).map(({ pid }) => pid)).toEqual([2, 3, 4]);
    expect(descendantsOf(8, table).map(({ pid }) => pid)).toEqual([9]);
    expect(descendantsOf(5, table)).toEqual([]);
  });
});

describe("what is printed", () => {
  const cleaned = (...chunks: (string | Buffer)[]): string => {
    let text = "";
    const clean = cleaner(redactor(["test-token"]), (part) => {
      text += part;
    });
    for (const chunk of chunks) clean.push(Buffer.from(chunk));
    clean.end();
    return text;
  };

  it("is redacted although it comes in pieces, characters included", () => {
    expect(cleaned("a te", "st-tok", "en b\n")).toBe("a [hidden] b\n");
    const euro = Buffer.from("€");
    expect(cleaned(euro.subarray(0, 1), euro.subarray(1))).toBe("€\n");
    expect(cleaned("x\n-----BEGIN PRIVATE KEY-----\n", "MIIE\n", "AAAA\n-----END PRIVATE KEY-----\ny\n")).toBe("x\n[hidden]\ny\n");
  });

  it("may be an endless line", () => {
    const part = `${"word ".repeat(20_000)}test-to`;
    expect(cleaned(part, "ken ", part)).not.toContain("test-token");
    expect(cleaned("x".repeat(200_000))).toHaveLength(200_000);
    const key = `-----BEGIN PRIVATE KEY-----\n${`${"A".repeat(64)}\n`.repeat(100)}`;
    expect(cleaned(key.slice(0, 3000), key.slice(3000), "tail -----END PRIVATE KEY-----\n")).toBe("[hidden]\n");
  });

  it("is kept by its end", () => {
    const kept = tail(10, 2);
    for (const part of ["aaaa\n", "bbbb\n", "cc\n", "dd\n"]) kept.add(part);
    expect(kept.text()).toBe("cc\ndd");
  });
});

describe("the system's clock", () => {
  it("sleeps until it is woken by a signal", async () => {
    const controller = new AbortController();
    const sleeping = systemClock().sleep(HOUR * 24 * 365, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ code: "ABORTED" });
    await expect(systemClock().sleep(1, AbortSignal.abort())).rejects.toMatchObject({ code: "ABORTED" });
    await expect(systemClock().sleep(0)).resolves.toBeUndefined();
  });
});
