/** The demo agent's edits. Each one is a small change to one function; a red gate is read for what it says. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentThread, FixAnswer } from "../../core/index.js";
import { functionsOf } from "../reviewers/source.js";
import { SHORT_NAME } from "./claims.js";
import { heldClaim } from "./judge.js";
import { claimOf, withFunction } from "./reading.js";
import type { Worktree } from "./reading.js";

type Changed = FixAnswer["changed"][number];
type Outcome = { readonly changed: Changed } | { readonly why: string };

const put = (worktree: Worktree, path: string, text: string): void => writeFileSync(join(worktree.root, path), text);

/** Digits in groups of three, as the code around writes them. */
const grouped = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, "_");

/** `await` in a function that can't wait: node names file and line. The function becomes one that can. */
const letItWait = (output: string, worktree: Worktree): Changed | undefined => {
  if (!/SyntaxError: (?:Unexpected reserved word|await is only valid)/.test(output)) return undefined;
  for (const match of output.matchAll(/(src\/[\w./-]+\.m?js):(\d+)/g)) {
    const path = match[1] ?? "";
    const text = worktree.read(path);
    const found =
      text === undefined ? undefined : functionsOf(text).find((each) => each.start <= Number(match[2]) && Number(match[2]) <= each.end);
    if (text === undefined || found === undefined || /\basync\b/.test(found.lines[0] ?? "")) continue;
    const lines = [(found.lines[0] ?? "").replace("function", "async function"), ...found.lines.slice(1)];
    put(worktree, path, withFunction({ path, text, function: found }, lines));
    return { thread: "", summary: `\`${found.name}\` is async now: it has to wait for the store.`, files: [path] };
  }
  return undefined;
};

/** A number above a limit that a check knows: the limit is what it may be. */
const keepToLimit = (output: string, worktree: Worktree): Changed | undefined => {
  const said = /(src\/[\w./-]+\.m?js): (\w+) .*at most (\d+), got (\d+)/.exec(output);
  if (said === null) return undefined;
  const [, path = "", name = "", limit = "", got = ""] = said;
  const text = worktree.read(path);
  const found = text === undefined ? undefined : functionsOf(text).find((each) => each.name === name);
  if (text === undefined || found === undefined) return undefined;
  const number = new RegExp(`\\b${got.split("").join("_?")}\\b`);
  const lines = found.lines.map((line) => line.replace(number, grouped(limit)));
  if (lines.every((line, index) => line === found.lines[index])) return undefined;
  put(worktree, path, withFunction({ path, text, function: found }, lines));
  return { thread: "", summary: `\`${name}\` keeps to the limit of ${limit} that the checks know.`, files: [path] };
};

const repairGate = (thread: AgentThread, worktree: Worktree): Outcome => {
  const output = thread.comments.map((comment) => comment.body).join("\n");
  const changed = letItWait(output, worktree) ?? keepToLimit(output, worktree);
  return changed === undefined
    ? { why: "the gate's output names nothing that I know how to mend" }
    : { changed: { ...changed, thread: thread.id } };
};

const rename = (thread: AgentThread, worktree: Worktree): Outcome | undefined => {
  const place = worktree.placeOf(thread);
  const name = place?.function.lines.map((line) => SHORT_NAME.exec(line)?.[1]).find((found) => found !== undefined);
  if (place === undefined || name === undefined) return undefined;
  const lines = place.function.lines.map((line) => line.replaceAll(new RegExp(`\\b${name}\\b`, "g"), "values"));
  put(worktree, place.path, withFunction(place, lines));
  return { changed: { thread: thread.id, summary: `\`${name}\` is called \`values\` now.`, files: [place.path] } };
};

/** Repairs what one thread asks for; the files are read anew each time, as the edit before may have moved lines. */
export const repair = (thread: AgentThread, worktree: Worktree): Outcome => {
  if (thread.source === "gate" || thread.source === "check") return repairGate(thread, worktree);
  const place = worktree.placeOf(thread);
  if (place === undefined) return { why: "I found no function that this speaks of" };
  const held = heldClaim(claimOf(thread), place);
  if (held === undefined) return rename(thread, worktree) ?? { why: `\`${place.function.name}\` is not like that any more` };
  put(worktree, place.path, withFunction(place, held.rule.repair(place.function.lines, held.spot)));
  return { changed: { thread: thread.id, summary: held.rule.done(held.spot, place.function), files: [place.path] } };
};
