/** A run's state: a pure fold of the journal. */
import { ReviewloopError } from "./errors.js";
import type { Asked, Entry, IterationLine, RunState, Sha, Write, WriteResult } from "./model.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const EMPTY: RunState = {
  id: "",
  startedAt: 0,
  target: "",
  base: "",
  heads: [],
  decisions: {},
  evidence: [],
  fixes: {},
  wrote: [],
  found: {},
  asked: [],
  waits: [],
  writes: {},
  iterations: [],
  pushes: [],
  repairs: {},
  left: {},
  notes: {},
  activeTime: 0,
  tokens: 0,
  money: 0,
};

const emptyIteration = (number: number, startedAt: number, head: Sha): IterationLine => ({
  number,
  startedAt,
  head,
  decided: [],
  fixed: [],
  notFixed: [],
  replied: [],
  resolved: [],
  asked: [],
  gates: [],
});

/** Changes the iteration that is going on; before the first one there is nothing to note. */
const onIteration = (state: Mutable<RunState>, change: (line: IterationLine) => IterationLine): void => {
  const last = state.iterations.at(-1);
  if (last !== undefined) state.iterations = [...state.iterations.slice(0, -1), change(last)];
};

const targetHead = (write: Write, state: RunState): Sha => write.preconditions.head ?? state.heads.at(-1)?.sha ?? "";

const requested = (state: Mutable<RunState>, write: Extract<Write, { kind: "request" }>, at: number, outcome: Asked["state"]): void => {
  const asked: Asked = { reviewer: write.reviewer, head: targetHead(write, state), at, state: outcome, by: write.by };
  state.asked = [...state.asked.filter((other) => !(other.reviewer === asked.reviewer && other.head === asked.head)), asked];
};

const noteResult = (state: Mutable<RunState>, write: Write, result: WriteResult, at: number): void => {
  if (write.kind === "request") {
    requested(state, write, at, result.state);
    // A question that was looked for and is not there was never asked: it is still owed.
    if (result.state === "dropped" && result.unanswered === true) state.asked = state.asked.slice(0, -1);
    onIteration(state, (line) => ({ ...line, asked: [...line.asked, { reviewer: write.reviewer, by: write.by, state: result.state }] }));
  }
  if (result.state !== "done") return;
  state.lastWriteAt = at;
  const url = result.url === undefined ? {} : { url: result.url };
  switch (write.kind) {
    case "reply":
      onIteration(state, (line) => ({ ...line, replied: [...line.replied, { thread: write.thread, ...url }] }));
      break;
    case "comment":
      onIteration(state, (line) => ({
        ...line,
        replied: [...line.replied, ...write.answers.map((answer) => ({ thread: answer.thread, ...url }))],
      }));
      break;
    case "resolve":
      onIteration(state, (line) => ({ ...line, resolved: [...line.resolved, write.thread] }));
      break;
    case "push": {
      state.pushes = [...state.pushes, write.to];
      const landed = new Set(write.commits);
      const now = Object.entries(state.fixes).filter(([, fix]) => landed.has(fix.commit));
      state.wrote = state.wrote.map((each) => (landed.has(each.commit) ? { ...each, head: write.to } : each));
      state.fixes = { ...state.fixes, ...Object.fromEntries(now.map(([id, fix]) => [id, { ...fix, pushed: true }])) };
      state.heads = [...state.heads, { sha: write.to, at }];
      // Equal trees are equal: what was green before the push is green at the commit that carries it.
      state.evidence = state.evidence.map((each) => (each.tree === write.tree ? { ...each, head: write.to } : each));
      onIteration(state, (line) => ({
        ...line,
        pushed: write.to,
        fixed: [
          ...line.fixed,
          ...now.map(([, fix]) => ({ thread: fix.thread, title: fix.title, commit: fix.commit, summary: fix.summary })),
        ],
      }));
      break;
    }
    default:
  }
};

