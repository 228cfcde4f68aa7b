/** One run's hands: the journal, the hooks, the context of a handler, the one way out, and reading. */
import { strippedTexts } from "./agents/threads.js";
import { baseChecksOf } from "./reading/base-checks.js";
import { ReviewloopError, messageOf } from "./errors.js";
import { bindPlugins } from "./hooks.js";
import type { CtxFor, Hooks } from "./hooks.js";
import type { AgentKind, Blocker, Entry, Evidence, Inbox, PullRequestRef, Pulse, RunState, Snapshot, Tree, Wait, Write } from "./model.js";
import type { OutgoingRules } from "./writing/outgoing.js";
import { owns, partiesOf, unknownBots } from "./reading/parties.js";
import type { Plugin, ReviewerFacts } from "./plugin.js";
import type { Agent, Ctx, Journal, Log, Ports, Progress } from "./ports.js";
import { memoryOf } from "./plugin-memory.js";
import { cannotPush } from "./changing/pushing.js";
import { advanceRun, foldRun } from "./run.js";
import { headEntry } from "./reading/seen.js";
import { threadsOf } from "./reading/threads.js";
import { holding, waitsOf } from "./wait.js";
import type { Held } from "./wait.js";
import { overBudget } from "./stop.js";
import { createOutbox } from "./write.js";
import type { Outbox } from "./write.js";
import type { Settings } from "./settings.js";

export interface EngineOptions {
  readonly ref: PullRequestRef;
  readonly plugins: readonly Plugin[];
  readonly settings: Settings;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Nothing is sent: what would be done is collected. */
  readonly dryRun?: boolean;
  /** Run the code of a fork's head. */
  readonly trustHead?: boolean;
  /** Reopens points that were *heard* before our first run. */
  readonly all?: boolean;
  /** Notes when a head is first seen; for single acts and looks (a run notes its heads itself). */
  readonly notesHeads?: boolean;
  /** How the caller names the pull request in a command, its flags with it. */
  readonly spoken?: string;
  /** Folders and secrets that must not leave. */
  readonly outgoing: Pick<OutgoingRules, "folders" | "findSecrets">;
  readonly onProgress?: (progress: Progress) => void;
}

type Emit = Progress extends infer P ? (P extends Progress ? Omit<P, "at"> : never) : never;

const TOGETHER = new Set<Write["kind"]>(["resolve", "minimise"]);
const DAY = 24 * 3_600_000;
/** After a push, GitHub may still show the head before it for a moment. */
const HEAD_LAG = [500, 1000, 2000, 4000] as const;
const RESOLVE_LAG = 5000;

/** Told with the read, so before the first write. */
const MAY_NOT_RESOLVE =
  "this account may answer threads here but not resolve them, so they stay open: sign in with one that may, or let somebody with write access resolve them";

export class Engine {
  readonly hooks: Hooks;
  readonly reviewers: readonly ReviewerFacts[];
  readonly outbox: Outbox;
  /** What the last read was preceded by; a pulse that differs means news. */
  pulse: Pulse | undefined;
  /** Sentences for the report. */
  readonly notes = new Set<string>();
  private state: RunState;
  private seenElsewhere: ReadonlySet<string> | undefined;
  private current: Inbox | undefined;
  private step = { index: 0, of: 0 };
  private readonly journaled = new Map<string, string>();
  private readonly baseChecks: ReturnType<typeof baseChecksOf>;

  constructor(
    readonly options: EngineOptions,
    private readonly journal: Pick<Journal, "entries" | "append">,
  ) {
    this.state = foldRun(journal.entries);
    this.baseChecks = baseChecksOf(options.ports.forge, options.ref, options.signal);
    this.reviewers = options.plugins.flatMap((plugin) => (plugin.reviewer === undefined ? [] : [plugin.reviewer]));
    this.hooks = bindPlugins(options.plugins, {
      now: () => options.ports.clock.now(),
      span: (phase, plugin, took) => this.emit({ type: "span", phase, plugin, took }),
      reportFailed: (plugin, problem) => this.note(`${plugin} could not report: ${problem}`),
    });
    this.outbox = createOutbox({
      ports: options.ports,
      rules: { ...options.outgoing, triggers: this.triggers },
      identities: options.settings.identities,
      dryRun: options.dryRun ?? false,
      append: (entry) => this.append(entry),
      run: () => this.state,
      onWrite: (write, result) => this.emit({ type: "write", write, result, ...this.count() }),
      read: () => options.ports.forge.read(options.ref, options.signal),
      signal: options.signal,
    });
  }

