/** What GraphQL does not tell on some servers, asked of REST. */
import type { Check, MergeState, PullRequestRef, Sha } from "../../model.js";
import { GithubFailure } from "./failure.js";
import { mergeStateOf } from "./snapshot.js";
import type { BaseRules } from "./snapshot.js";
import type { Transport } from "./transport.js";

interface Rule {
  readonly type?: string;
  readonly parameters?: {
    readonly required_review_thread_resolution?: boolean;
    readonly required_status_checks?: readonly { readonly context?: string }[];
  };
}

/** The active rules of the base branch; an older server that has no rules has none to obey. */
export const baseRulesByRest = async (
  transport: Transport,
  ref: PullRequestRef,
  branch: string,
  signal: AbortSignal | undefined,
): Promise<BaseRules> => {
  try {
    const { data } = await transport.restRead(
      (client, request) => client.rest.repos.getBranchRules({ owner: ref.owner, repo: ref.name, branch, per_page: 100, request }),
      signal,
    );
    const rules = data as readonly Rule[];
    return {
      requiresConversationResolution: rules.some((rule) => rule.parameters?.required_review_thread_resolution === true),
      requiredChecks: rules.flatMap((rule) => (rule.parameters?.required_status_checks ?? []).flatMap((check) => check.context ?? [])),
    };
  } catch (thrown) {
    const absent = thrown instanceof GithubFailure && ["not-found", "denied", "unsupported"].includes(thrown.kind);
    if (!absent) throw thrown;
    return { requiresConversationResolution: false, requiredChecks: [] };
  }
};

/** REST says the same words in lower case. For another head than the one that was read it says nothing. */
export const mergeStateByRest = async (
  transport: Transport,
  ref: PullRequestRef,
  head: Sha,
  signal: AbortSignal | undefined,
): Promise<MergeState> => {
  const { data } = await transport.restRead(
    (client, request) => client.rest.pulls.get({ owner: ref.owner, repo: ref.name, pull_number: ref.number, request }),
    signal,
  );
  return data.head.sha === head ? mergeStateOf(data.mergeable_state) : "UNKNOWN";
};

/**
 * Workflow runs of a fork's head that wait until a maintainer allows them: no check tells of them, so "nothing registered" would look as if
 * there were none. Null where none waits, or where this account may not see.
 */
export const heldRunsByRest = async (
  transport: Transport,
  ref: PullRequestRef,
  head: Sha,
  signal: AbortSignal | undefined,
): Promise<readonly Check[] | null> => {
  try {
    const { data } = await transport.restRead(
      (client, request) =>
        client.rest.actions.listWorkflowRunsForRepo({ owner: ref.owner, repo: ref.name, head_sha: head, per_page: 100, request }),
      signal,
    );
    const held = data.workflow_runs.filter((run) => run.conclusion === "action_required");
    if (held.length === 0) return null;
    return held.map((run) => ({
      name: run.name ?? "workflow run",
      app: "github-actions",
      kind: "check-run",
      state: "failure",
      raw: "ACTION_REQUIRED",
      required: false,
      head,
      url: run.html_url,
      summary: "It waits until a maintainer allows it to run.",
    }));
  } catch (thrown) {
    const hidden = thrown instanceof GithubFailure && ["not-found", "denied", "unsupported"].includes(thrown.kind);
    if (!hidden) throw thrown;
    return null;
  }
};