const step = (state: Mutable<RunState>, entry: Entry): void => {
  switch (entry.type) {
    case "run":
      Object.assign(state, {
        id: entry.run,
        startedAt: entry.at,
        target: entry.target,
        base: entry.base,
        waits: [],
        iterations: [],
        pushes: [],
        repairs: {},
        left: {},
        activeTime: 0,
        tokens: 0,
        money: 0,
      });
      delete state.stop;
      break;
    case "head":
      if (state.heads.at(-1)?.sha !== entry.head) state.heads = [...state.heads, { sha: entry.head, at: entry.at }];
      break;
    case "iteration":
      state.iterations = [...state.iterations, emptyIteration(entry.number, entry.at, entry.head)];
      break;
    case "decision": {
      const { thread, contentHash, decision, title } = entry;
      state.decisions = {
        ...state.decisions,
        [thread]: { contentHash, decision, at: entry.at, iteration: state.iterations.at(-1)?.number ?? 0 },
      };
      onIteration(state, (line) => ({ ...line, decided: [...line.decided, { thread, title, kind: decision.kind, why: decision.why }] }));
      break;
    }
    case "evidence": {
      const { evidence } = entry;
      const same = (other: typeof evidence): boolean =>
        other.gate === evidence.gate && other.tree === evidence.tree && other.command === evidence.command;
      state.evidence = [...state.evidence.filter((other) => !same(other)), evidence];
      onIteration(state, (line) => ({
        ...line,
        gates: [
          ...line.gates,
          {
            gate: evidence.gate,
            tree: evidence.tree,
            result: evidence.result,
            ...(evidence.at < line.startedAt ? { reused: true as const } : {}),
          },
        ],
      }));
      break;
    }
    case "work":
      state.fixes = {
        ...state.fixes,
        ...Object.fromEntries(entry.fixed.map((fix) => [fix.thread, { ...fix, commit: entry.commit, pushed: false }])),
      };
      if (entry.lines !== undefined)
        state.wrote = [...state.wrote.filter((each) => each.commit !== entry.commit), { commit: entry.commit, lines: entry.lines }];
      break;
    case "findings": {
      const induced = new Set(entry.fixInduced);
      const fresh = entry.threads.filter((thread) => state.found[thread] === undefined);
      state.found = {
        ...state.found,
        ...Object.fromEntries(fresh.map((thread) => [thread, induced.has(thread) ? ("fix-induced" as const) : ("other" as const)])),
      };
      onIteration(state, (line) => ({
        ...line,
        findings: {
          found: (line.findings?.found ?? 0) + fresh.length,
          fixInduced: (line.findings?.fixInduced ?? 0) + fresh.filter((thread) => induced.has(thread)).length,
        },
      }));
      break;
    }
    case "left": {
      const { thread, contentHash, title, why, code } = entry;
      state.left = { ...state.left, [thread]: { contentHash, title, why, code } };
      if (code === "not-fixed") onIteration(state, (line) => ({ ...line, notFixed: [...line.notFixed, { thread, title, why }] }));
      break;
    }
    case "repair":
      state.repairs = { ...state.repairs, [entry.gate]: (state.repairs[entry.gate] ?? 0) + 1 };
      break;
    case "intent":
      state.writes = { ...state.writes, [entry.write.key]: { write: entry.write, at: entry.at } };
      if (entry.write.kind === "request") requested(state, entry.write, entry.at, "unknown");
      break;
    case "result": {
      const intent = state.writes[entry.key];
      if (intent === undefined) break;
      state.writes = { ...state.writes, [entry.key]: { ...intent, result: entry.result } };
      noteResult(state, intent.write, entry.result, entry.at);
      break;
    }
    case "waits":
      state.waits = entry.waits;
      break;
    case "note":
      state.notes = { ...state.notes, [entry.plugin]: { ...state.notes[entry.plugin], [entry.key]: entry.value } };
      break;
    case "agent":
      state.tokens += entry.tokens ?? 0;
      state.money += entry.money ?? 0;
      break;
    case "active":
      state.activeTime += entry.took;
      break;
    case "stop":
      state.stop = entry.stop;
      state.waits = [];
      break;
    default:
    // An entry of a newer version says nothing to this one.
  }
};

/** The state after one more entry. */
export const advanceRun = (state: RunState, entry: Entry): RunState => {
  const next: Mutable<RunState> = { ...state };
  step(next, entry);
  return Object.freeze(next);
};

/** Throws `JOURNAL_DAMAGED` where an entry lacks what its type needs: somebody edited the file. */
export const foldRun = (entries: readonly Entry[]): RunState => {
  const state: Mutable<RunState> = { ...EMPTY };
  for (const [index, entry] of entries.entries()) {
    try {
      step(state, entry);
    } catch (cause) {
      const problem = `entry ${index + 1} (${entry.type}) lacks what its type needs`;
      throw new ReviewloopError("JOURNAL_DAMAGED", { file: "of this pull request", problem }, { cause });
    }
  }
  return Object.freeze(state);
};

/** Is there a run that was neither stopped nor is finished: parked, or killed? */
export const isOpen = (run: RunState): boolean => run.id !== "" && run.stop === undefined;

/** Writes whose fate is unknown: intent on disk, no result. */
export const unsettled = (run: RunState): readonly Write[] =>
  Object.values(run.writes)
    .filter((entry) => entry.result === undefined)
    .map((entry) => entry.write);
