/** What all contracts share: a case, and a failure that says in one line what is wrong and where. No test runner is imported. */
import { ReviewloopError, messageOf } from "../../core/index.js";

/** One promise of a contract. `run` throws where it is broken; give it to any test runner. */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Names of a contract's cases, with what each does. */
export type Cases = Readonly<Record<string, () => void | Promise<void>>>;

class Broken extends Error {
  override readonly name = "ContractBroken";
}

/** Ends a case: `where` is a phase, a port's method or a sample. */
export const broken = (where: string, what: string): never => {
  throw new Broken(`${where}: ${what}`);
};

export function must(condition: boolean, where: string, what: string): asserts condition {
  if (!condition) broken(where, what);
}

const oneLine = (text: string, most: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/** A value in a few words, for a message. */
export const brief = (value: unknown): string => oneLine(JSON.stringify(value) ?? String(value), 160);

/** Names the subject in every message, and makes one line of whatever was thrown. */
export const casesOf = (subject: string, cases: Cases): readonly ContractCase[] =>
  Object.entries(cases).map(([name, act]) => ({
    name,
    run: async () => {
      try {
        await act();
      } catch (thrown) {
        const said = thrown instanceof Broken ? thrown.message : `threw ${codeOf(thrown)}${messageOf(thrown)}`;
        throw new Error(oneLine(`${subject}, "${name}": ${said}`, 600), { cause: thrown });
      }
    },
  }));

const codeOf = (thrown: unknown): string => (ReviewloopError.is(thrown) ? `${thrown.code}: ` : "");

/** Runs a case's act and gives what it threw; undefined = nothing. */
export const thrownBy = async (act: () => unknown): Promise<unknown> => {
  try {
    await act();
    return undefined;
  } catch (thrown) {
    return thrown ?? new Error("nothing in particular");
  }
};

/** The act has to end in an error of this code. */
export const mustThrow = async (code: string, where: string, act: () => unknown): Promise<void> => {
  const thrown = await thrownBy(act);
  must(thrown !== undefined, where, `gave no error where ${code} was due`);
  must(ReviewloopError.is(thrown), where, `threw a plain error where ${code} was due: ${messageOf(thrown)}`);
  must(thrown.code === code, where, `threw ${thrown.code} where ${code} was due`);
};

/** Freezes data all the way down; functions and what they hold stay as they are. */
export const deepFrozen = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
};

/** Equal as JSON, whatever the order of keys. */
export const sameJson = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? "undefined";

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Turns of the event loop that whatever waits for nothing outside may take. */
const TURNS = 2000;

/** Waits without a timer: true once the promise is settled, false if it still is not after many turns of the event loop. */
export const settles = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false;
  const end = (): void => {
    done = true;
  };
  promise.then(end, end);
  for (let left = TURNS; left > 0 && !done; left -= 1) await turn();
  return done;
};
