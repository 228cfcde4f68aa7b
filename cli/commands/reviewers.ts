/** `reviewers`: who takes part in this pull request. Reads only: nobody is asked by looking. */
import { reviewers } from "../../index.js";
import type { ReviewerLine } from "../../index.js";
import { notReviewers } from "../../plugins/reviewers/not-reviewers.js";
import { on, requestOf } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor, oneLine, plural, safe, seconds, sha } from "../print/text.js";
import type { Colours } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";

const said = (line: ReviewerLine, head: string): string => {
  const { signal } = line;
  const about = signal.head === undefined ? " of an unknown head" : signal.head === head ? "" : ` of ${sha(signal.head)}`;
  const details = [
    ...(signal.score === undefined ? [] : [`${signal.score.value}/${signal.score.max}`]),
    ...(signal.verdict === undefined ? [] : [signal.verdictRaw ?? signal.verdict]),
    ...(signal.reason === undefined ? [] : [signal.reason.replaceAll("_", " ")]),
    ...(signal.retryAfter === undefined ? [] : [`again in ${seconds(signal.retryAfter)}`]),
    ...(line.threads.total === 0 ? [] : [`${plural(line.threads.total, "thread")}, ${line.threads.open} open`]),
  ];
  return `${signal.state}${about}${details.length === 0 ? "" : ` (${details.join("; ")})`}`;
};

const lines = (line: ReviewerLine, head: string, colours: Colours): readonly string[] => {
  const part = [line.required ? "required" : line.awaited ? "awaited" : "not awaited", ...(line.seenHere ? [] : ["not seen here"])];
  const asked =
    line.asked === undefined
      ? line.pendingRequest
        ? "a request is pending"
        : undefined
      : `asked by ${line.asked.by}: ${line.asked.state}`;
  return [
    `${colours.bold(line.reviewer)}  ${safe(said(line, head))}  ${colours.dim(part.join(", "))}`,
    ...(asked === undefined ? [] : [colours.dim(`    ${asked}`)]),
    ...(line.missing === undefined ? [] : [`    ${colours.yellow("missing")}  ${oneLine(safe(line.missing.detail), 140)}`]),
  ];
};

export const reviewersCommand = async (flags: Flags, reference: string | undefined, surroundings: Surroundings): Promise<number> => {
  const controller = new AbortController();
  const release = surroundings.onInterrupt(() => controller.abort());
  const { look, listing } = await reviewers({ ...requestOf(flags, reference, surroundings), signal: controller.signal }).finally(release);
  const { pullRequest } = look.inbox;
  const known = new Set(notReviewers);
  const unknown = listing.unknown.filter((login) => !known.has(login));
  const others = listing.unknown.filter((login) => known.has(login));
  if (on(flags, "json")) {
    const { reviewers: shown, missing, absent, requests, head } = listing;
    const about = { url: pullRequest.url, number: pullRequest.ref.number, title: pullRequest.title, draft: pullRequest.draft };
    const json = { schemaVersion: 1, pullRequest: about, head, reviewers: shown, missing, requests, unknown, notReviewers: others, absent };
    surroundings.stdout.write(`${JSON.stringify(json)}\n`);
    return 0;
  }
  const colours = coloursFor(surroundings.stdout, surroundings.environment);
  const text = [
    `${colours.bold(`#${pullRequest.ref.number}`)} ${safe(pullRequest.title)}  ${colours.dim(`head ${sha(listing.head)}`)}`,
    ...(listing.reviewers.length === 0 ? ["no reviewer takes part in this repository"] : []),
    ...listing.reviewers.flatMap((line) => lines(line, listing.head, colours)),
    ...listing.requests.map((request) => `${colours.bold(safe(request.login))}  a review is requested  ${colours.dim(request.kind)}`),
    ...unknown.map((login) => `${colours.bold(safe(login))}  ${colours.dim("unknown bot, never triggered")}`),
    ...others.map((login) => `${colours.bold(safe(login))}  ${colours.dim("reviews nothing")}`),
    listing.missing.length === 0 ? "nothing is missing" : `missing: ${listing.missing.join(", ")}`,
  ];
  surroundings.stdout.write(`${text.join("\n")}\n`);
  return 0;
};
