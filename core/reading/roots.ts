/** Pure: threads that are one point move together. */
import type { Decided, Decision, Thread, Triage } from "../model.js";

const list = (items: readonly Decided[]): string => items.map(({ thread, decision }) => `${decision.kind} ("${thread.title}")`).join(", ");

const torn = (items: readonly Decided[], root: string): Decision => ({
  kind: "judgment",
  why: `threads that make one point were judged in different ways: ${list(items)}`,
  reply: null,
  root,
  question: `Which of them holds: ${items.map(({ decision }) => decision.why).join(" / ")}`,
});

/**
 * The threads of a root get one decision, or all of them wait: for a person where they were judged in different ways, for the next
 * triage where one of them (`gone`) has no decision that can be used. A stranger's thread has no part in what becomes of the others.
 */
export const together = (triage: Triage, gone: readonly Decided[] = []): Triage => {
  const counts = (item: Decided): boolean => item.decision.root !== undefined && item.thread.trust === "trusted";
  const groups = new Map<string, readonly Decided[]>();
  for (const item of triage.decided.filter(counts)) {
    const root = item.decision.root ?? "";
    groups.set(root, [...(groups.get(root) ?? []), item]);
  }
  const lost = new Set(gone.filter(counts).map((item) => item.decision.root));
  const undecided: Thread[] = [...triage.undecided];
  const decided: Decided[] = [];
  for (const item of triage.decided) {
    const { root } = item.decision;
    const group = counts(item) ? (groups.get(root ?? "") ?? []) : [];
    if (root !== undefined && counts(item) && lost.has(root)) undecided.push(item.thread);
    else if (root !== undefined && new Set(group.map(({ decision }) => decision.kind)).size > 1)
      decided.push({ thread: item.thread, decision: torn(group, root) });
    else decided.push(item);
  }
  return { undecided, decided };
};
