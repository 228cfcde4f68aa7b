/** `read-body`: one JSON object a line in, one out, in the same order; a line that can't be read gives an `error` in its place. */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { readBody, ReviewloopError, resolveHere } from "../../index.js";
import type { BodyInput, ReviewerFacts } from "../../index.js";
import type { Surroundings } from "../surroundings.js";
import { requestOf } from "../flags.js";
import type { Flags } from "../flags.js";

const inputOf = (line: string): BodyInput | string => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return "is not JSON";
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return "is not an object";
  const { source, login_rest: login, author_type: type, body, head } = parsed as Readonly<Record<string, unknown>>;
  if (typeof body !== "string") return 'has no text in "body"';
  if (typeof source !== "string") return 'has no "source" (issue_comment, review, thread, pr_body, check)';
  if (login !== null && typeof login !== "string") return 'has no "login_rest" (null for a deleted account)';
  return { source, login_rest: login, author_type: typeof type === "string" ? type : null, body, head: typeof head === "string" ? head : null };
};

export const readBodyCommand = async (flags: Flags, file: string | undefined, surroundings: Surroundings): Promise<number> => {
  const resolved = await resolveHere(requestOf(flags, undefined, surroundings));
  const reviewers = resolved.plugins.flatMap((plugin): readonly ReviewerFacts[] => (plugin.reviewer === undefined ? [] : [plugin.reviewer]));
  const input = file === undefined ? surroundings.stdin : createReadStream(resolve(surroundings.folder, file), "utf8");
  let number = 0;
  let bad = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() === "") continue;
      const read = inputOf(line);
      if (typeof read === "string") bad += 1;
      surroundings.stdout.write(`${JSON.stringify(typeof read === "string" ? { error: `line ${number} ${read}` } : readBody(reviewers, read))}\n`);
    }
  } catch (cause) {
    throw new ReviewloopError("USAGE", { problem: `${file ?? "standard input"} can't be read`, command: "read-body" }, { cause });
  }
  return bad === 0 ? 0 : 3;
};
