/**
 * Committable suggestions need no model: this applies them. Where no agent judges threads, a suggestion of a known bot or of
 * somebody with write access is also decided here; suggestions that exclude each other are a person's, whoever judges.
 */
import { definePlugin } from "../../core/index.js";
import type { Ctx, Decided, Decision, DoneItem, Inbox, Thread, Triage, Work, WorkItem } from "../../core/index.js";
import { readingOf, type Candidate, type Reading } from "./suggestions/candidates.js";
import { applied, changes, conflicting, fits, linesOf, moved, type LineEdit } from "./suggestions/text-edits.js";

type Options = Record<never, never>;
type SuggestionCtx = Ctx<Options>;

/** The suggestions of these threads, each file read once at head. */
const readings = async (threads: readonly Thread[], inbox: Inbox, ctx: SuggestionCtx): Promise<ReadonlyMap<string, Reading>> => {
  const files = new Map<string, string | undefined>();
  const found = new Map<string, Reading>();
  for (const thread of threads) {
    if (thread.source !== "inline" || thread.place === undefined || !thread.messages.some((message) => message.body.includes("suggestion")))
      continue;
    const { path } = thread.place;
    if (!files.has(path)) files.set(path, await ctx.git?.show(inbox.pullRequest.head.sha, path));
    const reading = readingOf(thread, files.get(path), { inbox, settings: ctx.settings });
    if (reading !== undefined) found.set(thread.id, reading);
  }
  return found;
};

const byPath = (candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> => {
  const paths = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const same = paths.get(candidate.path);
    if (same === undefined) paths.set(candidate.path, [candidate]);
    else same.push(candidate);
  }
  return paths;
};

const rivalsOf = (candidates: readonly Candidate[]): readonly (readonly Candidate[])[] =>
  [...byPath(candidates).values()].flatMap((same) => conflicting(same));

const namesOf = (group: readonly Candidate[]): string =>
  [...new Set(group.map((candidate) => candidate.thread.reviewer ?? candidate.thread.author.login))].join(" and ");

const range = (edit: Pick<LineEdit, "start" | "end">): string =>
  edit.start === edit.end ? `line ${edit.start}` : `lines ${edit.start}-${edit.end}`;

const conflictOf = (group: readonly Candidate[]): Decision => {
  const lines = { start: Math.min(...group.map((one) => one.edit.start)), end: Math.max(...group.map((one) => one.edit.end)) };
  return {
    kind: "judgment",
    why: `${namesOf(group)} suggest different texts for ${range(lines)} of ${group[0]?.path ?? ""}`,
    reply: null,
    question: "Which of the suggestions is to be taken?",
  };
};

/** Pure: what is decided here. `judged` = an agent judges threads; then only what excludes each other is decided. */
export const decideSuggestions = (triage: Triage, found: ReadonlyMap<string, Reading>, judged: boolean): Triage => {
  const wanted = [...triage.undecided, ...triage.decided.filter((item) => item.decision.kind === "actionable").map((item) => item.thread)];
  const candidates = wanted.flatMap((thread) => {
    const reading = found.get(thread.id);
    return reading !== undefined && "candidate" in reading ? [reading.candidate] : [];
  });
  const decisions = new Map<string, Decision>();
  for (const candidate of candidates) {
    if (judged || candidate.discussed) continue;
    decisions.set(
      candidate.thread.id,
      candidate.already
        ? { kind: "informational", why: "the lines already read as suggested", reply: "These lines already read as suggested." }
        : { kind: "actionable", why: `a committable suggestion by ${candidate.thread.author.login}`, reply: null },
    );
  }
  for (const group of rivalsOf(candidates.filter((candidate) => !candidate.already))) {
    // A person who spoke up has perhaps decided it: that is for the agent to read.
    const open = judged && group.some((candidate) => candidate.discussed);
    for (const candidate of group) if (!open) decisions.set(candidate.thread.id, conflictOf(group));
  }
  const decided = triage.undecided.flatMap((thread): Decided[] => {
    const decision = decisions.get(thread.id);
    return decision === undefined ? [] : [{ thread, decision }];
  });
  return {
    undecided: triage.undecided.filter((thread) => !decisions.has(thread.id)),
    decided: [...triage.decided, ...decided],
  };
};

