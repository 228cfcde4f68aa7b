/** A few posts of each built-in reviewer, for its contract. Bodies are those of the fixture, made to name the head. */
import { readFileSync } from "node:fs";
import type { ReviewerSamples, SamplePost } from "../../sandbox/kit/index.js";

const bodies = new Map(
  readFileSync(new URL("../fixtures/reviewer-bodies.jsonl", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly id: string; readonly source: string; readonly body: string })
    .map((each) => [each.id, each] as const),
);

/** The commits that the fixture's bodies name, whole or cut short. */
const COMMITS = /\b(?:1f2e3d4|9a8b7c6)[0-9a-f]*\b/g;

const kept = (
  id: string,
  head: string,
  more: { readonly login?: string; readonly threads?: readonly string[] } = {},
): Exclude<SamplePost, string> => {
  const found = bodies.get(id);
  if (found === undefined) throw new Error(`The fixture has no body ${id}.`);
  const source = found.source === "thread" ? "review_comment" : (found.source as "issue_comment" | "review");
  return { source, body: found.body.replace(COMMITS, (commit) => head.slice(0, commit.length)), ...more };
};

const report = (head: string, gate: string, headline: string): string => `<!-- PR_REVIEWER_REPORT -->
${headline}

<details>
<summary>Review details</summary>

<sup>Reviewed for commit \`${head.slice(0, 7)}\`.</sup>

| Gate | Status | Details |
|---|---|---|
| Description vs. code | ✅ |  |
| Prior bot feedback | ✅ |  |
| Documentation | ✅ |  |
| Self-review signals | ${gate} | ${gate === "✅" ? "" : "a log line was left in"} |
| Code review | ✅ |  |

</details>`;

export const SAMPLES: Readonly<Record<string, ReviewerSamples>> = {
  greptile: {
    reviewed: (head) => kept("greptile-v1-clean-5of5", head),
    findings: (head) => kept("greptile-v1-3of5-prompt-all-two-issues", head),
    running: () => ({ source: "check", body: "", check: { name: "Greptile Review", state: "pending" } }),
  },
  devin: {
    reviewed: (head) => kept("devin-review-clean", head),
    findings: (head) => kept("devin-review-four-no-hidden", head, { threads: [kept("devin-thread-severe", head).body] }),
    running: () => "Starting Devin Review…",
  },
  copilot: {
    reviewed: (head) => kept("copilot-v2-approval", head),
    findings: (head) => kept("copilot-v2-findings-none-but-previously-missed", head),
    running: () => ({ source: "check", body: "", check: { name: "copilot-pull-request-reviewer", state: "pending" } }),
  },
  coderabbit: {
    reviewed: (head) => kept("coderabbit-recent-review-clean", head),
    findings: (head) => kept("coderabbit-review-zero-actionable-nitpicks", head),
    running: (head) => kept("coderabbit-sticky-in-progress", head),
  },
  gemini: {
    reviewed: () => ({ source: "review", body: "## Code Review\n\nThis bounds the retries as intended. I have no feedback to provide." }),
    findings: (head) => kept("gemini-review-body", head, { threads: [kept("gemini-thread-high", head).body] }),
    running: (head) => kept("gemini-summary-in-progress", head),
  },
  bugbot: {
    reviewed: (head) => kept("bugbot-review-clean", head),
    findings: (head) => kept("bugbot-review-three-issues", head, { threads: [kept("bugbot-thread-high", head).body] }),
    running: () => ({ source: "check", body: "", check: { name: "Cursor Bugbot", state: "pending" } }),
  },
  codex: {
    reviewed: (head) => kept("codex-clean-comment", head),
    findings: (head) => kept("codex-review-body-finding", head),
    running: (head) => kept("codex-sticky-running", head),
  },
  claude: {
    reviewed: (head) => kept("claude-plugin-code-review-clean", head, { login: "github-actions[bot]" }),
    findings: (head) => ({
      source: "issue_comment",
      login: "github-actions[bot]",
      body: `### Code review\n\nFound 1 issue:\n\n1. The timer is never cleared\n\nhttps://github.com/ada/shop/blob/${head}/src/main.ts#L3-L4\n\n🤖 Generated with [Claude Code](https://claude.ai/code)`,
    }),
    running: () => "**Claude Code is working…**",
  },
  cubic: {
    reviewed: (head) => kept("cubic-review-clean", head),
    findings: (head) => kept("cubic-review-two-issues-score", head),
    running: () => ({ source: "check", body: "", check: { name: "cubic · AI code reviewer", state: "pending" } }),
  },
  codeant: {
    reviewed: () => '<!-- codeant-review-status:[{"done":true}] -->\nCodeAnt AI finished reviewing your PR.',
    running: () => '<!-- codeant-review-status:[{"done":false}] -->\nCodeAnt AI is reviewing your PR.',
  },
  ellipsis: {
    reviewed: (head) => ({ source: "review", body: `Looks good to me! 👍\n\nReviewed everything up to ${head} in 41 seconds.` }),
  },
  macroscope: {
    reviewed: () => "#### Approvability\n\n**Verdict:** Approved",
    findings: (head) => kept("macroscope-thread-high", head),
    running: () => ({ source: "check", body: "", check: { name: "Macroscope - Correctness Check", state: "pending" } }),
  },
  qodo: {
    reviewed: (head) => kept("qodo-renamed-login", head, { login: "qodo-merge-pro[bot]" }),
    findings: () => "## Code Review by Qodo\n\n<code>🐞 Bugs (2)</code>\n\n1. The timer is never cleared",
  },
  seer: { reviewed: "never", findings: (head) => kept("seer-thread", head) },
  sourcery: {
    reviewed: () => ({ source: "review", body: "Hey - I've reviewed your changes and they look great!" }),
    findings: () => ({
      source: "review",
      body: "Hey - I've found 1 issue",
      threads: ["**issue (bug_risk):** The timer is never cleared."],
    }),
  },
  "pr-reviewer": {
    reviewed: (head) => report(head, "✅", "✅ Reviewed your changes — no issues found."),
    findings: (head) => report(head, "❌", "Reviewed your changes — **1 error** needs attention before human review."),
  },
  "workflow-reviewer": {
    reviewed: (head) => ({
      source: "review",
      body: `Automated review posted 0 inline finding(s).\n\n<!-- gemini-review: head=${head.slice(0, 7)} -->`,
    }),
    findings: (head) => kept("workflow-gemini-as-actions", head),
  },
};
