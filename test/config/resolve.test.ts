import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineConfig } from "../../core/config/define.js";
import type { Config, Preset } from "../../core/config/define.js";
import { describeConfig } from "../../core/config/describe.js";
import { loadConfig } from "../../core/config/load.js";
import { mergePlugins } from "../../core/config/merge.js";
import type { Candidate } from "../../core/config/merge.js";
import { resolveConfig } from "../../core/config/resolve.js";
import type { Resolved } from "../../core/config/resolve.js";
import { PROTECTED } from "../../core/config/settings.js";
import { definePlugin, defineTarget } from "../../core/plugin.js";
import type { Plugin } from "../../core/plugin.js";
import { builtIns, errorOf, faultsOf, fixture, folderWith, testReviewer } from "./support.js";

const resolve = (config: Config, more: { overrides?: Config; preset?: string } = {}): Promise<Resolved> =>
  resolveConfig({ builtIns, config, folder: "/nowhere", ...more });
const names = (resolved: Resolved): readonly string[] => resolved.plugins.map((plugin) => plugin.name);
const plugin = (resolved: Resolved, name: string): Plugin | undefined => resolved.plugins.find((one) => one.name === name);
const REVIEW_CLEAN = ["greptile", "devin", "git-sync", "suggestions", "agent-fix", "review-clean"];

describe("without a config", () => {
  it("the preset review-clean is in force, with no agent and no gate", async () => {
    const resolved = await resolveConfig({ builtIns, folder: "/nowhere" });
    expect(names(resolved)).toEqual(REVIEW_CLEAN);
    expect(resolved.agent).toBeUndefined();
    expect(resolved.file).toBeUndefined();
    expect(resolved.settings).toEqual({
      target: "review-clean",
      sync: "none",
      gate: undefined,
      hasAgent: false,
      people: { resolve: "leave", wait: false, rerequest: "once", signature: "Posted by reviewloop." },
      identities: [],
      nitpicks: "answer",
      markReadyFor: [],
      commit: { subject: "Address review feedback (review-loop iteration {iteration})", style: "one-per-iteration" },
      worktree: { setup: undefined },
      push: "own",
      trust: { logins: [], everyone: false, protected: PROTECTED },
      wait: { poll: 10_000, timeout: 600_000, settle: 30_000, pace: 1000 },
      limits: { iterations: undefined, activeTime: 28_800_000, repairs: 3, handoffs: 3, replies: 3, tokens: undefined, money: undefined },
      configured: false,
    });
  });

  it("is frozen all the way down", async () => {
    const { settings } = await resolveConfig({ builtIns, folder: "/nowhere" });
    expect(() => Object.assign(settings.wait, { poll: 1 })).toThrow(TypeError);
    expect(() => Object.assign(settings.trust.protected, { 0: "x" })).toThrow(TypeError);
  });
});

