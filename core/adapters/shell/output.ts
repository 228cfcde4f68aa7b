/** What a command prints: redacted before it is kept or written, capped in memory and on disk. */
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import type { Redact } from "../../redact.js";

/** A line may be endless (a progress bar, a bundle); beyond this it is cut at a place where no token can stand. */
const LONGEST_PENDING = 64 * 1024;
const CUT_WITHIN = 4096;

/** Where the text may be cut so that no secret is torn: after a whole line, and never inside a private key. */
const safeEnd = (text: string): number => {
  const line = text.lastIndexOf("\n") + 1;
  const key = text.lastIndexOf("-----BEGIN ");
  const open = key >= 0 && text.indexOf("-----END ", key) < 0;
  const end = open ? Math.min(line, key) : line;
  if (end > 0 || text.length <= LONGEST_PENDING) return end;
  for (let at = text.length - 1; at > text.length - CUT_WITHIN; at -= 1) if (!/[\w\-+/=.%]/.test(text[at] ?? "")) return at + 1;
  return text.length;
};

/** Turns the chunks of one stream into clean text. Each stream needs one of its own: chunks of two streams break each other's lines. */
export const cleaner = (redact: Redact, emit: (text: string) => void): { push(chunk: Buffer): void; end(): void } => {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  const flush = (end: number): void => {
    if (end === 0) return;
    emit(redact(stripVTControlCharacters(pending.slice(0, end))));
    pending = pending.slice(end);
  };
  return {
    push(chunk) {
      pending += decoder.write(chunk);
      flush(safeEnd(pending));
    },
    end() {
      pending += decoder.end();
      // The other stream may go on: its next line must not be glued to this end.
      if (pending !== "") pending += "\n";
      flush(pending.length);
    },
  };
};

/** Keeps the end of a text: at most so many characters and lines. */
export const tail = (characters: number, lines: number): { add(text: string): void; text(): string } => {
  let kept = "";
  return {
    add(text) {
      kept += text;
      // Cutting at twice the size keeps the cost linear.
      if (kept.length > 2 * characters) kept = kept.slice(-characters);
    },
    text() {
      return kept.slice(-characters).trimEnd().split("\n").slice(-lines).join("\n");
    },
  };
};
