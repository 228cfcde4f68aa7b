/** Pure: does a refine handler give back what it was given? One line about the first thing that is missing. */
import type { Asks, Draft, Inbox, Phase, Plugin, Report, Snapshot, Triage, Work, Write } from "../../core/index.js";
import { brief, sameJson } from "./contract.js";
import type { Inputs } from "./contract-inputs.js";

/** The read itself: nobody changes what GitHub said. */
const READ = [
  "readAt",
  "viewer",
  "pullRequest",
  "reviewThreads",
  "reviews",
  "comments",
  "checks",
  "requests",
  "timeline",
] as const satisfies readonly (keyof Snapshot)[];

const list = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

const lost = (what: string, before: readonly unknown[], after: unknown): string | undefined => {
  const found = list(after);
  if (found === undefined) return `returns no list of ${what}`;
  const missing = before.find((each) => !found.some((other) => sameJson(each, other)));
  return missing === undefined ? undefined : `loses or changes ${what} that it was given: ${brief(missing)}`;
};

/** A reviewer takes its own posts out of the list: what they say becomes threads of its own. Everything else stays. */
const keepsInbox = (before: Inbox, after: Inbox, plugin: Plugin): string | undefined => {
  const changed = READ.find((key) => !sameJson(before[key], after[key]));
  if (changed !== undefined) return `changes ${changed}, which is what GitHub said`;
  const threads = list(after.threads) as Inbox["threads"] | undefined;
  if (threads === undefined) return "returns an inbox without threads";
  const own = plugin.reviewer?.identities.flatMap((identity) => identity.logins) ?? [];
  const gone = before.threads.find(
    (thread) => (thread.source === "inline" || !own.includes(thread.author.login)) && !threads.some((other) => other.id === thread.id),
  );
  if (gone !== undefined) return `loses the thread ${gone.id} of ${gone.author.login}`;
  const reopened = before.threads.find(
    (thread) => thread.source === "inline" && threads.some((other) => other.id === thread.id && other.open !== thread.open),
  );
  if (reopened !== undefined)
    return `says that the inline thread ${reopened.id} is ${reopened.open ? "closed" : "open"}; GitHub says otherwise`;
  return (
    lost(
      "signals",
      before.signals.filter((signal) => signal.reviewer !== plugin.name),
      after.signals,
    ) ??
    lost("parties", before.parties, after.parties) ??
    lost("notes", before.notes, after.notes)
  );
};

const ids = (triage: Triage): readonly string[] =>
  [...triage.undecided.map((thread) => thread.id), ...triage.decided.map((item) => item.thread.id)].sort();

const keepsTriage = (before: Triage, after: Triage): string | undefined => {
  if (list(after.undecided) === undefined || list(after.decided) === undefined) return "returns no triage";
  if (!sameJson(ids(before), ids(after)))
    return `has ${ids(after).length} threads where it was given ${ids(before).length}, or others, or one twice`;
  const changed = before.decided.find(
    (item) =>
      !after.decided.some(
        (other) => other.thread.id === item.thread.id && (other.decision.kind === "judgment" || sameJson(other.decision, item.decision)),
      ),
  );
  return changed === undefined
    ? undefined
    : `changes the decision of another plugin for ${changed.thread.id} to something else than judgment`;
};

const keepsWork = (before: Work, after: Work): string | undefined => {
  if (list(after.todo) === undefined || list(after.done) === undefined) return "returns no work";
  const all = (work: Work): readonly string[] => [...work.todo, ...work.done].map((item) => item.thread.id).sort();
  if (!sameJson(all(before), all(after))) return "loses, invents or doubles an item";
  return lost("done items", before.done, after.done);
};

const keepsReport = (before: Report, after: Report): string | undefined => {
  const missing = Object.entries(before).find(([key, value]) => {
    const now = (after as unknown as Readonly<Record<string, unknown>>)[key];
    return Array.isArray(value) ? lost(key, value, now) !== undefined : !sameJson(value, now);
  });
  return missing === undefined ? undefined : `loses or changes ${missing[0]} of the report`;
};

const REPORT_WRITES: ReadonlySet<string> = new Set<Write["kind"]>(["comment", "edit-comment", "command"]);

/** `undefined` = everything is still there. `plugin`: whose handler it was. */
export const keeps = (phase: Phase, inputs: Inputs, returned: unknown, plugin: Plugin): string | undefined => {
  if (returned === undefined || returned === null || typeof returned !== "object")
    return `returns ${brief(returned)} instead of the value it was given`;
  switch (phase) {
    case "gate":
      return lost("evidence", inputs.gate[0], returned);
    case "fetch":
      return keepsInbox(inputs.fetch[0], returned as Inbox, plugin);
    case "triage":
      return keepsTriage(inputs.triage[0], returned as Triage);
    case "fix":
      return keepsWork(inputs.fix[0], returned as Work);
    case "reply": {
      const draft = returned as Draft;
      if (draft.thread?.id !== inputs.reply[0].thread.id) return "answers another thread than the one it was given";
      return sameJson(draft.decision, inputs.reply[0].decision) ? undefined : "changes the decision that it words";
    }
    case "rerequest": {
      const [before] = inputs.rerequest;
      const asks = returned as Asks;
      return (
        lost("requests", before.requests, asks.requests) ?? lost("waits", before.waits, asks.waits) ?? lost("tidy", before.tidy, asks.tidy)
      );
    }
    case "check":
      return lost("blockers", inputs.check[0], returned);
    case "report": {
      const { report, writes } = returned as { readonly report?: Report; readonly writes?: readonly Write[] };
      if (report === undefined) return "returns no report";
      const wrong = list(writes)?.find((write) => !REPORT_WRITES.has((write as Write).kind));
      if (wrong !== undefined)
        return `leaves a ${(wrong as Write).kind} behind; a report handler may comment, edit its comment or run a command`;
      return keepsReport(inputs.report[0].report, report) ?? lost("writes", inputs.report[0].writes, writes);
    }
    default:
      return undefined;
  }
};