describe("layers", () => {
  it("are presets from left to right, the config, then the command line; objects merge key by key", async () => {
    const config: Config = { extends: ["merge-ready", "quick"], wait: { timeout: "2m" }, people: { wait: true } };
    const resolved = await resolve(config, { overrides: { wait: { pace: "5s" }, people: { resolve: "after-reply" } } });
    expect(resolved.settings).toMatchObject({
      target: "merge-ready",
      wait: { poll: 5000, timeout: 120_000, settle: 30_000, pace: 5000 },
      people: { wait: true, resolve: "after-reply", rerequest: "once" },
      configured: true,
    });
    expect(resolved.origins.settings).toMatchObject({
      "wait.poll": "preset quick",
      "wait.timeout": "config",
      "wait.settle": "default",
      "wait.pace": "command line",
    });
  });

  it("take a preset of the command line instead of the config's extends and target", async () => {
    const resolved = await resolve({ extends: "review-clean", target: "review-clean", nitpicks: "fix" }, { preset: "merge-ready" });
    expect(resolved.settings).toMatchObject({ target: "merge-ready", nitpicks: "fix" });
  });

  it("take presets as objects, nested ones too", async () => {
    const house: Preset = { name: "house", extends: "review-clean", push: "any", without: ["devin"] };
    const resolved = await resolve({ extends: house });
    expect(resolved.settings.push).toBe("any");
    expect(names(resolved)).not.toContain("devin");
    expect(resolved.origins.removed).toEqual([{ name: "devin", from: "preset review-clean", by: "preset house" }]);
  });

  it("only ever add protected paths", async () => {
    const { settings } = await resolve({
      extends: ["review-clean", { name: "house", trust: { protected: ["infra/**"] } }],
      trust: { protected: ["db/**"] },
    });
    expect(settings.trust.protected).toEqual([...PROTECTED, "infra/**", "db/**"]);
  });

  it("normalise logins", async () => {
    const { settings } = await resolve({ extends: "review-clean", identities: ["@Our-Agent[bot]"], trust: { logins: ["Ada"] } });
    expect(settings).toMatchObject({ identities: ["our-agent"], trust: { logins: ["ada"] } });
  });

  it("refuse presets that nobody knows, and circles", async () => {
    expect(await errorOf(resolve({}, { preset: "review-claen" }))).toMatchObject({
      code: "PRESET_UNKNOWN",
      data: { name: "review-claen", known: ["review-clean", "merge-ready", "quick"] },
    });
    expect(await faultsOf(resolve({ extends: ["review-claen", "toString"] }))).toMatchObject([
      { path: "extends[0]", value: "review-claen", nearest: "review-clean" },
      { path: "extends[1]", value: "toString" },
    ]);
    const circle: { name: string; extends?: Preset } = { name: "circle" };
    circle.extends = circle;
    expect(await faultsOf(resolve({ extends: circle }))).toMatchObject([
      { path: "extends.extends", problem: expect.stringContaining("in a circle: circle > circle") },
    ]);
  });

  it("say where in an inline preset a fault is", async () => {
    const house = { name: "house", wait: { pol: "1s" } } as unknown as Preset;
    expect(await faultsOf(resolve({ extends: ["review-clean", house] }))).toMatchObject([{ path: "extends[1].wait.pol", nearest: "poll" }]);
  });
});

