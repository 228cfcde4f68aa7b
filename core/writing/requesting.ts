/** Whom an order asks: all that are not done, or one by name. */
import type { Engine } from "../engine.js";
import { ReviewloopError } from "../errors.js";
import type { CtxFor } from "../hooks.js";
import { asksFor, lawfulAsks } from "../iteration.js";
import { markerOf, markersIn } from "./marker.js";
import type { Inbox, WriteOf } from "../model.js";

export type Requests =
  | { readonly requests: readonly WriteOf<"request">[]; /** Why nobody is asked. */ readonly why: string }
  | { readonly refused: string };

const PENDING: ReadonlySet<string> = new Set(["requested", "running"]);

/** Another question on the same head needs a key of its own, in its marker too. */
const again = (request: WriteOf<"request">, number: number): WriteOf<"request"> => {
  if (number === 0) return request;
  const key = `${request.key}:${number}`;
  if (request.by !== "comment") return { ...request, key };
  const words = request.body.split("\n").filter((line) => markersIn(line).length === 0);
  return { ...request, key, body: [...words, markerOf({ key })].join("\n") };
};

const byName = async (engine: Engine, inbox: Inbox, name: string): Promise<Requests> => {
  const facts = engine.reviewers.find((each) => each.name === name);
  if (facts === undefined) {
    const known = engine.reviewers.map((each) => each.name).join(", ");
    throw new ReviewloopError("USAGE", { problem: `There is no reviewer "${name}". There are: ${known}.`, command: "request" });
  }
  const head = inbox.pullRequest.head.sha;
  const signal = inbox.signals.find((each) => each.reviewer === name);
  if (signal !== undefined && PENDING.has(signal.state))
    return { refused: `${name} was asked and has not answered (${signal.state}); --cancel takes a review request back` };
  const prefix = `request:${name}:${head}`;
  const isOne = (key: string): boolean => key === prefix || key.startsWith(`${prefix}:`);
  const triggers = inbox.comments.filter((comment) => markersIn(comment.body).some((mark) => isOne(mark.key)));
  const number = Math.max(Object.keys(engine.run.writes).filter(isOne).length, triggers.length);
  // As if it had never been asked for this head and its last word were a failure: then every reviewer that can be asked is.
  const asIf: Inbox = {
    ...inbox,
    parties: inbox.parties.map((party) => (party.reviewer === name ? { ...party, awaited: true } : party)),
    signals: [...inbox.signals.filter((each) => each.reviewer !== name), { reviewer: name, state: "failed", head }],
    comments: inbox.comments.filter((comment) => !triggers.includes(comment)),
  };
  const run = { ...engine.run, asked: engine.run.asked.filter((each) => each.reviewer !== name) };
  const of = engine.ctxFor(asIf);
  const ctxFor: CtxFor = (plugin) => Object.freeze({ ...of(plugin), run });
  const asks = await engine.hooks.call("rerequest", ctxFor, { requests: [], waits: [], tidy: [] }, asIf);
  const request = asks.requests.find((each) => each.reviewer === name);
  if (request !== undefined) return { requests: [again(request, number)], why: "" };
  if (inbox.pullRequest.draft && !facts.reviewsDrafts)
    return { refused: `${name} does not review drafts (markReadyFor: ["${name}"] makes it ready for it)` };
  return { refused: `${name} can't be asked: it starts ${facts.requestBy === "push" ? "by itself on a push" : "elsewhere"}` };
};

export const requestsFor = async (engine: Engine, inbox: Inbox, name: string | undefined): Promise<Requests> => {
  if (inbox.pullRequest.state !== "open") return { refused: `the pull request is ${inbox.pullRequest.state}` };
  if (name !== undefined) return byName(engine, inbox, name);
  const requests = lawfulAsks(engine, await asksFor(engine, inbox), inbox);
  const states = inbox.parties
    .filter((party) => party.awaited)
    .map((party) => `${party.reviewer}=${inbox.signals.find((signal) => signal.reviewer === party.reviewer)?.state ?? "absent"}`);
  return { requests, why: states.length === 0 ? "the target awaits no reviewer" : `nobody is left to ask: ${states.join("  ")}` };
};
