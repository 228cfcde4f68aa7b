/** Every JSON document that the built command line prints during the tests is held against its published schema. */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";

/** Schema of a command's `--json`; commands that are not here print documents of their own tests. */
const SCHEMAS: Readonly<Record<string, string>> = {
  run: "report",
  plan: "report",
  report: "report",
  status: "status",
  threads: "threads",
  config: "config",
  reply: "act",
  resolve: "act",
  ready: "act",
  wait: "wait",
  why: "why",
  journal: "journal",
  declined: "declined",
  reviewers: "reviewers",
  doctor: "doctor",
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

/** Throws where the output of a command with `--json` does not fit; says where. */
export const fitsSchema = (args: readonly string[], out: string): void => {
  const name = SCHEMAS[args[0] ?? ""];
  if (!args.includes("--json") || args.includes("--help") || name === undefined || out.trim() === "") return;
  const document: unknown = JSON.parse(out);
  const early = typeof document === "object" && document !== null && "error" in document && !("stop" in document);
  const validate = validatorOf(early ? "error" : name);
  if (!validate(document)) throw new Error(`${args.join(" ")}: ${ajv.errorsText(validate.errors)}`);
};
