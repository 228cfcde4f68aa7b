/** Every built-in plugin and agent: by export for a config in code, by name for one in data. */
import type { AgentFactory, PluginFactory } from "../core/index.js";
import { agentsByName } from "./agents/index.js";
import { bugbot } from "./reviewers/bugbot.js";
import { claude } from "./reviewers/claude.js";
import { codeant } from "./reviewers/codeant.js";
import { coderabbit } from "./reviewers/coderabbit.js";
import { codex } from "./reviewers/codex.js";
import { copilot } from "./reviewers/copilot.js";
import { cubic } from "./reviewers/cubic.js";
import { devin } from "./reviewers/devin.js";
import { ellipsis } from "./reviewers/ellipsis.js";
import { gemini } from "./reviewers/gemini.js";
import { greptile } from "./reviewers/greptile.js";
import { macroscope } from "./reviewers/macroscope.js";
import { prReviewer } from "./reviewers/pr-reviewer.js";
import { qodo } from "./reviewers/qodo.js";
import { seer } from "./reviewers/seer.js";
import { sourcery } from "./reviewers/sourcery.js";
import { workflowReviewer } from "./reviewers/workflow-reviewer.js";
import { draftToReady } from "./targets/draft-to-ready.js";
import { mergeReady } from "./targets/merge-ready.js";
import { openForReview } from "./targets/open-for-review.js";
import { reviewClean } from "./targets/review-clean.js";
import { agentFix } from "./tools/agent-fix.js";
import { agentTriage } from "./tools/agent-triage.js";
import { agentVerify } from "./tools/agent-verify.js";
import { commandGate } from "./tools/command-gate.js";
import { declineLedger } from "./tools/decline-ledger.js";
import { gitPush } from "./tools/git-push.js";
import { gitSync } from "./tools/git-sync.js";
import { plainWords } from "./tools/plain-words.js";
import { stickyComment } from "./tools/sticky-comment.js";
import { suggestions } from "./tools/suggestions.js";

export {
  agentFix,
  agentTriage,
  agentVerify,
  bugbot,
  claude,
  codeant,
  coderabbit,
  codex,
  commandGate,
  copilot,
  cubic,
  declineLedger,
  devin,
  draftToReady,
  ellipsis,
  gemini,
  gitPush,
  gitSync,
  greptile,
  macroscope,
  mergeReady,
  openForReview,
  plainWords,
  prReviewer,
  qodo,
  reviewClean,
  seer,
  sourcery,
  stickyComment,
  suggestions,
  workflowReviewer,
};
/** Under a name of their own: some agents are reviewers too. */
export * as agents from "./agents/index.js";

const byName = (factories: readonly PluginFactory[]): Readonly<Record<string, PluginFactory>> =>
  Object.freeze(Object.fromEntries(factories.map((factory) => [factory.pluginName, factory])));

/** By the name that a config uses. */
export const builtinPlugins: Readonly<Record<string, PluginFactory>> = byName([
  greptile,
  devin,
  copilot,
  coderabbit,
  gemini,
  bugbot,
  codex,
  claude,
  cubic,
  sourcery,
  qodo,
  macroscope,
  seer,
  codeant,
  ellipsis,
  prReviewer,
  workflowReviewer,
  gitSync,
  commandGate,
  suggestions,
  declineLedger,
  agentTriage,
  agentVerify,
  agentFix,
  gitPush,
  plainWords,
  stickyComment,
  reviewClean,
  mergeReady,
  openForReview,
  draftToReady,
]);

/** By the name that a config uses. */
export const builtinAgents: Readonly<Record<string, AgentFactory>> = agentsByName;
