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

interface Identified {
  readonly id: string;
}

/** The entries of a page, none of them missing. */
export const entriesOf = <T extends Identified>(nodes: readonly (T | null)[] | null | undefined, part: string): readonly T[] => {
  const entries = present(nodes, part).map((node) => present(node, `${part}, one entry`));
  for (const entry of entries) present(entry.id, `${part}, id`);
  return entries;
};

/** A page that promises more has entries and a cursor that goes on. */
export const assertGoesOn = (
  part: string,
  page: { entries: number; more: boolean; cursor: string | null; before: string | null },
): void => {
  if (page.more && (page.entries === 0 || page.cursor === null || page.cursor === page.before)) {
    throw new Incomplete(part, "the pages do not go on");
  }
};

export class Gathered<T extends Identified> {
  readonly part: string;
  cursor: string | null = null;
  /** Another page has to be read. */
  more = true;
  /** Entries that the pages of the chain brought. */
  read = 0;
  private totalCount = 0;
  /** Something was taken away meanwhile: later pages may have moved up, so that a fitting count proves nothing. */
  shrunk = false;
  /** The end was looked behind once, for entries that came while reading. */
  private lookedBehind = false;
  private readonly found = new Map<string, T>();

  constructor(part: string) {
    this.part = part;
  }

  /** Takes a page in; entries seen before are replaced, not counted twice. */
  take(connection: Connection<T> | null | undefined): readonly T[] {
    const page = present(connection, this.part);
    const nodes = entriesOf(page.nodes, this.part);
    const info = present(page.pageInfo, `${this.part}, page information`);
    assertGoesOn(this.part, { entries: nodes.length, more: info.hasNextPage, cursor: info.endCursor, before: this.cursor });
    for (const node of nodes) this.found.set(node.id, node);
    this.read += nodes.length;
    this.count(page);
    this.more = info.hasNextPage;
    this.cursor = info.endCursor ?? this.cursor;
    return nodes;
  }

  /** Takes in entries of the same connection that another way brought. */
  join(nodes: readonly T[]): void {
    for (const node of nodes) this.found.set(node.id, node);
  }

  /**
   * With entries from elsewhere the set may be whole before the chain has come to its end, or is known to be read anew anyway:
   * then the rest of the chain is not read.
   */
  settle(): void {
    if (this.shrunk || this.found.size === this.totalCount) this.more = false;
  }

  count(counted: Counted | null | undefined): void {
    const { totalCount } = present(counted, this.part);
    if (totalCount < this.totalCount) this.shrunk = true;
    this.totalCount = totalCount;
  }

  get complete(): boolean {
    return !this.more && !this.shrunk && this.found.size === this.totalCount;
  }

  get total(): number {
    return this.totalCount;
  }

  get nodes(): readonly T[] {
    return [...this.found.values()];
  }

  has(id: string): boolean {
    return this.found.has(id);
  }

  /** The count does not fit: look behind the last page once, else start this connection anew. */
  again(): void {
    this.more = true;
    if (!this.shrunk && this.found.size < this.totalCount && !this.lookedBehind && this.cursor !== null) {
      this.lookedBehind = true;
      return;
    }
    this.found.clear();
    this.cursor = null;
    this.lookedBehind = false;
    this.shrunk = false;
    this.totalCount = 0;
    this.read = 0;
  }

  get said(): string {
    return `${this.found.size} of ${this.totalCount}`;
  }
}
