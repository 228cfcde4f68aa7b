/** A connection on its way to being complete. */
import type { Connection, Counted } from "./wire.js";

/** The answer lacks a part; reading again may bring it. */
export class Incomplete extends Error {
  readonly part: string;

  constructor(part: string, problem: string) {
    super(`${part}: ${problem}`);
    this.name = "Incomplete";
    this.part = part;
  }
}

/** `null` and absent are never "empty". */
export const present = <T>(value: T | null | undefined, part: string): T => {
  if (value === null || value === undefined) throw new Incomplete(part, "GitHub answered null");
  return value;
};

export class Gathered<T extends { readonly id: string }> {
  readonly part: string;
  cursor: string | null = null;
  /** Another page has to be read. */
  more = true;
  private total = 0;
  /** Something was taken away meanwhile: later pages may have moved up, so that a fitting count proves nothing. */
  private shrunk = false;
  /** The end was looked behind once, for entries that came while reading. */
  private lookedBehind = false;
  private readonly found = new Map<string, T>();

  constructor(part: string) {
    this.part = part;
  }

  /** Takes a page in; entries seen before are replaced, not counted twice. */
  take(connection: Connection<T> | null | undefined): readonly T[] {
    const page = present(connection, this.part);
    const nodes = present(page.nodes, this.part).map((node) => present(node, `${this.part}, one entry`));
    const info = present(page.pageInfo, `${this.part}, page information`);
    if (info.hasNextPage && (nodes.length === 0 || info.endCursor === null || info.endCursor === this.cursor)) {
      throw new Incomplete(this.part, "the pages do not go on");
    }
    for (const node of nodes) this.found.set(present(node.id, `${this.part}, id`), node);
    this.count(page);
    this.more = info.hasNextPage;
    this.cursor = info.endCursor ?? this.cursor;
    return nodes;
  }

  count(counted: Counted | null | undefined): void {
    const { totalCount } = present(counted, this.part);
    if (totalCount < this.total) this.shrunk = true;
    this.total = totalCount;
  }

  get complete(): boolean {
    return !this.more && !this.shrunk && this.found.size === this.total;
  }

  get nodes(): readonly T[] {
    return [...this.found.values()];
  }

  /** The count does not fit: look behind the last page once, else start this connection anew. */
  again(): void {
    this.more = true;
    if (!this.shrunk && this.found.size < this.total && !this.lookedBehind && this.cursor !== null) {
      this.lookedBehind = true;
      return;
    }
    this.found.clear();
    this.cursor = null;
    this.lookedBehind = false;
    this.shrunk = false;
    this.total = 0;
  }

  get said(): string {
    return `${this.found.size} of ${this.total}`;
  }
}