  get settings(): Settings {
    return this.options.settings;
  }
  get ports(): Ports {
    return this.options.ports;
  }
  get run(): RunState {
    return this.state;
  }
  get triggers(): readonly string[] {
    return this.reviewers.flatMap((facts) => (facts.trigger === undefined ? [] : [facts.trigger]));
  }
  get target(): Plugin | undefined {
    return this.options.plugins.find((plugin) => plugin.kind === "target");
  }
  /** Does the target hand over: draft to ready for review, by this program? */
  get flips(): boolean {
    return this.target?.options["flip"] === true;
  }
  /** The pull request as last read. */
  get inbox(): Inbox | undefined {
    return this.current;
  }
  now(): number {
    return this.ports.clock.now();
  }
  emit(progress: Emit): void {
    this.options.onProgress?.({ ...progress, at: this.now() });
  }
  note(text: string): void {
    if (this.notes.has(text)) return;
    this.notes.add(text);
    this.emit({ type: "note", text });
  }
  phase(phase: string, detail?: string): void {
    // What the journal holds of a run that has ended is not this one's.
    const iteration = this.state.stop === undefined ? this.state.iterations.length : 0;
    this.emit({ type: "phase", phase, iteration, ...(detail === undefined ? {} : { detail }) });
  }

  async append(entry: Entry): Promise<void> {
    await this.journal.append(entry);
    this.state = advanceRun(this.state, entry);
  }

  /** The agent for a role; its calls are counted and journaled. */
  private agent(kind: AgentKind): Agent | undefined {
    // A second look is asked for by naming who takes it; the agent of everything else does not look twice by itself.
    const agent = this.ports.agents?.[kind] ?? (kind === "verify" ? undefined : this.ports.agent);
    if (agent === undefined) return undefined;
    return {
      name: agent.name,
      ask: async (task, signal) => {
        // The limit holds between two calls of one iteration too: a repair may ask again and again.
        const over = overBudget(this.state, this.settings);
        if (over !== undefined) return { ok: false, failure: { kind: "limit", detail: over }, took: 0 };
        const result = await agent.ask(task, signal);
        const spent = {
          ...(result.tokens === undefined ? {} : { tokens: result.tokens }),
          ...(result.money === undefined ? {} : { money: result.money }),
        };
        const stripped = this.stripped(new Set(task.threads.map((thread) => thread.id)));
        await this.append({ at: this.now(), type: "agent", kind, ok: result.ok, took: result.took, ...spent, ...stripped });
        return result;
      },
    };
  }

  /** What an agent was not shown of these threads, for the journal: each text once. */
  private stripped(shown: ReadonlySet<string>): { readonly stripped?: Readonly<Record<string, string>> } {
    const threads = (this.current?.threads ?? []).filter((thread) => shown.has(thread.id));
    const ours = { viewer: this.current?.viewer ?? { login: "", kind: "user" as const }, identities: this.settings.identities };
    const texts = Object.entries(strippedTexts(threads, ours)).filter(
      ([id, text]) => this.journaled.get(id) !== text && !this.holdsSecret([text]),
    );
    for (const [id, text] of texts) this.journaled.set(id, text);
    return texts.length === 0 ? {} : { stripped: Object.fromEntries(texts) };
  }

  private log(plugin: string): Log {
    const say = (level: string, text: string): void =>
      this.emit({ type: "note", text: level === "" ? `${plugin}: ${text}` : `${plugin} (${level}): ${text}` });
    return { info: (text) => say("", text), warn: (text) => this.note(`${plugin}: ${text}`), debug: () => undefined };
  }

  /** The context for each plugin, over one inbox. */
  ctxFor(inbox: Inbox): CtxFor {
    return (plugin) => {
      const ctx: Ctx = {
        options: plugin.options,
        run: this.state,
        settings: this.settings,
        inbox,
        dryRun: this.options.dryRun ?? false,
        forge: this.ports.forge,
        ...(this.ports.git === undefined ? {} : { git: this.ports.git }),
        shell: this.ports.shell,
        agent: (kind) => this.agent(kind),
        clock: this.ports.clock,
        signal: this.options.signal,
        log: this.log(plugin.name),
        note: (key, value) => this.append({ at: this.now(), type: "note", plugin: plugin.name, key, value }),
        repository: memoryOf(plugin.name, this.ports, this.options.ref, this.options.dryRun ?? false),
      };
      return Object.freeze(ctx);
    };
  }

