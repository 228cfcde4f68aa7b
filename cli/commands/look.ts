/** `status`, `threads`, `why`: one read, nothing written. */
import { findThreadIn, look, NO_PULL_REQUEST, threads as readThreads } from "../../index.js";
import type { Lifecycle, OutsideThread, RunRequest } from "../../index.js";
import {
  isNoPullRequest,
  noPullRequestDocument,
  ofReviewer,
  reviewerStates,
  statusDocument,
  threadsDocument,
  whyNotReadyDocument,
  whyStoppedDocument,
  whyThreadDocument,
} from "../documents.js";
import { on, requestOf, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor, oneLine, plural, safe, sha } from "../print/text.js";
import type { Colours } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";

/** Calls with the command line's request; Ctrl-C ends it. */
export const calling = async <T>(
  flags: Flags,
  reference: string | undefined,
  surroundings: Surroundings,
  call: (request: RunRequest) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const release = surroundings.onInterrupt(() => controller.abort());
  try {
    return await call({ ...requestOf(flags, reference, surroundings), signal: controller.signal });
  } finally {
    release();
  }
};

/** One JSON document with `--json`, else lines. */
export const print = (surroundings: Surroundings, flags: Flags, json: object, lines: (colours: Colours) => readonly string[]): void => {
  surroundings.stdout.write(
    on(flags, "json") ? `${JSON.stringify(json)}\n` : `${lines(coloursFor(surroundings.stdout, surroundings.environment)).join("\n")}\n`,
  );
};

export const standingLines = (standing: Pick<Lifecycle, "state" | "why" | "next">, colours: Colours): readonly string[] => [
  `${colours.bold(standing.state)}  ${safe(standing.why)}`,
  `next:  ${safe(standing.next)}`,
];

/** Undefined: the current branch has no pull request, and that was printed. */
export const orNoPullRequest = async <T>(
  flags: Flags,
  reference: string | undefined,
  surroundings: Surroundings,
  read: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await read();
  } catch (thrown) {
    if (!isNoPullRequest(thrown, reference)) throw thrown;
    print(surroundings, flags, noPullRequestDocument, (colours) => standingLines(NO_PULL_REQUEST, colours));
    return undefined;
  }
};

export const statusCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const found = await orNoPullRequest(flags, reference, surroundings, () => calling(flags, reference, surroundings, look));
  if (found === undefined) return 0;
  const { pullRequest } = found.inbox;
  const states = reviewerStates(found);
  const open = found.inbox.threads.filter((thread) => thread.open).length;
  print(surroundings, flags, statusDocument(found), (colours) => [
    `${colours.bold(`#${pullRequest.ref.number}`)} ${safe(pullRequest.title)}${pullRequest.draft ? colours.dim(" (draft)") : ""}`,
    ...standingLines(found, colours),
    ...(states.length === 0 ? [] : [states.map((line) => `${line.reviewer}=${line.state}`).join("  ")]),
    colours.dim(`head ${sha(pullRequest.head.sha)}, ${plural(found.inbox.threads.length, "thread")}, ${open} open`),
    ...found.blockers.map(
      (blocker) =>
        `  - ${oneLine(safe(blocker.detail), 150)} ${colours.dim(`[${blocker.code}; ${blocker.lift.name ?? blocker.lift.who}]`)}`,
    ),
    ...found.notes.map((note) => colours.dim(`  ${safe(note)}`)),
  ]);
  return 0;
};

const threadLine = (thread: OutsideThread, colours: Colours): readonly string[] => {
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
  const read = await calling(flags, reference, surroundings, (request) => readThreads({ ...request, closed: on(flags, "all") }));
  const shown = ofReviewer(read.threads, text(flags, "reviewer"));
  print(surroundings, flags, threadsDocument(read.look, shown), (colours) => [
    ...shown.flatMap((thread) => threadLine(thread, colours)),
    colours.dim(`${shown.length} of ${plural(read.look.inbox.threads.length, "thread")}`),
  ]);
  return 0;
};

const lines = (document: object): readonly string[] =>
  Object.entries(document)
    .filter(([key]) => key !== "schemaVersion" && key !== "question")
    .map(([key, value]) => `${`${key}:`.padEnd(10)} ${safe(typeof value === "string" ? value : JSON.stringify(value))}`);

/** `why not-ready | stopped | <thread>`. */
export const whyCommand = async (
  what: string,
  flags: Flags,
  reference: string | undefined,
  surroundings: Surroundings,
): Promise<number> => {
  if (what === "not-ready" || what === "stopped") {
    const found = await orNoPullRequest(flags, reference, surroundings, () => calling(flags, reference, surroundings, look));
    if (found === undefined) return 0;
    const document = what === "stopped" ? whyStoppedDocument(found) : whyNotReadyDocument(found);
    print(surroundings, flags, document, () => lines(document));
    return 0;
  }
  const read = await calling(flags, reference, surroundings, (request) => readThreads({ ...request, closed: true }));
  const { id } = findThreadIn(read.look.inbox.threads, what);
  const thread = read.threads.find((each) => each.id === id);
  const document = thread === undefined ? {} : whyThreadDocument(read.look, thread);
  print(surroundings, flags, document, () => lines(document));
  return 0;
};
