/** `reviewloop demo`: opens a pull request on a GitHub on this machine, and drives it with the same command as anywhere else. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ReviewloopError } from "../index.js";
import type { Config } from "../index.js";
import { openForGh } from "../sandbox/scenes/gh.js";
import { serveScene } from "../sandbox/scenes/serve.js";
import type { ServedScene } from "../sandbox/scenes/serve.js";
import { number, on } from "./flags.js";
import type { Flags } from "./flags.js";
import { environmentFor, linesToTry, untilInterrupted } from "./sandbox/served.js";
import { sceneName } from "./sandbox.js";
import { coloursFor } from "./print/text.js";
import type { Surroundings } from "./surroundings.js";

/** What would lead a client elsewhere, or sign it in as somebody else. */
const ELSEWHERE = new Set([
  "GH_HOST",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
]);

const configOf = (agent: string, scene: string): Config => ({
  extends: "review-clean",
  gate: "node check.mjs",
  agent: ["command", { run: ["node", agent] }],
  people: { wait: true },
  wait: { poll: "50ms", settle: "50ms", pace: "0ms" },
  // Bots here take milliseconds, and one says nothing where it has nothing to say: no minutes for it.
  ...(scene === "everyone" ? { reviewers: { seer: { required: false, wait: { start: "2s" } } } } : {}),
});

/** Runs git and waits for it; what it says on an error goes into the error. */
const git = (args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn("git", args, { env: environment, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (part: Buffer) => {
      said += part.toString("utf8");
    });
    child.once("error", (error) => reject(new ReviewloopError("GIT_FAILED", { command: args[0] ?? "", problem: error.message })));
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new ReviewloopError("GIT_FAILED", { command: args[0] ?? "", problem: said.trim() }));
    });
  });

/** A clone as the pull request's author has it: on the branch, with a name for commits, and with the config. */
const cloneFor = async (served: ServedScene, folder: string, config: Config, environment: NodeJS.ProcessEnv): Promise<string> => {
  const { scene } = served;
  const clone = join(folder, scene.project.name);
  await git(["clone", "--quiet", "--branch", scene.pullRequest.head.branch, served.cloneUrl, clone], environment);
  await git(["-C", clone, "config", "user.name", scene.author], environment);
  await git(["-C", clone, "config", "user.email", `${scene.author}@example.invalid`], environment);
  await writeFile(join(clone, "reviewloop.config.json"), `${JSON.stringify(config, null, 2)}\n`);
  return clone;
};

/** Paths below a folder that is deleted when the demo ends are nothing to show: a gate's log file in the report, as text or as JSON. */
const withoutPathsIn = (folder: string, report: string): string => {
  const path = `${folder.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}[^"\\s\\u001b]*`;
  return report.replaceAll(new RegExp(`,"logFile":"${path}"|(?:\\u001b\\[\\d+m)? {2}${path}`, "g"), "");
};

/**
 * Runs this program's own command line: progress live on our stream, the report, which comes last and at once, through `shown`. In a process
 * group of its own: Ctrl-C is handed on once.
 */
const runLoop = (
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
  surroundings: Surroundings,
  shown: (report: string) => string,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL("main.js", import.meta.url));
    const colour = surroundings.stdout.isTTY === true && environment["NO_COLOR"] === undefined ? { FORCE_COLOR: "1" } : {};
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: { ...colour, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (report += part));
    const forget = surroundings.onInterrupt(() => void child.kill("SIGINT"));
    child.once("error", (error) => {
      forget();
      reject(error);
    });
    child.once("close", (code) => {
      forget();
      surroundings.stdout.write(shown(report));
      resolve(code ?? 130);
    });
  });

const intro = (served: ServedScene, config: Config, json: boolean, surroundings: Surroundings): void => {
  const colours = coloursFor(surroundings.stderr, surroundings.environment);
  const { threads } = served.scene.pullRequest;
  const open = threads.filter((thread) => !thread.resolved).length;
  surroundings.stderr.write(
    [
      `${colours.bold("A GitHub on this machine")}  ${served.sandbox.url}`,
      `${colours.bold("Pull request")}  ${served.pullRequestUrl}  ${colours.dim(`${threads.length} threads, ${open} open`)}`,
      "",
      colours.bold("reviewloop.config.json"),
      JSON.stringify(config, null, 2),
      "",
      `${colours.bold("$")} reviewloop run ${served.pullRequestUrl} --yes${json ? " --json" : ""}`,
      "",
      "",
    ].join("\n"),
  );
};

/**
 * Plays the demo: `scene`, `seed`, `json` (standard output has the report alone), `keep` (the sandbox stays until Ctrl-C).
 * The exit code is that of `reviewloop run`. Throws `USAGE` for a scene that does not exist, `GIT_FAILED` where git is missing.
 */
export const demo = async (flags: Flags, surroundings: Surroundings): Promise<number> => {
  const name = sceneName(flags, "demo");
  const seed = number(flags, "seed");
  const json = on(flags, "json");
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-demo-"));
  try {
    const served = await serveScene(name, seed === undefined ? {} : { seed });
    try {
      const inherited = Object.fromEntries(Object.entries(surroundings.environment).filter(([key]) => !ELSEWHERE.has(key)));
      const environment = { ...inherited, ...environmentFor(served), XDG_STATE_HOME: join(folder, "state") };
      const config = configOf(fileURLToPath(new URL("../sandbox/demo/agent.js", import.meta.url)), name);
      const clone = await cloneFor(served, folder, config, environment);
      intro(served, config, json, surroundings);
      const keep = on(flags, "keep");
      const shown = (report: string): string => (keep ? report : withoutPathsIn(folder, report));
      const args = ["run", served.pullRequestUrl, "--yes", ...(json ? ["--json"] : [])];
      const code = await runLoop(args, clone, environment, surroundings, shown);
      if (keep) {
        const gh = await openForGh(served.sandbox.url, folder);
        try {
          const lines = linesToTry(served, gh).map((line) => `  ${line}`);
          surroundings.stderr.write(["", "The sandbox stays up until Ctrl-C. To try in another terminal:", ...lines, ""].join("\n"));
          await untilInterrupted(surroundings);
        } finally {
          await gh.close();
        }
      }
      return code;
    } finally {
      await served.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
