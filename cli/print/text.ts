/** Small helpers for what people read on a terminal. */
import picocolors from "picocolors";
import type { Output } from "../surroundings.js";

export type Colours = ReturnType<typeof picocolors.createColors>;

export const coloursFor = (output: Output, environment: Readonly<Record<string, string | undefined>>): Colours => {
  const wanted = environment["FORCE_COLOR"] !== undefined && environment["FORCE_COLOR"] !== "0";
  const off = environment["NO_COLOR"] !== undefined || environment["TERM"] === "dumb";
  return picocolors.createColors(wanted || (output.isTTY === true && !off));
};

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

/** Control characters of foreign text never reach the terminal. */
export const safe = (text: string): string =>
  text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "").replaceAll(/[\u200B-\u200F\u202A-\u202E\u2066-\u2069]/g, "");