describe("plugins", () => {
  const early = definePlugin({ name: "early", kind: "tool", on: {} });

  it("replace a namesake in its place, others are appended, falsy ones left out", async () => {
    const resolved = await resolve({ extends: "review-clean", plugins: [early, ["devin", { rerun: false }], false, null, undefined] });
    expect(names(resolved)).toEqual(["greptile", "devin", "git-sync", "suggestions", "agent-fix", "early", "review-clean"]);
    expect(plugin(resolved, "devin")?.reviewer?.rerun).toBe(false);
    expect(resolved.origins.plugins.find((one) => one.name === "devin")).toEqual({
      name: "devin",
      kind: "reviewer",
      from: "config",
      replaced: ["preset review-clean"],
      overlaid: [],
    });
  });

  it("do not merge options", async () => {
    const house: Preset = { name: "house", plugins: [["greptile", { minScore: 3, rerun: false }]] };
    const resolved = await resolve({ extends: ["review-clean", house], plugins: [["greptile", { minScore: 4 }]] });
    expect(plugin(resolved, "greptile")?.options).toEqual({ minScore: 4 });
  });

  it("leave with without, and may come back in the same config at the end", async () => {
    const resolved = await resolve({ extends: "review-clean", without: ["greptile", "devin"], plugins: ["greptile"] });
    expect(names(resolved)).toEqual(["git-sync", "suggestions", "agent-fix", "greptile", "review-clean"]);
  });

  it("that nobody knows are told with the nearest, all at once", async () => {
    const faults = await faultsOf(
      resolve({ extends: "review-clean", without: ["greptil"], plugins: ["git-snyc", ["nonesuch", {}], "toString", "devin", "devin"] }),
    );
    expect(faults).toMatchObject([
      { path: "plugins[0]", value: "git-snyc", nearest: "git-sync" },
      { path: "plugins[1]", value: "nonesuch", problem: expect.stringContaining("no such plugin") },
      { path: "plugins[2]", value: "toString" },
      { path: "plugins[4]", value: "devin", problem: expect.stringContaining("twice") },
      { path: "without[0]", value: "greptil", nearest: "greptile" },
    ]);
  });

  it("have their options checked, however they are written", async () => {
    const greptile = testReviewer("greptile");
    const misspelt = greptile({ minScroe: 4 } as never);
    expect(await faultsOf(resolve({ extends: "review-clean", plugins: [["devin", { minScore: 9 }], misspelt] }))).toMatchObject([
      { path: "plugins[1].minScroe", value: 4, nearest: "minScore" },
      { path: "plugins[0].minScore", value: 9, problem: "must be <= 5" },
    ]);
  });

  it("come from modules beside the config or from packages", async () => {
    const folder = await fixture("local-plugin");
    const moon = 'export default { name: "moon", kind: "tool", options: {}, on: {} };';
    const extra = await folderWith({
      "reviewloop.config.json": '{ "extends": "review-clean", "plugins": ["reviewloop-plugin-moon"] }',
      "node_modules/reviewloop-plugin-moon/package.json": '{ "type": "module", "exports": "./index.js" }',
      "node_modules/reviewloop-plugin-moon/index.js": moon,
    });
    const loaded = await loadConfig({ folder: extra }, { ci: false });
    if (loaded === undefined) throw new Error("not loaded");
    const resolved = await resolveConfig({ builtIns, loaded, folder: extra });
    expect(names(resolved)).toContain("moon");
    expect(resolved.file).toBe(`${extra}/reviewloop.config.json`);

    const beside = await loadConfig({ folder }, { ci: false });
    const faults = await faultsOf(resolveConfig({ builtIns, folder, ...(beside === undefined ? {} : { loaded: beside }) }));
    expect(faults).toMatchObject([{ path: "plugins[1]", value: "reviewloop-plugin-moon" }]);
    const only: Config = { extends: "review-clean", plugins: [["./tools/no-friday-push.ts", { day: 3 }]] };
    const found = await resolveConfig({ builtIns, config: only, folder });
    expect(plugin(found, "no-friday-push")?.options).toEqual({ day: 3 });
    const wrong: Config = { extends: "review-clean", plugins: [["./tools/no-friday-push.ts", { day: "friday" }]] };
    expect(await faultsOf(resolveConfig({ builtIns, config: wrong, folder }))).toMatchObject([{ path: "plugins[0].day", value: "friday" }]);
  });

  it("that are none say why", async () => {
    const folder = await fixture("local-plugin-wrong");
    const loaded = await loadConfig({ folder }, { ci: false });
    const faults = await faultsOf(resolveConfig({ builtIns, folder, ...(loaded === undefined ? {} : { loaded }) }));
    expect(faults).toMatchObject([
      { path: "plugins[0]", problem: 'this is not a plugin: there is no phase "chekc"; did you mean "check"?' },
      { path: "plugins[1]", problem: 'this is not a plugin: its kind is "gadget", not one of reviewer, target, tool' },
      { path: "plugins[2]", problem: expect.stringContaining("this plugin is broken") },
      { path: "plugins[3]", problem: expect.stringContaining("no module is there") },
      { path: "plugins[4]", problem: expect.stringContaining("no default export") },
      { path: "plugins[5][1]", problem: expect.stringContaining("takes no options") },
    ]);
  });
});

describe("the target", () => {
  it("is the last one named, at the end of the list", async () => {
    expect((await resolve({ extends: "review-clean", target: "merge-ready" })).settings.target).toBe("merge-ready");
    const own = defineTarget({ name: "friday", awaits: "nobody", on: {} });
    expect(names(await resolve({ extends: "review-clean", target: own() })).at(-1)).toBe("friday");
  });

  it("is exactly one", async () => {
    expect((await errorOf(resolve({ plugins: ["greptile"] }))).code).toBe("TARGET_MISSING");
    expect((await errorOf(resolve({ extends: "quick" }))).code).toBe("TARGET_MISSING");
    expect(await errorOf(resolve({ extends: "review-clean", plugins: ["merge-ready"] }))).toMatchObject({
      code: "TARGET_TWICE",
      data: { names: ["merge-ready", "review-clean"] },
    });
  });

  it("is a target", async () => {
    expect(await faultsOf(resolve({ target: "greptile" }))).toMatchObject([
      { path: "target", problem: "greptile is a reviewer, not a target; built in are review-clean, merge-ready" },
    ]);
    expect(await faultsOf(resolve({ target: "merge-redy" }))).toMatchObject([{ path: "target", nearest: "merge-ready" }]);
  });
});