type Outcome = { readonly done: string } | { readonly why: string };

/** Applies what can be applied to one file; says for each thread what became of it. */
const editFile = async (
  path: string,
  same: readonly Candidate[],
  inbox: Inbox,
  ctx: SuggestionCtx,
): Promise<ReadonlyMap<string, Outcome>> => {
  const outcomes = new Map<string, Outcome>();
  const git = ctx.git;
  const head = await git?.show(inbox.pullRequest.head.sha, path);
  const now = await git?.read(path);
  if (git === undefined || head === undefined || now === undefined) {
    for (const { thread } of same) outcomes.set(thread.id, { why: `there is no file ${path} in the worktree` });
    return outcomes;
  }
  const [headLines, nowLines] = [linesOf(head), linesOf(now)];
  const edits: LineEdit[] = [];
  for (const { thread, edit } of same) {
    const there = moved(headLines, nowLines, edit);
    if (there === undefined || !fits(nowLines, there))
      outcomes.set(thread.id, { why: "the lines were changed in the worktree in the meantime" });
    else if (!changes(nowLines, there)) outcomes.set(thread.id, { why: "the lines already read as suggested" });
    else {
      edits.push(there);
      outcomes.set(thread.id, { done: `Applied the suggestion for ${range(edit)} of \`${path.replaceAll("`", "'")}\`.` });
    }
  }
  try {
    if (edits.length > 0) await git.edit(path, applied(now, edits));
  } catch (error) {
    const why = `the suggestion can't be applied: ${error instanceof Error ? error.message : String(error)}`;
    for (const [id, outcome] of outcomes) if ("done" in outcome) outcomes.set(id, { why });
  }
  return outcomes;
};

const apply = async (work: Work, inbox: Inbox, ctx: SuggestionCtx): Promise<Work> => {
  const found = await readings(
    work.todo.map((item) => item.thread),
    inbox,
    ctx,
  );
  const outcomes = new Map<string, Outcome>();
  const candidates: Candidate[] = [];
  for (const [id, reading] of found) {
    if (reading === undefined) continue;
    if ("why" in reading) outcomes.set(id, reading);
    else candidates.push(reading.candidate);
  }
  const rivals = rivalsOf(candidates.filter((candidate) => !candidate.already));
  for (const group of rivals) for (const { thread } of group) outcomes.set(thread.id, { why: conflictOf(group).why });
  const free = candidates.filter((candidate) => !outcomes.has(candidate.thread.id) && !candidate.discussed);
  for (const [path, same] of byPath(free)) for (const [id, outcome] of await editFile(path, same, inbox, ctx)) outcomes.set(id, outcome);

  const todo: WorkItem[] = [];
  const done: DoneItem[] = [];
  const reasons: Record<string, string> = { ...work.reasons };
  for (const item of work.todo) {
    const outcome = outcomes.get(item.thread.id);
    if (outcome !== undefined && "done" in outcome) {
      const path = item.thread.place?.path;
      done.push({ ...item, summary: outcome.done, files: path === undefined ? [] : [path], by: "suggestions" });
      delete reasons[item.thread.id];
    } else {
      todo.push(item);
      if (outcome !== undefined) reasons[item.thread.id] = outcome.why;
    }
  }
  return { todo, done: [...work.done, ...done], reasons };
};

export const suggestions = definePlugin<Options>({
  name: "suggestions",
  kind: "tool",
  on: {
    async triage(triage, inbox, ctx) {
      if (triage.undecided.length === 0) return triage;
      const threads = [...triage.undecided, ...triage.decided.map((item) => item.thread)];
      return decideSuggestions(triage, await readings(threads, inbox, ctx), ctx.agent("triage") !== undefined);
    },
    async fix(work, inbox, ctx) {
      return work.todo.length === 0 ? work : await apply(work, inbox, ctx);
    },
  },
});

export default suggestions;
