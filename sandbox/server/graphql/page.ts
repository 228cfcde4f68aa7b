/** Connections: GitHub's rules on `first` and `last`, opaque cursors, and the faults that break one. */
import { Kind, type GraphQLResolveInfo, type SelectionSetNode } from "graphql";
import { TypedError } from "./errors.js";

export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** Cursors name a place in the list, as GitHub's (opaque) ones do, and with `cursor-expires` the state of the world that they hold for. */
const cursorOf = (position: number, stamp: number | undefined): string =>
  Buffer.from(`cursor:v2:${position}${stamp === undefined ? "" : `@${stamp}`}`, "utf8").toString("base64");

const positionOf = (cursor: string, stamp: number | undefined): number => {
  const [, position, at] = /^cursor:v2:(\d+)(?:@(\d+))?$/u.exec(Buffer.from(cursor, "base64").toString("utf8")) ?? [];
  if (position === undefined || (stamp !== undefined && at !== undefined && Number(at) !== stamp))
    throw new TypedError("INVALID_CURSOR_ARGUMENTS", `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(position);
};

const COUNTERS = new Set([
  "totalCount",
  "issueCount",
  "repositoryCount",
  "filteredCount",
  "pageCount",
  "checkRunCount",
  "statusContextCount",
  "checkRunCountsByState",
  "statusContextCountsByState",
  "updatedAt",
  "__typename",
]);

/** Does the query want more of the connection than its counters? */
const wantsNodes = (info: GraphQLResolveInfo): boolean => {
  const any = (selections: SelectionSetNode): boolean =>
    selections.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return !COUNTERS.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return any(selection.selectionSet);
      const fragment = info.fragments[selection.name.value];
      return fragment !== undefined && any(fragment.selectionSet);
    });
  return info.fieldNodes.some((node) => node.selectionSet !== undefined && any(node.selectionSet));
};

const checked = (value: number, name: "first" | "last", connection: string): number => {
  if (value < 0) throw new TypedError("INVALID_PAGINATION", `\`${name}\` on the \`${connection}\` connection cannot be less than zero.`);
  if (value > 100) {
    throw new TypedError(
      "EXCESSIVE_PAGINATION",
      `Requesting ${value} records on the \`${connection}\` connection exceeds the \`${name}\` limit of 100 records.`,
    );
  }
  return value;
};

export interface PageOptions {
  /** At most so many items, whatever is asked. */
  readonly limit?: number | undefined;
  /** The first item of the page is null. */
  readonly nullNode?: boolean;
  /** Further fields of an edge. */
  readonly edge?: ((position: number) => Record<string, unknown>) | undefined;
  /** The state of the world, where cursors hold for it only. */
  readonly stamp?: number | undefined;
}

/** One page of `items` as a connection; `present` is called for what is on the page only. */
export const page = <T>(
  items: readonly T[],
  present: (item: T) => unknown,
  { first, last, after, before }: PageArguments,
  info: GraphQLResolveInfo,
  { limit = 100, nullNode = false, edge, stamp }: PageOptions = {},
): Record<string, unknown> => {
  const connection = info.fieldName;
  const size = first ?? last ?? undefined;
  if (size === undefined && wantsNodes(info)) {
    throw new TypedError(
      "MISSING_PAGINATION_BOUNDARIES",
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${connection}\` connection.`,
    );
  }
  const from = after === undefined || after === null ? 0 : positionOf(after, stamp);
  const to = before === undefined || before === null ? items.length : Math.min(items.length, positionOf(before, stamp) - 1);
  let start = from;
  let end = Math.max(from, to);
  if (first !== undefined && first !== null) end = Math.min(end, start + Math.min(limit, checked(first, "first", connection)));
  else if (last !== undefined && last !== null) start = Math.max(start, end - Math.min(limit, checked(last, "last", connection)));
  else end = start;
  let nodes: readonly unknown[] | undefined;
  const shown = (): readonly unknown[] =>
    (nodes ??= items.slice(start, end).map((item, index) => (nullNode && index === 0 ? null : present(item))));
  return {
    totalCount: items.length,
    nodes: shown,
    edges: () =>
      shown().map((node, index) =>
        node === null && edge !== undefined ? null : { cursor: cursorOf(start + index + 1, stamp), node, ...edge?.(start + index) },
      ),
    pageInfo: {
      hasNextPage: end < items.length,
      hasPreviousPage: start > 0,
      startCursor: end > start ? cursorOf(start + 1, stamp) : null,
      endCursor: end > start ? cursorOf(end, stamp) : null,
    },
  };
};
