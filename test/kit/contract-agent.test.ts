/** The contract of agents as data: every built-in one keeps it, and each planted fault is caught by the case that is meant for it. */
import { describe, expect, test } from "vitest";
import { defineAgentFactory } from "../../core/index.js";
import type { AgentDefinition } from "../../core/index.js";
import { builtinAgents } from "../../plugins/index.js";
import { agentContract } from "../../sandbox/kit/index.js";
import type { AgentContractOptions } from "../../sandbox/kit/index.js";
import { failing } from "./failing.js";

const lines = (...events: readonly object[]): string => events.map((event) => JSON.stringify(event)).join("\n");

/** How each client prints an answer, as measured on the real ones. */
const PRINTED: Readonly<Record<string, NonNullable<AgentContractOptions["answered"]>>> = {
  command: (answer) => ({ stdout: "", output: JSON.stringify(answer) }),
  claude: (answer) => ({ stdout: JSON.stringify({ type: "result", subtype: "success", is_error: false, structured_output: answer }) }),
  codex: (answer) => ({ stdout: "", output: JSON.stringify(answer) }),
  copilot: (answer) => ({ stdout: lines({ type: "assistant.message", data: { content: JSON.stringify(answer) } }, { type: "result" }) }),
  gemini: (answer) => ({ stdout: JSON.stringify({ response: JSON.stringify(answer), stats: {} }) }),
  opencode: (answer) => ({ stdout: lines({ type: "text", part: { text: JSON.stringify(answer) } }) }),
};
const OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { command: { run: ["node", "agent.mjs"] } };

test("of every built-in agent it is known how it prints an answer", () => {
  expect(Object.keys(builtinAgents).filter((name) => PRINTED[name] === undefined)).toEqual([]);
});

describe.each(Object.entries(builtinAgents))("%s", (name, factory) => {
  const answered = PRINTED[name];
  const cases = agentContract(factory, { options: OPTIONS[name] ?? {}, ...(answered === undefined ? {} : { answered }) });
  test.each(cases.map((each) => [each.name, each.run] as const))("%s", (_case, run) => run());
});

type Data = Omit<AgentDefinition, "name" | "options">;
const SOUND: Data = {
  detect: ["sound", "--version"],
  install: "Install it.",
  environment: ["SOUND_KEY"],
  command: (run) => ({ argv: ["sound", run.kind], stdin: run.document }),
  answer: ({ output, exitCode }) =>
    exitCode === 0 && output !== undefined
      ? { value: JSON.parse(output) as unknown }
      : { failure: { kind: "no-answer", detail: "it gave no answer" } },
  usage: () => ({ tokens: 1 }),
};
const agent = (change: Partial<Data>, name = "sound", schema: object = { type: "object", additionalProperties: false, properties: {} }) =>
  defineAgentFactory({ name, schema, defaults: {}, define: () => ({ ...SOUND, ...change }) });
const sample: AgentContractOptions = { answered: (answer) => ({ stdout: "", output: JSON.stringify(answer) }) };
let count = 0;

const FAULTS: readonly (readonly [what: string, factory: ReturnType<typeof agent>, name: string, says: RegExp])[] = [
  ["a name that no config could write", agent({}, "Sound Agent"), "is data with a name", /not kebab-case/],
  ["a way to look for it that is none", agent({ detect: [] }), "is data with a name", /no command/],
  ["any option is taken", agent({}, "sound", { type: "object" }), "has a schema that takes its options and no unknown key", /unknown key/],
  [
    "the task stays here",
    agent({ command: () => ({ argv: ["sound"], stdin: "" }) }),
    "starts one program and hands it the task",
    /neither the prompt/,
  ],
  [
    "no program",
    agent({ command: (run) => ({ argv: [], stdin: run.document }) }),
    "starts one program and hands it the task",
    /no command/,
  ],
  [
    "something else each time",
    agent({ command: (run) => ({ argv: ["sound", String((count += 1))], stdin: run.document }) }),
    "starts one program and hands it the task",
    /something else each time/,
  ],
  ["the host's token let through", agent({ environment: ["GITHUB_TOKEN"] }), "holds no credential of the host", /GITHUB_TOKEN/],
  [
    "the host's token set",
    agent({ command: (run) => ({ argv: ["sound"], stdin: run.document, env: { GH_TOKEN: "test-token" } }) }),
    "holds no credential of the host",
    /sets GH_TOKEN/,
  ],
  [
    "prose is an answer",
    agent({ answer: (out) => (out.stdout.startsWith("I have") ? { value: out.stdout } : SOUND.answer(out)) }),
    "takes nothing for an answer that is none",
    /takes prose for an answer/,
  ],
  [
    "no answer is an error",
    agent({
      answer: (out) => {
        if (out.exitCode === undefined) throw new Error("no exit code");
        return SOUND.answer(out);
      },
    }),
    "takes nothing for an answer that is none",
    /throws on an end by a signal/,
  ],
  [
    "an answer is missed",
    agent({ answer: () => ({ failure: { kind: "no-answer", detail: "none" } }) }),
    "finds the answer where its client leaves it",
    /does not find the answer/,
  ],
  ["costs that are no number", agent({ usage: () => ({ tokens: Number.NaN }) }), "counts only what is there", /counts NaN/],
];

describe("a planted fault is caught by the case that is meant for it", () => {
  test("a sound agent passes", async () => expect(await failing(agentContract(agent({}), sample))).toEqual({}));

  test.each(FAULTS)("%s", async (_what, factory, name, says) => {
    const found = await failing(agentContract(factory, sample));
    expect(Object.keys(found)).toEqual([name]);
    expect(found[name]).toMatch(says);
    expect(found[name]).not.toContain("\n");
  });

  test("each case has its fault", () => {
    const names = agentContract(agent({}), sample).map(({ name }) => name);
    expect([...new Set(FAULTS.map(([, , name]) => name))].toSorted()).toEqual(names.toSorted());
  });
});
