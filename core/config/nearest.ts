/** The nearest valid word to a misspelt one. */

/** How many letters must be added, dropped, replaced or swapped with their neighbour to turn one word into the other. */
export const editDistance = (from: string, to: string): number => {
  let before: number[] = [];
  let last: number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let cost = Math.min((next[column - 1] ?? 0) + 1, (last[column] ?? 0) + 1, (last[column - 1] ?? 0) + same);
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      next.push(cost);
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
};

const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The most similar of the known words, or undefined where none is similar enough to be meant. Case, `_` and `-` don't count. */
export const nearest = (word: string, known: Iterable<string>): string | undefined => {
  const wanted = plain(word);
  let best: { readonly name: string; readonly distance: number } | undefined;
  // Longer texts are no misspelling, and the table grows with both lengths.
  if (wanted.length === 0 || wanted.length > 60) return undefined;
  for (const name of known) {
    const distance = editDistance(wanted, plain(name));
    if (distance <= Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3)) && (best === undefined || distance < best.distance))
      best = { name, distance };
  }
  return best?.name;
};
