/** Which faults are switched on, and what becomes of each read and write by them. */
import { randomFrom } from "../scenes/random.js";
import { FAULTS, type BreakableConnection, type FaultName, type FaultOptions } from "./fault-table.js";

export { FAULTS, NEWER_FIELDS, type FaultName, type FaultOptions, type FaultRow } from "./fault-table.js";

export const isFault = (name: string): name is FaultName => FAULTS.some((fault) => fault.name === name);

const noSuch = (name: string): string => `There is no fault "${name}". There are: ${FAULTS.map((fault) => fault.name).join(", ")}.`;

/** What a fault is set to: its standard, or drawn from a seed (the same for the same seed). */
export const faultOptions = <N extends FaultName>(name: N, seed?: number): FaultOptions[N] => {
  const found = FAULTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(noSuch(name));
  return (seed === undefined ? found.standard : found.draw(randomFrom(seed))) as FaultOptions[N];
};

/** What becomes of one write; whoever serves it asks exactly once for each. */
export type WriteFate =
  | { readonly fate: "normal" }
  | { readonly fate: "lost-answer" }
  | { readonly fate: "bad-gateway-before" }
  | { readonly fate: "bad-gateway-after" }
  /** Of a batch so many are applied. */
  | { readonly fate: "bad-gateway-midway"; readonly applied: number }
  | { readonly fate: "secondary-rate-limit"; readonly retryAfter?: number };
export type ReadFate =
  | { readonly fate: "normal" }
  | { readonly fate: "bad-gateway" }
  | { readonly fate: "primary-rate-limit"; readonly resetAfter: number };

/** A fault counts the writes and reads that come after it was switched on. */
interface Active {
  readonly options: FaultOptions[FaultName];
  readonly writes: number;
  readonly reads: number;
}

/** Who carries out what a fault does to the world itself. */
export interface Mischief {
  switchedOn(name: FaultName): void;
  /** Right before the read or write is served. */
  strikes(name: "thread-appears" | "head-moves"): void;
}

export class Faults {
  readonly #active = new Map<FaultName, Active>();
  #mischief: Mischief | undefined;
  #writes = 0;
  #reads = 0;

  /** Switches one on. The first write or read after this is its number 1. What a fault did to the world stays when it is switched off. */
  set<N extends FaultName>(name: N, options: FaultOptions[N] = faultOptions(name)): void {
    if (!isFault(name)) throw new Error(noSuch(name));
    this.#active.set(name, { options, writes: this.#writes, reads: this.#reads });
    this.#mischief?.switchedOn(name);
  }

  /** The world that these faults are of. */
  attach(mischief: Mischief): void {
    this.#mischief = mischief;
  }

  clear(name?: FaultName): void {
    if (name === undefined) this.#active.clear();
    else this.#active.delete(name);
  }

  get<N extends FaultName>(name: N): FaultOptions[N] | undefined {
    return this.#active.get(name)?.options as FaultOptions[N] | undefined;
  }

  on(name: FaultName): boolean {
    return this.#active.has(name);
  }

  active(): readonly FaultName[] {
    return [...this.#active.keys()];
  }

  /** Counts one write (one request; a batch of mutations is one) and says what becomes of it. */
  nextWrite(): WriteFate {
    this.#writes += 1;
    if (this.#hits("head-moves")) this.#mischief?.strikes("head-moves");
    if (this.#hits("secondary-rate-limit")) {
      const retryAfter = this.get("secondary-rate-limit")?.retryAfter;
      return { fate: "secondary-rate-limit", ...(retryAfter === undefined ? {} : { retryAfter }) };
    }
    for (const fate of ["bad-gateway-before", "bad-gateway-after", "lost-answer"] as const) if (this.#hits(fate)) return { fate };
    if (this.#hits("bad-gateway-midway")) return { fate: "bad-gateway-midway", applied: this.get("bad-gateway-midway")?.applied ?? 0 };
    return { fate: "normal" };
  }

  nextRead(): ReadFate {
    this.#reads += 1;
    if (this.#hits("thread-appears")) this.#mischief?.strikes("thread-appears");
    if (this.#hits("bad-gateway-read")) return { fate: "bad-gateway" };
    if (this.#hits("primary-rate-limit"))
      return { fate: "primary-rate-limit", resetAfter: this.get("primary-rate-limit")?.resetAfter ?? 0 };
    return { fate: "normal" };
  }

  /** Is the current write or read one of those the fault names? A fault that names none means all. */
  #hits(name: FaultName): boolean {
    const active = this.#active.get(name);
    if (active === undefined) return false;
    const { writes, reads } = active.options as { readonly writes?: readonly number[]; readonly reads?: readonly number[] };
    if (writes !== undefined) return writes.includes(this.#writes - active.writes);
    return reads === undefined || reads.includes(this.#reads - active.reads);
  }

  /** Is this connection broken in the current read? */
  broken(kind: "null-connection" | "null-node", field: BreakableConnection): boolean {
    return this.get(kind)?.field === field && this.#hits(kind);
  }

  /** Does position `index` (from 1) of a batch fail, and how? */
  alias(index: number): "FORBIDDEN" | "NOT_FOUND" | undefined {
    const options = this.get("partial-alias-failure");
    return options?.positions.includes(index) === true ? (options.type ?? "FORBIDDEN") : undefined;
  }

  /** How a scripted reviewer answers now: not at all, or so many milliseconds later than usual. */
  reviewer(login: string): { readonly silent: boolean; readonly delay: number } {
    return { silent: this.concerns("silent-reviewer", login), delay: this.concerns("slow-reviewer", login) ? this.#delay() : 0 };
  }
  #delay(): number {
    return this.get("slow-reviewer")?.milliseconds ?? 0;
  }

  dropsRequest(login: string): boolean {
    return this.concerns("review-request-dropped", login);
  }

  /** Is the fault on for this account? Without a login it is so for all. */
  concerns(name: FaultName, login: string): boolean {
    const options = this.#active.get(name)?.options as { readonly login?: string } | undefined;
    return options !== undefined && (options.login === undefined || options.login === login);
  }
}
