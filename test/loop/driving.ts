/** Drives a scene of the kit through the real loop. */
import { runLoop } from "../../core/session.js";
import type { RunOptions } from "../../core/session.js";
import type { Plugin, Progress, Report } from "../../core/index.js";
import type { Settings } from "../../core/settings.js";
import { DEFAULTS, settingsFrom } from "./settings.js";
import { agentFix } from "../../plugins/tools/agent-fix.js";
import { agentTriage } from "../../plugins/tools/agent-triage.js";
import { commandGate } from "../../plugins/tools/command-gate.js";
import { gitPush } from "../../plugins/tools/git-push.js";
import { gitSync } from "../../plugins/tools/git-sync.js";
import { reviewClean } from "../../plugins/targets/review-clean.js";
import type { Scene } from "../../sandbox/kit/index.js";

export interface Driving extends Partial<Omit<RunOptions, "settings" | "plugins" | "ports">> {
  readonly settings?: Partial<Settings>;
  readonly reviewers?: readonly Plugin[];
  readonly target?: Plugin;
  readonly tools?: readonly Plugin[];
  readonly ports?: RunOptions["ports"];
}

export const TOOLS: readonly Plugin[] = [gitSync(), commandGate(), agentTriage(), agentFix(), gitPush()];

export interface Driven {
  readonly report: Report;
  readonly events: readonly Progress[];
}

export const drive = async (scene: Scene, driving: Driving = {}): Promise<Driven> => {
  const events: Progress[] = [];
  const target = driving.target ?? reviewClean();
  const report = await runLoop({
    ref: scene.pullRequestRef,
    signal: new AbortController().signal,
    outgoing: { folders: [], findSecrets: () => [] },
    yes: true,
    ...driving,
    plugins: [...(driving.reviewers ?? []), target, ...(driving.tools ?? TOOLS)],
    ports: driving.ports ?? scene.ports,
    settings: settingsFrom({ target: target.name, hasAgent: scene.ports.agent !== undefined, ...driving.settings }),
    onProgress: (event) => events.push(event),
  });
  return { report, events };
};

export { DEFAULTS };
