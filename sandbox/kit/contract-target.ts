/** What every target promises, shown with a table: what holds it on a few plain pull requests. */
import type { Blocker, Config, Plugin, PluginFactory } from "../../core/index.js";
import { brief, casesOf, must, sameJson, thrownBy, type Cases, type ContractCase } from "./contract.js";
import { begun, handle, standOf } from "./contract-stand.js";
import { scenario, type Scenario } from "./scenario.js";

/** Plain pull requests that differ in one thing each. */
const SITUATIONS = {
  /** Nothing is open, nothing runs, everything is green. */
  nothing: (scene: Scenario) => scene,
  /** An inline thread of a bot that no plugin knows. */
  botThread: (scene: Scenario) => scene.thread({ by: "other-bot[bot]", path: "src/main.ts", line: 1, body: "This is never used." }),
  /** An inline thread of a person with write access. */
  personThread: (scene: Scenario) => scene.thread({ by: "bob", path: "src/main.ts", line: 1, body: "Why 42?" }),
  draft: (scene: Scenario) => scene.pullRequest({ draft: true }),
  redCheck: (scene: Scenario) => scene.check({ by: "acme-ci", name: "test", conclusion: "FAILURE" }),
  runningCheck: (scene: Scenario) => scene.status({ by: "acme-ci[bot]", context: "test", state: "PENDING" }),
  /** GitHub has not worked out whether it merges. */
  mergeUnknown: (scene: Scenario) =>
    scene.step(({ world }) => {
      world.faults.set("merge-state-unknown", { reads: 1_000 });
      world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "more.txt": "more\n" }, message: "More" });
    }),
  conflict: (scene: Scenario) =>
    scene.step(({ world }) => {
      world.commitAndPush("ada", { repository: "ada/shop", branch: "main", files: { "src/main.ts": "export {};\n" }, message: "Other" });
    }),
} as const satisfies Readonly<Record<string, (scene: Scenario) => Scenario>>;

export type Situation = keyof typeof SITUATIONS;
/** Codes of the blockers in each situation, in any order; an empty list = the target is met. */
export type TargetTable = Readonly<Record<Situation, readonly string[]>>;

export interface TargetContractOptions<O extends object> {
  readonly options?: Partial<O>;
  /** Settings over the contract's; without a gate unless given. */
  readonly config?: Config;
}

const LIFTERS: ReadonlySet<string> = new Set<Blocker["lift"]["who"]>(["loop", "agent", "reviewer", "ci", "person", "environment"]);

/**
 * The contract of a target, as cases for any test runner: one for each situation of the table, and what holds for all of them.
 *
 * ```ts
 * const cases = targetContract(severeClean, { nothing: [], botThread: ["undecided"], ... });
 * ```
 */
export const targetContract = <O extends object>(
  factory: PluginFactory<O>,
  table: TargetTable,
  given: TargetContractOptions<O> = {},
): readonly ContractCase[] => {
  const make = (): Plugin => factory(given.options ?? {});

  const blockersIn = async (situation: Situation, plugin: Plugin) => {
    const scene = SITUATIONS[situation](scenario().user("bob")).build();
    await begun(scene, plugin.name);
    // Long enough for a workflow to register, had there been one.
    scene.clock.jump(10 * 60_000);
    const stand = await standOf(scene, plugin, { config: given.config ?? {} });
    const check = (): Promise<readonly Blocker[]> => handle(stand, "check", [], stand.inbox);
    return { stand, check, blockers: await check() };
  };

  const situations = Object.fromEntries(
    (Object.keys(SITUATIONS) as Situation[]).map((situation): [string, () => Promise<void>] => [
      `${situation}: ${table[situation].length === 0 ? "met" : table[situation].join(", ")}`,
      async () => {
        const { blockers } = await blockersIn(situation, make());
        const codes = blockers.map((blocker) => blocker.code);
        must(
          sameJson(codes.toSorted(), table[situation].toSorted()),
          `check of ${situation}`,
          `gives ${brief(codes)} where ${brief(table[situation])} was due`,
        );
      },
    ]),
  );

  const general: Cases = {
    "is a target and says whom it awaits": () => {
      const plugin = make();
      must(plugin.kind === "target", "kind", `is a ${plugin.kind}`);
      must(["everyone", "required", "nobody"].includes(plugin.awaits ?? ""), "awaits", `is ${brief(plugin.awaits)}`);
    },
    "says of each blocker who it is, what is wrong and who lifts it": async () => {
      for (const situation of Object.keys(SITUATIONS) as Situation[]) {
        const plugin = make();
        const { blockers, stand } = await blockersIn(situation, plugin);
        for (const blocker of blockers) {
          const where = `check of ${situation}`;
          must(blocker.code !== "" && blocker.detail.trim() !== "", where, `a blocker has no code or no detail: ${brief(blocker)}`);
          must(blocker.by === plugin.name || blocker.by === "core", where, `the blocker ${blocker.code} says that it is ${blocker.by}'s`);
          must(
            LIFTERS.has(blocker.lift.who),
            where,
            `the blocker ${blocker.code} is lifted by ${brief(blocker.lift.who)}, whom nobody knows`,
          );
          const known = blocker.thread === undefined || stand.inbox.threads.some((thread) => thread.id === blocker.thread);
          must(known, where, `the blocker ${blocker.code} names a thread that is not there`);
        }
      }
    },
    "says the same of the same read": async () => {
      const { blockers, check } = await blockersIn("botThread", make());
      let again: readonly Blocker[] = [];
      const thrown = await thrownBy(async () => {
        again = await check();
      });
      must(thrown === undefined && sameJson(blockers, again), "check", `gives ${brief(again.map(({ code }) => code))} the second time`);
    },
  };

  return casesOf(factory.pluginName, { ...general, ...situations });
};
