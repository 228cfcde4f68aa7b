/** Draws from a seed: the same seed gives the same scene on every machine. */

export interface Random {
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** A new list in another order. */
  shuffled<T>(items: readonly T[]): T[];
  chance(probability: number): boolean;
  /** So many lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** A 32-bit mixer (Mulberry32): small, fast, and good enough for scenes. */
export const randomFrom = (seed: number): Random => {
  let state = (Math.trunc(seed) ^ 0x9e37_79b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick(items) {
      const found = items[between(0, items.length - 1)];
      if (found === undefined) throw new Error("pick from an empty list");
      return found;
    },
    shuffled(items) {
      const copy = [...items];
      for (let index = copy.length - 1; index > 0; index -= 1) {
        const other = between(0, index);
        [copy[index], copy[other]] = [copy[other]!, copy[index]!];
      }
      return copy;
    },
    chance: (probability) => next() < probability,
    hex: (digits) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join(""),
  };
};
