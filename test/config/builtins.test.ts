import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { optionFaults, shapeFaults } from "../../core/config/check.js";
import { pluginProblem } from "../../core/config/entries.js";
import { resolveConfig } from "../../core/config/resolve.js";
import type { PluginFactory } from "../../core/plugin.js";
import * as plugins from "../../plugins/index.js";
import { builtinAgents, builtinPlugins } from "../../plugins/index.js";
import { builtinPresets } from "../../presets/index.js";
import { reviewers, tools } from "../../presets/lists.js";

const builtIns = { plugins: builtinPlugins, presets: builtinPresets, agents: builtinAgents };
const camelCase = (name: string): string => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(new URL(`../../${folder}/`, import.meta.url))).filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3));

describe("built-in plugins", () => {
  it("are all the files there are, by the name of the file", async () => {
    const files = await Promise.all(["plugins/reviewers", "plugins/targets", "plugins/tools"].map(filesIn));
    expect(Object.keys(builtinPlugins).sort()).toEqual(
      files
        .flat()
        .filter((name) => name !== "index" && name !== "not-reviewers")
        .sort(),
    );
    expect(Object.keys(builtinAgents).sort()).toEqual((await filesIn("plugins/agents")).filter((name) => name !== "index").sort());
  });

  it.each(Object.entries(builtinPlugins))(
    "%s is exported in camel case and is a plugin whose schema takes its defaults",
    async (name, factory) => {
      expect((plugins as Readonly<Record<string, unknown>>)[camelCase(name)]).toBe(factory);
      const plugin = (factory as PluginFactory<object>)();
      expect(pluginProblem(plugin)).toBeUndefined();
      expect(plugin).toMatchObject({ name, kind: factory.kind, factory });
      expect(await optionFaults(factory.schema, factory.defaults, "schema", "defaults")).toEqual([]);
      expect(await optionFaults(factory.schema, { ...factory.defaults, nonesuch: 1 }, "schema", "x")).toMatchObject([
        { path: "x.nonesuch" },
      ]);
    },
  );

  it.each(Object.values(builtinPlugins).filter((factory) => factory.kind === "reviewer"))(
    "reviewer $pluginName takes the options that every reviewer has",
    async (factory) => {
      const { plugins } = await resolveConfig({
        builtIns,
        folder: "/nowhere",
        config: {
          target: "review-clean",
          reviewers: {
            [factory.pluginName]: {
              required: factory.reviewer?.requestBy !== "none",
              rerun: false,
              missing: "go-on",
              logins: ["Our-App[bot]"],
              wait: { poll: "1s", timeout: "2s", start: "3s" },
            },
          },
        },
      });
      const facts = plugins[0]?.reviewer;
      expect(facts).toMatchObject({ rerun: false, missing: "go-on", wait: { poll: 1000, timeout: 2000, start: 3000 } });
      expect(facts?.required).toBe(factory.reviewer?.requestBy !== "none");
      expect(facts?.identities.flatMap((identity) => identity.logins)).toContain("our-app");
    },
  );
});

describe("built-in presets", () => {
  it("are all the files there are, by the name of the file", async () => {
    expect(Object.keys(builtinPresets).sort()).toEqual(
      (await filesIn("presets")).filter((name) => name !== "index" && name !== "lists").sort(),
    );
  });

  it.each(Object.entries(builtinPresets))("%s has a valid shape and resolves as it is, and with a gate", async (name, preset) => {
    const { name: own, ...config } = preset;
    expect(own).toBe(name);
    expect(await shapeFaults(config, name)).toEqual([]);
    const resolved = await resolveConfig({ builtIns, folder: "/nowhere", preset: name });
    expect(resolved.settings.limits).toMatchObject({ activeTime: 28_800_000 });
    const gated = await resolveConfig({ builtIns, folder: "/nowhere", preset: name, config: { gate: "npm test" } });
    expect(gated.plugins.map((plugin) => plugin.name)).toContain("command-gate");
  });

  it.each(["review-clean", "merge-ready", "open-for-review"])(
    "%s: reviewers, then the tools in the order of the loop, then its target",
    async (name) => {
      const resolved = await resolveConfig({ builtIns, folder: "/nowhere", preset: name, config: { gate: "npm test" } });
      const [sync = "", ...others] = tools.map((entry) =>
        typeof entry === "string" ? entry : Array.isArray(entry) ? String(entry[0]) : "",
      );
      expect(resolved.plugins.map((plugin) => plugin.name)).toEqual([...reviewers, sync, "command-gate", ...others, name]);
      expect(resolved.settings.limits.iterations).toBeUndefined();
    },
  );
});
