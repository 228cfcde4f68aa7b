/**
 * GitHub's shapes for GraphQL errors. Its server is not graphql-js: an execution error has a top-level `type`, a validation error
 * names its rule in `extensions.code` and its place in a `path` that starts with the operation.
 */
import { Kind, visit, type ASTNode, type DocumentNode, type GraphQLError, type OperationDefinitionNode } from "graphql";
import { WorldError } from "../../world/errors.js";

export interface WireError {
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly message: string;
}

/** An error with one of GitHub's types, thrown by a resolver. */
export class TypedError extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.name = "TypedError";
    this.type = type;
  }
}

export const somethingWentWrong = (requestId: string): string =>
  `Something went wrong while executing your query. Please include \`${requestId}\` when reporting this issue.`;

const locationsOf = (error: GraphQLError): Pick<WireError, "locations"> =>
  error.locations === undefined ? {} : { locations: error.locations.map(({ line, column }) => ({ line, column })) };

/** An error of the execution. An unexpected one looks like a fault of the server, and `report` hears of it. */
export const executionError = (error: GraphQLError, requestId: string, report: (error: Error) => void): WireError => {
  const cause = error.originalError;
  const path = error.path === undefined ? {} : { path: error.path };
  if (cause instanceof WorldError) {
    const type =
      cause.type === "UNAUTHORIZED" || cause.type === "CONFLICT" || cause.type === "LOCKED" || cause.type === "GONE"
        ? "UNPROCESSABLE"
        : cause.type;
    return { type, ...path, ...locationsOf(error), message: cause.message };
  }
  if (cause instanceof TypedError) return { type: cause.type, ...path, ...locationsOf(error), message: cause.message };
  // A 64-bit id asked for as `Int`: GitHub can't tell it either.
  if (error.message.startsWith("Int cannot represent")) return { ...path, ...locationsOf(error), message: error.message };
  report(cause ?? error);
  return { ...path, message: somethingWentWrong(requestId) };
};

/** `["query Name", "repository", "pullRequest"]` down to a node. */
const pathTo = (document: DocumentNode, target: ASTNode | undefined): readonly string[] => {
  let found: readonly string[] = [];
  const trail: string[] = [];
  visit(document, {
    enter(node) {
      if (node.kind === Kind.OPERATION_DEFINITION) trail.push(operationName(node));
      else if (node.kind === Kind.FRAGMENT_DEFINITION) trail.push(`fragment ${node.name.value}`);
      else if (node.kind === Kind.INLINE_FRAGMENT) trail.push(`... on ${node.typeCondition?.name.value ?? ""}`);
      else if (node.kind === Kind.FIELD) trail.push((node.alias ?? node.name).value);
      if (node === target) found = [...trail];
    },
    leave(node) {
      if ([Kind.OPERATION_DEFINITION, Kind.FRAGMENT_DEFINITION, Kind.INLINE_FRAGMENT, Kind.FIELD].includes(node.kind)) trail.pop();
    },
  });
  return found;
};

const operationName = (operation: OperationDefinitionNode): string =>
  operation.name === undefined ? operation.operation : `${operation.operation} ${operation.name.value}`;

type Rule = (
  match: readonly string[],
  node: ASTNode | undefined,
) => { readonly message: string; readonly extensions: Record<string, unknown> };

const fieldName = (node: ASTNode | undefined): string => (node?.kind === Kind.FIELD ? node.name.value : "");

