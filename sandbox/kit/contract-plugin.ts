/** What every plugin promises, whatever it does. */
import { Ajv } from "ajv";
import {
  CATALOGUE,
  PHASES,
  ReviewloopError,
  messageOf,
  type Agent,
  type AgentTask,
  type Config,
  type Ctx,
  type Forge,
  type Git,
  type Inbox,
  type Log,
  type Phase,
  type Plugin,
  type PluginFactory,
  type Ports,
  type Shell,
} from "../../core/index.js";
import { brief, broken, casesOf, deepFrozen, must, settles, thrownBy, type ContractCase } from "./contract.js";
import { furnished, inputsOf, type Inputs } from "./contract-inputs.js";
import { keeps } from "./contract-keeps.js";
import { begun, handlerOf, handle, phasesOf, standOf, type Stand } from "./contract-stand.js";
import type { Scenario } from "./scenario.js";
import { fixEach, scriptedAgent, triageEach } from "./scripted-agent.js";

export interface PluginContractOptions<O extends object> {
  /** Options to make it with; needed where its defaults alone do nothing. */
  readonly options?: Partial<O>;
  /** Furnishes the pull request with what this plugin reacts to. */
  readonly scene?: (scene: Scenario) => Scenario;
  /** Settings over the contract's (a gate, a sync policy). */
  readonly config?: Config;
}

/** Stands where a secret would be; no string that leaves a plugin may hold it. */
export const CONTRACT_TOKEN = "contract-test-token";

const AGENT = {
  triage: triageEach(() => ({ kind: "informational" as const, reply: "It is so on purpose." })),
  fix: fixEach(() => "there is nothing to change"),
};

/** A shell that has every command: each takes a minute of the scene's time. */
const anyShell = (clock: Ports["clock"]): Shell => ({
  async run(task, signal) {
    if (signal?.aborted === true) throw new ReviewloopError("ABORTED", {});
    await clock.sleep(60_000, signal);
    return {
      started: true,
      exitCode: 0,
      timedOut: false,
      output: "ok",
      took: 60_000,
      ...(task.logFile === undefined ? {} : { logFile: task.logFile }),
    };
  },
});

interface Ready extends Stand {
  readonly inputs: Inputs;
  readonly ports: Ports;
}

/** Is called with each use of a port before it happens; what it returns takes the place of the use. */
type Watch = (
  port: "forge" | "git" | "shell" | "agent" | "clock",
  method: string,
  args: readonly unknown[],
) => Promise<unknown> | undefined;

const watched = <T extends object>(port: Parameters<Watch>[0], of: T, watch: Watch): T =>
  new Proxy(of, {
    get(target, key, receiver): unknown {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== "function" || typeof key !== "string" || key === "now") return value;
      const method = value as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]) => watch(port, key, args) ?? method.call(target, ...args);
    },
  });

const watchedCtx = (ctx: Ctx, watch: Watch): Ctx => ({
  ...ctx,
  forge: watched("forge", ctx.forge, watch),
  ...(ctx.git === undefined ? {} : { git: watched("git", ctx.git, watch) }),
  shell: watched("shell", ctx.shell, watch),
  clock: watched("clock", ctx.clock, watch),
  agent: (kind) => {
    const agent = ctx.agent(kind);
    return agent === undefined ? undefined : watched("agent", agent, watch);
  },
});

/** Which calls leave the machine or move what the core owns; a plugin has none of them. */
const FORBIDDEN: Readonly<Record<string, ReadonlySet<string>>> = {
  forge: new Set<keyof Forge>(["write"]),
  git: new Set<keyof Git>(["write", "commit", "checkout", "open", "close"]),
};

const ready = async <O extends object>(plugin: Plugin, { scene: furnish, config }: PluginContractOptions<O>): Promise<Ready> => {
  const scene = (furnish ?? ((same) => same))(furnished()).build();
  await begun(scene);
  const agent: Agent = scriptedAgent(AGENT, { git: scene.git, clock: scene.clock });
  const slow: Agent = {
    name: agent.name,
    ask: async (task: AgentTask, signal) => {
      await scene.clock.sleep(60_000, signal);
      return agent.ask(task, signal);
    },
  };
  const ports = { ...scene.ports, agent: slow, shell: anyShell(scene.clock) };
  const stand = await standOf(scene, plugin, { config: { gate: "npm test", ...config }, ports });
  await scene.git.open(stand.inbox.pullRequest, false);
  const tree = await scene.git.tree();
  let inbox: Inbox = stand.inbox;
  // A broken `fetch` is for the cases about handlers to tell; the other phases still get something to read.
  await thrownBy(async () => {
    const read = await handle(stand, "fetch", structuredClone(stand.inbox));
    if (Array.isArray(read?.threads) && read.threads.filter((thread) => thread.open).length >= 2) inbox = read;
  });
  return { ...stand, ports, inputs: inputsOf(inbox, stand.inbox, tree) };
};

