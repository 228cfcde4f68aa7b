/** A page of a connection as this request sees it, faults included. */
import type { GraphQLResolveInfo } from "graphql";
import type { FaultOptions } from "../../world/faults.js";
import type { View } from "../view.js";
import { page, type PageArguments } from "./page.js";

export type Fields = Readonly<Record<string, unknown>>;
/** A field with arguments, as `resolveField` calls it. */
export type Resolve<A = PageArguments> = (args: A, context: unknown, info: GraphQLResolveInfo) => unknown;

/** A connection that the server could not fill: null beside an error without a type. */
export class BrokenConnection extends Error {}

type Breakable = FaultOptions["null-connection"]["field"];

export const connection = <T>(
  view: View,
  items: () => readonly T[],
  present: (item: T) => unknown,
  {
    fault,
    extra,
    edge,
  }: { readonly fault?: Breakable; readonly extra?: (items: readonly T[]) => Fields; readonly edge?: (item: T) => Fields } = {},
): Resolve => {
  return (args, _context, info) => {
    const { faults } = view.world;
    if (fault !== undefined && faults.broken("null-connection", fault)) throw new BrokenConnection(fault);
    const all = items();
    const nullNode = fault !== undefined && faults.broken("null-node", fault);
    const atEdge = edge === undefined ? undefined : (position: number) => edge(all[position] as T);
    const stamp = faults.on("cursor-expires") ? view.world.log.length : undefined;
    return { ...page(all, present, args, info, { limit: faults.get("page-size")?.size, nullNode, edge: atEdge, stamp }), ...extra?.(all) };
  };
};

/** What the sandbox has none of. */
export const none = (view: View): Resolve =>
  connection(
    view,
    () => [],
    () => null,
  );