describe("reviewers", () => {
  it("are laid over the plugin entry and become required", async () => {
    const resolved = await resolve({
      extends: ["review-clean", "quick"],
      plugins: [["greptile", { minScore: 4, wait: { timeout: "1h" } }]],
      reviewers: { greptile: { missing: "go-on", wait: { start: "1m" } } },
    });
    expect(plugin(resolved, "greptile")?.options).toMatchObject({ minScore: 4 });
    expect(plugin(resolved, "greptile")?.reviewer).toMatchObject({
      required: true,
      rerun: false,
      missing: "go-on",
      wait: { poll: 2000, timeout: 3_600_000, start: 60_000 },
    });
    expect(plugin(resolved, "devin")?.reviewer?.required).toBe(false);
    expect(resolved.origins.plugins[0]).toMatchObject({ name: "greptile", from: "config", overlaid: ["preset quick", "config"] });
  });

  it("stay optional where they say so, and may be added", async () => {
    const resolved = await resolve({ extends: "review-clean", reviewers: { devin: { required: false }, copilot: {} } });
    expect(names(resolved).slice(0, 3)).toEqual(["greptile", "devin", "copilot"]);
    expect(plugin(resolved, "devin")?.reviewer?.required).toBe(false);
    expect(plugin(resolved, "copilot")?.reviewer?.required).toBe(true);
  });

  it("of the last map make the required set; those of an older one keep their options, an empty map changes nothing", async () => {
    const preset = { name: "house", plugins: ["greptile", "devin"], reviewers: { greptile: { rerun: false }, devin: { required: true } } };
    const required = async (reviewers: Config["reviewers"]) => {
      const { plugins } = await resolve({ extends: ["review-clean", preset], ...(reviewers === undefined ? {} : { reviewers }) });
      return plugins.filter((one) => one.reviewer?.required === true).map((one) => one.name);
    };
    expect(await required(undefined)).toEqual(["greptile", "devin"]);
    expect(await required({})).toEqual(["greptile", "devin"]);
    expect(await required({ copilot: {} })).toEqual(["devin", "copilot"]);
    const resolved = await resolve({ extends: ["review-clean", preset], reviewers: { copilot: {} } });
    expect(plugin(resolved, "greptile")?.reviewer).toMatchObject({ rerun: false, required: false });
  });

  it("that nobody knows, can't be asked or are none fail with the known names", async () => {
    const config: Config = { extends: "review-clean", reviewers: { copilt: {}, watcher: {}, "git-sync": {}, "no such": {} } };
    const known = "known are greptile, devin, copilot";
    expect(await faultsOf(resolve(config))).toMatchObject([
      { path: "reviewers.copilt", problem: `there is no such reviewer; ${known}`, nearest: "copilot" },
      { path: 'reviewers["git-sync"]', problem: `git-sync is a tool, not a reviewer; ${known}` },
      { path: 'reviewers["no such"]', problem: `there is no such reviewer; ${known}` },
      { path: "reviewers.watcher", problem: expect.stringContaining(`so it can't be required (required: false lists it); ${known}`) },
    ]);
    await expect(resolve({ extends: "review-clean", reviewers: { watcher: { required: false } } })).resolves.toBeDefined();
  });

  it("have their own options checked where they are written", async () => {
    expect(await faultsOf(resolve({ extends: "review-clean", reviewers: { greptile: { minScore: "five" } } }))).toMatchObject([
      { path: "reviewers.greptile.minScore", value: "five" },
    ]);
  });

  it("are laid over a finished plugin that nobody can make again", async () => {
    const { factory: _factory, ...finished } = testReviewer("acme")({ minScore: 3 });
    const resolved = await resolve({
      extends: "review-clean",
      plugins: [finished],
      reviewers: { acme: { rerun: false, logins: ["Acme-2[bot]"], wait: { poll: "3s" } } },
    });
    const acme = plugin(resolved, "acme");
    expect(acme?.options).toMatchObject({ minScore: 3, required: true, rerun: false });
    expect(acme?.reviewer).toMatchObject({
      required: true,
      rerun: false,
      identities: [{ logins: ["acme", "acme-2"] }],
      wait: { poll: 3000, timeout: 600_000 },
    });
  });

  it("named in markReadyFor are in force", async () => {
    await expect(resolve({ extends: "review-clean", markReadyFor: ["devin"] })).resolves.toMatchObject({
      settings: { markReadyFor: ["devin"] },
    });
    expect(await faultsOf(resolve({ extends: "review-clean", markReadyFor: ["devon"] }))).toMatchObject([
      { path: "markReadyFor[0]", nearest: "devin" },
    ]);
  });
});

