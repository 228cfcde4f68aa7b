/** Each fault planted into a port is caught by the case that is meant for it. */
import { describe, expect, test } from "vitest";
import { ReviewloopError } from "../../core/index.js";
import type { Agent, Clock, Entry, Forge, Git, Journal, Shell, Store, TriageAnswer } from "../../core/index.js";
import { portContract, virtualClock } from "../../sandbox/kit/index.js";
import type { ContractCase, ForgeStand, GitStand } from "../../sandbox/kit/index.js";
import { failing } from "./failing.js";
import { memoryForgeStand, memoryGitStand, memoryShellStand, memoryStoreStand, scriptedAgentStand } from "./stands.js";

/** A port with some methods of its own; the others, getters included, stay as they are. */
const over = <T extends object>(port: T, own: Partial<T>): T =>
  new Proxy(port, { get: (target, key) => (Object.hasOwn(own, key) ? own[key as keyof T] : Reflect.get(target, key, target)) as unknown });

const forge = (change: (port: Forge, stand: ForgeStand) => Partial<Forge>, more: Partial<ForgeStand> = {}): readonly ContractCase[] =>
  portContract.forge("forge", async () => {
    const stand = await memoryForgeStand();
    return { ...stand, ...more, forge: over(stand.forge, change(stand.forge, stand)) };
  });
const git = (change: (port: Git, stand: GitStand) => Partial<Git>): readonly ContractCase[] =>
  portContract.git("git", async () => {
    const stand = await memoryGitStand();
    return { ...stand, git: over(stand.git, change(stand.git, stand)) };
  });
const shell = (change: (port: Shell) => Partial<Shell>): readonly ContractCase[] =>
  portContract.shell("shell", async () => {
    const stand = await memoryShellStand();
    return { ...stand, shell: over(stand.shell, change(stand.shell)) };
  });
const clock = (change: (port: Clock) => Partial<Clock>): readonly ContractCase[] =>
  portContract.clock("clock", async () => {
    const port = virtualClock();
    return { clock: { now: port.now, sleep: port.sleep, ...change(port) } };
  });
const store = (change: (port: Store) => Partial<Store>): readonly ContractCase[] =>
  portContract.store("store", async () => {
    const stand = await memoryStoreStand();
    const port = over<Store>(stand.store, change(stand.store));
    return { store: port, again: () => port };
  });
const journal = (change: (own: Journal) => Partial<Journal>): readonly ContractCase[] =>
  store((port) => ({
    open: async (ref) => {
      const own = await port.open(ref);
      return over(own, change(own));
    },
  }));
const agent = (change: (port: Agent) => Partial<Agent>): readonly ContractCase[] =>
  portContract.agent("agent", async () => {
    const stand = await scriptedAgentStand();
    return { ...stand, agent: over(stand.agent, change(stand.agent)) };
  });

const first = <T>(list: readonly T[]): readonly T[] => list.slice(0, 100);
let turn = 0;

interface Fault {
  readonly what: string;
  readonly cases: readonly ContractCase[];
  readonly name: string;
  readonly says: RegExp;
}
const fault = (what: string, cases: readonly ContractCase[], name: string, says: RegExp): Fault => ({ what, cases, name, says });

