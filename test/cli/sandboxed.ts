/** The built command line against the sandbox over HTTP, with real git: as a user has it. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { fitsSchema } from "./documents.js";
import { startSandbox } from "../../sandbox/index.js";
import type { PullRequestRecord, Sandbox, SandboxOptions } from "../../sandbox/index.js";

export const BIN = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Place {
  readonly sandbox: Sandbox;
  readonly pullRequest: PullRequestRecord;
  readonly url: string;
  readonly folder: string;
  /** What the command line is started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** A clone made by hand, with the author's identity. */
  clone(): Promise<string>;
  write(name: string, text: string): Promise<string>;
  cli(
    args: readonly string[],
    options?: { readonly cwd?: string; readonly environment?: Readonly<Record<string, string>>; readonly input?: string },
  ): Promise<Ran>;
  close(): Promise<void>;
}

export const BEFORE = {
  "src/a.js": "one\ntwo\n",
  "check.mjs":
    'import { readFileSync } from "node:fs";\nif (readFileSync("src/a.js", "utf8").includes("BROKEN")) { console.error("BROKEN is not defined"); process.exit(1); }\n',
};
export const AFTER = { "src/a.js": "one\nfor (i = 0; i <= n; i++)\n" };

export const place = async (options: Pick<SandboxOptions, "onWrite"> = {}): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-cli-"));
  const sandbox = await startSandbox(options);
  const { world } = sandbox;
  for (const login of ["ada", "grace"]) world.addUser(login);
  world.addRepository("ada/shop", { files: BEFORE });
  world.setAccess("ada/shop", "grace", "write");
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: AFTER, message: "Count" });
  const pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Count to n" });
  const url = `${sandbox.url}/ada/shop/pull/${pullRequest.number}`;
  const base = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    GITHUB_API_URL: sandbox.apiUrl,
    GITHUB_GRAPHQL_URL: sandbox.graphqlUrl,
    GH_TOKEN: sandbox.tokenFor("ada"),
    NO_COLOR: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.test",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.test",
  };
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text);
    await chmod(file, 0o755);
    return file;
  };
  return {
    sandbox,
    pullRequest,
    url,
    folder,
    environment: base,
    write,
    clone: async () => {
      const to = await mkdtemp(join(folder, "clone-"));
      const remote = new URL(`${sandbox.url}/ada/shop.git`);
      await execa(
        "git",
        [
          "-c",
          `http.extraHeader=Authorization: Basic ${Buffer.from(`x-access-token:${base.GH_TOKEN}`).toString("base64")}`,
          "clone",
          "--quiet",
          remote.href,
          to,
        ],
        { env: { GIT_TERMINAL_PROMPT: "0" } },
      );
      await execa("git", ["-C", to, "config", "user.name", "Ada"]);
      await execa("git", ["-C", to, "config", "user.email", "ada@example.test"]);
      return to;
    },
    cli: async (args, options = {}) => {
      const ran = await execa(process.execPath, [BIN, ...args], {
        cwd: options.cwd ?? folder,
        env: { ...base, ...options.environment },
        extendEnv: false,
        reject: false,
        ...(options.input === undefined ? { stdin: "ignore" } : { input: options.input }),
      });
      fitsSchema(args, ran.stdout);
      return { code: ran.exitCode ?? -1, out: ran.stdout, err: ran.stderr };
    },
    close: async () => {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** An agent that mends `<=`, in the transport of the `command` agent. */
export const AGENT = `
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const answer = task.kind === "triage"
  ? { decisions: task.threads.map((t) => ({ thread: t.id, kind: /\\?$/.test(t.title) ? "informational" : "actionable", why: "read it", reply: /\\?$/.test(t.title) ? "It counts to n." : null, root: null, question: null })) }
  : (() => {
      const file = task.worktree + "/src/a.js";
      writeFileSync(file, readFileSync(file, "utf8").replace("<=", "<"));
      return { changed: task.threads.map((t) => ({ thread: t.id, summary: "compares with < now", files: ["src/a.js"] })), unfixed: [] };
    })();
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answer));
`;
