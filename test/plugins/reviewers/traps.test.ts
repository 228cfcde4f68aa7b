/** Traps that no single body of the fixture shows: what is missing at the end, what stands where it does not belong. */
import { describe, expect, test } from "vitest";
import { readBody } from "../../../core/index.js";
import * as reviewers from "../../../plugins/reviewers/index.js";

const facts = Object.values(reviewers)
  .map((factory) => factory())
  .flatMap((plugin) => plugin.reviewer ?? []);
const read = (login: string, body: string, source = "review") =>
  readBody(facts, { source, login_rest: login, author_type: login.endsWith("[bot]") ? "Bot" : "User", body });

describe("greptile", () => {
  const of = (body: string) => read("greptile-apps[bot]", body, "issue_comment");
  test("the newer summary without its hidden score and footer was cut: its heading is no score", () => {
    const whole =
      "<!-- greptile_summary -->\n\n<h2>Confidence Score: 5/5</h2>\n\nFine.\n\n<!-- greptile_confidence_score:3 -->\n\n<sub>Reviews (1) · Last reviewed commit: [1f2e3d4](https://github.com/a/b/commit/1f2e3d4c5b6a79880123456789abcdef01234567)</sub>";
    expect(of(whole).signal).toMatchObject({ state: "reviewed", score: 3 });
    expect(of(whole.slice(0, 80)).signal).toMatchObject({ state: "unknown", score: null });
  });
  test("any status is skipped, known or not", () => {
    expect(of("<!-- greptile-status -->\nToo many files changed for review. (`612 files found`, `500 file limit`)").signal).toMatchObject({
      state: "skipped",
      reason: "too_many_files",
    });
    expect(of("<!-- greptile-status -->\nThe moon is full.").signal).toMatchObject({ state: "skipped", reason: "The moon is full." });
  });
  test("points outside of the diff have place, severity and text, and count as hidden", () => {
    const body =
      '<h3>Greptile Summary</h3>\n\n<h3>Confidence Score: 3/5</h3>\n\n<!-- greptile_failed_comments -->\n<details open><summary><h3>Comments Outside Diff (2)</h3></summary>\n\n1. `src/a.ts`, line 59-61 ([link](https://github.com/a/b/blob/1f2e3d4/src/a.ts#L59-L61))\n\n   <a href="#"><img alt="P1" src="x"></a> **Lock is leaked**\n\n   It stays taken.\n\n2. `src/b.ts`, line 7 ([link](x))\n\n   **style:** Name says little. Rename it.\n\n</details>\n<!-- /greptile_failed_comments -->\n\n<sub>Last reviewed commit: 1f2e3d4</sub>';
    const out = of(body);
    expect(out.findings).toMatchObject([
      { path: "src/a.ts", line: 59, endLine: 61, title: "Lock is leaked", severity: "high", severityRaw: "P1", where: "outside_diff" },
      {
        path: "src/b.ts",
        line: 7,
        endLine: null,
        title: "Name says little.",
        severity: "unknown",
        severityRaw: "style",
        where: "outside_diff",
      },
    ]);
    expect(out.signal.counts).toMatchObject({ hidden: 2, outsideDiff: 2 });
  });
  test("a prompt that repeats a point outside of the diff is the same point", () => {
    const body =
      "<h3>Confidence Score: 3/5</h3>\n\n<details open><summary><h3>Comments Outside Diff (1)</h3></summary>\n\n1. `src/a.ts`, line 59\n\n   **Lock is leaked**\n\n</details>\n\n<details><summary>Prompt To Fix All With AI</summary>\n\n`````markdown\nThis is a comment left during a code review.\nPath: src/a.ts\nLine: 59\n\nComment:\n**Lock is leaked**\n\nIt stays taken.\n\nHow can I resolve this? If you propose a fix, please make it concise.\n\n---\n\nThis is a comment left during a code review.\nPath: src/b.ts\nLine: 3-4\n\nComment:\n**Timer runs on**\n\nHow can I resolve this?\n`````\n\n</details>\n\n<sub>Last reviewed commit: 1f2e3d4</sub>";
    expect(of(body).findings.map(({ title, path, line, endLine }) => [title, path, line, endLine])).toEqual([
      ["Lock is leaked", "src/a.ts", 59, null],
      ["Timer runs on", "src/b.ts", 3, 4],
    ]);
  });
  test("a quoted 5/5 above the own score, and one in an answer", () => {
    expect(
      of("> **Confidence Score: 5/5**\n\nThat was before.\n\n<h3>Confidence Score: 2/5</h3>\n\n<sub>Last reviewed commit: 1f2e3d4</sub>")
        .signal.score,
    ).toBe(2);
    expect(of("> <h3>Confidence Score: 5/5</h3>\n\nThat is the score of the last run.")).toMatchObject({
      notAReview: true,
      signal: { score: null },
    });
  });
  test("only the scale of five, and no score above it", () => {
    for (const text of ["4/10", "6/5", "4/55", "4.5/5", "-1/5"]) expect(of(`<h3>Confidence Score: ${text}</h3>`).signal.score).toBeNull();
  });
});

