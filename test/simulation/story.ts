/** A day told line by line, for whoever has to find out why a seed failed. */
import type { Day, Fact } from "./facts.js";
import type { Violation } from "./checks.js";

const clip = (text: string): string =>
  text
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 100);

const told = (fact: Fact): string | undefined => {
  switch (fact.is) {
    case "world": {
      const { event } = fact;
      const who = fact.ours ? `we (${event.actor})` : event.actor;
      const body = "body" in event ? `: ${clip(event.body)}` : "";
      const thread = "thread" in event ? ` in the thread "${clip(event.thread.comments[0]?.body ?? "")}"` : "";
      const more =
        event.type === "pushed"
          ? ` ${event.after.slice(0, 10)}`
          : event.type === "review-requested"
            ? ` from ${event.login}`
            : event.type === "check-changed"
              ? ` ${event.conclusion ?? event.status}`
              : "";
      return `${who} ${event.type}${more}${thread}${body}`;
    }
    case "read":
      return fact.ok
        ? `  read: ${fact.picture.unmet.length === 0 ? "nothing holds the target" : fact.picture.unmet.map(clip).join("; ")}`
        : `  a read failed${fact.incomplete ? ": incomplete" : ""}`;
    case "entry": {
      const { at: _at, ...entry } = fact.entry;
      return `  journal: ${JSON.stringify(entry).slice(0, 200)}`;
    }
    case "sent":
      return `  sends ${fact.writes.map((write) => write.kind).join(", ")}`;
    case "gate":
      return `  the gate is ${fact.green ? "green" : "red"} on ${fact.tree.slice(0, 10)}`;
    case "start":
      return `process ${fact.process} starts${fact.looking ? ", only to look" : ""}${fact.beside ? ", beside another" : ""}`;
    case "killed":
      return `process ${fact.process} is killed: ${fact.effect}`;
    case "threw":
      return `process ${fact.process} threw: ${fact.problem}`;
    case "hung":
      return `process ${fact.process} hangs: ${fact.why}`;
    case "lost-journal":
      return "the journal is lost";
    case "end":
      return `process ${fact.process} ends: ${fact.report.stop ?? "parked"}, ${fact.report.detail}${fact.report.error === undefined ? "" : ` [${fact.report.error.code}] ${fact.report.error.message}`}; notes: ${fact.report.notes.join(" | ").slice(0, 300)}`;
  }
};

export const storyOf = (day: Day, violations: readonly Violation[]): string => {
  const start = day.facts[0]?.at ?? 0;
  const lines = day.facts.flatMap((fact) => {
    const line = told(fact);
    return line === undefined ? [] : [`${((fact.at - start) / 1000).toFixed(1).padStart(9)} s  ${line}`];
  });
  const most = 160;
  const shown =
    lines.length > most
      ? [...lines.slice(0, most / 2), `           ... ${lines.length - most} lines left out ...`, ...lines.slice(-most / 2)]
      : lines;
  return [
    `seed ${day.plan.seed}`,
    ...violations.map((each) => `  rule ${each.rule}, ${each.check}: ${each.detail}`),
    `plan: ${JSON.stringify(day.plan)}`,
    ...shown,
    `Again: npm run simulate -- --from ${day.plan.seed} --seeds 1`,
  ].join("\n");
};
