/** Small helpers for what people read on a terminal. */
import picocolors from "picocolors";
import type { Output } from "../surroundings.js";

export type Colours = ReturnType<typeof picocolors.createColors>;

export const coloursFor = (output: Output, environment: Readonly<Record<string, string | undefined>>): Colours => {
  const wanted = environment["FORCE_COLOR"] !== undefined && environment["FORCE_COLOR"] !== "0";
  const off = environment["NO_COLOR"] !== undefined || environment["TERM"] === "dumb";
  return picocolors.createColors(wanted || (output.isTTY === true && !off));
};

/** Columns to write in: the terminal's; elsewhere nothing wraps, and nothing has to fit. */
export const widthOf = ({ isTTY, columns }: Output): number =>
  isTTY === true && columns !== undefined && columns > 0 ? Math.max(40, columns) : Number.POSITIVE_INFINITY;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** One line of at most `width` characters. */
export const oneLine = (text: string, width: number): string => {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > width ? `${flat.slice(0, Math.max(1, width - 1))}…` : flat;
};

export const seconds = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const whole = Math.round(milliseconds / 1000);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
};

export const sha = (id: string): string => id.slice(0, 10);

/** Code points that show nothing or move the cursor: control characters but tab and line feed, zero-width and direction marks. */
const HIDDEN: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
];

/** Control characters of foreign text never reach the terminal. */
export const safe = (text: string): string =>
  Array.from(text)
    .filter((character) => !HIDDEN.some(([from, to]) => (character.codePointAt(0) ?? 0) >= from && (character.codePointAt(0) ?? 0) <= to))
    .join("");