describe("copilot", () => {
  const of = (body: string) => read("copilot-pull-request-reviewer[bot]", body);
  const old = "## Pull request overview\n\nCopilot reviewed 2 out of 2 changed files in this pull request and generated no comments.\n";
  test("the older overview approves only as a whole", () => {
    expect(of(`${old}\n---\n\n💡 <a href="x">Add Copilot custom instructions</a>`).signal).toMatchObject({
      state: "reviewed",
      verdict: "approve",
      counts: { posted: 0 },
    });
    expect(of(old).signal).toMatchObject({ state: "reviewed", verdict: null });
    expect(
      of(
        `${old}\n<details>\n<summary>Comments suppressed due to low confidence (1)</summary>\n\n**a.ts:4**\n* [nitpick] Rename it.\n</details>\n\n---`,
      ).signal,
    ).toMatchObject({ verdict: "needs-attention", counts: { suppressed: 1 } });
  });
  test("an approval in a text that is cut off is none", () => {
    const body =
      "<!-- ccr-overview-v2 -->\n\n### 🟢 Approval recommended\n\n**Findings:** None\n\n<details>\n<summary><strong>Previously mis";
    expect(of(body).signal).toMatchObject({ state: "unknown", verdict: null });
    expect(of(body.slice(0, body.indexOf("<details>"))).signal).toMatchObject({ state: "reviewed", verdict: "approve" });
  });
  test("a title with brackets", () => {
    const body =
      '<!-- ccr-overview-v2 -->\n\n### 🟡 Changes recommended\n\n<details open>\n<summary><strong>Open (1)</strong></summary>\n\n- <picture><img alt="High severity"></picture> [`items[0]` may be absent](#discussion_r77) · New\n</details>';
    expect(of(body).findings).toMatchObject([{ title: "`items[0]` may be absent", severity: "high", stableId: "discussion_r77" }]);
  });
  test("an apostrophe of either kind", () =>
    expect(of("Copilot wasn’t able to review any files in this pull request.").signal.state).toBe("skipped"));
});

describe("coderabbit", () => {
  const of = (body: string, source = "review") => read("coderabbitai[bot]", body, source);
  test("a count of zero needs the end of its text", () => {
    expect(of("**Actionable comments posted: 0**").signal.state).toBe("unknown");
    expect(
      of("**Actionable comments posted: 0**\n\n<!-- This is an auto-generated comment by CodeRabbit for review status -->").signal,
    ).toMatchObject({ state: "reviewed", verdict: "approve" });
  });
  test("the prompt for agents stands in for sections that are missing, never for inline comments", () => {
    const body =
      "**Actionable comments posted: 1**\n\n<details>\n<summary>🤖 Prompt for all review comments with AI agents</summary>\n\n```\nInline comments:\nIn `@src/a.ts`:\n- Around line 12-14: Await the write.\n\nOutside diff comments:\nIn `@src/b.ts`:\n- Around line 20-21: Name the number. It appears twice.\n```\n\n</details>";
    expect(of(body)).toMatchObject({
      findings: [{ path: "src/b.ts", line: 20, endLine: 21, title: "Name the number.", where: "outside_diff" }],
      signal: { counts: { posted: 1, hidden: 1, outsideDiff: 1 } },
    });
  });
  test("too many files is skipped, though it says rate limited", () => {
    const body =
      "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n<!-- This is an auto-generated comment: rate limited by coderabbit.ai -->\n\n> [!IMPORTANT]\n> ## Review skipped\n>\n> Too many files!\n>\n> This PR contains 119 files, which is 19 over the limit of 100.";
    expect(of(body, "issue_comment").signal).toMatchObject({ state: "skipped", reason: "too_many_files" });
  });
  test("a state that nobody knows is unknown", () =>
    expect(
      of(
        "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n<!-- This is an auto-generated comment: review on holiday by coderabbit.ai -->",
        "issue_comment",
      ).signal.state,
    ).toBe("unknown"));
});

