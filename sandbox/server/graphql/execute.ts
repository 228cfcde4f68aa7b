/** One GraphQL request: parsed once per text, checked, priced, executed, and answered in GitHub's shapes. */
import {
  defaultTypeResolver,
  execute,
  getOperationAST,
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import type { View } from "../view.js";
import { time } from "../view.js";
import { BrokenConnection } from "./connection.js";
import { costOf, NODE_LIMIT, type Cost } from "./cost.js";
import { executionError, parseError, somethingWentWrong, TypedError, validationError, variableError, type WireError } from "./errors.js";
import { mutations } from "./mutations.js";
import { queries } from "./queries.js";
import { loadSchema, olderSchema, validateText } from "./schema.js";
import type { LimitState } from "../limits.js";

export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly WireError[];
}

/** A request that can be run: its text and variables fit the schema. */
export interface Prepared {
  readonly kind: "query" | "mutation";
  readonly cost: Cost;
  /** `rateLimit(dryRun: true)`: priced, not executed and not charged. */
  readonly dryRun: boolean;
  run(
    view: View,
    options: {
      readonly limit: () => LimitState;
      readonly report: (what: string) => void;
      /** Of a batch of mutations only so many are carried out, as when the server gives up midway. */
      readonly upTo?: number;
    },
  ): Promise<GraphqlAnswer>;
}

interface Parsed {
  readonly document?: DocumentNode;
  readonly errors: readonly WireError[];
}

const CACHE_LIMIT = 500;

const preparedText = (schema: GraphQLSchema, cache: Map<string, Parsed>, text: string): Parsed => {
  const known = cache.get(text);
  if (known !== undefined) return known;
  let parsed: Parsed;
  try {
    const document = parse(text);
    parsed = { document, errors: validateText(schema, document).map((error) => validationError(document, error)) };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    parsed = { errors: [parseError(error)] };
  }
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(text, parsed);
  return parsed;
};

/** A property or a method of the source; a field that nobody wrote is a request that the sandbox does not know. */
const resolver = (report: (what: string) => void): GraphQLFieldResolver<Readonly<Record<string, unknown>>, unknown> => {
  return (source, args, context, info) => {
    const value = source[info.fieldName];
    if (value === undefined) {
      report(`GraphQL field ${info.parentType.name}.${info.fieldName}`);
      throw new BrokenConnection(`${info.parentType.name}.${info.fieldName} is not served.`);
    }
    return typeof value === "function" ? (value as (...all: unknown[]) => unknown)(args, context, info) : value;
  };
};

const wantsDryRun = (operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>): boolean =>
  operation.selectionSet.selections.some(
    (selection) =>
      selection.kind === Kind.FIELD &&
      selection.name.value === "rateLimit" &&
      (selection.arguments ?? []).some(({ name, value }) => {
        if (name.value !== "dryRun") return false;
        return value.kind === Kind.BOOLEAN ? value.value : value.kind === Kind.VARIABLE && variables[value.name.value] === true;
      }),
  );

/** Only `rateLimit` of a query, for a dry run. */
const onlyRateLimit = (document: DocumentNode, operation: OperationDefinitionNode): DocumentNode => ({
  ...document,
  definitions: document.definitions.map((definition) =>
    definition === operation
      ? {
          ...operation,
          selectionSet: {
            ...operation.selectionSet,
            selections: operation.selectionSet.selections.filter(
              (selection) => selection.kind === Kind.FIELD && selection.name.value === "rateLimit",
            ),
          },
        }
      : definition,
  ),
});

export interface GraphqlService {
  /** `missing`: fields (`Type.field`) that this server does not have. */
  prepare(body: unknown, requestId: string, missing?: readonly string[]): Promise<Prepared | { readonly errors: readonly WireError[] }>;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

export const graphqlService = (): GraphqlService => {
  const cache = new Map<string, Parsed>();
  const older = new Map<string, { readonly schema: Promise<GraphQLSchema>; readonly cache: Map<string, Parsed> }>();
  /** The schema that texts are checked against, and what was checked by it. */
  const serving = async (missing: readonly string[]): Promise<readonly [GraphQLSchema, Map<string, Parsed>]> => {
    if (missing.length === 0) return [await loadSchema(), cache];
    const key = missing.join();
    const known = older.get(key) ?? { schema: olderSchema(missing), cache: new Map<string, Parsed>() };
    older.set(key, known);
    return [await known.schema, known.cache];
  };
  return {
    async prepare(body, requestId, missing = []) {
      const text = field(body, "query");
      if (typeof text !== "string" || text.trim() === "")
        return { errors: [{ message: "A query attribute must be specified and must be a string." }] };
      const given = field(body, "variables");
      const variables: Readonly<Record<string, unknown>> =
        typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
      const operationName = field(body, "operationName");
      const [schema, texts] = await serving(missing);
      const { document, errors } = preparedText(schema, texts, text);
      if (document === undefined || errors.length > 0) return { errors };
      const operation = getOperationAST(document, typeof operationName === "string" ? operationName : undefined);
      if (operation === null || operation === undefined || operation.operation === OperationTypeNode.SUBSCRIPTION) {
        return { errors: [{ message: "An operation name is required" }] };
      }
      const cost = costOf(schema, document, operation, variables);
      if (cost.nodes > NODE_LIMIT) {
        const message = `This query requests up to ${cost.nodes.toLocaleString("en-US")} possible nodes which exceeds the maximum limit of 500,000.`;
        return { errors: [{ type: "MAX_NODE_LIMIT_EXCEEDED", message }] };
      }
      const dryRun = wantsDryRun(operation, variables);
      return {
        kind: operation.operation,
        cost,
        dryRun,
        async run(view, { limit, report, upTo = Infinity }) {
          const rateLimit = (): Record<string, unknown> => {
            const { limit: all, remaining, used, reset } = limit();
            return { cost: cost.points, limit: all, nodeCount: cost.nodes, remaining, used, resetAt: time(reset) };
          };
          const onField = (position: number): void => {
            if (position > upTo) throw new BrokenConnection("never reached");
            const type = view.world.faults.alias(position);
            if (type === undefined) return;
            throw new TypedError(
              type,
              type === "FORBIDDEN" ? "Resource not accessible by integration" : "Could not resolve to a node with the global id of 'gone'",
            );
          };
          const result = await execute({
            schema,
            document: dryRun ? onlyRateLimit(document, operation) : document,
            rootValue: operation.operation === OperationTypeNode.QUERY ? queries(view, rateLimit) : mutations(view, onField),
            variableValues: variables,
            operationName: operation.name?.value,
            fieldResolver: resolver(report),
            typeResolver: defaultTypeResolver,
          });
          const wire = (result.errors ?? []).map((error): WireError => {
            if (error.originalError instanceof BrokenConnection) {
              return { ...(error.path === undefined ? {} : { path: error.path }), message: somethingWentWrong(requestId) };
            }
            if (error.path === undefined && error.message.startsWith("Variable ")) return variableError(error);
            return executionError(error, requestId, (cause) => report(`GraphQL error: ${cause.stack ?? cause.message}`));
          });
          return { ...(result.data === undefined ? {} : { data: result.data }), ...(wire.length === 0 ? {} : { errors: wire }) };
        },
      };
    },
  };
};
