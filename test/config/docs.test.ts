import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemaFile, shapeFaults } from "../../core/config/check.js";
import { loadConfig } from "../../core/config/load.js";
import { DEFAULTS, GATE_TIMEOUT } from "../../core/config/settings.js";
import { folderWith } from "./support.js";

const page = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((found) => found[1] ?? "");
const rows = new Map(
  [...page.slice(page.indexOf("## Keys")).matchAll(/^\| `([^`]+)` \| .* \| ([^|]*) \|$/gm)].map((found) => [
    found[1] ?? "",
    found[2] ?? "",
  ]),
);

describe("docs/configuration.md", () => {
  it("shows configs that are valid", async () => {
    const data = [...blocks("json").map((text) => JSON.parse(text) as unknown), ...blocks("yaml").map((text) => parse(text) as unknown)];
    for (const text of blocks("ts")) {
      const folder = await folderWith({ "reviewloop.config.ts": text });
      data.push((await loadConfig({ folder }, { ci: true }))?.config);
    }
    expect(data).toHaveLength(6);
    for (const config of data) expect(await shapeFaults(config, "example")).toEqual([]);
  });

  it("has a row for each key, with the default that is in force", async () => {
    const schema = JSON.parse(await readFile(schemaFile(), "utf8")) as { readonly properties: object };
    const keys = new Set([...rows.keys()].map((path) => path.split(".")[0] ?? ""));
    expect([...keys].sort()).toEqual(
      Object.keys(schema.properties)
        .filter((key) => key !== "$schema")
        .sort(),
    );
    for (const [path, value] of Object.entries(DEFAULTS)) {
      const shown = rows.get(path);
      expect(shown, path).toBeDefined();
      if (value === undefined || Array.isArray(value)) continue;
      expect(shown?.replaceAll("`", ""), path).toBe(String(value));
    }
    expect(page).toContain(`\`timeout\` (default \`${GATE_TIMEOUT}\`)`);
  });
});
