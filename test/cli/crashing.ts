/** The built command line, killed by the server at a given write, before or after it is applied; started again until it ends by itself. */
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { greptile } from "../../sandbox/reviewers/index.js";
import { fitsSchema } from "./documents.js";
import { BIN, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

const LIST = `export function total(list) {
  let sum = 0;
  for (let index = 0; index <= list.length; index += 1) {
    sum += list[index];
  }
  return sum;
}
`;

const AGENT = `
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const person = (t) => t.author === "grace";
const answer = task.kind === "triage"
  ? { decisions: task.threads.map((t) => ({ thread: t.id, kind: person(t) ? "informational" : "actionable", why: "read it", reply: person(t) ? "It adds up the list." : null, root: null, question: null })) }
  : (() => {
      const file = task.worktree + "/src/list.js";
      writeFileSync(file, readFileSync(file, "utf8").replace("index <= list.length", "index < list.length"));
      return { changed: task.threads.map((t) => ({ thread: t.id, summary: "stops before the length now", files: ["src/list.js"] })), unfixed: [] };
    })();
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answer));
`;

export type Killing =
  | {
      /** The k-th write, from 1. */
      readonly write: number;
      readonly stage: "received" | "applied";
    }
  | {
      /** The k-th line of this type in the journal: an intent that is on disk and was not sent, a result that came and is not on disk. */
      readonly line: "intent" | "result";
      readonly number: number;
    };

/** Loaded into the command line: it ends its own process, as hard as a power cut. */
const SUICIDE = `
import { open } from "node:fs/promises";
const handle = await open(process.execPath, "r");
const files = Object.getPrototypeOf(handle);
await handle.close();
const { line, number } = JSON.parse(process.env.KILL_AT);
const { write, sync } = files;
let seen = 0;
let due = false;
const end = () => process.kill(process.pid, "SIGKILL");
files.write = function (buffer, ...rest) {
  if (Buffer.isBuffer(buffer) && buffer.includes('"type":"' + line + '"')) seen += 1;
  due = seen === number;
  if (due && line === "result") end();
  return write.call(this, buffer, ...rest);
};
files.sync = async function () {
  await sync.call(this);
  if (due && line === "intent") end();
};
`;

export interface Ended {
  /** What everybody sees: no ids, no times, no commit ids. */
  readonly picture: object;
  /** Method and path of each write of a run that nobody killed. */
  readonly writes: readonly string[];
  readonly code: number | undefined;
  readonly out: string;
  readonly killed: boolean;
}

const pictureOf = (at: Place): object => {
  const said = (body: string): string =>
    body
      .replaceAll(/<!--[\s\S]*?-->/g, "")
      .replaceAll(/127\.0\.0\.1:\d+/g, "host")
      .replaceAll(/_r\d+/g, "")
      .replaceAll(/[0-9a-f]{7,40}/g, "#")
      .trim();
  const { world } = at.sandbox;
  return {
    threads: at.pullRequest.threads.map((thread) => ({
      resolved: thread.resolved,
      said: thread.comments.map((comment) => `${comment.author}: ${said(comment.body)}`),
    })),
    conversation: at.pullRequest.comments.filter((comment) => comment.author === "ada").map((comment) => said(comment.body)),
    text: world.git.fileAt("ada/shop", at.pullRequest.head.sha, "src/list.js"),
    pushes: world.log.filter((event) => event.type === "pushed" && event.pullRequest !== undefined).length,
  };
};

/** A pull request with a bot's point and a person's question; driven to its end, killed once on the way if asked to. */
export const driveKilled = async (killing?: Killing): Promise<Ended> => {
  const writes: string[] = [];
  let kill: (() => void) | undefined;
  let killed = false;
  const at: Place = await place({
    onWrite: ({ method, path, stage }) => {
      if (stage === "received") writes.push(`${method} ${path}`);
      if (killed || killing === undefined || !("write" in killing) || writes.length !== killing.write || stage !== killing.stage) return;
      killed = true;
      // Not applied: whoever sent it is dead, and the server lost it.
      if (stage === "received") at.sandbox.world.faults.set("bad-gateway-before", { writes: [1] });
      kill?.();
    },
  });
  try {
    const { world } = at.sandbox;
    world.addBot("greptile-apps");
    world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/list.js": LIST }, message: "Total" });
    const bot = greptile({ world, pullRequest: at.pullRequest, basePaths: [], pace: { start: 5, work: 5 } }, { kinds: ["loop-bound"] });
    bot.review();
    const end = bot.attach();
    world.addThread("grace", at.pullRequest, { path: "src/list.js", line: 1, body: "What is it for?" });
    const agent = await at.write("agent.mjs", AGENT);
    const config = await at.write(
      "reviewloop.json",
      JSON.stringify({
        extends: "review-clean",
        plugins: ["sticky-comment"],
        gate: "node check.mjs",
        agent: ["command", { run: ["node", agent] }],
        worktree: { setup: false },
        wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
      }),
    );
    const clone = await at.clone();
    const suicide =
      killing === undefined || "write" in killing
        ? {}
        : { NODE_OPTIONS: `--import=${pathToFileURL(await at.write("suicide.mjs", SUICIDE)).href}`, KILL_AT: JSON.stringify(killing) };
    const start = async (
      more: Readonly<Record<string, string>> = {},
    ): Promise<{
      readonly exitCode?: number | undefined;
      readonly stdout: string;
      readonly signal?: string | undefined;
    }> => {
      const child = execa(process.execPath, [BIN, "run", at.url, "--config", config, "--yes", "--json"], {
        cwd: clone,
        env: { ...at.environment, ...more },
        extendEnv: false,
        reject: false,
        stdin: "ignore",
      });
      kill = () => void child.kill("SIGKILL");
      return child;
    };
    let ran = await start(suicide);
    if ("KILL_AT" in suicide) killed = ran.signal === "SIGKILL";
    if (killed) {
      world.faults.clear("bad-gateway-before");
      ran = await start();
    }
    end();
    fitsSchema(["run", "--json"], ran.stdout);
    return { picture: pictureOf(at), writes: killed ? [] : writes, code: ran.exitCode, out: ran.stdout, killed };
  } finally {
    await at.close();
  }
};
