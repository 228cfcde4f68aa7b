// An agent of twenty lines: one JSON document in, one out. It mends what it understands and says so of the rest.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const isTypo = (thread) => thread.path !== null && /\bteh\b/.test(thread.comments[0].body);

const triage = (thread) =>
  isTypo(thread)
    ? { thread: thread.id, kind: "actionable", why: "a slip of the pen", reply: null, root: null, question: null }
    : { thread: thread.id, kind: "judgment", why: "more than a slip", reply: null, root: null, question: "What shall be done?" };

const fix = (thread) => {
  const file = join(task.worktree, thread.path);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/\bteh\b/g, "the"));
  return { thread: thread.id, summary: `Spelt "the" right.`, files: [thread.path] };
};

const answer = task.kind === "triage" ? { decisions: task.threads.map(triage) } : { changed: task.threads.map(fix), unfixed: [] };
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answer));
