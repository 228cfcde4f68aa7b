/** `defineReviewer`: from what is special to a reviewer (data and pure functions) to a plugin with its three handlers. */
import type { Asks, Blocker, Inbox } from "./model.js";
import type { Ctx, Ours } from "./ports.js";
import type { CommonReviewerOptions, Plugin, PluginFactory, ReviewerFacts, ReviewerSpec } from "./plugin.js";
import type { Handlers } from "./phases.js";
import { asksWith } from "./reviewer/asking.js";
import { stateBlocker } from "./reviewer/blocking.js";
import { reconciled } from "./reviewer/counting.js";
import { factsOf, schemaOf } from "./reviewer/facts.js";
import { threadsWith } from "./reviewer/points.js";
import { postsOf } from "./reviewer/posts.js";
import { isFresh, standardSignal } from "./reviewer/signal.js";

const oursIn = (inbox: Inbox, ctx: Ctx<unknown>): Ours => ({ viewer: inbox.viewer, identities: ctx.settings.identities });

/** Points that the bot counts and shows nowhere that an API reaches. */
const hiddenNote = (hidden: number, listed: number, say: ((count: number) => string) | undefined): readonly string[] =>
  say === undefined || hidden <= listed ? [] : [say(hidden - listed)];

const handlersOf = <O extends object>(spec: ReviewerSpec<O>, facts: ReviewerFacts): Handlers<O> => ({
  fetch: (inbox, ctx) => {
    const ours = oursIn(inbox, ctx);
    const posts = postsOf(spec, facts, inbox, ctx.run, ours, ctx.clock.now());
    const how = { run: ctx.run, ours, trust: ctx.settings.trust };
    const { threads, points } = threadsWith(spec, facts, inbox, posts, how);
    const standard = standardSignal(facts, posts, ctx.run, ctx.clock.now());
    const said = spec.signal?.(standard, posts, ctx) ?? standard;
    const counting = { threads, run: ctx.run, now: ctx.clock.now(), hiddenCounted: spec.hidden === undefined };
    const signal = reconciled(said, facts, posts, counting);
    const hidden = hiddenNote(signal.counts?.hidden ?? 0, points.length, spec.hidden);
    return {
      ...inbox,
      threads,
      signals: [...inbox.signals.filter((each) => each.reviewer !== facts.name), signal],
      notes: [...inbox.notes, ...hidden, ...(spec.notes?.(posts) ?? [])],
    };
  },

  rerequest: (asks: Asks, inbox, ctx) => {
    const text = spec.request.by === "comment" && typeof spec.request.text === "function" ? spec.request.text(ctx) : (facts.trigger ?? "");
    return asksWith(asks, spec, { inbox, run: ctx.run, facts, ours: oursIn(inbox, ctx), now: ctx.clock.now(), text });
  },

  check: (blockers: readonly Blocker[], inbox, ctx) => {
    if (inbox.parties.find((party) => party.reviewer === facts.name)?.awaited !== true) return blockers;
    const signal = inbox.signals.find((each) => each.reviewer === facts.name);
    const state = stateBlocker(signal, { inbox, run: ctx.run, facts, settings: ctx.settings });
    if (state !== undefined) return [...blockers, state];
    // A score and a verdict never outlive their head.
    if (signal === undefined || signal.head !== inbox.pullRequest.head.sha || !isFresh(signal, facts, inbox.pullRequest.head.sha))
      return blockers;
    return [...blockers, ...(spec.satisfied?.(signal, ctx) ?? [])];
  },
});

/**
 * Defines a reviewer. The plugin claims the reviewer's threads, turns findings without a thread into threads of source `summary`,
 * adds its signal for the head, asks it once per head, and blocks until its state and `satisfied` are content.
 */
export const defineReviewer = <O extends object = Record<never, never>>(
  spec: ReviewerSpec<O>,
): PluginFactory<O & CommonReviewerOptions> => {
  const defaults = Object.freeze({ ...spec.defaults }) as Readonly<Record<string, unknown>>;
  const make = (options: Partial<O & CommonReviewerOptions> = {}): Plugin => {
    const all = Object.freeze({ ...defaults, ...options }) as Readonly<Partial<O>> & CommonReviewerOptions;
    const known = factsOf(spec, all);
    const text = (all as Readonly<Record<string, unknown>>)["trigger"];
    const facts: ReviewerFacts = Object.freeze(
      spec.request.by === "comment" && typeof text === "string" ? { ...known, trigger: text } : known,
    );
    return Object.freeze({
      name: spec.name,
      kind: "reviewer",
      options: all,
      on: handlersOf(spec, facts) as Handlers<never>,
      reviewer: facts,
      factory,
    });
  };
  const factory: PluginFactory<O & CommonReviewerOptions> = Object.assign(make, {
    pluginName: spec.name,
    kind: "reviewer" as const,
    schema: schemaOf(spec.schema),
    defaults,
    reviewer: factsOf(spec, (spec.defaults ?? {}) as Readonly<Partial<O>>),
  });
  return factory;
};