describe("the gate", () => {
  it("becomes the tool command-gate right after the sync, with its gates in the settings", async () => {
    const resolved = await resolve({
      extends: "review-clean",
      gate: ["npm test", { name: "types", run: "npx tsc", timeout: "5m", proof: true }],
    });
    expect(names(resolved).slice(2, 4)).toEqual(["git-sync", "command-gate"]);
    expect(resolved.settings.gate).toEqual([
      { name: "npm test", run: "npm test", timeout: 1_800_000, proof: false, together: false },
      { name: "types", run: "npx tsc", timeout: 300_000, proof: true, together: false },
    ]);
  });

  it("is one command line or one object too", async () => {
    expect((await resolve({ extends: "review-clean", gate: "make" })).settings.gate).toMatchObject([{ name: "make", run: "make" }]);
    expect((await resolve({ extends: "review-clean", gate: { run: "make" } })).settings.gate).toMatchObject([{ name: "make" }]);
  });

  it("is false where the user says so, which is not the same as not set", async () => {
    const off = await resolve({ extends: "review-clean", gate: "make" }, { overrides: { gate: false } });
    expect(off.settings.gate).toBe(false);
    expect(names(off)).not.toContain("command-gate");
    expect(off.origins.settings.gate).toBe("command line");
    const unset = await resolve({ extends: "review-clean", plugins: ["command-gate"] });
    expect(unset.settings.gate).toBeUndefined();
    expect(names(unset)).not.toContain("command-gate");
  });

  it("keeps the place that a config gives to its tool", async () => {
    const resolved = await resolve({ extends: "review-clean", plugins: ["command-gate"], gate: "make" });
    expect(names(resolved).slice(-2)).toEqual(["command-gate", "review-clean"]);
  });

  it("has one gate of each name, and is written with its key", async () => {
    expect(await faultsOf(resolve({ extends: "review-clean", gate: ["make", { name: "make", run: "make all" }] }))).toMatchObject([
      { path: "gate", value: "make" },
    ]);
    expect(await faultsOf(resolve({ extends: "review-clean", plugins: [["command-gate", {}]] }))).toMatchObject([
      { path: "plugins[0]", problem: expect.stringContaining('gate: "npm test"') },
    ]);
  });
});

describe("the agent", () => {
  it("is a name, a name with options, an object, or none", async () => {
    expect((await resolve({ extends: "review-clean", agent: "helper" })).agent).toMatchObject({ name: "helper", options: {} });
    const run = ["node", "agent.mjs"];
    const withOptions = await resolve({ extends: "review-clean", agent: ["helper", { run }] });
    expect(withOptions.agent?.options).toEqual({ run });
    expect(withOptions.settings.hasAgent).toBe(true);
    const own = { name: "own", options: {}, command: () => ({ argv: ["own"], stdin: "" }), answer: () => ({ value: 1 }) };
    expect((await resolve({ extends: "review-clean", agent: own })).agent).toBe(own);
    const off = await resolve({ extends: "review-clean", agent: "helper" }, { overrides: { agent: false } });
    expect(off.agent).toBeUndefined();
    expect(off.settings.hasAgent).toBe(false);
  });

  it("may differ by role", async () => {
    const resolved = await resolve({ extends: "review-clean", agents: { fix: "helper" } }, { overrides: { agents: { triage: "helper" } } });
    expect(Object.keys(resolved.agents)).toEqual(["triage", "fix"]);
    expect(resolved.settings.hasAgent).toBe(true);
    expect(resolved.origins.agents).toEqual({ triage: "command line", fix: "config" });
  });

  it("is known, and its options fit", async () => {
    const config: Config = {
      extends: "review-clean",
      agent: "helpr",
      agents: { fix: ["helper", { rum: [] }], review: { name: "x" } as never },
    };
    expect(await faultsOf(resolve(config))).toMatchObject([
      { path: "agent", value: "helpr", nearest: "helper" },
      { path: "agents.fix.rum", nearest: "run" },
      { path: "agents.review", problem: expect.stringContaining("not an agent") },
    ]);
  });
});

