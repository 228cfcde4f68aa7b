/** `status`, `threads`, `why`: one read, nothing written. */
import { look, NO_PULL_REQUEST, threads as readThreads } from "../../index.js";
import type { RunRequest } from "../../index.js";
import {
  isNoPullRequest,
  noPullRequestDocument,
  ofReviewer,
  statusDocument,
  threadsDocument,
  whyNotReadyDocument,
  whyStoppedDocument,
  whyThreadDocument,
} from "../documents.js";
import { on, requestOf, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { standingLines, statusLines, threadsLines, whyNotReadyLines, whyStoppedLines, whyThreadLines } from "../print/standing.js";
import { coloursFor, widthOf } from "../print/text.js";
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
export const print = (
  surroundings: Surroundings,
  flags: Flags,
  json: object,
  lines: (colours: Colours, width: number) => readonly string[],
): void => {
  const { stdout, environment } = surroundings;
  stdout.write(on(flags, "json") ? `${JSON.stringify(json)}\n` : `${lines(coloursFor(stdout, environment), widthOf(stdout)).join("\n")}\n`);
};

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
  print(surroundings, flags, statusDocument(found), (colours, width) => statusLines(found, colours, width));
  return 0;
};

export const threadsCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const read = await calling(flags, reference, surroundings, (request) => readThreads({ ...request, closed: on(flags, "all") }));
  const shown = ofReviewer(read.threads, text(flags, "reviewer"));
  print(surroundings, flags, threadsDocument(read.look, shown), (colours, width) => threadsLines(shown, read.look, colours, width));
  return 0;
};

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
    if (what === "stopped") {
      const document = whyStoppedDocument(found);
      print(surroundings, flags, document, (colours) => whyStoppedLines(document, colours));
    } else {
      const document = whyNotReadyDocument(found);
      print(surroundings, flags, document, (colours, width) => whyNotReadyLines(document, colours, width));
    }
    return 0;
  }
  const read = await calling(flags, reference, surroundings, (request) => readThreads({ ...request, closed: true }));
  const document = whyThreadDocument(read.look, read.threads, what);
  print(surroundings, flags, document, (colours) => whyThreadLines(document, colours));
  return 0;
};
