/** One fault as a test: what a client sees with it and without it, and how the loop ends under it. */
import { expect } from "vitest";
import type { Report } from "../../core/index.js";
import { FAULTS } from "../../sandbox/world/index.js";
import type { FaultName, FaultOptions } from "../../sandbox/world/index.js";
import { stand, type Stand, type StandOptions } from "./stand.js";

export interface Case<N extends FaultName = FaultName> {
  readonly name: N;
  /** For what a client sees, and for the run unless it has its own; the fault's standard unless given. */
  readonly options?: FaultOptions[N];
  readonly on?: StandOptions;
  /** Asks the server in its own words. With the fault it sees `shows`, and without it something else. */
  readonly sees: (stand: Stand) => Promise<unknown>;
  readonly shows: unknown;
  readonly runs: readonly Run<N>[];
}

export interface Run<N extends FaultName = FaultName> {
  readonly options?: FaultOptions[N];
  /** Other faults that this one needs to hit. */
  readonly with?: Partial<FaultOptions>;
  readonly run?: Parameters<Stand["run"]>[0];
  /** Right before the loop starts. */
  readonly first?: (stand: Stand) => Promise<unknown> | void;
  readonly stop: Report["stop"];
  /** Part of the stop's detail, or of what is left. */
  readonly says?: string | RegExp;
  /** Looks at the world afterwards, where it is not as it would be without the fault. */
  readonly leaves?: (stand: Stand, report: Report) => void | Promise<void>;
}

/** Keeps the options of each case typed by its name. */
export const fault = <N extends FaultName>(one: Case<N>): Case => one;

const switchOn = ({ scene }: Stand, faults: Partial<FaultOptions>): void => {
  for (const [name, options] of Object.entries(faults)) scene.world.faults.set(name as FaultName, options);
};

/** The world as everybody sees it: no ids, no times. */
export const picture = ({ scene, asked }: Stand) => {
  const { world, pullRequest } = scene;
  return {
    threads: pullRequest.threads.map((thread) => [thread.resolved, ...thread.comments.map((comment) => comment.author)]),
    conversation: pullRequest.comments.map((comment) => comment.author),
    files: world.git.changedFiles(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha).map(({ path }) => path),
    slips: world.git
      .changedFiles(pullRequest.repository, pullRequest.base.sha, pullRequest.head.sha)
      .filter(({ path }) => world.git.fileAt(pullRequest.repository, pullRequest.head.sha, path)?.includes("<=") === true).length,
    pushes: world.log.filter((event) => event.type === "pushed" && event.actor === "ada").length,
    asked: asked(),
  };
};

const closing = async <T>(one: Stand, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } finally {
    await one.close();
  }
};

const pictures = new Map<string, Promise<ReturnType<typeof picture>>>();
/** What a run without any fault makes of the same stand. */
const undisturbed = (options: StandOptions = {}, run: Run["run"] = {}): Promise<ReturnType<typeof picture>> => {
  const key = [options.reviewer?.name, options.scene?.toString(), run.target?.name].join();
  const known = pictures.get(key);
  if (known !== undefined) return known;
  const made = stand(options).then((one) =>
    closing(one, async () => {
      const report = await one.run(run);
      expect([report.stop, report.detail]).toEqual(["met", report.detail]);
      return picture(one);
    }),
  );
  pictures.set(key, made);
  return made;
};

export const seen = async ({ name, options, on, sees, shows }: Case): Promise<void> => {
  const without = await stand(on);
  const plain = await closing(without, () => sees(without));
  expect(plain).not.toEqual(shows);
  const under = await stand(on);
  switchOn(under, { [name]: options ?? FAULTS.find((row) => row.name === name)?.standard });
  expect(await closing(under, () => sees(under))).toEqual(shows);
};

export const ended = async ({ name, options, on }: Case, one: Run): Promise<void> => {
  const under = await stand(on);
  await closing(under, async () => {
    const standard = FAULTS.find((row) => row.name === name)?.standard;
    switchOn(under, { ...one.with, [name]: one.options ?? options ?? standard });
    await one.first?.(under);
    const report = await under.run(one.run);
    const said = [report.detail, ...report.remaining.map((each) => each.why)].join("\n");
    expect({ stop: report.stop, said }).toEqual({ stop: one.stop, said: one.says === undefined ? said : expect.stringMatching(one.says) });
    if (one.leaves !== undefined) await one.leaves(under, report);
    else if (report.stop === "met") expect(picture(under)).toEqual(await undisturbed(on, one.run));
    // Whatever happened: at most one answer of ours in a thread, and none that says the same twice.
    for (const thread of under.scene.pullRequest.threads) {
      const ours = thread.comments
        .filter((comment) => comment.author === "ada" && comment.state === "SUBMITTED")
        .map((comment) => comment.body);
      expect(new Set(ours).size).toBe(ours.length);
    }
  });
};