  /** Reviewers met on the last updated pull requests of this repository; one request, kept a day. */
  private async elsewhere(): Promise<ReadonlySet<string>> {
    if (this.seenElsewhere !== undefined) return this.seenElsewhere;
    const { store, forge } = this.ports;
    const met = names((await store.recall(this.options.ref, "met"))?.value);
    const kept = await store.recall(this.options.ref, "recent");
    let recent = names(kept?.value);
    if (kept === undefined || this.now() - kept.at >= DAY) {
      const authors = await forge.recent(this.options.ref, this.options.signal);
      recent = this.reviewers.filter((facts) => authors.some((author) => owns(facts, author))).map((facts) => facts.name);
      await store.remember(this.options.ref, "recent", recent, this.now());
    }
    this.seenElsewhere = new Set([...met, ...recent]);
    return this.seenElsewhere;
  }

  /** Whoever was seen on one pull request of this repository takes part in the next one too. */
  private async remember(inbox: Inbox): Promise<void> {
    const before = await this.elsewhere();
    const seen = inbox.parties.filter((party) => party.seen).map((party) => party.reviewer);
    if (seen.every((name) => before.has(name)) || (this.options.dryRun ?? false)) return;
    this.seenElsewhere = new Set([...before, ...seen]);
    await this.ports.store.remember(this.options.ref, "met", [...this.seenElsewhere].sort(), this.now());
  }

  /** One complete read, made into an inbox by core and reviewers. */
  async fetch(): Promise<Inbox> {
    this.phase("fetch");
    const { forge, clock } = this.ports;
    const { ref, signal, settings } = this.options;
    const seen = await this.elsewhere();
    let snapshot;
    for (const lag of [...HEAD_LAG, undefined]) {
      this.pulse = await forge.pulse(ref, signal);
      snapshot = await forge.read(ref, signal);
      const pushed = this.state.pushes.at(-1);
      const before = this.state.heads.at(-2)?.sha;
      const lags =
        pushed !== undefined && pushed === this.state.heads.at(-1)?.sha && snapshot.pullRequest.head.sha === before && before !== pushed;
      if (!lags && (lag === undefined || !resolvesLag(snapshot, this.state, this.now()))) break;
      if (lag === undefined)
        throw new ReviewloopError("READ_INCOMPLETE", { what: `pull request ${ref.number}`, problem: "our push has not appeared" });
      await clock.sleep(lag, signal);
    }
    if (snapshot === undefined) throw new ReviewloopError("INTERNAL", { problem: "nothing was read" });
    if (this.options.notesHeads ?? false) {
      const first = await headEntry(snapshot, this.state.heads, this.ports, ref);
      if (first !== undefined) await this.append(first);
    }
    const awaits = this.target?.awaits ?? "nobody";
    const ours = { viewer: snapshot.viewer, identities: settings.identities };
    const base: Inbox = {
      ...snapshot,
      threads: threadsOf(snapshot, { run: this.state, ours, trust: settings.trust, all: this.options.all ?? false }),
      signals: [],
      parties: partiesOf(snapshot, this.reviewers, awaits, seen),
      unknownBots: unknownBots(snapshot, this.reviewers),
      notes: [],
      ...(await this.baseChecks(snapshot)),
    };
    const read = await this.hooks.call("fetch", this.ctxFor(base), base);
    const inbox: Inbox = Object.freeze(read);
    this.current = inbox;
    await this.remember(inbox);
    const open = inbox.threads.filter((thread) => thread.open).length;
    this.emit({ type: "read", threads: inbox.threads.length, open, head: inbox.pullRequest.head.sha });
    if (inbox.threads.some((thread) => thread.source === "inline" && thread.open && thread.canReply && !thread.canResolve))
      this.note(MAY_NOT_RESOLVE);
    return inbox;
  }

  /** Why this run can't push; undefined = it can. */
  cannotPush(inbox: Inbox): string | undefined {
    return cannotPush(inbox, this.settings, { hasWorktree: this.ports.git !== undefined, trustHead: this.options.trustHead ?? false });
  }

  /** May the head's own code (set-up, gate) be run here? */
  mayRunHead(inbox: Inbox): boolean {
    return this.ports.git !== undefined && (!inbox.pullRequest.fork || (this.options.trustHead ?? false));
  }

