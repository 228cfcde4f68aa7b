/** What GitHub's OpenAPI description says of an answer, and where GitHub itself does otherwise. The data is cut by scripts/cut-openapi.mjs. */
import { readFileSync } from "node:fs";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [word: string]: unknown;
}

interface Description {
  readonly source: string;
  /** By path, method and status; `null` = no JSON. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Schema | null>>>>>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

export const description = JSON.parse(readFileSync(new URL("description.json", import.meta.url), "utf8")) as Description;

/** Requests that GitHub answers and its description does not have. */
export const UNDESCRIBED: Readonly<Record<string, string>> = {
  "POST /repos/{owner}/{repo}/pulls/{pull_number}/copilot-code-review": "newer than the description",
  "GET /job-logs/{job_id}": "where the log of a job lies: on GitHub an address outside of the API",
};

/** Every refusal has them today, whichever shape the description gives it. */
export const REFUSAL_KEYS: ReadonlySet<string> = new Set(["status", "errors", "documentation_url"]);

interface Deviation {
  readonly schema: string;
  readonly property: string;
  /** `nullable`, an `empty` text, or further values of an enum. */
  readonly also: "nullable" | "empty" | readonly string[];
  readonly why: string;
}

/** Where the description says less than GitHub answers. */
export const DEVIATIONS: readonly Deviation[] = [
  { schema: "pull-request-review-comment", property: "line", also: "nullable", why: "null on every outdated comment" },
  { schema: "pull-request-review-comment", property: "position", also: "nullable", why: "null on every outdated comment" },
  { schema: "pull-request-review-comment", property: "original_line", also: "nullable", why: "null for a comment on a file" },
  { schema: "pull-request-review-comment", property: "side", also: "nullable", why: "null for a comment on a file" },
  { schema: "pull-request-review-comment", property: "user", also: "nullable", why: "a deleted account" },
  { schema: "check-run", property: "conclusion", also: ["stale", "startup_failure"], why: "left out of the list" },
  { schema: "pull-request", property: "user", also: "nullable", why: "a deleted account" },
  { schema: "deployment-status", property: "target_url", also: "empty", why: "said so where there is none" },
  { schema: "deployment-status", property: "log_url", also: "empty", why: "said so where there is none" },
  { schema: "deployment-status", property: "environment_url", also: "empty", why: "said so where there is none" },
];

const PREFIX = "#/components/schemas/";
export const nameOf = (schema: Schema): string | undefined => schema.$ref?.slice(PREFIX.length);

const withDeviation = (schema: Schema, { also }: Deviation): Schema => {
  if (also === "nullable") return { ...schema, nullable: true };
  if (also !== "empty") return { ...schema, enum: [...(schema.enum ?? []), ...also] };
  const { format: _, ...rest } = schema;
  return rest;
};

const withDeviations = (name: string, schema: Schema): Schema => {
  const properties: Record<string, Schema> = { ...schema.properties };
  for (const deviation of DEVIATIONS.filter((each) => each.schema === name)) {
    const was = properties[deviation.property];
    if (was === undefined) throw new Error(`The description has no ${name}.${deviation.property}.`);
    properties[deviation.property] = withDeviation(was, deviation);
  }
  return schema.properties === undefined ? schema : { ...schema, properties };
};

/** OpenAPI 3.0 into JSON Schema: it says `nullable` where JSON Schema says so by the type. */
const asJsonSchema = (schema: Schema): Schema => {
  const mapped = (all: readonly Schema[] | undefined): readonly Schema[] | undefined => all?.map(asJsonSchema);
  const parts: Record<string, unknown> = { ...schema };
  delete parts["nullable"];
  if (schema.properties !== undefined) {
    parts["properties"] = Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, asJsonSchema(one)]));
  }
  if (schema.items !== undefined) parts["items"] = asJsonSchema(schema.items);
  if (typeof schema.additionalProperties === "object") parts["additionalProperties"] = asJsonSchema(schema.additionalProperties);
  for (const word of ["allOf", "anyOf", "oneOf"] as const) if (schema[word] !== undefined) parts[word] = mapped(schema[word]);
  // An example of several shapes often fits more than one of them.
  if (parts["oneOf"] !== undefined) {
    parts["anyOf"] = parts["oneOf"];
    delete parts["oneOf"];
  }
  return schema.nullable === true ? { anyOf: [parts, { type: "null" }] } : parts;
};

export const schemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(description.schemas).map(([name, schema]) => [name, withDeviations(name, schema)]),
);
export const jsonSchemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, asJsonSchema(schema)]),
);
export const toJsonSchema = asJsonSchema;
