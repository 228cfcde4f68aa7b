/** `reply`, `resolve`, `request`, `ready`, `wait`: one order each, and where it stands after it. Exit 1: it was not done. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { look, ready, reply, requestReview, resolveOne, ReviewloopError, wait } from "../../index.js";
import type { Acted, DecisionKind } from "../../index.js";
import { actedDocument, requestsDocument, waitedDocument } from "../documents.js";
import { milliseconds, on, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { progressPrinter } from "../print/progress.js";
import { standingLines } from "../print/standing.js";
import { safe } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { calling, orNoPullRequest, print } from "./look.js";

const tell = (acted: Acted, flags: Flags, surroundings: Surroundings): number => {
  print(surroundings, flags, actedDocument(acted), (colours) => [
    // A refusal of ready is the state, which follows.
    ...(acted.detail.startsWith(`${acted.standing.state}:`)
      ? [colours.yellow("not done")]
      : [`${acted.done ? colours.green("done") : colours.yellow("not done")}  ${safe(acted.detail)}`]),
    ...acted.results.flatMap((result) => (result.url === undefined ? [] : [colours.dim(`      ${result.url}`)])),
    ...standingLines(acted.standing, colours),
  ]);
  return acted.done ? 0 : 1;
};

const bodyOf = async (flags: Flags, surroundings: Surroundings): Promise<string> => {
  const [body, file] = [text(flags, "body"), text(flags, "file")];
  if ((body === undefined) === (file === undefined))
    throw new ReviewloopError("USAGE", {
      problem: "Give the answer with --body TEXT or --file FILE (- is standard input).",
      command: "reply",
    });
  if (body !== undefined) return body;
  if (file === "-") return readAll(surroundings.stdin);
  try {
    return await readFile(resolve(surroundings.folder, file ?? ""), "utf8");
  } catch (cause) {
    throw new ReviewloopError("USAGE", { problem: `${file} can't be read.`, command: "reply" }, { cause });
  }
};

export const replyCommand = async (
  thread: string,
  flags: Flags,
  reference: string | undefined,
  surroundings: Surroundings,
): Promise<number> => {
  const body = await bodyOf(flags, surroundings);
  const decision = text(flags, "decision") as DecisionKind | undefined;
  const order = { thread, body, ...(decision === undefined ? {} : { decision }) };
  return tell(await calling(flags, reference, surroundings, (request) => reply({ ...request, ...order })), flags, surroundings);
};

export const resolveCommand = async (
  thread: string,
  flags: Flags,
  reference: string | undefined,
  surroundings: Surroundings,
): Promise<number> =>
  tell(await calling(flags, reference, surroundings, (request) => resolveOne({ ...request, thread })), flags, surroundings);

const showRequests = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const document = requestsDocument(await calling(flags, reference, surroundings, look), text(flags, "reviewer"));
  print(surroundings, flags, document, (colours) =>
    document.reviewers.length === 0
      ? ["no reviewer takes part here"]
      : document.reviewers.flatMap(({ reviewer, state, awaited, asked }) => [
          `${colours.bold(reviewer)}  ${state}  ${colours.dim(awaited ? "awaited" : "not awaited")}`,
          ...(asked === undefined ? [] : [colours.dim(`    asked ${asked.at} by ${asked.by}: ${asked.outcome}`)]),
        ]),
  );
  return 0;
};

export const requestCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  if (on(flags, "show")) return showRequests(flags, reference, surroundings);
  const reviewer = text(flags, "reviewer");
  const order = { cancel: on(flags, "cancel"), ...(reviewer === undefined ? {} : { reviewer }) };
  return tell(await calling(flags, reference, surroundings, (request) => requestReview({ ...request, ...order })), flags, surroundings);
};

export const readyCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> =>
  tell(await calling(flags, reference, surroundings, (request) => ready({ ...request, undo: on(flags, "undo") })), flags, surroundings);

export const waitCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const [timeout, poll] = [milliseconds(flags, "timeout"), milliseconds(flags, "poll")];
  const printer = progressPrinter(surroundings, on(flags, "quiet") ? "quiet" : "normal");
  const onProgress: typeof printer.on = (event) => {
    if (event.type === "waiting" || event.type === "write") printer.on(event);
  };
  const times = { ...(timeout === undefined ? {} : { timeout }), ...(poll === undefined ? {} : { poll }) };
  try {
    const waited = await orNoPullRequest(flags, reference, surroundings, () =>
      calling(flags, reference, surroundings, (request) => wait({ ...request, ...times, onProgress })),
    );
    printer.end();
    if (waited === undefined) return 0;
    print(surroundings, flags, waitedDocument(waited), (colours) => [
      ...(waited.handOver === undefined
        ? []
        : [`${waited.flipped ? colours.green("handed over") : colours.yellow("not handed over")}  ${safe(waited.handOver)}`]),
      ...standingLines(waited, colours),
    ]);
    return waited.timedOut ? 2 : 0;
  } finally {
    printer.end();
  }
};