describe("pr-reviewer", () => {
  const gates = (status: Readonly<Record<string, string>>): string =>
    ["Description vs. code", "Prior bot feedback", "Documentation", "Self-review signals", "Code review"]
      .map((gate) => `| ${gate} | ${status[gate] ?? "✅"} | text |`)
      .join("\n");
  const report = (head: string, status: Readonly<Record<string, string>>, more = ""): string =>
    `<!-- PR_REVIEWER_REPORT -->\n${head}\n${more}\n<details>\n<summary>Review details — 2 open bot threads (1 blocking)</summary>\n\n<sup>Reviewed for commit \`9a8b7c6\`.</sup>\n\n| Gate | Status | Details |\n|---|---|---|\n${gates(status)}\n\n</details>`;
  const of = (body: string) => read("somebody", body, "issue_comment").signal;
  const pass = "✅ Reviewed your changes — no issues found.";
  const warn = "✅ Reviewed your changes — no blocking issues, **1 warning(s)**: docs.";
  test.each([
    ["PASS", report(pass, {}), "approve", "PASS"],
    ["WARN is still a pass", report(warn, { "Prior bot feedback": "⚠️" }), "approve", "WARN"],
    ["a red description gate alone is a warning", report(warn, { "Description vs. code": "❌" }), "approve", "WARN"],
    [
      "FAIL by documentation",
      report("Reviewed your changes — **1 error(s)** need attention before human review.", { Documentation: "❌" }),
      "needs-attention",
      "FAIL",
    ],
    ["FAIL by code review, whatever the headline says", report(pass, { "Code review": "❌" }), "needs-attention", "FAIL"],
    ["FAIL by prior feedback", report(pass, { "Prior bot feedback": "❌" }), "needs-attention", "FAIL"],
  ])("%s", (_name, body, verdict, raw) =>
    expect(of(body)).toMatchObject({ state: "reviewed", verdict, verdictRaw: raw, reviewedCommit: "9a8b7c6" }),
  );
  test("a partial review never is a pass", () => {
    const partial = "\n⚠️ **Partial review — tool budget exhausted** after 3 of 9 files.\n";
    expect(of(report(pass, {}, partial))).toMatchObject({ state: "limited", verdict: null });
    expect(of(report(pass, { "Code review": "❌" }, partial))).toMatchObject({ state: "reviewed", verdict: "needs-attention" });
  });
  test("a table that lacks a gate, or has a status that nobody knows, tells nothing", () => {
    expect(of(report(pass, {}).replace(/\| Documentation.*\n/, "")).state).toBe("unknown");
    expect(of(report(pass, { Documentation: "🟣" })).state).toBe("unknown");
  });
});

describe("claude", () => {
  test("the action's comment through its life", () => {
    const of = (body: string) => read("claude[bot]", body, "issue_comment").signal.state;
    expect(of('Claude Code is working… <img src="x">\n\n- [ ] Read the diff')).toBe("running");
    expect(of("**Claude finished @dev's task in 1m 44s** —— [View job](x)\n\n---\nLooks fine.")).toBe("reviewed");
    expect(of("**Claude encountered an error after 45s** —— [View job](x)")).toBe("failed");
  });
  test("the plugin's list, as whoever runs it, once the config names the account", () => {
    const body =
      "### Code review\n\nFound 2 issues:\n\n1. The key omits the tenant (CLAUDE.md says so). Add it.\n\nhttps://github.com/a/b/blob/1f2e3d4c5b6a79880123456789abcdef01234567/src/a.ts#L10-L15\n\n2. Timer runs on\n\nhttps://github.com/a/b/blob/1f2e3d4c5b6a79880123456789abcdef01234567/src/b.ts#L3\n\n🤖 Generated with [Claude Code](https://claude.ai/code)";
    expect(read("dev", body, "issue_comment").reviewer).toBeNull();
    const named = reviewers.claude({ authors: ["Dev"] }).reviewer;
    const out = readBody(named === undefined ? [] : [named], { source: "issue_comment", login_rest: "dev", author_type: "User", body });
    expect(out).toMatchObject({
      signal: { verdict: "needs-attention", reviewedCommit: "1f2e3d4c5b6a79880123456789abcdef01234567", counts: { hidden: 2 } },
      findings: [
        { path: "src/a.ts", line: 10, endLine: 15 },
        { path: "src/b.ts", line: 3, endLine: null, title: "Timer runs on" },
      ],
    });
  });
});

test("workflow-reviewer claims nothing without a marker, nor with one that can't be compiled", () => {
  const body = "Automated review posted 0 inline finding(s).\n\n<!-- gemini-review: head=9a8b7c6 -->";
  const claims = (options: Parameters<typeof reviewers.workflowReviewer>[0]): string | null => {
    const one = reviewers.workflowReviewer(options).reviewer;
    return readBody(one === undefined ? [] : [one], { source: "review", login_rest: "github-actions[bot]", author_type: "Bot", body })
      .reviewer;
  };
  expect(claims({})).toBe("workflow-reviewer");
  expect(claims({ marker: "" })).toBeNull();
  expect(claims({ marker: "(" })).toBeNull();
  expect(claims({ login: "somebody-else" })).toBeNull();
});
