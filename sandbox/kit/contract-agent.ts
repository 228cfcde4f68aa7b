/** What a coding agent as data promises: how it is started, what is an answer and what is none. */
import { Ajv } from "ajv";
import type { AgentDefinition, AgentFactory, AgentKind, AgentRun } from "../../core/index.js";
import { brief, casesOf, must, sameJson, thrownBy, type ContractCase } from "./contract.js";

export interface AgentContractOptions {
  /** Options to make it with; needed where it has no defaults that start anything. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** How the client prints an answer: its standard output, or the text of the output file. */
  readonly answered?: (answer: object) => { readonly stdout: string; readonly output?: string };
}

const DOCUMENT = '{"protocol":1,"kind":"triage","threads":[]}';

const runOf = (kind: string): AgentRun => ({
  kind,
  folder: "/state/call",
  input: "/state/call/input.json",
  output: "/state/call/output.json",
  schema: "/state/call/schema.json",
  worktree: "/state/worktree",
  prompt: `The instructions of the contract, for ${kind}.`,
  document: DOCUMENT,
  configFolder: "/home/project",
  answerSchema: { type: "object", additionalProperties: false, required: [], properties: {} },
  submit: ["node", "/state/calls/1/submit.js"],
});

const KINDS = ["triage", "fix", "review", "verify", "describe"] as const satisfies readonly AgentKind[];
const FAILURES: ReadonlySet<string> = new Set(["auth", "rate", "limit", "crash", "no-answer"]);
/** Credentials of the pull request's host: an agent holds none. */
const HOST_TOKEN = /^(?:GH_|GITHUB_|GH$|GITHUB$)|^\*$/;

const NO_ANSWERS: readonly { readonly what: string; readonly out: Parameters<AgentDefinition["answer"]>[0] }[] = [
  { what: "no output", out: { stdout: "", exitCode: 0, output: undefined, stderr: "" } },
  { what: "prose", out: { stdout: "I have had a look and all is well.", exitCode: 0, output: undefined, stderr: "" } },
  { what: "half a document", out: { stdout: '{"decisions": [', exitCode: 0, output: undefined, stderr: "" } },
  { what: "an exit code of 1", out: { stdout: "", exitCode: 1, output: undefined, stderr: "it broke" } },
  { what: "an end by a signal", out: { stdout: "", exitCode: undefined, output: undefined, stderr: "" } },
];

/**
 * The contract of an agent definition, as cases for any test runner. `factory` is what `defineAgentFactory` gave, or a function that
 * returns what `defineAgent` gave.
 */
export const agentContract = (factory: AgentFactory, given: AgentContractOptions = {}): readonly ContractCase[] => {
  const make = (): AgentDefinition => factory(given.options ?? {});
  const kinds = (definition: AgentDefinition) => KINDS.filter((kind) => definition.kinds === undefined || definition.kinds.includes(kind));

  return casesOf(make().name, {
    "is data with a name": () => {
      const definition = make();
      must(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(definition.name), "name", `${brief(definition.name)} is not kebab-case`);
      must(make() !== definition && sameJson(make(), definition), "factory", "two calls do not give two of the same");
      const { detect } = definition;
      must(detect === undefined || (detect.length > 0 && detect.every((part) => part !== "")), "detect", `${brief(detect)} is no command`);
      must(
        detect === undefined || definition.install !== undefined,
        "install",
        "says nothing about what to do where its program is missing",
      );
    },
    "has a schema that takes its options and no unknown key": () => {
      if (factory.schema === undefined) return;
      const validate = new Ajv({ strict: false, allErrors: true }).compile(factory.schema);
      const options = make().options;
      must(
        validate(JSON.parse(JSON.stringify(options))),
        "schema",
        `refuses its own options: ${brief(validate.errors?.map((error) => `${error.instancePath} ${error.message}`))}`,
      );
      must(!validate({ ...options, "no-such-option": true }), "schema", "takes an unknown key: set additionalProperties: false");
    },
    "starts one program and hands it the task": () => {
      const definition = make();
      for (const kind of kinds(definition)) {
        const run = runOf(kind);
        const { argv, stdin } = definition.command(run);
        must(
          argv.length > 0 && argv[0] !== "" && argv.every((part) => typeof part === "string"),
          `command for ${kind}`,
          `${brief(argv)} is no command`,
        );
        const all = [stdin, ...argv];
        const handed = all.some((part) => [run.prompt, run.document, run.input].some((what) => part.includes(what)));
        must(handed, `command for ${kind}`, "the program gets neither the prompt nor the document nor the input file");
        must(sameJson(definition.command(run), definition.command(run)), `command for ${kind}`, "starts something else each time");
      }
    },
    "holds no credential of the host": () => {
      const definition = make();
      const let_ = definition.environment?.find((name) => HOST_TOKEN.test(name));
      must(let_ === undefined, "environment", `lets ${let_} through to the agent`);
      for (const kind of kinds(definition)) {
        const name = Object.keys(definition.command(runOf(kind)).env ?? {}).find((each) => HOST_TOKEN.test(each));
        must(name === undefined, `command for ${kind}`, `sets ${name}`);
      }
    },
    "takes nothing for an answer that is none": async () => {
      const definition = make();
      for (const { what, out } of NO_ANSWERS) {
        let answer: ReturnType<AgentDefinition["answer"]> | undefined;
        const thrown = await thrownBy(() => {
          answer = definition.answer(out);
        });
        must(thrown === undefined && answer !== undefined, "answer", `throws on ${what}: a failure is a value`);
        must("failure" in answer, "answer", `takes ${what} for an answer: ${brief(answer)}`);
        must(FAILURES.has(answer.failure.kind), "answer", `gives a failure of no known kind for ${what}: ${brief(answer.failure.kind)}`);
        must(answer.failure.detail.trim() !== "", "answer", `says nothing about ${what}`);
      }
    },
    "finds the answer where its client leaves it": () => {
      if (given.answered === undefined) return;
      const answer = { decisions: [], note: 'with "quotes" and ünï' };
      const { stdout, output } = given.answered(answer);
      const found = make().answer({ stdout, exitCode: 0, output, stderr: "" });
      must("value" in found, "answer", `does not find the answer of its sample: ${brief(found)}`);
      must(sameJson(found.value, answer), "answer", `makes ${brief(found.value)} of the answer of its sample`);
    },
    "counts only what is there": async () => {
      const { usage } = make();
      if (usage === undefined) return;
      for (const stdout of ["", "prose", "{}", "[]", "null", '{"usage":"many"}']) {
        let spent: ReturnType<typeof usage> = {};
        const thrown = await thrownBy(() => {
          spent = usage(stdout);
        });
        must(thrown === undefined, "usage", `throws on ${brief(stdout)}`);
        const wrong = [spent.tokens, spent.money].find((value) => value !== undefined && !(Number.isFinite(value) && value >= 0));
        must(wrong === undefined, "usage", `counts ${String(wrong)} on ${brief(stdout)}`);
      }
    },
  });
};
