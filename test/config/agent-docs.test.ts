/** What the pages about agents say is what the code does. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentProcess } from "../../core/adapters/index.js";
import { shapeFaults } from "../../core/config/check.js";
import { ANSWER_SCHEMAS } from "../../core/index.js";
import type { AgentKind, AgentTask } from "../../core/index.js";
import { systemClock } from "../../core/adapters/index.js";
import { command } from "../../plugins/agents/command.js";
import { builtinAgents } from "../../plugins/index.js";
import { folderWith } from "./support.js";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

describe("published answer schemas", () => {
  test.each(Object.entries(ANSWER_SCHEMAS))("%s is the one that answers are held against", (kind, schema) => {
    const file = `docs/schemas/agent/${kind}.json`;
    if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(new URL(file, root), `${JSON.stringify(schema, null, 2)}\n`);
    expect(JSON.parse(read(file))).toEqual(schema);
    expect(read("docs/agent-protocol.md")).toContain(`(schemas/agent/${kind}.json)`);
  });
});

test("every agent has its row, and every flag that a row names is one", () => {
  const page = read("docs/agents.md");
  for (const name of Object.keys(builtinAgents)) expect(page, name).toContain(`\n| \`${name}\` |`);
  const sources = Object.keys(builtinAgents)
    .map((name) => read(`plugins/agents/${name}.ts`))
    .join("\n");
  const isolation = page.slice(page.indexOf("## How each is started"), page.indexOf("## Costs"));
  const flags = [...isolation.matchAll(/`(--?[a-z][\w-]*)/g)].map((found) => found[1] ?? "").filter((flag) => flag !== "--trust");
  expect(flags.length).toBeGreaterThan(10);
  for (const flag of flags) expect(sources, flag).toContain(`"${flag}"`);
});

test.each(["claude", "codex", "command-agent", "second-look"])("the config of examples/%s is valid", async (name) => {
  expect(await shapeFaults(JSON.parse(read(`examples/${name}/reviewloop.config.json`)), name)).toEqual([]);
});

test("the small agent of the examples judges and mends", async () => {
  const worktree = await folderWith({ "a.md": "Read teh page.\n" });
  const stateFolder = await folderWith({ "kept.txt": "" });
  const agent = agentProcess(command({ run: ["node", new URL("examples/command-agent/agent.mjs", root).pathname] }), {
    stateFolder,
    clock: systemClock(),
    environment: { PATH: process.env["PATH"] },
  });
  const task = (kind: AgentKind): AgentTask => ({
    protocol: 1,
    kind,
    pullRequest: { url: "https://github.test/o/r/pull/1", title: "A page", body: "", author: "kim" },
    head: "a".repeat(40),
    base: "b".repeat(40),
    worktree,
    threads: ["It says teh.", "Is this the right page?"].slice(0, kind === "fix" ? 1 : 2).map((body, index) => ({
      id: `t${index}`,
      source: "inline",
      title: body,
      severity: "low",
      reviewer: null,
      author: "grace",
      association: "MEMBER",
      isBot: false,
      path: "a.md",
      line: 1,
      startLine: null,
      outdated: false,
      code: null,
      suggestion: null,
      comments: [{ author: "grace", body, at: "2030-01-01T00:00:00.000Z", ours: false }],
      why: null,
      root: null,
    })),
    rules: [],
    schema: ANSWER_SCHEMAS[kind],
  });
  expect(await agent.ask(task("triage"))).toMatchObject({
    ok: true,
    answer: { decisions: [{ kind: "actionable" }, { kind: "judgment" }] },
  });
  expect(await agent.ask(task("fix"))).toMatchObject({ ok: true, answer: { changed: [{ files: ["a.md"] }] } });
  expect(readFileSync(`${worktree}/a.md`, "utf8")).toBe("Read the page.\n");
});