describe("what reviewloop config prints", () => {
  it("is every setting with its origin, the plugins in order, and who acts in each phase", async () => {
    const first = definePlugin({ name: "first", kind: "tool", on: { fix: { order: "pre", run: (work) => work } } });
    const resolved = await resolve({ extends: "review-clean", plugins: [first], gate: "make", agent: "helper", without: ["devin"] });
    const described = describeConfig(resolved);
    expect(described.settings).toContainEqual({ path: "wait.poll", value: "10s", from: "default" });
    expect(described.settings).toContainEqual({ path: "gate", value: "make", from: "config" });
    expect(described.settings).toContainEqual({ path: "limits.tokens", from: "default" });
    expect(described.plugins.map((one) => one.name)).toEqual(names(resolved));
    expect(described.phases.find((row) => row.phase === "fix")?.plugins).toEqual(["first", "git-sync", "agent-fix"]);
    expect(described.removed).toEqual([{ name: "devin", from: "preset review-clean", by: "config" }]);
    expect(described.agents).toEqual([{ role: "agent", name: "helper", from: "config" }]);
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
  });
});

describe("defineConfig", () => {
  it("lets the compiler find unknown keys, wrong values and malformed durations", async () => {
    // @ts-expect-error an unknown key
    const unknown = defineConfig({ extend: "review-clean" });
    // @ts-expect-error no value of this key
    const wrong = defineConfig({ extends: "review-clean", nitpicks: "ignore" });
    // @ts-expect-error days are no unit
    const duration = defineConfig({ extends: "review-clean", wait: { poll: "1d" } });
    for (const config of [unknown, wrong, duration]) expect(await faultsOf(resolve(config as Config))).toHaveLength(1);
  });

  it("returns what it is given", () => {
    const config: Config = { target: "review-clean" };
    const made = (): Config => config;
    expect(defineConfig(config)).toBe(config);
    expect(defineConfig(made)).toBe(made);
  });
});

describe("the rules of merging", () => {
  const candidate = (name: string, from: string): Candidate => ({
    name,
    kind: "tool",
    source: { factory: definePlugin({ name, kind: "tool", on: {} }) },
    options: undefined,
    from,
    file: from,
    at: "",
    replaced: [],
  });
  const subset: fc.Arbitrary<string[]> = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
  const layers = fc
    .array(
      fc.record({
        without: subset,
        plugins: subset,
      }),
    )
    .map((list) =>
      list.map(({ without, plugins }, index) => ({
        without,
        plugins: plugins.map((name) => candidate(name, String(index))),
        from: String(index),
      })),
    );

  it("each name once, from the last layer that lists it; no name after a later without", () => {
    fc.assert(
      fc.property(layers, (given) => {
        const { plugins } = mergePlugins(given);
        const listed = plugins.map((one) => one.name);
        expect(new Set(listed).size).toBe(listed.length);
        for (const name of ["a", "b", "c", "d"]) {
          const last = given.findLastIndex((layer) => layer.plugins.some((one) => one.name === name));
          const gone = given.findLastIndex((layer) => layer.without.includes(name));
          expect(plugins.find((one) => one.name === name)?.from).toBe(last === -1 || gone > last ? undefined : String(last));
        }
      }),
    );
  });

  it("a layer that only replaces keeps the order", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")),
        fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")),
        (first, second) => {
          const { plugins } = mergePlugins([
            { without: [], plugins: first.map((name) => candidate(name, "1")), from: "1" },
            { without: [], plugins: second.map((name) => candidate(name, "2")), from: "2" },
          ]);
          expect(plugins.map((one) => one.name)).toEqual([...first, ...second.filter((name) => !first.includes(name))]);
        },
      ),
    );
  });
});
