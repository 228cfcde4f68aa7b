/** Plays the loop by hand on a scene, without the loop: what the agent is asked, what it edits, and what the reviewers say to it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentThread, DecisionKind } from "../../index.js";
import { judge } from "../../sandbox/demo/judge.js";
import { Worktree } from "../../sandbox/demo/reading.js";
import { repair } from "../../sandbox/demo/repair.js";
import { BODIES } from "../../sandbox/reviewers/index.js";
import type { Scene } from "../../sandbox/scenes/index.js";
import type { ThreadRecord } from "../../sandbox/world/index.js";
import type { VirtualClock } from "../../sandbox/kit/virtual-clock.js";

const bots = new Set<string>([BODIES.greptile.login, BODIES.devin.login, BODIES.copilot.login]);

const threadFor = (part: Partial<AgentThread> & Pick<AgentThread, "id" | "source">, comments: AgentThread["comments"]): AgentThread => ({
  title: "",
  severity: "unknown",
  reviewer: null,
  author: comments[0]?.author ?? "",
  association: "NONE",
  isBot: false,
  path: null,
  line: null,
  startLine: null,
  outdated: false,
  code: null,
  suggestion: null,
  why: null,
  root: null,
  ...part,
  comments,
});

const inline = (scene: Scene, thread: ThreadRecord): AgentThread =>
  threadFor(
    { id: thread.id, source: "inline", path: thread.path, line: thread.line, startLine: thread.startLine },
    thread.comments.map((comment) => ({
      author: comment.author,
      body: comment.body.replaceAll(/<!--[\s\S]*?-->/g, ""),
      at: "",
      ours: comment.author === scene.author,
    })),
  );

/** Items of Greptile's summary that no thread stands for. */
const summaryItems = (scene: Scene): readonly AgentThread[] => {
  const body = scene.pullRequest.comments.findLast((comment) => comment.author === BODIES.greptile.login)?.body ?? "";
  const items = [...body.matchAll(/### Issue \d+ of \d+\n(\S+?):(\d+)(?:-\d+)?\n\*\*(.+)\*\*\n\n(.+)\n/g)];
  return items
    .filter(([, path]) => !scene.pullRequest.threads.some((thread) => thread.path === path))
    .map(([, path = "", line = "", title = "", text = ""]) =>
      threadFor({ id: `summary:${path}:${title}`, source: "summary", title, path, line: Number(line) }, [
        { author: BODIES.greptile.login, body: text, at: "", ours: false },
      ]),
    );
};

/** The newest comment of a person that nobody answered. */
const conversation = (scene: Scene): readonly AgentThread[] => {
  const last = scene.pullRequest.comments.findLast((comment) => !bots.has(comment.author));
  if (last === undefined || last.author === scene.author) return [];
  return [threadFor({ id: last.id, source: "comment" }, [{ author: last.author, body: last.body, at: "", ours: false }])];
};

export const score = (scene: Scene): string | undefined => {
  const body = scene.pullRequest.comments.findLast((comment) => comment.author === BODIES.greptile.login)?.body ?? "";
  return /Confidence Score: (\d)\/5/.exec(body)?.[1];
};

export const open = (scene: Scene): readonly AgentThread[] => [
  ...scene.pullRequest.threads.filter((thread) => !thread.resolved).map((thread) => inline(scene, thread)),
  ...summaryItems(scene),
  ...conversation(scene),
];

export interface Checkout {
  readonly folder: string;
  remove(): void;
}

export const checkout = (scene: Scene): Checkout => {
  const folder = mkdtempSync(join(tmpdir(), "reviewloop-scene-"));
  const { world, pullRequest } = scene;
  const changed = world.git.changedFiles(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha).map((file) => file.path);
  for (const path of new Set([...Object.keys(scene.project.base.files), ...changed])) {
    const text = world.git.fileAt(pullRequest.repository, pullRequest.head.sha, path);
    if (text === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

export const gate = (folder: string): { readonly green: boolean; readonly output: string } => {
  const found = spawnSync(process.execPath, ["check.mjs"], { cwd: folder, encoding: "utf8" });
  return { green: found.status === 0, output: `${found.stdout}${found.stderr}` };
};

export const triage = (scene: Scene, folder: string): ReadonlyMap<string, DecisionKind> => {
  const worktree = new Worktree(folder);
  return new Map(open(scene).map((thread) => [thread.id, judge(thread, worktree).kind]));
};

/** Do the checks of a project without slips hold for the head, all of them? */
export const meetsGoal = (scene: Scene): { readonly green: boolean; readonly output: string } => {
  const made = checkout(scene);
  try {
    for (const [path, text] of Object.entries(scene.project.goal)) {
      if (path.startsWith("checks/")) writeFileSync(join(made.folder, path), text);
    }
    return gate(made.folder);
  } finally {
    made.remove();
  }
};

export interface Round {
  readonly decided: ReadonlyMap<string, DecisionKind>;
  readonly fixed: number;
  readonly unfixed: readonly string[];
  /** Gate results in order; the agent repairs after a red one. */
  readonly gates: readonly boolean[];
}

/** One pass: judge all, fix, gate, push, answer, resolve the bots' threads, ask again, and let time go on. */
export const pass = async (scene: Scene, clock: VirtualClock): Promise<Round> => {
  const { world, pullRequest, author } = scene;
  const made = checkout(scene);
  try {
    const worktree = new Worktree(made.folder);
    const threads = open(scene);
    const decided = new Map(threads.map((thread) => [thread.id, judge(thread, worktree)]));
    const todo = threads.filter((thread) => decided.get(thread.id)?.kind === "actionable");
    const outcomes = todo.map((thread) => ({ thread, outcome: repair(thread, worktree) }));
    const gates: boolean[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { green, output } = gate(made.folder);
      gates.push(green);
      if (green) break;
      repair(threadFor({ id: "gate:check", source: "gate" }, [{ author: "", body: output, at: "", ours: false }]), worktree);
    }
    const files: Record<string, string> = {};
    for (const path of execFileSync("find", [made.folder, "-type", "f"], { encoding: "utf8" }).trim().split("\n")) {
      const name = path.slice(made.folder.length + 1);
      const text = readFileSync(path, "utf8");
      if (text !== world.git.fileAt(pullRequest.repository, pullRequest.head.sha, name)) files[name] = text;
    }
    if (Object.keys(files).length > 0) {
      world.commitAndPush(author, {
        repository: scene.repository,
        branch: pullRequest.head.branch,
        files,
        message: "Address review feedback",
      });
    }
    for (const thread of threads) {
      const decision = decided.get(thread.id);
      if (decision === undefined || decision.kind === "judgment") continue;
      if (thread.source === "comment") world.comment(author, pullRequest, decision.reply ?? "Noted.");
      if (thread.source !== "inline") continue;
      world.replyToThread(author, thread.id, decision.reply ?? "Done.");
      if (bots.has(thread.author)) world.resolve(author, thread.id);
    }
    world.requestReview(author, pullRequest, BODIES.copilot.login);
    world.comment(author, pullRequest, "@greptileai review\n\n<!-- asked -->");
    await clock.advance(5_000);
    return {
      decided: new Map([...decided].map(([id, decision]) => [id, decision.kind])),
      fixed: outcomes.filter(({ outcome }) => "changed" in outcome).length,
      unfixed: outcomes.flatMap(({ thread, outcome }) => ("why" in outcome ? [`${thread.id}: ${outcome.why}`] : [])),
      gates,
    };
  } finally {
    made.remove();
  }
};