const call = (at: Ready, phase: Phase, ctx: Ctx, inputs: Inputs = at.inputs): Promise<unknown> =>
  Promise.resolve((async () => handlerOf(at.plugin, phase)?.(...(inputs[phase] as readonly unknown[]), Object.freeze(ctx)))());

const READ_ONLY = /read.?only|not extensible|Cannot (?:assign|add|delete|define|redefine)|object is frozen/i;

const TOKEN_OPTION = /token|secret|password|credential/i;

/** Options with the sample token wherever the schema has a place for one. */
const withToken = (factory: Pick<PluginFactory, "schema">, options: object): object => {
  const properties = (factory.schema as { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> }).properties ?? {};
  const places = Object.entries(properties).filter(([name, { type }]) => TOKEN_OPTION.test(name) && type === "string");
  return { ...options, ...Object.fromEntries(places.map(([name]) => [name, CONTRACT_TOKEN])) };
};

const VARIABLES = ["GH_TOKEN", "GITHUB_TOKEN"] as const;

/** The sample token stands in the environment while the act runs, as a user's would. */
const withEnvironment = async (act: () => Promise<void>): Promise<void> => {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) process.env[name] = CONTRACT_TOKEN;
  try {
    await act();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};

/** A plugin that has no handler of a kind has nothing to prove there. */
const each = async (
  at: () => Promise<Ready>,
  act: (at: Ready, phase: Phase) => Promise<void>,
  kind?: "decide" | "refine",
): Promise<void> => {
  const { plugin } = await at();
  for (const phase of phasesOf(plugin)) if (kind === undefined || PHASES[phase].kind === kind) await act(await at(), phase);
};

/**
 * The contract of every plugin, as cases for any test runner:
 *
 * ```ts
 * for (const { name, run } of pluginContract(myPlugin)) test(name, run);
 * ```
 * `factory` is what `definePlugin`, `defineTarget` or `defineReviewer` gave.
 */