  /** The target's blockers, without those that hold nothing, and the waits that they stand for. */
  async check(inbox: Inbox): Promise<Held & { readonly waits: readonly Wait[] }> {
    this.phase("check");
    const found = await this.hooks.call("check", this.ctxFor(inbox), [] as readonly Blocker[], inbox);
    const cannot = this.cannotPush(inbox);
    const unfixed = Object.entries(this.state.left).some(
      ([id, left]) => left.code === "not-fixed" && inbox.threads.some((thread) => thread.id === id && thread.open),
    );
    const blockers: readonly Blocker[] =
      cannot !== undefined && unfixed
        ? [...found, { code: "cannot-push", by: "core", detail: `fixes can't be pushed: ${cannot}`, lift: { who: "person" } }]
        : found;
    const at = { inbox, run: this.state, settings: this.settings, reviewers: this.reviewers };
    const target = this.target;
    const stopping = target?.stopping?.(inbox, blockers, { run: this.state, options: target.options });
    const left = new Set(stopping?.leftovers);
    const held = holding(
      blockers.filter((blocker) => blocker.thread === undefined || !left.has(blocker.thread)),
      at,
      this.now(),
    );
    for (const passed of held.passed) this.note(passed);
    if (stopping !== undefined) this.note(`Stopping rule: ${stopping.detail}`);
    return { ...held, waits: waitsOf(held.blockers, at), ...(stopping === undefined ? {} : { stopping }) };
  }

  /** Evidence for this tree: what is valid is used again, the rest is produced now and journaled. */
  async gate(inbox: Inbox, tree: Tree): Promise<readonly Evidence[]> {
    this.phase("gate");
    const known = new Set(this.state.evidence);
    const { sha } = inbox.pullRequest.head;
    const of = (await this.ports.git?.treeOf(sha).catch(() => undefined)) === tree ? { head: sha } : {};
    const produced = await this.hooks.call("gate", this.ctxFor(inbox), [] as readonly Evidence[], tree);
    const evidence = produced.map((each) => (known.has(each) ? each : { ...each, ...of }));
    for (const each of evidence) {
      const listed = this.state.iterations.at(-1)?.gates.some((gate) => gate.gate === each.gate && gate.tree === each.tree) ?? true;
      const reused = known.has(each);
      if (reused && listed) continue;
      // What is used again is journaled too: this iteration stands on it.
      await this.append({ at: this.now(), type: "evidence", evidence: each });
      this.emit({ type: "gate", gate: each.gate, result: each.result, ...(reused ? { reused } : { took: each.took }) });
    }
    const failed = evidence.find((each) => each.result === "failed");
    if (failed !== undefined)
      throw new ReviewloopError("COMMAND_NOT_STARTED", {
        command: failed.command,
        problem: failed.excerpt === "" ? "it did not start" : failed.excerpt,
      });
    return evidence;
  }

  /** Does any of these texts hold something that must not be written down or leave? */
  holdsSecret(texts: readonly (string | null | undefined)[]): boolean {
    return texts.some((text) => typeof text === "string" && this.options.outgoing.findSecrets(text).length > 0);
  }

  /** Which of how many writes of this step it is. */
  private count(): { readonly index?: number; readonly of?: number } {
    if (this.step.of < 2) return {};
    this.step.index += 1;
    return { ...this.step };
  }

  /** All writes of one kind at a time, in order. */
  async send(writes: readonly Write[], inbox: Inbox): Promise<boolean> {
    this.step = { index: 0, of: writes.length };
    let wrote = false;
    let batch: Write[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      const before = this.state.writes;
      const results = await this.outbox.send(batch, inbox);
      for (const [index, result] of results.entries()) {
        // What an earlier pass had done already is no progress of this one.
        if (result.state === "done") wrote ||= before[batch[index]?.key ?? ""]?.result?.state !== "done";
        else if (result.state !== "planned") this.note(`${batch[index]?.kind ?? "write"} was not done: ${result.detail}`);
      }
      batch = [];
    };
    for (const write of writes) {
      // Only what sets a state goes out together; a post has its intent and its result on disk before the next one begins.
      if (batch[0] !== undefined && (batch[0].kind !== write.kind || !TOGETHER.has(write.kind))) await flush();
      batch.push(write);
    }
    await flush();
    this.step = { index: 0, of: 0 };
    return wrote;
  }
}

/** A resolve of the last seconds that a read does not show yet. */
const resolvesLag = (snapshot: Snapshot, run: RunState, now: number): boolean => {
  if (run.lastWriteAt === undefined || now - run.lastWriteAt > RESOLVE_LAG) return false;
  const open = new Set(snapshot.reviewThreads.flatMap((thread) => (thread.resolved ? [] : [thread.id])));
  return Object.values(run.writes).some(
    ({ write, result, at }) => write.kind === "resolve" && result?.state === "done" && now - at <= RESOLVE_LAG && open.has(write.thread),
  );
};

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

export const describeError = (thrown: unknown): { readonly code: string; readonly message: string; readonly hint: string } =>
  ReviewloopError.is(thrown)
    ? { code: thrown.code, message: thrown.message, hint: thrown.hint }
    : { code: "INTERNAL", message: messageOf(thrown), hint: "Please report it with --log." };