const FORGE: readonly Fault[] = [
  fault(
    "reads one page of threads",
    forge((port) => ({
      read: async (...args) => port.read(...args).then((read) => ({ ...read, reviewThreads: first(read.reviewThreads) })),
    })),
    "reads all of it",
    /gives 100 threads where there are 120/,
  ),
  fault(
    "reads one page of a thread's messages",
    forge((port) => ({
      read: async (...args) =>
        port.read(...args).then((read) => ({
          ...read,
          reviewThreads: read.reviewThreads.map((thread) => ({ ...thread, messages: first(thread.messages) })),
        })),
    })),
    "reads all of it",
    /100 messages of a thread/,
  ),
  fault(
    "no two reads are alike",
    forge((port) => ({
      read: async (...args) =>
        port.read(...args).then((read) => ({ ...read, pullRequest: { ...read.pullRequest, title: `${(turn += 1)}` } })),
    })),
    "says the same twice, and changes nothing by reading",
    /something else the second time/,
  ),
  fault(
    "marks what it has read",
    forge((port, { world, pullRequest }) => ({
      recent: async (...args) => {
        world.comment("ada", pullRequest, "Seen.");
        return port.recent(...args);
      },
    })),
    "says the same twice, and changes nothing by reading",
    /has changed something/,
  ),
  fault(
    "half a read is better than none",
    forge((port, { world }) => ({
      read: async (...args) =>
        port.read(...args).catch(async (thrown: unknown) => {
          if (!ReviewloopError.is(thrown) || thrown.code !== "READ_INCOMPLETE") throw thrown;
          world.faults.clear();
          return { ...(await port.read(...args)), reviewThreads: [] };
        }),
    })),
    "is complete or fails",
    /no error where READ_INCOMPLETE was due/,
  ),
  fault(
    "what is not there is its own fault",
    forge((port) => ({
      read: async (...args) =>
        port.read(...args).catch((thrown: unknown) => {
          if (ReviewloopError.is(thrown) && thrown.code === "PULL_REQUEST_NOT_FOUND") throw new Error("HTTP 404");
          throw thrown;
        }),
    })),
    "knows what is not there",
    /plain error where PULL_REQUEST_NOT_FOUND/,
  ),
  fault(
    "a pulse of one's own",
    forge((port) => ({ pulse: async (...args) => ({ ...(await port.pulse(...args)), digest: `${(turn += 1)}` }) })),
    "its pulse stands still until something moves",
    /moves though nothing did/,
  ),
  fault(
    "a pulse that looks at the head alone",
    forge((port) => ({ pulse: async (...args) => port.pulse(...args).then((pulse) => ({ ...pulse, digest: pulse.head })) })),
    "its pulse stands still until something moves",
    /though somebody wrote/,
  ),
  fault(
    "says done and does nothing",
    forge((port) => ({
      write: async (writes, ...rest) =>
        writes[0]?.kind === "mark-draft" ? writes.map(() => ({ state: "done" as const })) : port.write(writes, ...rest),
    })),
    "its writes take effect",
    /mark-draft: says that it is done/,
  ),
  fault(
    "refuses what is so already",
    forge((port) => ({
      write: async (writes, on, signal) => {
        const before = await port.read(on.ref);
        return writes[0]?.kind === "resolve" && before.reviewThreads.some((thread) => thread.resolved)
          ? writes.map(() => ({ state: "refused" as const, code: "invalid" as const, detail: "resolved already" }))
          : port.write(writes, on, signal);
      },
    })),
    "what is so already is done",
    /of a resolved thread gives/,
  ),
  fault(
    "opens an issue without a look",
    forge((port, { world }) => ({
      write: async (writes, ...rest) => {
        const [first] = writes;
        if (first?.kind !== "open-issue") return port.write(writes, ...rest);
        const { id } = world.openIssue("ada", "ada/shop", first);
        return [{ state: "done", id }];
      },
    })),
    "an issue with a marker is opened once",
    /opens 2 issues for one key/,
  ),
  fault(
    "throws a refusal",
    forge((port) => ({
      write: async (writes, ...rest) => {
        const results = await port.write(writes, ...rest);
        if (writes[0]?.kind === "comment" && results[0]?.state === "refused" && results[0].code !== "unsupported")
          throw new Error("refused");
        return results;
      },
    })),
    "a refusal is a result",
    /threw refused/,
  ),
  fault(
    "does more than it says it can",
    forge((port) => ({ can: new Set([...port.can].filter((kind) => kind !== "open-issue")) })),
    "refuses what it cannot",
    /though it is not in can/,
  ),
  fault(
    "sends a lost comment again",
    forge((port) => ({
      write: async (...args) =>
        port.write(...args).catch(async (thrown: unknown) => {
          if (args[0][0]?.kind !== "comment" || args[2]?.aborted === true) throw thrown;
          await port.write(...args);
          throw thrown;
        }),
    })),
    "a lost answer is thrown, and sent once",
    /stands there 2 times/,
  ),
  fault(
    "gives the refused ones last",
    forge((port) => ({
      write: async (...args) =>
        port.write(...args).then((results) => results.toSorted((a, b) => Number(a.state === "refused") - Number(b.state === "refused"))),
    })),
    "results come in the order of the writes",
    /where the second was refused/,
  ),
  fault(
    "writes on after an interrupt",
    forge((port) => ({ write: async (writes, on) => port.write(writes, on) })),
    "an interrupt sends nothing",
    /goes out after an interrupt/,
  ),
  fault(
    "reads on after an interrupt",
    forge((port) => ({ pulse: async (ref) => port.pulse(ref) })),
    "an interrupt sends nothing",
    /pulse: gave no error where ABORTED/,
  ),
  fault(
    "an error with the request in it",
    forge(
      (port) => ({
        write: async (...args) =>
          port.write(...args).catch((thrown: unknown) => {
            if (args[0][0]?.key !== "comment:x") throw thrown;
            throw new ReviewloopError("GITHUB_UNAVAILABLE", { what: "POST", problem: "authorization: contract-test-token" });
          }),
      }),
      { secret: "contract-test-token" },
    ),
    "no error holds the token",
    /holds the token/,
  ),
];

