/**
 * Does a GraphQL answer of the sandbox fit what was asked and GitHub's schema? Read from the wire, as a client has it: graphql-js lets a
 * scalar of one's own pass whatever it is, and the sandbox writes errors by itself.
 */
import {
  getNamedType,
  getOperationAST,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

import { validateText } from "../../../sandbox/server/graphql/schema.js";

export interface GraphqlExchange {
  /** The body of the request. */
  readonly asked: unknown;
  readonly status: number;
  readonly body: string;
}

const text = (value: unknown): value is string => typeof value === "string";
const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Boolean: (value) => typeof value === "boolean",
  Int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  Float: (value) => typeof value === "number",
  ID: (value) => text(value) && value !== "",
  BigInt: (value) => text(value) && /^\d+$/u.test(value),
  DateTime: (value) => text(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u.test(value),
  GitObjectID: (value) => text(value) && /^[0-9a-f]{40}$/u.test(value),
  GitTimestamp: (value) => text(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/u.test(value),
  URI: (value) => text(value) && URL.canParse(value, "https://github.com"),
};

/** Types of error that GitHub has; an error without one is a fault of the server. */
const TYPES = new Set(
  `NOT_FOUND FORBIDDEN INSUFFICIENT_SCOPES UNPROCESSABLE VALIDATION RATE_LIMITED RATE_LIMIT MISSING_PAGINATION_BOUNDARIES EXCESSIVE_PAGINATION
   INVALID_PAGINATION INVALID_CURSOR_ARGUMENTS MAX_NODE_LIMIT_EXCEEDED RESOURCE_LIMITS_EXCEEDED`.split(/\s+/u),
);

interface Context {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const skipped = ({ variables }: Context, { directives = [] }: SelectionNode): boolean =>
  directives.some(({ name, arguments: given = [] }) => {
    const value = given[0]?.value;
    const on =
      value?.kind === Kind.BOOLEAN ? value.value : value?.kind === Kind.VARIABLE ? variables[value.name.value] === true : undefined;
    return (name.value === "skip" && on === true) || (name.value === "include" && on === false);
  });

/** The fields that an object of this type has to have, by the key in the answer. */
const fieldsFor = (context: Context, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): ReadonlyMap<string, FieldNode[]> => {
  const found = new Map<string, FieldNode[]>();
  const applies = (condition: string | undefined): boolean =>
    condition === undefined || condition === type.name || isPossible(context.schema, condition, type);
  const collect = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (skipped(context, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        found.set(key, [...(found.get(key) ?? []), selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition?.name.value)) collect(selection.selectionSet);
      } else {
        const fragment = context.document.definitions.find(
          (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value,
        );
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION && applies(fragment.typeCondition.name.value)) collect(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) collect(set);
  return found;
};

const isPossible = (schema: GraphQLSchema, condition: string, type: GraphQLObjectType): boolean => {
  const wanted = schema.getType(condition);
  return wanted !== undefined && isCompositeType(wanted) && !isObjectType(wanted) && schema.isSubType(wanted, type);
};

const objectProblems = (
  context: Context,
  type: GraphQLObjectType,
  value: Readonly<Record<string, unknown>>,
  sets: readonly SelectionSetNode[],
  at: string,
): readonly string[] => {
  const expected = fieldsFor(context, type, sets);
  const extra = Object.keys(value).filter((key) => !expected.has(key));
  return [
    ...extra.map((key) => `${at}.${key} was not asked for`),
    ...[...expected].flatMap(([key, nodes]) => {
      const [first] = nodes;
      const place = `${at}.${key}`;
      if (!(key in value)) return [`${place} is missing`];
      if (first === undefined || first.name.value === "__typename") return value[key] === type.name ? [] : [`${place} is not ${type.name}`];
      const field = type.getFields()[first.name.value];
      if (field === undefined) return first.name.value.startsWith("__") ? [] : [`${place} is no field of ${type.name}`];
      return valueProblems(
        context,
        field.type,
        value[key],
        nodes.flatMap((node) => node.selectionSet ?? []),
        place,
      );
    }),
  ];
};

const valueProblems = (
  context: Context,
  type: GraphQLOutputType,
  value: unknown,
  sets: readonly SelectionSetNode[],
  at: string,
): readonly string[] => {
  if (isNonNullType(type)) return value === null ? [`${at} is null`] : valueProblems(context, type.ofType, value, sets, at);
  if (value === null) return [];
  if (isListType(type)) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((one, index) => valueProblems(context, type.ofType, one, sets, `${at}.${index}`));
  }
  const named = getNamedType(type);
  if (isEnumType(named))
    return !text(value) || named.getValue(value) === undefined ? [`${at} is no ${named.name}: ${JSON.stringify(value)}`] : [];
  if (!isCompositeType(named)) return (SCALARS[named.name] ?? text)(value) ? [] : [`${at} is no ${named.name}: ${JSON.stringify(value)}`];
  if (!isRecord(value)) return [`${at} is no object`];
  // Of an interface or a union: it must fit one of the types that may stand there.
  const candidates = isObjectType(named) ? [named] : context.schema.getPossibleTypes(named);
  let fewest: readonly string[] = [`${at} can be nothing`];
  for (const [index, candidate] of candidates.entries()) {
    const problems = objectProblems(context, candidate, value, sets, at);
    if (problems.length === 0) return [];
    if (index === 0 || problems.length < fewest.length) fewest = problems;
  }
  return fewest;
};

const errorProblems = (error: unknown, data: unknown): readonly string[] => {
  if (!isRecord(error)) return ["an error is no object"];
  const { type, path, message } = error;
  const known = new Set(["type", "code", "path", "locations", "extensions", "message"]);
  const problems = Object.keys(error)
    .filter((key) => !known.has(key))
    .map((key) => `an error has ${key}`);
  if (!text(message) || message === "") problems.push("an error has no message");
  if (type !== undefined && !(text(type) && TYPES.has(type))) problems.push(`an error has the type ${JSON.stringify(type)}`);
  if (Array.isArray(path) && isRecord(data)) {
    let place: unknown = data;
    for (const step of path as (string | number)[])
      place = isRecord(place) || Array.isArray(place) ? Reflect.get(place, step) : place === null ? null : undefined;
    if (place !== null) problems.push(`an error is about ${path.join(".")}, which is not null`);
  }
  return problems;
};

const answerProblems = (context: Context, operationName: string | undefined, answer: Readonly<Record<string, unknown>>) => {
  const operation = getOperationAST(context.document, operationName);
  const root = operation === null || operation === undefined ? undefined : context.schema.getRootType(operation.operation);
  if (operation === null || operation === undefined || root === null || root === undefined)
    return answer["data"] === undefined ? [] : ["data for no operation"];
  const { data } = answer;
  if (data === undefined || data === null) return answer["errors"] === undefined ? ["neither data nor errors"] : [];
  if (!isRecord(data)) return ["data is no object"];
  // A dry run is priced and not executed: only the price is told.
  const dry = /\brateLimit\s*\(\s*dryRun/u.test(operation.loc?.source.body ?? "");
  const sets = dry
    ? [
        {
          ...operation.selectionSet,
          selections: operation.selectionSet.selections.filter((each) => each.kind === Kind.FIELD && each.name.value === "rateLimit"),
        },
      ]
    : [operation.selectionSet];
  return objectProblems(context, root, data, sets, "data");
};

/** What does not fit; nothing where all does. */
export const graphqlProblems = (schema: GraphQLSchema, { asked, status, body }: GraphqlExchange): readonly string[] => {
  if (status >= 400) return [];
  const answer: unknown = JSON.parse(body);
  if (!isRecord(answer)) return ["the answer is no object"];
  const strange = Object.keys(answer)
    .filter((key) => !["data", "errors", "extensions"].includes(key))
    .map((key) => `the answer has ${key}`);
  const { errors } = answer;
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) strange.push("errors is no list, or empty");
  const ofErrors = (Array.isArray(errors) ? errors : []).flatMap((error) => errorProblems(error, answer["data"]));
  const query = isRecord(asked) ? asked["query"] : undefined;
  const operationName = isRecord(asked) && text(asked["operationName"]) ? asked["operationName"] : undefined;
  const variables = isRecord(asked) && isRecord(asked["variables"]) ? asked["variables"] : {};
  let document: DocumentNode;
  try {
    document = parse(String(query));
  } catch {
    return [...strange, ...ofErrors, ...(answer["data"] === undefined ? [] : ["data for what is no query"])];
  }
  if (validateText(schema, document).length > 0)
    return [...strange, ...ofErrors, ...(answer["data"] === undefined ? [] : ["data for a query that is not valid"])];
  return [...strange, ...ofErrors, ...answerProblems({ schema, document, variables }, operationName, answer)];
};
