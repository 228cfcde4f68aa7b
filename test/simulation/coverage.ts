/** What ten thousand days must have in them: each fault, crash point, stop, decision, write, deed of others, target and reviewer. */
import { STOPS } from "../../core/index.js";
import { FAULTS } from "../../sandbox/kit/index.js";
import { EFFECTS, OUTSIDE } from "./plan.js";

/**
 * Not here: the in-memory ports have no pages, cursors, query costs, spellings and slow lines, and what reviewers post of their own accord is drawn
 * with the bots. `test/faults` has each of them, over HTTP.
 */
const ELSEWHERE = new Set(
  `slow-answer resource-limit page-size cursor-expires bad-gateway-midway older-server no-review-endpoint bot-spelling merge-state-waits
   late-branch-update head-repository-gone quota-review review-for-old-head`.split(/\s+/u),
);
/** Stops that nothing in these presets and this world leads to, each with its reason. */
export const UNREACHED: Readonly<Record<string, string>> = {
  "auth-failed": "the in-memory forge has no sign-in; the command line's tests have it",
  "poll-error": "a forge that stays away throws out of the pulse as poll-error only through the adapter",
  "ci-error": "no tool in the presets reports a failing CI service",
  skipped: "nothing in the presets needs a capability that this forge lacks",
};
const DECISIONS = ["actionable", "informational", "false-positive", "nitpick", "judgment"];
const WRITES = ["commented", "issue-opened", "minimised", "pushed", "ready", "replied", "resolved", "review-requested"];
export const EXPECTED: readonly string[] = [
  ...WRITES.map((type) => `write:${type}`),
  ...FAULTS.filter((fault) => !ELSEWHERE.has(fault.name)).map((fault) => `fault:${fault.name}`),
  ...EFFECTS.map((effect) => `crash:${effect}`),
  ...OUTSIDE.map((kind) => `outside:${kind}`),
  ...STOPS.filter((stop) => UNREACHED[stop] === undefined).map((stop) => `stop:${stop}`),
  ...DECISIONS.map((kind) => `decision:${kind}`),
  ...["review-clean", "merge-ready", "open-for-review", "draft-to-ready"].map((target) => `met:${target}`),
  ...["greptile", "copilot", "devin"].map((reviewer) => `reviewed by:${reviewer}`),
  "stop:parked",
  "clock jump",
  "clock jump back",
  "journal lost",
];
/** From this many seeds on each of these must have occurred. */
export const ENOUGH = 10_000;

/** What must have occurred in so many seeds, and did not. */
export const neverOccurred = (counts: ReadonlyMap<string, number>, seeds: number): readonly string[] =>
  seeds < ENOUGH ? [] : EXPECTED.filter((what) => !counts.has(what));
