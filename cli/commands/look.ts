/** `status`, `threads`, `report`: one read, nothing written. */
import { look, reportOfLook } from "../../index.js";
import type { Look, Thread } from "../../index.js";
import { on, requestOf, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor, oneLine, plural, safe, sha } from "../print/text.js";
import type { Colours } from "../print/text.js";
import { reportText } from "../print/report.js";
import type { Surroundings } from "../surroundings.js";

const looking = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<Look> => {
  const controller = new AbortController();
  const release = surroundings.onInterrupt(() => controller.abort());
  try {
    return await look({ ...requestOf(flags, reference, surroundings), signal: controller.signal, all: false });
  } finally {
    release();
  }
};

const print = (surroundings: Surroundings, flags: Flags, json: object, text: (colours: Colours) => readonly string[]): void => {
  surroundings.stdout.write(
    on(flags, "json") ? `${JSON.stringify(json)}\n` : `${text(coloursFor(surroundings.stdout, surroundings.environment)).join("\n")}\n`,
  );
};

const reviewersOf = (found: Look): readonly { readonly reviewer: string; readonly state: string }[] =>
  found.inbox.parties
    .filter((party) => party.seen || party.required)
    .map((party) => ({
      reviewer: party.reviewer,
      state: found.inbox.signals.find((signal) => signal.reviewer === party.reviewer)?.state ?? "absent",
    }));

export const statusCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const found = await looking(flags, reference, surroundings);
  const { pullRequest } = found.inbox;
  const reviewers = reviewersOf(found);
  const open = found.inbox.threads.filter((thread) => thread.open).length;
  const json = {
    schemaVersion: 1,
    state: found.state,
    why: found.why,
    next: found.next,
    pullRequest: { url: pullRequest.url, number: pullRequest.ref.number, title: pullRequest.title, draft: pullRequest.draft },
    head: pullRequest.head.sha,
    threads: { total: found.inbox.threads.length, open },
    reviewers,
    blockers: found.blockers.map(({ code, by, detail, lift, thread, url }) => ({
      code,
      by,
      detail,
      who: lift.who,
      ...(lift.name === undefined ? {} : { name: lift.name }),
      ...(thread === undefined ? {} : { thread }),
      ...(url === undefined ? {} : { url }),
    })),
    waits: found.waits,
    notes: found.notes,
  };
  print(surroundings, flags, json, (colours) => [
    `${colours.bold(`#${pullRequest.ref.number}`)} ${safe(pullRequest.title)}${pullRequest.draft ? colours.dim(" (draft)") : ""}`,
    `${colours.bold(found.state)}  ${safe(found.why)}`,
    `next:  ${safe(found.next)}`,
    ...(reviewers.length === 0 ? [] : [reviewers.map((line) => `${line.reviewer}=${line.state}`).join("  ")]),
    colours.dim(`head ${sha(pullRequest.head.sha)}, ${plural(found.inbox.threads.length, "thread")}, ${open} open`),
    ...found.blockers.map(
      (blocker) =>
        `  - ${oneLine(safe(blocker.detail), 150)} ${colours.dim(`[${blocker.code}; ${blocker.lift.name ?? blocker.lift.who}]`)}`,
    ),
    ...found.notes.map((note) => colours.dim(`  ${safe(note)}`)),
  ]);
  return 0;
};

const threadLine = (thread: Thread, colours: Colours): readonly string[] => {
  const where =
    thread.place === undefined
      ? thread.source
      : `${thread.place.path}${thread.place.line === undefined ? "" : `:${thread.place.line}`}${thread.place.outdated ? " (outdated)" : ""}`;
  const state = thread.open ? (thread.answered ? "answered" : "open") : (thread.closed ?? "closed");
  return [
    `${thread.open ? colours.yellow(state) : colours.dim(state)}  ${colours.bold(oneLine(safe(thread.title), 110))}`,
    colours.dim(
      `    ${thread.reviewer ?? thread.author.login}  ${thread.severity === "unknown" ? "" : `${thread.severity}  `}${where}  ${thread.url}`,
    ),
  ];
};

export const threadsCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const found = await looking(flags, reference, surroundings);
  const reviewer = text(flags, "reviewer");
  const threads = found.inbox.threads.filter(
    (thread) => (on(flags, "all") || thread.open) && (reviewer === undefined || thread.reviewer === reviewer),
  );
  const json = { schemaVersion: 1, head: found.inbox.pullRequest.head.sha, total: found.inbox.threads.length, threads };
  print(surroundings, flags, json, (colours) => [
    ...threads.flatMap((thread) => threadLine(thread, colours)),
    colours.dim(`${threads.length} of ${plural(found.inbox.threads.length, "thread")}`),
  ]);
  return 0;
};

export const reportCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const report = reportOfLook(await looking(flags, reference, surroundings));
  surroundings.stdout.write(
    on(flags, "json") ? `${JSON.stringify(report)}\n` : reportText(report, coloursFor(surroundings.stdout, surroundings.environment)),
  );
  return 0;
};
