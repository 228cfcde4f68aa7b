/** State and next action, and why: for people. */
import type { Lifecycle, Look, OutsideThread } from "../../index.js";
import { reviewerStates } from "../documents.js";
import type { whyNotReadyDocument, whyStoppedDocument, whyThreadDocument } from "../documents.js";
import { leftLines, whoLifts } from "./left.js";
import { oneLine, plural, safe, sha } from "./text.js";
import type { Colours } from "./text.js";

export const standingLines = (standing: Pick<Lifecycle, "state" | "why" | "next">, colours: Colours): readonly string[] => [
  `${colours.bold(standing.state)}  ${safe(standing.why)}`,
  `next:  ${safe(standing.next)}`,
];

export const statusLines = (found: Look, colours: Colours, width: number): readonly string[] => {
  const { pullRequest, threads } = found.inbox;
  const states = reviewerStates(found);
  const open = threads.filter((thread) => thread.open).length;
  const blockers = found.blockers.map(({ detail, code, lift, url }) => ({
    why: detail,
    code,
    who: lift.who,
    ...(lift.name === undefined ? {} : { name: lift.name }),
    ...(url === undefined ? {} : { url }),
  }));
  return [
    `${colours.bold(`#${pullRequest.ref.number}`)} ${safe(pullRequest.title)}${pullRequest.draft ? colours.dim(" (draft)") : ""}`,
    ...standingLines(found, colours),
    ...(found.stopping === undefined ? [] : [`stopping rule: ${safe(found.stopping.detail)}`]),
    ...(states.length === 0 ? [] : [states.map((line) => `${line.reviewer}=${line.state}`).join("  ")]),
    colours.dim(`head ${sha(pullRequest.head.sha)}, ${plural(threads.length, "thread")}, ${open} open`),
    ...leftLines("Blockers", blockers, colours, width),
    ...(found.notes.length === 0 ? [] : ["", colours.bold("Notes"), ...found.notes.map((note) => `  - ${safe(note)}`)]),
  ];
};

/** One line under a label; foreign text is flattened. */
const field = (label: string, text: string): string => `${`${label}:`.padEnd(11)}${safe(text).replaceAll(/\s+/g, " ").trim()}`;

const time = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`;

/** How many of the others are named; `status` has all of them. */
const OTHERS = 5;

export const whyNotReadyLines = (document: ReturnType<typeof whyNotReadyDocument>, colours: Colours, width: number): readonly string[] => {
  const { blocker, lift, evidence, others } = document;
  const more = others.length - OTHERS;
  return [
    `${colours.bold(document.state)}  ${safe(document.why)}`,
    ...(blocker === undefined ? [] : [field("nearest", `${blocker.detail} [${blocker.code}]`)]),
    ...(evidence === undefined ? [] : [field("evidence", evidence)]),
    field("lifted by", lift === undefined ? document.next : `${whoLifts(lift)}: ${lift.how}`),
    field("read", `${time(document.readAt)}, head ${sha(document.head)}`),
    ...(others.length === 0 ? [] : ["", colours.bold(`And ${others.length} more`)]),
    ...others.slice(0, OTHERS).map((detail) => `  - ${oneLine(safe(detail), Math.min(160, width - 4))}`),
    ...(more > 0 ? [colours.dim(`  ${more} further ones: reviewloop status`)] : []),
  ];
};

export const whyStoppedLines = (document: ReturnType<typeof whyStoppedDocument>, colours: Colours): readonly string[] => [
  `${colours.bold(document.stop ?? "no stop")}  ${safe(document.detail)}`,
  ...("at" in document ? [field("stopped", time(document.at))] : []),
  field("now", `${document.now.state}: ${document.now.why}`),
  field("next", document.now.next),
  field("read", time(document.readAt)),
];

export const whyThreadLines = (document: ReturnType<typeof whyThreadDocument>, colours: Colours): readonly string[] => {
  const { decision, fix, left, lift, since } = document;
  const raised = `${time(new Date(since.at).toISOString())}${since.head === null ? "" : ` on ${sha(since.head)}`}${since.heads === 0 ? "" : `, ${plural(since.heads, "head")} ago`}`;
  return [
    `${colours.bold(document.open ? (document.answered ? "answered, open" : "open") : "closed")}  ${safe(document.title)}`,
    field("why", document.why),
    ...(decision === undefined ? [] : [field("decided", `${decision.kind}: ${decision.why}`)]),
    ...(fix === undefined ? [] : [field("fixed", `${sha(fix.commit)}${fix.pushed ? "" : " (not pushed yet)"}: ${fix.summary}`)]),
    ...(left === undefined ? [] : [field("left", left)]),
    ...(lift === undefined ? [] : [field("lifted by", whoLifts(lift))]),
    field("raised", raised),
    field("url", document.url),
    field("read", time(document.readAt)),
  ];
};

const stateOf = (thread: OutsideThread): string => (thread.open ? (thread.answered ? "answered" : "open") : (thread.closed ?? "closed"));

const threadLines = (thread: OutsideThread, colours: Colours, width: number): readonly string[] => {
  const { place } = thread;
  const where =
    place === undefined
      ? thread.source
      : `${place.path}${place.line === undefined ? "" : `:${place.line}`}${place.outdated ? " (outdated)" : ""}`;
  const state = stateOf(thread);
  const about = [thread.reviewer ?? thread.author.login, ...(thread.severity === "unknown" ? [] : [thread.severity]), where].join("  ");
  const fits = 4 + about.length + 2 + thread.url.length <= width;
  return [
    `${thread.open ? colours.yellow(state) : colours.dim(state)}  ${colours.bold(oneLine(safe(thread.title), Math.min(110, width - state.length - 2)))}`,
    ...(fits ? [`    ${about}  ${thread.url}`] : [`    ${about}`, `    ${thread.url}`]).map((line) => colours.dim(safe(line))),
  ];
};

export const threadsLines = (shown: readonly OutsideThread[], found: Look, colours: Colours, width: number): readonly string[] => {
  const { number } = found.inbox.pullRequest.ref;
  return [
    ...shown.flatMap((thread) => threadLines(thread, colours, width)),
    colours.dim(`${shown.length} of ${plural(found.inbox.threads.length, "thread")}`),
    ...(shown.some((thread) => thread.open && !thread.answered)
      ? [
          colours.dim(`answer one:  reviewloop reply ${number} <URL> --body "..."`),
          colours.dim(`all of it:   reviewloop threads ${number} --json`),
        ]
      : []),
  ];
};
