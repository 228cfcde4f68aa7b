/**
 * What a query may cost, from its text alone. Nodes: each connection asks for its `first` (or `last`) once per node above it.
 * Points: the requests needed to fill these connections, divided by 100, at least one.
 */
import {
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  typeFromAST,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

export const NODE_LIMIT = 500_000;

export interface Cost {
  readonly nodes: number;
  readonly points: number;
}

export const costOf = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Cost => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  let nodes = 0;
  let requests = 0;

  const sizeOf = (field: FieldNode): number => {
    for (const argument of field.arguments ?? []) {
      if (argument.name.value !== "first" && argument.name.value !== "last") continue;
      const value = valueFromASTUntyped(argument.value, variables);
      if (typeof value === "number") return Math.max(0, value);
    }
    return 0;
  };
  const walk = (selections: SelectionSetNode, type: GraphQLNamedType | undefined, above: number): void => {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) walk(fragment.selectionSet, typeFromAST(schema, fragment.typeCondition), above);
        continue;
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition === undefined ? type : typeFromAST(schema, selection.typeCondition);
        walk(selection.selectionSet, condition, above);
        continue;
      }
      if (selection.selectionSet === undefined) continue;
      const definition = type !== undefined && "getFields" in type ? type.getFields()[selection.name.value] : undefined;
      const result = definition === undefined ? undefined : getNamedType(definition.type);
      const next = result !== undefined && isCompositeType(result) ? result : undefined;
      if (next !== undefined && isObjectType(next) && next.name.endsWith("Connection")) {
        const size = sizeOf(selection);
        nodes += above * size;
        requests += above;
        walk(selection.selectionSet, next, above * Math.max(1, size));
      } else walk(selection.selectionSet, next, above);
    }
  };
  const root = schema.getRootType(operation.operation) ?? undefined;
  walk(operation.selectionSet, root, 1);
  return { nodes, points: Math.max(1, Math.round(requests / 100)) };
};
