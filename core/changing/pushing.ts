/** Pure: whether this run may push, known before triage, and why not. */
import type { Inbox } from "../model.js";
import type { Settings } from "../settings.js";

const MAY_WRITE = new Set(["admin", "maintain", "write"]);

/** Undefined: it may. Else one sentence for a person. */
export const cannotPush = (
  inbox: Inbox,
  settings: Settings,
  options: { readonly hasWorktree: boolean; readonly trustHead: boolean },
): string | undefined => {
  const { pullRequest, viewer } = inbox;
  if (!options.hasWorktree) return "there is no worktree here: run it in a clone of the repository, or give --config";
  if (pullRequest.fork && pullRequest.head.repository === undefined) return "the repository of the head is gone";
  if (pullRequest.fork && !options.trustHead) return "the head is a fork's, so its code is not run here; look at it and give --trust-head";
  if (settings.gate === undefined)
    return 'no gate is configured, and without one nothing is pushed (gate: "npm test", or gate: false to push without)';
  if (settings.push === "own" && viewer.kind === "user" && pullRequest.author.login !== viewer.login) {
    return `${pullRequest.author.login} opened this pull request, not ${viewer.login} (push: "any" widens it)`;
  }
  if (pullRequest.fork) {
    const headOwner = pullRequest.head.repository?.owner.toLowerCase();
    if (headOwner === viewer.login || pullRequest.maintainerCanModify) return undefined;
    return `the fork does not allow edits by maintainers: ask ${pullRequest.author.login} to tick "Allow edits by maintainers"`;
  }
  if (!MAY_WRITE.has(pullRequest.viewerPermission))
    return `${viewer.login} has no write permission in ${pullRequest.ref.owner}/${pullRequest.ref.name}: ask for it, or sign in with an account that has it`;
  return undefined;
};
