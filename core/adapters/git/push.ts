/** What came of a push, read from git's words. Pure. */
import type { RefusalCode } from "../../model.js";
import { wordsOf } from "./command.js";
import { troubleOf } from "./remote.js";

export type PushReading =
  | { readonly kind: "accepted" }
  | { readonly kind: "refused"; readonly code: RefusalCode; readonly words: string }
  /** Nothing was sent: the server doesn't know us. */
  | { readonly kind: "sign-in"; readonly words: string }
  /** The answer was lost; only the remote head can tell. */
  | { readonly kind: "unknown"; readonly words: string };

/** Reasons in the parentheses of `! [rejected] (...)`: somebody else was first. */
const MOVED =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to (?:lock|update ref)|incorrect old value|reference already exists|remote ref updated since checkout|needs force/i;
/** Remote hooks and rules; git names no reason of its own for them. */
const RULE = /hook declined|protected branch|rule violation|GH0\d\d|refusing|denied|not permitted|prohibited|deny|locked/i;

/** What a person wants to read of it: the server's own lines, then the status. */
const said = (stdout: string, stderr: string): string => {
  const status = stdout.split("\n").filter((line) => line.startsWith("!"));
  const remote = wordsOf(stderr)
    .split("\n")
    .filter((line) => /^(?:remote|fatal|error):/.test(line))
    .map((line) => line.replace(/^remote:\s*/, "").trim())
    .filter((line) => line !== "");
  return [...remote, ...status.map((line) => line.split("\t").at(-1) ?? line)].join("; ").slice(0, 1000);
};

/** Reads exit code and output of `git push --porcelain` of one ref. */
export const readPush = (code: number, stdout: string, stderr: string): PushReading => {
  const words = said(stdout, stderr) || wordsOf(stderr) || `git push ended with exit code ${code}`;
  if (code === 0) return { kind: "accepted" };
  const rejected = /^!\t.*\t\[(?:remote )?(?:rejected|failure)\](.*)$/m.exec(stdout);
  if (rejected !== null) {
    const reason = rejected[1] ?? "";
    if (MOVED.test(reason)) return { kind: "refused", code: "head-moved", words };
    if (/\[remote failure\]/.test(rejected[0]) && !RULE.test(words)) return { kind: "unknown", words };
    return { kind: "refused", code: "forbidden", words };
  }
  const trouble = troubleOf(stderr);
  if (trouble === "sign-in") return { kind: "sign-in", words };
  if (trouble === "forbidden") return { kind: "refused", code: "forbidden", words };
  if (trouble === "not-found") return { kind: "refused", code: "not-found", words };
  return { kind: "unknown", words };
};
