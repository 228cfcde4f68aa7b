/** One simulated day: a world, the processes that are started and killed on it, and everything that happened. */
import { faultOptions } from "../../sandbox/kit/index.js";
import type { Report } from "../../core/index.js";
import { castOf, refusedByWorld } from "./bots.js";
import type { Day, Fact } from "./facts.js";
import { outsideOf } from "./outside.js";
import type { BotName, Crash, FaultPlan, Plan } from "./plan.js";
import { Process } from "./process.js";
import type { Ongoing } from "./process.js";
import { voiceOf } from "./voices.js";
import { ciOf, countFaults, sceneOf, VIEWERS } from "./setting.js";

const MOST_PROCESSES = 9;

/** Starts it again and again, until it ends by itself. */
const drive = async (day: Ongoing): Promise<Report | undefined> => {
  const { plan, scene } = day;
  let number = 0;
  const next = (crash?: Crash): Process => new Process((number += 1), day, crash);
  if (plan.mode === "plan-first") await next().run({ plan: true });
  if (plan.mode === "look-first") await next().run({ reportOnly: true });
  if (plan.mode === "unapproved-first") await next().run({ yes: false });
  const crashes = [...plan.crashes];
  let parks = 0;
  let last: Report | undefined;
  for (let tries = 0; tries < MOST_PROCESSES; tries += 1) {
    const crash = crashes.shift();
    const controller = new AbortController();
    if (plan.mode === "abort" && tries === 0) scene.clock.after(plan.abortAt, () => controller.abort());
    const beside: Promise<unknown>[] = [];
    const main = next(crash);
    if (plan.mode === "two-at-once" && tries === 0)
      scene.clock.after(7_000, () => {
        if (!main.dead) beside.push(next().run({ beside: true }));
      });
    const outcome = await main.run({ park: plan.mode === "park", signal: controller.signal });
    await Promise.all(beside);
    if ("killed" in outcome) {
      if (crash?.loses === true) {
        scene.store.lose();
        day.facts.push({ is: "lost-journal", at: scene.clock.now() });
        day.count("journal lost");
      }
      await scene.clock.advance(crash?.pause ?? 0);
      continue;
    }
    if (!("report" in outcome)) return undefined;
    last = outcome.report;
    if (last.stop === null && parks < 60) {
      parks += 1;
      tries -= 1;
      await scene.clock.advance(60_000);
      continue;
    }
    if (last.stop !== "aborted") return last;
    await scene.clock.advance(1_000);
  }
  return last;
};

/** A plan names a bot; the world knows it by its login. */
const optionsOf = (plan: Plan, fault: FaultPlan): unknown => {
  const { bot } = fault.options as { readonly bot?: BotName };
  return bot === undefined ? fault.options : { login: voiceOf(plan, bot).login };
};

/** Lives one day through. `plan` may be laid over, to see the same day without its faults. */
export const live = async (plan: Plan): Promise<Day> => {
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const scene = sceneOf(plan);
  const { world, clock, pullRequest } = scene;
  const facts: Fact[] = [];
  const act = (what: () => void): void => {
    try {
      what();
    } catch (thrown) {
      if (!refusedByWorld(thrown)) throw thrown;
    }
  };
  const viewer = VIEWERS[plan.viewer];
  for (const fault of plan.faults.filter((each) => each.name === "silent-reviewer" || each.name === "slow-reviewer"))
    world.faults.set(fault.name, optionsOf(plan, fault) as never);
  const cast = castOf(plan, world, pullRequest, act);
  ciOf(plan, scene, act);
  const day: Ongoing = { plan, scene, facts, bots: cast.bots, greenTrees: new Set(), recorded: new Set(), viewer, count, writing: 0 };
  const outside = outsideOf(plan, scene, act, count);
  world.subscribe((event) => {
    // Another repository's affairs, where a fault has one.
    if (event.type === "pushed" && event.repository.fullName !== pullRequest.repository) return;
    facts.push({
      is: "world",
      at: event.at,
      event,
      ours: event.actor === viewer && day.writing > 0 && !outside.acting(),
      head: pullRequest.head.sha,
      draft: pullRequest.draft,
    });
  });
  await clock.advance(5_000);
  for (const fault of plan.faults) world.faults.set(fault.name, optionsOf(plan, fault) as never);
  // Who pushes for `head-moves` is the maintainer: where that is us, nobody could tell whose push it was.
  const odd = plan.odd === "head-moves" && plan.viewer === "maintainer" ? undefined : plan.odd;
  if (odd !== undefined) {
    act(() => world.faults.set(odd, faultOptions(odd, plan.seed)));
    count(`fault:${odd}`);
  }
  countFaults(scene, count);
  for (const jump of plan.jumps)
    clock.after(jump.at, () => {
      count(jump.by < 0 ? "clock jump back" : "clock jump");
      clock.jump(jump.by);
    });
  const last = await drive(day);
  const stop = last === undefined ? "none" : (last.stop ?? "parked");
  if (last === undefined) count("stop:none");
  for (const fact of facts) {
    if (fact.is === "end") {
      count(`stop:${fact.report.stop ?? "parked"}`);
      if (fact.report.stop === "met") count(`met:${plan.target}`);
      for (const line of fact.report.reviewers) if (line.state === "reviewed") count(`reviewed by:${line.reviewer}`);
    }
    if (fact.is === "entry" && fact.entry.type === "decision") count(`decision:${fact.entry.decision.kind}`);
    if (fact.is === "entry" && fact.entry.type === "result") count(`result:${fact.entry.result.state}`);
    if (fact.is === "world" && fact.ours) count(`write:${fact.event.type}`);
  }
  return {
    plan,
    facts,
    world,
    pullRequest,
    viewer,
    bots: cast.bots,
    journal: scene.store.entries(scene.pullRequestRef),
    last,
    stop,
    counts,
  };
};
