/** The demo agent's judgement: each claim is held against the code before it is believed. */
import type { AgentThread, TriageAnswer } from "../../core/index.js";
import { RULES, SHORT_NAME } from "./claims.js";
import type { Rule, Spot } from "./claims.js";
import { claimOf } from "./reading.js";
import type { Place, Worktree } from "./reading.js";

type Judgement = TriageAnswer["decisions"][number];

const judgement = (thread: AgentThread, kind: Judgement["kind"], why: string, more: Partial<Judgement> = {}): Judgement => ({
  thread: thread.id,
  kind,
  why,
  reply: null,
  root: null,
  question: null,
  ...more,
});

export interface Held {
  readonly rule: Rule;
  readonly spot: Spot;
}

/** The first claim in the text that holds for the function. */
export const heldClaim = (text: string, place: Place): Held | undefined => {
  for (const rule of RULES) {
    if (!rule.says.test(text)) continue;
    const spot = rule.holds(place.function);
    if (spot !== undefined) return { rule, spot };
  }
  return undefined;
};

const lineAt = (place: Place, offset: number): string =>
  `line ${place.function.start + offset} of \`${place.path}\` reads \`${(place.function.lines[offset] ?? "").trim().replaceAll("`", "'")}\``;

/** A line that contradicts one of the claims, for the answer. */
const contradiction = (text: string, place: Place): { readonly rule: Rule; readonly offset: number } | undefined => {
  for (const rule of RULES) {
    if (!rule.says.test(text) || rule.contradicted === undefined) continue;
    const offset = place.function.lines.findIndex((line) => rule.contradicted?.test(line) === true);
    if (offset >= 0) return { rule, offset };
  }
  return undefined;
};

const sentences = (text: string): readonly string[] => text.split(/(?<=[.?!])\s+/).map((sentence) => sentence.trim());
const TRADE_OFF = /trade-?off|(?:maintainers?|owners?|team) (?:should|must|has to|have to) decide|up to the maintainers?/i;
const NITPICK = /\bnit(?:pick)?\b|says little|hard to read|longer name|naming/i;

/** Answers a question from what stands in the repository; undefined where nothing there answers it. */
const answerFrom = (text: string, place: Place | undefined, worktree: Worktree): string | undefined => {
  if (/\bchecks?\b|\btests?\b/i.test(text) && /\bhow\b/i.test(text)) {
    const found = /`([^`\n]*\bcheck[^`\n]*)`/.exec(worktree.read("README.md") ?? "")?.[1];
    if (found !== undefined) return `With \`${found}\` in a checkout of the branch, as the README says; it needs nothing else.`;
  }
  if (/\bpackages?\b|\bnpm\b|dependenc/i.test(text)) {
    const manifest = JSON.parse(worktree.read("package.json") ?? "{}") as { dependencies?: Record<string, string> };
    const names = Object.keys(manifest.dependencies ?? {});
    return names.length === 0
      ? "It runs as it is: `package.json` names no dependencies."
      : `It needs ${names.map((name) => `\`${name}\``).join(", ")}, as \`package.json\` says.`;
  }
  if (place !== undefined && place.function.comment !== "") {
    return `The comment above \`${place.function.name}\` gives the reason: "${place.function.comment}"`;
  }
  return undefined;
};

/** What to make of one thread. */
export const judge = (thread: AgentThread, worktree: Worktree): Judgement => {
  const text = claimOf(thread);
  const place = worktree.placeOf(thread);
  const asked = sentences(text).findLast((sentence) => sentence.endsWith("?"));
  if (TRADE_OFF.test(text)) {
    return judgement(thread, "judgment", "it asks to choose between two ways that both have a price, which the code can't answer", {
      question: asked ?? "Which of the two ways is wanted?",
    });
  }
  if (place !== undefined) {
    const held = heldClaim(text, place);
    if (held !== undefined) return judgement(thread, "actionable", `${held.rule.name}: ${lineAt(place, held.spot.at)}`);
    const short = place.function.lines.findIndex((line) => SHORT_NAME.test(line));
    if (NITPICK.test(text) && short >= 0) {
      const name = SHORT_NAME.exec(place.function.lines[short] ?? "")?.[1] ?? "it";
      const uses = place.function.lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line)).length;
      return judgement(thread, "nitpick", `the name \`${name}\` is a matter of taste`, {
        reply: `\`${name}\` is used in ${uses} lines of \`${place.function.name}\`, all next to each other, so I leave the name as it is.`,
      });
    }
    const against = contradiction(text, place);
    if (against !== undefined) {
      return judgement(thread, "false-positive", `${against.rule.name} does not hold: ${lineAt(place, against.offset)}`, {
        reply: `This is handled: ${lineAt(place, against.offset)}. Nothing to change.`,
      });
    }
  }
  if (asked !== undefined) {
    const answer = answerFrom(text, place, worktree);
    if (answer !== undefined)
      return judgement(thread, "informational", "it is a question, and the repository answers it", { reply: answer });
    return judgement(thread, "judgment", "it is a question that nothing in the repository answers", { question: asked });
  }
  if (thread.source === "comment" || thread.source === "review") {
    return judgement(thread, "informational", "it asks for nothing");
  }
  return judgement(thread, "judgment", "it could not be held against the code", { question: "What is to be changed here?" });
};
