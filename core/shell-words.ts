/** A word as a shell reads it back: plain where it can be, else in quotes. Pure. */
export const shellWord = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
