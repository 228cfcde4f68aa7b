/** What the ports `shell`, `clock`, `store` and `agent` promise; with `forge` and `git` they are `portContract`. */
import {
  answerProblems,
  TRIAGE_SCHEMA,
  type Agent,
  type AgentTask,
  type AgentThread,
  type Clock,
  type Entry,
  type PullRequestRef,
  type Shell,
  type Store,
  type TriageAnswer,
} from "../../core/index.js";
import { brief, casesOf, must, mustThrow, sameJson, thrownBy, type ContractCase } from "./contract.js";
import { forgeContract } from "./contract-forge.js";
import { gitContract } from "./contract-git.js";

interface Closing {
  close?(): Promise<void>;
}

const opening =
  <S extends Closing>(open: () => Promise<S>) =>
  (act: (stand: S) => Promise<void>) =>
  async (): Promise<void> => {
    const stand = await open();
    try {
      await act(stand);
    } finally {
      await stand.close?.();
    }
  };

export interface ShellStand extends Closing {
  readonly shell: Shell;
  readonly cwd: string;
  /** Command lines: ends well after a line `fine`; ends with 3 after a line `broken`; a program that is not there; one that takes minutes. */
  readonly commands: { readonly succeed: string; readonly fail: string; readonly missing: string; readonly slow: string };
}

const shellContract = (name: string, open: () => Promise<ShellStand>): readonly ContractCase[] => {
  const on = opening(open);
  const patient = 60_000;
  return casesOf(name, {
    "tells how a command ended": on(async ({ shell, cwd, commands }) => {
      const fine = await shell.run({ command: commands.succeed, cwd, timeout: patient });
      must(fine.started && fine.exitCode === 0 && !fine.timedOut, "run", `of a command that ends well gives ${brief(fine)}`);
      must(fine.output.includes("fine"), "run", `loses the output: ${brief(fine.output)}`);
      const red = await shell.run({ command: commands.fail, cwd, timeout: patient });
      must(red.started && red.exitCode === 3 && !red.timedOut, "run", `of a command that ends with 3 gives ${brief(red)}`);
      must(red.output.includes("broken"), "run", `loses the output of a failure: ${brief(red.output)}`);
      must(fine.took >= 0 && red.took >= 0, "run", "took less than no time");
    }),
    "tells a program that is not there from one that fails": on(async ({ shell, cwd, commands }) => {
      const missing = await shell.run({ command: commands.missing, cwd, timeout: patient });
      must(!missing.started, "run", `of a program that is not there gives ${brief(missing)}`);
    }),
    "ends what takes too long, and says so": on(async ({ shell, cwd, commands }) => {
      const late = await shell.run({ command: commands.slow, cwd, timeout: 50 });
      must(late.timedOut && late.exitCode === undefined, "run", `of a command that takes too long gives ${brief(late)}`);
    }),
    "an interrupt ends it": on(async ({ shell, cwd, commands }) => {
      const task = { command: commands.slow, cwd, timeout: patient };
      await mustThrow("ABORTED", "run after an interrupt", () => shell.run(task, AbortSignal.abort()));
      const controller = new AbortController();
      const work = shell.run(task, controller.signal);
      controller.abort();
      await mustThrow("ABORTED", "run", () => work);
    }),
  });
};

const clockContract = (name: string, open: () => Promise<{ readonly clock: Clock } & Closing>): readonly ContractCase[] => {
  const on = opening(open);
  return casesOf(name, {
    "tells whole milliseconds, and never goes back": on(async ({ clock }) => {
      const before = clock.now();
      must(Number.isSafeInteger(before), "now", `is ${before}, which is no whole number of milliseconds`);
      await clock.sleep(2);
      must(clock.now() >= before, "now", "goes back");
    }),
    "sleeps as long as it is told": on(async ({ clock }) => {
      const before = clock.now();
      await clock.sleep(5);
      must(clock.now() - before >= 4, "sleep", `of 5 ms ends after ${clock.now() - before} ms`);
      await clock.sleep(0);
      await clock.sleep(-1);
    }),
    "an interrupt wakes it": on(async ({ clock }) => {
      await mustThrow("ABORTED", "sleep after an interrupt", () => clock.sleep(1000, AbortSignal.abort()));
      const controller = new AbortController();
      const nap = clock.sleep(3_600_000, controller.signal);
      controller.abort();
      await mustThrow("ABORTED", "sleep", () => nap);
    }),
    "wakes sleepers in the order of their time": on(async ({ clock }) => {
      const woken: number[] = [];
      await Promise.all([25, 1].map(async (milliseconds) => clock.sleep(milliseconds).then(() => woken.push(milliseconds))));
      must(sameJson(woken, [1, 25]), "sleep", `of ${woken[0]} ms ends before one of ${woken[1]} ms`);
    }),
  });
};

export interface StoreStand extends Closing {
  readonly store: Store;
  /** Another process on the same disk. */
  again(): Store;
}

const REF: PullRequestRef = { host: "github.example", owner: "ada", name: "shop", number: 7 };
const entryOf = (at: number, text = "x"): Entry => ({
  at,
  type: "note",
  plugin: "contract",
  key: "text",
  value: { text, list: [1, null, true] },
});