/** graphql-js's sentence -> GitHub's. What is not here keeps its sentence. */
const RULES: readonly (readonly [RegExp, Rule])[] = [
  [
    /^Cannot query field "(\w+)" on type "(\w+)"/u,
    ([, name = "", type = ""]) => ({
      message: `Field '${name}' doesn't exist on type '${type}'`,
      extensions: { code: "undefinedField", typeName: type, fieldName: name },
    }),
  ],
  [
    /^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"/u,
    ([, argument = "", , name = ""]) => ({
      message: `Field '${name}' doesn't accept argument '${argument}'`,
      extensions: { code: "argumentNotAccepted", name, typeName: "Field", argumentName: argument },
    }),
  ],
  [
    /^Field "(\w+)" is not defined by type "(\w+)"/u,
    ([, argument = "", type = ""]) => ({
      message: `InputObject '${type}' doesn't accept argument '${argument}'`,
      extensions: { code: "argumentNotAccepted", name: type, typeName: "InputObject", argumentName: argument },
    }),
  ],
  [
    /^Field "(\w+)" argument "(\w+)" of type "[^"]+" is required/u,
    ([, name = "", argument = ""]) => ({
      message: `Field '${name}' is missing required arguments: ${argument}`,
      extensions: { code: "missingRequiredArguments", className: "Field", name, arguments: argument },
    }),
  ],
  [
    /^Field "(\w+)\.(\w+)" of required type "([^"]+)" was not provided/u,
    ([, type = "", argument = "", expected = ""]) => ({
      message: `Argument '${argument}' on InputObject '${type}' is required. Expected type ${expected}`,
      extensions: { code: "missingRequiredInputObjectAttribute", argumentName: argument, argumentType: expected, inputObjectType: type },
    }),
  ],
  [
    /^Field "(\w+)" of type "([^"]+)" must have a selection of subfields/u,
    ([, name = "", type = ""]) => ({
      message: `Field must have selections (field '${name}' returns ${type.replaceAll(/[[\]!]/gu, "")} but has no selections. Did you mean '${name} { ... }'?)`,
      extensions: { code: "selectionMismatch", nodeName: `field '${name}'`, typeName: type },
    }),
  ],
  [
    /^Variable "\$(\w+)" is not defined/u,
    ([, name = ""]) => ({
      message: `Variable $${name} is used by anonymous query but not declared`,
      extensions: { code: "variableNotDefined", variableName: name },
    }),
  ],
  [
    /^Variable "\$(\w+)" is never used/u,
    ([, name = ""]) => ({
      message: `Variable $${name} is declared by anonymous query but not used`,
      extensions: { code: "variableNotUsed", variableName: name },
    }),
  ],
  [
    /^Unknown type "(\w+)"/u,
    ([, type = ""]) => ({
      message: `No such type ${type}, so it can't be a fragment condition`,
      extensions: { code: "undefinedType", typeName: type },
    }),
  ],
  [
    /^Expected value of type "([^"]+)", found (.+?)[.;]?$/su,
    ([, type = "", value = ""], node) => ({
      message: `Argument '${fieldName(node) || "input"}' has an invalid value (${value}). Expected type '${type}'.`,
      extensions: { code: "argumentLiteralsIncompatible", typeName: "Field", argumentName: "input" },
    }),
  ],
];

export const validationError = (document: DocumentNode, error: GraphQLError): WireError => {
  const node = error.nodes?.[0];
  const path = pathTo(document, node);
  for (const [pattern, rule] of RULES) {
    const match = pattern.exec(error.message);
    if (match !== null) {
      const { message, extensions } = rule(match, node);
      return { path, extensions, ...locationsOf(error), message };
    }
  }
  return { path, extensions: { code: "invalid" }, ...locationsOf(error), message: error.message };
};

export const parseError = (error: GraphQLError): WireError => {
  const [{ line, column } = { line: 1, column: 1 }] = error.locations ?? [];
  const token = error.message.replace(/^Syntax Error: /u, "");
  return { ...locationsOf(error), message: `Parse error on ${token} at [${line}, ${column}]` };
};

/** A variable that does not fit its type. */
export const variableError = (error: GraphQLError): WireError => {
  const [, name = ""] = /^Variable "\$(\w+)"/u.exec(error.message) ?? [];
  const missing = /of (?:required|non-null) type "([^"]+)" (?:was not provided|must not be null)/u.exec(error.message);
  const explanation = missing === null ? error.message.replace(/^Variable "\$\w+" /u, "") : "Expected value to not be null";
  return {
    extensions: { value: null, problems: [{ path: [], explanation }] },
    ...locationsOf(error),
    message:
      missing === null
        ? `Variable $${name} was provided invalid value`
        : `Variable $${name} of type ${missing[1] ?? ""} was provided invalid value`,
  };
};