export const pluginContract = <O extends object>(
  factory: PluginFactory<O>,
  given: PluginContractOptions<O> = {},
): readonly ContractCase[] => {
  const options = given.options ?? {};
  const at = (): Promise<Ready> => ready(factory(options), given);

  return casesOf(factory.pluginName, {
    "has a name, a kind and phases that exist": () => {
      const plugin = factory(options);
      must(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(plugin.name), "name", `${brief(plugin.name)} is not kebab-case`);
      must(plugin.name === factory.pluginName, "name", `the plugin is ${brief(plugin.name)}, its factory ${brief(factory.pluginName)}`);
      must(plugin.kind === factory.kind, "kind", `the plugin is a ${plugin.kind}, its factory makes a ${factory.kind}`);
      const unknown = Object.keys(plugin.on).find((phase) => !Object.hasOwn(PHASES, phase));
      must(unknown === undefined, "on", `there is no phase ${brief(unknown)}`);
      must(plugin.kind !== "target" || plugin.awaits !== undefined, "awaits", "a target says whom it awaits: everyone, required or nobody");
      must(plugin.kind !== "reviewer" || plugin.reviewer !== undefined, "reviewer", "a reviewer says who it is: use defineReviewer");
    },

    "is made anew each time, from nothing but its options": () => {
      const mine = { ...options };
      const one = factory(mine);
      const before = JSON.stringify(one.options);
      Object.assign(mine, { contract: "changed afterwards" });
      const two = factory(options);
      must(one !== two, "factory", "two calls give the same object");
      must(
        JSON.stringify(one.options) === before,
        "factory",
        "it keeps the caller's own options object: a later change reaches the plugin",
      );
      must(JSON.stringify(two.options) === before, "factory", "two calls with equal options give different options");
      must(Object.isFrozen(one.options), "factory", "its options can be changed after it was made");
    },

    "has a schema that takes its defaults and no unknown key": () => {
      let validate;
      try {
        validate = new Ajv({ strict: false, allErrors: true }).compile(factory.schema);
      } catch (thrown) {
        return broken("schema", `does not compile: ${messageOf(thrown)}`);
      }
      must(
        validate({ ...factory.defaults, ...options }),
        "schema",
        `refuses the defaults: ${brief(validate.errors?.map((error) => `${error.instancePath} ${error.message}`))}`,
      );
      must(
        !validate({ ...factory.defaults, ...options, "no-such-option": true }),
        "schema",
        "takes an unknown key: set additionalProperties: false",
      );
    },

    "changes nothing that it is given": () =>
      each(at, async (stand, phase) => {
        const thrown = await thrownBy(() => call(stand, phase, stand.ctx, deepFrozen(stand.inputs)));
        const wrote = thrown instanceof TypeError && READ_ONLY.test(thrown.message);
        must(!wrote, phase, `changes its input in place; return a changed copy (${messageOf(thrown)})`);
      }),

    "keeps what a refine handler was given": () =>
      each(
        at,
        async (stand, phase) => {
          const inputs = structuredClone(stand.inputs);
          const returned = await call(stand, phase, stand.ctx, inputs);
          const problem = keeps(phase, stand.inputs, returned, stand.plugin);
          must(problem === undefined, phase, problem ?? "");
        },
        "refine",
      ),

    "leaves what a decide handler does not own": () =>
      each(
        at,
        async (stand, phase) => {
          const settings = { ...stand.ctx.settings, sync: "none" as const };
          const returned = await call(stand, phase, { ...stand.ctx, settings });
          if (phase === "sync") must(returned === undefined, phase, `answers ${brief(returned)} though no policy is set`);
          if (phase === "resolve") must(returned !== "resolve", phase, "resolves a person's thread that was left to a person (a judgment)");
          if (phase === "push")
            must(
              returned === undefined || typeof (returned as { subject?: unknown }).subject === "string",
              phase,
              `answers ${brief(returned)}, which is no commit plan`,
            );
        },
        "decide",
      ),

    "ends at once when it is interrupted": () =>
      each(at, async (stand, phase) => {
        const controller = new AbortController();
        const { clock } = stand.scene;
        const [began, pending] = [clock.passed, clock.pending];
        const ctx = watchedCtx({ ...stand.ctx, signal: controller.signal }, () => {
          controller.abort();
          return undefined;
        });
        const work = call(stand, phase, ctx);
        must(await settles(work), phase, "does not end after an interrupt; hand ctx.signal on to whatever you wait for");
        await work.catch(() => undefined);
        const spent = clock.passed - began;
        must(spent === 0, phase, `goes on for ${spent} ms after an interrupt; hand ctx.signal on to shell, agent and clock`);
        must(clock.pending <= pending, phase, "leaves a timer behind after an interrupt");
      }),

    "writes nothing itself, dry run or not": () =>
      each(at, async (stand, phase) => {
        for (const dryRun of [true, false]) {
          const wrote: string[] = [];
          const before = stand.scene.world.log.length;
          const ctx = watchedCtx({ ...stand.ctx, dryRun }, (port, method) => {
            if (FORBIDDEN[port]?.has(method) !== true) return undefined;
            wrote.push(`${port}.${method}`);
            return Promise.reject(new ReviewloopError("INTERNAL", { problem: "a plugin wrote" }));
          });
          await thrownBy(() => call(stand, phase, ctx, structuredClone(stand.inputs)));
          must(wrote.length === 0, phase, `calls ${wrote.join(", ")}; a plugin returns writes as data and the core makes them`);
          must(stand.scene.world.log.length === before, phase, "has changed the pull request");
        }
      }),

    "fails with a code and a hint": () =>
      each(at, async (stand, phase) => {
        const failing: readonly Watch[] = [
          (port) =>
            port === "clock"
              ? undefined
              : Promise.reject(new ReviewloopError("GITHUB_UNAVAILABLE", { what: port, problem: "the contract's failure" })),
          (port) =>
            port === "shell"
              ? Promise.resolve({ started: false, timedOut: false, output: "not found", took: 0 })
              : port === "agent"
                ? Promise.resolve({ ok: false, failure: { kind: "crash", detail: "the contract's failure" }, took: 0 })
                : undefined,
        ];
        for (const watch of failing) {
          const thrown = await thrownBy(() => call(stand, phase, watchedCtx(stand.ctx, watch), structuredClone(stand.inputs)));
          if (thrown === undefined) continue;
          must(
            ReviewloopError.is(thrown),
            phase,
            `throws a plain error when a port fails (${messageOf(thrown)}); let the port's error through, or throw a ReviewloopError`,
          );
          must(
            Object.hasOwn(CATALOGUE, thrown.code) && thrown.hint.trim() !== "",
            phase,
            `throws ${brief(thrown.code)} without a code of the catalogue or a hint`,
          );
        }
      }),

    "lets no token out": () =>
      withEnvironment(async () => {
        const made = factory(withToken(factory, options));
        await each(
          () => ready(made, given),
          async (stand, phase) => {
            const left: string[] = [];
            const say = (text: string): void => void left.push(`a log line: ${text}`);
            const log: Log = { info: say, warn: say, debug: say };
            const note = async (key: string, value: unknown): Promise<void> => void left.push(`a note: ${key} ${JSON.stringify(value)}`);
            const ctx = watchedCtx({ ...stand.ctx, log, note }, (port, method, args) => {
              if (port === "shell" || port === "agent") left.push(`${port}.${method}: ${JSON.stringify(args[0])}`);
              return undefined;
            });
            const thrown = await thrownBy(async () =>
              left.push(`what it returns: ${JSON.stringify(await call(stand, phase, ctx, structuredClone(stand.inputs)))}`),
            );
            if (thrown !== undefined) left.push(`an error: ${messageOf(thrown)} ${ReviewloopError.is(thrown) ? thrown.hint : ""}`);
            const leak = left.find((text) => text.includes(CONTRACT_TOKEN));
            must(leak === undefined, phase, `the token stands in ${leak?.split(":")[0] ?? ""}`);
          },
        );
      }),
  });
};
