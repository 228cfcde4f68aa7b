/** Does a REST answer of the sandbox fit GitHub's description of it? */
import { Ajv, type ValidateFunction } from "ajv";
import { description, jsonSchemas, nameOf, REFUSAL_KEYS, schemas, toJsonSchema, UNDESCRIBED, type Schema } from "./description.js";

export interface RestAnswer {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const FORMATS: Readonly<Record<string, RegExp | ((text: string) => boolean) | true>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u,
  date: /^\d{4}-\d\d-\d\d$/u,
  uri: (text) => URL.canParse(text.replaceAll(/\{[^}]*\}/gu, "")),
  email: /@/u,
  "repo.nwo": /^[\w.-]+\/[\w.-]+$/u,
};

const components = { $id: "description", components: { schemas: jsonSchemas } };
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, validateFormats: true, logger: false, formats: FORMATS });
ajv.addSchema(components);

/** References of a schema that stands alone point into the description. */
const absolute = (schema: Schema): unknown => JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"description#/components'));

const compiled = new Map<string, ValidateFunction>();
const validatorOf = (schema: Schema): ValidateFunction => {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = ajv.compile(absolute(toJsonSchema(schema)) as object);
  compiled.set(key, made);
  return made;
};

/** Parameters that hold more than one part of a path. */
const DEEP = new Set(["{path}", "{ref}", "{branch}", "{basehead}"]);
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

const templates = [...Object.keys(description.answers), ...Object.keys(UNDESCRIBED).map((each) => each.split(" ")[1] ?? "")]
  .map((template) => ({
    template,
    pattern: new RegExp(
      `^${template
        .split("/")
        .map((part) => (DEEP.has(part) ? ".+" : part.startsWith("{") ? "[^/]+" : escaped(part)))
        .join("/")}$`,
      "u",
    ),
    literal: template.replaceAll(/\{\w+\}/gu, "").length,
    deep: [...DEEP].some((part) => template.includes(part)),
  }))
  .toSorted((a, b) => Number(a.deep) - Number(b.deep) || b.literal - a.literal);

/** `GET /repos/{owner}/{repo}/...`: the operation as the description names it. */
export const operationOf = (method: string, path: string): string | undefined => {
  const plain = path.replace(/^\/repositories\/\d+(?=\/|$)/u, "/repos/o/r");
  const verb = method === "HEAD" ? "GET" : method;
  const found = templates.find(
    ({ template, pattern }) =>
      pattern.test(plain) && (description.answers[template]?.[verb] !== undefined || UNDESCRIBED[`${verb} ${template}`] !== undefined),
  );
  return found === undefined ? undefined : `${verb} ${found.template}`;
};

/** All that a schema allows at one place: itself, what it refers to, its parts and its alternatives. */
const alternatives = (schema: Schema): readonly Schema[] => {
  const name = nameOf(schema);
  if (name !== undefined) return alternatives(schemas[name] ?? {});
  return [schema, ...[...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(alternatives)];
};

/** Keys that the description does not have: a slip of the pen in the sandbox passes any schema that is open. */
const unknownKeys = (all: readonly Schema[], value: unknown, at: string): readonly string[] => {
  if (Array.isArray(value)) {
    const items = all.flatMap((each) => (each.items === undefined ? [] : alternatives(each.items)));
    return items.length === 0 ? [] : value.flatMap((one) => unknownKeys(items, one, `${at}/*`));
  }
  if (typeof value !== "object" || value === null) return [];
  const open = all.every((each) => each.properties === undefined) || all.some((each) => (each.additionalProperties ?? false) !== false);
  return Object.entries(value).flatMap(([key, one]) => {
    const found = all.flatMap((each) => (each.properties?.[key] === undefined ? [] : alternatives(each.properties[key])));
    if (found.length > 0) return unknownKeys(found, one, `${at}/${key}`);
    return open ? [] : [`${at}/${key} is not in the description`];
  });
};

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const schemaFor = (operation: string, status: number): Schema | null | undefined => {
  const [method = "", template = ""] = operation.split(" ");
  const described = description.answers[template]?.[method];
  const own = described?.[String(status)];
  // A refusal that is not described for this request looks as all do.
  if (status >= 400) return own ?? { $ref: "#/components/schemas/basic-error" };
  return own === undefined && UNDESCRIBED[operation] !== undefined ? {} : own;
};

/** One line for all that is missing at one place, and one for each other misfit. */
const misfits = (validate: ValidateFunction, value: unknown): readonly string[] => {
  if (validate(value)) return [];
  const missing = new Map<string, string[]>();
  const others: string[] = [];
  for (const { keyword, instancePath, message = "", params } of validate.errors ?? []) {
    const at = instancePath.replaceAll(/\/\d+(?=\/|$)/gu, "/*");
    if (keyword === "required") missing.set(at, [...(missing.get(at) ?? []), String(params["missingProperty"])]);
    else if (keyword !== "anyOf" && message !== "must be null") others.push(`${at || "/"} ${message}`);
  }
  return [...[...missing].map(([at, names]) => `${at || "/"} lacks ${[...new Set(names)].join(", ")}`), ...new Set(others)];
};

/** What does not fit; nothing where all does. */
export const restProblems = (answer: RestAnswer): readonly string[] => {
  const { method, path, status } = answer;
  const operation = operationOf(method, path);
  const told = (problem: string): string => `${operation ?? `${method} ${path}`} -> ${status}: ${problem}`;
  if (operation === undefined) return status === 404 ? [] : [told("the description does not have this request")];
  // An unchanged answer, to whoever asked for a changed one only.
  if (status === 304) return answer.body === "" ? [] : [told("a body where there is none")];
  // Sent by what stands before the API, in words of its own.
  if (status >= 500 || (status === 403 && answer.contentType.startsWith("text/html"))) return [];
  const schema = schemaFor(operation, status);
  if (schema === undefined) return [told("the description does not have this status")];
  if (answer.body === "" || method === "HEAD") return schema === null || method === "HEAD" ? [] : [told("there is no body")];
  if (!answer.contentType.startsWith("application/json")) {
    const asked = /\.(?:diff|patch|raw)\b/u.test(answer.accept) || schema === null || UNDESCRIBED[operation] !== undefined;
    return asked ? [] : [told(`${answer.contentType} was not asked for`)];
  }
  if (schema === null) return [told("a body where there is none")];
  const json = parsed(answer.body);
  if (json === undefined) return [told("the body is no JSON")];
  const unknown = UNDESCRIBED[operation] === undefined ? unknownKeys(alternatives(schema), json.value, "") : [];
  const allowed = unknown.filter((each) => !(status >= 400 && REFUSAL_KEYS.has(each.split(" ")[0]?.slice(1) ?? "")));
  return [...misfits(validatorOf(schema), json.value), ...allowed].map(told);
};