const GIT: readonly Fault[] = [
  fault(
    "shows nothing",
    git((port) => ({ show: async (revision, path) => (path === "src/b.txt" ? undefined : port.show(revision, path)) })),
    "opens at the head with its files",
    /show: gives/,
  ),
  fault(
    "does not see new files",
    git((port) => ({
      tree: async () => {
        const text = await port.read("new/untracked.txt");
        if (text === undefined) return port.tree();
        await port.edit("new/untracked.txt", null);
        const tree = await port.tree();
        await port.edit("new/untracked.txt", text);
        return tree;
      },
    })),
    "a tree is content",
    /does not know yet/,
  ),
  fault(
    "mends line ends",
    git((port) => ({ edit: async (path, text) => port.edit(path, text === null ? null : text.replaceAll("\r\n", "\n")) })),
    "an edit is exact",
    /edit: writes/,
  ),
  fault(
    "cleans paths up",
    git((port) => ({ edit: async (path, text) => port.edit(path.replaceAll("//", "/").replace(/^\.\//, ""), text) })),
    "an edit stays inside",
    /no error where GIT_FAILED was due/,
  ),
  fault(
    "does not name what was deleted",
    git((port) => ({ changes: async (...args) => (await port.changes(...args)).filter((change) => change.status !== "deleted") })),
    "names what changed, and its patch makes it again",
    /changes: are/,
  ),
  fault(
    "commits all that lies about",
    git((port) => ({
      commit: async (tree, parent, plan) =>
        (await port.read("src/leftover.txt")) === undefined
          ? port.commit(tree, parent, plan)
          : port.commit(await port.tree(), parent, plan),
    })),
    "commits exactly the tree that it is given",
    /another tree than the one/,
  ),
  fault(
    "a checkout that keeps new files",
    git((port) => ({
      checkout: async (revision) => {
        const stray = await port.read("src/stray.txt");
        await port.checkout(revision);
        if (stray !== undefined) await port.edit("src/stray.txt", stray);
      },
    })),
    "a checkout makes the worktree exactly that",
    /leaves something behind/,
  ),
  fault(
    "a push that stays here",
    git((port) => ({
      write: async (push, on) => ((await port.show(push.to, "src/a.txt")) === "pushed\n" ? { state: "done" } : port.write(push, on)),
    })),
    "a push lands, once",
    /the branch is elsewhere/,
  ),
  fault(
    "a push that takes what is there for what was expected",
    git((port) => ({
      write: async (push, on) =>
        port.write(
          (await port.show(push.to, "src/a.txt")) === "ours\n" ? { ...push, expected: await port.remoteHead(), force: true } : push,
          on,
        ),
    })),
    "a push is refused when the head has moved",
    /over somebody else's push gives/,
  ),
  fault(
    "a push that is always forced",
    git((port) => ({ write: async (push, on) => port.write({ ...push, force: true }, on) })),
    "a push goes on from what it replaces",
    /beside the branch gives/,
  ),
  fault(
    "a sync that is said and not done",
    git((port) => ({
      sync: async (policy, base) => {
        const head = await port.head();
        const synced = await port.sync(policy, base);
        if (synced.conflicts === undefined) await port.checkout(head);
        return synced;
      },
    })),
    "a sync brings the base in",
    /does not bring the base's files/,
  ),
  fault(
    "a sync that leaves its markers",
    git((port) => ({
      sync: async (policy, base) => {
        const synced = await port.sync(policy, base);
        if (synced.conflicts !== undefined) await port.edit("src/a.txt", "<<<<<<<\n");
        return synced;
      },
    })),
    "a sync that conflicts leaves all as it was",
    /has changed the worktree although it conflicts/,
  ),
  fault(
    "goes on when it is closed",
    git(() => ({ close: async () => undefined })),
    "is of no use when it is closed",
    /no error where GIT_FAILED/,
  ),
];

const SHELL: readonly Fault[] = [
  fault(
    "every command ends well",
    shell((port) => ({
      run: async (...args) => port.run(...args).then((result) => (result.exitCode === 3 ? { ...result, exitCode: 0 } : result)),
    })),
    "tells how a command ended",
    /ends with 3 gives/,
  ),
  fault(
    "a missing program is a red one",
    shell((port) => ({ run: async (...args) => port.run(...args).then((result) => ({ ...result, started: true })) })),
    "tells a program that is not there from one that fails",
    /not there gives/,
  ),
  fault(
    "patient",
    shell((port) => ({ run: async (task, signal) => port.run({ ...task, timeout: 3_600_000 }, signal) })),
    "ends what takes too long, and says so",
    /takes too long gives/,
  ),
  fault(
    "does not hear",
    shell((port) => ({ run: async (task) => port.run(task) })),
    "an interrupt ends it",
    /gave no error where ABORTED/,
  ),
];

const CLOCK: readonly Fault[] = [
  fault(
    "seconds",
    clock((port) => ({ now: () => port.now() + 0.5 })),
    "tells whole milliseconds, and never goes back",
    /no whole number/,
  ),
  fault(
    "wakes early",
    clock((port) => ({ sleep: async (milliseconds, signal) => port.sleep(milliseconds / 2, signal) })),
    "sleeps as long as it is told",
    /ends after/,
  ),
  fault(
    "an interrupt by another name",
    clock((port) => ({
      sleep: async (milliseconds, signal) =>
        port.sleep(milliseconds, signal).catch(() => {
          throw new Error("aborted");
        }),
    })),
    "an interrupt wakes it",
    /plain error where ABORTED/,
  ),
  fault(
    "every sleep is the same",
    clock((port) => ({ sleep: async (milliseconds, signal) => port.sleep(Math.min(milliseconds, 5) > 0 ? 5 : 0, signal) })),
    "wakes sleepers in the order of their time",
    /of 25 ms ends before one of 1 ms/,
  ),
];

const STORE: readonly Fault[] = [
  fault(
    "loses the last entry",
    journal((own) => ({ append: async (entry: Entry) => (entry.at === 19 ? undefined : own.append(entry)) })),
    "keeps what was appended, in order, over a restart",
    /not what was appended/,
  ),
  fault(
    "lets everybody in",
    store((port) => {
      let held = false;
      return {
        open: async (ref) => {
          const lease = held ? { ...ref, number: 1000 } : ref;
          const own = await port.open(lease).catch(() => port.open({ ...ref, number: 1001 }));
          held = false;
          return own;
        },
      };
    }),
    "one writer at a time",
    /no error where LEASE_HELD/,
  ),
  fault(
    "takes late entries",
    store((port) => ({
      open: async (ref) => {
        const own = await port.open(ref);
        return over(own, { append: async (entry: Entry) => own.append(entry).catch(() => undefined) });
      },
    })),
    "nobody writes after giving it back",
    /append: after close is taken/,
  ),
  fault(
    "a look shows what was there at first",
    store((port) => {
      let seen: readonly Entry[] | undefined;
      return { peek: async (ref) => (seen ??= (await port.peek(ref)).length > 0 ? await port.peek(ref) : undefined) ?? [] };
    }),
    "a look needs no lease",
    /does not see a later entry/,
  ),
  fault(
    "one journal for all",
    store((port) => ({ peek: async (ref) => port.peek({ ...ref, name: "shop", number: 7 }) })),
    "keeps pull requests apart",
    /another pull request's journal/,
  ),
  fault(
    "one memory for all",
    store((port) => ({ recall: async (repository, key) => port.recall({ ...repository, name: "shop" }, key) })),
    "remembers",
    /one repository's word to another/,
  ),
  fault(
    "keeps what the caller holds",
    store((port) => {
      const held: Entry[] = [];
      return {
        open: async (ref) => {
          const own = await port.open(ref);
          return over(own, {
            append: async (entry: Entry) => {
              await own.append(entry);
              if (entry.type === "note" && entry.key === "k") held.push(entry);
            },
          });
        },
        peek: async (ref) => (held.length > 0 ? held : port.peek(ref)),
      };
    }),
    "what was appended can't be changed afterwards",
    /keeps the caller's own object/,
  ),
];

const AGENT: readonly Fault[] = [
  fault(
    "forgets a thread",
    agent((port) => ({
      ask: async (...args) => {
        const result = await port.ask(...args);
        return result.ok ? { ...result, answer: { decisions: (result.answer as TriageAnswer).decisions.slice(1) } } : result;
      },
    })),
    "answers for every thread once, and for no other",
    /gives an answer that is none/,
  ),
  fault(
    "does not hear",
    agent((port) => ({ ask: async (task) => port.ask(task) })),
    "an interrupt ends it",
    /gave no error where ABORTED/,
  ),
];

describe.each([
  ["forge", FORGE],
  ["git", GIT],
  ["shell", SHELL],
  ["clock", CLOCK],
  ["store", STORE],
  ["agent", AGENT],
] as const)("%s", (_port, faults) => {
  test.each(faults)("$what", async ({ cases, name, says }) => {
    const found = await failing(cases);
    expect(Object.keys(found)).toEqual([name]);
    expect(found[name]).toMatch(says);
    expect(found[name]).not.toContain("\n");
  });

  test("each case has its fault", () => {
    expect([...new Set(faults.map(({ name }) => name))].toSorted()).toEqual(faults[0]?.cases.map(({ name }) => name).toSorted());
  });
});
