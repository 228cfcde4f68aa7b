/** Every JSON document that the built command line prints during the tests is held against its published schema. */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";

/** Schema of each command's `--json`. */
export const SCHEMAS: Readonly<Record<string, string>> = {
  run: "report",
  plan: "report",
  apply: "report",
  report: "report",
  demo: "report",
  status: "status",
  threads: "threads",
  config: "config",
  reply: "act",
  resolve: "act",
  ready: "act",
  request: "act",
  "request --show": "requests",
  wait: "wait",
  why: "why",
  journal: "journal",
  declined: "declined",
  reviewers: "reviewers",
  doctor: "doctor",
  init: "init",
  "init reviewer": "init-reviewer",
  "init guard": "init-guard",
  "guard arm": "guard-arm",
};

const ajv = new Ajv({ strict: false, allErrors: true });
const compiled = new Map<string, ValidateFunction>();
const validatorOf = (name: string): ValidateFunction => {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const schema = JSON.parse(readFileSync(new URL(`../../docs/schemas/${name}.json`, import.meta.url), "utf8")) as object;
  const made = ajv.compile(schema);
  compiled.set(name, made);
  return made;
};

const isError = (document: unknown): boolean =>
  typeof document === "object" && document !== null && "error" in document && !("stop" in document);

/** Throws where what a command answered does not fit its schema, or is no error either; says where. */
export const documentFits = (command: string, document: unknown): void => {
  const name = SCHEMAS[command];
  if (name === undefined) throw new Error(`${command}: no schema is known for its JSON`);
  const validate = validatorOf(isError(document) ? "error" : name);
  if (!validate(document)) throw new Error(`${command}: ${ajv.errorsText(validate.errors)}`);
};

const commandOf = (args: readonly string[]): string => {
  const [first = "", second = ""] = args;
  const words = first === "request" && args.includes("--show") ? "request --show" : `${first} ${second}`;
  return SCHEMAS[words] === undefined ? first : words;
};

/** Throws where the output of a command with `--json`, or a line of `read-body`, does not fit; says where. */
export const fitsSchema = (args: readonly string[], out: string): void => {
  if (args.includes("--help") || out.trim() === "") return;
  if (args.includes("--json")) return documentFits(commandOf(args), JSON.parse(out));
  if (args[0] !== "read-body") return;
  const validate = validatorOf("read-body");
  for (const line of out.trim().split("\n"))
    if (!validate(JSON.parse(line))) throw new Error(`read-body: ${ajv.errorsText(validate.errors)}`);
};
