/** `wait`: sleeps until there is something to do. While nothing moves, one cheap request a tick. */
import { markReady, standingOf, standingWith } from "./acts.js";
import type { Acted } from "./acts.js";
import { Engine } from "./engine.js";
import { takenBack } from "./writing/flip.js";
import { handOverOf } from "./lifecycle.js";
import type { Lifecycle, LifecycleState } from "./lifecycle.js";
import type { Entry, Inbox, Wait } from "./model.js";
import type { RunOptions } from "./session.js";

export interface WaitOptions extends RunOptions {
  /** Milliseconds; default `wait.timeout` of the config. */
  readonly timeout?: number;
  /** Milliseconds between the first looks; later ones are further apart, up to a minute. */
  readonly poll?: number;
  /** In [0, 1): spreads many waiting clients. */
  readonly random?: () => number;
}

export interface Waited extends Lifecycle {
  /** False: the time was up and there was nothing to do yet. */
  readonly timedOut: boolean;
  readonly flipped: boolean;
  /** What became of the hand-over, where it was tried. */
  readonly handOver?: string;
  readonly head: string;
  /** Milliseconds. */
  readonly took: number;
}

const SLOWEST = 60_000;
const KEEP_ALIVE = 60_000;

/** Milliseconds to the next look: half as long again each time nothing moved, at most a minute, up to a fifth sooner. Pure. */
export const cadence = (poll: number, quiet: number, random: number): number => {
  const plain = Math.min(poll * 1.5 ** Math.min(quiet, 30), Math.max(poll, SLOWEST));
  return Math.max(1, Math.round(plain * (1 - 0.2 * random)));
};

interface Watching {
  readonly inbox: Inbox;
  readonly standing: Lifecycle;
  readonly waits: readonly Wait[];
  /** The target wants something done at READY. */
  readonly handOver: boolean;
}

const read = async (engine: Engine): Promise<Watching> => {
  const inbox = await engine.fetch();
  const checked = await engine.check(inbox);
  const standing = standingWith(engine, inbox, checked);
  const handOver = inbox.pullRequest.draft || handOverOf(checked.blockers).length > 0;
  return { inbox, standing, waits: checked.waits, handOver };
};

/** Whom a state waits for, where no wait of the target says it. */
const AWAITED: Partial<Record<LifecycleState, string>> = { VALIDATING: "the checks", REVIEWED: "GitHub's word on merging" };

/** A journal that is only looked into. */
const onlooker = async (options: WaitOptions): Promise<Engine> => {
  const entries: Entry[] = [...(await options.ports.store.peek(options.ref))];
  return new Engine({ ...options, dryRun: true, notesHeads: true }, { entries, append: async (entry) => void entries.push(entry) });
};

const flipIfReady = async (engine: Engine, now: Watching, options: WaitOptions): Promise<Acted | undefined> => {
  const hands = engine.flips && now.standing.state === "READY" && now.handOver && !takenBack(now.inbox, engine.run);
  return hands ? markReady(options) : undefined;
};

/** Blocks until there is something to do, at READY after the hand-over that the target asks for. Writes nothing else. */
export const waitForWork = async (options: WaitOptions): Promise<Waited> => {
  const { clock, forge } = options.ports;
  const began = clock.now();
  const until = began + (options.timeout ?? options.settings.wait.timeout);
  const poll = options.poll ?? options.settings.wait.poll;
  const random = options.random ?? Math.random;
  let engine = await onlooker(options);
  let now = await read(engine);
  let said = began;
  const ended = (timedOut: boolean, flip?: Acted): Waited => ({
    ...now.standing,
    timedOut,
    flipped: flip?.results.some((result) => result.what === "mark-ready" && result.state === "done") ?? false,
    ...(flip === undefined ? {} : { handOver: flip.detail }),
    head: now.inbox.pullRequest.head.sha,
    took: clock.now() - began,
  });
  const keepAlive = (): void => {
    if (clock.now() - said < KEEP_ALIVE) return;
    said = clock.now();
    const { standing, waits } = now;
    const names = waits.map((wait) => wait.name ?? (wait.for === "checks" ? "the checks" : "an answer"));
    const whom = names.length > 0 ? names : [AWAITED[standing.state] ?? standing.why];
    engine.emit({ type: "waiting", for: whom, since: began, until, ...(waits.length > 0 ? { waits } : {}) });
  };
  for (;;) {
    const flip = await flipIfReady(engine, now, options);
    if (flip !== undefined) {
      // Code owners and bots that skip drafts start now: what they say within the settle window is part of the answer.
      if (flip.done) await clock.sleep(options.settings.wait.settle, options.signal);
      engine = await onlooker(options);
      now = await read(engine);
      if (flip.done || !now.standing.waiting) return ended(false, flip);
    }
    if (!now.standing.waiting) return ended(false);
    for (let quiet = 0; ; quiet += 1) {
      const left = until - clock.now();
      if (left <= 0) return ended(true);
      await clock.sleep(Math.min(cadence(poll, quiet, random()), left), options.signal);
      keepAlive();
      const pulse = await forge.pulse(options.ref, options.signal);
      if (pulse.digest !== engine.pulse?.digest) break;
      // Nothing moved but the clock: a wait may have run out, a check may be late.
      if (!(await standingOf(engine, now.inbox)).waiting) break;
    }
    engine = await onlooker(options);
    now = await read(engine);
  }
};