const storeContract = (name: string, open: () => Promise<StoreStand>): readonly ContractCase[] => {
  const on = opening(open);
  return casesOf(name, {
    "keeps what was appended, in order, over a restart": on(async ({ store, again }) => {
      const entries = Array.from({ length: 20 }, (_, index) => entryOf(index, `${index} "quoted"\n\u2028 ünï`));
      const journal = await store.open(REF);
      await Promise.all(entries.map((entry) => journal.append(entry)));
      must(sameJson(journal.entries, entries), "entries", "of the open journal are not what was appended, in order");
      await journal.close();
      const next = await again().open(REF);
      must(sameJson(next.entries, entries), "open", "after a restart does not give what was appended");
      await next.close();
    }),
    "one writer at a time": on(async ({ store, again }) => {
      const journal = await store.open(REF);
      await mustThrow("LEASE_HELD", "open while another holds it", () => again().open(REF));
      const other = await store.open({ ...REF, number: 8 });
      await other.close();
      await journal.close();
      const next = await again().open(REF);
      await next.close();
    }),
    "nobody writes after giving it back": on(async ({ store }) => {
      const journal = await store.open(REF);
      await journal.append(entryOf(1));
      await journal.close();
      await journal.close();
      must((await thrownBy(() => journal.append(entryOf(2)))) !== undefined, "append", "after close is taken");
      must((await store.peek(REF)).length === 1, "append", "after close stands in the journal");
    }),
    "a look needs no lease": on(async ({ store, again }) => {
      must((await store.peek(REF)).length === 0, "peek", "finds something where nothing was written");
      const journal = await store.open(REF);
      await journal.append(entryOf(1));
      must(sameJson(await again().peek(REF), [entryOf(1)]), "peek", "does not see what was appended");
      await journal.append(entryOf(2));
      must((await again().peek(REF)).length === 2, "peek", "does not see a later entry");
      await journal.close();
    }),
    "keeps pull requests apart": on(async ({ store }) => {
      const journal = await store.open(REF);
      await journal.append(entryOf(1));
      await journal.close();
      must((await store.peek({ ...REF, number: 8 })).length === 0, "peek", "shows another pull request's journal");
      must((await store.peek({ ...REF, name: "shop2" })).length === 0, "peek", "shows another repository's journal");
    }),
    remembers: on(async ({ store, again }) => {
      must((await store.recall(REF, "key")) === undefined, "recall", "gives something that nobody told it");
      await store.remember(REF, "key", { list: ["a", 1, null] }, 5);
      must(
        sameJson(await again().recall(REF, "key"), { value: { list: ["a", 1, null] }, at: 5 }),
        "recall",
        "gives something else than was told",
      );
      await store.remember(REF, "key", "newer", 6);
      must(sameJson(await again().recall(REF, "key"), { value: "newer", at: 6 }), "recall", "gives the older word");
      must((await store.recall(REF, "another key")) === undefined, "recall", "gives one key's word for another");
      must((await store.recall({ ...REF, name: "other" }, "key")) === undefined, "recall", "gives one repository's word to another");
    }),
    "what was appended can't be changed afterwards": on(async ({ store, again }) => {
      const value = { text: "first" };
      const journal = await store.open(REF);
      await journal.append({ at: 1, type: "note", plugin: "contract", key: "k", value });
      value.text = "changed";
      await journal.close();
      const [entry] = await again().peek(REF);
      must(entry?.type === "note" && sameJson(entry.value, { text: "first" }), "append", "keeps the caller's own object");
    }),
  });
};

export interface AgentStand extends Closing {
  /** Able to do `triage`. */
  readonly agent: Agent;
  /** Folder that the task names. */
  readonly worktree: string;
}

const threadOf = (id: string, body: string): AgentThread => ({
  id,
  source: "inline",
  title: body,
  severity: "unknown",
  reviewer: null,
  author: "bob",
  association: "MEMBER",
  isBot: false,
  path: "src/main.ts",
  line: 1,
  startLine: null,
  outdated: false,
  code: "1 export {};",
  suggestion: null,
  comments: [{ author: "bob", body, at: "2026-03-02T09:00:00Z", ours: false }],
  why: null,
  root: null,
});

const agentPortContract = (name: string, open: () => Promise<AgentStand>): readonly ContractCase[] => {
  const on = opening(open);
  const taskIn = (worktree: string): AgentTask => ({
    protocol: 1,
    kind: "triage",
    pullRequest: { url: "https://github.example/ada/shop/pull/7", title: "A change", body: "", author: "ada" },
    head: "a".repeat(40),
    base: "b".repeat(40),
    worktree,
    threads: [threadOf("PRRT_1", "Off by one."), threadOf("PRRT_2", 'Why "two"?')],
    rules: [],
    schema: TRIAGE_SCHEMA,
  });
  return casesOf(name, {
    "answers for every thread once, and for no other": on(async ({ agent, worktree }) => {
      const task = taskIn(worktree);
      const result = await agent.ask(task);
      must(result.ok, "ask", `fails: ${brief("failure" in result ? result.failure : undefined)}`);
      const problems = answerProblems(task, result.answer);
      must(problems.length === 0, "ask", `gives an answer that is none: ${problems.join("; ")}`);
      const ids = (result.answer as TriageAnswer).decisions.map((decision) => decision.thread).toSorted();
      must(sameJson(ids, ["PRRT_1", "PRRT_2"]), "ask", `answers for ${brief(ids)}`);
      must(result.took >= 0, "ask", "took less than no time");
    }),
    "an interrupt ends it": on(async ({ agent, worktree }) => {
      await mustThrow("ABORTED", "ask after an interrupt", () => agent.ask(taskIn(worktree), AbortSignal.abort()));
    }),
  });
};

/**
 * The contracts of the ports, as cases for any test runner: `portContract.store("my store", open)`. Each adapter and each port in memory
 * keeps the same one, so that what is tested in memory holds outside. `open` makes a fresh stand for each case.
 */
export const portContract = {
  forge: forgeContract,
  git: gitContract,
  shell: shellContract,
  clock: clockContract,
  store: storeContract,
  agent: agentPortContract,
} as const;
